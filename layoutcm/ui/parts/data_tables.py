"""Tables on the screen: columns, number formats, rows that open a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from layoutcm.ui import choices
from layoutcm.ui.router import go_to
from layoutcm.ui.selection import open_page
from layoutcm.wording import MISSING, percent, score_text, thin_spaced

if TYPE_CHECKING:
    import pandas as pd

TABLE_ROWS, CHOOSER_ROWS = 20, 14  # visible without scrolling; beside a table to choose from, something is shown
STYLED_ROWS = 300
SCORE_FORMAT, SHARE_FORMAT = "%.3f", "percent"  # in a short table the text is that of `layoutcm.wording`
PIXEL_TITLES = {
    "pixels": "pixels", "gt_pixels": "pixels in the ground truth", "pred_pixels": "pixels in the prediction",
    "background": "as Background", "content": "as Content",
    "a_pixels": "A pixels", "b_pixels": "B pixels", "both_pixels": "pixels of both",
}  # fmt: skip


def _score(label: str) -> Any:
    return st.column_config.ProgressColumn(label, min_value=0, max_value=1, format=SCORE_FORMAT, width=110)


def plain_number(label: str) -> Any:
    return st.column_config.NumberColumn(label, format=SCORE_FORMAT)


def share_number(label: str, **options: Any) -> Any:
    return st.column_config.NumberColumn(label, format=SHARE_FORMAT, **options)


COLUMNS = {
    **{name: st.column_config.NumberColumn(title) for name, title in PIXEL_TITLES.items()},
    "share": share_number("share of the cell"),
    "f1": _score("macro F1"),
    "micro_f1": _score("micro F1"),
    "content_f1": _score("content F1"),
    **{name: plain_number(name.replace("_", " "))
       for name in ("precision", "recall", "score", "content_precision", "content_recall")},
    "iou": plain_number("IoU"),
}  # fmt: skip
CLASS_COLUMNS = COLUMNS | {"f1": _score("F1")}


def show_table(rows: Any, columns: dict[str, Any], key: str) -> None:
    """A table to read, as high as its rows, up to a limit."""
    height = 38 + 35 * min(len(rows), TABLE_ROWS)
    st.dataframe(**_grid(rows, columns), height=height, key=key)


def show_page_picker(table: Any, key: str, column: str = "page", columns: dict[str, Any] | None = None) -> None:
    """A table of pages or documents; choosing a row opens the page, or the document on Errors."""

    def choose() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        if rows and column == "page":
            open_page(str(table["page"].iloc[rows[0]]))
        elif rows:
            choices.put(level="document", document=str(table["document"].iloc[rows[0]]))
            go_to("errors")

    named = COLUMNS | (columns or {})
    st.dataframe(**_grid(table, named), key=key, on_select=choose, selection_mode="single-row")


def show_row_chooser(table: pd.DataFrame, columns: dict[str, Any], key: str, choose: Callable[[], None]) -> None:
    """A table in which one row is chosen, by a click anywhere in it; `choose` reads the selection of this key."""
    height = 38 + 35 * min(len(table), CHOOSER_ROWS)
    st.dataframe(
        **_grid(table, columns), height=height, key=key, on_select=choose,
        selection_mode=("single-row-required", "single-cell"),
    )  # fmt: skip


def _grid(table: pd.DataFrame, columns: dict[str, Any]) -> dict[str, Any]:
    """Arguments that all tables share: n/a is a dash, pixel counts have thin spaces between thousands.

    Styling is slow, so in long tables the browser separates the thousands and rounds scores in its own way.
    """
    given = {name: columns[name] for name in map(str, table) if isinstance(columns.get(name), dict)}
    kinds = {name: column["type_config"].get("format") for name, column in given.items()}
    scores = [name for name, kind in kinds.items() if kind == SCORE_FORMAT]
    data: Any = table
    if 0 < len(table) <= STYLED_ROWS:
        # The number beside a bar is rounded by the browser; where this would be wrong, there is text instead of bars.
        moved = _off_the_ends(table, scores)
        bars = [name for name in scores if _is_bar(given[name]) and moved[name].equals(table[name])]
        texts: dict[str, Any] = {name: score_text for name in scores if name not in bars}
        texts |= {name: percent for name, kind in kinds.items() if kind == SHARE_FORMAT}
        columns = columns | {name: _text_column(columns[name]) for name in texts}
        formats: dict[Any, Any] = texts | {name: thin_spaced for name in table if name in PIXEL_TITLES}
        data = table.style.format(formats, na_rep=MISSING)
    else:
        pixels = {
            name: st.column_config.NumberColumn(title, format="localized") for name, title in PIXEL_TITLES.items()
        }
        columns = columns | pixels
        shares = [name for name, kind in kinds.items() if kind == SHARE_FORMAT]
        data = _off_the_ends(_off_the_ends(table, scores), shares, digits=4)
    return {"data": data, "column_config": columns, "hide_index": True, "placeholder": MISSING}


def _is_bar(column: dict[str, Any]) -> bool:
    return bool(column["type_config"]["type"] == "progress")


def _text_column(column: dict[str, Any]) -> Any:
    """The column as numbers without a format of their own, which would win over the text of the cells."""
    return st.column_config.NumberColumn(column["label"], width=column["width"], help=column["help"])


def _off_the_ends(table: pd.DataFrame, names: list[str], digits: int = 3) -> pd.DataFrame:
    """The table with scores that the browser would round to 0.000 or 1.000, without being so, at 0.001 and 0.999."""
    step, moved = 10.0**-digits, {}
    for name in names:
        values = table[name].to_numpy(float)
        low, high = (values > 0) & (values < step / 2), (values < 1) & (values >= 1 - step / 2)
        moved[name] = np.where(low, step, np.where(high, 1 - step, values))
    return table.assign(**moved)
