"""Pictures: charts, colours, matrix layers, pages as pixels, and the drawings that explain the method.

`charts` has the values that describe a chart; `row_charts`, `line_charts` and `cell_charts` make them. `screen/` draws
them with Plotly for the dashboard, `paper/` with Matplotlib for print; the two do not import each other. `web/` is what
the browser draws itself, `notebook` shows it in notebooks. May import tables and everything below it.
"""
