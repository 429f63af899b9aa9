"""Pictures: colours, matrix layers, pages as pixels, and the drawings that explain the method.

`screen/` draws with Plotly for the dashboard, `paper/` with Matplotlib for print; they do not import each other. May
import tables and everything below it.
"""
