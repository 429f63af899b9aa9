"""From boxes to pair counts: how many pixels carry which pair of label sets, without looking at pixels.

Boxes are scaled, clipped and rounded (`lay_out`), then the compiled `sweep` walks over the pages. Memory is Python's
business: when it runs short the kernel stops at that page, and `count_pages` makes room and goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from layoutcm.layouts.model import GT, ROUNDINGS, Floats, Indices
from layoutcm.pixels.pair_counts import WORD, words_for
from layoutcm.pixels.sweep import COLUMN, EDGE, LABEL, SET, walk

# More rows than real pages have: memory that is never touched costs nothing, but there must be an end to it.
ROWS_A_BOX, ROWS_A_PAGE = 16, 4096
FIRST_TABLE = 1 << 10  # small, so that what a page needs stays in the fastest cache
_OUTER, _NEAREST = ROUNDINGS.index("outer"), ROUNDINGS.index("nearest")

Rows = tuple[Indices, NDArray[np.uint64], Floats]  # page, words, pixels


@dataclass(frozen=True, eq=False)
class Painted:
    """Boxes of one side; page -1 = not painted, `own` is float64[pages, width height], the frame the boxes are in."""

    page: Indices
    label: Indices
    boxes: Floats
    own: Floats
    scores: Floats  # nan = no score


@dataclass(frozen=True, eq=False)
class LaidOut:
    """Boxes of both sides on the pixel grid, page by page: page i has boxes[offsets[i]:offsets[i + 1]].

    pred's labels are numbered on from gt's. `frames` is float64[pages, width height] on the same grid.
    """

    frames: Floats
    offsets: NDArray[np.int64]
    boxes: Floats
    labels: Indices
    scores: Floats  # a region without a score is sure: 1
    n_labels: tuple[int, int]


def lay_out(
    gt: Sequence[Painted], pred: Sequence[Painted], n_labels: tuple[int, int], frames: Floats, rounding: str
) -> LaidOut:
    """Bring the boxes of both sides together, page by page, scaled, clipped and rounded."""
    offsets = np.zeros(len(frames) + 1, np.int64)
    for part in (*gt, *pred):
        offsets[1:] += np.bincount(part.page[part.page >= 0], minlength=len(frames))
    np.cumsum(offsets, out=offsets)
    boxes, labels, scores = np.empty((offsets[-1], 4)), np.empty(offsets[-1], np.int32), np.empty(offsets[-1])
    free, code = offsets[:-1].copy(), ROUNDINGS.index(rounding)
    for parts, shift in ((gt, 0), (pred, n_labels[GT])):
        for part in parts:
            _place(
                part.page,
                part.label,
                part.boxes,
                part.scores,
                part.own,
                frames,
                code,
                shift,
                free,
                boxes,
                labels,
                scores,
            )
    return LaidOut(on_grid(frames, rounding), offsets, boxes, labels, scores, n_labels)


def on_grid(frames: Floats, rounding: str) -> Floats:
    """float64[pages, width height]: the page itself is a box and is rounded like one."""
    n = len(frames)
    boxes, free = np.concatenate([np.zeros((n, 2)), frames], axis=1), np.arange(n)
    _place(
        np.arange(n, dtype=np.int32), np.zeros(n, np.int32), boxes, np.zeros(n), frames, frames,
        ROUNDINGS.index(rounding), 0, free, boxes, np.zeros(n, np.int32), np.zeros(n),
    )  # fmt: skip
    return np.ascontiguousarray(boxes[:, 2:])


@njit(nogil=True, cache=True)
def _place(page, label, boxes, scores, own, frames, rounding, shift, free, out_boxes, out_labels, out_scores):
    """Put every box at the next free place of its page: scaled, then clipped, then rounded.

    In this order: a box is cut to the page before its edges move, so that nothing outside is drawn in. Scaling
    multiplies first: 50 * 1100 / 1000 is 55, but 50 * 1.1 is a little more, which `outer` would make a pixel.
    """
    for i in range(page.size):
        p = page[i]
        if p < 0:
            continue
        at = free[p]
        free[p] += 1
        out_labels[at] = label[i] + shift
        out_scores[at] = 1.0 if np.isnan(scores[i]) else scores[i]
        for axis in range(2):
            low, high, limit = boxes[i, axis], boxes[i, axis + 2], frames[p, axis]
            if own[p, axis] != limit:
                low, high = low * limit / own[p, axis], high * limit / own[p, axis]
            low, high = min(max(low, 0.0), limit), min(max(high, 0.0), limit)
            empty = high <= low
            if rounding == _NEAREST:
                low, high = np.floor(low + 0.5), np.floor(high + 0.5)
            elif rounding == _OUTER:
                low, high = np.floor(low), np.ceil(high)
            # What lies beside the page must not grow back to a pixel.
            out_boxes[at, axis], out_boxes[at, axis + 2] = low, low if empty else max(high, low)


def count_pages(first: int, last: int, laid: LaidOut) -> Rows:
    """int32[rows] page, uint64[rows, words] sets and float64[rows] pixels of the pages first:last."""
    in_page = np.diff(laid.offsets[first : last + 1])
    edges = 2 * int(in_page.max(initial=0)) + 2
    alphabet, gt_words, shift = _alphabet(*laid.n_labels)
    n_words = gt_words + words_for(laid.n_labels[1])
    room = (
        np.empty(edges, COLUMN), np.empty((edges, len(alphabet)), np.int32),
        np.empty(edges, EDGE), np.empty(edges, np.uint64), np.empty((edges, 2), np.uint64),
    )  # fmt: skip
    size = int(np.minimum(ROWS_A_BOX * in_page + 1, ROWS_A_PAGE).sum())
    page_of, words, pixels = np.empty(size, np.int32), np.empty((size, n_words), np.uint64), np.empty(size)
    tables = _tables(FIRST_TABLE, 1 if shift else n_words)
    page, rows, serial = first, 0, 1
    while True:
        page, rows, serial = walk(
            page, last, rows, serial, laid.frames, laid.offsets, laid.boxes, laid.labels,
            alphabet, gt_words, shift, None if shift else n_words, *room, *tables, page_of, words, pixels,
        )  # fmt: skip
        if page == last:
            # A few rows must not hold on to all that was reserved; many are not worth a copy.
            few = 8 * rows < pixels.size
            return _first(page_of, rows, few), _first(words, rows, few), _first(pixels, rows, few)
        page_of, words, pixels = (_doubled(column, rows) for column in (page_of, words, pixels))
        tables = _tables(2 * len(tables[0]), tables[2].shape[1])


@cache
def _alphabet(gt_labels: int, pred_labels: int) -> tuple[NDArray[Any], int, int]:
    """Word, bit and mark of every label of both sides, gt's number of words, and the shift from gt's bits to pred's.

    While a page is walked, both sides share one word where they fit: half the work. Otherwise (shift 0) each has words
    of its own, as in the result.
    """
    bit = np.concatenate([np.arange(1, gt_labels + 1), np.arange(1, pred_labels + 1)])
    word, shift = bit // WORD, 0
    if gt_labels + pred_labels + 2 <= WORD:
        shift = gt_labels + 1
        bit[gt_labels:] += shift
    else:
        word[gt_labels:] += words_for(gt_labels)
    alphabet = np.empty(bit.size, LABEL)
    alphabet["word"], alphabet["bit"] = word, np.uint64(1) << (bit % WORD).astype(np.uint64)
    # As good as random, and the same in every run: multiplied by odd constants, high bits folded into the low ones.
    mark = np.arange(1, bit.size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mark = (mark ^ (mark >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    alphabet["mark"] = mark ^ (mark >> np.uint64(32))
    return alphabet, words_for(gt_labels), shift


def _tables(size: int, n_words: int) -> tuple[NDArray[np.uint32], NDArray[Any], NDArray[np.uint64]]:
    """Room for the sets of a page: hash table, mark and area, bits."""
    sets = size // 2
    return np.zeros(size, np.uint32), np.empty(sets, SET), np.empty((sets, n_words), np.uint64)


def _first(column: NDArray[Any], used: int, copied: bool) -> NDArray[Any]:
    return column[:used].copy() if copied else column[:used]


def _doubled(column: NDArray[Any], used: int) -> NDArray[Any]:
    larger = np.empty((2 * len(column), *column.shape[1:]), column.dtype)
    larger[:used] = column[:used]
    return larger
