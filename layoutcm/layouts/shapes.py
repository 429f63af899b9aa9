"""Shapes that are more than a box: outlines (unions of polygons) and run-length masks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MAX_MASK_PIXELS = 1 << 28


@dataclass(frozen=True, eq=False)
class Outline:
    """A union of polygons, each float64[points, xy] and filled by the even-odd rule."""

    rings: tuple[NDArray[np.float64], ...]


@dataclass(frozen=True, eq=False)
class RunMask:
    """A mask as alternating run lengths of 0 and 1, column by column, as COCO stores it."""

    height: int
    width: int
    runs: NDArray[np.int64]


Shape = Outline | RunMask


def is_box(shape: Shape) -> bool:
    """Whether a shape is one polygon that is an axis-aligned rectangle."""
    if isinstance(shape, RunMask) or len(shape.rings) != 1:
        return False
    points = shape.rings[0]
    if len(points) == 5 and (points[0] == points[4]).all():
        points = points[:4]
    if len(points) != 4:
        return False
    # The edges must alternate between x and y; a line that goes back on itself is not a box.
    moves = points != np.roll(points, 1, axis=0)
    return bool((moves.sum(axis=1) == 1).all() and (moves[1:] != moves[:-1]).all())


def shape_box(shape: Shape) -> tuple[float, float, float, float]:
    """x0, y0, x1, y1: the bounding box of a shape."""
    if isinstance(shape, Outline):
        points = np.concatenate(shape.rings)
        x0, y0 = points.min(axis=0)
        x1, y1 = points.max(axis=0)
        return float(x0), float(y0), float(x1), float(y1)
    return _runs_box(shape)


def _runs_box(mask: RunMask) -> tuple[float, float, float, float]:
    """The bounding box from the ends of the runs: the pixels of a large mask would need too much memory."""
    ends = np.cumsum(mask.runs)
    filled = (np.arange(ends.size) % 2 == 1) & (mask.runs > 0)
    if not filled.any():
        return 0.0, 0.0, 0.0, 0.0
    first_column, first_row = np.divmod((ends - mask.runs)[filled], mask.height)
    last_column, last_row = np.divmod(ends[filled] - 1, mask.height)
    # A run that continues in the next column touches the bottom of one column and the top of the next.
    wraps = bool((first_column < last_column).any())
    x0, y0 = int(first_column[0]), 0 if wraps else int(first_row.min())
    x1, y1 = int(last_column[-1]) + 1, mask.height if wraps else int(last_row.max()) + 1
    return float(x0), float(y0), float(x1), float(y1)


def run_pixels(mask: RunMask) -> NDArray[np.bool_]:
    """bool[height, width]: the pixels of a run-length mask."""
    values = np.arange(mask.runs.size) % 2 == 1
    return np.repeat(values, mask.runs).reshape(mask.width, mask.height).T
