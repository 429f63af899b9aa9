"""Report: download figures, tables or everything."""

import streamlit as st

from layoutcm.ui import page_shell, router, session
from layoutcm.ui.parts import report_downloads, report_figures, saved_sessions

router.ensure_routed()
compared = page_shell.need_comparison()
confusion = session.chosen_confusion(compared)
st.title("Report", anchor=False)
st.subheader("Everything", anchor=False)
report_downloads.show_whole_report(compared)
with st.container(horizontal=True, vertical_alignment="center"):
    saved_sessions.show_save_button()
st.subheader("One figure", anchor=False)
report_figures.show_figure(compared, confusion)
st.subheader("One table", anchor=False)
report_downloads.show_table_download(compared, confusion)
page_shell.show_recipe(confusion.recipe)
