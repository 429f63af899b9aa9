"""One run of the dashboard: installs the pages, draws sidebar and bar, runs the current page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.proto.Spinner_pb2 import Spinner
from streamlit.runtime.scriptrunner import StopException

from layoutcm.ui.server import visitors
from layoutcm.ui.server.first_paint import STYLE
from layoutcm.ui.shared import downloads, page_shell, sidebar, take_away, top_bar, warm_up
from layoutcm.ui.state import address, session
from layoutcm.ui.state.chosen import read_chosen

_NOTHING = st.components.v2.component("lcm-nothing", html="<i></i>\n", js="export default () => {};\n")


def run_dashboard() -> None:
    page = page_shell.install_pages()
    with page_shell.routing():
        warm_up.start_warm_up()
        visitors.start_run()
        address.start_session()
        address.follow_address(page.url_path)
        st.html(STYLE)  # for `streamlit run app.py`; the server of `layoutcm app` has put it into the page already
        chosen = read_chosen()
        with preload_browser():
            page_shell.guard(lambda: sidebar.show_sidebar(chosen))
            page_shell.guard(lambda: top_bar.show_bar(chosen))
            _run_page(page)
        take_away.show_dialog()
        page_shell.end_run()


def _run_page(page: StreamlitPage) -> None:
    """Run the page; one that stops early, because there is nothing to show, still has the dialog."""
    downloads.forget_offers()
    try:
        page_shell.guard(page.run)
    except StopException:
        return


@contextmanager
def preload_browser() -> Iterator[None]:
    """Once per session: a hidden part of every kind, which makes the browser load its code early.

    The first part of a kind takes up to half a second more than the next ones. Meanwhile the visitor chooses files, or
    the files of a link are read.
    """
    place = st.empty()
    if not st.session_state.get("parts_loaded"):
        st.session_state["parts_loaded"] = True
        with place.container(key="unseen"):
            _show_every_kind()
    yield
    if session.loaded_files() is not None:
        place.empty()


def _show_every_kind() -> None:
    st.plotly_chart({"data": [{"type": "indicator"}]}, key="unseen_chart")
    st.dataframe({"unseen": []}, key="unseen_table")
    st.image(page_shell.draw_icon())
    st.html("<i></i>")
    st.metric("unseen", 0)
    st.progress(0.0)
    # `st.spinner` is drawn only after a tenth of a second, which the first run may not take.
    st.container()._enqueue("spinner", Spinner(text="unseen"))
    _NOTHING(key="unseen_component")
    of_options: tuple[Any, ...] = (st.selectbox, st.multiselect, st.segmented_control, st.pills, st.radio)
    for show in of_options:
        show("unseen", ["a", "b"], key=f"unseen_{show.__name__}")
    others: tuple[Any, ...] = (st.toggle, st.slider, st.number_input, st.text_input, st.button)
    for show in others:
        show("unseen", key=f"unseen_{show.__name__}")
    st.download_button("unseen", "", key="unseen_download", on_click="ignore")
