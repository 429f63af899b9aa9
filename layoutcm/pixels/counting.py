"""From two aligned layouts to pair counts: boxes on the pixel grid, chunks of pages, threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from layoutcm.alignment.align import Alignment, aligned_pages, own_frames
from layoutcm.layouts.model import GT, PRED
from layoutcm.pixels.pair_counts import PairCounts

if TYPE_CHECKING:
    from layoutcm.pixels.grid import LaidOut

Progress = Callable[[int, int], None]
PAGES_A_CHUNK = 2048


def count_pairs(
    alignment: Alignment, rounding: str, min_score: float | None, threads: int | None, progress: Progress | None
) -> PairCounts:
    """Hand chunks of pages to the kernel, on as many threads as asked for."""
    from layoutcm.pixels.grid import count_pages

    laid = lay_out_alignment(alignment, rounding, min_score)
    pages = len(alignment.pages)
    starts = range(0, pages, PAGES_A_CHUNK)
    parts = []
    for part in mapped_over(lambda first: count_pages(first, min(first + PAGES_A_CHUNK, pages), laid), starts, threads):
        parts.append(part)
        if progress:
            progress(min(len(parts) * PAGES_A_CHUNK, pages), pages)
    if not parts:
        parts = [count_pages(0, 0, laid)]  # no rows, but of the right types
    labels = (tuple(alignment.layouts[GT].labels), tuple(alignment.layouts[PRED].labels))
    page, words, pixels = parts[0] if len(parts) == 1 else (np.concatenate(columns) for columns in zip(*parts))
    return PairCounts(labels, page, words, pixels)


def lay_out_alignment(alignment: Alignment, rounding: str, min_score: float | None) -> LaidOut:
    """Both sides' boxes on the pixel grid of the aligned pages."""
    from layoutcm.pixels.grid import lay_out
    from layoutcm.pixels.shape_fill import painted

    frames = np.stack([alignment.pages.widths, alignment.pages.heights], axis=1)
    gt, pred = (
        painted(
            layout.region_columns,
            aligned_pages(alignment, side, min_score if side == PRED else None),
            own_frames(alignment, side),
            frames,
        )
        for side, layout in enumerate(alignment.layouts)
    )
    n_labels = (len(alignment.layouts[GT].labels), len(alignment.layouts[PRED].labels))
    return lay_out(gt, pred, n_labels, frames, rounding)


def mapped_over(work: Callable, starts: range, threads: int | None) -> Iterator:
    workers = min(threads or os.cpu_count() or 1, max(len(starts), 1))
    if workers == 1:
        yield from map(work, starts)
        return
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(work, starts)
