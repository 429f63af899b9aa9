"""Compiled matchers of objects by overlap: greedy, as in COCO, and in turn.

Greedy matching is done at many thresholds and for many ranges of areas at once. Each of them is a column; what holds in
which columns is written as a number with one bit for each column.

Small functions that are called for each object are compiled into their callers (`inline`): to pass tuples of arrays
would take longer than what they do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.compiled import compiled_for_many, inlined
from layoutcm.layouts.model import Floats, Positions
from layoutcm.metrics.objects.grouping import Groups

HIGHEST_THRESHOLD = 1 - 1e-10  # as in COCO, so that a perfect match counts despite rounding
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
    """What the greedy matcher needs of gt; `ignored` are the columns in which a gt is neither found nor missed."""

    labels: Positions
    crowd: Flags
    ignored: Positions


class PredObjects(NamedTuple):
    """What the greedy matcher needs of pred; `outside` are the columns whose range of areas a pred is not in."""

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
    """Write the result to `found`; `taken` are the columns in which a gt is, `seen` counts the pred of each label."""
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
