"""Layouts to files of other tools: one module a format, and what these share.

`request` has what a writer is given and the findings on what its format cannot hold, `pieces` the regions of each page
as one box, polygon or mask each, `names` names that files and XML can have, `places` files, folders and zips.
"""
