"""The dashboard, with Streamlit.

From the bottom up: `visitor_files` reads, in the processes of `guarded_reading`; `visitors` keeps values and counts
their bytes; `input_files` gives layouts and comparisons, `choices` holds what a visitor has chosen, `session` the
loaded files and their comparison, `session_files` all of it in one file, `link` the address bar, `router` the pages.
`parts/` has one module for each panel; the scripts in `pages/` only arrange panels. `server` runs all this, behind
`own_requests`. May import report and everything below it.
"""
