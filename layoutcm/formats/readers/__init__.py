"""One module a format: a function that recognises a file and one that reads it."""
