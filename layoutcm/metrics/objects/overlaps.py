"""Which objects of a page overlap, and their IoU. Pages on which too many overlap are left out of all views of objects.

The pairs of a page are found by moving a line over it, along the side on which fewer objects meet, so the cost is
that of the objects near each other. All matchers use the same pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.compiled import compiled_for_many, compiled_part, inlined
from layoutcm.errors import short_repr
from layoutcm.layouts.model import Floats, Positions
from layoutcm.lazy import coco_mask
from layoutcm.metrics.objects.instances import MOST_RUNS_ON_A_PAGE, Instances
from layoutcm.metrics.objects.matching import Groups, Overlaps, group_regions, sorted_rows

# A page of 10,000 words has about 100,000 pairs that overlap, and 2 million that share a line. Here 1,400 objects may
# all overlap 1,400 others. Each limit is for one page, and for all pages together.
MOST_WORK_ON_A_PAGE, MOST_WORK, MORE_WORK_PER_PAGE = 2_000_000, 8_000_000, 1_000
MOST_TESTS_ON_A_PAGE, MOST_TESTS, MORE_TESTS_PER_PAGE = 50_000_000, 200_000_000, 10_000
BYTES_OF_RUNS = 50  # comparing this many takes about as long as matching one pair
FEW_TESTS = 2_000  # on such a page all objects are compared with all others
# The pred of these pairs are neighbours, so all their gt are few: the IoU of all with all takes a few megabytes.
PAIRS_AT_A_TIME = 2000


class Limits(NamedTuple):
    """Limits: `work` is the cost of all pairs, `tests` is the number of comparisons of two boxes."""

    work_on_a_page: int
    work: int
    tests_on_a_page: int
    tests: int


class Boxes(NamedTuple):
    """The boxes of one side, as the search for pairs needs them."""

    boxes: Floats  # [objects, x y width height]
    crowd: NDArray[np.bool_]
    work: Positions  # what each object adds to the work of a pair


def overlaps_of(gt: Instances, pred: Instances) -> tuple[Overlaps, Positions]:
    """The overlaps of all objects, and the pages (numbers) that were left out because too many objects overlap."""
    masked = bool(gt.masks and pred.masks)
    gt_boxes, pred_boxes = (
        _mask_boxes(side) if masked else Boxes(side.boxes, side.crowd, np.zeros(len(side), np.int64))
        for side in (gt, pred)
    )
    # Pred with masks from top to bottom, so neighbours follow each other.
    groups = group_regions(gt.page, pred.page, -pred_boxes.boxes[:, 1] if masked else None)
    pages = pred.page[groups.pred_order[groups.pred_start]]
    limits = Limits(
        MOST_WORK_ON_A_PAGE,
        MOST_WORK + MORE_WORK_PER_PAGE * len(pages),
        MOST_TESTS_ON_A_PAGE,
        MOST_TESTS + MORE_TESTS_PER_PAGE * len(pages),
    )
    found, crowded = overlapping_boxes(groups, gt_boxes, pred_boxes, limits)
    if masked:
        found = found._replace(values=_mask_ious(gt, pred, groups, found))
    return found, pages[crowded]


def crowded_note(names: Sequence[str]) -> str:
    """A sentence about the pages that were left out of objects; "" if there are none."""
    reason = f"more than {MOST_WORK_ON_A_PAGE:,} pairs overlap on a page, or far more in all"
    return left_out_note("objects", names, reason)


def full_note(names: Sequence[str]) -> str:
    """A sentence about the pages that were left out of objects because of their outlines; "" if there are none."""
    reason = f"masks and outlines have more than {MOST_RUNS_ON_A_PAGE:,} runs of pixels on a page, or far more in all"
    return left_out_note("objects", names, reason, "Compare boxes, or simplify the outlines.")


def left_out_note(
    view: str, names: Sequence[str], reason: str, advice: str = "Remove duplicates, or compare fewer regions."
) -> str:
    if not names:
        return ""
    pages = f"page {short_repr(names[0])}" + (f" and {len(names) - 1:,} more" if len(names) > 1 else "")
    return f"Left out of {view}, because {reason}: {pages}. {advice}"


def _mask_boxes(side: Instances) -> Boxes:
    boxes = np.asarray(coco_mask.toBbox(list(side.masks)), float).reshape(-1, 4)
    work = np.array([len(one["counts"]) // BYTES_OF_RUNS for one in side.masks], np.int64)
    return Boxes(boxes, side.crowd, work)


def _mask_ious(gt: Instances, pred: Instances, groups: Groups, found: Overlaps) -> Floats:
    """float64[pairs]: IoU of masks, block by block; the pairs of a block are on the same page."""
    values = np.empty(len(found.gt))
    for first, stop in zip(groups.pred_start, groups.pred_stop):
        rows = groups.pred_order[first:stop]
        pred_rows = np.repeat(rows, found.stop[rows] - found.start[rows])
        at = found.start[rows[0]] + np.arange(pred_rows.size)  # the pairs of a page follow each other
        for block in np.array_split(np.arange(at.size), at.size // PAIRS_AT_A_TIME + 1):
            if block.size:
                values[at[block]] = _block_ious(gt, pred, found.gt[at[block]], pred_rows[block])
    return values


def _block_ious(gt: Instances, pred: Instances, gt_rows: Positions, pred_rows: Positions) -> Floats:
    gt_used, gt_at = np.unique(gt_rows, return_inverse=True)
    pred_used, pred_at = np.unique(pred_rows, return_inverse=True)
    crowd = gt.crowd[gt_used].astype(int).tolist()
    iou = coco_mask.iou([pred.masks[i] for i in pred_used], [gt.masks[i] for i in gt_used], crowd)
    return np.asarray(iou, float).reshape(len(pred_used), len(gt_used))[pred_at, gt_at]


def overlapping_boxes(groups: Groups, gt: Boxes, pred: Boxes, limits: Limits) -> tuple[Overlaps, NDArray[np.bool_]]:
    """The IoU of all boxes of a group that have an area in common, and bool[groups]: True where a limit was exceeded.

    Such a group has no pairs.
    """
    pairs = groups.most_pairs
    most = max(0, min(int(pairs.sum()), limits.work))  # reserved memory costs nothing until it is used
    nothing = np.zeros((2, len(pred.boxes)), np.int64)
    found = Overlaps(np.empty(most), np.empty(most, np.int32), *nothing)
    crowded = np.zeros(pairs.size, bool)
    # Without a page that is swept, the sweep is not even compiled: numba drops what depends on an argument of None.
    n = _list_pairs(groups, gt, pred, limits, found, crowded, True if (pairs > FEW_TESTS).any() else None)
    return found._replace(values=found.values[:n].copy(), gt=found.gt[:n].copy()), crowded


@compiled_for_many(steps=lambda groups, *_: 5 * groups.pred_order.size + int(groups.most_pairs.sum()))
def _list_pairs(
    groups: Groups,
    gt: Boxes,
    pred: Boxes,
    limits: Limits,
    found: Overlaps,
    crowded: NDArray[np.bool_],
    sweep: bool | None,
) -> int:
    """Write the pairs of all groups to `found` and what was left out to `crowded`. Return the number of pairs."""
    n, work, tests = 0, 0, 0
    for k in range(crowded.size):
        most_work = min(limits.work_on_a_page, limits.work - work)
        its_tests = (groups.gt_stop[k] - groups.gt_start[k]) * (groups.pred_stop[k] - groups.pred_start[k])
        if sweep is not None and its_tests > FEW_TESTS:
            most_tests = min(limits.tests_on_a_page, limits.tests - tests)
            codes, its_work, its_tests = _pairs_of_large_page(groups, k, gt, pred, most_work, most_tests)
            if its_work >= 0:
                _write_pairs(codes, groups, k, gt, pred, found, n)
        else:
            its_work = _compare_all(groups, k, gt, pred, most_work, found, n)
        tests += its_tests  # those of a page that is left out took their time, too
        crowded[k] = its_work < 0
        work += max(its_work, 0)
        first = n
        for i in range(groups.pred_start[k], groups.pred_stop[k]):
            i_pred = groups.pred_order[i]
            if crowded[k]:
                found.start[i_pred] = found.stop[i_pred] = first
            n = max(n, found.stop[i_pred])
    return n


@inlined
def _compare_all(groups: Groups, k: int, gt: Boxes, pred: Boxes, most_work: int, found: Overlaps, n: int) -> int:
    """Write the pairs of a page to `found` from position n on. Return their work, or -1 if it exceeds the limit."""
    work, at, gt_boxes, pred_boxes = 0, n, gt.boxes, pred.boxes
    for i in range(groups.pred_start[k], groups.pred_stop[k]):
        i_pred = groups.pred_order[i]
        x, y = pred_boxes[i_pred, 0], pred_boxes[i_pred, 1]
        right, bottom = pred_boxes[i_pred, 2] + x, pred_boxes[i_pred, 3] + y
        found.start[i_pred] = at
        for j in range(groups.gt_start[k], groups.gt_stop[k]):
            i_gt = groups.gt_order[j]
            if gt_boxes[i_gt, 1] >= bottom or gt_boxes[i_gt, 3] + gt_boxes[i_gt, 1] <= y:
                continue
            if gt_boxes[i_gt, 0] >= right or gt_boxes[i_gt, 2] + gt_boxes[i_gt, 0] <= x:
                continue
            iou = box_overlap(gt, i_gt, pred, i_pred)
            if iou <= 0 or work < 0:
                continue
            work += 1 + gt.work[i_gt] + pred.work[i_pred]
            if work > most_work:
                work = -1
                continue
            found.gt[at], found.values[at] = i_gt, iou
            at += 1
        found.stop[i_pred] = at
    return work


@inlined
def box_overlap(gt: Boxes, i_gt: int, pred: Boxes, i_pred: int) -> float:
    """IoU of two boxes in the same steps as COCO; for a crowd, the share of pred inside it."""
    a, b = gt.boxes, pred.boxes
    width = min(b[i_pred, 2] + b[i_pred, 0], a[i_gt, 2] + a[i_gt, 0]) - max(b[i_pred, 0], a[i_gt, 0])
    if width <= 0:
        return 0.0
    height = min(b[i_pred, 3] + b[i_pred, 1], a[i_gt, 3] + a[i_gt, 1]) - max(b[i_pred, 1], a[i_gt, 1])
    common, area = width * height, b[i_pred, 2] * b[i_pred, 3]
    if common <= 0:
        return 0.0
    same_place = b[i_pred, 0] == a[i_gt, 0] and b[i_pred, 1] == a[i_gt, 1]
    if same_place and b[i_pred, 2] == a[i_gt, 2] and b[i_pred, 3] == a[i_gt, 3]:
        return 1.0  # rounding may end next to it
    return common / (area if gt.crowd[i_gt] else area + a[i_gt, 2] * a[i_gt, 3] - common)


@inlined
def _write_pairs(codes: Floats, groups: Groups, k: int, gt: Boxes, pred: Boxes, found: Overlaps, n: int) -> None:
    """Write the pairs of a large page to `found` from position n on, by pred, then by gt."""
    order, at, first = sorted_rows(codes), 0, groups.pred_start[k]
    n_gt = groups.gt_stop[k] - groups.gt_start[k]
    for i in range(groups.pred_stop[k] - first):
        i_pred = groups.pred_order[first + i]
        found.start[i_pred] = n + at
        while at < codes.size and codes[order[at]] < (i + 1) * n_gt:
            i_gt = groups.gt_order[groups.gt_start[k] + int(codes[order[at]]) - i * n_gt]
            found.gt[n + at], found.values[n + at] = i_gt, box_overlap(gt, i_gt, pred, i_pred)
            at += 1
        found.stop[i_pred] = n + at


@compiled_part
def _pairs_of_large_page(
    groups: Groups, k: int, gt: Boxes, pred: Boxes, most_work: int, most_tests: int
) -> tuple[Floats, int, int]:
    """(position of pred * number of gt + position of gt) of all pairs with a common area, their work, and the tests.

    The work is -1 if it or the tests would exceed a limit.
    """
    n_gt = groups.gt_stop[k] - groups.gt_start[k]
    n = n_gt + groups.pred_stop[k] - groups.pred_start[k]
    edges, weights = np.empty((2, 2, n)), np.empty(n, np.int64)  # edges[axis]: where boxes start and end
    for i in range(n):
        if i < n_gt:
            side, row = gt, groups.gt_order[groups.gt_start[k] + i]
        else:
            side, row = pred, groups.pred_order[groups.pred_start[k] + i - n_gt]
        weights[i] = side.work[row]
        for axis in range(2):
            edges[axis, 0, i] = side.boxes[row, axis]
            edges[axis, 1, i] = side.boxes[row, axis] + side.boxes[row, axis + 2]
    in_x, in_y = _meeting_on_axis(edges[0], n_gt), _meeting_on_axis(edges[1], n_gt)
    if min(in_x, in_y) > most_tests:
        return np.empty(0), -1, 0
    axis = 0 if in_x < in_y else 1
    return _sweep(edges[axis], edges[1 - axis], weights, n_gt, most_work)


@compiled_part
def _meeting_on_axis(edges: Floats, n_gt: int) -> int:
    """The number of pairs of boxes whose projections on an axis overlap, without listing them."""
    starts, ends = edges[0], edges[1]
    begun, not_over = _count_before(starts[:n_gt], ends[n_gt:]), _count_before(starts[n_gt:], ends[:n_gt])
    return begun + not_over - n_gt * (starts.size - n_gt)


@compiled_part
def _count_before(starts: Floats, ends: Floats) -> int:
    """The number of pairs of a start and an end that is higher."""
    order, total = sorted_rows(starts), 0
    for end in ends:
        first, last = 0, starts.size
        while first < last:
            middle = (first + last) // 2
            if starts[order[middle]] < end:
                first = middle + 1
            else:
                last = middle
        total += first
    return total


@compiled_part
def _sweep(along: Floats, across: Floats, weights: Positions, n_gt: int, most_work: int) -> tuple[Floats, int, int]:
    """The pairs of `_pairs_of_large_page` in any order, their work, or -1 if it exceeds the limit, and the tests made.

    The boxes of both sides are visited in the order of their starts along an axis; each is compared with the boxes of
    the other side that have started and not ended.
    """
    starts, ends, lows, highs = along[0], along[1], across[0], across[1]
    opened, counts = np.empty((2, starts.size), np.int64), np.zeros(2, np.int64)  # of gt and of pred
    codes, n, work, tests = np.empty(max(0, min(n_gt * (starts.size - n_gt), most_work))), 0, 0, 0
    for at in sorted_rows(starts):
        side = int(at >= n_gt)
        others, kept = opened[1 - side], 0
        tests += counts[1 - side]
        for o in range(counts[1 - side]):
            other = others[o]
            if ends[other] <= starts[at]:
                continue
            others[kept] = other
            kept += 1
            if min(highs[at], highs[other]) > max(lows[at], lows[other]) and ends[at] > starts[at]:
                work += 1 + weights[at] + weights[other]
                if work > most_work:
                    return codes[:0], -1, tests
                codes[n] = (max(at, other) - n_gt) * n_gt + min(at, other)
                n += 1
        counts[1 - side] = kept
        opened[side, counts[side]] = at
        counts[side] += 1
    return codes[:n], work, tests
