"""Pages and documents on which the predictions differ most; a click opens them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from layoutcm.models.leaderboard import Leaderboard
from layoutcm.tables.leaderboard_tables import DOCUMENTS, PAGES, board_tables, short_title
from layoutcm.ui import choices, offers
from layoutcm.ui.offers import Offer
from layoutcm.ui.parts import data_tables, models
from layoutcm.ui.parts.models import Predictions
from layoutcm.ui.visitors import kept

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 200  # on the screen; the file has all
HEIGHT = 560
TITLES = {"page": "Pages", "document": "Documents"}


def show_most_different(predictions: Predictions, board: Leaderboard) -> None:
    st.segmented_control(
        "Level", list(TITLES), required=True, format_func=TITLES.__getitem__, label_visibility="collapsed",
        **choices.bind("differ"),
    )  # fmt: skip
    level = choices.current().differ
    table = _most_different(predictions.content, choices.current().method, level, board)
    shown = table.head(MOST_ROWS)
    columns = {"spread": data_tables.plain_number("largest difference")}
    columns |= {f"f1: {name}": data_tables.plain_number(name) for name in board.models}
    data_tables.show_page_picker(shown, f"differ_{level}", level, columns)
    more = f" The first {len(shown)} of {len(table):,}; the file has all." if len(table) > len(shown) else ""
    st.caption(f"By {short_title(board.figure)}, the largest difference first. Choose a row to open it.{more}")
    name = PAGES if level == "page" else DOCUMENTS
    title = f"{TITLES[level]} on which the predictions differ most"
    offers.offer("differ", Offer(name, title, table=lambda: board_tables(board)[name]))


@kept("Scoring pages …")
def _most_different(content: models.Content, method: str, level: str, _board: Leaderboard) -> pd.DataFrame:
    return _board.pages() if level == "page" else _board.documents()
