"""Plotly figures for the dashboard: matrices, class bars, curves, families, a page with its regions and label sets.

Pure functions: data in, figure out. May import tables and everything below it, and the modules of drawing that are not
in `paper/`.
"""
