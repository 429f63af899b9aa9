"""Layouts to files of other tools: a module for each family of formats, and what these share.

`request` has what a writer is given, the findings on what its format cannot hold, names that files and XML can have,
and the regions of each page as one box, polygon or mask each.
"""
