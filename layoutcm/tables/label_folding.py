"""The labels of a matrix that are drawn: beyond a number that can be read and sent, the smallest become one label.

Figures on the screen and on paper, sheets, LaTeX and the HTML page all use `drawn_matrix`; result.json has all labels.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.layouts.model import Floats
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.matrix_views import Selection
from layoutcm.wording import plural

# Rows, and columns. A figure on the screen is then below 3 MB, and a report takes seconds; the largest label set of
# document layout, M6Doc, has 74 labels.
MOST_DRAWN = 80
JOINED_CELL = "includes confusions among the joined labels"
JOINED = -1  # the position of a joined label in the whole matrix


class DrawnMatrix(NamedTuple):
    """A matrix and its labels to draw; `positions` of its labels are places in the whole matrix, or JOINED."""

    confusion: Confusion
    selection: Selection
    positions: list[int]

    @property
    def joined(self) -> bool:
        return JOINED in self.positions


def drawn_matrix(confusion: Confusion, selection: Selection, sizes: Floats | None = None) -> DrawnMatrix:
    """The selected labels, the smallest of them joined into "other (n labels)" if they are more than MOST_DRAWN.

    All sums stay exact: the cells of the joined label are sums of cells, also on the diagonal (`JOINED_CELL`).
    `sizes`, float64[labels], decides which labels are small; by default their pixels in gt and pred. Background is
    never joined.
    """
    if max(map(len, selection)) <= MOST_DRAWN:
        return DrawnMatrix(confusion, selection, list(range(len(confusion.labels))))
    sizes = confusion.gt_pixels + confusion.pred_pixels if sizes is None else sizes
    rows, columns = ({*side} for side in selection)
    sides = [sorted(rows | columns)] if (rows & columns) - {0} else selection
    kept = [_largest(side, sizes, confusion.has_background) for side in sides]
    drawn = sorted(set().union(*kept))
    groups = [small for side in sides if (small := sorted({*side} - {*drawn}))]
    group_of = np.full(len(confusion.labels), len(drawn) + len(groups))  # the labels that are not shown
    group_of[drawn] = np.arange(len(drawn))
    for k, small in enumerate(groups):
        group_of[small] = len(drawn) + k
    names = [confusion.labels[i] for i in drawn] + [f"other ({plural(len(small), 'label')})" for small in groups]
    hidden = int(group_of.max()) == len(names)
    joined = _join(confusion, group_of, [*names, *(["not shown"] if hidden else [])], len(drawn))
    of_sides = (dict.fromkeys(group_of[side].tolist()) for side in selection)
    shown = Selection(*(sorted(side, key=lambda group: group >= len(drawn)) for side in of_sides))  # joined ones last
    return DrawnMatrix(joined, shown, [*drawn, *[JOINED] * (len(joined.labels) - len(drawn))])


def fold_others(confusion: Confusion, labels: Collection[str], sizes: Floats | None = None) -> Confusion:
    """The matrix of these labels and Background; all others are one row and one column "other (n labels)".

    The numbers of the labels stay the same, because their sums have all labels. With different taxonomies each side
    has its own "other"; a side without any of the labels keeps all of its own. A single label is not folded.
    `sizes`, float64[labels], says which labels are in use, if several matrices have to fold the same ones.
    """
    used = (confusion.gt_pixels + confusion.pred_pixels if sizes is None else sizes) > 0
    groups = []
    for side in confusion.own_labels[: 1 if confusion.diagonal else 2]:
        own = {i for i in side if confusion.labels[i] in labels}
        others = sorted({*side} - own - ({0} if confusion.has_background else set()))
        if own and used[others].sum() > 1:
            groups.append(others)
    if not groups:
        return confusion
    folded = {i for others in groups for i in others}
    kept = [i for i in range(len(confusion.labels)) if i not in folded]
    group_of = np.zeros(len(confusion.labels), np.int64)
    group_of[kept] = np.arange(len(kept))
    for k, others in enumerate(groups):
        group_of[others] = len(kept) + k
    counts = [plural(int(used[others].sum()), "label") for others in groups]
    names = [confusion.labels[i] for i in kept] + [f"other ({count})" for count in counts]
    return _join(confusion, group_of, names, len(kept))


def _largest(side: list[int], sizes: Floats, has_background: bool) -> list[int]:
    if len(side) <= MOST_DRAWN:
        return side
    first = [i for i in side if i == 0 and has_background]
    rest = sorted((i for i in side if i not in first), key=lambda i: -sizes[i])
    return first + rest[: MOST_DRAWN - len(first) - 1]


def _join(confusion: Confusion, group_of: NDArray[np.int64], names: list[str], n_drawn: int) -> Confusion:
    recall_mass = _sum_groups(confusion.recall_mass, group_of, len(names))
    one_mass = confusion.precision_mass is confusion.recall_mass
    gt, pred = (tuple(np.unique(group_of[side]).tolist()) for side in confusion.own_labels)
    return replace(
        confusion,
        labels=names,
        recall_mass=recall_mass,
        precision_mass=recall_mass if one_mass else _sum_groups(confusion.precision_mass, group_of, len(names)),
        pred_pixels=np.bincount(group_of, confusion.pred_pixels, len(names)).astype(float),
        sides=confusion.sides and (gt, pred),
        joined=tuple(range(n_drawn, len(names))) if confusion.diagonal else (),
    )


def _sum_groups(mass: Floats, group_of: NDArray[np.int64], n: int) -> Floats:
    """float64[groups, groups]: the sums of the rows and columns of each group."""
    order = np.argsort(group_of, kind="stable")
    starts = np.searchsorted(group_of[order], np.arange(n))
    return np.add.reduceat(np.add.reduceat(mass[order], starts, axis=0)[:, order], starts, axis=1)


def with_labels(confusion: Confusion, labels: list[str]) -> Confusion:
    """The matrix with these labels, which include its own; the cells of the others are 0."""
    place = [labels.index(label) for label in confusion.labels]
    masses = np.zeros((2, len(labels), len(labels)))
    masses[:, np.array(place)[:, None], place] = confusion.recall_mass, confusion.precision_mass
    pred = np.zeros(len(labels))
    pred[place] = confusion.pred_pixels
    arrays = {"recall_mass": masses[0], "precision_mass": masses[1], "pred_pixels": pred}
    return replace(confusion, labels=labels, sides=None, **arrays)
