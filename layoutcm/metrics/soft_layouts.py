"""Soft scores of layouts, from sums per page and label over the tiles between box edges.

The score of a label at a pixel is the highest score of its boxes there. Labels do not affect each other, so each label
is swept separately, in compiled code: down the page from edge to edge, and in each strip from left to right over the
boxes that cross it. Two results are collected on the way: sums for soft scores, and for every box the area on which it
decides. No map of pixels is created; pages with outlines or masks are counted by rows, like label sets. The sums add up
over pages, so the scores of every level come from the same rows.
"""

# Numba derives the types of compiled functions from their arguments.
# mypy: allow-untyped-defs

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.alignment.min_scores import MinScore
from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.compiled import compiled_for_many, compiled_part, inlined
from layoutcm.layouts.model import GT, PRED, X0, X1, Y0, Y1, Floats, Indices, outside_unit_interval
from layoutcm.metrics.scores import ratio
from layoutcm.metrics.soft import SOFT_SCORES, denominators, scores_from_sums
from layoutcm.pixels.counting import PAGES_PER_CHUNK, count_tiles, map_chunks
from layoutcm.pixels.grid import GridBoxes, alignment_to_grid
from layoutcm.pixels.pair_counts import words_for
from layoutcm.pixels.raster import TileGrid

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


@dataclass(frozen=True, eq=False)
class SoftSums:
    """One row per page and label with a score above 0 on either side, sorted by page."""

    page: Indices
    label: Indices  # number of the label, without Background
    sums: Floats  # [rows, 5], over the pixels of the page: gt x pred, gt, pred, gt squared, pred squared

    def of_pages(self, pages: NDArray[np.int64]) -> SoftSums:
        keep = np.isin(self.page, pages)
        return SoftSums(self.page[keep], self.label[keep], self.sums[keep])


def soft_sums(alignment: Alignment, rounding: str, min_score: MinScore, threads: int | None) -> SoftSums | None:
    """The sums of all pages of two aligned layouts; None if the labels differ or a score is not in 0..1."""
    grid = alignment_to_grid(alignment, rounding, min_score)
    of_shapes = [shape.score for shapes in grid.shapes.values() for shape in shapes]
    if not alignment.space.shared or outside_unit_interval(np.append(grid.scores, of_shapes)).any():
        return None
    clamped = lambda one: one._replace(score=min(max(one.score, 0.0), 1.0))
    shapes = {page: list(map(clamped, of_page)) for page, of_page in grid.shapes.items()}
    grid = replace(grid, scores=np.clip(grid.scores, 0, 1), shapes=shapes)
    pages = len(alignment.pages)
    starts = range(0, pages, PAGES_PER_CHUNK)
    work = lambda first: sum_pages(first, min(first + PAGES_PER_CHUNK, pages), grid, alignment.space)
    return join_sums(list(map_chunks(work, starts, threads)))


def sum_pages(first: int, stop: int, grid: GridBoxes, space: LabelSpace) -> SoftSums:
    """The sums of the pages first:stop; `space` gives the common numbers of the labels of both sides."""
    place = common_labels(grid, space)
    parts, begin = [], first
    for page in pages_by_tiles(first, stop, grid):
        parts += [SoftSums(*sweep_labels(begin, page, grid, place)), _sum_shapes(page, grid, place)]
        begin = page + 1
    return join_sums([*parts, SoftSums(*sweep_labels(begin, stop, grid, place))])


def common_labels(grid: GridBoxes, space: LabelSpace) -> NDArray[np.int64]:
    """int64[labels of both sides]: the common number of each, -1 for the label of pixels that are not judged."""
    place = np.concatenate([space.gt_positions[1:], [0] if grid.ignores else [], space.pred_positions[1:]])
    return place.astype(np.int64) - 1


def pages_by_tiles(first: int, stop: int, grid: GridBoxes) -> list[int]:
    """The pages of first:stop that have outlines, masks or pixels that are not judged, in order."""
    return sorted(page for page in grid.shapes.keys() | grid.ignoring_pages if first <= page < stop)


def _sum_shapes(page: int, grid: GridBoxes, place: NDArray[np.int64]) -> SoftSums:
    """The sums of a page with outlines, masks or pixels that are not judged, from the pixels of every set of scores."""
    labels, sums = [], []
    for label, gt, pred, pixels in scores_on_tiles(page, grid, place):
        row = np.array([(a * pixels).sum() for a in (gt * pred, gt, pred, gt * gt, pred * pred)])
        if row[GT_SUM] > 0 or row[PRED_SUM] > 0:
            labels.append(label)
            sums.append(row)
    return SoftSums(np.full(len(labels), page, np.int32), np.array(labels, np.int32), np.array(sums).reshape(-1, 5))


