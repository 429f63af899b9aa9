"""The matrix of Errors with its switches: labels, families or the 2x2, pixels or objects, one side or two."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from layoutcm.drawing.label_order import WORST_ROWS, order_labels, worst_labels
from layoutcm.drawing.margin_matrices import object_as_confusion
from layoutcm.drawing.matrix_layers import shown_in_either, with_same_labels
from layoutcm.drawing.web.matrix_data import (
    MatrixLook,
    difference_of_shown,
    matrix_data,
    plain_difference_of_shown,
)
from layoutcm.errors import InputError, NotCounted
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.objects.average_precision import IOUS
from layoutcm.metrics.objects.ranked_pairs import ObjectConfusion
from layoutcm.models.cell_differences import CellDifferences, cell_differences
from layoutcm.tables.interval_texts import CellWords, cell_difference_text, cell_pair_text
from layoutcm.tables.label_folding import fold_others
from layoutcm.tables.matrix_views import Selection, every_label, select, view_buttons, view_title, view_values
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import downloads, matrix_panel, sidebar
from layoutcm.ui.state import choices, family_choice, selection
from layoutcm.ui.state.chosen import Chosen
from layoutcm.ui.state.selection import MODELS, Panes, Scope
from layoutcm.wording import as_heading

COLLAPSED = "2x2"
FAMILIES = "families"
COUNTED = {"pixels": "Pixels", "objects": "Objects"}
GROUPINGS = {"labels": "Labels", "families": "Families", "2x2": "2x2"}
BESIDE = {"beside": "Side by side", "difference": "Difference"}
HIDDEN = {"label_visibility": "collapsed"}  # the title of a switch is for screen readers
IOU_HELP = "The smallest overlap (intersection over union) at which an object counts as found"
COUNTED_HELP = "Pixels of regions, or whole objects that are matched at an IoU (see More)."


@dataclass(frozen=True, eq=False)
class DrawnSides:
    """The matrices as they are drawn, with the same labels, and the rows and columns that are shown."""

    matrices: tuple[Confusion, ...]
    shown: Selection
    margins: tuple[int, ...] = ()  # positions of `invented` and `missed`


def grouping(chosen: Chosen, confusion: Confusion) -> str:
    """What rows and columns are: as chosen, else families if there are many labels."""
    return chosen.now.grouping or (FAMILIES if matrix_panel.has_many_labels(chosen, confusion) else "labels")


def draw_sides(chosen: Chosen, shown: Panes) -> DrawnSides:
    """The matrices for the chosen way of counting and grouping; an InputError says why two cannot be drawn."""
    if chosen.now.counted == "objects":
        return _object_matrices(chosen, shown)
    pixels = selection.matrices(shown)
    if grouping(chosen, pixels[0]) == COLLAPSED:
        small = tuple(one.collapse() for one in pixels)
        return DrawnSides(small, every_label(small[0]))
    worst, read_as = worst_labels(pixels[shown.chosen]) if shows_worst_rows(chosen, pixels[0]) else ([], [])
    folded = _folded(pixels, chosen.now.labels or (*worst, *read_as))
    visible = shown_in_either([select(one, (), chosen.now.empty) for one in folded])
    order, families = chosen.now.order, chosen.now.families
    by_family = family_choice.labels_by_family(shown.own.whole, families) if order == "by family" else []
    ordered = order_labels(folded[0], visible, order, by_family)
    ordered = Selection(*(sorted(side, key=lambda i: i in folded[0].joined) for side in ordered))  # the joined last
    if worst:
        ordered = Selection([folded[0].labels.index(label) for label in worst], ordered.columns)
    return DrawnSides(folded, ordered)


def shows_worst_rows(chosen: Chosen, confusion: Confusion) -> bool:
    """Whether only the rows of the labels with the lowest F1 are shown; a few chosen labels are all shown."""
    return chosen.now.worst_rows and confusion.diagonal and not chosen.now.labels


def _folded(matrices: tuple[Confusion, ...], labels: tuple[str, ...]) -> tuple[Confusion, ...]:
    if not labels:
        return matrices
    sizes = np.sum([one.gt_pixels + one.pred_pixels for one in matrices], axis=0)
    return tuple(fold_others(one, labels, sizes) for one in matrices)


def _object_matrices(chosen: Chosen, shown: Panes) -> DrawnSides:
    """Matrices of objects at the chosen IoU; objects without a match are the last row and the last column."""
    counted = [object_as_confusion(object_matrix(one, chosen.iou))[0] for one in shown.scopes]
    labels = {label for one in counted for label in one.labels[:-2]}
    names = [f"({name})" if name in labels else name for name in reversed(shown.words.only_in)]
    own = shown.own.whole.side_names
    named = [replace(one, labels=[*one.labels[:-2], *names], side_names=own) for one in counted]
    both = tuple(with_same_labels(*named)) if len(named) == 2 else tuple(named)
    if chosen.now.labels:
        both = _folded(both, (*chosen.now.labels, *names))
    margins = both[0].labels.index(names[0]), both[0].labels.index(names[1])
    visible = shown_in_either([Selection(*one.visible) for one in both])
    rows, columns = ([i for i in side if i not in margins] for side in visible)
    return DrawnSides(both, Selection([*rows, margins[0]], [*columns, margins[1]]), margins)


@kept("Matching objects …")
def object_matrix(scope: Scope, at: float) -> ObjectConfusion:
    """The matrix of the objects on the chosen pages at an IoU."""
    return scope.compared.objects().object_confusion_at(at)


def show_matrix(chosen: Chosen, shown: Panes) -> None:
    """The matrix, or two; a click chooses a cell or a label, and the side in which it is."""
    try:
        drawn = draw_sides(chosen, shown)
    except NotCounted:
        raise
    except InputError as error:
        st.warning(as_typed(f"The two cannot be compared. {error.on_screen}"))
        return
    view, is_difference = chosen.now.view, shown.is_pair and chosen.now.beside == "difference"
    has_labels, cell = _has_labels(chosen), _place_of_cell(chosen, drawn, shown.own.whole.labels[0])
    look = MatrixLook(
        chosen.theme, chosen.now.log, "objects" if drawn.margins else "px", clickable=has_labels, headers=has_labels,
        chosen=cell, margins=drawn.margins,
    )  # fmt: skip
    groups = {} if is_difference or not has_labels else _groups(chosen, shown, drawn)
    titles = shown.titles if shown.is_pair else [""]
    data = matrix_data(dict(zip(titles, drawn.matrices)), view, drawn.shown, look, groups)
    data["open"] = list(chosen.now.open_groups)
    caption = ""
    if is_difference:
        caption = _add_difference(chosen, data, shown, drawn)
        data["difference"]["order"] = [1, 0]
    else:
        downloads.offer("matrix", _offer(chosen, shown, drawn))
    matrix_panel.show_matrix(data, "error_matrix", lambda picked: _choose(picked, shown, drawn, is_difference))
    if caption:
        st.caption(caption)


def _offer(chosen: Chosen, shown: Panes, drawn: DrawnSides) -> downloads.Offer:
    view, look = chosen.now.view, {"unit": "objects"} if drawn.margins else {}
    if shown.is_pair:
        return matrix_panel.beside_offer(chosen, dict(zip(shown.titles, drawn.matrices)), view, drawn.shown, **look)
    name = "" if _has_labels(chosen) else "2x2"
    return matrix_panel.matrix_offer(chosen, drawn.matrices[0], view, drawn.shown, name, **look)


def _has_labels(chosen: Chosen) -> bool:
    return chosen.now.counted == "objects" or chosen.now.grouping != COLLAPSED


def _groups(chosen: Chosen, shown: Panes, drawn: DrawnSides) -> dict[str, str]:
    matrix = drawn.matrices[0]
    if drawn.margins or grouping(chosen, matrix) != FAMILIES or shows_worst_rows(chosen, matrix):
        return {}
    first = shown.scopes[0]
    return matrix_panel.label_groups(chosen.key(first.position), chosen.now.families, first.whole)


def _place_of_cell(chosen: Chosen, drawn: DrawnSides, background: str) -> tuple[int, int] | None:
    """Row and column of the chosen cell as it is drawn; among objects, Background is `invented` or `missed`."""
    labels = drawn.matrices[0].labels
    cell = chosen.cell([*labels, background] if drawn.margins else labels)
    if cell is None:
        return None
    row, column = (
        margin if name == background and drawn.margins else labels.index(name)
        for name, margin in zip(cell, drawn.margins or (0, 0))
    )
    return row, column


def _choose(picked: dict[str, Any], shown: Panes, drawn: DrawnSides, is_difference: bool) -> None:
    """What a click does. A callback runs before the page, so one run is enough."""
    if picked["kind"] == "group":
        choices.put(open_groups=tuple(map(str, picked["open"])))
        return
    if not is_difference:
        selection.choose_pane(shown, int(picked.get("model", 0)))
    labels, background = drawn.matrices[0].labels, shown.own.whole.labels[0]
    name = lambda side: background if int(picked[side]) in drawn.margins else labels[int(picked[side])]
    if picked["kind"] == "cell":
        choices.put(gt_label=name("row"), pred_label=name("column"))
    else:
        choices.put(class_name=name(picked["kind"]), gt_label="", pred_label="")


def _add_difference(chosen: Chosen, data: dict[str, Any], shown: Panes, drawn: DrawnSides) -> str:
    """Add the difference to the data; the text says whether cells have intervals."""
    names, view, (first, second) = [as_typed(title) for title in shown.titles], chosen.now.view, drawn.matrices
    found = cell_differences_of(shown, view) if has_intervals(chosen, shown, drawn) else None
    named = dict(zip(shown.titles, drawn.matrices))
    downloads.offer("matrix", matrix_panel.difference_offer(named, view, drawn.shown, found))
    if found:
        data["difference"] = difference_of_shown(found, (first, second), drawn.shown)
        return cell_difference_text(found.used, names[1], names[0], shown.words)
    data["difference"] = plain_difference_of_shown((first, second), view, drawn.shown)
    no_test = "Cells have no interval here, so nothing is called better or worse."
    return f"{names[1]} minus {names[0]}: the plain difference. {no_test}"


def has_intervals(chosen: Chosen, shown: Panes, drawn: DrawnSides) -> bool:
    """Whether differences of cells have intervals: only for two predictions, pixels and single labels."""
    return shown.kind == MODELS and not drawn.margins and _has_labels(chosen) and not drawn.matrices[0].joined


def show_pair(chosen: Chosen, shown: Panes, names: tuple[str, str]) -> None:
    """The chosen cell on both sides, and their difference with its verdict."""
    pair, view = selection.matrices(shown), chosen.now.view
    row, column = (pair[0].labels.index(name) for name in names)
    first, second = (float(view_values(one, view)[row, column]) for one in pair)
    low, high, verdict = math.nan, math.nan, None
    if shown.kind == MODELS:
        cell = cell_differences_of(shown, chosen.now.view).of_labels([names[0]], [names[1]])
        low, high, verdict = float(cell.low[0, 0]), float(cell.high[0, 0]), cell.verdicts[0, 0]
    words = CellWords(view != "pixels", shown.words, shown.kind == MODELS)
    title = view_title(view, pair[0])
    st.markdown(f"{as_heading(title)}: {cell_pair_text((first, second), (low, high), verdict, words)}")


@kept("Comparing the two predictions …")
def cell_differences_of(shown: Panes, view: str) -> CellDifferences:
    first, second = shown.scopes
    return cell_differences(first.compared, second.compared, view, method=first.method)


def show_switches(chosen: Chosen, shown: Panes, confusion: Confusion) -> None:
    """What the matrix shows; `confusion` is that of the chosen side."""
    objects = chosen.now.counted == "objects"
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="error_switches"):
        sidebar.show_segments(
            "view", "View", view_buttons(shown.words) | ({"pixels": "Counts"} if objects else {}), **HIDDEN
        )
        sidebar.show_segments("counted", "Count", COUNTED, help=COUNTED_HELP, **HIDDEN)
        if not objects:
            _show_groupings(chosen, confusion, has_groups=not (shown.is_pair and chosen.now.beside == "difference"))
        if shown.is_pair:
            sidebar.show_segments("beside", "Two matrices", BESIDE, **HIDDEN)
        _show_more(objects)


def _show_groupings(chosen: Chosen, confusion: Confusion, has_groups: bool) -> None:
    now = grouping(chosen, confusion)
    now = now if has_groups or now != FAMILIES else "labels"
    st.session_state[choices.bind("grouping")["key"]] = now
    sidebar.show_segments("grouping", "Rows and columns", GROUPINGS, **HIDDEN)
    if confusion.diagonal and now != "2x2" and matrix_panel.has_many_labels(chosen, confusion):
        help_text = f"Only the rows of the {WORST_ROWS} labels with the lowest F1"
        st.toggle(f"{WORST_ROWS} worst rows", help=help_text, **choices.bind("worst_rows"))


def _show_more(objects: bool) -> None:
    with st.popover("More", icon=":material/tune:"):
        if objects:
            st.slider(
                "IoU", float(IOUS[0]), float(IOUS[-1]), step=0.05, help=IOU_HELP, **choices.bind("iou", in_popover=True)
            )
        sidebar.show_choice("order", "Order of labels", choices.CHOICES["order"], in_popover=True)
        st.toggle(
            "Log", help="Colours of cells off the diagonal on a log scale", **choices.bind("log", in_popover=True)
        )
        st.toggle("Unused", help="Show labels that neither side uses", **choices.bind("empty", in_popover=True))
