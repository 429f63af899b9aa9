"""Report: take figures, tables or everything away."""

import streamlit as st

from layoutcm.ui import page_frame, router, selection, session
from layoutcm.ui.parts import report_downloads, report_figures

router.arrive()
compared = page_frame.need_comparison()
confusion = selection.shown(session.confusion(compared))
st.title("Report", anchor=False)
st.subheader("Everything", anchor=False)
report_downloads.everything(compared)
st.subheader("One figure", anchor=False)
report_figures.show(compared, confusion)
st.subheader("One table", anchor=False)
report_downloads.tables(compared, confusion)
page_frame.recipe(confusion.recipe)
