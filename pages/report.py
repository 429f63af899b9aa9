"""Report: take figures, tables or everything away."""

import streamlit as st

from layoutcm.ui import panels, report_figures, reporting, router, state

router.arrive()
compared = panels.need_comparison()
confusion = panels.shown(state.confusion(compared))
st.title("Report", anchor=False)
st.subheader("Everything", anchor=False)
reporting.everything(compared)
st.subheader("One figure", anchor=False)
report_figures.show(compared, confusion)
st.subheader("One table", anchor=False)
reporting.tables(compared, confusion)
panels.recipe(confusion.recipe)
