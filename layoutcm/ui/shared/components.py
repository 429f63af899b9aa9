"""The elements that the browser draws itself, as Streamlit components: the same scripts as in the offline report.

Each is one ES module. What the reader chooses comes back as triggers, such as `picked`.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from layoutcm.drawing import web


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
