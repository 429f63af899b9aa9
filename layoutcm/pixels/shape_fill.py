"""Find the pixels that outlines and masks cover, as spans: runs of pixels in one row.

A pixel belongs to an outline if its centre is inside by the even-odd rule. Each edge of a polygon switches one bit in
every row that it crosses: the first pixel whose centre is right of the crossing. The switched bits of a row, from left
to right, are in turn the first pixel of a span and the first pixel after it. No crossing is stored or sorted, so the
memory is one bit per pixel, and the time one step per crossing.
"""

# Numba derives the types of compiled functions from their arguments.
# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.compiled import compiled, compiled_part, inlined
from layoutcm.errors import InputError
from layoutcm.layouts.model import Floats
from layoutcm.layouts.shapes import MAX_MASK_PIXELS, RunMask, Shape, shape_box
from layoutcm.pixels.bits import ONE, bits_in, lowest_bit

Spans = NDArray[np.int32]  # [spans, row first stop]
# An edge is steep if it crosses more than 16 rows per column: finding a change of column takes about 12 steps.
STEEP = 16.0
STEPS_PER_SEARCH = 32  # to find a run of a mask, and the rows that it covers
BLOCK_ROWS = 512  # the switched bits of this many rows of a page stay in the cache


class GridShape(NamedTuple):
    """An outline or a mask on the pixel grid of its page; a part is a polygon or the mask.

    It is scaled and decoded only when its spans are needed.
    """

    label: int
    score: float  # 1 for a region without a score
    shape: Shape
    own: Floats  # (width, height) of the page that the shape refers to
    frame: Floats  # (width, height) of the pixel grid
    bounds: list[tuple[int, int, int, int]]  # x0, y0, x1, y1 of each part: whole pixels around it
    steps: int  # the work to fill it: crossings of rows, or runs
    run_ends: NDArray[np.int64] | None = None  # of a mask that is decoded

    @property
    def box(self) -> tuple[int, int, int, int]:
        """x0, y0, x1, y1: whole pixels around the shape."""
        x0, y0, x1, y1 = zip(*self.bounds)
        return min(x0), min(y0), max(x1), max(y1)

    def is_equal(self, other: GridShape) -> bool:
        """Whether both are outlines with the same points on the same grid, and so have the same spans."""
        if isinstance(self.shape, RunMask) or isinstance(other.shape, RunMask) or self.steps != other.steps:
            return False
        same_grid = (self.own == other.own).all() and (self.frame == other.frame).all()
        rings = self.shape.rings, other.shape.rings
        return bool(same_grid) and len(rings[0]) == len(rings[1]) and all(map(np.array_equal, *rings))

    def decoded(self) -> GridShape:
        """The shape, with what all strips of its page need; it takes memory, so only for one page at a time."""
        return self._replace(run_ends=np.cumsum(self.shape.runs)) if isinstance(self.shape, RunMask) else self

    def spans(self, first: int, stop: int) -> list[Spans]:
        """The spans of the pixel rows first:stop, part by part; those of different parts may overlap."""
        found = []
        for number, (x0, y0, x1, y1) in enumerate(self.bounds):
            low, high = max(first, y0), min(stop, y1)
            if low >= high:
                continue
            if isinstance(self.shape, RunMask):
                run_ends = self.decoded().run_ends if self.run_ends is None else self.run_ends
                columns = _sample(x0, x1, self.shape.width, self.frame[0])
                rows = _sample(low, high, self.shape.height, self.frame[1])
                found.append(_mask_spans(run_ends, self.shape.height, columns, rows, x0, low))
            else:
                ring = scale_ring(self.shape.rings[number], self.own, self.frame)
                found.append(_ring_spans(ring, x0, x1, low, high))
        return found

    @property
    def steps_per_strip(self) -> int:
        """The work that every strip of rows repeats: all edges of an outline, or a search in each column of a mask."""
        if isinstance(self.shape, RunMask):
            return STEPS_PER_SEARCH * max(self.bounds[0][2] - self.bounds[0][0], 0)
        return sum(map(len, self.shape.rings))


def shape_on_grid(shape: Shape, label: int, score: float, own: Floats, frame: Floats) -> GridShape:
    """Put a shape on the pixel grid. `own` is (width, height) of the page that it refers to, `frame` of the grid.

    A mask covers its whole page at any resolution.
    """
    columns, rows = (int(side) for side in np.ceil(frame))
    if rows * columns > MAX_MASK_PIXELS:
        problem = f"a page of {columns:,} x {rows:,} is too large for outlines"
        raise InputError("", "outlines", problem, "Use shapes='box'.")
    if isinstance(shape, RunMask):
        parts = [_mask_bounds(shape, frame)]
    else:
        parts = [_ring_bounds(scale_ring(ring, own, frame), columns, rows) for ring in shape.rings]
    return GridShape(label, score, shape, own, frame, [part[:4] for part in parts], sum(part[4] for part in parts))


