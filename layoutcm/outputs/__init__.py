"""Files and folders that are written: at any moment their place has the old output or the new one, never a part.

`files` replaces one file, `folders` a whole folder, `renames` has the steps that move a folder into place, and `hidden`
the hidden files and folders in which an output grows. May import errors and wording.
"""
