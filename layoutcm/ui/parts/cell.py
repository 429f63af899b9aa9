"""The panel of the chosen matrix cell: its meaning, the causes of its pixels, and the pages behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.levels import pages_by_pixels
from layoutcm.tables.matrix_views import cell_verb
from layoutcm.tables.summary_sentence import in_both
from layoutcm.tables.tables import Table
from layoutcm.ui import choices, offers, screen_text
from layoutcm.ui.parts import error_matrix, lit_pages, objects
from layoutcm.ui.parts.lit_pages import LitPages
from layoutcm.ui.scope import Scope
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.sides import Sides
from layoutcm.ui.visitors import kept
from layoutcm.wording import percent, score_text, thin_spaced

if TYPE_CHECKING:
    import pandas as pd

HINT = "Click a cell of the matrix to see the pages behind it, or a label to see what it is taken for."
HINT_WITHOUT_TRUTH = "Click a cell of the matrix to see the pages behind it, or a label to see where A and B differ."


def chosen_names(confusion: Confusion) -> tuple[str, str] | None:
    """The labels of the chosen cell, which one of the sides may not have; None if no cell is chosen."""
    gt, pred = choices.current().gt_label, choices.current().pred_label
    return (gt, pred) if gt in confusion.labels and pred in confusion.labels else None


def show_whose(shown: Sides) -> None:
    """Whose pages the panel shows, if there are several."""
    parts = [shown.own_name, shown.own.filters.text if not shown.own.is_whole and shown.kind != "pages" else ""]
    st.caption(as_typed(", ".join(filter(None, parts))) or "\u00a0")


def show_cell(shown: Sides, confusion: Confusion, across: int) -> Callable[[], None]:
    """The numbers of the chosen cell, and the worst pages behind it, with exactly its pixels lit.

    The list is drawn at once; the browser fetches its pictures later. The returned function draws the causes, which
    take longer; the page calls it last.
    """
    names = chosen_names(confusion)
    assert names is not None
    has_truth, cell = shown.own.whole.has_truth, (confusion.labels.index(names[0]), confusion.labels.index(names[1]))
    verb = cell_verb(confusion.diagonal, cell[0] == cell[1])
    heading = f"{names[0]} {verb} {names[1]}" if has_truth else in_both(*names)
    st.subheader(as_typed(heading), anchor=False)
    show_whose(shown)
    if choices.current().counted == "objects":
        pages = _object_pages(shown.own, names)
        whole = f"{screen_text.plural_spaced(round(pages.total), 'object')}"
    else:
        pages = LitPages(shown.own, pages_behind(shown.own, names), names)
        whole = f"{_share_text(confusion, cell, has_truth)}, {thin_spaced(round(confusion.values[cell]))} px"
    count = len(shown.own.compared.pages)
    st.markdown(f"{whole} on {thin_spaced(len(pages.table))} of {screen_text.plural_spaced(count, 'page')}")
    title = f"Pages behind {heading}"
    file = offers.in_state(offers.file_name("pages", names[0], verb, names[1]))
    offers.offer("cell", offers.Offer(file, title, table=lambda: Table("pages_behind", title, pages.table)))
    pair, causes = st.container(), st.container()
    if len(pages.table):
        lit_pages.show_thumbnails(pages, across)

    def draw_slow_parts() -> None:
        if shown.is_pair and pages.unit == "px":
            with pair:
                error_matrix.show_pair(shown, names)
        wrong = has_truth and confusion.diagonal and confusion.method == "matrix" and cell[0] != cell[1]
        if wrong and len(pages.table) and pages.unit == "px":
            with causes:
                lit_pages.show_causes(pages)

    return draw_slow_parts


def _share_text(confusion: Confusion, cell: tuple[int, int], has_truth: bool) -> str:
    """The share that the matrix shows: of all that the prediction calls so in the view of precision, else of gt."""
    gt, pred = (as_typed(confusion.labels[k]) for k in cell)
    if choices.current().view == "precision":
        return f"{percent(float(confusion.precision[cell]))} of {pred} in {'the prediction' if has_truth else 'B'}"
    return f"{percent(float(confusion.recall[cell]))} of {gt}" + ("" if has_truth else " in A")


def pages_behind(scope: Scope, names: tuple[str, str]) -> pd.DataFrame:
    """The chosen pages with pixels of the cell. A label of the other side has none."""
    return _kept_pages(scope.key, names, choices.current().method, scope.compared)


@kept("Looking for pages …")
def _kept_pages(key: str, names: tuple[str, str], method: str, _compared: Comparison) -> pd.DataFrame:
    try:
        return _compared.pages_behind(*names, method)
    except InputError:
        return pages_by_pixels(_compared.levels, 0 * _compared.levels.page_pixels)


def _object_pages(scope: Scope, names: tuple[str, str]) -> LitPages:
    """The pages with objects of the cell; lit are the pixels of the same cell."""
    import pandas as pd

    found, compared = error_matrix.object_matrix(scope), scope.compared
    last = len(found.labels)
    places = [last if name == compared.labels[0] else _place(found.labels, name) for name in names]
    numbers, counts = found.pages_behind(*places)
    table = pd.DataFrame(
        {
            "page": [compared.pages[page] for page in numbers],
            "document": [compared.alignment.pages.documents[page] for page in numbers],
            "objects": counts,
        }
    )
    return LitPages(scope, table, names, "objects")


def _place(labels: list[str], name: str) -> int:
    """The position of a label; -1, which no object has, for a label of the other side."""
    return labels.index(name) if name in labels else -1


def object_scores(scope: Scope, label: str) -> str:
    """The scores of the objects of a label at the chosen IoU, in words."""
    table = scope.compared.objects().class_scores_at(objects.chosen_iou()).set_index("label")
    if label not in table.index:
        return ""
    row: Any = table.loc[label]
    scores = ", ".join(f"{title} {score_text(float(row[name]))}" for title, name in
                       (("Precision", "precision"), ("Recall", "recall"), ("F1", "f1")))  # fmt: skip
    return f"Objects at IoU {objects.chosen_iou():.2f}: {scores}"