def scale_ring(ring: Floats, own: Floats, frame: Floats) -> Floats:
    """The points of a polygon on a page of another size; unchanged, to the last bit, if the size is the same."""
    return np.ascontiguousarray(ring if (own == frame).all() else ring * frame / own)


def _mask_bounds(mask: RunMask, frame: Floats) -> tuple[int, int, int, int, int]:
    """x0, y0, x1, y1, steps: the pixels around a mask, and how many runs of all columns are looked at."""
    width, height = np.ceil(frame).astype(int).tolist()
    left, top, right, bottom = (int(edge) for edge in shape_box(mask))
    columns, rows = _sample(0, width, mask.width, frame[0]), _sample(0, height, mask.height, frame[1])
    x0, x1 = np.searchsorted(columns, [left, right]).tolist()
    y0, y1 = np.searchsorted(rows, [top, bottom]).tolist()
    ends, used = np.cumsum(mask.runs), columns[x0:x1]
    first_runs, stop_runs = (np.searchsorted(ends, (used + k) * mask.height, side="right") for k in (0, 1))
    return x0, y0, x1, y1, int((stop_runs - first_runs + 1).sum())


def _sample(first: int, stop: int, mask_side: int, side: float) -> NDArray[np.int64]:
    """int64[pixels]: the column or row of a mask under the centres of the pixels first:stop."""
    under = np.floor((np.arange(first, stop) + 0.5) * mask_side / side).astype(np.int64)
    return np.minimum(under, mask_side - 1)


def spans_to_pixels(spans: list[Spans], width: int, height: int) -> NDArray[np.uint8]:
    """uint8[height, width], column by column in memory: 1 where a span is."""
    pixels = np.zeros((height, width), np.uint8, order="F")
    for part in spans:
        _set_pixels(part, pixels)
    return pixels


@compiled
def _set_pixels(spans, pixels):
    for row, first, stop in spans:
        pixels[row, first:stop] = 1


@compiled
def _ring_bounds(ring, columns, rows):
    """x0, y0, x1, y1, steps: the pixels that a polygon may cover, and how many crossings are computed to fill it.

    Pixels are counted by rows, and objects are filled by columns (COCO's rule), so both crossings count.

    One column more on each side: a crossing may be rounded to a value just beyond the ends of its edge.
    """
    x0, y0, x1, y1, steps = columns, rows, 0, 0, 0
    for i in range(len(ring)):
        following = i + 1 if i + 1 < len(ring) else 0
        first, stop = _rows_crossed(ring[i, 1], ring[following, 1], 0, rows)
        column = np.ceil(ring[i, 0] - 0.5)
        x0 = min(x0, np.int64(min(max(column - 1.0, 0.0), columns)))
        x1 = max(x1, np.int64(min(max(column + 1.0, 0.0), columns)))
        here, there = min(max(ring[i, 0], 0.0), columns), min(max(ring[following, 0], 0.0), columns)
        steps += np.int64(abs(there - here))
        if first < stop:
            y0, y1 = min(y0, first), max(y1, stop)
            wide = STEEP * (abs(ring[following, 0] - ring[i, 0]) + 2.0)
            steps += np.int64(min(np.float64(stop - first), wide))
    return x0, y0, x1, y1, steps


@inlined
def _rows_crossed(y, other_y, first, stop):
    """The rows first:stop whose centres are between two heights; the upper height itself counts, the lower not."""
    low, high = np.ceil(min(y, other_y) - 0.5), np.ceil(max(y, other_y) - 0.5)
    return np.int64(min(max(low, first), stop)), np.int64(min(max(high, first), stop))


@inlined
def _column(x, y, slope, row, x0, x1):
    """The column, counted from x0, in which an edge through (x, y) crosses a row.

    The order of operations decides where a crossing is exactly at a centre.
    """
    column = np.ceil(x + (np.float64(np.int32(row)) + 0.5 - y) * slope - 0.5)
    column = column if column > x0 else x0
    column = column if column < x1 else x1
    return np.int32(column - x0)


