"""Find the pixels that an outline or a mask covers, as rectangles of whole pixels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError
from layoutcm.layouts.model import Floats
from layoutcm.layouts.shapes import MAX_MASK_PIXELS, Outline, Shape, run_pixels


def fill_shape(shape: Shape, own: Floats, frame: Floats) -> Floats:
    """float64[rectangles, x0 y0 x1 y1]: the pixels whose centre lies in the shape, joined into few rectangles.

    `own` is (width, height) of the page that the outline refers to, `frame` that of the pixel grid. A mask covers its
    whole page at any resolution.
    """
    columns, rows = (int(side) for side in np.ceil(frame))
    if rows * columns > MAX_MASK_PIXELS:
        raise InputError(
            "", "outlines", f"a page of {columns:,} x {rows:,} is too large for outlines", "Use shapes='box'."
        )
    if isinstance(shape, Outline):
        rings = shape.rings if (own == frame).all() else [ring * frame / own for ring in shape.rings]
        return spans_to_rectangles(np.concatenate([_ring_spans(ring, columns, rows) for ring in rings]))
    mask = run_pixels(shape)
    # Each pixel takes the value of the mask pixel under its centre.
    y = np.floor((np.arange(rows) + 0.5) * mask.shape[0] / frame[1]).astype(int)
    x = np.floor((np.arange(columns) + 0.5) * mask.shape[1] / frame[0]).astype(int)
    inside = np.ix_(np.minimum(y, mask.shape[0] - 1), np.minimum(x, mask.shape[1] - 1))
    return spans_to_rectangles(mask_spans(mask[inside]))


def _ring_spans(ring: Floats, columns: int, rows: int) -> NDArray[np.int64]:
    """int64[spans, row first stop]: one polygon filled by the even-odd rule, row by row through the pixel centres."""
    start, end = ring, np.roll(ring, -1, axis=0)
    upper, lower = np.minimum(start[:, 1], end[:, 1]), np.maximum(start[:, 1], end[:, 1])
    first = np.clip(np.ceil(upper - 0.5), 0, rows).astype(int)
    stop = np.clip(np.ceil(lower - 0.5), 0, rows).astype(int)
    edge = np.repeat(np.arange(len(ring)), stop - first)
    if not edge.size:
        return np.empty((0, 3), np.int64)
    row = np.arange(edge.size) - np.repeat(np.cumsum(stop - first) - (stop - first), stop - first) + first[edge]
    slope = (end[edge, 0] - start[edge, 0]) / (end[edge, 1] - start[edge, 1])
    x = start[edge, 0] + (row + 0.5 - start[edge, 1]) * slope
    order = np.lexsort((x, row))
    # A closed polygon crosses a row an even number of times: each pair of crossings bounds a span inside it.
    left, right = x[order][0::2], x[order][1::2]
    limits = [np.clip(np.ceil(side - 0.5), 0, columns).astype(int) for side in (left, right)]
    spans = np.stack([row[order][0::2], *limits], axis=1)
    return spans[spans[:, 2] > spans[:, 1]]


def mask_spans(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """int64[spans, row first stop]: the runs of True in each row of bool[rows, columns]."""
    padded = np.pad(mask, ((0, 0), (1, 1))).astype(np.int8)
    rows, first = np.nonzero(np.diff(padded, axis=1) == 1)
    stop = np.nonzero(np.diff(padded, axis=1) == -1)[1]
    return np.stack([rows, first, stop], axis=1)


def spans_to_rectangles(spans: NDArray[np.int64]) -> Floats:
    """float64[rectangles, x0 y0 x1 y1]: equal spans in neighbouring rows are joined into one rectangle."""
    spans = spans[np.lexsort((spans[:, 0], spans[:, 2], spans[:, 1]))]
    if not len(spans):
        return np.empty((0, 4))
    joined = (np.diff(spans[:, 0]) == 1) & (np.diff(spans[:, 1:], axis=0) == 0).all(axis=1)
    starts = np.flatnonzero(np.concatenate([[True], ~joined]))
    ends = np.concatenate([starts[1:], [len(spans)]]) - 1
    corners = (spans[starts, 1], spans[starts, 0], spans[starts, 2], spans[ends, 0] + 1)
    return np.stack(corners, axis=1).astype(float)
