"""Report: take figures, tables or everything away."""

import streamlit as st

from layoutcm.ui import router, session
from layoutcm.ui.parts import panels, report_downloads, report_figures

router.arrive()
compared = panels.need_comparison()
confusion = panels.shown(session.confusion(compared))
st.title("Report", anchor=False)
st.subheader("Everything", anchor=False)
report_downloads.everything(compared)
st.subheader("One figure", anchor=False)
report_figures.show(compared, confusion)
st.subheader("One table", anchor=False)
report_downloads.tables(compared, confusion)
panels.recipe(confusion.recipe)
