"""The regions of two layouts with their partners and statuses, on all pages.

Causes use the same pairing, but on pixels, page by page, and without areas that are not judged.
"""

# Numba derives the types of compiled functions from their arguments.
# mypy: allow-untyped-defs

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment, common_frames, own_frames, page_of_region, scale_to_frame
from layoutcm.alignment.min_scores import MinScore
from layoutcm.compiled import compiled_for_many
from layoutcm.diagnosis.cause_kernel import overlaps_of_boxes, overlaps_on_tiles
from layoutcm.diagnosis.cause_pages import IGNORED, page_of_shapes, rows_of_page, tiles_of_page
from layoutcm.diagnosis.causes import CauseSource, check_regions, places_of_labels
from layoutcm.diagnosis.pairing_kernel import NO_PARTNER, NO_PIXELS, find_statuses, pair_regions
from layoutcm.layouts.model import GT, PRED, Floats, Positions
from layoutcm.pixels.counting import PAGES_PER_CHUNK, map_chunks
from layoutcm.pixels.grid import GridBoxes, alignment_to_grid, pixel_regions

SIDES = (GT, PRED)


class BoxPages(NamedTuple):
    """Boxes of two sides, page by page, the first side first: page i has boxes[offsets[i]:offsets[i + 1]]."""

    frames: Any  # float64[pages, width height]
    offsets: Any
    boxes: Any
    places: Any  # int64[boxes]: numbers of labels, IGNORED for what is not judged
    n_first: Any  # int64[pages]: the number of boxes of the first side
    n_places: Any


class Partners(NamedTuple):
    """Of every box: the number of its partner or NO_PARTNER, and its status."""

    partner: Any
    status: Any


@dataclass(frozen=True, eq=False)
class PairedRegions:
    """The regions of both sides, page by page, gt first, in the order of the files. Partners are numbers of rows here.

    Regions that mark pixels as not judged are left out.
    """

    side: NDArray[np.int8]
    page: Positions  # aligned page
    row: Positions  # number of the region in the layout of its side, after mapping
    place: Positions  # number of its label in the matrix
    boxes: Floats  # in the frame of the page, clipped, not rounded
    scores: Floats  # nan if there is none
    partner: Positions
    status: Positions


def python_steps(first, stop, pages, _):
    """The steps of Python: some for every two boxes of a page."""
    return int((8 * np.diff(pages.offsets[first : stop + 1]) ** 2 + 20).sum())


@compiled_for_many(steps=python_steps)
def pair_boxes(first, stop, pages, found):
    """Write partner and status of the boxes on the pages first:stop."""
    for number in range(first, stop):
        low, high = pages.offsets[number], pages.offsets[number + 1]
        boxes, labels, n_first = pages.boxes[low:high], pages.places[low:high], pages.n_first[number]
        kept = np.flatnonzero(labels != IGNORED)
        n = len(kept)
        overlap = np.zeros((n, n))
        if n == high - low:
            overlaps_of_boxes(boxes, overlap)
        else:
            page, _ = tiles_of_page(boxes, labels, n_first, pages.frames[number], 0.0, pages.n_places)
            overlaps_on_tiles(page, overlap)
            labels, n_first = page.labels, page.n_gt
        partner, status = np.empty(n, np.int64), np.empty(n, np.int64)
        pair_regions(n_first, labels, overlap, partner)
        find_statuses(n_first, labels, overlap, partner, status)
        for k in range(n):
            found.status[low + kept[k]] = status[k]
            found.partner[low + kept[k]] = NO_PARTNER if partner[k] == NO_PARTNER else low + kept[partner[k]]


def pair_all(pages: BoxPages, threads: int | None) -> Partners:
    """Partner and status of all boxes, found on several threads."""
    n, n_pages = len(pages.boxes), len(pages.offsets) - 1
    found = Partners(np.full(n, NO_PARTNER, np.int64), np.full(n, NO_PIXELS, np.int64))
    chunk = lambda first: pair_boxes(first, min(first + PAGES_PER_CHUNK, n_pages), pages, found)
    for _ in map_chunks(chunk, range(0, n_pages, PAGES_PER_CHUNK), threads):
        pass
    return found


