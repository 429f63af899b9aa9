"""The matrix of the chosen prediction beside that of another one, or their difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.label_order import groups_of_labels, order_labels
from layoutcm.drawing.web.matrix_data import MatrixLook, difference_data, matrix_data
from layoutcm.errors import InputError
from layoutcm.metrics.bootstrap import FEWEST_UNITS
from layoutcm.metrics.confusion import Confusion, confusion_of
from layoutcm.models.cell_differences import CellDifferences, cell_differences
from layoutcm.models.differences import on_common_pages
from layoutcm.tables.drawn_labels import drawn_matrix, with_labels
from layoutcm.tables.matrix_views import Selection
from layoutcm.ui import choices, components, family_choice, page_shell, selection, session, sidebar
from layoutcm.ui.input_files import comparison_of
from layoutcm.ui.parts import matrix_panel
from layoutcm.ui.screen_text import as_typed, error_text, plural_spaced
from layoutcm.ui.visitors import kept

ALONE = -1
BESIDE_NAMES = {"beside": "Side by side", "difference": "Difference"}


def show_choice_of_other() -> None:
    """The prediction to compare with, if several are loaded, and how."""
    names, own = session.pred_names(), session.chosen_index()
    if len(names) < 2:
        return
    others = [ALONE, *(k for k in range(len(names)) if k != own)]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        sidebar.show_choice(
            "other", "Compare with", others, format_func=lambda k: "nothing" if k == ALONE else names[k], width=240
        )
        if chosen_other() is not None:
            show = BESIDE_NAMES.__getitem__
            st.segmented_control(
                "Shown as", list(BESIDE_NAMES), required=True, format_func=show, **choices.bind("beside")
            )


def columns_on_screen(confusion: Confusion) -> int:
    """The number of columns of what is drawn; two matrices side by side take the whole width."""
    own = matrix_panel.columns_on_screen(confusion)
    side_by_side = chosen_other() is not None and choices.current().beside == "beside"
    return max(own, page_shell.LABELS_BESIDE + 1) if side_by_side else own


def chosen_other() -> int | None:
    """The position of the other prediction; None if there is none to compare with."""
    other = choices.current().other
    return other if other in range(len(session.pred_names())) and other != session.chosen_index() else None


def show_two_matrices(compared: Comparison, view: str, key: str) -> None:
    """Both matrices on one colour scale, or the chosen one minus the other."""
    other = chosen_other()
    assert other is not None
    try:
        against = comparison_of(session.comparison_request(other), session.compare_options(other))
        pair = _paired(compared, against, other)
    except InputError as error:
        st.warning(f"The two predictions cannot be compared. {error_text(error)}")
        return
    names = session.pred_names()
    titles = [names[session.chosen_index()], names[other]]
    shown = _shown_labels(compared, pair)
    look = MatrixLook(
        session.theme(), choices.current().log, clickable=True, headers=True, chosen=_chosen_cell(pair[0].labels)
    )
    is_difference = choices.current().beside == "difference"
    groups = {} if is_difference else groups_of_labels(family_choice.chosen_tree(compared), shown)
    data = matrix_data(dict(zip(titles, pair)), view, shown, look, groups)
    data["open"] = list(choices.current().open_groups)
    if is_difference:
        found = _differences(
            _key(other), view, choices.current().method, session.chosen_level(compared), compared, against
        )
        data["difference"] = _difference_of_shown(found, pair, shown)
    components.show_matrix(data, key, matrix_panel.choose_in(pair[0].labels))
    if is_difference:
        st.caption(_what_is_shown(found, titles))


def _key(other: int) -> str:
    return session.comparison_key() + session.comparison_key(other)


def _paired(compared: Comparison, against: Comparison, other: int) -> tuple[Confusion, Confusion]:
    """Both matrices on the same pages with the same labels."""
    level, method = session.chosen_level(compared), choices.current().method
    own, second = (
        confusion_of(levels.counts_at(level.get("page"), level.get("document")), levels.space, method)
        for levels in on_common_pages({"c_a": compared, "c_b": against})
    )
    if own.labels == second.labels and own.diagonal == second.diagonal:
        return own, second
    if not (own.diagonal and second.diagonal):
        raise InputError(
            "", "", "their labels differ from those of the ground truth", "A mapping makes them comparable."
        )
    labels = list(dict.fromkeys((*own.labels, *second.labels)))
    return with_labels(own, labels), with_labels(second, labels)


def _shown_labels(compared: Comparison, pair: tuple[Confusion, Confusion]) -> Selection:
    """The labels that either matrix shows, in the order of the first."""
    both = [selection.chosen_labels(one, choices.current().empty) for one in pair]
    shown = Selection(*(sorted({*one, *other}) for one, other in zip(*both)))
    by_family = family_choice.labels_by_family(compared)
    return order_labels(pair[0], shown, choices.current().order, by_family)


def _chosen_cell(labels: list[str]) -> tuple[int, int] | None:
    gt, pred = choices.current().gt_label, choices.current().pred_label
    return (labels.index(gt), labels.index(pred)) if gt in labels and pred in labels else None


@kept("Comparing the two predictions …")
def _differences(
    content: str, view: str, method: str, level: dict[str, str], _compared: Comparison, _against: Comparison
) -> CellDifferences:
    return cell_differences(_against, _compared, view, method=method, **level)  # type: ignore[arg-type]


def _difference_of_shown(found: CellDifferences, pair: tuple[Confusion, Confusion], shown: Selection) -> dict[str, Any]:
    """The cells of the drawn rows and columns; joined labels have no interval, and so no verdict."""
    sizes = np.sum([one.gt_pixels + one.pred_pixels for one in pair], axis=0)
    drawn = drawn_matrix(pair[0], shown, sizes)
    place = {label: k for k, label in enumerate(found.labels)}
    sides = [[place.get(drawn.confusion.labels[i], len(place)) for i in side] for side in drawn.selection]
    cells = [
        np.pad(one, (0, 1), constant_values=np.nan)[np.ix_(*sides)] for one in (found.values, found.low, found.high)
    ]
    return difference_data(*cells)


def _what_is_shown(found: CellDifferences, titles: list[str]) -> str:
    own, other = map(as_typed, titles)
    said = f"{own} minus {other}. More on the diagonal is better, more off it is worse."
    units = plural_spaced(found.used.unit_count, found.used.unit)
    if found.used.kind == "none":
        return f"{said} With {units} nothing can be called better or worse: {FEWEST_UNITS} are needed."
    return f"{said} Grey: the 95 % interval of the difference over {units} includes 0, or too few have this label."
