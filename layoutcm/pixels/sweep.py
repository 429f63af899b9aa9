"""The compiled kernel: walking down a page from box edge to box edge, booking areas on pairs of label sets.

The vertical edges cut a page into columns. Neighbouring columns under the same boxes form a run, and a run stands on
its current set: the labels of gt and pred together. A box that begins cuts runs at its two edges, a box that ends joins
them again, and only the runs below it are looked at. When the set of a run changes, the stretch since the last change
is booked on the old one. Float64 keeps whole pixel counts exact and serves fractional (`exact`) edges alike.
"""

# Compiled functions are typed by numba, from their arguments. What indexes is unsigned: numba tests what may be
# negative. Helpers are inlined: handing over ten arrays would cost more than what they do.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np
from numba import njit

from layoutcm.pixels.bits import ONE, TWO

COLUMN = np.dtype(
    [
        ("x", "f8"),  # its left edge
        ("users", "i8"),  # boxes that have an edge there; where there are any, a run begins
        ("before", "u8"),  # the neighbouring runs, by their first columns
        ("after", "u8"),
        ("on_set", "u8"),
        ("since", "f8"),  # the y from which the run stands on this set
    ]
)
EDGE = np.dtype([("at", "f8"), ("number", "u8")])  # of n boxes, box i begins with edge i and ends with edge n + i
LABEL = np.dtype([("word", "u8"), ("bit", "u8"), ("mark", "u8")])  # the marks of a set's labels, xored, are its hash
SET = np.dtype([("mark", "u8"), ("area", "f8")])


@njit(nogil=True, cache=True)
def sweep_pages(
    first_page, last_page, rows, serial, frames, offsets, boxes, labels, alphabet, gt_words, shift, many_words,
    columns, cover, edges, starts, span, table, sets, bits, page_of, words, pixels,
):  # fmt: skip
    """Count pages until all are done or memory runs short: the page to go on with, rows and serial numbers in use.

    `many_words` is how many words the bits of a set have; None, for one, is compiled apart, without inner loops.
    """
    n_words = 1 if many_words is None else many_words
    rows, serial = np.uint64(rows), np.uint64(serial)
    for page in range(first_page, last_page):
        base, n = np.uint64(offsets[page]), np.uint64(offsets[page + 1] - offsets[page])
        width, height = frames[page, 0], frames[page, 1]
        n_edges = _sort_edges(boxes, base, n, np.uint64(0), width, starts, edges)
        end = _cut_columns(n_edges, n, width, columns, edges, span)
        _sort_edges(boxes, base, n, ONE, height, starts, edges)
        n_sets = _begin_page(end, serial, n_words, columns, cover, table, sets, bits)
        for k in range(n_edges):
            # A step adds at most one set a column, and each needs a place in the half-empty table.
            if n_sets + end + ONE > np.uint64(sets.size):
                return page, rows, serial + n_sets
            number, y = edges[k].number, edges[k].at
            begins = number < n
            box = number if begins else number - n
            n_sets = _apply_edge(
                begins, y, np.uint64(labels[base + box]), span[box, 0], span[box, 1],
                n_sets, serial, n_words, alphabet, columns, cover, table, sets, bits,
            )  # fmt: skip
        # All boxes have ended: one run is left, without labels.
        sets[0].area += (height - columns[0].since) * width
        serial += n_sets
        if rows + n_sets > np.uint64(pixels.size):
            return page, rows, serial
        rows = _write_rows(page, rows, n_sets, n_words, gt_words, shift, sets, bits, page_of, words, pixels)
    return last_page, rows, serial


@njit(nogil=True, cache=True, inline="always")
def _begin_page(end, serial, n_words, columns, cover, table, sets, bits):
    """One run over the whole page, on set 0, which has no labels; the number of sets."""
    for label in range(cover.shape[1]):
        cover[0, label] = 0
    for k in range(n_words):
        bits[0, k] = 0
    sets[0].mark, sets[0].area, table[0] = 0, 0.0, serial
    run = columns[0]
    run.users, run.after, run.on_set, run.since = 1, end, 0, 0.0
    columns[end].users = 1
    return ONE


@njit(nogil=True, cache=True, inline="always")
def _apply_edge(
    begins, y, label, left, right, n_sets, serial, n_words, alphabet, columns, cover, table, sets, bits
):  # fmt: skip
    """A box begins or ends over the columns left:right; the number of sets.

    Where it begins, runs are cut at its edges; where it ends, they are joined if no other box has an edge there.
    """
    change, turning = (1, 1) if begins else (-1, 0)
    if begins and columns[left].users == 0:
        run = left - ONE
        while columns[run].users == 0:
            run -= ONE
        _cut(run, left, columns, cover)
    columns[left].users += change
    columns[right].users += change
    run = left
    while run != right:
        if columns[run].after > right:
            _cut(run, right, columns, cover)
        here, old, after = columns[run], columns[run].on_set, columns[run].after
        cover[run, label] += change
        # Only the first box of a label to come and the last to go change the set.
        if cover[run, label] == turning:
            sets[old].area += (y - here.since) * (columns[after].x - here.x)
            new = _find_set(old, alphabet[label], n_sets, serial, n_words, table, sets, bits)
            here.on_set, here.since = new, y
            n_sets = max(n_sets, new + ONE)
        run = after
    for column in (left, right):
        if columns[column].users == 0:
            _join(column, columns, sets)
    return n_sets


