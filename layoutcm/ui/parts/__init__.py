"""One module for each panel of the dashboard; the scripts in `pages/` put panels together.

May import the other modules of ui and everything below ui.
"""
