"""The dashboard for `streamlit run app.py`; `layoutcm app` runs layoutcm/ui/script/start.py."""

from layoutcm.ui.dashboard import run_dashboard

run_dashboard()
