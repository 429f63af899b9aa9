"""A matrix on the screen, and matrices to take away as they are shown: one, two side by side, or their difference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import PurePath
from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.label_order import MOST_UNGROUPED, families_or_similar
from layoutcm.drawing.paper import matrix
from layoutcm.drawing.web.matrix_data import MatrixLook, matrix_data
from layoutcm.metrics.confusion import Confusion
from layoutcm.models.cell_differences import CellDifferences
from layoutcm.tables.matrix_views import TABLE_OF_VIEW, Selection, select, view_title
from layoutcm.tables.tables import difference_table, matrix_table, pair_table
from layoutcm.ui.server.first_paint import MOST_RESERVED_ROWS
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import components
from layoutcm.ui.shared.downloads import Offer, file_name, in_state
from layoutcm.ui.state import family_choice
from layoutcm.ui.state.chosen import Chosen


def has_many_labels(chosen: Chosen, confusion: Confusion) -> bool:
    """Whether a matrix with these labels is shown grouped at first."""
    return max(map(len, select(confusion, (), chosen.now.empty))) > MOST_UNGROUPED


@kept()
def label_groups(content: str, families: str, _compared: Comparison) -> dict[str, str]:
    """{label: its group}: families, and labels that are often confused; `content` is the key of the comparison.

    They are made from all pages, so filters do not change them.
    """
    return families_or_similar(family_choice.chosen_tree(_compared, families), _compared.confusion())


def show_plain_matrix(chosen: Chosen, confusion: Confusion, view: str, shown: Selection, key: str, **look: Any) -> None:
    """A matrix whose cells can be read, but not chosen; `look` are fields of `MatrixLook`."""
    show_matrix(matrix_data(confusion, view, shown, MatrixLook(chosen.theme, **look)), key)


def show_matrix(data: dict[str, Any], key: str, choose: Callable[[dict[str, Any]], None] | None = None) -> None:
    """Draw the matrix of `matrix_data`; `choose` gets what was clicked, before the page runs again."""

    def on_picked() -> None:
        picked = st.session_state[key].picked
        if choose and picked:
            choose(dict(picked))

    rows = 2 if data.get("groups") else min(len(data["row_names"]), MOST_RESERVED_ROWS)
    with st.container(key=f"rows_{rows}_{key}"):  # its height is reserved by the style
        components.MATRIX(key=key, data=data, on_picked_change=on_picked)


def matrix_offer(
    chosen: Chosen, confusion: Confusion, view: str, shown: Selection, name: str = "", **look: Any
) -> Offer:
    """One matrix with the rows and columns that are shown; `look` are `log` and `unit` of `matrix_figure`.

    `name` is given only for a matrix other than the usual one of labels.
    """
    draw = partial(matrix.matrix_figure, confusion, view, selection=shown, **{"log": chosen.now.log} | look)
    title = f"{name or 'Matrix'}: {look.get('unit', view) if view == 'pixels' else view_title(view, confusion)}"
    file = in_state(chosen, file_name(name.lower(), _view_name(view, confusion)))
    return Offer(file, title, draw, partial(matrix_table, confusion, view, shown))


def beside_offer(chosen: Chosen, matrices: Mapping[str, Confusion], view: str, shown: Selection, **look: Any) -> Offer:
    """Two matrices with the same labels, {title: matrix}, side by side; the first is that of the chosen prediction."""
    draw = partial(matrix.pair_figure, matrices, view, selection=shown, **{"log": chosen.now.log} | look)
    first = next(iter(matrices.values()))
    file = in_state(chosen, _view_name(view, first), "beside", _stem(list(matrices)[1]))
    return Offer(
        file, f"Matrices side by side: {view_title(view, first)}", draw, partial(pair_table, matrices, view, shown)
    )


def difference_offer(
    matrices: Mapping[str, Confusion], view: str, shown: Selection, found: CellDifferences | None = None
) -> Offer:
    """The second matrix minus the first, {title: matrix}; `found` has their intervals."""
    (first, second), titles = matrices.values(), tuple(matrices)
    names = (_stem(titles[0]), _stem(titles[1]))
    draw = partial(matrix.difference_figure, first, second, view, names=names, differences=found, selection=shown)
    file = file_name("difference", _view_name(view, first), names[1], "minus", names[0])
    table = partial(difference_table, first, second, view, shown, names)
    return Offer(file, f"Difference: {view_title(view, first)}, {names[1]} minus {names[0]}", draw, table)


def _view_name(view: str, confusion: Confusion) -> str:
    return TABLE_OF_VIEW[view] if view == "pixels" else view_title(view, confusion).replace(" ", "-")


def _stem(title: str) -> str:
    """The name of a prediction in a file name, without the prefix A: or B: that the screen adds."""
    return PurePath(title.removeprefix("A: ").removeprefix("B: ")).stem
