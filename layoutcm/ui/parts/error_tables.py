"""The largest confusions of Errors, and its table of pages or documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.layouts.model import Floats
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.levels import Levels, worst_first
from layoutcm.tables.matrix_views import select
from layoutcm.tables.tables import Table
from layoutcm.ui import choices, components, offers, screen_text, selection
from layoutcm.ui.parts import sentences
from layoutcm.ui.parts.thumbnails import thumbnail_address
from layoutcm.ui.scope import DOCUMENT, Scope
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.visitors import kept
from layoutcm.wording import MISSING, score_text, thin_spaced

if TYPE_CHECKING:
    import pandas as pd

LARGEST = 6
ROWS = 12  # of the table at a time
LISTED = {"page": "Pages", "document": "Documents"}
SCORES = {"f1": "macro F1", "micro_f1": "micro F1", "content_f1": "content F1"}
SHARED_SCORES = {"f1": "both of A and B (F1)", "micro_f1": "of all pixels (F1)", "content_f1": "of content (F1)"}


def show_largest(scope: Scope, confusion: Confusion) -> None:
    """The largest confusions as buttons; with chosen labels, those that have one of them on either side."""
    if not scope.whole.has_truth:
        title = "Largest differences"
    else:
        title = "Largest confusions" if confusion.diagonal else "Largest cells"
    of_pixels = ", in pixels" if choices.current().counted == "objects" else ""
    st.subheader(f"{title}{of_pixels}", anchor=False)
    names = choices.current().labels
    found = sentences.confusion_sentences(confusion, select(confusion), LARGEST, names)
    if names:
        st.caption(as_typed(f"With {', '.join(names)} on either side, whatever the other label is."))
    with sentences.button_list("largest"):
        for text, gt_label, pred_label in found:
            key = f"confusion_{gt_label}_{pred_label}"
            st.button(text, key=key, type="tertiary", on_click=selection.open_cell, args=(gt_label, pred_label))
    if not found:
        st.caption("There are none.")


def show_list(scope: Scope) -> None:
    """Pages or documents, the worst first; a row opens its page, or chooses its document."""
    kind = choices.current().listed
    with st.container(horizontal=True, vertical_alignment="center"):
        st.segmented_control(
            "Table of", list(LISTED), required=True, format_func=LISTED.__getitem__, label_visibility="collapsed",
            **choices.bind("listed"),
        )  # fmt: skip
        table = _sorted(_table(scope.key, choices.current().method, kind, scope.compared), scope.compared.levels)
        page = _show_pager(scope, len(table), kind)
    offers.offer("list", _list_offer(kind, table, scope))
    shown = _named(table.iloc[page * ROWS : (page + 1) * ROWS], scope.compared.levels)
    rows: list[dict[str, Any]] = shown.to_dict("records")  # type: ignore[assignment]
    columns = _columns(scope, table, kind)
    names = [one["name"] for one in columns]
    data = {
        "kind": kind,
        "columns": columns,
        "rows": [_row(scope, kind, row, names) for row in rows],
        "sorted": choices.current().sorted_by.removeprefix("-") or "f1",
        "descending": choices.current().sorted_by.startswith("-"),
    }
    components.PAGE_LIST(key="page_list", data=data, on_picked_change=lambda: _take_picked(kind))


def _list_offer(kind: str, table: pd.DataFrame, scope: Scope) -> offers.Offer:
    has_truth, levels = scope.whole.has_truth, scope.compared.levels
    order = "worst first" if has_truth else "least agreement first"
    title = LISTED[kind] if choices.current().sorted_by else f"{LISTED[kind]}, {order}"
    names = {} if has_truth else SHARED_SCORES
    make = lambda: Table(f"{kind}s", title, _named(table, levels).rename(columns=names))
    return offers.Offer(offers.in_state(f"{kind}s"), LISTED[kind], table=make)


def _show_pager(scope: Scope, count: int, kind: str) -> int:
    """How many rows there are, and buttons that turn the pages of the table; returns its page."""
    last = max((count - 1) // ROWS, 0)
    page = min(choices.current().list_page, last)
    worst = "worst first" if scope.whole.has_truth else "least agreement first"
    order = f"{worst}, " if not choices.current().sorted_by else ""
    first = page * ROWS + 1 if count else 0
    text = f"{order}{first} to {min((page + 1) * ROWS, count)} of {screen_text.plural_spaced(count, kind)}"
    st.caption(as_typed(f"{text}, {scope.text}"))
    for name, to in (("Previous", page - 1), ("Next", page + 1)):
        st.button(
            name, key=f"list_{name}", disabled=not 0 <= to <= last, on_click=choices.put, kwargs={"list_page": to}
        )
    return page


def _sorted(table: pd.DataFrame, levels: Levels) -> pd.DataFrame:
    """In the chosen order; the table itself has the worst first."""
    name = choices.current().sorted_by.removeprefix("-")
    named = _named(table, levels) if name in LISTED else table
    if name not in named:
        return table
    ascending = not choices.current().sorted_by.startswith("-")
    return table.loc[named.sort_values(name, ascending=ascending, kind="stable").index].reset_index(drop=True)


def _named(table: pd.DataFrame, levels: Levels) -> pd.DataFrame:
    """The table with the names of pages and documents instead of their numbers."""
    import pandas as pd

    numbers, scores = table["number"].to_numpy(), table[[*SCORES, "pixels"]]
    if "worst" not in table:
        return pd.DataFrame(levels.names_at(numbers)).set_index(table.index).join(scores)
    named = table[["pages"]].join(scores)
    named.insert(0, "document", [levels.documents[i] for i in numbers.tolist()])
    named["worst_page"] = list(levels.names_of(table["worst"].to_numpy()))
    return named


def _columns(scope: Scope, table: pd.DataFrame, kind: str) -> list[dict[str, Any]]:
    titles = SCORES if scope.whole.has_truth else SHARED_SCORES
    names = {kind: kind, **({"document": "document"} if kind == "page" else {"pages": "pages"}), **titles}
    names["pixels"] = "pixels"
    in_use = {*LISTED, "f1", *(name for name in table if not table[name].isna().all())}
    kept_names = [name for name in names if name in in_use]
    return [{"name": name, "title": names[name], "number": name not in LISTED} for name in kept_names]


def _row(scope: Scope, kind: str, row: dict[str, Any], names: list[str]) -> dict[str, Any]:
    page = row["page"] if kind == "page" else row["worst_page"]
    picture = selection.current_page_images().find(scope.compared, scope.compared.levels.page_index(page))
    return {
        "name": row[kind],
        "url": thumbnail_address(scope.key, scope.compared, page, (), choices.current().method, picture),
        "cells": [_text(name, row[name]) for name in names],
    }


def _text(name: str, value: Any) -> str:
    if name in SCORES:
        return MISSING if value != value else score_text(value)
    return thin_spaced(value) if name in ("pages", "pixels") else str(value)


def _take_picked(kind: str) -> None:
    picked = st.session_state["page_list"].get("picked") or {}
    if "sort" in picked:
        name = str(picked["sort"])
        choices.put(sorted_by=f"-{name}" if choices.current().sorted_by == name else name, list_page=0)
    elif "open" in picked and kind == "page":
        selection.open_page(str(picked["open"]), "difference")
    elif "open" in picked:
        choices.put(level=DOCUMENT, document=str(picked["open"]), listed="page", list_page=0)


@kept("Scoring pages …")
def _table(key: str, method: str, kind: str, _compared: Comparison) -> pd.DataFrame:
    """The columns that are shown, and the number of each page or document, because names take more memory.

    The worst comes first; a document has its worst page.
    """
    levels = _compared.levels
    pages = _worst_first(levels.page_scores(method), levels.page_pixels)
    if kind == "page":
        return pages
    document, first = np.unique(levels.document_of_page[pages["number"]], return_index=True)
    worst = np.empty(len(levels.documents), np.int64)
    worst[document] = pages["number"].to_numpy()[first]
    table = _worst_first(levels.document_scores(method), levels.document_pixels)
    number = table["number"].to_numpy()
    return table.assign(pages=levels.document_sizes[number], worst=worst[number])


def _worst_first(scores: Mapping[str, Floats], pixels: Floats) -> pd.DataFrame:
    chosen = {name: scores[name] for name in SCORES}
    return worst_first({"number": np.arange(len(pixels)), **chosen, "pixels": pixels})
