"""Sort objects into groups, and match those of a group by overlap in compiled code: greedy, as in COCO, and in turn.

Groups are pages, or the labels of a page. The `order` arrays contain the row numbers of the regions, sorted by group:
group k has order[start[k]:stop[k]]. Greedy matching is done at many thresholds and for many ranges of areas at once.
Each of them is a column; what holds in which columns is written as a number with one bit for each column.

Small functions that are called for each object are compiled into their callers (`inline`): passing tuples of arrays
would take longer than their work.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.compiled import compiled_for_many, compiled_part, inlined
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
    """int64[rows]: the rows by ascending key, which is 0 or more; rows with equal keys stay in the order given."""
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


@compiled_part
def sorted_rows(values: Floats) -> Positions:
    """int64[rows]: the rows by ascending value; rows with equal values stay in order."""
    order, bounds = np.arange(values.size), np.array([0, values.size])
    sort_groups(order, bounds[:1], bounds[1:], values)
    return order


HIGHEST_THRESHOLD = 1 - 1e-10  # as in COCO, so a perfect match counts despite rounding
NO_LIMIT = 2**62

Flags = NDArray[np.bool_]


class Overlaps(NamedTuple):
    """The IoU of pred i with gt `gt[k]` is `values[k]`, for k from start[i] to stop[i]; with all other gt it is 0.

    The gt of each pred are ascending.
    """

    values: Floats
    gt: NDArray[np.int32]
    start: Positions
    stop: Positions


class GtObjects(NamedTuple):
    """The gt for the greedy matcher; `ignored` are the columns in which a gt is neither found nor missed."""

    labels: Positions
    crowd: Flags
    ignored: Positions


class PredObjects(NamedTuple):
    """The pred for the greedy matcher; `outside` are the columns whose range of areas a pred is not in."""

    labels: Positions
    outside: Positions


class Rules(NamedTuple):
    """What counts as a match; `reached[k]` are the columns with one of the first k thresholds, which ascend."""

    thresholds: Floats
    reached: Positions
    class_aware: bool  # whether a pred takes only gt with its own label
    most: int  # the best pred that count, per group and label


class Matching(NamedTuple):
    """The result for each pred. A pred that is neither a hit nor left out is not matched."""

    gt: NDArray[np.int32]  # the gt that it takes in the first column, or -1
    hit: Positions  # columns
    left_out: Positions  # columns
    rank: Positions  # among the pred of the same group and label; 0 for the best


def rules_at(thresholds: Floats, ranges: int = 1, class_aware: bool = True, most: int = NO_LIMIT) -> Rules:
    """Rules for several ranges of areas: the columns are all thresholds of the first range, of the second, ..."""
    n = len(thresholds)
    reached = [sum(((1 << k) - 1) << (n * nth) for nth in range(ranges)) for k in range(n + 1)]
    return Rules(np.minimum(thresholds, HIGHEST_THRESHOLD), np.array(reached, np.int64), class_aware, most)


def match_greedily(groups: Groups, overlaps: Overlaps, gt: GtObjects, pred: PredObjects, rules: Rules) -> Matching:
    """Match the objects of each group, in all columns.

    Each pred in turn takes the free gt with the highest IoU, if it is at or above the threshold; if several are equal,
    one with its own label, then the last. A pred takes an `ignored` gt only if there is no other, and is then left out;
    a crowd may be taken many times. An unmatched pred that is `outside` is also left out, and so are all pred after the
    first `most`.
    """
    n = len(pred.labels)
    found = Matching(np.full(n, -1, np.int32), *np.zeros((3, n), np.int64))
    taken, seen = np.zeros(len(gt.labels), np.int64), np.zeros(pred.labels.max(initial=0) + 1, np.int64)
    _match_groups(groups, overlaps, gt, pred, rules, found, taken, seen)
    return found


@compiled_for_many(steps=lambda groups, overlaps, *_: 5 * groups.pred_order.size + 2 * overlaps.gt.size)
def _match_groups(
    groups: Groups,
    overlaps: Overlaps,
    gt: GtObjects,
    pred: PredObjects,
    rules: Rules,
    found: Matching,
    taken: Positions,
    seen: Positions,
) -> None:
    """Write the matches to `found`. `taken`: in which columns a gt is taken; `seen`: numbers of pred."""
    match, hit, left_out, rank = found
    every = rules.reached[-1]
    for k in range(groups.pred_start.size):
        for i in range(groups.pred_start[k], groups.pred_stop[k]):
            i_pred = groups.pred_order[i]
            label = pred.labels[i_pred]
            rank[i_pred] = seen[label]
            seen[label] += 1
            if rank[i_pred] >= rules.most:
                left_out[i_pred] = every
                continue
            open_columns = every
            for among_ignored in (False, True):
                while open_columns:
                    best, columns = _best_gt(i_pred, label, open_columns, among_ignored, overlaps, gt, taken, rules)
                    if not columns:
                        break
                    open_columns &= ~columns
                    taken[best] |= columns
                    if among_ignored:
                        left_out[i_pred] |= columns
                    else:
                        hit[i_pred] |= columns
                    if columns & 1:
                        match[i_pred] = best
            left_out[i_pred] |= open_columns & pred.outside[i_pred]
        for i in range(groups.pred_start[k], groups.pred_stop[k]):
            seen[pred.labels[groups.pred_order[i]]] = 0


@inlined
def _best_gt(
    i_pred: int,
    label: int,
    open_columns: int,
    among_ignored: bool,
    overlaps: Overlaps,
    gt: GtObjects,
    taken: Positions,
    rules: Rules,
) -> tuple[int, int]:
    """The gt to take and the columns in which it can be taken; in these, no other gt is better."""
    best, best_columns, highest = -1, 0, 0.0
    for at in range(overlaps.start[i_pred], overlaps.stop[i_pred]):
        i_gt, iou, reached = overlaps.gt[at], overlaps.values[at], 0
        if iou < highest or (rules.class_aware and gt.labels[i_gt] != label):
            continue
        while reached < rules.thresholds.size and rules.thresholds[reached] <= iou:
            reached += 1
        columns = open_columns & rules.reached[reached]
        columns &= gt.ignored[i_gt] if among_ignored else ~gt.ignored[i_gt]
        if not gt.crowd[i_gt]:
            columns &= ~taken[i_gt]
        if not columns or (iou == highest and gt.labels[best] == label and gt.labels[i_gt] != label):
            continue
        best, best_columns, highest = i_gt, columns, iou
    return best, best_columns


@compiled_for_many(steps=lambda groups, overlaps, *_: 5 * groups.pred_order.size + overlaps.gt.size)
def match_in_turn(groups: Groups, overlaps: Overlaps, gt_key: Positions, pred_key: Positions) -> NDArray[np.int32]:
    """int32[pred]: the gt of each pred or -1. In each group, each pred in turn takes the free gt with the highest IoU.

    The IoU may be 0; of equal ones, the first gt is taken. Once all gt of a group are taken, its other pred have none.
    """
    match = np.full(pred_key.size, np.int32(-1))
    free = np.zeros(gt_key.size, np.bool_)
    for i_gt in groups.gt_order:
        free[i_gt] = True
    for k in range(groups.pred_start.size):
        first_free = groups.gt_start[k]
        for i in range(groups.pred_start[k], groups.pred_stop[k]):
            i_pred, best, highest = groups.pred_order[i], -1, 0.0
            for at in range(overlaps.start[i_pred], overlaps.stop[i_pred]):
                i_gt = overlaps.gt[at]
                if free[i_gt] and gt_key[i_gt] == pred_key[i_pred] and overlaps.values[at] > highest:
                    best, highest = i_gt, overlaps.values[at]
            while first_free < groups.gt_stop[k] and not free[groups.gt_order[first_free]]:
                first_free += 1
            if best < 0 and first_free < groups.gt_stop[k]:
                best = groups.gt_order[first_free]
            if best >= 0:
                match[i_pred], free[best] = best, False
    return match


@compiled_for_many(steps=lambda overlaps, gt_rows, *_: 2 * gt_rows.size)
def pair_overlaps(overlaps: Overlaps, gt_rows: Positions, pred_rows: Positions) -> Floats:
    """float64[pairs]: the IoU of each pair of a gt and a pred."""
    values = np.zeros(gt_rows.size)
    for k in range(gt_rows.size):
        first, last = overlaps.start[pred_rows[k]], overlaps.stop[pred_rows[k]]
        while first < last:  # search by halves
            middle = (first + last) // 2
            if overlaps.gt[middle] < gt_rows[k]:
                first = middle + 1
            else:
                last = middle
        if first < overlaps.stop[pred_rows[k]] and overlaps.gt[first] == gt_rows[k]:
            values[k] = overlaps.values[first]
    return values
