"""Fill polygons by COCO's own rule, which differs from the rule of pixel centres, in memory of one bit per pixel.

COCO rounds the points to a fifth of a pixel, samples each edge, and switches a bit wherever the samples pass the middle
of a column: the first row below it. The bits of all columns, one column after the other, are where the runs of the mask
begin and end. faster-coco-eval stores every sample, which for 10,000 long edges takes a gigabyte.
"""

# Numba derives the types of compiled functions from their arguments.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from layoutcm.compiled import compiled, compiled_part, inlined
from layoutcm.layouts.model import Floats
from layoutcm.pixels.bits import ONE, bits_in, lowest_bit

FINE = 5  # steps per pixel
BLOCK_BITS = 1 << 21  # the switched bits of this many pixels stay in the cache
LEAST_COLUMNS = 64  # of a block, because every block goes through all edges
# The last step before the middle of a column is computed with an error below one step for such edges: double precision
# has 52 bits after the first, of which a place needs 30, and a step of this slope 12.
NEAR, LEAST_SLOPE = 1 << 30, 2.0**-12


def ring_runs(ring: Floats, width: int, height: int) -> NDArray[np.int64]:
    """int64[runs]: the lengths of alternating runs of 0 and 1 of a polygon on a page, column by column."""
    ends = _run_ends(np.ascontiguousarray(ring, float), width, height)
    return np.diff(np.concatenate([[0], ends, [width * height]]))


def ring_counts(ring: Floats, width: int, height: int) -> bytes:
    """The runs of a polygon in the text of COCO, without a Python object for each of them."""
    return _runs_as_text(ring_runs(ring, width, height)).tobytes()


@compiled
def _runs_as_text(runs):
    """Five bits in each character, with a sign; from the fourth run on, the difference to the run before the last."""
    text, n = np.empty(8 * len(runs), np.uint8), 0  # a mask has less than 2^39 pixels
    for i in range(len(runs)):
        rest = runs[i] - runs[i - 2] if i > 2 else runs[i]
        more = True
        while more:
            bits = rest & 31
            rest >>= 5
            more = rest != (-1 if bits & 16 else 0)
            text[n] = bits + (80 if more else 48)
            n += 1
    return text[:n].copy()


@compiled
def _run_ends(ring, width, height):
    fine = np.empty(ring.shape, np.int64)
    left, right = np.float64(width), 0.0
    for i in range(len(ring)):
        left, right = min(left, ring[i, 0]), max(right, ring[i, 0])
        fine[i, 0], fine[i, 1] = np.int64(FINE * ring[i, 0] + 0.5), np.int64(FINE * ring[i, 1] + 0.5)
    first, last = np.int64(max(left - 2.0, 0.0)), np.int64(min(right + 2.0, np.float64(width)))
    switched = np.zeros(max(last - first + 1, 0) * height // 64 + 2, np.uint64)
    size = max(BLOCK_BITS // max(height, 1), LEAST_COLUMNS)
    steps = np.empty(size, np.int32)
    for block in range(first, min(last + 1, width), size):
        for i in range(len(ring)):
            following = i + 1 if i + 1 < len(ring) else 0
            low, high = min(fine[i, 0], fine[following, 0]), max(fine[i, 0], fine[following, 0])
            # Of the five steps in a column, the middle is passed between the third and the fourth.
            low, high = max((low + 2) // FINE, block), min((high - 3) // FINE + 1, min(block + size, width))
            if low < high:
                _list_steps(fine[i], fine[following], low, high, height, steps)
                _switch_bits(steps, high - low, (low - first) * height, height, switched)
    return _switched_places(switched, first * height, width * height)


@inlined
def _switch_bits(steps, size, start, height, switched):
    for k in range(size):
        # The first row whose middle is below.
        place = np.uint64(start + k * height) + np.uint64(np.uint32(steps[k] + 2) // np.uint32(FINE))
        switched[place >> np.uint64(6)] ^= ONE << (place & np.uint64(63))


@compiled_part
def _list_steps(start, end, low, high, height, steps):
    """Write the vertical places, in steps on the page, at which an edge passes the middles of the columns low:high."""
    x, y, end_x, end_y = start[0], start[1], end[0], end[1]
    flat = abs(end_x - x) >= abs(end_y - y)
    if (flat and x > end_x) or (not flat and y > end_y):
        x, y, end_x, end_y = end_x, end_y, x, y
    bottom = np.float64(FINE * height)
    if flat:
        _steps_of_flat_edge(x, y, (end_y - y) / (end_x - x), low, high, bottom, steps)
        return
    slope = (end_x - x) / (end_y - y)
    if abs(slope) > LEAST_SLOPE and max(abs(x), abs(end_x), abs(y), abs(end_y)) < NEAR:
        _steps_of_steep_edge(x, y, slope, end_y - y, low, high, bottom, steps)
        return
    for column in range(low, high):
        above = y + _last_step(x, slope, FINE * column + 2, end_y - y)
        steps[column - low] = min(max(above, 0), FINE * height)


@inlined
def _steps_of_flat_edge(x, y, slope, low, high, bottom, steps):
    """The higher of the two places around the middle."""
    begin = np.float64(FINE * low + 2 - x) + (0.0 if slope >= 0.0 else 1.0)
    top = np.float64(y)
    for k in range(high - low):
        above = top + slope * (begin + 5.0 * np.float64(np.int32(k))) + 0.5
        above = above if above > 0.0 else 0.0
        steps[k] = np.int32(above if above < bottom else bottom)


@inlined
def _steps_of_steep_edge(x, y, slope, size, low, high, bottom, steps):
    """The last place before the middle, as `_last_step` finds it, but for several columns at once."""
    start, top, most, inverse = np.float64(x), np.float64(y), np.float64(size), 1.0 / slope
    rising = slope > 0.0
    for k in range(high - low):
        middle = np.float64(np.int32(low + k)) * 5.0 + 2.0
        step = (middle + 0.5 - start) * inverse
        step = step if step > 0.0 else 0.0
        step = np.floor(step if step < most else most) - 1.0
        step = step if step > 0.0 else 0.0
        one = ((start + slope * (step + 1.0) + 0.5) < middle + 1.0) == rising
        two = ((start + slope * (step + 2.0) + 0.5) < middle + 1.0) == rising
        step += (1.0 if one else 0.0) + (1.0 if two else 0.0)
        above = top + (step if step < most else most)
        above = above if above > 0.0 else 0.0
        steps[k] = np.int32(above if above < bottom else bottom)


@inlined
def _last_step(x, slope, middle, steps):
    """The last step of a steep edge before it passes the middle of a column."""
    rising = slope > 0.0
    step = np.int64(min(max((middle + 0.5 - x) / slope, 0.0), np.float64(steps)))
    while step > 0 and (np.int64(x + slope * step + 0.5) <= middle) != rising:
        step -= 1
    while step < steps and (np.int64(x + slope * (step + 1) + 0.5) <= middle) == rising:
        step += 1
    return step


@compiled_part
def _switched_places(switched, first, end):
    n = 0
    for word in range(len(switched)):
        n += bits_in(switched[word])
    places = np.empty(n, np.int64)
    n = 0
    for word in range(len(switched)):
        bits = switched[word]
        while bits != 0:
            place = first + 64 * word + np.int64(lowest_bit(bits))
            bits &= bits - ONE
            if place < end:
                places[n] = place
                n += 1
    return places[:n]
