"""Compiled matchers of objects: greedy by overlap, as in COCO, and the largest one-to-one matching by distance.

Both work group by group; a group is a page, or a label on a page. The `order` arrays contain the row numbers of the
regions, sorted by group: group k has order[start[k]:stop[k]].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from layoutcm.layouts.model import Floats, Positions

NOT_MATCHED, HIT, LEFT_OUT = 0, 1, 2  # kinds of predictions; left out: on a crowd, or not among those that count

HIGHEST_THRESHOLD = 1 - 1e-10  # as in COCO, so that a perfect match counts despite rounding

USELESS = -2  # instead of the number of a pred

Flags = NDArray[np.bool_]


class Groups(NamedTuple):
    """Groups of regions that may match each other, without groups that have no pred."""

    gt_order: Positions
    gt_start: Positions
    gt_stop: Positions
    pred_order: Positions
    pred_start: Positions
    pred_stop: Positions


class Overlaps(NamedTuple):
    """The IoU of pred i with gt `gt[k]` is `values[k]`, for k from start[i] to stop[i]; with all other gt it is 0.

    The gt of each pred are ascending.
    """

    values: Floats
    gt: NDArray[np.int32]
    start: Positions
    stop: Positions


class GtObjects(NamedTuple):
    """What the greedy matcher needs of gt."""

    labels: Positions
    crowd: Flags
    ignored: Flags


class PredObjects(NamedTuple):
    """What the greedy matcher needs of pred; `outside` is True for a pred whose area is not in the range asked for."""

    labels: Positions
    outside: Flags


def group_regions(gt_key: Positions, pred_key: Positions, scores: Floats | None = None) -> Groups:
    """Group regions by key. gt keeps the order of the file; pred is sorted by descending score, then by file order."""
    gt_order = np.argsort(gt_key, kind="stable")
    pred_order = np.argsort(pred_key, kind="stable") if scores is None else np.lexsort((-scores, pred_key))
    sorted_gt, sorted_pred = gt_key[gt_order], pred_key[pred_order]
    bounds = np.flatnonzero(np.diff(sorted_pred, prepend=-1, append=-1))  # keys are 0 or more
    pred_start, pred_stop = bounds[:-1], bounds[1:]
    keys = sorted_pred[pred_start]
    gt_start, gt_stop = (np.searchsorted(sorted_gt, keys, side=side) for side in ("left", "right"))
    return Groups(gt_order, gt_start, gt_stop, pred_order, pred_start, pred_stop)


@njit(nogil=True, cache=True)
def box_overlap(gt: Floats, pred: Floats, crowd: bool) -> float:
    """IoU of two boxes x, y, width, height in the same steps as COCO; for a crowd, the share of pred inside it."""
    width = min(pred[2] + pred[0], gt[2] + gt[0]) - max(pred[0], gt[0])
    height = min(pred[3] + pred[1], gt[3] + gt[1]) - max(pred[1], gt[1])
    if width <= 0 or height <= 0:
        return 0.0
    common, area = width * height, pred[2] * pred[3]
    return common / (area if crowd else area + gt[2] * gt[3] - common)


@njit(nogil=True, cache=True)
def _places(groups: Groups, n_gt: int) -> Positions:
    """int64[gt]: the place of each gt in `gt_order`, or -1."""
    places = np.full(n_gt, -1)
    for j in range(groups.gt_order.size):
        places[groups.gt_order[j]] = j
    return places


@njit(nogil=True, cache=True)
def _overlapping(
    groups: Groups, k: int, places: Positions, overlaps: Overlaps, i_pred: int, found: tuple[Positions, Floats]
) -> int:
    """Write the gt of group k whose IoU with pred is above 0, and the IoU, to the two arrays. Return their number."""
    rows, ious = found
    first, last, n = groups.gt_start[k], groups.gt_stop[k], 0
    for at in range(overlaps.start[i_pred], overlaps.stop[i_pred]):
        i_gt = overlaps.gt[at]
        if first <= places[i_gt] < last and overlaps.values[at] > 0:
            rows[n], ious[n] = i_gt, overlaps.values[at]
            n += 1
    return n


@njit(nogil=True, cache=True)
def match_greedily(
    groups: Groups, overlaps: Overlaps, gt: GtObjects, pred: PredObjects, thresholds: Floats, most: int
) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
    """int32[pred, thresholds]: the gt of each pred or -1, and int8[pred, thresholds]: the kind of the pred.

    In each group, each pred in turn takes the free gt with the highest IoU, if it is at or above the threshold; if
    several are equal, one with its own label, then the last. A pred takes an `ignored` gt only if there is no other,
    and is then LEFT_OUT; a crowd may be taken many times. An unmatched pred that is `outside` is also LEFT_OUT, and so
    are all pred after the first `most`.
    """
    gt_labels, crowd, ignored = gt
    pred_labels, outside = pred
    n_gt, n_pred = len(gt_labels), len(pred_labels)
    thresholds = np.minimum(thresholds, HIGHEST_THRESHOLD)
    match = np.full((n_pred, thresholds.size), -1, np.int32)
    kind = np.full(match.shape, LEFT_OUT, np.int8)
    taken = np.zeros((n_gt, thresholds.size), np.bool_)
    rows, ious, places = np.empty(n_gt, np.int64), np.empty(n_gt), _places(groups, n_gt)
    for k in range(groups.pred_start.size):
        for i in range(groups.pred_start[k], min(groups.pred_stop[k], groups.pred_start[k] + most)):
            i_pred, highest_iou = groups.pred_order[i], 0.0
            n = _overlapping(groups, k, places, overlaps, i_pred, (rows, ious))
            for j in range(n):
                highest_iou = max(highest_iou, ious[j])
            for t in range(thresholds.size):
                best = -1
                if highest_iou >= thresholds[t]:
                    best = _best_gt(
                        rows[:n], ious, taken[:, t], crowd, ignored, gt_labels, pred_labels[i_pred],
                        thresholds[t],
                    )  # fmt: skip
                match[i_pred, t] = best
                if best >= 0:
                    taken[best, t] = True
                    kind[i_pred, t] = LEFT_OUT if ignored[best] else HIT
                elif not outside[i_pred]:
                    kind[i_pred, t] = NOT_MATCHED
    return match, kind


@njit(nogil=True, cache=True)
def _best_gt(
    candidates: Positions,
    ious: Floats,
    taken: Flags,
    crowd: Flags,
    ignored: Flags,
    gt_labels: Positions,
    label: int,
    threshold: float,
) -> int:
    """The gt to take, or -1; ious[j] is the IoU with candidates[j]."""
    best = -1
    for among_ignored in (False, True):
        highest = threshold
        for j in range(candidates.size):
            gt = candidates[j]
            if ignored[gt] != among_ignored or (taken[gt] and not crowd[gt]) or ious[j] < highest:
                continue
            if best >= 0 and ious[j] == highest and gt_labels[best] == label and gt_labels[gt] != label:
                continue
            highest, best = ious[j], gt
        if best >= 0:
            return best
    return best


@njit(nogil=True, cache=True)
def match_in_turn(groups: Groups, overlaps: Overlaps, n_gt: int) -> NDArray[np.int32]:
    """int32[pred]: the gt of each pred or -1. In each group, each pred in turn takes the free gt with the highest IoU.

    The IoU may be 0; of equal ones, the first gt is taken. Once all gt of a group are taken, its other pred have none.
    """
    match = np.full(overlaps.start.size, -1, np.int32)
    taken = np.zeros(n_gt, np.bool_)
    rows, ious, places = np.empty(n_gt, np.int64), np.empty(n_gt), _places(groups, n_gt)
    for k in range(groups.pred_start.size):
        first_free = groups.gt_start[k]
        for i in range(groups.pred_start[k], groups.pred_stop[k]):
            i_pred, best, highest = groups.pred_order[i], -1, 0.0
            n = _overlapping(groups, k, places, overlaps, i_pred, (rows, ious))
            for j in range(n):
                if not taken[rows[j]] and ious[j] > highest:
                    best, highest = rows[j], ious[j]
            while first_free < groups.gt_stop[k] and taken[groups.gt_order[first_free]]:
                first_free += 1
            if best < 0 and first_free < groups.gt_stop[k]:
                best = groups.gt_order[first_free]
            if best >= 0:
                match[i_pred], taken[best] = best, True
    return match


@njit(nogil=True, cache=True)
def pair_overlaps(overlaps: Overlaps, gt_rows: Positions, pred_rows: Positions) -> Floats:
    """float64[pairs]: the IoU of each pair of a gt and a pred."""
    values = np.zeros(gt_rows.size)
    for k in range(gt_rows.size):
        first, last = overlaps.start[pred_rows[k]], overlaps.stop[pred_rows[k]]
        at = first + np.searchsorted(overlaps.gt[first:last], gt_rows[k])
        if at < last and overlaps.gt[at] == gt_rows[k]:
            values[k] = overlaps.values[at]
    return values


@njit(nogil=True, cache=True)
def order_from_left(groups: Groups, gt_centres: Floats) -> Positions:
    """int64[gt]: `gt_order` with the gt of each group sorted from left to right."""
    order = groups.gt_order.copy()
    for k in range(groups.gt_start.size):
        part = order[groups.gt_start[k] : groups.gt_stop[k]]
        if part.size > 1:
            part[:] = part[np.argsort(gt_centres[part, 0], kind="mergesort")]
    return order


@njit(nogil=True, cache=True)
def near_in_x(groups: Groups, gt_centres: Floats, pred_centres: Floats, tolerance: tuple[float, float]) -> Positions:
    """int64[groups]: the number of pairs whose centres are near in x, without visiting them.

    Here and in the functions below, `gt_order` must be sorted by `order_from_left`, so that only near gt are visited.
    """
    found = np.zeros(groups.pred_start.size, np.int64)
    for k in range(groups.pred_start.size):
        from_left = gt_centres[groups.gt_order[groups.gt_start[k] : groups.gt_stop[k]], 0]
        for i in range(groups.pred_start[k], groups.pred_stop[k]):
            x = pred_centres[groups.pred_order[i], 0]
            found[k] += np.searchsorted(from_left, x + tolerance[0]) - np.searchsorted(from_left, x - tolerance[0])
    return found


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
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