def paired_regions(source: CauseSource) -> PairedRegions:
    """The regions of a comparison with their partners; the labels of both sides must be in one list."""
    alignment = source.alignment
    grid = alignment_to_grid(alignment, source.rounding, source.min_score)
    check_regions(grid, alignment.pages.names)
    places = places_of_labels(alignment, grid)
    table, is_shape = _listed_regions(alignment, source.min_score, places)
    on_grid = np.flatnonzero(~is_shape)
    found = pair_all(_box_pages(grid, places), source.threads)
    table.partner[on_grid] = np.where(found.partner == NO_PARTNER, NO_PARTNER, on_grid[found.partner])
    table.status[on_grid] = found.status
    _pair_pages_with_shapes(source, grid, table, places)
    return _without_ignored(table)


def _box_pages(grid: GridBoxes, places: Positions) -> BoxPages:
    is_gt = np.concatenate([[0], np.cumsum(grid.labels < grid.n_labels[GT])])
    n_gt = np.diff(is_gt[grid.offsets])
    return BoxPages(grid.frames, grid.offsets, grid.boxes, places[grid.labels], n_gt, int(places.max(initial=0)) + 1)


def _listed_regions(
    alignment: Alignment, min_score: MinScore, places: Positions
) -> tuple[PairedRegions, NDArray[np.bool_]]:
    """All regions that have an area, without partners, and whether each is an outline or a mask."""
    both, n_labels, _ = pixel_regions(alignment)
    frames, columns = common_frames(alignment), []
    for side in SIDES:
        regions = both[side]
        page = page_of_region(alignment, side, min_score if side == PRED else None, regions)
        row = np.flatnonzero((page >= 0) & ~regions.without_area)
        at, place = page[row], places[regions.label[row] + side * n_labels[GT]]
        boxes = scale_to_frame(regions.boxes[row], own_frames(alignment, side)[at], frames[at])
        is_shape = np.isin(row, list(regions.shapes))
        columns.append((np.full(row.size, side, np.int8), at, row, place, boxes, regions.scores[row], is_shape))
    joined = [np.concatenate(parts) for parts in zip(*columns)]
    order = np.lexsort((joined[0], joined[1]))  # stable: regions of a side stay in the order of the file
    sides, at, row, place, boxes, scores, is_shape = (column[order] for column in joined)
    boxes = np.clip(boxes, 0, np.tile(frames, 2)[at])
    partner, status = np.full(row.size, NO_PARTNER, np.int64), np.full(row.size, NO_PIXELS, np.int64)
    return PairedRegions(sides, at.astype(np.int64), row, place, boxes, scores, partner, status), is_shape


def _pair_pages_with_shapes(source: CauseSource, grid: GridBoxes, table: PairedRegions, places: Positions) -> None:
    pages = sorted(grid.shapes)
    starts = np.searchsorted(table.page, pages), np.searchsorted(table.page, pages, side="right")

    def pair(k: int) -> None:
        own = source.regions.to_grid(pages[k], source.rounding)
        tiles, used = page_of_shapes(own, [source.regions.as_written(side, pages[k]) for side in SIDES], places, 0.0)
        rows = np.arange(starts[0][k], starts[1][k])
        rows = rows[table.place[rows] != IGNORED]
        _, partner, table.status[rows] = rows_of_page(tiles, used, pages[k])
        table.partner[rows] = np.where(partner == NO_PARTNER, NO_PARTNER, rows[partner])

    for _ in map_chunks(pair, range(len(pages)), source.threads):
        pass


def _without_ignored(table: PairedRegions) -> PairedRegions:
    kept = table.place != IGNORED
    if kept.all():
        return table
    number = np.cumsum(kept) - 1
    columns = {name: getattr(table, name)[kept] for name in PairedRegions.__dataclass_fields__}
    columns["partner"] = np.where(columns["partner"] == NO_PARTNER, NO_PARTNER, number[columns["partner"]])
    return PairedRegions(**columns)
