"""The matrices of two predictions for `matrix.js`: side by side on the same pages, or their difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from layoutcm.comparison import Comparison
from layoutcm.drawing.web.matrix_data import difference_data, plain_difference
from layoutcm.errors import InputError
from layoutcm.metrics.confusion import Confusion, confusion_of
from layoutcm.models.cell_differences import CellDifferences
from layoutcm.models.differences import on_common_pages
from layoutcm.tables.drawn_labels import drawn_matrix, with_labels
from layoutcm.tables.matrix_views import Selection, view_values

Pair = tuple[Confusion, Confusion]


def paired_matrices(
    own: Comparison, other: Comparison, method: str, *, page: str | None = None, document: str | None = None
) -> Pair:
    """Both matrices on the same pages with the same labels; an InputError if their labels cannot be matched."""
    level = {"document": document, "page": page}
    first, second = (
        replace(
            confusion_of(levels.counts_at(page, document), levels.space, method, compared.recipe_for(method, **level)),
            side_names=own.side_names,
        )
        for compared, levels in zip((own, other), on_common_pages({"c_a": own, "c_b": other}))
    )
    return with_same_labels(first, second)


def with_same_labels(first: Confusion, second: Confusion) -> Pair:
    """Both matrices with the labels of either; an InputError if one of them has no diagonal."""
    if first.labels == second.labels and first.diagonal == second.diagonal:
        return first, second
    if not (first.diagonal and second.diagonal):
        raise InputError("", "", "the labels of one of them differ from the others", "A mapping makes them comparable.")
    labels = list(dict.fromkeys((*first.labels, *second.labels)))
    return with_labels(first, labels), with_labels(second, labels)


def shown_in_either(selections: Sequence[Selection]) -> Selection:
    """The labels that at least one of the matrices shows."""
    return Selection(*(sorted({label for one in side for label in one}) for side in zip(*selections)))


def plain_difference_of_shown(pair: Pair, view: str, shown: Selection) -> dict[str, Any]:
    """The second minus the first, without intervals."""
    sizes = np.sum([one.gt_pixels + one.pred_pixels for one in pair], axis=0)
    first, second = (drawn_matrix(one, shown, sizes) for one in pair)
    values = (view_values(one.confusion, view)[np.ix_(*one.selection)] for one in (first, second))
    return plain_difference(-np.subtract(*values))


def difference_of_shown(found: CellDifferences, pair: Pair, shown: Selection) -> dict[str, Any]:
    """The differences of the drawn cells; joined labels have no interval, and so no verdict."""
    sizes = np.sum([one.gt_pixels + one.pred_pixels for one in pair], axis=0)
    drawn = drawn_matrix(pair[0], shown, sizes)
    rows, columns = ([drawn.confusion.labels[i] for i in side] for side in drawn.selection)
    return difference_data(found.of_labels(rows, columns))
