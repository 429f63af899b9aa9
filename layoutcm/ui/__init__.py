"""The dashboard, with Streamlit. May import report and everything below it.

From the bottom up: `server` (requests, limits, visitors, guarded reading), `files` (what was dropped), `state` (what is
loaded and chosen), `shared` (what several pages draw), then a folder for each page of the menu: `data`, `models`,
`errors`, `page`, `ground_truth`, `measures`, `method`. The scripts in `pages/`, beside the package, only arrange what
these draw. `launch` starts the server, `dashboard` is one run for a visitor.
"""
