"""The matrix of objects at one IoU, and the pages behind its chosen cell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.margin_matrices import object_as_confusion
from layoutcm.drawing.web.matrix_data import MatrixLook, matrix_data
from layoutcm.layouts.model import GT, PRED
from layoutcm.metrics.objects.object_confusion import ObjectConfusion
from layoutcm.tables.matrix_views import VIEWS, cell_verb, heading_of_view
from layoutcm.tables.tables import Table
from layoutcm.ui import choices, components, offers, selection, session
from layoutcm.ui.parts import data_tables, matrix_offers, objects
from layoutcm.ui.screen_text import as_typed, plural_spaced
from layoutcm.ui.side_words import TRUTH, SideWords, words_for

UNIT = "objects"


def show_object_matrix(compared: Comparison, confusion: ObjectConfusion) -> None:
    """The object matrix. Its chosen cell is that of all matrices; missed and invented correspond to Background."""
    words = words_for(compared)
    what = "What is found as what" if compared.has_truth else "What of A is what in B"
    st.subheader(f"{what}, at IoU {objects.chosen_iou():.2f}", anchor=False)
    st.segmented_control(
        "View", list(VIEWS), required=True, format_func=_view_names(words).__getitem__, **choices.bind("object_view")
    )
    cell, view, labels = chosen_object_cell(compared), choices.current().object_view, compared.labels
    matrix, shown = object_as_confusion(confusion, choices.current().labels)
    named = [*matrix.labels[:-2], words.invented, words.missed]
    matrix = replace(matrix, labels=named, side_names=compared.side_names, recipe=objects.objects_recipe(compared))
    last = len(confusion.labels)  # the position of `invented` among the rows; `missed` follows it

    def choose(picked: dict[str, Any]) -> None:
        if picked["kind"] == "cell":
            # Missed and invented objects are those that meet Background.
            names = [labels[(min(int(picked[side]), last) + 1) % len(labels)] for side in ("row", "column")]
            choices.put(gt_label=names[GT], pred_label=names[PRED])

    chosen = None if cell is None else (cell[GT], last + 1 if cell[PRED] == last else cell[PRED])
    look = MatrixLook(session.theme(), unit=UNIT, clickable=True, chosen=chosen, margins=(last, last + 1))
    components.show_matrix(matrix_data(matrix, view, shown, look), f"objects_{view}", choose)
    st.caption(
        f"Objects are matched whatever their labels, each at most once. *{words.missed}*: objects of {words.gt} "
        f"without a match; *{words.invented}*: objects of {words.pred} without a match."
    )
    offers.offer("matrix", matrix_offers.matrix_offer(matrix, view, shown, "Object matrix", unit=UNIT))


def _view_names(words: SideWords) -> dict[str, str]:
    names = {view: heading_of_view(view) for view in VIEWS} | {"pixels": "Objects"}
    shares = {view: words.scores[view] for view in ("recall", "precision", "f1")}
    return names | {view: name[0].upper() + name[1:] for view, name in shares.items()}


def chosen_object_cell(compared: Comparison) -> tuple[int, int] | None:
    """Row and column of the chosen cell in the object matrix, where missed and invented come last."""
    cell = selection.chosen_cell(compared)
    if cell is None or cell == (0, 0):
        return None
    last = len(compared.labels) - 1
    gt, pred = (position - 1 if position else last for position in cell)
    return gt, pred


def show_pages_behind(compared: Comparison, confusion: ObjectConfusion) -> None:
    """The pages behind the chosen cell."""
    cell = chosen_object_cell(compared)
    offers.offer("cell")
    if cell is None:
        st.info("Click a cell of the matrix to see the pages behind it.")
        return
    import pandas as pd

    pages, counts = confusion.pages_behind(*cell)
    here = f"{plural_spaced(int(counts.sum()), 'object')} on {plural_spaced(len(pages), 'page')}"
    name = cell_name(confusion, cell, words_for(compared))
    st.markdown(f"**{as_typed(name)}**: {here}")
    if not len(pages):
        return
    documents = compared.alignment.pages.documents
    columns = {
        "page": [compared.pages[page] for page in pages],
        "document": [documents[page] for page in pages],
        "objects": counts,
    }
    table = Table("objects_behind", f"Pages with {name}", pd.DataFrame(columns))
    data_tables.show_page_picker(table.data, key="objects_behind")
    offers.offer("cell", offers.Offer(offers.in_state("pages", name), table.title, table=lambda: table))


def cell_name(confusion: ObjectConfusion, cell: tuple[int, int], words: SideWords = TRUTH) -> str:
    gt, pred = (confusion.labels[position] if position < len(confusion.labels) else "" for position in cell)
    if not gt or not pred:
        return f"{gt} {words.missed}" if gt else f"{pred} {words.invented}"
    has_truth = words is TRUTH
    return f"{gt} {cell_verb(confusion.space.shared, gt == pred) if has_truth else 'is'} {pred}"
