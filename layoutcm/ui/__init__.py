"""The dashboard, with Streamlit.

From the bottom up: `visitor_files` reads, in the processes of `guarded_reading`; `visitors` keeps values and counts
their bytes; `input_files` gives layouts and comparisons, `choices` holds what a visitor has chosen, `session` the
loaded files and their comparison, `session_files` all of it in one file, `link` the address bar, `router` the pages.
What is dropped on the page Data: `file_facts` says what a file is, `dropped_files` which files are one layout,
`file_roles` which role each has; `held_files` holds them, `further_files` and `dropped_images` use those that are no
layouts, `card_reviews` says what is known about each.
`parts/` has one module for each panel; the scripts in `pages/` only arrange panels. `server` runs all this, behind
`own_requests`. May import report and everything below it.
"""
