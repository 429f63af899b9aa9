"""The elements that the browser draws itself, as Streamlit components: the same scripts as in the offline report.

Each is one ES module. What the reader chooses comes back as triggers, such as `picked`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from layoutcm.drawing import web
from layoutcm.ui.first_paint import MOST_RESERVED_ROWS


def component(name: str, parts: tuple[str, ...], show: str, stop: str = "") -> Any:
    """A component whose script calls `show(root, data, report)`, and `stop(root)` when the element is removed.

    The root is an element with the name as its class.
    """
    ending = f"return () => {stop}(root);" if stop else ""
    start = (
        "export default ({ parentElement, data, setTriggerValue }) => {"
        f' const root = parentElement.querySelector(".{name}");'
        f" {show}(root, data, setTriggerValue); {ending} }};"
    )
    styles = web.style(*(part for part in parts if web.has_style(part)))
    # The line breaks say that these are contents, not names of files.
    html, js = f'<div class="{name}"></div>\n', f'"use strict";\n{web.script(*parts)}\n{start}\n'
    return st.components.v2.component(name, html=html, css=styles, js=js)


# Pages: the viewer, and the thumbnails of the pages behind a cell.
VIEWER = component("lcm-viewer", ("text", *web.VIEWER), "show_page", "stop_page")
THUMBNAILS = component("lcm-thumbnails", ("text", "thumbnails"), "show_thumbnails")
MATRIX = component("lcm-matrix", ("text", *web.MATRIX), "show_matrix", "stop_matrix")


def show_matrix(data: dict[str, Any], key: str, choose: Callable[[dict[str, Any]], None] | None = None) -> None:
    """Draw the matrix of `matrix_data`; `choose` gets what was clicked, before the page runs again."""

    def on_picked() -> None:
        picked = st.session_state[key].picked
        if choose and picked:
            choose(dict(picked))

    rows = 2 if data.get("groups") else min(len(data["row_names"]), MOST_RESERVED_ROWS)
    with st.container(key=f"rows_{rows}_{key}"):  # its height is reserved by the style
        MATRIX(key=key, data=data, on_picked_change=on_picked)
