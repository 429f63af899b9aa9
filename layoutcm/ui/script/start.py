"""The script that `layoutcm app` runs.

It is alone in its folder: beside a folder named pages, Streamlit would first show a menu of the files in it, and it
makes all modules beside the script importable by their bare names.
"""

from layoutcm.ui.dashboard import run_dashboard

run_dashboard()
