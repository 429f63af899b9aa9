"""Pictures: colours, matrix layers, pages as pixels, and the drawings that explain the method.

`screen/` draws with Plotly for the dashboard, `paper/` with Matplotlib for print; they do not import each other.
`web/` is what the browser draws itself, `notebook` shows it in notebooks. May import tables and everything below it.
"""
