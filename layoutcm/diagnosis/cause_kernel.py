"""The compiled kernel of the causes: every pixel off the diagonal of the matrix gets one of eight causes.

The edges of all regions divide a page into tiles. On a tile, all pixels have the same regions, so all causes but slack
are the same. Slack is the part of a tile that lies within the tolerance of both labels on the opposite sides.

`metrics.contributions` decides which cells a pixel adds to. The cause of a cell depends on the regions over the tile,
which pair counts do not have.
"""

# Numba derives the types of compiled functions from their arguments.
# mypy: allow-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from layoutcm.compiled import compiled_part, compiled_part_inlined
from layoutcm.diagnosis.pairing_kernel import (
    DUPLICATE,
    FRAGMENT,
    INVENTED,
    MERGED,
    MERGER,
    MISSED,
    NO_PARTNER,
    PAIRED,
    PARTIAL,
    SPLIT,
    STATUSES,
    sort_values,
)
from layoutcm.layouts.model import GT, PRED, X0, X1, Y0, Y1
from layoutcm.metrics.contributions import wrong_cells

CAUSES = ("slack", "label", "size", "split", "merge", "duplicate", "missed", "invented")
_SLACK, _LABEL, _SIZE, _SPLIT, _MERGE, _DUPLICATE, _MISSED, _INVENTED = range(len(CAUSES))
CAUSE_OF_STATUS = np.full(len(STATUSES), -1)
CAUSE_OF_STATUS[[SPLIT, MERGED, PARTIAL, MISSED]] = _SPLIT, _MERGE, _SIZE, _MISSED
CAUSE_OF_STATUS[[DUPLICATE, MERGER, FRAGMENT, INVENTED]] = _DUPLICATE, _MERGE, _SPLIT, _INVENTED
ONE, WORD = np.uint64(1), 64
ALL, NONE = -1, 0  # the whole tile, or nothing of it


class PageRegionsOnTiles(NamedTuple):
    """One page: edges of its tiles, regions of both sides (gt first) and what lies on each tile."""

    x_edges: Any
    y_edges: Any
    n_gt: Any
    labels: Any  # int64[regions]: numbers of labels on this page; 0 is Background
    over: Any  # uint64[rows, columns, words]: a bit for each region on a tile
    sets: Any  # uint64[side, rows, columns, words]: a bit for each label on a tile; no bits where it is not judged
    distance: Any  # the tolerance in pixels; 0 = nothing is slack


