"""The compiled kernel: sweep down a page from box edge to box edge and add areas to pairs of label sets.

The vertical box edges cut a page into columns. Neighbouring columns under the same boxes form a run, and a run has one
set: the labels of gt and pred together. Where a box begins, runs are cut at its left and right edge; where it ends,
they are joined again. Only the runs under the box are visited. When the set of a run changes, the area since the last
change is added to the old set. Float64 counts whole pixels exactly, and also works for fractional (`exact`) edges.
"""

# Numba derives the types of compiled functions from their arguments. Indices are unsigned, because numba checks signed
# ones for negative values. Small functions are inlined, because passing ten arrays costs more time than their work.
# mypy: allow-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from layoutcm.compiled import compiled, compiled_part, inlined
from layoutcm.pixels.bits import ONE, TWO

COLUMN = np.dtype(
    [
        ("x", "f8"),  # left edge
        ("edge_count", "i8"),  # edges here of boxes that have begun and not ended; above 0, a run begins here
        ("previous", "u8"),  # the neighbouring runs, as the numbers of their first columns
        ("next", "u8"),
        ("set_index", "u8"),
        ("since", "f8"),  # the y at which the run got this set
    ]
)
EDGE = np.dtype([("position", "f8"), ("number", "u8")])  # of n boxes, box i begins at edge i and ends at edge n + i
LABEL = np.dtype([("word", "u8"), ("bit", "u8"), ("hash", "u8")])  # the hash of a set is the xor of its labels' hashes
SET = np.dtype([("hash", "u8"), ("area", "f8")])


class Boxes(NamedTuple):
    """The boxes of all pages, as in `GridBoxes`."""

    frames: Any
    offsets: Any
    boxes: Any
    labels: Any


class LabelCodes(NamedTuple):
    """How labels become bits: LABEL[labels], gt's number of words, the shift from gt's bits to pred's, words per set.

    `many_words` is None for one word per set: that case is compiled separately, without inner loops.
    """

    codes: Any
    gt_words: Any
    shift: Any
    many_words: Any


class PageBuffers(NamedTuple):
    """Memory for the edges and columns of one page."""

    columns: Any
    box_counts: Any
    edges: Any
    bucket_starts: Any
    box_columns: Any


class SetBuffers(NamedTuple):
    """Memory for the label sets of one page: hash table, hash and area, bits."""

    hash_table: Any
    sets: Any
    bits: Any


class RowBuffers(NamedTuple):
    """Memory for the result: page, words and pixels of each row."""

    page: Any
    words: Any
    pixels: Any


@compiled
def sweep_pages(first_page, stop_page, used, grid, label_codes, page_buffers, set_buffers, rows):
    """Count pages until all are done or a buffer is full. Return the next page, used rows and next serial number.

    `used` is (used rows, next serial number), as an earlier call returned them.
    """
    frames, offsets, boxes, labels = grid
    label_codes, gt_words, shift, many_words = label_codes
    columns, box_counts, edges, bucket_starts, box_columns = page_buffers
    hash_table, sets, bits = set_buffers
    page_of, words, pixels = rows
    n_rows, serial = used
    n_words = 1 if many_words is None else many_words
    n_rows, serial = np.uint64(n_rows), np.uint64(serial)
    for page in range(first_page, stop_page):
        first_box, n_boxes = np.uint64(offsets[page]), np.uint64(offsets[page + 1] - offsets[page])
        width, height = frames[page, 0], frames[page, 1]
        n_edges = _sort_edges(boxes, first_box, n_boxes, np.uint64(0), width, bucket_starts, edges)
        n_columns = _cut_columns(n_edges, n_boxes, width, columns, edges, box_columns)
        _sort_edges(boxes, first_box, n_boxes, ONE, height, bucket_starts, edges)
        n_sets = _begin_page(n_columns, serial, n_words, columns, box_counts, hash_table, sets, bits)
        for k in range(n_edges):
            # An edge adds at most one set per column; the hash table must stay half empty.
            if n_sets + n_columns + ONE > np.uint64(len(sets)):
                return page, n_rows, serial + n_sets
            number, y = edges[k].number, edges[k].position
            begins = number < n_boxes
            box = number if begins else number - n_boxes
            n_sets = _apply_edge(
                begins, y, np.uint64(labels[first_box + box]), box_columns[box, 0], box_columns[box, 1],
                n_sets, serial, n_words, label_codes, columns, box_counts, hash_table, sets, bits,
            )  # fmt: skip
        # All boxes have ended: one run without labels is left.
        sets[0].area += (height - columns[0].since) * width
        serial += n_sets
        if n_rows + n_sets > np.uint64(pixels.size):
            return page, n_rows, serial
        n_rows = write_rows(page, n_rows, n_sets, n_words, gt_words, shift, sets, bits, page_of, words, pixels)
    return stop_page, n_rows, serial


