"""Fill polygons by COCO's own rule, which differs from the rule of pixel centres, in memory of one bit a pixel.

COCO rounds the points to a fifth of a pixel, samples each edge, and switches a bit wherever the samples pass the middle
of a column: the first row below it. The bits of all columns, one column after the other, are where the runs of the mask
begin and end. faster-coco-eval stores every sample, which for 10,000 long edges takes a gigabyte.
"""

# Numba derives the types of compiled functions from their arguments.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from layoutcm.layouts.model import Floats
from layoutcm.pixels.bits import ONE, bits_in, lowest_bit

FINE = 5  # steps a pixel


def ring_runs(ring: Floats, width: int, height: int) -> NDArray[np.int64]:
    """int64[runs]: the lengths of alternating runs of 0 and 1 of a polygon on a page, column by column."""
    ends = _run_ends(np.ascontiguousarray(ring, float), width, height)
    return np.diff(np.concatenate([[0], ends, [width * height]]))


@njit(nogil=True, cache=True)
def _run_ends(ring, width, height):
    left, right = np.float64(width), 0.0
    for i in range(len(ring)):
        left, right = min(left, ring[i, 0]), max(right, ring[i, 0])
    first, last = np.int64(max(left - 2.0, 0.0)), np.int64(min(right + 2.0, np.float64(width)))
    switched = np.zeros(max(last - first + 1, 0) * height // 64 + 2, np.uint64)
    for i in range(len(ring)):
        following = i + 1 if i + 1 < len(ring) else 0
        _switch_edge(ring[i], ring[following], width, height, first, switched)
    return _switched_places(switched, first * height, width * height)


@njit(nogil=True, cache=True)
def _switch_edge(start, end, width, height, first, switched):
    """Switch one bit in each column whose middle the edge passes."""
    x, y = np.int64(FINE * start[0] + 0.5), np.int64(FINE * start[1] + 0.5)
    end_x, end_y = np.int64(FINE * end[0] + 0.5), np.int64(FINE * end[1] + 0.5)
    flat = abs(end_x - x) >= abs(end_y - y)
    if (flat and x > end_x) or (not flat and y > end_y):
        x, y, end_x, end_y = end_x, end_y, x, y
    if x == end_x:
        return
    slope = (end_y - y) / (end_x - x) if flat else (end_x - x) / (end_y - y)
    low, high = min(x, end_x), max(x, end_x)
    # Of the five steps in a column, the middle is passed between the third and the fourth.
    for column in range(max((low + 2) // FINE, 0), min((high - 3) // FINE + 1, width)):
        middle = FINE * column + 2
        if flat:
            step = np.float64(middle - x)
            above = min(np.int64(y + slope * step + 0.5), np.int64(y + slope * (step + 1.0) + 0.5))
        else:
            above = y + _last_step(x, slope, middle, end_y - y)
        row = min((max(above, 0) + 2) // FINE, height)  # the first row whose middle is below
        place = np.uint64((column - first) * height + row)
        switched[place >> np.uint64(6)] ^= ONE << (place & np.uint64(63))


@njit(nogil=True, cache=True, inline="always")
def _last_step(x, slope, middle, steps):
    """The last step of a steep edge before it passes the middle of a column."""
    rising = slope > 0.0
    step = np.int64(min(max((middle + 0.5 - x) / slope, 0.0), np.float64(steps)))
    while step > 0 and (np.int64(x + slope * step + 0.5) <= middle) != rising:
        step -= 1
    while step < steps and (np.int64(x + slope * (step + 1) + 0.5) <= middle) == rising:
        step += 1
    return step


@njit(nogil=True, cache=True)
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
