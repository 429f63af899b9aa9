"""Buttons that download a table as CSV and a figure as PNG, SVG or PDF; both are made on the click."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from layoutcm.tables.tables import Table, csv_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TYPES = {"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf"}


def show_downloads(table: Callable[[], Table], name: str, draw: Callable[[], Figure] | None = None) -> None:
    """A row of small buttons; `table` and `draw` run outside the visitor's session, so that they must not need it."""
    look: dict[str, Any] = {"on_click": "ignore", "type": "tertiary", "icon": ":material/download:"}
    with st.container(horizontal=True, gap="small", key=f"take_{name}"):
        st.download_button("CSV", lambda: csv_text(table()), f"{name}.csv", "text/csv", key=f"csv_{name}", **look)
        if draw is None:
            return
        for format, kind in TYPES.items():
            data = partial(_figure_file, draw, format)
            st.download_button(format.upper(), data, f"{name}.{format}", kind, key=f"{format}_{name}", **look)


def _figure_file(draw: Callable[[], Figure], format: str) -> bytes:
    from layoutcm.drawing.paper.printing import figure_bytes

    return figure_bytes(draw(), format)
