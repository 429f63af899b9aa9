"""Why and where a number is bad."""
