"""Families and objects as they are drawn, on screen and paper alike: matrices with margins, rows of bars."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from layoutcm.layouts.model import GT, PRED
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.family_confusion import FamilyConfusion, FamilyMatrix
from layoutcm.metrics.family_trees import OUT_OF_FAMILY
from layoutcm.metrics.objects.ranked_pairs import INVENTED, MISSED, ObjectConfusion
from layoutcm.tables.matrix_views import Selection

PART_NAMES = {"identity": "right", "in_family": "in family", "oof": OUT_OF_FAMILY}


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
    return confusion, Selection(*([i for i in side if used[i] or i == len(labels)] for side in (rows, columns)))


def family_selection(selection: Selection, view: str) -> Selection:
    """The rows and columns of a family for shares of gt (view recall) or of pred (view precision).

    "out of family" is the last column for recall and the last row for precision. The other margin is left out: it
    is not a label, and its large shares would draw attention from those of the labels.
    """
    rows, columns = selection
    return Selection(rows[:-1], columns) if view == "recall" else Selection(rows, columns[:-1])


class Row(NamedTuple):
    """A line of the chart: the heading of a family, or a label with its shares and its total."""

    name: str
    values: dict[str, Any] | None


def chart_rows(families: FamilyConfusion, side: int) -> list[Row]:
    """Labels with a total above 0, below the heading of their family; a family of one label has no heading."""
    table = (families.given_gt if side == GT else families.given_pred)().to_dict("records")
    by_label = {str(row["label"]): {str(name): value for name, value in row.items()} for row in table}
    rows = []
    for matrix in families.all_matrices:
        own = matrix.gt_labels if side == GT else matrix.pred_labels
        used = [label for label in own if by_label[label]["total"] > 0]
        if used and used != [matrix.family]:
            rows.append(Row(matrix.family, None))
        rows += [Row(label, by_label[label]) for label in used]
    return rows
