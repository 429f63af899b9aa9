"""How many pixels of a layout are not judged if it is the ground truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from layoutcm.layouts.model import Layout
from layoutcm.pixels.counting import PAGES_PER_CHUNK, count_pages
from layoutcm.pixels.grid import sides_to_grid


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
