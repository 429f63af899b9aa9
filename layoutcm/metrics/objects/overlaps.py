"""Which objects of a page overlap, and their IoU. Pages on which too many overlap are left out of all views of objects.

The pairs of a page are found by moving a line over it, along the side on which fewer objects meet, so that the cost is
that of the objects near each other. All matchers use the same pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from layoutcm.errors import short_repr
from layoutcm.layouts.model import Floats, Positions
from layoutcm.metrics.objects.instances import Instances
from layoutcm.metrics.objects.matching import Groups, Overlaps, box_overlap, group_regions

# A page of 10,000 words has about 100,000 pairs that overlap, and 2 million that share a line. Here 1,400 objects may
# all overlap 1,400 others. Each limit is for one page, and for all pages together.
MOST_WORK_ON_A_PAGE, MOST_WORK, MORE_WORK_PER_PAGE = 2_000_000, 8_000_000, 1_000
MOST_TESTS_ON_A_PAGE, MOST_TESTS, MORE_TESTS_PER_PAGE = 50_000_000, 200_000_000, 10_000
BYTES_OF_RUNS = 50  # to compare as many takes about as long as to match one pair
FEW_TESTS = 2_000  # on such a page all objects are compared with all others
# The pred of these pairs are neighbours, so that all their gt are few: the IoU of all with all takes a few megabytes.
PAIRS_AT_A_TIME = 2000


class Limits(NamedTuple):
    """Work is what all pairs together cost; tests are comparisons of two boxes."""

    work_on_a_page: int
    work: int
    tests_on_a_page: int
    tests: int


class Boxes(NamedTuple):
    """What finding pairs needs of one side."""

    boxes: Floats  # [objects, x y width height]
    crowd: NDArray[np.bool_]
    work: Positions  # what each object adds to the work of a pair


def overlaps_of(gt: Instances, pred: Instances) -> tuple[Overlaps, Positions]:
    """The overlaps of all objects, and the pages (numbers) that were left out because too many objects overlap."""
    masked = bool(gt.masks and pred.masks)
    gt_boxes, pred_boxes = (_mask_boxes(side) if masked else _plain_boxes(side) for side in (gt, pred))
    # Pred from top to bottom, so that neighbours follow each other.
    groups = group_regions(gt.page, pred.page, -pred_boxes.boxes[:, 1])
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


def left_out_note(view: str, names: Sequence[str], reason: str) -> str:
    if not names:
        return ""
    pages = f"page {short_repr(names[0])}" + (f" and {len(names) - 1:,} more" if len(names) > 1 else "")
    return f"Left out of {view}, because {reason}: {pages}. Remove duplicates, or compare fewer regions."


def _plain_boxes(side: Instances) -> Boxes:
    return Boxes(side.boxes, side.crowd, np.zeros(len(side), np.int64))


def _mask_boxes(side: Instances) -> Boxes:
    from faster_coco_eval.core import mask

    boxes = np.asarray(mask.toBbox(list(side.masks)), float).reshape(-1, 4)
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
    from faster_coco_eval.core import mask

    gt_used, gt_at = np.unique(gt_rows, return_inverse=True)
    pred_used, pred_at = np.unique(pred_rows, return_inverse=True)
    crowd = gt.crowd[gt_used].astype(int).tolist()
    iou = mask.iou([pred.masks[i] for i in pred_used], [gt.masks[i] for i in gt_used], crowd)
    return np.asarray(iou, float).reshape(len(pred_used), len(gt_used))[pred_at, gt_at]


@njit(nogil=True, cache=True)
def overlapping_boxes(groups: Groups, gt: Boxes, pred: Boxes, limits: Limits) -> tuple[Overlaps, NDArray[np.bool_]]:
    """The IoU of all boxes of a group that have an area in common, and bool[groups]: True where a limit was exceeded.

    Such a group has no pairs.
    """
    start, stop = np.zeros(len(pred.boxes), np.int64), np.zeros(len(pred.boxes), np.int64)
    crowded = np.zeros(groups.pred_start.size, np.bool_)
    values, rows, n, work, tests = np.empty(1024), np.empty(1024, np.int32), 0, 0, 0
    for k in range(groups.pred_start.size):
        gt_rows = groups.gt_order[groups.gt_start[k] : groups.gt_stop[k]]
        pred_rows = groups.pred_order[groups.pred_start[k] : groups.pred_stop[k]]
        most = min(limits.work_on_a_page, limits.work - work)
        most_tests = min(limits.tests_on_a_page, limits.tests - tests)
        pairs, its_work, its_tests = _pairs_of_page(gt, pred, gt_rows, pred_rows, most, most_tests)
        tests += its_tests  # those of a page that is left out took their time, too
        crowded[k] = its_work < 0
        if crowded[k]:
            continue
        work += its_work
        while n + pairs.size > values.size:
            values, rows = np.concatenate((values, values)), np.concatenate((rows, rows))
        at = 0
        for i in range(pred_rows.size):
            i_pred = pred_rows[i]
            start[i_pred] = n
            while at < pairs.size and pairs[at] // gt_rows.size == i:
                i_gt = gt_rows[pairs[at] % gt_rows.size]
                rows[n], values[n] = i_gt, box_overlap(gt.boxes[i_gt], pred.boxes[i_pred], gt.crowd[i_gt])
                n, at = n + 1, at + 1
            stop[i_pred] = n
    return Overlaps(values[:n].copy(), rows[:n].copy(), start, stop), crowded


@njit(nogil=True, cache=True)
def _pairs_of_page(
    gt: Boxes, pred: Boxes, gt_rows: Positions, pred_rows: Positions, most_work: int, most_tests: int
) -> tuple[Positions, int, int]:
    """Ascending (position of pred * number of gt + position of gt) of all pairs with a common area, work, and tests.

    The work is -1 if it or the tests would exceed a limit.
    """
    if gt_rows.size * pred_rows.size <= FEW_TESTS:
        pairs, n, work = np.empty(gt_rows.size * pred_rows.size, np.int64), 0, 0
        for i in range(pred_rows.size):
            for j in range(gt_rows.size):
                if _meet(gt.boxes[gt_rows[j]], pred.boxes[pred_rows[i]]):
                    pairs[n] = i * gt_rows.size + j
                    n += 1
                    work += 1 + gt.work[gt_rows[j]] + pred.work[pred_rows[i]]
        return pairs[:n], work if work <= most_work else -1, pairs.size
    gt_boxes, pred_boxes = gt.boxes[gt_rows], pred.boxes[pred_rows]
    in_x, in_y = _meeting_on_axis(gt_boxes, pred_boxes, 0), _meeting_on_axis(gt_boxes, pred_boxes, 1)
    tests = min(in_x, in_y)
    if tests > most_tests:
        return np.empty(0, np.int64), -1, 0
    pairs, work, tests = _sweep(gt, pred, gt_rows, pred_rows, 0 if in_x < in_y else 1, most_work)
    pairs.sort()
    return pairs, work, tests


@njit(nogil=True, cache=True)
def _meet(gt: Floats, pred: Floats) -> bool:
    """Whether two boxes have an area in common; in the same steps as `box_overlap`."""
    return (
        min(pred[2] + pred[0], gt[2] + gt[0]) > max(pred[0], gt[0])
        and min(pred[3] + pred[1], gt[3] + gt[1]) > max(pred[1], gt[1])
    )  # fmt: skip


@njit(nogil=True, cache=True)
def _meeting_on_axis(gt: Floats, pred: Floats, axis: int) -> int:
    """The number of pairs of boxes whose projections on an axis overlap, without listing them."""
    starts, ends = np.sort(gt[:, axis]), np.sort(gt[:, axis] + gt[:, axis + 2])
    begun = np.searchsorted(starts, pred[:, axis] + pred[:, axis + 2], side="left")
    over = np.searchsorted(ends, pred[:, axis], side="right")
    return int((begun - over).sum())


@njit(nogil=True, cache=True)
def _sweep(
    gt: Boxes, pred: Boxes, gt_rows: Positions, pred_rows: Positions, axis: int, most_work: int
) -> tuple[Positions, int, int]:
    """The pairs of `_pairs_of_page` in any order, their work, or -1 if it exceeds the limit, and the tests made.

    The boxes of both sides are visited in the order of their starts on the axis; each is compared with the boxes of
    the other side that have started and not ended.
    """
    n_gt = gt_rows.size
    boxes = np.concatenate((gt.boxes[gt_rows], pred.boxes[pred_rows]))
    weight = np.concatenate((gt.work[gt_rows], pred.work[pred_rows]))
    starts, ends = boxes[:, axis].copy(), boxes[:, axis] + boxes[:, axis + 2]
    lows, highs = boxes[:, 1 - axis].copy(), boxes[:, 1 - axis] + boxes[:, 3 - axis]
    opened, counts = np.empty((2, len(boxes)), np.int64), np.zeros(2, np.int64)  # of gt and of pred
    n, work, tests, pairs = 0, 0, 0, np.empty(1024, np.int64)
    for at in np.argsort(starts, kind="mergesort"):
        side = int(at >= n_gt)
        others, kept = opened[1 - side], 0
        tests += counts[1 - side]
        if n + counts[1 - side] > pairs.size:
            pairs = np.concatenate((pairs, np.empty(pairs.size + counts[1 - side], np.int64)))
        for o in range(counts[1 - side]):
            other = others[o]
            if ends[other] <= starts[at]:
                continue
            others[kept] = other
            kept += 1
            if min(highs[at], highs[other]) > max(lows[at], lows[other]) and ends[at] > starts[at]:
                i, j = (other, at) if side == 0 else (at, other)
                pairs[n] = (i - n_gt) * n_gt + j
                n += 1
                work += 1 + weight[at] + weight[other]
        if work > most_work:
            return pairs[:0], -1, tests
        counts[1 - side] = kept
        opened[side, counts[side]] = at
        counts[side] += 1
    return pairs[:n], work, tests
