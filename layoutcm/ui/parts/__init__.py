"""The panels of the dashboard, a module for each group of them; the scripts in `pages/` put panels together.

May import the other modules of ui and everything below ui.
"""
