"""Causes of a wrong cell of the matrix: slightly moved borders, wrong labels, pixels with several labels.

A pixel of gt label i with pred label j is *merged* if either side has several labels on it. Otherwise it is *border
slack* if gt has label j and pred has label i within the tolerance: both sides have a border between i and j there, at
slightly different positions. All other pixels are *wrong*. The three causes are computed exactly, on tiles, and add up
to the cell.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from layoutcm.diagnosis.page_tiles import PageTiles
from layoutcm.layouts.model import GT, PRED, Floats

BORDER_TOLERANCE = 0.005  # of the page's longer side: 5 px at 1025 px


@dataclass(frozen=True)
class CellCauses:
    """Pixels of one matrix cell by cause; a pixel with several labels may count in part."""

    slack: float
    wrong: float
    merged: float

    @property
    def pixels(self) -> float:
        return self.slack + self.wrong + self.merged


def cell_causes(
    pages: Iterable[PageTiles], cell: tuple[int, int], method: str = "matrix", tolerance: float = BORDER_TOLERANCE
) -> CellCauses:
    """The causes of a cell (row, column) off the diagonal, summed over pages. Both sides must use the same labels."""
    by_page = [page_causes(tiles, cell, method, tolerance) for tiles in pages]
    names = ("slack", "wrong", "merged")
    return CellCauses(*(float(sum(getattr(causes, name) for causes in by_page)) for name in names))


def page_causes(tiles: PageTiles, cell: tuple[int, int], method: str, tolerance: float) -> CellCauses:
    pixels = tiles.share_of(cell, method) * tiles.pairs.pixels
    single_label = (pixels > 0) & (tiles.set_sizes(GT) == 1) & (tiles.set_sizes(PRED) == 1)
    slack = 0.0
    if single_label.any():
        distance, (row, column) = tolerance_in_pixels(tiles, tolerance), cell
        # The labels are swapped here: near the cell's pred label in gt, and near its gt label in pred.
        near_swapped = (_near(tiles, GT, column, distance), _near(tiles, PRED, row, distance))
        slack = _overlap_area(tiles, tiles.rectangles(single_label), *near_swapped)
    return CellCauses(slack, float(pixels[single_label].sum()) - slack, float(pixels[~single_label].sum()))


def tolerance_in_pixels(tiles: PageTiles, tolerance: float) -> float:
    """The tolerance on this page, in pixels; a whole number, except with `exact` rounding."""
    exact = tolerance * max(tiles.x_edges[-1], tiles.y_edges[-1])
    return exact if tiles.rounding == "exact" else max(math.floor(exact + 0.5), 1)


def _near(tiles: PageTiles, side: int, place: int, distance: float) -> Floats:
    """float64[rectangles, x0 y0 x1 y1]: the area within a distance of a side's label; `place` is its row or column."""
    d = distance
    grown = tiles.rectangles(tiles.carries(side, place)) + np.array([-d, -d, d, d])
    if place > 0:
        return grown
    # The area outside the page counts as Background: a box that ends at the page edge has a border with Background.
    x, y = tiles.x_edges[-1], tiles.y_edges[-1]
    return np.concatenate([grown, [[0, 0, d, y], [x - d, 0, x, y], [0, 0, x, d], [0, y - d, x, y]]])


def _overlap_area(tiles: PageTiles, *unions: Floats) -> float:
    """The common area of several unions of rectangles, counted by the kernel as pixels with one gt label per union."""
    from layoutcm.pixels.counting import count_pages
    from layoutcm.pixels.grid import GridBoxes

    frame = np.array([tiles.x_edges[-1], tiles.y_edges[-1]])
    boxes = np.clip(np.concatenate(unions), 0, np.tile(frame, 2))
    labels = np.repeat(np.arange(len(unions), dtype=np.int32), [len(union) for union in unions])
    grid = GridBoxes(frame[None], np.array([0, len(boxes)]), boxes, labels, np.ones(len(boxes)), (len(unions), 0))
    _, words, pixels = count_pages(0, 1, grid)
    return float(pixels[words[:, 0] == sum(2 << label for label in range(len(unions)))].sum())
