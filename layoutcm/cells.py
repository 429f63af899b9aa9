"""The compiled kernel: how many pixels carry which pair of label sets, without looking at pixels.

Between neighbouring box edges nothing changes. The kernel cuts a page into columns at the vertical edges and walks
down the horizontal ones. A column stands on its current pair of sets; when a box that begins or ends changes it, the
stretch since the last change is booked on that pair and the column moves to another. So a box costs only the columns
that it changes. Float64 keeps whole pixel counts exact and serves fractional (`exact`) edges alike. Memory is Python's
business: when it runs short the kernel stops at that page, and `count_pages` makes room and goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from layoutcm.counts import WORD, words_for
from layoutcm.model import GT, ROUNDINGS, Floats, Indices

ROWS_A_PAGE = 256  # more than real pages have; memory that is never touched costs nothing
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
    most = int(np.diff(laid.offsets[first : last + 1]).max(initial=0))
    label_word, label_bit, gt_words, shift = _bits(*laid.n_labels)
    n_words = gt_words + words_for(laid.n_labels[1])
    widths, since, on_set = np.empty(2 * most + 2), np.empty(2 * most + 2), np.empty(2 * most + 2, np.int32)
    # How many boxes of a label lie over a column; all 0 again after each page.
    cover = np.zeros((label_word.size, 2 * most + 2), np.int32)
    keys, order, span = np.empty(2 * most), np.empty(2 * most, np.int64), np.empty((most, 2), np.uint64)
    size = ROWS_A_PAGE * (last - first) + FIRST_TABLE
    page_of, words, pixels = np.empty(size, np.int32), np.empty((size, n_words), np.uint64), np.empty(size)
    tables = _tables(FIRST_TABLE, 1 if shift else n_words)
    page, rows, serial = first, 0, 0
    while True:
        page, rows, serial = _walk(
            page, last, rows, serial, laid.frames, laid.offsets, laid.boxes, laid.labels, label_word, label_bit,
            gt_words, shift, widths, since, on_set, cover, keys, order, span, page_of, words, pixels, *tables,
        )  # fmt: skip
        if page == last:
            return page_of[:rows], words[:rows], pixels[:rows]
        cover[:] = 0
        page_of, words, pixels = (_doubled(column, rows) for column in (page_of, words, pixels))
        tables = _tables(2 * len(tables[0]), tables[1].shape[1])


def _bits(gt_labels: int, pred_labels: int) -> tuple[NDArray[np.int64], NDArray[np.uint64], int, int]:
    """Word and bit of every label of both sides, gt's number of words, and the shift from gt's bits to pred's.

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
    return word, np.uint64(1) << (bit % WORD).astype(np.uint64), words_for(gt_labels), shift


def _tables(size: int, n_words: int) -> tuple[Indices, NDArray[np.uint64], Floats]:
    """Room for the sets of a page: hash table (-1 = empty), bits, pixels."""
    sets = size // 2
    return np.full(size, -1, np.int32), np.empty((sets, n_words), np.uint64), np.empty(sets)


def _doubled(column: NDArray[Any], used: int) -> NDArray[Any]:
    larger = np.empty((2 * len(column), *column.shape[1:]), column.dtype)
    larger[:used] = column[:used]
    return larger


@njit(nogil=True, cache=True)
def _walk(
    first_page, last_page, rows, serial, frames, offsets, boxes, labels, label_word, label_bit, gt_words, shift,
    widths, since, on_set, cover, keys, order, span, page_of, words, pixels, table, bits, area,
):  # fmt: skip
    """Count pages until all are done or memory runs short: the page to go on with, rows and serial numbers in use.

    While a page is walked, a set is a number; bits[set] holds gt's and pred's labels together.
    """
    for page in range(first_page, last_page):
        base, n = offsets[page], offsets[page + 1] - offsets[page]
        columns = _columns(boxes, base, n, frames[page, 0], widths, keys, order, span)
        sets = np.int64(1)  # typed, so that the helpers below are compiled once
        for k in range(bits.shape[1]):
            bits[0, k] = 0
        _find(np.int64(0), serial, table, bits, area)
        for column in range(columns):
            since[column], on_set[column] = 0.0, 0
        for event in range(2 * n):
            # A step adds at most one set a column, and each needs a place in the half-empty table.
            if sets + columns + 1 > area.size:
                return page, rows, serial + sets
            i = order[event]
            box, step, turning = (i, 1, 1) if i < n else (i - n, -1, 0)
            label, y = labels[base + box], keys[event]
            covered = cover[label]
            last, new, booked = -1, -1, 0.0  # neighbours often stand on one set: they are booked together
            for column in range(span[box, 0], span[box, 1]):  # unsigned: no test for negative indices
                covered[column] += step
                # Only the first box to come and the last to go change a column's set.
                if covered[column] != turning:
                    continue
                old = on_set[column]
                if old != last:
                    if last >= 0:
                        area[last] += booked
                    last, booked = old, 0.0
                    for k in range(bits.shape[1]):
                        bits[sets, k] = bits[old, k]
                    bits[sets, label_word[label]] ^= label_bit[label]
                    new = _find(sets, serial, table, bits, area)
                    sets = max(sets, new + np.int64(1))
                booked += (y - since[column]) * widths[column]
                since[column], on_set[column] = y, new
            if last >= 0:
                area[last] += booked
        for column in range(columns):
            area[on_set[column]] += (frames[page, 1] - since[column]) * widths[column]
        serial += sets
        if rows + sets > pixels.size:
            return page, rows, serial
        rows = _keep(page, rows, sets, bits, area, gt_words, shift, page_of, words, pixels)
    return last_page, rows, serial


