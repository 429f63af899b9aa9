"""The panel of a label that was chosen in the matrix: its numbers, its causes, what it is taken for, its pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.metrics.agreement import label_agreement
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.levels import pages_by_pixels, pages_wrong_in
from layoutcm.tables.matrix_views import select
from layoutcm.ui import choices, screen_text
from layoutcm.ui.parts import cell, lit_pages, sentences
from layoutcm.ui.parts.lit_pages import LitPages
from layoutcm.ui.scope import Scope
from layoutcm.ui.screen_text import SIDE_NAMES, as_typed
from layoutcm.ui.sides import Sides
from layoutcm.ui.visitors import kept
from layoutcm.wording import score_text, thin_spaced

if TYPE_CHECKING:
    import pandas as pd

MOST_CELLS = 4


def show_label(shown: Sides, confusion: Confusion, across: int) -> Callable[[], None]:
    """The chosen label; the returned function draws its causes, which take longer."""
    name, has_truth = choices.current().class_name, shown.own.whole.has_truth
    st.subheader(as_typed(name), anchor=False)
    cell.show_whose(shown)
    _show_numbers(shown, confusion, name)
    if choices.current().counted == "objects" and has_truth and confusion.diagonal:
        st.markdown(cell.object_scores(shown.own, name))
    pages = LitPages(shown.own, pages_of_label(shown.own, name), (name,))
    count = screen_text.plural_spaced(len(shown.own.compared.pages), "page")
    wrong = "wrong" if has_truth else "different"
    st.markdown(
        f"{thin_spaced(round(pages.total))} px {wrong if confusion.diagonal else 'in all'} on "
        f"{thin_spaced(len(pages.table))} of {count}"
    )
    causes = st.container()
    _show_cells(confusion, name)
    if len(pages.table):
        lit_pages.show_thumbnails(pages, across)

    def draw_slow_parts() -> None:
        if has_truth and confusion.diagonal and confusion.method == "matrix" and len(pages.table):
            with causes:
                lit_pages.show_causes(pages)

    return draw_slow_parts


def _show_numbers(shown: Sides, confusion: Confusion, name: str) -> None:
    has_truth, compared = shown.own.whole.has_truth, shown.own.compared
    values = {
        column: float(of_labels[confusion.labels.index(name)]) for column, of_labels in confusion.class_values().items()
    }
    parts = []
    if confusion.diagonal and has_truth:
        scores = {"Precision": "precision", "Recall": "recall", "F1": "f1"}
        parts = [", ".join(f"{title} {score_text(values[score], 3)}" for title, score in scores.items())]
    elif confusion.diagonal:
        both = label_agreement(compared.counts(), compared.space).set_index("label")["agreement"].get(name)
        parts = [] if both is None else [f"{score_text(float(both))} of the pixels of either in both"]
    gt, pred = (thin_spaced(round(values[side])) for side in ("gt_pixels", "pred_pixels"))
    names = [f"the {side}" for side in SIDE_NAMES] if has_truth else ["A", "B"]
    st.markdown("  \n".join([*parts, f"{gt} px in {names[0]}, {pred} px in {names[1]}"]))


def _show_cells(confusion: Confusion, name: str) -> None:
    """What the label is taken for, and what is taken for it; a click shows the cell."""
    largest = sentences.confusion_sentences(confusion, select(confusion), most=MOST_CELLS, touching=(name,))
    if largest:
        st.caption("What it is taken for, and what is taken for it:")
    with sentences.button_list("taken_for"):
        for text, gt_label, pred_label in largest:
            st.button(text, key=f"label_{gt_label}_{pred_label}", type="tertiary", on_click=choices.put,
                      kwargs={"gt_label": gt_label, "pred_label": pred_label})  # fmt: skip


def pages_of_label(scope: Scope, name: str) -> pd.DataFrame:
    """The pages with wrong pixels of a label, the worst first."""
    return _kept_pages(scope.key, name, choices.current().method, scope.compared)


@kept("Looking for pages …")
def _kept_pages(key: str, name: str, method: str, _compared: Comparison) -> pd.DataFrame:
    if name not in _compared.labels:  # only the other side has it
        return pages_by_pixels(_compared.levels, 0 * _compared.levels.page_pixels)
    return pages_wrong_in(_compared.levels, _compared.alignment, name, method)
