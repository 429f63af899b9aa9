"""Soft scores of layouts: the sums they need of every page and label, over the cells between box edges.

A label's score at a pixel is the highest score of its boxes there. Only boxes of one label meet each other, so each
label is swept by itself: down the page from edge to edge, and in each strip from left to right over the few boxes that
are alive in it. No map of scores is ever made. The sums add up over pages, so every level is read off the same rows.
"""
# mypy: disallow-untyped-defs=False

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.layouts.model import GT, X0, X1, Y0, Y1, Floats, Indices, outside_unit_interval
from layoutcm.metrics.soft import SOFT_SCORES, scores_from_sums
from layoutcm.pixels.counting import PAGES_A_CHUNK, map_chunks
from layoutcm.pixels.grid import GridBoxes, alignment_to_grid

BOTH, GT_SUM, PRED_SUM, GT_SQUARES, PRED_SQUARES = range(5)


@dataclass(frozen=True, eq=False)
class SoftSums:
    """One row for each page and label that either side scores there, sorted by page.

    `sums` is float64[rows, 5]: over the page's pixels, of gt x pred, gt, pred, gt squared, pred squared.
    """

    page: Indices
    label: Indices  # counted without Background
    sums: Floats

    def of_pages(self, pages: NDArray[np.int64]) -> SoftSums:
        keep = np.isin(self.page, pages)
        return SoftSums(self.page[keep], self.label[keep], self.sums[keep])


def soft_sums(alignment: Alignment, rounding: str, min_score: float | None, threads: int | None) -> SoftSums | None:
    """The sums of all pages of two aligned layouts; None where soft scores have no meaning."""
    grid = alignment_to_grid(alignment, rounding, min_score)
    if not alignment.space.shared or outside_unit_interval(grid.scores).any():
        return None
    pages = len(alignment.pages)
    starts = range(0, pages, PAGES_A_CHUNK)
    work = lambda first: sum_pages(first, min(first + PAGES_A_CHUNK, pages), grid, alignment.space)
    return join_sums(list(map_chunks(work, starts, threads)))


def sum_pages(first: int, last: int, grid: GridBoxes, space: LabelSpace) -> SoftSums:
    """The sums of the pages first:last; `space` says which labels of the two sides are one."""
    low, high = grid.offsets[first], grid.offsets[last]
    most = int(np.diff(grid.offsets[first : last + 1]).max(initial=0))
    place = np.concatenate([space.gt_place[1:], space.pred_place[1:]]) - 1
    scratch = np.empty((3, most), np.int64)
    # A row has at least one box, so there is room for all.
    page, label, sums = np.empty(high - low, np.int32), np.empty(high - low, np.int32), np.zeros((high - low, 5))
    rows = _sum_pages(
        first, last, grid.offsets, grid.boxes, grid.labels, grid.scores, grid.n_labels[GT], place, scratch,
        page, label, sums,
    )  # fmt: skip
    return SoftSums(page[:rows].copy(), label[:rows].copy(), sums[:rows].copy())


def join_sums(parts: list[SoftSums]) -> SoftSums:
    """The rows of consecutive chunks of pages, one after the other."""
    empty = SoftSums(np.empty(0, np.int32), np.empty(0, np.int32), np.empty((0, 5)))
    columns = zip(*((part.page, part.label, part.sums) for part in (empty, *parts)))
    return SoftSums(*(np.concatenate(column) for column in columns))


def layout_scores(sums: SoftSums | None, labels: int, average: str | None, beta: float, eps: float) -> dict[str, Any]:
    """`soft_scores` of a layout; the samples are its pages.

    A label or page that neither side scores is left out of means and is nan by itself, as in the confusion matrix. All
    is nan without sums.
    """
    if sums is None:
        return {name: np.full(labels, np.nan) if average is None else float("nan") for name in SOFT_SCORES}
    if average == "micro":
        by = _summed(sums.sums, np.zeros(len(sums.page), np.int64), 1)
    elif average == "samples":
        pages, group = np.unique(sums.page, return_inverse=True)
        by = _summed(sums.sums, group, pages.size)
    else:
        by = _summed(sums.sums, sums.label, labels)
    scored = (by[GT_SUM] > 0) | (by[PRED_SUM] > 0)
    values = scores_from_sums(np, *by, beta=beta, eps=eps)
    if average is None:
        return {name: np.where(scored, values[name], np.nan) for name in SOFT_SCORES}
    return {name: float(values[name][scored].mean()) if scored.any() else float("nan") for name in SOFT_SCORES}


