"""One module for each format: a function that recognises a file and one that reads it.

Readers do not import each other. They raise only `InputError`, never follow a path or address named in a file, and
never guess a page size. `registry` lists them.
"""
