"""What Errors shows beside the matrix: the numbers, causes and pages of the chosen cell or the chosen label."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.metrics.agreement import label_agreement
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.matrix_views import cell_name, cell_verb, select
from layoutcm.tables.tables import Table
from layoutcm.ui import screen_text
from layoutcm.ui.errors import error_matrix
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.shared import data_tables, downloads, lit_pages
from layoutcm.ui.shared.lit_pages import LitPages
from layoutcm.ui.state.chosen import Chosen
from layoutcm.ui.state.selection import Panes, Scope, has_causes
from layoutcm.wording import iou_text, percent, score_text, thin_spaced

MOST_CELLS = 4


def show_whose(chosen: Chosen, shown: Panes) -> None:
    """Name the prediction and the pages that the panel shows, if there are several."""
    name = shown.own_name if shown.kind or chosen.others else ""
    parts = [name, shown.own.filters.text if not shown.own.is_whole and shown.kind != "pages" else ""]
    st.caption(as_typed(", ".join(filter(None, parts))) or "\u00a0")


def show_cell(
    chosen: Chosen, shown: Panes, confusion: Confusion, names: tuple[str, str], across: int
) -> Callable[[], None]:
    """The numbers of a cell, and the worst pages behind it, with exactly its pixels lit.

    The list is drawn at once; the browser fetches its pictures later. The returned function draws the causes, which
    take longer; the page calls it last.
    """
    cell = confusion.labels.index(names[0]), confusion.labels.index(names[1])
    heading = cell_name(shown.words, *names, confusion.diagonal)
    st.subheader(as_typed(heading), anchor=False)
    show_whose(chosen, shown)
    if chosen.now.counted == "objects":
        pages = _object_pages(chosen, shown.own, names)
        whole = f"{screen_text.plural_spaced(round(pages.total), 'object')}"
    else:
        pages = LitPages(shown.own, lit_pages.pages_behind(shown.own, names), names)
        whole = f"{_share_text(chosen.now.view, confusion, cell)}, {thin_spaced(confusion.values[cell])} px"
    st.markdown(f"{whole} {_on_pages(pages)}")
    title = f"Pages behind {heading}"
    verb = cell_verb(confusion.diagonal, cell[0] == cell[1])
    file = downloads.in_state(chosen, downloads.file_name("pages", names[0], verb, names[1]))
    downloads.offer("cell", downloads.Offer(file, title, table=lambda: Table("pages_behind", title, pages.table)))
    pair, causes = st.container(), st.container()
    if len(pages.table):
        lit_pages.show_thumbnails(chosen.page_images, pages, across)

    def draw_slow_parts() -> None:
        if shown.is_pair and pages.unit == "px":
            with pair:
                error_matrix.show_pair(chosen, shown, names)
        if _have_causes(pages) and cell[0] != cell[1]:
            with causes:
                lit_pages.show_causes(pages)

    return draw_slow_parts


def _on_pages(pages: LitPages) -> str:
    """How many of the pages are in the table, in words."""
    count = screen_text.plural_spaced(len(pages.scope.compared.pages), "page")
    return f"on {thin_spaced(len(pages.table))} of {count}"


def _have_causes(pages: LitPages) -> bool:
    """Whether the lit pixels have causes, if they are wrong."""
    counted = pages.unit == "px" and pages.scope.method == "matrix" and len(pages.table) > 0
    return counted and has_causes(pages.scope.whole)


def _share_text(view: str, confusion: Confusion, cell: tuple[int, int]) -> str:
    """The share of a cell in words: of its column in the view precision, else of its row."""
    by_column = view == "precision"
    share = (confusion.precision if by_column else confusion.recall)[cell]
    whole = confusion.vocabulary.shares[by_column].format(label=as_typed(confusion.labels[cell[by_column]]))
    return f"{percent(float(share))} of {whole}"


def _object_pages(chosen: Chosen, scope: Scope, names: tuple[str, str]) -> LitPages:
    """The pages with objects of the cell; lit are the pixels of the same cell."""
    found, compared = error_matrix.object_matrix(scope, chosen.iou), scope.compared
    # Missed and invented objects come last. No object has the position -1, that of a label of the other side.
    positions = {label: k for k, label in enumerate(found.labels)} | {compared.labels[0]: len(found.labels)}
    row, column = (positions.get(name, -1) for name in names)
    return LitPages(scope, lit_pages.pages_with_objects(compared, found, (row, column)), names, "objects")


def object_scores(chosen: Chosen, scope: Scope, label: str) -> str:
    """The scores of the objects of a label at the chosen IoU, in words."""
    table = scope.compared.objects().class_scores_at(chosen.iou).set_index("label")
    if label not in table.index:
        return ""
    row: Any = table.loc[label]
    scores = ", ".join(f"{title} {score_text(float(row[name]))}" for title, name in
                       (("Precision", "precision"), ("Recall", "recall"), ("F1", "f1")))  # fmt: skip
    return f"Objects at IoU {iou_text(chosen.iou)}: {scores}"


def show_label(chosen: Chosen, shown: Panes, confusion: Confusion, name: str, across: int) -> Callable[[], None]:
    """The numbers of a label; the returned function draws its causes, which take longer."""
    words = shown.words
    st.subheader(as_typed(name), anchor=False)
    show_whose(chosen, shown)
    _show_numbers(shown, confusion, name)
    if chosen.now.counted == "objects" and "outcomes" in words.parts and confusion.diagonal:
        st.markdown(object_scores(chosen, shown.own, name))
    pages = LitPages(shown.own, lit_pages.pages_of_label(shown.own, name), (name,))
    wrong = words.wrong if confusion.diagonal else "in all"
    st.markdown(f"{thin_spaced(pages.total)} px {wrong} {_on_pages(pages)}")
    causes = st.container()
    _show_cells(confusion, name)
    if len(pages.table):
        lit_pages.show_thumbnails(chosen.page_images, pages, across)

    def draw_slow_parts() -> None:
        if _have_causes(pages):
            with causes:
                lit_pages.show_causes(pages)

    return draw_slow_parts


def _show_numbers(shown: Panes, confusion: Confusion, name: str) -> None:
    values = {
        column: float(of_labels[confusion.labels.index(name)]) for column, of_labels in confusion.class_values().items()
    }
    lines = NUMBERS[shown.words.measured](shown.own.compared, name, values) if confusion.diagonal else []
    gt, pred = (thin_spaced(values[side]) for side in ("gt_pixels", "pred_pixels"))
    first, second = shown.words.named
    st.markdown("  \n".join([*lines, f"{gt} px in {first}, {pred} px in {second}"]))


def _scores(compared: Comparison, name: str, values: dict[str, float]) -> list[str]:
    scores = {"Precision": "precision", "Recall": "recall", "F1": "f1"}
    return [", ".join(f"{title} {score_text(values[score], 3)}" for title, score in scores.items())]


def _agreement(compared: Comparison, name: str, values: dict[str, float]) -> list[str]:
    both = label_agreement(compared.counts(), compared.space).set_index("label")["agreement"].get(name)
    return [] if both is None else [f"{score_text(float(both))} of the pixels of either in both"]


NUMBERS = {"scores": _scores, "agreement": _agreement}


def _show_cells(confusion: Confusion, name: str) -> None:
    """What the label is taken for, and what is taken for it; a click shows the cell."""
    largest = data_tables.confusion_sentences(confusion, select(confusion), most=MOST_CELLS, touching=(name,))
    if largest:
        st.caption("What it is taken for, and what is taken for it:")
    data_tables.show_confusion_buttons("taken_for", largest)