@inlined
def _begin_page(n_columns, serial, n_words, columns, box_counts, hash_table, sets, bits):
    """Start with one run over the whole page, with set 0, which has no labels. Return the number of sets."""
    for label in range(box_counts.shape[1]):
        box_counts[0, label] = 0
    for k in range(n_words):
        bits[0, k] = 0
    sets[0].hash, sets[0].area, hash_table[0] = 0, 0.0, serial
    run = columns[0]
    run.edge_count, run.next, run.set_index, run.since = 1, n_columns, 0, 0.0
    columns[n_columns].edge_count = 1
    return ONE


@inlined
def _apply_edge(
    begins, y, label, left, right, n_sets, serial, n_words, label_codes, columns, box_counts, hash_table, sets, bits
):  # fmt: skip
    """Begin or end a box over the columns left:right. Return the number of sets.

    Where it begins, runs are cut at its edges; where it ends, they are joined if no other box has an edge there.
    """
    # Only the first box of a label to begin and the last one to end change the set of a run.
    step, changing_count = (1, 1) if begins else (-1, 0)
    if begins and columns[left].edge_count == 0:
        run = left - ONE
        while columns[run].edge_count == 0:
            run -= ONE
        _cut_run(run, left, columns, box_counts)
    columns[left].edge_count += step
    columns[right].edge_count += step
    run = left
    while run != right:
        if columns[run].next > right:
            _cut_run(run, right, columns, box_counts)
        current, old_set, next_run = columns[run], columns[run].set_index, columns[run].next
        box_counts[run, label] += step
        if box_counts[run, label] == changing_count:
            sets[old_set].area += (y - current.since) * (columns[next_run].x - current.x)
            new_set = _find_set(old_set, label_codes[label], n_sets, serial, n_words, hash_table, sets, bits)
            current.set_index, current.since = new_set, y
            n_sets = max(n_sets, new_set + ONE)
        run = next_run
    for column in (left, right):
        if columns[column].edge_count == 0:
            _join_run(column, columns, sets)
    return n_sets


@inlined
def _cut_run(run, column, columns, box_counts):
    """Make the run's columns from `column` on a separate run under the same boxes."""
    old, new, next_run = columns[run], columns[column], columns[run].next
    new.previous, new.next, new.set_index, new.since = run, next_run, old.set_index, old.since
    old.next, columns[next_run].previous = column, column
    for label in range(box_counts.shape[1]):
        box_counts[column, label] = box_counts[run, label]


@inlined
def _join_run(column, columns, sets):
    """Join the run that begins at `column` to the previous run, which is now under the same boxes."""
    removed, previous_run, next_run = columns[column], columns[column].previous, columns[column].next
    kept = columns[previous_run]
    since = max(removed.since, kept.since)
    kept_area = (since - kept.since) * (removed.x - kept.x)
    removed_area = (since - removed.since) * (columns[next_run].x - removed.x)
    sets[kept.set_index].area += kept_area + removed_area
    kept.since, kept.next, columns[next_run].previous = since, next_run, previous_run


@inlined
def _find_set(old_set, label, n_sets, serial, n_words, hash_table, sets, bits):
    """Return the set that differs from `old_set` by the label; n_sets if the page does not have it yet."""
    for k in range(n_words):
        bits[n_sets, k] = bits[old_set, k]
    bits[n_sets, label.word] ^= label.bit
    return search_set(sets[old_set].hash ^ label.hash, n_sets, serial, n_words, hash_table, sets, bits)


@inlined
def search_set(set_hash, n_sets, serial, n_words, hash_table, sets, bits):
    """Return the set whose bits were written after the last set; n_sets if the page does not have it yet.

    The hash table uses open addressing and holds serial numbers. A number below `serial` is from an earlier page and
    counts as empty, so the table is never cleared. To avoid an unpredictable branch, the bits of the wanted set are
    always written after the last set, where they stay if the set is new.
    """
    slot_mask = np.uint64(hash_table.size - 1)
    sets[n_sets].hash, sets[n_sets].area = set_hash, 0.0
    slot = set_hash & slot_mask
    while True:
        entry = np.uint64(hash_table[slot])
        candidate = entry - serial if entry >= serial else n_sets
        same = True
        for k in range(n_words):
            same = same and bits[candidate, k] == bits[n_sets, k]
        if same:
            hash_table[slot] = serial + candidate
            return candidate
        slot = (slot + ONE) & slot_mask


