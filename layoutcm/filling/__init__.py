"""A `Result` is filled: from a comparison in memory, from a comparison of parts, or from a file."""
