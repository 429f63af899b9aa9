"""The causes of many pages: boxes become tiles, tiles become rows of (page, cause, gt label, pred label, pixels)."""

# Numba derives the types of compiled functions from their arguments.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

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
from layoutcm.diagnosis.region_pairs import find_statuses, pair_regions, sort_values
from layoutcm.layouts.model import GT, PRED, X0, X1, Y0, Y1

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

    `boxes` are its regions, or empty if regions are no boxes or some of their pixels are not judged.
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


@compiled
def main_causes_of_tiles(page, used):
    """int8[rows, columns]: the main cause of each tile of a page whose regions are no boxes, or -1."""
    overlap, partner, status = pair_on_page(page, np.empty((0, 4)))
    main = np.empty(page.over.shape[:2], np.int8)
    write_main_causes(page, len(used), overlap, partner, status, tile_buffers(page), main)
    return main


@compiled_for_many(steps=lambda boxes, *_: 12 * len(boxes) ** 2 + 20)
def main_causes_of_boxes(boxes, places, n_gt, frame, distance, n_places):
    """The edges of the tiles of a page with boxes only, and int8[rows, columns] with their main causes, or -1."""
    page, used = tiles_of_page(boxes, places, n_gt, frame, distance, n_places)
    overlap, partner, status = pair_on_page(page, boxes if len(page.labels) == len(boxes) else boxes[:0])
    main = np.empty(page.over.shape[:2], np.int8)
    write_main_causes(page, len(used), overlap, partner, status, tile_buffers(page), main)
    return page.x_edges, page.y_edges, main


@compiled
def rows_of_page(page, used, number):
    """ROW[...] of a page whose regions are no boxes; partner and status of its regions."""
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
