"""Plotly figures for the dashboard: `charts.draw` draws a described chart in the colours of a theme.

May import tables and everything below it, and the modules of drawing that are not in `paper/` or `web/`.
"""
