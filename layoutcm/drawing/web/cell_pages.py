"""The pages behind each cell of a matrix, for a page that cannot ask the comparison again."""

from __future__ import annotations

from typing import Any

import numpy as np

from layoutcm.comparison import Comparison
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.levels import largest_groups
from layoutcm.tables.matrix_views import select

PAGES_PER_CELL = 8
Behind = dict[tuple[int, int], tuple[int, np.ndarray, np.ndarray]]


def pages_behind_cells(comparison: Comparison, confusion: Confusion) -> Behind:
    """{cell: (number of pages, the pages with most of its pixels, then -1, and these pixels)} of cells with pixels."""
    rows, columns = select(confusion)
    shown = sorted({*rows, *columns})
    place = {label: k for k, label in enumerate(shown)}
    blocks = comparison.levels.page_matrices(confusion.method)
    pages, added, page_counts = largest_groups(blocks, shown, PAGES_PER_CELL)
    return {
        (i, j): (int(page_counts[at]), pages[at], added[at])
        for i in rows
        for j in columns
        if page_counts[at := (place[i], place[j])]
    }


def cell_data(comparison: Comparison, behind: Behind) -> dict[str, Any]:
    """{"row-column": {"pages": number of pages, "worst": [[page, pixels], ...]}}"""
    return {f"{i}-{j}": _cell(comparison, *found) for (i, j), found in behind.items()}


def _cell(comparison: Comparison, count: int, pages: np.ndarray, added: np.ndarray) -> dict[str, Any]:
    """The number of pages with pixels in a cell, and the pages that have the most."""
    worst = zip(pages.tolist(), added.tolist())
    return {"pages": count, "worst": [[comparison.pages[page], pixels] for page, pixels in worst if page >= 0]}
