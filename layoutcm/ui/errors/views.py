"""Errors: the matrix beside what was clicked in it, the largest confusions, and the table of pages or documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import streamlit as st

from layoutcm.errors import InputError
from layoutcm.layouts.model import Finding
from layoutcm.lazy import pd
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.levels import AGREEMENT, Levels, document_pixels, document_sizes, measured_by_group, worst_first
from layoutcm.tables.label_folding import fold_others
from layoutcm.tables.matrix_views import largest_title, select
from layoutcm.tables.report_tables import MACRO_TITLES
from layoutcm.tables.tables import TITLE_OF_2X2, Table, heading_of
from layoutcm.ui import screen_text
from layoutcm.ui.errors import cell, class_scores, error_matrix
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import components, data_tables, downloads, page_shell
from layoutcm.ui.shared.lit_pages import thumbnail_address
from layoutcm.ui.shared.page_shell import go_to
from layoutcm.ui.shared.sidebar import show_segments
from layoutcm.ui.state import choices, selection
from layoutcm.ui.state.chosen import Chosen
from layoutcm.ui.state.selection import DOCUMENT, PAGES, Panes, Scope
from layoutcm.wording import MISSING, as_heading, score_text, thin_spaced

PANEL_HEIGHT = 700  # px, of what was clicked; it scrolls inside, so nothing below moves
PANEL_BELOW = 400  # px, if it is below the matrix
# The sections below the matrix, by what is measured.
BELOW_MATRIX = {
    "scores": (data_tables.show_sentence, class_scores.show_classes),
    "agreement": (class_scores.show_classes,),
}
PAIR_WIDTH = page_shell.LABELS_BESIDE + 1
LARGEST = 6
ROWS = 12  # of the table at a time
LISTED = {"page": "Pages", "document": "Documents"}
SCORES = ("f1", "micro_f1", "content_f1")


def show_nothing_chosen(shown: Panes) -> bool:
    """Say so if no page is chosen."""
    empty = [one.text for one in shown.scopes if not one.compared.pages]
    if empty:
        st.info(as_typed(f"No page is chosen by: {'; '.join(empty)}. Remove a filter."))
    return bool(empty)


def show_views(shown: Panes, chosen: Chosen) -> None:
    """The switches, the matrix at the left, and what was clicked at the right."""
    own = _own_matrix(shown)
    error_matrix.show_switches(chosen, shown, own)
    width = _width(chosen, shown, own)
    left, right = page_shell.columns(3, 2, labels=width)
    stacked = width > page_shell.LABELS_BESIDE
    with left:
        error_matrix.show_matrix(chosen, shown)
        st.caption(_caption(chosen, shown, own))
    with right:
        panel = st.container(height=PANEL_BELOW if stacked else PANEL_HEIGHT, border=False, key="clicked")
    with panel:
        draw_slow_parts = _show_clicked(chosen, shown, own, 6 if stacked else 3)
    draw_slow_parts()


def _show_clicked(chosen: Chosen, shown: Panes, own: Confusion, across: int) -> Callable[[], None]:
    """What was clicked; the returned function draws what takes longer."""
    if chosen.now.grouping == error_matrix.COLLAPSED and chosen.now.counted == "pixels":
        return _show_collapsed(chosen, shown, own)
    if names := chosen.cell(own.labels):
        return cell.show_cell(chosen, shown, own, names, across)
    if name := chosen.label(own.labels):
        return cell.show_label(chosen, shown, own, name, across)
    st.caption(shown.words.hint)
    if shown.is_pair:
        cell.show_whose(chosen, shown)
    show_largest(chosen, own)
    return lambda: None


def _own_matrix(shown: Panes) -> Confusion:
    """The matrix of the chosen side, with the labels of both if they can be compared."""
    try:
        return selection.matrices(shown)[shown.chosen]
    except InputError:
        return shown.own.confusion()


def _width(chosen: Chosen, shown: Panes, confusion: Confusion) -> int:
    """How many labels the width is for; a matrix in groups fits beside the panel."""
    side_by_side = shown.is_pair and chosen.now.beside == "beside"
    if side_by_side:
        return PAIR_WIDTH
    columns = len(select(fold_others(confusion, chosen.now.labels), (), chosen.now.empty).columns)
    is_whole_grid = chosen.now.counted == "objects" or shown.is_pair
    in_groups = chosen.now.worst_rows or error_matrix.grouping(chosen, confusion) != "labels"
    return min(columns, page_shell.LABELS_BESIDE) if in_groups and not is_whole_grid else columns


def _show_collapsed(chosen: Chosen, shown: Panes, confusion: Confusion) -> Callable[[], None]:
    """The numbers of the 2x2."""
    st.subheader(TITLE_OF_2X2, anchor=False)
    cell.show_whose(chosen, shown)
    data_tables.show_collapsed(shown.own.whole, confusion, key="collapsed_table")
    return lambda: None


def _caption(chosen: Chosen, shown: Panes, own: Confusion) -> str:
    rows, columns = shown.words.named
    where = f", of {as_typed(shown.own.text)}" if shown.kind != PAGES else ""
    caption = f"Rows are {rows}, columns {columns}{where}. A dot is n/a, a blank is zero."
    if chosen.now.counted == "objects" or error_matrix.grouping(chosen, own) != error_matrix.FAMILIES:
        return caption
    return f"{caption} A group is a family, or labels without a family that are often confused; a click opens it."


def show_reminder(findings: Iterable[Finding]) -> None:
    """A button to the start page if there are warnings, which may explain the numbers."""
    count = sum(finding.severity != "info" for finding in findings)
    if count:
        title = f"{screen_text.plural_spaced(count, 'warning')} about these files: see Data"
        st.button(title, key="reminder", icon=":material/warning:", on_click=go_to, args=("data",))


def show_largest(chosen: Chosen, confusion: Confusion) -> None:
    """Show the largest confusions as buttons; if labels are chosen, only those with one of these labels."""
    of_pixels = ", in pixels" if chosen.now.counted == "objects" else ""
    st.subheader(f"{as_heading(largest_title(confusion))}{of_pixels}", anchor=False)
    names = chosen.now.labels
    found = data_tables.confusion_sentences(confusion, select(confusion), LARGEST, names)
    if names:
        st.caption(as_typed(f"With {', '.join(names)} on either side, whatever the other label is."))
    data_tables.show_confusion_buttons("largest", found)
    if not found:
        st.caption("There are none.")


def show_list(shown: Panes, chosen: Chosen) -> None:
    """Pages or documents, the worst first; a row opens its page, or chooses its document."""
    scope, kind = shown.own, chosen.now.listed
    with st.container(horizontal=True, vertical_alignment="center"):
        show_segments("listed", "Table of", LISTED, label_visibility="collapsed")
        table = _sorted(chosen, _table(scope, kind), scope.compared.levels)
        page = _show_pager(chosen, scope, len(table), kind)
    columns = _list_columns(table, kind)
    names = [one["name"] for one in columns]
    downloads.offer("list", _list_offer(chosen, kind, table, scope, names))
    part = _named(table.iloc[page * ROWS : (page + 1) * ROWS], scope.compared.levels)
    rows: list[dict[str, Any]] = part.to_dict("records")  # type: ignore[assignment]
    data = {
        "kind": kind,
        "columns": columns,
        "rows": [_row(chosen, scope, kind, row, names) for row in rows],
        "sorted": chosen.now.sorted_by.removeprefix("-") or _scores(table)[0],
        "descending": chosen.now.sorted_by.startswith("-"),
    }
    components.PAGE_LIST(key="page_list", data=data, on_picked_change=lambda: _take_picked(kind))


def _list_offer(chosen: Chosen, kind: str, table: pd.DataFrame, scope: Scope, names: list[str]) -> downloads.Offer:
    worst_first, levels = scope.whole.vocabulary.worst_first, scope.compared.levels
    title = LISTED[kind] if chosen.now.sorted_by else f"{LISTED[kind]}, {worst_first}"
    make = lambda: Table(f"{kind}s", title, _named(table, levels)[names], titles=MACRO_TITLES)
    return downloads.Offer(downloads.in_state(chosen, f"{kind}s"), LISTED[kind], table=make)


def _show_pager(chosen: Chosen, scope: Scope, count: int, kind: str) -> int:
    """How many rows there are, and buttons that turn the pages of the table; returns its page."""
    last = max((count - 1) // ROWS, 0)
    page = min(chosen.now.list_page, last)
    order = f"{scope.whole.vocabulary.worst_first}, " if not chosen.now.sorted_by else ""
    first = page * ROWS + 1 if count else 0
    text = f"{order}{first} to {min((page + 1) * ROWS, count)} of {screen_text.plural_spaced(count, kind)}"
    st.caption(as_typed(f"{text}, {scope.text}"))
    for name, to in (("Previous", page - 1), ("Next", page + 1)):
        st.button(
            name, key=f"list_{name}", disabled=not 0 <= to <= last, on_click=choices.put, kwargs={"list_page": to}
        )
    return page


def _sorted(chosen: Chosen, table: pd.DataFrame, levels: Levels) -> pd.DataFrame:
    """The table in the chosen order; by default the worst comes first."""
    name = chosen.now.sorted_by.removeprefix("-")
    named = _named(table, levels) if name in LISTED else table
    if name not in named:
        return table
    ascending = not chosen.now.sorted_by.startswith("-")
    return table.loc[named.sort_values(name, ascending=ascending, kind="stable").index].reset_index(drop=True)


def _named(table: pd.DataFrame, levels: Levels) -> pd.DataFrame:
    """The table with the names of pages and documents instead of their numbers."""
    numbers, scores = table["number"].to_numpy(), table[[*_scores(table), "pixels"]]
    if "worst" not in table:
        return pd.DataFrame(levels.names_at(numbers)).set_index(table.index).join(scores)
    named = table[["pages"]].join(scores)
    named.insert(0, "document", [levels.documents[i] for i in numbers.tolist()])
    named["worst_page"] = list(levels.names_of(table["worst"].to_numpy()))
    return named


def _list_columns(table: pd.DataFrame, kind: str) -> list[dict[str, Any]]:
    """The columns that are shown and taken away: scores that no row has are left out, except the first."""
    first, *others = _scores(table)
    scores = [first, *(name for name in others if not table[name].isna().all())]
    names = [kind, "document" if kind == "page" else "pages", *scores, "pixels"]
    title = lambda name: MACRO_TITLES.get(name) or heading_of(name)
    return [{"name": name, "title": title(name), "number": name not in LISTED} for name in names]


def _scores(table: pd.DataFrame) -> list[str]:
    return [name for name in (AGREEMENT, *SCORES) if name in table]


def _row(chosen: Chosen, scope: Scope, kind: str, row: dict[str, Any], names: list[str]) -> dict[str, Any]:
    page = row["page"] if kind == "page" else row["worst_page"]
    return {
        "name": row[kind],
        "url": thumbnail_address(chosen.page_images, scope, page, ()),
        "cells": [_text(name, row[name]) for name in names],
    }


def _text(name: str, value: Any) -> str:
    if name in (AGREEMENT, *SCORES):
        return MISSING if value != value else score_text(value)
    return thin_spaced(value) if name in ("pages", "pixels") else str(value)


def _take_picked(kind: str) -> None:
    picked = st.session_state["page_list"].get("picked") or {}
    if "sort" in picked:
        name = str(picked["sort"])
        choices.put(sorted_by=f"-{name}" if choices.current().sorted_by == name else name, list_page=0)
    elif "open" in picked and kind == "page":
        page_shell.open_page(str(picked["open"]), "difference")
    elif "open" in picked:
        choices.put(level=DOCUMENT, document=str(picked["open"]), listed="page", list_page=0)


@kept("Scoring pages …")
def _table(scope: Scope, kind: str) -> pd.DataFrame:
    """The columns that are shown, and the number of each page or document, because names take more memory.

    The worst comes first; a document has its worst page.
    """
    levels = scope.compared.levels
    pages = _worst_first(scope, by_document=False)
    if kind == "page":
        return pages
    document, first = np.unique(levels.document_of_page[pages["number"]], return_index=True)
    worst = np.empty(len(levels.documents), np.int64)
    worst[document] = pages["number"].to_numpy()[first]
    table = _worst_first(scope, by_document=True)
    number = table["number"].to_numpy()
    return table.assign(pages=document_sizes(levels)[number], worst=worst[number])


def _worst_first(scope: Scope, by_document: bool) -> pd.DataFrame:
    levels = scope.compared.levels
    pixels = document_pixels(levels) if by_document else levels.page_pixels
    measured = scope.whole.vocabulary.measured
    values = measured_by_group(levels, scope.method, measured, by_document)
    chosen = {name: values[name] for name in ((AGREEMENT,) if measured == AGREEMENT else SCORES)}
    return worst_first({"number": np.arange(len(pixels)), **chosen, "pixels": pixels})
