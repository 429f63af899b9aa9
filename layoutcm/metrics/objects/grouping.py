"""Sort regions into groups that are matched on their own: pages, or the labels of a page.

The `order` arrays contain the row numbers of the regions, sorted by group: group k has order[start[k]:stop[k]].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from layoutcm.compiled import compiled_for_many, inlined
from layoutcm.layouts.model import Floats, Positions

DIGIT_BITS = 16  # NumPy sorts integers of up to 16 bits by counting, which is many times faster than by comparing
SHORT = 16  # rows that are sorted by insertion


class Groups(NamedTuple):
    """Groups of regions that may match each other, without groups that have no pred."""

    gt_order: Positions
    gt_start: Positions
    gt_stop: Positions
    pred_order: Positions
    pred_start: Positions
    pred_stop: Positions

    @property
    def most_pairs(self) -> Positions:
        """int64[groups]: the number of pairs of a gt and a pred."""
        return (self.gt_stop - self.gt_start) * (self.pred_stop - self.pred_start)


def group_regions(gt_key: Positions, pred_key: Positions, scores: Floats | None = None) -> Groups:
    """Group regions by key. gt keeps the order of the file; pred is sorted by descending score, then by file order."""
    gt_order, pred_order = stable_order(gt_key), stable_order(pred_key)
    sorted_gt, sorted_pred = gt_key[gt_order], pred_key[pred_order]
    inner = np.flatnonzero(sorted_pred[1:] != sorted_pred[:-1]) + 1
    bounds = np.concatenate([[0], inner, [pred_key.size]]) if pred_key.size else np.zeros(1, np.int64)
    pred_start, pred_stop = bounds[:-1], bounds[1:]
    keys = sorted_pred[pred_start]
    gt_start, gt_stop = (np.searchsorted(sorted_gt, keys, side=side) for side in ("left", "right"))
    if scores is not None:
        sort_groups(pred_order, pred_start, pred_stop, best_first(scores))
    return Groups(gt_order, gt_start, gt_stop, pred_order, pred_start, pred_stop)


def best_first(scores: Floats) -> Floats:
    """float64[pred]: numbers that ascend from the highest score to the lowest; without a score, infinity."""
    return np.where(np.isnan(scores), np.inf, -scores)


def stable_order(key: Positions, order: Positions | None = None) -> Positions:
    """int64[rows]: the rows by ascending key, which is 0 or more; those with equal keys stay in the order given."""
    order = np.arange(key.size) if order is None else order
    ordered = key[order]
    if (ordered[1:] >= ordered[:-1]).all():
        return order
    for shift in range(0, int(key.max()).bit_length(), DIGIT_BITS):
        digits = (key[order] >> shift).astype(np.uint16)
        order = order[np.argsort(digits, kind="stable")]
    return order


@compiled_for_many(steps=lambda order, *_: order.size)
def sort_groups(order: Positions, start: Positions, stop: Positions, values: Floats) -> None:
    """Sort the rows of each group by ascending value, in place; rows with equal values keep their order.

    Short runs are sorted by insertion, then merged. (The sorts of numba take seconds to compile.) nan is not allowed.
    """
    spare = np.empty(order.size, np.int64)
    for k in range(start.size):
        for first in range(start[k], stop[k], SHORT):
            for i in range(first + 1, min(first + SHORT, stop[k])):
                row, j = order[i], i
                while j > first and values[order[j - 1]] > values[row]:
                    order[j] = order[j - 1]
                    j -= 1
                order[j] = row
        width = SHORT
        while width < stop[k] - start[k]:
            for first in range(start[k], stop[k] - width, 2 * width):
                _merge(order, first, first + width, min(first + 2 * width, stop[k]), values, spare)
            width *= 2


@inlined
def _merge(order: Positions, first: int, middle: int, stop: int, values: Floats, spare: Positions) -> None:
    """Merge the sorted rows first:middle and middle:stop."""
    for i in range(first, middle):
        spare[i] = order[i]
    i, j, at = first, middle, first
    while i < middle:
        if j < stop and values[order[j]] < values[spare[i]]:
            order[at] = order[j]
            j += 1
        else:
            order[at] = spare[i]
            i += 1
        at += 1