@compiled
def _ring_spans(ring, x0, x1, first, stop):
    """The spans of one polygon in the rows first:stop; the columns x0:x1 are those around it."""
    switched = np.zeros((stop - first, (x1 - x0) // 64 + 1), np.uint64)
    columns = np.empty(min(BLOCK_ROWS, stop - first), np.int32)
    left, right = np.float64(x0), np.float64(x1)
    _switch_steep_edges(ring, left, right, first, stop, switched)
    for block in range(first, stop, BLOCK_ROWS):
        for i in range(len(ring)):
            x, y = ring[i, 0], ring[i, 1]
            following = i + 1 if i + 1 < len(ring) else 0
            low, high = _rows_crossed(y, ring[following, 1], block, min(block + BLOCK_ROWS, stop))
            if low >= high or _is_steep(ring[i], ring[following]):
                continue
            slope = (ring[following, 0] - x) / (ring[following, 1] - y)
            for k in range(high - low):  # a loop of its own, so the compiler computes several rows at once
                columns[k] = _column(x, y, slope, low + k, left, right)
            for k in range(high - low):
                column, row = np.uint64(columns[k]), np.uint64(low - first + k)
                switched[row, column >> np.uint64(6)] ^= ONE << (column & np.uint64(63))
    return _spans_between(switched, first, x0)


@inlined
def _is_steep(start, end):
    return STEEP * abs(end[0] - start[0]) < abs(end[1] - start[1])


@compiled_part
def _switch_steep_edges(ring, x0, x1, first, stop, switched):
    """Switch the bits of edges that cross many rows in each column: once where the column begins, once where it ends.

    Then the bits of each row are switched again in the next one, down to the last row.
    """
    any_steep = False
    for i in range(len(ring)):
        following = i + 1 if i + 1 < len(ring) else 0
        x, y = ring[i, 0], ring[i, 1]
        row, high = _rows_crossed(y, ring[following, 1], first, stop)
        if row >= high or not _is_steep(ring[i], ring[following]):
            continue
        any_steep = True
        slope = (ring[following, 0] - x) / (ring[following, 1] - y)
        while row < high:
            column = _column(x, y, slope, row, x0, x1)
            word, bit = column // 64, ONE << np.uint64(column % 64)
            switched[row - first, word] ^= bit
            same, row = row, high
            while row - same > 1:  # find the first row of another column; columns only increase or only decrease
                middle = (same + row) // 2
                if _column(x, y, slope, middle, x0, x1) == column:
                    same = middle
                else:
                    row = middle
            if row < stop:
                switched[row - first, word] ^= bit
    for row in range(1, len(switched) if any_steep else 0):
        for word in range(switched.shape[1]):
            switched[row, word] ^= switched[row - 1, word]


@compiled
def _mask_spans(run_ends, height, columns, rows, x0, first):
    """The spans of a mask in pixels from column x0 and row `first` on; `columns` and `rows` are those of the mask."""
    # A run switches the bits of its first row and of the first row after it, in each of its columns.
    covered = np.zeros((len(rows), len(columns) // 64 + 1), np.uint64)
    switches, n = np.empty(2 * len(rows), np.int64), 0
    for k in range(len(columns)):
        if k == 0 or columns[k] != columns[k - 1]:
            n = _list_switches(run_ends, columns[k] * height, rows, switches)
        word, bit = k // 64, ONE << np.uint64(k % 64)
        for i in range(n):
            covered[switches[i], word] ^= bit
    for row in range(1, len(covered)):
        for word in range(covered.shape[1]):
            covered[row, word] ^= covered[row - 1, word]
    for row in range(len(covered)):
        before = np.uint64(0)
        for word in range(covered.shape[1]):
            bits = covered[row, word]
            covered[row, word] = bits ^ ((bits << ONE) | before)
            before = bits >> np.uint64(63)
    return _spans_between(covered, first, x0)


@compiled_part
def _list_switches(run_ends, top, rows, switches):
    """List the pixel rows at which a column of a mask changes, and return their number; `top` is where it begins."""
    at, stop, n = top + rows[0], top + rows[-1] + 1, 0
    run = np.searchsorted(run_ends, at, side="right")
    while at < stop:
        end = min(run_ends[run], stop)
        if run % 2 == 1:
            low, high = np.searchsorted(rows, at - top), np.searchsorted(rows, end - top)
            if low < high:  # otherwise no pixel shows this run
                switches[n] = low
                n += 1
                if high < len(rows):
                    switches[n] = high
                    n += 1
        at, run = end, run + 1
    return n


@compiled_part
def _spans_between(switched, first_row, first_column):
    """int32[spans, row first stop] from the bits that are switched: each begins or ends a span."""
    n = 0
    for row in range(len(switched)):
        for word in range(switched.shape[1]):
            n += bits_in(switched[row, word])
    spans = np.empty((n // 2, 3), np.int32)
    n = 0
    for row in range(len(switched)):
        for word in range(switched.shape[1]):
            bits = switched[row, word]
            while bits != 0:
                column = first_column + 64 * word + np.int64(lowest_bit(bits))
                spans[n // 2, 0], spans[n // 2, 1 + n % 2] = first_row + row, column
                n += 1
                bits &= bits - ONE
    return spans
