"""Compute pair counts of two aligned layouts: chunks of pages, threads, and the buffers of the compiled kernel.

The kernel (`sweep`) never allocates. When a buffer is full, it stops at a page; `_sweep` then enlarges the buffers and
continues with this page. Pages with outlines or masks are counted by rows (`raster`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.alignment.min_scores import MinScore
from layoutcm.compiled import compiled, expect_steps, to_records
from layoutcm.errors import InputError, check_choice, short_repr
from layoutcm.layouts.model import GT, IGNORE, PRED, ROUNDINGS, Floats, Indices, Layout
from layoutcm.pixels import sweep
from layoutcm.pixels.grid import GridBoxes, alignment_to_grid, sides_to_grid
from layoutcm.pixels.pair_counts import WORD, PairCounts, words_for
from layoutcm.pixels.raster import MOST_SET_WORDS, StepLimit, TileGrid, count_rows, paint_labels

Progress = Callable[[int, int], None]
PAGES_PER_CHUNK = 2048
# More rows than real pages have. Reserved memory costs nothing until it is used, but it needs a limit.
ROWS_PER_BOX, ROWS_PER_PAGE = 16, 4096
FIRST_ROW_WORDS = 1 << 24  # of 8 bytes; with thousands of labels, a row has hundreds of words
# Of the hash table: small, so it stays in the fastest cache, but large enough for most pages with many boxes.
FIRST_TABLE_SIZE, TABLE_SIZE_PER_BOX, MOST_FIRST_TABLE = 1 << 10, 32, 1 << 14
STEPS_PER_EDGE = 20  # of Python, for its part of sorting
_write_rows = compiled(sweep.write_rows.py_func)
CountedRows = tuple[Indices, NDArray[np.uint64], Floats]  # page, words, pixels


def check_counting_options(rounding: str, threads: int | None) -> None:
    if threads is not None and not (isinstance(threads, int) and threads >= 1):
        raise InputError("", "threads", f"{short_repr(threads)} is not a number of threads", "Use 1 or more.")
    check_choice("rounding", rounding, ROUNDINGS)


def count_pairs(
    alignment: Alignment, rounding: str, min_score: MinScore, threads: int | None, progress: Progress | None
) -> PairCounts:
    """Count the pairs of all pages, in chunks of pages on several threads; all cores if `threads` is None."""
    grid = alignment_to_grid(alignment, rounding, min_score)
    pages = len(alignment.pages)
    starts = range(0, pages, PAGES_PER_CHUNK)
    work = lambda first: count_pages(first, min(first + PAGES_PER_CHUNK, pages), grid)
    parts = []
    for part in map_chunks(work, starts, threads):
        parts.append(part)
        if progress:
            progress(min(len(parts) * PAGES_PER_CHUNK, pages), pages)
    if not parts:
        parts = [count_pages(0, 0, grid)]  # no rows, but the right dtypes
    gt, pred = (tuple(layout.labels) for layout in alignment.layouts)
    page, words, pixels = parts[0] if len(parts) == 1 else (np.concatenate(columns) for columns in zip(*parts))
    if grid.ignores:
        return PairCounts(((*gt, IGNORE), pred), page, words, pixels).without_ignored()
    return PairCounts((gt, pred), page, words, pixels)


def map_chunks(work: Callable, starts: range, threads: int | None) -> Iterator:
    """The results of work(start) in the order of `starts`, computed on several threads."""
    workers = min(threads or os.cpu_count() or 1, max(len(starts), 1))
    if workers == 1:
        yield from map(work, starts)
        return
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(work, starts)


def count_pages(first: int, stop: int, grid: GridBoxes) -> CountedRows:
    """int32[rows] page, uint64[rows, words] sets and float64[rows] pixels of the pages first:stop."""
    low, high = np.searchsorted(grid.pages_by_rows, [first, stop])
    if low == high:
        return _sweep(first, stop, grid)
    parts, begin = [], first
    for page in grid.pages_by_rows[low:high].tolist():
        if begin < page:
            parts.append(_sweep(begin, page, grid))
        _, words, pixels = count_tiles(grid.tiles(page), grid.n_labels, grid.limit)
        parts.append((np.full(len(pixels), page, np.int32), words, pixels))
        begin = page + 1
    if begin < stop:
        parts.append(_sweep(begin, stop, grid))
    page_of, words, pixels = (np.concatenate(columns) for columns in zip(*parts))
    return page_of, words, pixels


def count_tiles(
    tiles: TileGrid, n_labels: tuple[int, int], limit: StepLimit, pair_of_tile: NDArray[np.int32] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.uint64], Floats]:
    """int64[pairs] number, uint64[pairs, words] sets and float64[pairs] pixels of the pairs of one page.

    `pair_of_tile`, int32[rows, columns], takes the number of the pair of every tile.
    """
    label_codes = _label_codes(*n_labels)
    used_labels = sorted({*tiles.labels.tolist(), *(shape.label for shape in tiles.shapes)})
    slot_of = {label: slot for slot, label in enumerate(used_labels)}
    codes, n_sets = label_codes.codes[used_labels], np.uint64(1)
    buffers: Any = tuple(_set_buffers(FIRST_TABLE_SIZE, label_codes.many_words or 1))
    buffers[0][0], buffers[1][0], buffers[2][0] = 1, 0, 0  # set 0 has no labels
    words_per_row = len(slot_of) * (tiles.size[1] // 64 + 1)
    strips = tiles.strips(words_per_row)
    limit.add_page(tiles, len(strips), words_per_row)
    for first, stop in strips:
        painted, used = paint_labels(tiles, first, stop, slot_of)
        edges = (tiles.x_edges, tiles.y_edges[first : stop + 1])
        here = np.empty((0, 0), np.int32) if pair_of_tile is None else pair_of_tile[first:stop]
        n_sets, buffers = count_rows(painted, used, codes, edges, n_sets, buffers, here)
        if not n_sets:
            raise too_many_sets()
    return _sets_with_pixels(n_labels, label_codes, int(n_sets), *buffers[1:])


def _sets_with_pixels(
    n_labels: tuple[int, int], label_codes: sweep.LabelCodes, n_sets: int, sets: Any, bits: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.uint64], Floats]:
    """Number, words and pixels of the sets that have pixels."""
    rows = _row_buffers(n_sets, n_labels)
    layout = (bits.shape[1], label_codes.gt_words, label_codes.shift)
    used = int(_write_rows(0, np.uint64(0), np.uint64(n_sets), *layout, sets, bits, *rows))
    return np.flatnonzero(sets["area"][:n_sets] > 0), rows.words[:used], rows.pixels[:used]


def _words(n_labels: tuple[int, int]) -> int:
    return words_for(n_labels[GT]) + words_for(n_labels[PRED])


def _row_buffers(size: int, n_labels: tuple[int, int]) -> sweep.RowBuffers:
    return sweep.RowBuffers(np.empty(size, np.int32), np.empty((size, _words(n_labels)), np.uint64), np.empty(size))


def _sweep(first: int, stop: int, grid: GridBoxes) -> CountedRows:
    """The rows of pages that have only boxes."""
    boxes_per_page = np.diff(grid.offsets[first : stop + 1])
    label_codes = _label_codes(*grid.n_labels)
    sweep_some: Callable = sweep.sweep_pages
    records: Callable = np.empty
    # In Python, an edge may meet all boxes of its page, and a cut copies a counter per label.
    steps = (boxes_per_page + 1) * (boxes_per_page + len(label_codes.codes) + STEPS_PER_EDGE)
    if not expect_steps(int(steps.sum())):
        sweep_some, records = sweep.sweep_pages.run_in_python, lambda size, dtype: to_records(np.zeros(size, dtype))
        label_codes = label_codes._replace(codes=to_records(label_codes.codes))
    boxes = sweep.Boxes(grid.frames, grid.offsets, grid.boxes, grid.labels)
    most_boxes = int(boxes_per_page.max(initial=0))
    page_buffers = _page_buffers(most_boxes, len(label_codes.codes), records)
    size = int(np.minimum(ROWS_PER_BOX * boxes_per_page + 1, ROWS_PER_PAGE).sum())
    rows = _row_buffers(min(size, max(FIRST_ROW_WORDS // _words(grid.n_labels), 1)), grid.n_labels)
    # A power of two. Pages whose boxes overlap in more ways need a larger table and are swept again.
    wanted = min(TABLE_SIZE_PER_BOX * most_boxes, MOST_FIRST_TABLE)
    table_size = max(FIRST_TABLE_SIZE, 1 << (wanted - 1).bit_length())
    set_buffers = _set_buffers(table_size, label_codes.many_words or 1, records)
    page, used, serial = first, 0, 1
    while True:
        page, used, serial = sweep_some(page, stop, (used, serial), boxes, label_codes, page_buffers, set_buffers, rows)
        if page == stop:
            # Copy a few rows, so the large buffer can be freed; return many rows as a view.
            few = 8 * used < rows.pixels.size
            page_of, words, pixels = (column[:used].copy() if few else column[:used] for column in rows)
            return page_of, words, pixels
        rows = sweep.RowBuffers(*(_double(column, used) for column in rows))
        set_buffers = _set_buffers(2 * len(set_buffers.hash_table), set_buffers.bits.shape[1], records)


@cache
def _label_codes(gt_labels: int, pred_labels: int) -> sweep.LabelCodes:
    """Word, bit and hash of every label of both sides, and how their words are laid out.

    If the labels of both sides fit into one word, the kernel uses one word for both, which halves its work. Otherwise
    (shift 0) each side has separate words, as in the result.
    """
    bit = np.concatenate([np.arange(1, gt_labels + 1), np.arange(1, pred_labels + 1)])
    word, shift = bit // WORD, 0
    if gt_labels + pred_labels + 2 <= WORD:
        shift = gt_labels + 1
        bit[gt_labels:] += shift
    else:
        word[gt_labels:] += words_for(gt_labels)
    codes = np.empty(bit.size, sweep.LABEL)
    codes["word"], codes["bit"] = word, np.uint64(1) << (bit % WORD).astype(np.uint64)
    # Pseudo-random, but equal in every run: multiply by constants and mix the high bits into the low ones.
    hashes = np.arange(1, bit.size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    codes["hash"] = hashes ^ (hashes >> np.uint64(32))
    gt_words = words_for(gt_labels)
    return sweep.LabelCodes(codes, gt_words, shift, None if shift else gt_words + words_for(pred_labels))


def too_many_sets() -> InputError:
    problem = "on one page the regions of many labels overlap in too many different ways"
    return InputError("", "labels", problem, "Compare fewer labels, or map several labels to one.")


def _page_buffers(most_boxes: int, labels: int, records: Callable) -> sweep.PageBuffers:
    edges = 2 * most_boxes + 2
    return sweep.PageBuffers(
        records(edges, sweep.COLUMN), np.empty((edges, labels), np.int32),
        records(edges, sweep.EDGE), np.empty(edges, np.uint64), np.empty((edges, 2), np.uint64),
    )  # fmt: skip


def _set_buffers(size: int, n_words: int, records: Callable = np.empty) -> sweep.SetBuffers:
    sets = size // 2
    if sets * n_words > MOST_SET_WORDS:
        raise too_many_sets()
    return sweep.SetBuffers(np.zeros(size, np.uint32), records(sets, sweep.SET), np.empty((sets, n_words), np.uint64))


def _double(column: NDArray[Any], used: int) -> NDArray[Any]:
    larger = np.empty((2 * len(column), *column.shape[1:]), column.dtype)
    larger[:used] = column[:used]
    return larger


def ignored_pixels(layout: Layout) -> float:
    """The pixels under ignore regions and crowds, with rounding outer; each counts once."""
    pages, hidden = layout.page_columns, layout.hidden_regions
    if not len(hidden):
        return 0.0
    hidden = replace(hidden, label=np.zeros(len(hidden), np.int32))
    nothing = hidden.take(np.zeros(len(hidden), bool))
    frames = np.stack([pages.widths, pages.heights], axis=1)
    grid = sides_to_grid((hidden, nothing), (hidden.page, nothing.page), (frames, frames), (1, 0), frames, "outer")
    total = 0.0
    for first in range(0, len(pages), PAGES_PER_CHUNK):
        _, words, pixels = count_pages(first, min(first + PAGES_PER_CHUNK, len(pages)), grid)
        total += float(pixels[words[:, 0] & np.uint64(2) != 0].sum())
    return total
