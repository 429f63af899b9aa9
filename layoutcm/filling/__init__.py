"""Make a `Result` from a comparison, in memory or of parts, or load one from a file."""
