"""The matrix with clickable cells and labels, its download as CSV, and the 2x2 view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.label_order import groups_of_labels, order_labels
from layoutcm.drawing.web.matrix_data import MatrixLook, matrix_data
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.drawn_labels import MOST_DRAWN
from layoutcm.tables.matrix_views import COLLAPSED, VIEW_BUTTONS, VIEWS, Selection, every_label
from layoutcm.tables.tables import collapsed_table, csv_text, matrix_table
from layoutcm.ui import choices, components, family_choice, offers, session
from layoutcm.ui.parts import matrix_offers
from layoutcm.ui.router import go_to
from layoutcm.ui.selection import chosen_cell, chosen_labels, open_chosen_cell

CSV_HELP = f"Every digit, up to {MOST_DRAWN} labels. Figures for a paper: Take it away."


def show_matrix(compared: Comparison, confusion: Confusion, view: str, key: str, headers: bool = False) -> None:
    """The matrix of the chosen labels; a click on a cell makes it the chosen one.

    With `headers`, a click on the name of a row or column chooses that label.
    """
    shown = ordered_labels(compared, confusion)
    look = MatrixLook(
        session.theme(), choices.current().log, clickable=True, headers=headers, chosen=chosen_cell(compared)
    )
    groups = groups_of_labels(family_choice.chosen_tree(compared), shown)
    data = matrix_data(confusion, view, shown, look, groups)
    data["open"] = list(choices.current().open_groups)
    components.show_matrix(data, key, choose_in(confusion.labels))
    offers.offer("matrix", matrix_offers.matrix_offer(confusion, view, shown))


def ordered_labels(compared: Comparison, confusion: Confusion) -> Selection:
    shown = chosen_labels(confusion, choices.current().empty)
    return order_labels(confusion, shown, choices.current().order, family_choice.labels_by_family(compared))


def choose_in(labels: Sequence[str]) -> Callable[[dict[str, Any]], None]:
    """What a click in a matrix of these labels does: it chooses a cell or a class, or opens and closes groups."""

    def choose(picked: dict[str, Any]) -> None:
        # A callback runs before the page, so one run is enough.
        if picked["kind"] == "cell":
            choices.put(gt_label=labels[int(picked["row"])], pred_label=labels[int(picked["column"])])
        elif picked["kind"] == "group":
            choices.put(open_groups=tuple(map(str, picked["open"])))
        else:
            choices.put(class_name=labels[int(picked[picked["kind"]])], gt_label="", pred_label="")

    return choose


def show_plain_matrix(confusion: Confusion, view: str, shown: Selection, key: str, **look: Any) -> None:
    """A matrix whose cells can be read, but not chosen; `look` are fields of `MatrixLook`."""
    components.show_matrix(matrix_data(confusion, view, shown, MatrixLook(session.theme(), **look)), key)


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
    """Buttons to Errors and to the pages behind the chosen cell."""
    with st.container(horizontal=True):
        icon = ":material/arrow_forward:"
        st.button("See how good it is", type="primary", icon=icon, on_click=go_to, args=("errors",))
        chosen = chosen_cell(compared) is not None
        st.button("Pages behind the chosen cell", disabled=not chosen, on_click=open_chosen_cell)


def columns_on_screen(confusion: Confusion) -> int:
    """The number of columns of the matrix on the screen."""
    return len(chosen_labels(confusion, choices.current().empty).columns)


def show_collapsed(confusion: Confusion) -> None:
    """Background against everything else: all four views at once, because each has only four numbers."""
    small = confusion.collapse()
    columns = [column for _ in range(2) for column in st.columns(2, gap="medium")]
    for column, view in zip(columns, VIEWS):
        with column:
            st.subheader(VIEW_BUTTONS[view], anchor=False)
            show_plain_matrix(small, view, every_label(small), f"collapsed_{view}", bars=False)
    offers.offer("matrix", matrix_offers.matrix_offer(confusion, COLLAPSED, every_label(confusion)))
