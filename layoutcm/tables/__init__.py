"""Every table once."""
