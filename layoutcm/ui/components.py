"""The elements that the browser draws itself, as Streamlit components: the same scripts as in the offline report."""

from __future__ import annotations

from typing import Any

import streamlit as st

from layoutcm.drawing import web


def component(name: str, parts: tuple[str, ...], show: str, stop: str = "") -> Any:
    """A component whose script calls `show(root, data, report)`, and `stop(root)` when the element is removed."""
    ending = f"return () => {stop}(parentElement);" if stop else ""
    start = (
        "export default ({ parentElement, data, setTriggerValue }) => {"
        f" {show}(parentElement, data, setTriggerValue); {ending} }};"
    )
    styles = web.style(*(part for part in parts if web.has_style(part)))
    return st.components.v2.component(name, html="", css=styles, js=f"{web.script(*parts)}\n{start}\n")


# Pages: the viewer, and the thumbnails of the pages behind a cell.
VIEWER = component("layoutcm_viewer", ("text", *web.VIEWER), "show_page", "stop_page")
THUMBNAILS = component("layoutcm_thumbnails", ("text", "thumbnails"), "show_thumbnails")
