"""The matrix of the chosen prediction beside that of another one, or their difference."""

from __future__ import annotations

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.label_order import groups_of_labels, order_labels
from layoutcm.drawing.web.matrix_data import MatrixLook, matrix_data
from layoutcm.drawing.web.model_pairs import Pair, difference_of_shown, paired_matrices, shown_in_either
from layoutcm.errors import InputError
from layoutcm.metrics.confusion import Confusion
from layoutcm.models.cell_differences import CellDifferences, cell_differences
from layoutcm.tables.interval_texts import cell_difference_text
from layoutcm.tables.matrix_views import Selection
from layoutcm.ui import choices, components, family_choice, offers, page_shell, selection, session, sidebar
from layoutcm.ui.input_files import comparison_of
from layoutcm.ui.parts import matrix_offers, matrix_panel
from layoutcm.ui.screen_text import as_typed, error_text
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
        pair = paired_matrices(compared, against, choices.current().method, **session.chosen_level(compared))
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
        data["difference"] = difference_of_shown(found, pair, shown)
    components.show_matrix(data, key, matrix_panel.choose_in(pair[0].labels))
    if is_difference:
        st.caption(cell_difference_text(found.used, *map(as_typed, titles)))
        second_minus_first = dict(zip(reversed(titles), reversed(pair)))
        offers.offer("matrix", matrix_offers.difference_offer(second_minus_first, view, shown, found))
    else:
        offers.offer("matrix", matrix_offers.beside_offer(dict(zip(titles, pair)), view, shown))


def _key(other: int) -> str:
    return session.comparison_key() + session.comparison_key(other)


def _shown_labels(compared: Comparison, pair: Pair) -> Selection:
    """The labels that either matrix shows, in the order of the first."""
    shown = shown_in_either([selection.chosen_labels(one, choices.current().empty) for one in pair])
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
