"""The causes of many pages: boxes become tiles, tiles become rows of (page, cause, gt label, pred label, pixels).

A page with outlines or masks has tiles of its own, with the regions on each of them.
"""

# Numba derives the types of compiled functions from their arguments.
# mypy: allow-untyped-defs

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.compiled import compiled, compiled_for_many, compiled_part
from layoutcm.diagnosis.cause_kernel import (
    CAUSES,
    PageRegionsOnTiles,
    add_causes,
    is_empty,
    overlaps_of_boxes,
    overlaps_on_tiles,
    set_bit,
    write_main_causes,
)
from layoutcm.diagnosis.pairing_kernel import find_statuses, pair_regions, sort_values
from layoutcm.errors import InputError
from layoutcm.layouts.model import GT, PRED, X0, X1, Y0, Y1, Regions
from layoutcm.pixels.counting import count_tiles
from layoutcm.pixels.grid import GridBoxes

IGNORED = -1  # the place of a label that marks pixels as not judged
ROW = np.dtype([("page", "i4"), ("cause", "i4"), ("gt", "i4"), ("pred", "i4"), ("pixels", "f8")])


@compiled_part
def edges_of(boxes, axis, end):
    """The distinct edges of boxes along an axis, with those of the page."""
    n = len(boxes)
    values = np.empty(2 * n + 2)
    values[0], values[1] = 0.0, end
    for i in range(n):
        values[2 + 2 * i], values[3 + 2 * i] = boxes[i, axis], boxes[i, axis + 2]
    sort_values(values)
    count = 1
    for i in range(1, len(values)):
        if values[i] != values[count - 1]:
            values[count] = values[i]
            count += 1
    return values[:count]


