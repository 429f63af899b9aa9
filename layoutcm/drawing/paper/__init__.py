"""Matplotlib figures for print: PNG, SVG and PDF that are the same bytes on every run.

`printing` has the style and the fonts, `matrix_grid` draws cells. May import tables and everything below it, and the
modules of drawing that are not in `screen/`.
"""
