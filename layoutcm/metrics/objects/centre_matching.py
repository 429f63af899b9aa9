"""Compiled matching of regions by the distance of their centres.

In all groups, `gt_order` must be sorted from left to right, so that only near gt are visited.
"""

from __future__ import annotations

import numpy as np

from layoutcm.compiled import compiled_for_many, compiled_part, inlined
from layoutcm.layouts.model import Floats, Positions
from layoutcm.metrics.objects.grouping import Groups

USELESS = -2  # instead of the number of a pred


@compiled_for_many(steps=lambda groups, *_: 5 * groups.pred_order.size)
def near_in_x(groups: Groups, gt_centres: Floats, pred_centres: Floats, tolerance: tuple[float, float]) -> Positions:
    """int64[groups]: the number of pairs whose centres are near in x, without visiting them."""
    found = np.zeros(groups.pred_start.size, np.int64)
    for k in range(groups.pred_start.size):
        for i in range(groups.pred_start[k], groups.pred_stop[k]):
            x = pred_centres[groups.pred_order[i], 0]
            found[k] += _left_of(groups, k, gt_centres, x + tolerance[0])
            found[k] -= _left_of(groups, k, gt_centres, x - tolerance[0])
    return found


@compiled_part
def _left_of(groups: Groups, k: int, gt_centres: Floats, x: float) -> int:
    """The position in `gt_order` of the first gt of group k that is not to the left of x."""
    first, last = groups.gt_start[k], groups.gt_stop[k]
    while first < last:
        middle = (first + last) // 2
        if gt_centres[groups.gt_order[middle], 0] < x:
            first = middle + 1
        else:
            last = middle
    return first


@compiled_for_many(steps=lambda groups, *_: 5 * groups.pred_order.size + int(groups.most_pairs.sum()))
def near_pairs(
    groups: Groups, gt_centres: Floats, pred_centres: Floats, tolerance: tuple[float, float], pairs: Positions
) -> int:
    """Write the (gt, pred) whose centres are near to int64[pairs, gt pred], as many as fit. Return the number found."""
    found = 0
    for k in range(groups.pred_start.size):
        for i in range(groups.pred_start[k], groups.pred_stop[k]):
            pred = groups.pred_order[i]
            for j in range(_leftmost(groups, k, gt_centres, pred_centres[pred], tolerance), groups.gt_stop[k]):
                gt = groups.gt_order[j]
                if gt_centres[gt, 0] - pred_centres[pred, 0] >= tolerance[0]:
                    break
                if abs(gt_centres[gt, 1] - pred_centres[pred, 1]) < tolerance[1]:
                    if found < len(pairs):
                        pairs[found, 0], pairs[found, 1] = gt, pred
                    found += 1
    return found


@inlined
def _leftmost(groups: Groups, k: int, gt_centres: Floats, pred: Floats, tolerance: tuple[float, float]) -> int:
    """The position in `gt_order` of the first gt of group k that is not too far to the left of pred."""
    first, last = groups.gt_start[k], groups.gt_stop[k]
    while first < last:
        middle = (first + last) // 2
        if pred[0] - gt_centres[groups.gt_order[middle], 0] >= tolerance[0]:
            first = middle + 1
        else:
            last = middle
    return first


@compiled_for_many(steps=lambda groups, *_: 5 * groups.pred_order.size + int(groups.most_pairs.sum()))
def match_largest(
    groups: Groups, gt_centres: Floats, pred_centres: Floats, tolerance: tuple[float, float]
) -> Positions:
    """int64[pred]: the gt of each pred or -1, in a largest one-to-one matching, found by augmenting paths.

    A breadth-first search starts at each pred in turn. It goes to the gt near a pred, and from a matched gt to its
    pred. A free gt ends the search; all pred on the path to it are then matched to the next gt of the path. If there is
    none, no later search can reach a free gt through those that were visited, so they are not visited again.
    """
    gt_of = np.full(len(pred_centres), -1)
    pred_of = np.full(len(gt_centres), -1)
    seen_by = np.full(len(gt_centres), -1)  # the pred at which the last search that visited this gt started
    reached_from = np.empty(len(gt_centres), np.int64)
    queue = np.empty(len(pred_centres), np.int64)
    for k in range(groups.pred_start.size):
        for i in range(groups.pred_start[k], groups.pred_stop[k]):
            root = groups.pred_order[i]
            queue[0], head, tail, free = root, 0, 1, -1
            while head < tail and free < 0:
                pred = queue[head]
                head += 1
                for j in range(_leftmost(groups, k, gt_centres, pred_centres[pred], tolerance), groups.gt_stop[k]):
                    gt = groups.gt_order[j]
                    if gt_centres[gt, 0] - pred_centres[pred, 0] >= tolerance[0]:
                        break
                    if seen_by[gt] in (root, USELESS) or abs(gt_centres[gt, 1] - pred_centres[pred, 1]) >= tolerance[1]:
                        continue
                    seen_by[gt], reached_from[gt] = root, pred
                    if pred_of[gt] < 0:
                        free = gt
                        break
                    queue[tail] = pred_of[gt]
                    tail += 1
            if free < 0:
                for visited in range(1, tail):
                    seen_by[gt_of[queue[visited]]] = USELESS
            while free >= 0:
                pred = reached_from[free]
                pred_of[free], gt_of[pred], free = pred, free, gt_of[pred]
    return gt_of