@compiled_part
def has_bit(words, bit):
    return (words[bit // WORD] >> np.uint64(bit % WORD)) & ONE == ONE


@compiled_part
def set_bit(words, bit):
    words[bit // WORD] |= ONE << np.uint64(bit % WORD)


@compiled_part
def is_empty(words):
    for word in words:  # noqa: SIM110  (numba compiles no generators inside any)
        if word != 0:
            return False
    return True


@compiled_part
def overlaps_of_boxes(boxes, overlap):
    """Write float64[regions, regions]: the areas of boxes and of their intersections."""
    for a in range(len(boxes)):
        for b in range(a + 1):
            width = min(boxes[a, X1], boxes[b, X1]) - max(boxes[a, X0], boxes[b, X0])
            height = min(boxes[a, Y1], boxes[b, Y1]) - max(boxes[a, Y0], boxes[b, Y0])
            overlap[a, b] = overlap[b, a] = max(width, 0.0) * max(height, 0.0)


@compiled_part
def overlaps_on_tiles(page, overlap):
    """Add the areas of regions and of their intersections to `overlap`, all zero at first; skip tiles not judged."""
    n = len(page.labels)
    here = np.empty(n, np.int64)
    rows, columns = page.over.shape[:2]
    for row in range(rows):
        for column in range(columns):
            if is_empty(page.sets[GT, row, column]) or is_empty(page.over[row, column]):
                continue
            width, height = page.x_edges[column + 1] - page.x_edges[column], page.y_edges[row + 1] - page.y_edges[row]
            count = 0
            for region in range(n):
                if has_bit(page.over[row, column], region):
                    here[count] = region
                    count += 1
            for a in here[:count]:
                for b in here[:count]:
                    overlap[a, b] += width * height


@compiled_part
def near_rectangles(page, sets, label, tile, found):
    """The parts of a tile within `page.distance` of a label: ALL, or the number of rectangles written to `found`.

    `sets` are the label sets of one side.
    """
    row, column = tile
    x, y, d = page.x_edges, page.y_edges, page.distance
    x0, x1, y0, y1 = x[column], x[column + 1], y[row], y[row + 1]
    top, bottom, left, right = row, row, column, column
    while top > 0 and y[top] + d > y0:
        top -= 1
    while bottom < len(y) - 2 and y[bottom + 1] - d < y1:
        bottom += 1
    while left > 0 and x[left] + d > x0:
        left -= 1
    while right < len(x) - 2 and x[right + 1] - d < x1:
        right += 1
    count = 0
    if label == 0:  # outside of the page there is Background
        width, height = x[-1], y[-1]
        for k in range(4):
            part = found[count]
            part[0], part[1], part[2], part[3] = x0, y0, x1, y1
            if k == 0:
                part[2] = min(x1, d)
            elif k == 1:
                part[0] = max(x0, width - d)
            elif k == 2:
                part[3] = min(y1, d)
            else:
                part[1] = max(y0, height - d)
            if part[0] == x0 and part[1] == y0 and part[2] == x1 and part[3] == y1:
                return ALL
            count += part[0] < part[2] and part[1] < part[3]
    for r in range(top, bottom + 1):
        for c in range(left, right + 1):
            if not has_bit(sets[r, c], label):
                continue
            part = found[count]
            part[0], part[1] = max(x0, x[c] - d), max(y0, y[r] - d)
            part[2], part[3] = min(x1, x[c + 1] + d), min(y1, y[r + 1] + d)
            if part[0] == x0 and part[1] == y0 and part[2] == x1 and part[3] == y1:
                return ALL
            count += part[0] < part[2] and part[1] < part[3]
    return count


@compiled_part
def is_inside(rectangles, count, x, y):
    if count == ALL:
        return True
    for k in range(count):
        if rectangles[k, X0] <= x < rectangles[k, X1] and rectangles[k, Y0] <= y < rectangles[k, Y1]:
            return True
    return False


@compiled_part
def sorted_edges(low, high, first, n_first, second, n_second, axis):
    """`low`, `high` and all edges of the rectangles along an axis, sorted."""
    edges = np.empty(2 + 2 * max(n_first, 0) + 2 * max(n_second, 0))
    edges[0], edges[1], count = low, high, 2
    for k in range(max(n_first, 0)):
        edges[count], edges[count + 1] = first[k, axis], first[k, axis + 2]
        count += 2
    for k in range(max(n_second, 0)):
        edges[count], edges[count + 1] = second[k, axis], second[k, axis + 2]
        count += 2
    sort_values(edges)
    return edges


@compiled_part
def slack_area(page, tile, gt_label, pred_label, buffers):
    """The area of a tile that is near pred's label in gt and also near gt's label in pred."""
    row, column = tile
    x0, x1, y0, y1 = page.x_edges[column], page.x_edges[column + 1], page.y_edges[row], page.y_edges[row + 1]
    in_gt = near_rectangles(page, page.sets[GT], pred_label, tile, buffers[GT])
    if in_gt == NONE:
        return 0.0
    in_pred = near_rectangles(page, page.sets[PRED], gt_label, tile, buffers[PRED])
    if in_pred == NONE:
        return 0.0
    if in_gt == ALL and in_pred == ALL:
        return (x1 - x0) * (y1 - y0)
    xs = sorted_edges(x0, x1, buffers[GT], in_gt, buffers[PRED], in_pred, 0)
    ys = sorted_edges(y0, y1, buffers[GT], in_gt, buffers[PRED], in_pred, 1)
    area = 0.0
    for i in range(len(ys) - 1):
        for k in range(len(xs) - 1):
            part = (xs[k + 1] - xs[k]) * (ys[i + 1] - ys[i])
            if part > 0 and is_inside(buffers[GT], in_gt, xs[k], ys[i]):
                area += part if is_inside(buffers[PRED], in_pred, xs[k], ys[i]) else 0.0
    return area


@compiled_part
def smallest_over(page, first, last, label, here, overlap):
    """The smallest region of a label among those with a bit in `here`; the first of equals."""
    best = -1
    for region in range(first, last):
        is_smaller = best < 0 or overlap[region, region] < overlap[best, best]
        if is_smaller and page.labels[region] == label and has_bit(here, region):
            best = region
    return best


@compiled_part
def cause_on_tile(page, tile, i, j, overlap, partner, status):
    """The cause of pixels with gt label i and pred label j that are not slack."""
    row, column = tile
    here, n = page.over[row, column], len(page.labels)
    if i > 0 and j > 0:
        for g in range(page.n_gt):
            is_confused = page.labels[g] == i and partner[g] != NO_PARTNER and page.labels[partner[g]] == j
            if is_confused and has_bit(here, g) and has_bit(here, partner[g]):
                return _LABEL
    if j > 0 and not has_bit(page.sets[GT, row, column], j):
        r = smallest_over(page, page.n_gt, n, j, here, overlap)
        if status[r] != PAIRED:
            return CAUSE_OF_STATUS[status[r]]
    if i > 0 and not has_bit(page.sets[PRED, row, column], i):
        g = smallest_over(page, 0, page.n_gt, i, here, overlap)
        if status[g] != PAIRED:
            return CAUSE_OF_STATUS[status[g]]
    return _SIZE


@compiled_part_inlined
def add_causes_of_tile(page, row, column, n_labels, overlap, partner, status, buffers, totals):
    """Add the causes of one tile to float64[cause, gt, pred] of the labels on the page."""
    gt_set, pred_set = page.sets[GT, row, column], page.sets[PRED, row, column]
    hits, missed, extra = 0, 0, 0
    for label in range(n_labels):
        has_gt, has_pred = has_bit(gt_set, label), has_bit(pred_set, label)
        hits += has_gt and has_pred
        missed += has_gt and not has_pred
        extra += has_pred and not has_gt
    width, height = page.x_edges[column + 1] - page.x_edges[column], page.y_edges[row + 1] - page.y_edges[row]
    with_hit_rows, with_hit_columns, parts = wrong_cells(hits, missed, extra)
    share = 1.0 / parts
    for i in range(n_labels):
        if not has_bit(gt_set, i) or (has_bit(pred_set, i) and not with_hit_rows):
            continue
        for j in range(n_labels):
            if i == j or not has_bit(pred_set, j) or (has_bit(gt_set, j) and not with_hit_columns):
                continue
            tile = (row, column)
            slack = slack_area(page, tile, i, j, buffers) if page.distance > 0 else 0.0
            totals[_SLACK, i, j] += share * slack
            if slack < width * height:
                cause = cause_on_tile(page, tile, i, j, overlap, partner, status)
                totals[cause, i, j] += share * (width * height - slack)


@compiled_part
def sets_differ(page, row, column):
    """Whether the two sides have different labels on a tile."""
    gt_set, pred_set = page.sets[GT, row, column], page.sets[PRED, row, column]
    for word in range(len(gt_set)):  # noqa: SIM110  (numba compiles no generators inside any)
        if gt_set[word] != pred_set[word]:
            return True
    return False


@compiled_part
def add_causes(page, n_labels, overlap, partner, status, buffers, totals):
    """Add the causes of all tiles to float64[cause, gt, pred] of the labels on the page."""
    rows, columns = page.over.shape[:2]
    for row in range(rows):
        for column in range(columns):
            if sets_differ(page, row, column):
                add_causes_of_tile(page, row, column, n_labels, overlap, partner, status, buffers, totals)


@compiled_part
def write_main_causes(page, n_labels, overlap, partner, status, buffers, main):
    """Write int8[rows, columns]: the cause of most pixels of each tile, -1 where the two sides have the same labels."""
    rows, columns = page.over.shape[:2]
    totals = np.zeros((len(CAUSES), n_labels, n_labels))
    for row in range(rows):
        for column in range(columns):
            main[row, column] = -1
            if sets_differ(page, row, column):
                totals[:] = 0.0
                add_causes_of_tile(page, row, column, n_labels, overlap, partner, status, buffers, totals)
                most = 0.0
                for cause in range(len(CAUSES)):
                    pixels = totals[cause].sum()
                    if pixels > most:
                        most, main[row, column] = pixels, cause
