"""Matrices that have margins besides labels, of families and of objects, as `Confusion` values."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from layoutcm.layouts.model import GT, PRED
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.family_confusion import FamilyMatrix
from layoutcm.metrics.family_trees import OUT_OF_FAMILY
from layoutcm.metrics.objects.object_confusion import INVENTED, MISSED, ObjectConfusion
from layoutcm.tables.matrix_views import Selection


def object_as_confusion(objects: ObjectConfusion, only: Collection[str] = ()) -> tuple[Confusion, Selection]:
    """The matrix with `invented` and `missed` as two extra labels at the end, and the visible rows and columns.

    `only` are the labels to show; if empty, all labels that have an object.
    """
    n = len(objects.labels)
    values = np.zeros((n + 2, n + 2))
    values[: n + 1, :n] = objects.counts[:, :n]
    values[:n, n + 1] = objects.counts[:n, n]
    labels = [*objects.labels, INVENTED, MISSED]
    shared = objects.space.shared
    confusion = Confusion(labels, "objects", values, values, values.sum(axis=0), shared, has_background=False)
    used = (values.sum(axis=0) > 0) | (values.sum(axis=1) > 0)
    rows, columns = (
        [i for i in objects.own_labels(side).tolist() if used[i] and (not only or labels[i] in only)]
        for side in (GT, PRED)
    )
    return confusion, Selection([*rows, n], [*columns, n + 1])


def family_as_confusion(matrix: FamilyMatrix) -> tuple[Confusion, Selection]:
    """The matrix of a family as a Confusion, and its rows and columns that are not empty."""
    labels, (rows, columns) = matrix.labels, matrix.with_oof
    values = np.zeros((len(labels) + 1, len(labels) + 1))
    values[np.ix_(rows, columns)] = matrix.values
    # If the two sides have no common label, no cell is right or wrong.
    common = bool(set(matrix.sides[GT]) & set(matrix.sides[PRED]))
    names = [*labels, OUT_OF_FAMILY]
    confusion = Confusion(names, "families", values, values, values.sum(axis=0), common, has_background=False)
    used = (values.sum(axis=0) > 0) | (values.sum(axis=1) > 0)
    return confusion, Selection(*(_used_positions(side, used, len(labels)) for side in (rows, columns)))


def _used_positions(positions: Sequence[int], used: np.ndarray, last: int) -> list[int]:
    return [i for i in positions if used[i] or i == last]


def family_selection(selection: Selection, view: str) -> Selection:
    """The rows and columns of a family for shares of gt (view recall) or of pred (view precision).

    "out of family" is the last column for recall and the last row for precision. The other margin is left out: it
    is not a label, and its large shares would draw attention from those of the labels.
    """
    rows, columns = selection
    return Selection(rows[:-1], columns) if view == "recall" else Selection(rows, columns[:-1])