def scores_on_tiles(
    page: int, grid: GridBoxes, place: NDArray[np.int64], nothing: float = 0.0
) -> Iterator[tuple[int, Floats, Floats, Floats]]:
    """For each label of a page: its number, its scores in gt, its scores in pred, and the pixels of each pair.

    A side without the label has the score `nothing`.
    """
    of_boxes = place[grid.labels[grid.offsets[page] : grid.offsets[page + 1]]]
    of_shapes = place[[shape.label for shape in grid.shapes.get(page, ())]]
    for label in np.union1d(of_boxes, of_shapes).tolist():
        if label >= 0:
            tiles = grid.tiles(page, (np.isin(of_boxes, (label, -1)), np.isin(of_shapes, (label, -1))))
            yield label, *_scores_with_pixels(tiles, grid, nothing)


def _scores_with_pixels(tiles: TileGrid, grid: GridBoxes, nothing: float) -> tuple[Floats, Floats, Floats]:
    """For every set of scores of one label that occurs on a tile: the highest of gt, that of pred, and the pixels.

    Pixels are counted as for the confusion matrix, with the different scores of each side as its labels. The score of
    areas that are not judged is infinite here, so no other is higher; their pixels are left out.
    """
    labels = np.concatenate([tiles.labels, [shape.label for shape in tiles.shapes]]).astype(np.int64)
    scores = np.concatenate([tiles.scores, [shape.score for shape in tiles.shapes]])
    scores = np.where(labels == grid.ignore_label, np.inf, scores)
    in_pred, number = labels >= grid.n_labels[GT], np.empty(labels.size, np.int32)
    values = [np.unique(scores[rows]) for rows in (~in_pred, in_pred)]
    for rows, of_side, first in zip((~in_pred, in_pred), values, (0, values[GT].size)):
        number[rows] = np.searchsorted(of_side, scores[rows]) + first
    own = number[: tiles.labels.size]
    shapes = [shape._replace(label=int(k)) for shape, k in zip(tiles.shapes, number[own.size :])]
    n_labels = (values[GT].size, values[PRED].size)
    _, words, pixels = count_tiles(tiles._replace(labels=own, shapes=shapes), n_labels, grid.limit)
    gt_words = words_for(n_labels[GT])
    gt, pred = (_highest(*side, nothing) for side in zip((words[:, :gt_words], words[:, gt_words:]), values))
    judged = np.isfinite(gt)
    return gt[judged], pred[judged], pixels[judged]


def _highest(words: NDArray[np.uint64], values: Floats, nothing: float) -> Floats:
    """float64[sets]: the highest value of a set; `nothing` for the set of Background. Bit i + 1 is the i-th value."""
    bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little")
    return np.where(bits[:, 1 : values.size + 1], values, nothing).max(axis=1, initial=nothing)


def join_sums(parts: list[SoftSums]) -> SoftSums:
    """The rows of consecutive chunks of pages, one after the other."""
    empty = SoftSums(np.empty(0, np.int32), np.empty(0, np.int32), np.empty((0, 5)))
    columns = zip(*((part.page, part.label, part.sums) for part in (empty, *parts)))
    return SoftSums(*(np.concatenate(column) for column in columns))


def layout_scores(
    sums: SoftSums | None, pages: NDArray[np.int64] | None, labels: int, average: str | None, beta: float, eps: float
) -> dict[str, Any]:
    """The `soft_scores` of all pages of a layout or of some; they are its samples. All are nan if there are no sums.

    They are read by people, so 0/0 is nan. As in the confusion matrix, a label or page that has no score on either
    side is left out of means, another one whose value is nan counts 0, and if all values are nan, so is the mean.
    """
    if sums is None:
        return {name: np.full(labels, np.nan) if average is None else float("nan") for name in SOFT_SCORES}
    sums = sums if pages is None else sums.of_pages(pages)
    if average == "micro":
        totals = _group_totals(sums.sums, np.zeros(len(sums.page), np.int64), 1)
    elif average == "samples":
        pages, group = np.unique(sums.page, return_inverse=True)
        totals = _group_totals(sums.sums, group, pages.size)
    else:
        totals = _group_totals(sums.sums, sums.label, labels)
    scored = (totals[GT_SUM] > 0) | (totals[PRED_SUM] > 0)
    values, wholes = scores_from_sums(np, *totals, beta=beta, eps=eps), denominators(*totals[1:], beta=beta)
    if average is None:
        return {name: np.where(wholes[name] == 0, np.nan, values[name]) for name in SOFT_SCORES}
    weights = totals[GT_SUM] if average == "weighted" else scored.astype(float)
    whole = {name: weights.sum() if wholes[name].any() else 0.0 for name in SOFT_SCORES}
    return {name: float(ratio((weights * values[name]).sum(), whole[name])) for name in SOFT_SCORES}


def _group_totals(sums: Floats, group: NDArray[np.integer], groups: int) -> Floats:
    """float64[5, groups] from float64[rows, 5]."""
    return np.stack([np.bincount(group, column, minlength=groups) for column in sums.T]).astype(float)
