"""Matplotlib figures for print: PNG, SVG and PDF that are the same bytes on every run.

`charts.draw` draws a described chart; `matrix` and `pages` draw matrices and pages. `figure_style` has the style, fonts
and the legends. May import tables and everything below it, and the modules of drawing outside of `screen/` and `web/`.
"""
