"""The place Errors: the matrix beside what was clicked in it, on the chosen pages."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from layoutcm.errors import InputError
from layoutcm.metrics.confusion import Confusion
from layoutcm.ui import choices, page_shell, sides
from layoutcm.ui.parts import (
    cell,
    error_matrix,
    error_switches,
    error_tables,
    label_panel,
    matrix_panel,
    sentences,
)
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.sides import Sides

PANEL_HEIGHT = 700  # px, of what was clicked; it scrolls inside, so that nothing below moves
PANEL_BELOW = 400  # px, if it is below the matrix
PAIR_WIDTH = page_shell.LABELS_BESIDE + 1


def show_nothing_chosen(shown: Sides) -> bool:
    """Say so if no page is chosen."""
    empty = [one.text for one in shown.scopes if not one.compared.pages]
    if empty:
        st.info(as_typed(f"No page is chosen by: {'; '.join(empty)}. Remove a filter."))
    return bool(empty)


def show_views(shown: Sides) -> None:
    """The switches, the matrix at the left, and what was clicked at the right."""
    if shown.is_outdated:
        st.rerun()
    own = _own_matrix(shown)
    error_switches.show_switches(shown, own)
    side_by_side = shown.is_pair and choices.current().beside == "beside"
    is_whole_grid = choices.current().counted == "objects" or (shown.is_pair and not side_by_side)  # without groups
    width = PAIR_WIDTH if side_by_side else matrix_panel.columns_on_screen(own) if is_whole_grid else _columns(own)
    left, right = page_shell.columns(3, 2, labels=width)
    stacked = width > page_shell.LABELS_BESIDE
    with left:
        error_matrix.show_matrix(shown)
        st.caption(f"{_caption(shown)}{_of_groups(own)}")
    with right:
        panel = st.container(height=PANEL_BELOW if stacked else PANEL_HEIGHT, border=False, key="clicked")
    with panel:
        draw_slow_parts = _show_clicked(shown, own, 6 if stacked else 3)
    draw_slow_parts()


def _show_clicked(shown: Sides, own: Confusion, across: int) -> Callable[[], None]:
    """What was clicked; the returned function draws what takes longer."""
    if choices.current().grouping == error_matrix.COLLAPSED and choices.current().counted == "pixels":
        return _show_collapsed(shown, own)
    if cell.chosen_names(own):
        return cell.show_cell(shown, own, across)
    if choices.current().class_name in own.labels:
        return label_panel.show_label(shown, own, across)
    st.caption(cell.HINT if shown.own.whole.has_truth else cell.HINT_WITHOUT_TRUTH)
    if shown.is_pair:
        cell.show_whose(shown)
    error_tables.show_largest(shown.own, own)
    return lambda: None


def show_list(shown: Sides) -> None:
    """The table of pages or documents; choosing a document changes the whole page."""
    if shown.is_outdated:
        st.rerun()
    error_tables.show_list(shown.own)


def _own_matrix(shown: Sides) -> Confusion:
    """The matrix of the chosen side, with the labels of both if they can be compared."""
    try:
        return sides.matrices(shown)[shown.chosen]
    except InputError:
        return shown.own.confusion()


def _columns(confusion: Confusion) -> int:
    if choices.current().worst_rows or error_matrix.grouping(confusion) != "labels":
        return min(matrix_panel.columns_on_screen(confusion), page_shell.LABELS_BESIDE)
    return matrix_panel.columns_on_screen(confusion)


def _show_collapsed(shown: Sides, confusion: Confusion) -> Callable[[], None]:
    """The numbers of the 2x2."""
    st.subheader("Content against Background", anchor=False)
    cell.show_whose(shown)
    sentences.show_collapsed(shown.own.whole, confusion, key="collapsed_table")
    return lambda: None


def _of_groups(own: Confusion) -> str:
    """What the groups of many labels are."""
    if choices.current().counted == "objects" or error_matrix.grouping(own) != error_matrix.FAMILIES:
        return ""
    return " A group is a family, or labels without a family that are often confused; a click opens it."


def _caption(shown: Sides) -> str:
    rows, columns = ("the ground truth", "the prediction") if shown.own.whole.has_truth else ("A", "B")
    where = f", of {as_typed(shown.own.text)}" if shown.kind != sides.PAGES else ""
    return f"Rows are {rows}, columns {columns}{where}. A dot is n/a, a blank is zero."