def _summed(sums: Floats, group: NDArray[np.integer], groups: int) -> Floats:
    """float64[5, groups] from float64[rows, 5]."""
    return np.stack([np.bincount(group, column, minlength=groups) for column in sums.T]).astype(float)


@njit(nogil=True, cache=True)
def _sum_pages(first, last, offsets, boxes, labels, scores, gt_labels, place, scratch, page_of, label_of, sums):
    """Write the rows of the pages first:last; their number."""
    order, alive, open_ = scratch[0], scratch[1], scratch[2]
    rows = 0
    for page in range(first, last):
        n = offsets[page + 1] - offsets[page]
        for i in range(n):
            order[i] = offsets[page] + i
        _sort_boxes(order, n, boxes, labels, place)
        start = 0
        while start < n:
            label, end = place[labels[order[start]]], start + 1
            while end < n and place[labels[order[end]]] == label:
                end += 1
            row = sums[rows]
            _sum_label(order[start:end], boxes, labels, scores, gt_labels, alive, open_, row)
            if row[GT_SUM] > 0.0 or row[PRED_SUM] > 0.0:
                page_of[rows], label_of[rows] = page, label
                rows += 1
            start = end
    return rows


@njit(nogil=True, cache=True)
def _sort_boxes(order, size, boxes, labels, place):
    """Shell sort of order[:size] by label, then by upper edge."""
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


@njit(nogil=True, cache=True)
def _sum_label(group, boxes, labels, scores, gt_labels, alive, open_, row):
    """Add up one label of one page, strip by strip; `group` holds its boxes from the top down.

    Within a strip no box begins or ends; `alive` holds the boxes that cross it, from left to right.
    """
    waiting, n_alive, y = 0, 0, 0.0
    while waiting < group.size or n_alive > 0:
        if n_alive == 0:
            y = boxes[group[waiting], Y0]
        while waiting < group.size and boxes[group[waiting], Y0] <= y:
            box = group[waiting]
            waiting += 1
            if boxes[box, X1] <= boxes[box, X0] or boxes[box, Y1] <= boxes[box, Y0]:
                continue
            k = n_alive
            while k > 0 and boxes[alive[k - 1], X0] > boxes[box, X0]:
                alive[k] = alive[k - 1]
                k -= 1
            alive[k] = box
            n_alive += 1
        if n_alive == 0:
            continue
        bottom = boxes[group[waiting], Y0] if waiting < group.size else np.inf
        for k in range(n_alive):
            bottom = min(bottom, boxes[alive[k], Y1])
        _add_strip(bottom - y, alive, n_alive, boxes, labels, scores, gt_labels, open_, row)
        y = bottom
        n_alive = _keep_beyond(y, alive, n_alive, boxes, Y1)


@njit(nogil=True, cache=True)
def _add_strip(height, alive, n_alive, boxes, labels, scores, gt_labels, open_, row):
    """Walk a strip from left to right; `open_` holds the boxes that lie over the current stretch."""
    coming, n_open, x = 0, 0, 0.0
    while coming < n_alive or n_open > 0:
        if n_open == 0:
            x = boxes[alive[coming], X0]
        while coming < n_alive and boxes[alive[coming], X0] <= x:
            open_[n_open] = alive[coming]
            n_open += 1
            coming += 1
        right = boxes[alive[coming], X0] if coming < n_alive else np.inf
        gt, pred = 0.0, 0.0
        for k in range(n_open):
            box = open_[k]
            right = min(right, boxes[box, X1])
            if labels[box] < gt_labels:
                gt = max(gt, scores[box])
            else:
                pred = max(pred, scores[box])
        area = (right - x) * height
        row[BOTH] += area * gt * pred
        row[GT_SUM] += area * gt
        row[PRED_SUM] += area * pred
        row[GT_SQUARES] += area * gt * gt
        row[PRED_SQUARES] += area * pred * pred
        x = right
        n_open = _keep_beyond(x, open_, n_open, boxes, X1)


@njit(inline="always")  # called for every cell: a third of the time would go into the calls
def _keep_beyond(edge, crossing, size, boxes, end):
    """Leave in crossing[:size] the boxes that end beyond an edge, in their order; their number."""
    kept = 0
    for k in range(size):
        if boxes[crossing[k], end] > edge:
            crossing[kept] = crossing[k]
            kept += 1
    return kept
