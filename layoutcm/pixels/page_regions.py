"""The regions of one page of a comparison: in their own frame, in the common one, laid out on the pixel grid."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment, aligned_pages
from layoutcm.layouts.model import GT, PRED, Floats, Regions

if TYPE_CHECKING:
    from layoutcm.pixels.grid import LaidOut


@dataclass(frozen=True, eq=False)
class PageRegions:
    """Both sides page by page, sorted once; pred's regions under the score threshold are left out."""

    alignment: Alignment
    min_score: float | None

    def laid_out(self, page: int, rounding: str) -> LaidOut:
        """The boxes of both sides on the pixel grid of one page, which is page 0 of what comes back."""
        from layoutcm.pixels.grid import lay_out
        from layoutcm.pixels.shape_fill import painted

        frame = self._frame(page)
        gt, pred = (
            painted(regions, np.zeros(len(regions), np.int32), self._own_frame(side, page), frame)
            for side, regions in enumerate(self._as_written(side, page) for side in (GT, PRED))
        )
        gt_layout, pred_layout = self.alignment.layouts
        return lay_out(gt, pred, (len(gt_layout.labels), len(pred_layout.labels)), frame, rounding)

    def of(self, side: int, page: int) -> Regions:
        """A side's regions on one page, in the common frame."""
        regions = self._as_written(side, page)
        scaled = regions.boxes * np.tile(self._frame(page), 2) / np.tile(self._own_frame(side, page), 2)
        return replace(regions, boxes=scaled)

    def _as_written(self, side: int, page: int) -> Regions:
        """The same in the side's own frame."""
        regions = self.alignment.layouts[side].region_columns
        order, starts = self._by_page[side]
        rows = order[starts[page] : starts[page + 1]]
        shapes = {new: regions.shapes[old] for new, old in enumerate(rows.tolist()) if old in regions.shapes}
        return Regions(regions.page[rows], regions.label[rows], regions.boxes[rows], regions.scores[rows], shapes)

    def _frame(self, page: int) -> Floats:
        """float64[1, width height] of a page."""
        return np.array([[self.alignment.pages.widths[page], self.alignment.pages.heights[page]]])

    def _own_frame(self, side: int, page: int) -> Floats:
        """The same as the side itself has it; the common one where it lacks the page."""
        source, own = self.alignment.sources[side][page], self.alignment.layouts[side].page_columns
        return np.array([[own.widths[source], own.heights[source]]]) if source >= 0 else self._frame(page)

    @cached_property
    def _by_page(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """For each side: regions sorted by aligned page, and where each page begins."""
        sorted_sides = []
        for side in (GT, PRED):
            page = aligned_pages(self.alignment, side, self.min_score if side == PRED else None)
            order = np.argsort(page, kind="stable")
            starts = np.searchsorted(page[order], np.arange(len(self.alignment.pages) + 1))
            sorted_sides.append((order, starts))
        return sorted_sides
