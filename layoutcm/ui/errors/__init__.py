"""Errors: what is confused with what, and where."""
