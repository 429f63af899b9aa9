"""A matrix with clickable cells, and a matrix to read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from layoutcm.comparison import Comparison
from layoutcm.drawing.label_order import MOST_UNGROUPED, families_or_similar, order_labels
from layoutcm.drawing.web.matrix_data import MatrixLook, matrix_data
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.drawn_labels import fold_others
from layoutcm.tables.matrix_views import Selection, select
from layoutcm.ui import choices, components, family_choice, session
from layoutcm.ui.visitors import kept


def show_matrix(compared: Comparison, confusion: Confusion, view: str, key: str) -> None:
    """The matrix of the chosen labels; the others are folded. A click on a cell makes it the chosen one."""
    folded = fold_others(confusion, choices.current().labels)
    shown = select(folded, (), choices.current().empty)
    shown = order_labels(folded, shown, choices.current().order, family_choice.labels_by_family(compared))
    gt, pred = choices.current().gt_label, choices.current().pred_label
    known = gt in folded.labels and pred in folded.labels
    chosen = (folded.labels.index(gt), folded.labels.index(pred)) if known else None
    look = MatrixLook(session.theme(), choices.current().log, clickable=True, chosen=chosen)
    groups = label_groups(compared, session.chosen_index()) if has_many_labels(folded) else {}
    data = matrix_data(folded, view, shown, look, groups)
    data["open"] = list(choices.current().open_groups)
    components.show_matrix(data, key, choose_in(folded.labels))


def has_many_labels(confusion: Confusion) -> bool:
    """Whether a matrix with these labels opens in groups."""
    return max(map(len, select(confusion, (), choices.current().empty))) > MOST_UNGROUPED


def label_groups(compared: Comparison, position: int) -> dict[str, str]:
    """{label: its group}: families, and labels that are often confused. Those of all pages, so that filters keep them.

    `position` is that of the prediction.
    """
    return _label_groups(session.comparison_key(position), choices.current().families, compared)


@kept()
def _label_groups(content: str, families: str, _compared: Comparison) -> dict[str, str]:
    return families_or_similar(family_choice.chosen_tree(_compared), _compared.confusion())


def choose_in(labels: Sequence[str]) -> Callable[[dict[str, Any]], None]:
    """What a click in a matrix of these labels does: it chooses a cell, or opens and closes groups."""

    def choose(picked: dict[str, Any]) -> None:
        # A callback runs before the page, so one run is enough.
        if picked["kind"] == "cell":
            choices.put(gt_label=labels[int(picked["row"])], pred_label=labels[int(picked["column"])])
        elif picked["kind"] == "group":
            choices.put(open_groups=tuple(map(str, picked["open"])))

    return choose


def show_plain_matrix(confusion: Confusion, view: str, shown: Selection, key: str, **look: Any) -> None:
    """A matrix whose cells can be read, but not chosen; `look` are fields of `MatrixLook`."""
    components.show_matrix(matrix_data(confusion, view, shown, MatrixLook(session.theme(), **look)), key)


def columns_on_screen(confusion: Confusion) -> int:
    """The number of columns of the matrix on the screen."""
    return len(select(fold_others(confusion, choices.current().labels), (), choices.current().empty).columns)
