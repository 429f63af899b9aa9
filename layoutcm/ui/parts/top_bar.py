"""The bar on top of every page while files are loaded."""

from __future__ import annotations

import streamlit as st

from layoutcm.ui import session
from layoutcm.ui.parts import take_away


def show_bar() -> None:
    """The bar; nothing before files are loaded."""
    if session.loaded_files() is None:
        return
    with st.container(horizontal=True, horizontal_alignment="right", key="top_bar"):
        take_away.show_button()
