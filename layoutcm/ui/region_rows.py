"""The order of the regions of a layout, for session files.

Parquet has the regions page by page. Decisions about a ground truth name regions by their row in the original file, so
a session file keeps these rows if they were in another order.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError
from layoutcm.layouts.model import Layout, Regions

ROW = np.dtype("<i4")


def rows_of(layout: Layout) -> bytes:
    """int32[regions in page order]: the row of each region; empty if the regions are in page order."""
    page = layout.region_columns.page
    return b"" if (np.diff(page) >= 0).all() else np.argsort(page, kind="stable").astype(ROW).tobytes()


def with_rows(layout: Layout, rows: bytes) -> Layout:
    """The layout with its regions, which are in page order, at these rows."""
    if not rows:
        return layout
    n = len(layout.region_columns)
    row = np.frombuffer(rows, ROW) if len(rows) == n * ROW.itemsize else np.zeros(0, ROW)
    if not np.array_equal(np.sort(row), np.arange(n)):
        raise InputError(layout.name, "", "the rows of its regions are damaged", "Save the session again.")
    return replace(layout, region_columns=_take(layout.region_columns, np.argsort(row)))


def _take(regions: Regions, at: NDArray[np.int64]) -> Regions:
    """The regions at these positions, in this order."""
    position = {old: new for new, old in enumerate(at.tolist())}
    return Regions(
        regions.page[at],
        regions.label[at],
        regions.boxes[at],
        regions.scores[at],
        {position[i]: shape for i, shape in regions.shapes.items()},
        regions.coco.take(at) if regions.coco else None,
        None if regions.ignore is None else regions.ignore[at],
    )
