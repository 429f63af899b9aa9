"""The dashboard, with Streamlit.

From the bottom up: `input_files` reads and caches, `choices` holds what a visitor has chosen, `session` the loaded
files and their comparison, `link` the address bar, `router` the pages. `parts/` has one module for each panel; the
scripts in `pages/` only arrange panels. May import report and everything below it.
"""
