"""What a wrong cell of the matrix consists of: borders that are a little off, wrong labels, pixels with several labels.

A pixel of gt label i that pred reads as j is *merged* when either side puts several labels on it. Otherwise it is
*border slack* when gt has j and pred has i, both no farther away than the tolerance: a border runs there, and only its
place is argued about. Everything else is *wrong*. The three add up to the cell and are exact, on tiles between edges.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from layoutcm.diagnosis.page_tiles import PageTiles
from layoutcm.layouts.model import GT, PRED, Floats

TOLERANCE = 0.005  # of the page's longer side: 5 px at 1025 px


@dataclass(frozen=True)
class CellCauses:
    """Pixels of one matrix cell by kind, fractions of pixels where several labels share one."""

    slack: float
    wrong: float
    merged: float

    @property
    def pixels(self) -> float:
        return self.slack + self.wrong + self.merged


def cell_causes(
    pages: Iterable[PageTiles], cell: tuple[int, int], method: str = "matrix", tolerance: float = TOLERANCE
) -> CellCauses:
    """The causes of a cell (row, column) off the diagonal, summed over pages; both sides need one list of labels."""
    found = [page_causes(tiles, cell, method, tolerance) for tiles in pages]
    return CellCauses(*(float(sum(getattr(one, cause) for one in found)) for cause in ("slack", "wrong", "merged")))


def page_causes(tiles: PageTiles, cell: tuple[int, int], method: str, tolerance: float) -> CellCauses:
    pixels = tiles.share_of(cell, method) * np.diff(tiles.y_edges)[:, None] * np.diff(tiles.x_edges)
    alone = (pixels > 0) & (tiles.set_sizes(GT) == 1) & (tiles.set_sizes(PRED) == 1)
    slack = 0.0
    if alone.any():
        by, (row, column) = tolerance_in_pixels(tiles, tolerance), cell
        # The labels exchanged: where gt has the pred label, and where pred has the gt label.
        exchanged = (_near(tiles, GT, column, by), _near(tiles, PRED, row, by))
        slack = _overlap(tiles, tiles.rectangles(alone), *exchanged)
    return CellCauses(slack, float(pixels[alone].sum()) - slack, float(pixels[~alone].sum()))


def tolerance_in_pixels(tiles: PageTiles, tolerance: float) -> float:
    """How far a border may be off on this page; whole pixels unless areas are real-valued."""
    exact = tolerance * max(tiles.x_edges[-1], tiles.y_edges[-1])
    return exact if tiles.rounding == "exact" else max(math.floor(exact + 0.5), 1)


def _near(tiles: PageTiles, side: int, place: int, by: float) -> Floats:
    """float64[rectangles, x0 y0 x1 y1] that cover all that lies no farther than `by` from a side's label."""
    grown = tiles.rectangles(tiles.carries(side, place)) + np.array([-by, -by, by, by])
    if place > 0:
        return grown
    # Nothing is painted outside the page either: a box that ends at the page's edge borders on Background.
    x, y = tiles.x_edges[-1], tiles.y_edges[-1]
    return np.concatenate([grown, [[0, 0, by, y], [x - by, 0, x, y], [0, 0, x, by], [0, y - by, x, y]]])


def _overlap(tiles: PageTiles, *unions: Floats) -> float:
    """The area that lies in all of some unions of rectangles, counted by the kernel: each union is a label of gt."""
    from layoutcm.pixels.counting import count_pages
    from layoutcm.pixels.grid import GridBoxes

    frame = np.array([tiles.x_edges[-1], tiles.y_edges[-1]])
    boxes = np.clip(np.concatenate(unions), 0, np.tile(frame, 2))
    labels = np.repeat(np.arange(len(unions), dtype=np.int32), [len(union) for union in unions])
    grid = GridBoxes(frame[None], np.array([0, len(boxes)]), boxes, labels, np.ones(len(boxes)), (len(unions), 0))
    _, words, pixels = count_pages(0, 1, grid)
    return float(pixels[words[:, 0] == sum(2 << label for label in range(len(unions)))].sum())
