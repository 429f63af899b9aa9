"""The compiled sweep over the tiles of one label after the other, for everything that depends on scores.

The score of a label at a pixel is the highest score of its boxes there. Labels do not affect each other, so each label
is swept separately: down the page from edge to edge, and in each strip from left to right over the boxes that cross it.
Two results are collected on the way: sums for soft scores, and for every box the area on which it decides.
"""

# Numba derives the types of compiled functions from their arguments.
# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.compiled import compiled_for_many, compiled_part, inlined
from layoutcm.layouts.model import GT, X0, X1, Y0, Y1, Floats, Indices
from layoutcm.pixels.grid import GridBoxes

BOTH, GT_SUM, PRED_SUM, GT_SQUARES, PRED_SQUARES = range(5)  # sums over pixels: gt x pred, gt, pred, and squares
IN_GT, NOT_IN_GT = range(2)  # columns of the areas


class ScoredBoxes(NamedTuple):
    """The boxes of both sides page by page; those of gt have labels below `gt_labels`."""

    offsets: NDArray[np.int64]
    boxes: Floats
    labels: Indices
    scores: Floats
    gt_labels: int
    place: NDArray[np.int64]  # the common number of each label of both sides


class Scratch(NamedTuple):
    """int64[boxes of a page] each: boxes in the order of the sweep, those that cross a strip, and those over a tile."""

    order: NDArray[np.int64]
    in_strip: NDArray[np.int64]
    in_tile: NDArray[np.int64]


def sweep_labels(
    first: int, stop: int, grid: GridBoxes, place: NDArray[np.int64], areas: Floats | None = None
) -> tuple[Indices, Indices, Floats]:
    """int32[rows] page and label, float64[rows, 5] sums of the pages first:stop, which have only boxes.

    `areas`, float64[boxes, 2], takes the area on which every box decides: where it is the pred box with the highest
    score of its label, or a gt box where the label has no pred box. Its columns are `IN_GT`, the part where gt has the
    label, and `NOT_IN_GT`.
    """
    low, high = grid.offsets[first], grid.offsets[stop]
    most = int(np.diff(grid.offsets[first : stop + 1]).max(initial=0))
    # Every row has at least one box, so there are at most as many rows as boxes.
    out = (np.empty(high - low, np.int32), np.empty(high - low, np.int32), np.zeros((high - low, 5)))
    boxes = ScoredBoxes(grid.offsets, grid.boxes, grid.labels, grid.scores, grid.n_labels[GT], place)
    given = np.empty((0, 2)) if areas is None else areas
    rows = _sweep_pages(first, stop, boxes, Scratch(*np.empty((3, most), np.int64)), out, given)
    page, label, sums = (column[:rows].copy() for column in out)
    return page, label, sums


@compiled_for_many(steps=lambda first, stop, grid, *_: int((np.diff(grid.offsets[first : stop + 1]) ** 2).sum()))
def _sweep_pages(first, stop, grid, scratch, out, areas):
    """Write the rows of the pages first:stop into `out` (page, label, sums). Return the number of rows."""
    page_of, label_of, sums = out
    order, labels, place = scratch.order, grid.labels, grid.place
    rows = 0
    for page in range(first, stop):
        n = grid.offsets[page + 1] - grid.offsets[page]
        for i in range(n):
            order[i] = grid.offsets[page] + i
        _sort_boxes(order, n, grid.boxes, labels, place)
        start = 0
        while start < n:
            label, end = place[labels[order[start]]], start + 1
            while end < n and place[labels[order[end]]] == label:
                end += 1
            row = sums[rows]
            _sweep_label(order[start:end], grid, scratch, row, areas)
            if row[GT_SUM] > 0.0 or row[PRED_SUM] > 0.0:
                page_of[rows], label_of[rows] = page, label
                rows += 1
            start = end
    return rows


