"""How much of the error is only border slack: the cause `slack` alone, of all cells together, without compiled code.

Slack does not depend on which regions are partners, so label sets on tiles are enough. On a grid with all edges of
regions, and with these edges moved by the tolerance to both sides, each tile is slack as a whole or not at all. On such
a grid, the sets of labels within the tolerance are found for all labels at once.

All tiles of a page are counted by array expressions: nothing is compiled for one number of the summary.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from layoutcm.diagnosis.causes import TOLERANCE, CauseSource, places_of_labels, tolerance_in_pixels
from layoutcm.layouts.model import GT, PRED, X0, X1, Y0, Y1, Floats, Positions
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.contributions import wrong_cells
from layoutcm.metrics.scores import ratio
from layoutcm.pixels.grid import GridBoxes
from layoutcm.pixels.pair_counts import WORD

MOST_PAGES = 2000
# Tiles of all pages, and of one page: about a second of work, and 100 MB of memory.
MOST_TILES, MOST_TILES_OF_PAGE = 100_000_000, 4_000_000
SHORT = 16  # bits of a word on pages with few labels, which are counted faster
BACKGROUND_SET = 1
Sets = NDArray[np.unsignedinteger]


def slack_share(slack: float | None, confusion: Confusion) -> float | None:
    """The share of slack in the wrong pixels of a matrix with method `matrix`; nan if there are none.

    `slack` is the result of `slack_pixels`; what is None or nan stays so.
    """
    if slack is None or np.isnan(slack):
        return slack
    return float(ratio(slack, confusion.values.sum() - confusion.values.trace()))


def slack_pixels(source: CauseSource, pages: Positions | None = None) -> float | None:
    """The pixels of cause slack on some pages, or on all; nan if the labels differ, None if it would take long."""
    if not source.alignment.space.shared:
        return float("nan")
    if TOLERANCE in source.kept:
        return source.of_pages(pages).total.totals["slack"]
    return quick_slack(source, TOLERANCE, pages)


def quick_slack(source: CauseSource, tolerance: float, pages: Positions | None = None) -> float | None:
    """The pixels of cause slack; None if counting them would take long, as on very many pages or with outlines."""
    if len(source.alignment.pages if pages is None else pages) > MOST_PAGES:
        return None
    of_page = lambda page: source.regions.to_grid(int(page), source.rounding)
    grids = [source.grid_of_all_pages()] if pages is None else [of_page(page) for page in pages]
    tiles = np.concatenate([[0], *((6 * np.diff(grid.offsets) + 6) ** 2 for grid in grids)])
    if any(grid.shapes for grid in grids) or tiles.sum() > MOST_TILES or tiles.max() > MOST_TILES_OF_PAGE:
        return None
    total = 0.0
    for grid in grids:
        places = places_of_labels(source.alignment, grid)[grid.labels]
        distances = tolerance_in_pixels(grid.frames, tolerance, source.rounding).tolist()
        total += sum(_slack_of_page(grid, page, places, distance) for page, distance in enumerate(distances))
    return total


def _slack_of_page(grid: GridBoxes, page: int, places: NDArray[np.int64], distance: float) -> float:
    rows = slice(grid.offsets[page], grid.offsets[page + 1])
    boxes, places = grid.boxes[rows], places[rows]
    frame = grid.frames[page]
    x_edges, y_edges = (
        np.unique(np.concatenate([[0.0, frame[axis]], boxes[:, axis], boxes[:, axis + 2]])) for axis in (0, 1)
    )
    sets = _sets_on_tiles(boxes, places, grid.labels[rows] < grid.n_labels[GT], x_edges, y_edges)
    if np.array_equal(sets[GT], sets[PRED]):
        return 0.0
    fine_x, fine_y = (_with_moved(edges, distance) for edges in (x_edges, y_edges))
    # Outside of the page there is Background.
    padded = np.zeros((2, sets.shape[1], sets.shape[2] + 2, sets.shape[3] + 2), sets.dtype)
    padded[:, 0] = BACKGROUND_SET
    padded[:, :, 1:-1, 1:-1] = sets
    by_column = _near(padded.transpose(3, 0, 1, 2), x_edges, fine_x, distance)
    near = _near(by_column.transpose(3, 1, 2, 0), y_edges, fine_y, distance)
    column = np.searchsorted(x_edges, fine_x[:-1], side="right") - 1
    row = np.searchsorted(y_edges, fine_y[:-1], side="right") - 1
    wrong = (sets[GT] != sets[PRED]).any(axis=0)[row][:, column]
    at_row, at_column = np.nonzero(wrong)
    area = np.diff(fine_y)[at_row] * np.diff(fine_x)[at_column]
    gt, pred = sets[:, :, row[at_row], column[at_column]]
    near_gt, near_pred = np.moveaxis(near[at_row, :, :, at_column], 0, -1)
    return float((area * _slack_shares(gt, pred, near_gt, near_pred)).sum())


def _sets_on_tiles(
    boxes: Floats, places: NDArray[np.int64], is_gt: NDArray[np.bool_], x_edges: Floats, y_edges: Floats
) -> Sets:
    """unsigned[side, words, rows, columns]: the labels of this page on every tile; none where it is not judged."""
    used, number = np.unique(places, return_inverse=True)
    bits = number + 1 - int(bool(len(used)) and used[0] < 0)  # bit 0 is Background
    word, dtype = (SHORT, np.uint16) if len(used) < SHORT else (WORD, np.uint64)
    sets = np.zeros((2, len(used) // word + 1, len(y_edges) - 1, len(x_edges) - 1), dtype)
    columns = np.searchsorted(x_edges, boxes[:, [X0, X1]]).tolist()
    rows = np.searchsorted(y_edges, boxes[:, [Y0, Y1]]).tolist()
    hidden = []
    sides = np.where(is_gt, GT, PRED).tolist()
    for (left, right), (top, bottom), side, bit, place in zip(columns, rows, sides, bits.tolist(), places.tolist()):
        if place < 0:
            hidden.append((slice(top, bottom), slice(left, right)))
        else:
            sets[side, bit // word, top:bottom, left:right] |= dtype(1 << bit % word)
    sets[:, 0][~sets.any(axis=1)] = BACKGROUND_SET
    for area in hidden:
        sets[:, :, *area] = 0
    return sets


def _with_moved(edges: Floats, distance: float) -> Floats:
    """The edges inside the page, at their places and moved by the distance to both sides."""
    moved = np.unique(np.concatenate([edges, edges - distance, edges + distance]))
    return moved[(moved >= 0) & (moved <= edges[-1])]


def _near(padded: Sets, edges: Floats, fine: Floats, distance: float) -> Sets:
    """unsigned[fine tiles, ...]: what lies within the distance along the first axis; `padded` is [tiles + 2, ...]."""
    middle = (fine[:-1] + fine[1:]) / 2  # no rounding error moves it across an edge
    first, last = (np.searchsorted(edges, middle + by, side="right") for by in (-distance, distance))
    padded = np.ascontiguousarray(padded)
    found = padded[first]
    for step in range(1, int((last - first).max(initial=0)) + 1):
        more = np.flatnonzero(first + step <= last)
        found[more] |= padded[first[more] + step]
    return found


def _slack_shares(gt: Sets, pred: Sets, near_gt: Sets, near_pred: Sets) -> Floats:
    """float64[tiles]: what a pixel adds to all cells (i, j) with j near in gt and i near in pred."""
    count = lambda words: np.bitwise_count(words).sum(axis=0, dtype=np.int32)
    missed, extra = gt & ~pred, pred & ~gt
    with_hit_rows, with_hit_columns, parts = wrong_cells(*map(count, (gt & pred, missed, extra)))
    rows, columns = np.where(with_hit_rows, gt, missed) & near_pred, np.where(with_hit_columns, pred, extra) & near_gt
    return 1 / parts * (count(rows) * count(columns) - count(rows & columns))
