"""Take it away: the whole report, the session, one figure, one table, in a dialog that every page can open."""

from __future__ import annotations

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.ui import page_shell, session
from layoutcm.ui.parts import report_downloads, report_figures, saved_sessions

OPEN = "take_away_open"  # session key: a run of the whole page, such as after making a report, keeps the dialog open


def show_button() -> None:
    """The button that opens the dialog, and the dialog while it is open."""
    compared = session.current_comparison()
    st.button(
        "Take it away", key="take_away", icon=":material/download:", on_click=open_dialog,
        disabled=not isinstance(compared, Comparison), help="The report, the session, a figure or a table as files",
    )  # fmt: skip
    if isinstance(compared, Comparison) and st.session_state.get(OPEN):
        _show_dialog(compared)


def open_dialog() -> None:
    st.session_state[OPEN] = True


def _close() -> None:
    st.session_state[OPEN] = False


@st.dialog("Take it away", width="large", on_dismiss=_close)
def _show_dialog(compared: Comparison) -> None:
    page_shell.guard(lambda: show_contents(compared))


def show_contents(compared: Comparison) -> None:
    """Everything, the session, one figure, one table."""
    confusion = session.chosen_confusion(compared)
    st.subheader("Everything", anchor=False)
    report_downloads.show_whole_report(compared)
    with st.container(horizontal=True, vertical_alignment="center"):
        saved_sessions.show_save_button("take_away")
    st.subheader("One figure", anchor=False)
    report_figures.show_figure(compared, confusion)
    st.subheader("One table", anchor=False)
    report_downloads.show_table_download(compared, confusion)
    page_shell.show_recipe(confusion.recipe)