@inlined
def _cut_columns(n_edges, n_boxes, width, columns, edges, box_columns):
    """Cut the page at the sorted vertical edges into columns. Return the number of columns."""
    column, x = np.uint64(0), 0.0
    columns[0].x = 0.0
    for k in range(n_edges):
        if edges[k].position > x:
            column += ONE
            x = edges[k].position
            columns[column].x, columns[column].edge_count = x, 0
        number = edges[k].number
        if number < n_boxes:
            box_columns[number, 0] = column
        else:
            box_columns[number - n_boxes, 1] = column
    columns[column + ONE].x = width
    return column + np.uint64(width > x)


@compiled_part
def _sort_edges(boxes, first_box, n_boxes, axis, limit, bucket_starts, edges):
    """Sort the edges of n_boxes boxes along `axis` into `edges`. Return their number; empty boxes have none.

    The edges are first distributed into as many buckets as there are edges, which nearly sorts them.
    """
    buckets_per_pixel = np.float64(TWO * n_boxes) / max(limit, 1.0)
    for k in range(TWO * n_boxes + TWO):
        bucket_starts[k] = 0
    for i in range(first_box, first_box + n_boxes):
        if boxes[i, 0] < boxes[i, 2] and boxes[i, 1] < boxes[i, 3]:
            for position in (boxes[i, axis], boxes[i, axis + TWO]):
                bucket_starts[np.uint64(position * buckets_per_pixel) + ONE] += ONE
    for k in range(TWO * n_boxes + ONE):
        bucket_starts[k + ONE] += bucket_starts[k]
    for i in range(first_box, first_box + n_boxes):
        if boxes[i, 0] < boxes[i, 2] and boxes[i, 1] < boxes[i, 3]:
            number = i - first_box
            for position in (boxes[i, axis], boxes[i, axis + TWO]):
                bucket = np.uint64(position * buckets_per_pixel)
                edges[bucket_starts[bucket]].position, edges[bucket_starts[bucket]].number = position, number
                bucket_starts[bucket] += ONE
                number += n_boxes
    n_edges = bucket_starts[TWO * n_boxes + ONE]
    _shell_sort(edges, n_edges)
    return n_edges


@inlined
def _shell_sort(edges, size):
    """Sort in place: fast on nearly sorted edges, and not slow when many edges are in one bucket."""
    gap = ONE
    while gap * np.uint64(100) < size:
        gap = gap * np.uint64(3) + ONE
    while gap > 0:
        for i in range(gap, size):
            position, number, j = edges[i].position, edges[i].number, i
            while j >= gap and edges[j - gap].position > position:
                edges[j].position, edges[j].number = edges[j - gap].position, edges[j - gap].number
                j -= gap
            edges[j].position, edges[j].number = position, number
        gap //= np.uint64(3)


@inlined
def write_rows(page, n_rows, n_sets, n_words, gt_words, shift, sets, bits, page_of, words, pixels):
    """Write the page's sets that have pixels as rows. Return the used rows. A side's empty set becomes Background."""
    gt_bits = (ONE << np.uint64(shift)) - ONE
    for i in range(n_sets):
        page_of[n_rows], pixels[n_rows] = page, sets[i].area
        if n_words == 1:
            words[n_rows, 0] = max(bits[i, 0] & gt_bits, ONE)
            words[n_rows, 1] = max(bits[i, 0] >> np.uint64(shift), ONE)
        else:
            for k in range(n_words):
                words[n_rows, k] = bits[i, k]
            gt_set, pred_set = np.uint64(0), np.uint64(0)
            for k in range(gt_words):
                gt_set |= bits[i, k]
            for k in range(gt_words, n_words):
                pred_set |= bits[i, k]
            words[n_rows, 0] |= np.uint64(gt_set == 0)
            words[n_rows, gt_words] |= np.uint64(pred_set == 0)
        # A set that began and ended at the same y has no pixels; the next set overwrites its row.
        n_rows += np.uint64(sets[i].area > 0.0)
    return n_rows