@compiled_part
def _sort_boxes(order, size, boxes, labels, place):
    """Sort order[:size] by label, then by upper edge (Shell sort)."""
    gap = 1
    while gap < size // 30:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, size):
            box, j = order[i], i
            label, top = place[labels[box]], boxes[box, Y0]
            while j >= gap:
                other = order[j - gap]
                other_label = place[labels[other]]
                if other_label < label or (other_label == label and boxes[other, Y0] <= top):
                    break
                order[j] = other
                j -= gap
            order[j] = box
        gap //= 3


@compiled_part
def _sweep_label(group, grid, scratch, row, areas):
    """Add one label of one page to `row` and `areas`, strip by strip; `group` has its boxes from top to bottom.

    No box begins or ends inside a strip; `in_strip` has the boxes that cross it, from left to right.
    """
    boxes, in_strip = grid.boxes, scratch.in_strip
    next_box, n_in_strip, y = 0, 0, 0.0
    while next_box < group.size or n_in_strip > 0:
        if n_in_strip == 0:
            y = boxes[group[next_box], Y0]
        while next_box < group.size and boxes[group[next_box], Y0] <= y:
            box = group[next_box]
            next_box += 1
            if boxes[box, X1] <= boxes[box, X0] or boxes[box, Y1] <= boxes[box, Y0]:
                continue
            k = n_in_strip
            while k > 0 and boxes[in_strip[k - 1], X0] > boxes[box, X0]:
                in_strip[k] = in_strip[k - 1]
                k -= 1
            in_strip[k] = box
            n_in_strip += 1
        if n_in_strip == 0:
            continue
        bottom = boxes[group[next_box], Y0] if next_box < group.size else np.inf
        for k in range(n_in_strip):
            bottom = min(bottom, boxes[in_strip[k], Y1])
        _add_strip(bottom - y, n_in_strip, grid, scratch, row, areas)
        y = bottom
        n_in_strip = _keep_beyond(y, in_strip, n_in_strip, boxes, Y1)


@compiled_part
def _add_strip(height, n_in_strip, grid, scratch, row, areas):
    """Add the tiles of a strip to `row` and `areas`, from left to right; `in_tile` has the boxes over the tile."""
    boxes, scores, in_strip, in_tile = grid.boxes, grid.scores, scratch.in_strip, scratch.in_tile
    next_box, n_in_tile, x = 0, 0, 0.0
    while next_box < n_in_strip or n_in_tile > 0:
        if n_in_tile == 0:
            x = boxes[in_strip[next_box], X0]
        while next_box < n_in_strip and boxes[in_strip[next_box], X0] <= x:
            in_tile[n_in_tile] = in_strip[next_box]
            n_in_tile += 1
            next_box += 1
        right = boxes[in_strip[next_box], X0] if next_box < n_in_strip else np.inf
        gt, pred, gt_box, pred_box = 0.0, 0.0, -1, -1
        for k in range(n_in_tile):
            box = in_tile[k]
            right = min(right, boxes[box, X1])
            if grid.labels[box] < grid.gt_labels:
                gt, gt_box = max(gt, scores[box]), box
            elif pred_box < 0 or scores[box] > pred:
                pred, pred_box = max(0.0, scores[box]), box
        area = (right - x) * height
        row[BOTH] += area * gt * pred
        row[GT_SUM] += area * gt
        row[PRED_SUM] += area * pred
        row[GT_SQUARES] += area * gt * gt
        row[PRED_SQUARES] += area * pred * pred
        if len(areas):
            areas[pred_box if pred_box >= 0 else gt_box, IN_GT if gt_box >= 0 else NOT_IN_GT] += area
        x = right
        n_in_tile = _keep_beyond(x, in_tile, n_in_tile, boxes, X1)


@inlined  # called for every tile; without inlining, the calls take a third of the time
def _keep_beyond(edge, crossing, size, boxes, end):
    """Keep the boxes in crossing[:size] that end beyond an edge, in their order. Return their number."""
    kept = 0
    for k in range(size):
        if boxes[crossing[k], end] > edge:
            crossing[kept] = crossing[k]
            kept += 1
    return kept
