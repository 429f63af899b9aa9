"""The data of a matrix for `matrix.js`: masses and totals, from which the script computes shares, also of groups.

A script in the dashboard or in a report gets exactly this, as JSON.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from layoutcm.drawing.matrix_layers import scale_ends
from layoutcm.drawing.palette import DARK, LIGHT, Theme
from layoutcm.layouts.model import GT, PRED, SIDES, Floats
from layoutcm.metrics.confusion import Confusion
from layoutcm.models.cell_differences import CellDifferences
from layoutcm.tables.drawn_labels import JOINED, JOINED_CELL, DrawnMatrix, drawn_matrix
from layoutcm.tables.matrix_views import VIEW_TITLES, Selection

THEMES = {"light": LIGHT, "dark": DARK}
SIDE_WORDS = dict(zip(SIDES, ("Ground truth", "Prediction")))  # on the screen; A and B stay as they are


@dataclass(frozen=True)
class MatrixLook:
    """How a matrix is drawn; `chosen` is a cell of the whole matrix, `margins` are positions that are no labels."""

    theme: Theme = LIGHT
    log: bool = False
    unit: str = "px"
    clickable: bool = False  # cells
    headers: bool = False  # the names of rows and columns can be clicked, too
    chosen: tuple[int, int] | None = None
    margins: Collection[int] = ()
    bars: bool = True  # colour bars below it


def matrix_data(
    models: Confusion | Mapping[str, Confusion],
    view: str,
    selection: Selection,
    look: MatrixLook | None = None,
    families: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """One matrix, or several with the same labels, for `show_matrix` in matrix.js.

    `families` is {label: its family}; the labels of a family become a group that opens and closes.
    """
    look = look or MatrixLook()
    named = {"": models} if isinstance(models, Confusion) else dict(models)
    sizes = np.sum([one.gt_pixels + one.pred_pixels for one in named.values()], axis=0)
    drawn = {name: drawn_matrix(one, selection, sizes) for name, one in named.items()}
    first = next(iter(drawn.values()))
    confusion, (rows, columns), positions = first
    # A matrix may come with joined labels; they have no cell of their own either.
    positions = [JOINED if i in confusion.joined else position for i, position in enumerate(positions)]
    names = [[confusion.labels[i] for i in side] for side in first.selection]
    return {
        "rows": [positions[i] for i in rows],
        "columns": [positions[j] for j in columns],
        "row_names": names[GT],
        "column_names": names[PRED],
        "margins": sorted(look.margins),
        "diagonal": confusion.diagonal,
        "joined_note": JOINED_CELL,
        "models": [{"name": name, **_masses(one)} for name, one in drawn.items()],
        "groups": label_groups(first, families or {}),
        "view": view,
        "view_names": VIEW_TITLES,
        "log": look.log,
        "sides": [SIDE_WORDS.get(side, side) for side in confusion.side_names],
        "unit": look.unit,
        "theme": "dark" if look.theme == DARK else "light",
        "themes": colour_scales(),
        "ends": scale_ends(),
        "chosen": None if look.chosen is None else list(look.chosen),
        "clickable": look.clickable,
        "headers": look.headers,
        "bars": look.bars,
    }


def colour_scales() -> dict[str, dict[str, Any]]:
    """{theme: {"hit", "miss", "diverging": colour scale}}"""
    return {
        name: {"hit": theme.hit, "miss": theme.miss, "diverging": theme.diverging} for name, theme in THEMES.items()
    }


def _masses(drawn: DrawnMatrix) -> dict[str, Any]:
    """The masses of the drawn cells, and the totals of all labels, by which the script divides."""
    confusion, (rows, columns), _ = drawn
    one_mass = confusion.precision_mass is confusion.recall_mass
    return {
        "mass": _shortest(confusion.recall_mass[np.ix_(rows, columns)]),
        "precision_mass": None if one_mass else _shortest(confusion.precision_mass[np.ix_(rows, columns)]),
        "gt_totals": _shortest(confusion.recall_mass.sum(axis=1)[rows]),
        "pred_totals": _shortest(confusion.precision_mass.sum(axis=0)[columns]),
    }


def _shortest(values: Floats) -> list[Any]:
    """The values as lists; whole numbers without a decimal point, which halves their text."""
    if values.ndim == 2:
        return [_shortest(row) for row in values]
    return [int(value) if value.is_integer() else value for value in values.tolist()]


def label_groups(drawn: DrawnMatrix, families: Mapping[str, str]) -> list[dict[str, Any]]:
    """[{"name", "rows", "columns"}]: families of two or more labels, as places in the rows and columns."""
    labels = drawn.confusion.labels
    groups: dict[str, tuple[list[int], list[int]]] = {}
    for side, positions in enumerate(drawn.selection):
        for place, i in enumerate(positions):
            if labels[i] in families and drawn.positions[i] != JOINED:
                groups.setdefault(families[labels[i]], ([], []))[side].append(place)
    return [
        {"name": name, "rows": rows, "columns": columns}
        for name, (rows, columns) in groups.items()
        if max(len(rows), len(columns)) > 1
    ]


def difference_data(found: CellDifferences) -> dict[str, Any]:
    """The difference of two matrices, whose labels are the rows and columns that are drawn."""
    return {
        "values": _or_null(found.values),
        "noise": found.noise.tolist(),
        "low": _or_null(found.low),
        "high": _or_null(found.high),
        "level": found.used.level,
    }


def _or_null(values: Floats) -> list[list[float | None]]:
    rows: Sequence[Sequence[float]] = values.tolist()
    return [[None if value != value else value for value in row] for row in rows]
