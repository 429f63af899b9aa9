"""The dashboard, with Streamlit.

From the bottom up: `visitor_files` reads, in the processes of `guarded_reading`; `visitors` keeps values and counts
their bytes; `input_files` gives layouts and comparisons, `choices` holds what a visitor has chosen, `session` the
loaded files and their comparison, `session_files` all of it in one file, `link` the address bar, `page_shell` the
pages.
What is dropped on the page Data: `file_facts` says what a file is, `file_roles` which files are one layout and which
role each has; `held_files` holds them, `further_files` uses those that are no layouts, `card_reviews` says what is
known about each.
`parts/` has the panels; the scripts in `pages/` only arrange panels. `server` checks
requests and runs all this. May import report and everything below it.
"""
