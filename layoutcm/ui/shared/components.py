"""The elements that the browser draws itself, as Streamlit components: the same scripts as in the offline report.

Each is one ES module. What the reader chooses comes back as triggers, such as `picked`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from layoutcm.drawing import web
from layoutcm.ui.server.first_paint import MOST_RESERVED_ROWS


def make_component(name: str, show: str, stop: str = "") -> Any:
    """A component whose script calls `show(root, data, send)`, and `stop(root)` when the element is removed.

    The root is an element of the class `lcm-name`.
    """
    element = f"lcm-{name}"
    ending = f"return () => {stop}(root);" if stop else ""
    start = (
        "export default ({ parentElement, data, setTriggerValue }) => {"
        f' const root = parentElement.querySelector(".{element}");'
        f" {show}(root, data, setTriggerValue); {ending} }};"
    )
    # Streamlit takes a text without a line break for a file name.
    html = f'<div class="{element}"></div>\n'
    js = f'"use strict";\n{web.script("text", *web.PARTS[name])}\n{start}\n'
    return st.components.v2.component(element, html=html, css=web.style(name), js=js)


VIEWER = make_component("viewer", "show_page", "stop_page")
THUMBNAILS = make_component("thumbnails", "show_thumbnails")
PAGE_LIST = make_component("page_list", "show_page_list")
MATRIX = make_component("matrix", "show_matrix", "stop_matrix")


def show_matrix(data: dict[str, Any], key: str, choose: Callable[[dict[str, Any]], None] | None = None) -> None:
    """Draw the matrix of `matrix_data`; `choose` gets what was clicked, before the page runs again."""

    def on_picked() -> None:
        picked = st.session_state[key].picked
        if choose and picked:
            choose(dict(picked))

    rows = 2 if data.get("groups") else min(len(data["row_names"]), MOST_RESERVED_ROWS)
    with st.container(key=f"rows_{rows}_{key}"):  # its height is reserved by the style
        MATRIX(key=key, data=data, on_picked_change=on_picked)
