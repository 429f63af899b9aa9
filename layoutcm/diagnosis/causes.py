"""What a wrong cell of the matrix consists of: borders that are a little off, wrong labels, pixels with several labels.

A pixel of gt label i that pred reads as j is *merged* when either side puts several labels on it. Otherwise it is
*border slack* when gt has j and pred has i, both no farther away than the tolerance: a border runs there, and only its
place is argued about. Everything else is *wrong*. The three add up to the cell and are exact, on cells between edges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.page_tiles import PageCells, page_cells
from layoutcm.layouts.model import GT, PRED, Floats

TOLERANCE = 0.005  # of the page's longer side: 5 px at 1025 px


@dataclass(frozen=True)
class CellKinds:
    """Pixels of one matrix cell by kind, fractions of pixels where several labels share one."""

    slack: float
    wrong: float
    merged: float

    @property
    def pixels(self) -> float:
        return self.slack + self.wrong + self.merged


def cell_kinds(
    comparison: Comparison,
    gt_label: str,
    pred_label: str,
    pages: Sequence[str],
    method: str = "matrix",
    tolerance: float = TOLERANCE,
) -> CellKinds:
    """The kinds of a cell off the diagonal, summed over some pages of a comparison with one list of labels."""
    found = [page_kinds(page_cells(comparison, page), gt_label, pred_label, method, tolerance) for page in pages]
    return CellKinds(*(float(sum(getattr(one, kind) for one in found)) for kind in ("slack", "wrong", "merged")))


def page_kinds(cells: PageCells, gt_label: str, pred_label: str, method: str, tolerance: float) -> CellKinds:
    pixels = cells.share_of(gt_label, pred_label, method) * np.diff(cells.y_edges)[:, None] * np.diff(cells.x_edges)
    alone = (pixels > 0) & (cells.set_sizes(GT) == 1) & (cells.set_sizes(PRED) == 1)
    slack = 0.0
    if alone.any():
        by = in_pixels(cells, tolerance)
        row, column = cells.comparison.places(gt_label, pred_label)
        # The labels the other way round: where gt has what pred says, and where pred has what gt says.
        turned = (_near(cells, GT, column, by), _near(cells, PRED, row, by))
        slack = _overlap(cells, cells.rectangles(alone), *turned)
    return CellKinds(slack, float(pixels[alone].sum()) - slack, float(pixels[~alone].sum()))


def in_pixels(cells: PageCells, tolerance: float) -> float:
    """How far a border may be off on this page; whole pixels unless areas are real-valued."""
    exact = tolerance * max(cells.x_edges[-1], cells.y_edges[-1])
    return exact if cells.comparison.rounding == "exact" else max(math.floor(exact + 0.5), 1)


def _near(cells: PageCells, side: int, place: int, by: float) -> Floats:
    """float64[rectangles, x0 y0 x1 y1] that cover all that lies no farther than `by` from a side's label."""
    grown = cells.rectangles(cells.carries(side, place)) + np.array([-by, -by, by, by])
    if place > 0:
        return grown
    # Nothing is painted outside the page either: a box that ends at the page's edge borders on Background.
    x, y = cells.x_edges[-1], cells.y_edges[-1]
    return np.concatenate([grown, [[0, 0, by, y], [x - by, 0, x, y], [0, 0, x, by], [0, y - by, x, y]]])


def _overlap(cells: PageCells, *unions: Floats) -> float:
    """The area that lies in all of some unions of rectangles, counted by the kernel: each union is a label of gt."""
    from layoutcm.pixels.counting import count_pages
    from layoutcm.pixels.grid import LaidOut

    frame = np.array([cells.x_edges[-1], cells.y_edges[-1]])
    boxes = np.clip(np.concatenate(unions), 0, np.tile(frame, 2))
    labels = np.repeat(np.arange(len(unions), dtype=np.int32), [len(union) for union in unions])
    laid = LaidOut(frame[None], np.array([0, len(boxes)]), boxes, labels, np.ones(len(boxes)), (len(unions), 0))
    _, words, pixels = count_pages(0, 1, laid)
    return float(pixels[words[:, 0] == sum(2 << label for label in range(len(unions)))].sum())
