"""The data of a matrix for `matrix.js`: masses and totals, from which the script computes shares, also of groups.

A script in the dashboard or in a report gets exactly this, as JSON. A report cannot ask the comparison again, so it
also gets the pages behind each cell.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from layoutcm.comparison import Comparison
from layoutcm.drawing.matrix_layers import drawn_alike, scale_ends, with_same_labels
from layoutcm.drawing.palette import DARK, LIGHT, Theme
from layoutcm.layouts.model import GT, PRED, Floats
from layoutcm.metrics.confusion import Confusion, confusion_of
from layoutcm.metrics.levels import page_matrices
from layoutcm.metrics.matrix_blocks import largest_groups
from layoutcm.models.cell_differences import CellDifferences
from layoutcm.models.differences import on_common_pages
from layoutcm.tables.label_folding import JOINED, JOINED_CELL, DrawnMatrix
from layoutcm.tables.matrix_views import Selection, select, view_values

THEMES = {"light": LIGHT, "dark": DARK}
Pair = tuple[Confusion, Confusion]


@dataclass(frozen=True)
class MatrixLook:
    """How a matrix is drawn; `chosen` is a cell of the whole matrix, `margins` are positions without a label."""

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
    drawn = dict(zip(named, drawn_alike(named.values(), selection)))
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
        "view_names": confusion.vocabulary.views,
        "verdict_words": confusion.vocabulary.verdicts,
        "log": look.log,
        "sides": list(confusion.vocabulary.titles),
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
            if labels[i] in families and drawn.positions[i] != JOINED and i not in drawn.confusion.joined:
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
        "verdicts": found.verdicts.tolist(),
        "low": _or_null(found.low),
        "high": _or_null(found.high),
        "level": found.used.level,
    }


def plain_difference(values: Floats) -> dict[str, Any]:
    """As `difference_data`, but without a test: there are no intervals and no verdicts."""
    nothing = _or_null(np.full_like(values, np.nan))
    return {"values": _or_null(values), "verdicts": None, "low": nothing, "high": nothing, "level": 0}


def _or_null(values: Floats) -> list[list[float | None]]:
    rows: Sequence[Sequence[float]] = values.tolist()
    return [[None if value != value else value for value in row] for row in rows]


PAGES_PER_CELL = 8
Behind = dict[tuple[int, int], tuple[int, np.ndarray, np.ndarray]]


def pages_behind_cells(comparison: Comparison, confusion: Confusion) -> Behind:
    """{cell: (number of pages, the pages with most of its pixels, then -1, and these pixels)} of cells with pixels."""
    rows, columns = select(confusion)
    shown = sorted({*rows, *columns})
    place = {label: k for k, label in enumerate(shown)}
    blocks = page_matrices(comparison.levels, confusion.method)
    pages, added, page_counts = largest_groups(blocks, shown, PAGES_PER_CELL)
    return {
        (i, j): (int(page_counts[at]), pages[at], added[at])
        for i in rows
        for j in columns
        if page_counts[at := (place[i], place[j])]
    }


def cell_data(comparison: Comparison, behind: Behind) -> dict[str, Any]:
    """{"row-column": {"pages": number of pages, "worst": [[page, pixels], ...]}}"""
    return {f"{i}-{j}": _cell(comparison, *found) for (i, j), found in behind.items()}


def _cell(comparison: Comparison, count: int, pages: np.ndarray, added: np.ndarray) -> dict[str, Any]:
    """The number of pages with pixels in a cell, and the pages that have the most."""
    worst = zip(pages.tolist(), added.tolist())
    return {"pages": count, "worst": [[comparison.pages[page], pixels] for page, pixels in worst if page >= 0]}


def paired_matrices(
    own: Comparison, other: Comparison, method: str, *, page: str | None = None, document: str | None = None
) -> Pair:
    """Both matrices on the same pages with the same labels; an InputError if their labels cannot be matched."""
    pair = matrices_on_common_pages(own, other, method, page, document)
    return with_same_labels(*(replace(one, side_names=own.side_names) for one in pair))


def matrices_on_common_pages(
    first: Comparison, second: Comparison, method: str, page: str | None, document: str | None
) -> Pair:
    """Both matrices, counted on the pages that both comparisons have."""
    before, after = (
        confusion_of(
            levels.counts_at(page, document),
            levels.space,
            method,
            compared.recipe_for(method, page=page, document=document),
        )
        for compared, levels in zip((first, second), on_common_pages({"c_a": first, "c_b": second}))
    )
    return before, after


def plain_difference_of_shown(pair: Pair, view: str, shown: Selection) -> dict[str, Any]:
    """The second minus the first, without intervals."""
    values = (view_values(one.confusion, view)[np.ix_(*one.selection)] for one in drawn_alike(pair, shown))
    return plain_difference(-np.subtract(*values))


def difference_of_shown(found: CellDifferences, pair: Pair, shown: Selection) -> dict[str, Any]:
    """The differences of the drawn cells; joined labels have no interval, and so no verdict."""
    drawn = drawn_alike(pair, shown)[0]
    rows, columns = ([drawn.confusion.labels[i] for i in side] for side in drawn.selection)
    return difference_data(found.of_labels(rows, columns))
