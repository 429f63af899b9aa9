"""One module for each family of formats, with functions that recognise a file and read it.

Readers do not import each other. They raise only `InputError`, never follow a path or address named in a file, and
never guess a page size. `registry` lists them.
"""