@compiled_part
def place_of(edges, value):
    """The position of a value among sorted edges."""
    low, high = 0, len(edges) - 1
    while low < high:
        middle = (low + high) // 2
        if edges[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@compiled_part
def tiles_under(box, x_edges, y_edges):
    """The first row and column of the tiles under a box, and the ends."""
    top, bottom = place_of(y_edges, box[Y0]), place_of(y_edges, box[Y1])
    return top, bottom, place_of(x_edges, box[X0]), place_of(x_edges, box[X1])


@compiled_part
def hide_tiles(sets, tiles):
    """Take all labels, also Background, from tiles that are not judged."""
    top, bottom, left, right = tiles
    for row in range(top, bottom):
        for column in range(left, right):
            for word in range(sets.shape[3]):
                sets[GT, row, column, word] = sets[PRED, row, column, word] = 0


@compiled_part
def tiles_of_page(boxes, places, n_gt, frame, distance, n_places):
    """The tiles of a page with boxes only, and the places in the matrix of its labels; Background is the first."""
    x_edges, y_edges = edges_of(boxes, 0, frame[0]), edges_of(boxes, 1, frame[1])
    known = np.zeros(n_places, np.int64)  # 0: not on this page, or Background
    used = np.zeros(len(places) + 1, np.int64)
    n_labels, regions, region_gt = 1, 0, 0
    labels = np.empty(len(places), np.int64)
    for i in range(len(places)):
        if places[i] == IGNORED:
            continue
        if known[places[i]] == 0:
            known[places[i]] = n_labels
            used[n_labels] = places[i]
            n_labels += 1
        labels[regions] = known[places[i]]
        regions += 1
        region_gt += i < n_gt
    rows, columns = len(y_edges) - 1, len(x_edges) - 1
    over = np.zeros((rows, columns, regions // 64 + 1), np.uint64)
    sets = np.zeros((2, rows, columns, n_labels // 64 + 1), np.uint64)
    region = 0
    for i in range(len(places)):
        if places[i] == IGNORED:
            continue
        top, bottom, left, right = tiles_under(boxes[i], x_edges, y_edges)
        for row in range(top, bottom):
            for column in range(left, right):
                set_bit(over[row, column], region)
                set_bit(sets[GT if i < n_gt else PRED, row, column], labels[region])
        region += 1
    for side in range(2):
        for row in range(rows):
            for column in range(columns):
                if is_empty(sets[side, row, column]):
                    sets[side, row, column, 0] = 1  # Background
    for i in range(len(places)):
        if places[i] == IGNORED:
            hide_tiles(sets, tiles_under(boxes[i], x_edges, y_edges))
    page = PageRegionsOnTiles(x_edges, y_edges, region_gt, labels[:regions], over, sets, distance)
    return page, used[:n_labels]


@compiled_part
def pair_on_page(page, boxes):
    """The overlaps of the regions of a page, their partners and their statuses.

    `boxes` are its regions, or empty if regions are not boxes or some of their pixels are not judged.
    """
    n = len(page.labels)
    overlap = np.zeros((n, n))
    partner, status = np.empty(n, np.int64), np.empty(n, np.int64)
    if len(boxes):
        overlaps_of_boxes(boxes, overlap)
    else:
        overlaps_on_tiles(page, overlap)
    pair_regions(page.n_gt, page.labels, overlap, partner)
    find_statuses(page.n_gt, page.labels, overlap, partner, status)
    return overlap, partner, status


@compiled_part
def tile_buffers(page):
    return np.empty((2, (len(page.x_edges) - 1) * (len(page.y_edges) - 1) + 5, 4))


@compiled_part
def judge_page(page, n_labels, boxes):
    """float64[cause, gt, pred] of the labels on a page; partner and status of its regions."""
    overlap, partner, status = pair_on_page(page, boxes)
    totals = np.zeros((len(CAUSES), n_labels, n_labels))
    add_causes(page, n_labels, overlap, partner, status, tile_buffers(page), totals)
    return totals, partner, status


@compiled_part
def main_causes(page, n_labels, boxes):
    """int8[rows, columns]: the main cause of each tile of a page, or -1."""
    overlap, partner, status = pair_on_page(page, boxes)
    main = np.empty(page.over.shape[:2], np.int8)
    write_main_causes(page, n_labels, overlap, partner, status, tile_buffers(page), main)
    return main


@compiled
def main_causes_of_tiles(page, used):
    """int8[rows, columns]: the main causes of a page whose regions are not boxes."""
    return main_causes(page, len(used), np.empty((0, 4)))


@compiled_for_many(steps=lambda boxes, *_: 12 * len(boxes) ** 2 + 20)
def main_causes_of_boxes(boxes, places, n_gt, frame, distance, n_places):
    """The edges of the tiles of a page with boxes only, and int8[rows, columns] with their main causes, or -1."""
    page, used = tiles_of_page(boxes, places, n_gt, frame, distance, n_places)
    main = main_causes(page, len(used), boxes if len(page.labels) == len(boxes) else boxes[:0])
    return page.x_edges, page.y_edges, main


@compiled
def rows_of_page(page, used, number):
    """ROW[...] of a page whose regions are not boxes; partner and status of its regions."""
    totals, partner, status = judge_page(page, len(used), np.empty((0, 4)))
    found = np.empty(int((totals > 0).sum()), ROW)
    add_rows(totals, used, number, found, 0)
    return found, partner, status


@compiled_part
def add_rows(totals, used, number, found, count):
    for cause in range(len(totals)):
        for i in range(len(used)):
            for j in range(len(used)):
                if totals[cause, i, j] > 0:
                    row = found[count]
                    row["page"], row["cause"], row["gt"], row["pred"] = number, cause, used[i], used[j]
                    row["pixels"] = totals[cause, i, j]
                    count += 1
    return count


def python_steps(first, stop, frames, offsets, *_):
    """The steps of Python: some for each tile. n boxes make up to 4 n² tiles."""
    return int((12 * np.diff(offsets[first : stop + 1]) ** 2 + 20).sum())


@compiled_for_many(steps=python_steps)
def causes_of_pages(first, stop, frames, offsets, boxes, places, n_gt, distances, n_places):
    """ROW[...] of the pages first:stop; `n_gt` is the number of gt boxes on each page."""
    found, count = np.empty(64 * (stop - first) + 64, ROW), 0
    for number in range(first, stop):
        low, high = offsets[number], offsets[number + 1]
        page, used = tiles_of_page(
            boxes[low:high], places[low:high], n_gt[number], frames[number], distances[number], n_places
        )
        whole = boxes[low:high] if len(page.labels) == high - low else boxes[:0]
        totals = judge_page(page, len(used), whole)[0]
        needed = count + totals.size
        if needed > len(found):
            larger = np.empty(2 * needed, ROW)
            for k in range(count):  # an assignment of slices would take a second longer to compile
                larger[k] = found[k]
            found = larger
        count = add_rows(totals, used, number, found, count)
    return found[:count]


MOST_TILES = 1 << 24
Bools = NDArray[np.bool_]


def page_of_shapes(
    grid: GridBoxes, sides: Sequence[Regions], places: NDArray[np.int64], distance: float
) -> tuple[PageRegionsOnTiles, NDArray[np.int64]]:
    """The tiles of the only page of a grid, and the places in the matrix of its labels; Background is the first.

    `sides` are its regions in the order of the files.
    """
    order, n_gt = _file_order(sides)
    labels = np.concatenate([grid.labels, [shape.label for shape in grid.shapes.get(0, [])]]).astype(np.int64)[order]
    sets, numbers, edges = _sets_of_regions(grid)
    sets = sets[:, order]
    is_ignored = places[labels] < 0
    judged: Bools = np.logical_not(sets[:, is_ignored].any(axis=1))
    n_gt -= int(is_ignored.sum())
    over, own = sets[:, ~is_ignored] & judged[:, None], places[labels[~is_ignored]]
    used = np.unique(np.concatenate([[0], own]))
    own = np.searchsorted(used, own)
    parts = (slice(n_gt), slice(n_gt, None))
    words = np.stack([_packed(_label_sets(over[:, part], own[part], len(used), judged)) for part in parts])
    tiles = PageRegionsOnTiles(*edges, n_gt, own, _packed(over)[numbers], words[:, numbers], distance)
    return tiles, used


def _file_order(sides: Sequence[Regions]) -> tuple[NDArray[np.int64], int]:
    """The order of the file for regions listed as on the grid: boxes of gt, of pred, shapes of gt, of pred."""
    boxes, shapes = [], []
    for side, one in enumerate(sides):
        rows = np.flatnonzero(~one.without_area)
        is_shape = np.isin(rows, list(one.shapes))
        boxes += [(side, row) for row in rows[~is_shape].tolist()]
        shapes += [(side, row) for row in one.shapes if not one.without_area[row]]
    listed = boxes + shapes
    return np.array(sorted(range(len(listed)), key=listed.__getitem__), np.int64), sum(not side for side, _ in listed)


def _sets_of_regions(grid: GridBoxes) -> tuple[Bools, NDArray[np.int64], tuple[Any, Any]]:
    """bool[sets, regions], int64[rows, columns]: the set of each tile, and the edges; each region is a label here."""
    shapes = grid.shapes.get(0, [])
    n_boxes, n = len(grid.boxes), len(grid.boxes) + len(shapes)
    numbered = [shape._replace(label=n_boxes + k) for k, shape in enumerate(shapes)]
    tiles = replace(grid, labels=np.arange(n_boxes, dtype=np.int32), shapes={0: numbered}, n_labels=(n, 0)).tiles(0)
    rows, columns = tiles.size
    if rows * columns > MOST_TILES:
        problem = f"its outlines divide it into {rows * columns:,} tiles, causes are found for {MOST_TILES:,}"
        raise InputError("", "a page", problem, "Compare boxes (shapes='box'), or smaller pages.")
    numbers = np.empty((rows, columns), np.int32)
    used, words, _ = count_tiles(tiles, (n, 0), grid.limit, numbers)
    position = np.zeros(int(used.max(initial=0)) + 1, np.int64)
    position[used] = np.arange(used.size)
    bits = np.unpackbits(words[:, : n // 64 + 1].copy().view(np.uint8), axis=1, bitorder="little")
    return bits[:, 1 : n + 1].astype(bool), position[numbers], (tiles.x_edges, tiles.y_edges)


def _label_sets(over: Bools, labels: NDArray[np.int64], n_labels: int, judged: Bools) -> Bools:
    """bool[sets, labels]: the labels of one side, Background where there is no other; none where it is not judged."""
    found = np.zeros((len(over), n_labels), bool)
    for region, label in enumerate(labels.tolist()):
        found[:, label] |= over[:, region]
    found[:, 0] = judged & ~found.any(axis=1)
    return found


def _packed(bits: Bools) -> NDArray[np.uint64]:
    """uint64[sets, words] with a bit for each column."""
    padded = np.zeros((len(bits), (bits.shape[1] // 64 + 1) * 64), bool)
    padded[:, : bits.shape[1]] = bits
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