@njit(nogil=True, cache=True)
def _columns(boxes, base, n, page_width, widths, keys, order, span):
    """Cut the page at the vertical edges into columns and sort the horizontal ones into `order`; the columns' number.

    Event order[k] lies at keys[k]; box i begins with event i, ends with event n + i and spans the columns
    span[i, 0]:span[i, 1].
    """
    for i in range(n):
        keys[i], keys[i + n] = boxes[base + i, 0], boxes[base + i, 2]
        order[i], order[i + n] = i, i + n
    _sort(keys, order, 2 * n)
    columns, edge = 0, 0.0
    for k in range(2 * n):
        i = order[k]
        if keys[k] > edge:
            widths[columns] = keys[k] - edge
            columns += 1
            edge = keys[k]
        if i < n:
            span[i, 0] = columns
        else:
            span[i - n, 1] = columns
    if page_width > edge:
        widths[columns] = page_width - edge
        columns += 1
    for i in range(n):
        keys[i], keys[i + n] = boxes[base + i, 1], boxes[base + i, 3]
        order[i], order[i + n] = i, i + n
    _sort(keys, order, 2 * n)
    return columns


@njit(nogil=True, cache=True)
def _find(new, serial, table, bits, area):
    """The page's set that has the bits of `new`; `new` itself, which then is one of them, if there is none.

    The table is open addressing and holds serial numbers; one below `serial` is left from an earlier page and counts
    as empty, so that the table never needs clearing.
    """
    end = table.size - 1
    mixed = np.uint64(0)
    for k in range(bits.shape[1]):
        mixed = (mixed ^ bits[new, k]) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
    slot = np.int64(mixed & np.uint64(end))
    while table[slot] >= serial:
        known = np.int64(table[slot]) - serial
        same = True
        for k in range(bits.shape[1]):
            same = same and bits[known, k] == bits[new, k]
        if same:
            return known
        slot = (slot + 1) & end
    table[slot] = serial + new
    area[new] = 0.0
    return np.int64(new)


@njit(nogil=True, cache=True)
def _keep(page, rows, sets, bits, area, gt_words, shift, page_of, words, pixels):
    """Write the page's sets that have pixels as rows; the empty set of a side is Background, its bit 0."""
    gt_bits = (np.uint64(1) << np.uint64(shift)) - np.uint64(1)
    for i in range(sets):
        # A set that came and went on one line has no pixels.
        if area[i] <= 0.0:
            continue
        if shift > 0:
            words[rows, 0], words[rows, 1] = bits[i, 0] & gt_bits, bits[i, 0] >> np.uint64(shift)
        else:
            for k in range(words.shape[1]):
                words[rows, k] = bits[i, k]
        gt_set, pred_set = np.uint64(0), np.uint64(0)
        for k in range(words.shape[1]):
            if k < gt_words:
                gt_set |= words[rows, k]
            else:
                pred_set |= words[rows, k]
        if gt_set == 0:
            words[rows, 0] = 1
        if pred_set == 0:
            words[rows, gt_words] = 1
        page_of[rows], pixels[rows] = page, area[i]
        rows += 1
    return rows


@njit(nogil=True, cache=True)
def _sort(keys, order, size):
    """Shell sort of keys[:size], order along with them: short to compile, quick on the tens of edges of a page."""
    gap = 1
    while gap < size // 30:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, size):
            key, item, j = keys[i], order[i], i
            while j >= gap and keys[j - gap] > key:
                keys[j], order[j] = keys[j - gap], order[j - gap]
                j -= gap
            keys[j], order[j] = key, item
        gap //= 3
