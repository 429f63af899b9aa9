"""Files and folders that are written: at any moment their place has the old output or the new one, never a part.

A mount point is the exception: a killed run leaves a mixture there, which the next run finishes.
`files` replaces one file, and has the hidden files and folders in which an output grows; `folders` replaces a whole
folder. May import errors and wording.
"""