@njit(nogil=True, cache=True, inline="always")
def _cut(run, column, columns, cover):
    """The run's columns from `column` on become a run of their own, under the same boxes."""
    old, new, after = columns[run], columns[column], columns[run].after
    new.before, new.after, new.on_set, new.since = run, after, old.on_set, old.since
    old.after, columns[after].before = column, column
    for label in range(cover.shape[1]):
        cover[column, label] = cover[run, label]


@njit(nogil=True, cache=True, inline="always")
def _join(column, columns, sets):
    """The run that begins at `column` goes into the one before it, which lies under the same boxes by now."""
    gone, before, after = columns[column], columns[column].before, columns[column].after
    kept = columns[before]
    since = max(gone.since, kept.since)
    in_kept, in_gone = (since - kept.since) * (gone.x - kept.x), (since - gone.since) * (columns[after].x - gone.x)
    sets[kept.on_set].area += in_kept + in_gone
    kept.since, kept.after, columns[after].before = since, after, before


@njit(nogil=True, cache=True, inline="always")
def _find_set(old, label, n_sets, serial, n_words, table, sets, bits):
    """The set that differs from `old` by the label; n_sets, which then becomes that set, if the page has none yet.

    The table is open addressing and holds serial numbers; one below `serial` is left from an earlier page and counts
    as empty, so that the table never needs clearing. New or known can hardly be guessed, so there is no branch for it:
    the bits are always written behind the last set.
    """
    mark, last = sets[old].mark ^ label.mark, np.uint64(table.size - 1)
    for k in range(n_words):
        bits[n_sets, k] = bits[old, k]
    bits[n_sets, label.word] ^= label.bit
    sets[n_sets].mark, sets[n_sets].area = mark, 0.0
    slot = mark & last
    while True:
        entry = np.uint64(table[slot])
        known = entry - serial if entry >= serial else n_sets
        same = True
        for k in range(n_words):
            same = same and bits[known, k] == bits[n_sets, k]
        if same:
            table[slot] = serial + known
            return known
        slot = (slot + ONE) & last


@njit(nogil=True, cache=True, inline="always")
def _cut_columns(n_edges, n, width, columns, edges, span):
    """Cut the page at the sorted vertical edges into columns; the number of columns."""
    end, x = np.uint64(0), 0.0
    columns[0].x = 0.0
    for k in range(n_edges):
        if edges[k].at > x:
            end += ONE
            x = edges[k].at
            columns[end].x, columns[end].users = x, 0
        number = edges[k].number
        if number < n:
            span[number, 0] = end
        else:
            span[number - n, 1] = end
    columns[end + ONE].x = width
    return end + np.uint64(width > x)


@njit(nogil=True, cache=True)
def _sort_edges(boxes, base, n, axis, limit, starts, edges):
    """Sort the edges across `axis` of the boxes base:base + n into `edges`; their number, without those of empty boxes.

    They are dealt into as many buckets as there are edges, which all but sorts them.
    """
    per_pixel = np.float64(TWO * n) / max(limit, 1.0)
    for k in range(TWO * n + TWO):
        starts[k] = 0
    for i in range(base, base + n):
        if boxes[i, 0] < boxes[i, 2] and boxes[i, 1] < boxes[i, 3]:
            for at in (boxes[i, axis], boxes[i, axis + TWO]):
                starts[np.uint64(at * per_pixel) + ONE] += ONE
    for k in range(TWO * n + ONE):
        starts[k + ONE] += starts[k]
    for i in range(base, base + n):
        if boxes[i, 0] < boxes[i, 2] and boxes[i, 1] < boxes[i, 3]:
            number = i - base
            for at in (boxes[i, axis], boxes[i, axis + TWO]):
                bucket = np.uint64(at * per_pixel)
                edges[starts[bucket]].at, edges[starts[bucket]].number = at, number
                starts[bucket] += ONE
                number += n
    n_edges = starts[TWO * n + ONE]
    _shell_sort(edges, n_edges)
    return n_edges


@njit(nogil=True, cache=True, inline="always")
def _shell_sort(edges, size):
    """Quick on what is nearly in order, and not slow when many edges fell into one bucket."""
    gap = ONE
    while gap * np.uint64(100) < size:
        gap = gap * np.uint64(3) + ONE
    while gap > 0:
        for i in range(gap, size):
            at, number, j = edges[i].at, edges[i].number, i
            while j >= gap and edges[j - gap].at > at:
                edges[j].at, edges[j].number = edges[j - gap].at, edges[j - gap].number
                j -= gap
            edges[j].at, edges[j].number = at, number
        gap //= np.uint64(3)


@njit(nogil=True, cache=True, inline="always")
def _write_rows(page, rows, n_sets, n_words, gt_words, shift, sets, bits, page_of, words, pixels):
    """Write the page's sets that have pixels as rows; the empty set of a side is Background, its bit 0."""
    gt_bits = (ONE << np.uint64(shift)) - ONE
    for i in range(n_sets):
        page_of[rows], pixels[rows] = page, sets[i].area
        if n_words == 1:
            words[rows, 0] = max(bits[i, 0] & gt_bits, ONE)
            words[rows, 1] = max(bits[i, 0] >> np.uint64(shift), ONE)
        else:
            for k in range(n_words):
                words[rows, k] = bits[i, k]
            gt_set, pred_set = np.uint64(0), np.uint64(0)
            for k in range(gt_words):
                gt_set |= bits[i, k]
            for k in range(gt_words, n_words):
                pred_set |= bits[i, k]
            words[rows, 0] |= np.uint64(gt_set == 0)
            words[rows, gt_words] |= np.uint64(pred_set == 0)
        # A set that came and went on one line has no pixels; the next one takes its row.
        rows += np.uint64(sets[i].area > 0.0)
    return rows
