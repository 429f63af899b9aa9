"""Tables on the screen: columns, number formats, rows that open a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from layoutcm.ui import choices
from layoutcm.ui.selection import open_page
from layoutcm.wording import MISSING, thin_spaced

if TYPE_CHECKING:
    import pandas as pd

TABLE_ROWS = 20  # visible without scrolling
STYLED_ROWS = 300
PIXEL_TITLES = {
    "pixels": "pixels", "gt_pixels": "gt pixels", "pred_pixels": "pred pixels",
    "background": "as Background", "content": "as Content",
}  # fmt: skip


def _score(label: str) -> Any:
    return st.column_config.ProgressColumn(label, min_value=0, max_value=1, format="%.3f", width=110)


def plain_number(label: str) -> Any:
    return st.column_config.NumberColumn(label, format="%.3f")


COLUMNS = {
    **{name: st.column_config.NumberColumn(title) for name, title in PIXEL_TITLES.items()},
    "share": st.column_config.NumberColumn("share of the cell", format="percent"),
    "f1": _score("F1 (macro)"),
    "micro_f1": _score("F1 (micro)"),
    "content_f1": _score("F1 of content"),
    **{name: plain_number(name.replace("_", " "))
       for name in ("precision", "recall", "score", "content_precision", "content_recall")},
    "iou": plain_number("IoU"),
}  # fmt: skip
CLASS_COLUMNS = COLUMNS | {"f1": _score("F1")}


def show_table(rows: Any, columns: dict[str, Any], key: str) -> None:
    """A table to read, as high as its rows, up to a limit."""
    height = 38 + 35 * min(len(rows), TABLE_ROWS)
    st.dataframe(**_grid(rows, columns), height=height, key=key)


def show_page_picker(table: Any, key: str, column: str = "page") -> None:
    """A table of pages or documents; choosing a row opens the page, or sets the level to the document."""

    def choose() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        if rows and column == "page":
            open_page(str(table["page"].iloc[rows[0]]))
        elif rows:
            choices.put(level="document", document=str(table["document"].iloc[rows[0]]))

    st.dataframe(**_grid(table, COLUMNS), key=key, on_select=choose, selection_mode="single-row")


def _grid(table: pd.DataFrame, columns: dict[str, Any]) -> dict[str, Any]:
    """Arguments that all tables share: n/a is a dash, pixel counts have thin spaces between thousands.

    Styling is slow, so in long tables the browser separates the thousands in its own way.
    """
    data: Any = table
    if 0 < len(table) <= STYLED_ROWS:
        formats: dict[Any, Any] = {name: thin_spaced for name in table if name in PIXEL_TITLES}
        data = table.style.format(formats, na_rep=MISSING)
    else:
        pixels = {
            name: st.column_config.NumberColumn(title, format="localized") for name, title in PIXEL_TITLES.items()
        }
        columns = columns | pixels
    return {"data": data, "column_config": columns, "hide_index": True, "placeholder": MISSING}
