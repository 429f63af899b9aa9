"""The matrix with clickable cells, its download as CSV, and the 2x2 view."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.label_order import order_labels
from layoutcm.drawing.screen.charts import collapsed_figure
from layoutcm.drawing.screen.matrix import CONFIG, matrix_figure
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.drawn_labels import JOINED, MOST_DRAWN
from layoutcm.tables.matrix_views import COLLAPSED, VIEW_BUTTONS, VIEWS
from layoutcm.tables.tables import collapsed_table, csv_text, matrix_table
from layoutcm.ui import choices, family_choice, session
from layoutcm.ui.router import go_to
from layoutcm.ui.selection import chosen_cell, chosen_labels, open_chosen_cell

CSV_HELP = f"Every digit, up to {MOST_DRAWN} labels. Figures for a paper are on the page Report."


def show_matrix(compared: Comparison, confusion: Confusion, view: str, key: str) -> None:
    """The matrix of the chosen labels; a click on a cell makes it the chosen one."""
    shown = chosen_labels(confusion, choices.current().empty)
    shown = order_labels(confusion, shown, choices.current().order, family_choice.labels_by_family(compared))
    figure = matrix_figure(
        confusion, view, selection=shown, theme=session.theme(), log=choices.current().log,
        selected=chosen_cell(compared), clickable=True,
    )  # fmt: skip

    def choose() -> None:
        # A callback runs before the page, so one run is enough. No cell: the chosen one was clicked again; keep it.
        cell = clicked_cell(st.session_state.get(key))
        if cell:
            choices.put(gt_label=confusion.labels[cell[0]], pred_label=confusion.labels[cell[1]])

    st.plotly_chart(figure, key=key, on_select=choose, selection_mode="points", config=CONFIG, theme=None)


def download_matrix(confusion: Confusion, view: str) -> None:
    """A button that downloads the numbers of the view; the file is made on the click."""

    def make_csv() -> str:
        return csv_text(collapsed_table(confusion) if view == COLLAPSED else matrix_table(confusion, view))

    level = choices.current().level
    part = f"-{PurePath(choices.value_of(level)).stem}" if level != "set" and choices.value_of(level) else ""
    st.download_button(
        "CSV", make_csv, f"{view}{part}.csv", "text/csv", key="take_matrix", on_click="ignore",
        icon=":material/download:", help=CSV_HELP,
    )  # fmt: skip


def show_next_steps(compared: Comparison) -> None:
    """Buttons to the Overview and to the pages behind the chosen cell."""
    with st.container(horizontal=True):
        icon = ":material/arrow_forward:"
        st.button("See how good it is", type="primary", icon=icon, on_click=go_to, args=("overview",))
        chosen = chosen_cell(compared) is not None
        st.button("Pages behind the chosen cell", disabled=not chosen, on_click=open_chosen_cell)


def columns_on_screen(confusion: Confusion) -> int:
    """The number of columns of the matrix on the screen."""
    return len(chosen_labels(confusion, choices.current().empty).columns)


def clicked_cell(event: Any) -> tuple[int, int] | None:
    """Row and column of the clicked cell; Streamlit gives customdata as a list or as a dict."""
    points = (event or {}).get("selection", {}).get("points", [])
    data = points[0].get("customdata") if points else None
    if isinstance(data, dict):
        data = [data[key] for key in sorted(data, key=int)]
    # Joined labels have no cell of their own.
    return (int(data[0]), int(data[1])) if data and min(data[0], data[1]) != JOINED else None


def show_collapsed(confusion: Confusion) -> None:
    """Background against everything else: all four views at once, because each has only four numbers."""
    columns = [column for _ in range(2) for column in st.columns(2, gap="medium")]
    for column, view in zip(columns, VIEWS):
        column.subheader(VIEW_BUTTONS[view], anchor=False)
        column.plotly_chart(
            collapsed_figure(confusion, view, session.theme()), key=f"collapsed_{view}", config=CONFIG, theme=None
        )
