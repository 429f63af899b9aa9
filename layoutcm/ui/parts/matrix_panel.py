"""A matrix with clickable cells, and a matrix to read."""

from __future__ import annotations

from typing import Any

from layoutcm.comparison import Comparison
from layoutcm.drawing.label_order import MOST_UNGROUPED, families_or_similar
from layoutcm.drawing.web.matrix_data import MatrixLook, matrix_data
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.drawn_labels import fold_others
from layoutcm.tables.matrix_views import Selection, select
from layoutcm.ui import choices, components, family_choice, session
from layoutcm.ui.visitors import kept


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


def show_plain_matrix(confusion: Confusion, view: str, shown: Selection, key: str, **look: Any) -> None:
    """A matrix whose cells can be read, but not chosen; `look` are fields of `MatrixLook`."""
    components.show_matrix(matrix_data(confusion, view, shown, MatrixLook(session.theme(), **look)), key)


def columns_on_screen(confusion: Confusion) -> int:
    """The number of columns of the matrix on the screen."""
    return len(select(fold_others(confusion, choices.current().labels), (), choices.current().empty).columns)
