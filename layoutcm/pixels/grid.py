"""Put the regions of both sides on the pixel grid: boxes scaled to the common page, clipped, rounded, sorted by page.

Outlines and masks become `GridShape`s, which find their pixels when they are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment, common_frames, own_frames, page_of_region, scale_to_frame
from layoutcm.alignment.min_scores import MinScore
from layoutcm.compiled import compiled_for_many
from layoutcm.layouts.model import GT, PRED, ROUNDINGS, Floats, Indices, Regions, concatenate_regions
from layoutcm.pixels.raster import StepLimit, TileGrid, tile_grid
from layoutcm.pixels.shape_fill import GridShape, shape_on_grid

# The sweep has one counter per box edge and label. Pages with more than 64 MB of them, or with more boxes than any real
# page, are counted by rows.
MOST_SWEEP_COUNTERS, MOST_SWEEP_BOXES = 1 << 24, 1 << 16
_OUTER, _NEAREST = ROUNDINGS.index("outer"), ROUNDINGS.index("nearest")


class SideBoxes(NamedTuple):
    """The boxes of one side, in the coordinates of its own frames."""

    page: Indices  # aligned page; -1 = left out
    label: Indices
    boxes: Floats
    own: Floats  # [pages, width height]: the frames that the boxes refer to
    scores: Floats  # nan = no score


class BoxRows(NamedTuple):
    """Boxes on the grid, one row each: float64[rows, x0 y0 x1 y1], int32[rows] and float64[rows]."""

    boxes: Floats
    labels: Indices
    scores: Floats


@dataclass(frozen=True, eq=False)
class GridBoxes:
    """Boxes of both sides on the pixel grid, page by page: page i has boxes[offsets[i]:offsets[i + 1]] and shapes[i].

    pred labels are numbered after the gt labels. If `ignores`, the last gt label is not one of the layout: it marks
    pixels that are not judged.
    """

    frames: Floats  # [pages, width height] on the pixel grid
    offsets: NDArray[np.int64]
    boxes: Floats
    labels: Indices
    scores: Floats  # 1 for a region without a score
    n_labels: tuple[int, int]
    shapes: dict[int, list[GridShape]] = field(default_factory=dict)  # page -> outlines and masks
    limit: StepLimit = field(default_factory=StepLimit)  # counts the work of pages that are counted by rows
    ignores: bool = False

    @property
    def ignore_label(self) -> int:
        """The label of pixels that are not judged; -1 if there is none."""
        return self.n_labels[GT] - 1 if self.ignores else -1

    @cached_property
    def ignoring_pages(self) -> set[int]:
        """The pages on which some pixels are not judged."""
        rows = np.flatnonzero(self.labels == self.ignore_label) if self.ignores else np.empty(0, np.int64)
        with_boxes = np.searchsorted(self.offsets, rows, side="right") - 1
        with_shapes = (page for page, shapes in self.shapes.items() for one in shapes if one.label == self.ignore_label)
        return {*with_boxes.tolist(), *with_shapes}

    @cached_property
    def pages_by_rows(self) -> Indices:
        """The pages that are counted by rows: those with shapes, and those that need too much memory in the sweep."""
        boxes = np.diff(self.offsets)
        many = (boxes > MOST_SWEEP_BOXES) | ((2 * boxes + 2) * max(sum(self.n_labels), 1) > MOST_SWEEP_COUNTERS)
        many[list(self.shapes)] = True
        return np.flatnonzero(many).astype(np.int32)

    def tiles(self, page: int, chosen: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None) -> TileGrid:
        """The tiles of one page, with all its boxes and shapes or the chosen ones."""
        rows = np.arange(self.offsets[page], self.offsets[page + 1])
        shapes = self.shapes.get(page, [])
        if chosen is not None:
            rows, shapes = rows[chosen[0]], [shape for shape, keep in zip(shapes, chosen[1]) if keep]
        return tile_grid(self.frames[page], self.boxes[rows], self.labels[rows], self.scores[rows], shapes)


def to_grid(
    gt: SideBoxes,
    pred: SideBoxes,
    n_labels: tuple[int, int],
    frames: Floats,
    rounding: str,
    shapes: Sequence[tuple[int, GridShape]] = (),
    limit: StepLimit | None = None,
) -> GridBoxes:
    """Collect the boxes of both sides page by page, and scale, clip and round them; `shapes` are (page, shape)."""
    offsets = np.zeros(len(frames) + 1, np.int64)
    for part in (gt, pred):
        offsets[1:] += np.bincount(part.page[part.page >= 0], minlength=len(frames))
    np.cumsum(offsets, out=offsets)
    out = BoxRows(np.empty((offsets[-1], 4)), np.empty(offsets[-1], np.int32), np.empty(offsets[-1]))
    next_free, rounding_code = offsets[:-1].copy(), ROUNDINGS.index(rounding)
    for part, shift in ((gt, 0), (pred, n_labels[GT])):
        _scale_clip_round(part, frames, rounding_code, shift, next_free, out)
    by_page: dict[int, list[GridShape]] = {}
    for page, shape in shapes:
        by_page.setdefault(page, []).append(shape)
    return GridBoxes(round_frames(frames, rounding), offsets, *out, n_labels, by_page, limit or StepLimit())


def round_frames(frames: Floats, rounding: str) -> Floats:
    """float64[pages, width height]: frames rounded like a box that covers the whole page."""
    n = len(frames)
    boxes = np.concatenate([np.zeros((n, 2)), frames], axis=1)
    pages = SideBoxes(np.arange(n, dtype=np.int32), np.zeros(n, np.int32), boxes, frames, np.zeros(n))
    out = BoxRows(boxes, np.zeros(n, np.int32), np.zeros(n))
    _scale_clip_round(pages, frames, ROUNDINGS.index(rounding), 0, np.arange(n), out)
    return np.ascontiguousarray(boxes[:, 2:])


@compiled_for_many(steps=lambda side, *_: 5 * side.page.size)
def _scale_clip_round(side, frames, rounding, shift, next_free, out):
    """Write every box to the next free row of its page: scaled, then clipped, then rounded.

    Clipping comes before rounding, so a box outside the page does not become part of it. Scaling multiplies before
    it divides: 50 * 1100 / 1000 is 55, but 50 * 1.1 is slightly more, and `outer` would round it up to 56.
    """
    page, label, boxes, own, scores = side
    out_boxes, out_labels, out_scores = out
    for i in range(page.size):
        p = page[i]
        if p < 0:
            continue
        row = next_free[p]
        next_free[p] += 1
        out_labels[row] = label[i] + shift
        out_scores[row] = 1.0 if np.isnan(scores[i]) else scores[i]
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
            # A box outside the page is empty after clipping and must stay empty after rounding.
            out_boxes[row, axis], out_boxes[row, axis + 2] = low, low if empty else max(high, low)


def sides_to_grid(
    regions: Sequence[Regions],
    pages: Sequence[Indices],
    own: Sequence[Floats],
    n_labels: tuple[int, int],
    frames: Floats,
    rounding: str,
) -> GridBoxes:
    """The regions of gt and pred on the grid; `pages` is int32[regions], -1 for a region that is left out.

    `own` and `frames` are float64[pages, width height]. Regions without area are left out: they cover no pixel, and
    their edges would divide tiles.
    """
    boxes, shapes, limit = [], [], StepLimit(shape for one in regions for shape in one.shapes.values())
    for side, (one, page) in enumerate(zip(regions, pages)):
        page = np.where(one.without_area, np.int32(-1), page)
        for row in (row for row in one.shapes if page[row] >= 0):
            at, label = int(page[row]), int(one.label[row]) + (n_labels[GT] if side == PRED else 0)
            score = 1.0 if np.isnan(one.scores[row]) else float(one.scores[row])
            shapes.append((at, shape_on_grid(one.shapes[row], label, score, own[side][at], frames[at])))
            limit.add_shape(*shapes[-1])
        page[list(one.shapes)] = -1
        boxes.append(SideBoxes(page, one.label, one.boxes, own[side], one.scores))
    return to_grid(boxes[GT], boxes[PRED], n_labels, frames, rounding, shapes, limit)


def alignment_to_grid(alignment: Alignment, rounding: str, min_score: MinScore) -> GridBoxes:
    """The regions of both sides on the pixel grid of the aligned pages."""
    regions, n_labels, ignores = pixel_regions(alignment)
    least = (None, min_score)
    pages = [page_of_region(alignment, side, least[side], regions[side]) for side in (GT, PRED)]
    own = [own_frames(alignment, side) for side in (GT, PRED)]
    return replace(sides_to_grid(regions, pages, own, n_labels, common_frames(alignment), rounding), ignores=ignores)


def pixel_regions(alignment: Alignment) -> tuple[tuple[Regions, Regions], tuple[int, int], bool]:
    """The regions of both sides as they are counted on pixels, the number of labels of each side, and `ignores`.

    Regions of gt that are not judged have a label of their own, after all others.
    """
    gt, pred = alignment.layouts
    regions, areas = gt.region_columns, gt.ignore_areas
    n_gt, n_pred = len(gt.labels), len(pred.labels)
    hidden = regions.hides_pixels
    if not hidden.any() and not (areas and len(areas)):
        return (regions, pred.region_columns), (n_gt, n_pred), False
    regions = replace(regions, label=np.where(hidden, np.int32(n_gt), regions.label), coco=None)
    if areas and len(areas):
        areas = replace(areas, label=np.full(len(areas), n_gt, np.int32), coco=None)
        regions = concatenate_regions([regions, areas])
    return (regions, pred.region_columns), (n_gt + 1, n_pred), True


@dataclass(frozen=True, eq=False)
class PageRegions:
    """The regions of both sides by page, sorted once; pred regions below the score threshold are left out."""

    alignment: Alignment
    min_score: MinScore

    def to_grid(self, page: int, rounding: str) -> GridBoxes:
        """The boxes of both sides on the pixel grid of one page, which is page 0 of the result."""
        regions = [self.as_written(side, page) for side in (GT, PRED)]
        pages = [np.zeros(len(one), np.int32) for one in regions]
        own = [self._own_frame(side, page) for side in (GT, PRED)]
        _, n_labels, ignores = self._counted
        return replace(sides_to_grid(regions, pages, own, n_labels, self._frame(page), rounding), ignores=ignores)

    @cached_property
    def _counted(self) -> tuple[tuple[Regions, Regions], tuple[int, int], bool]:
        return pixel_regions(self.alignment)

    def of(self, side: int, page: int) -> Regions:
        """The regions of one side on one page, in the common frame; those that are not judged have the last label."""
        regions = self.as_written(side, page)
        return replace(regions, boxes=scale_to_frame(regions.boxes, self._own_frame(side, page), self._frame(page)))

    def as_written(self, side: int, page: int) -> Regions:
        """The regions of one side on one page, in the side's own frame."""
        regions = self._counted[0][side]
        order, starts = self._by_page[side]
        rows = order[starts[page] : starts[page + 1]]
        shapes = {new: regions.shapes[old] for new, old in enumerate(rows.tolist()) if old in regions.shapes}
        return Regions(regions.page[rows], regions.label[rows], regions.boxes[rows], regions.scores[rows], shapes)

    def _frame(self, page: int) -> Floats:
        """float64[1, width height] of a page."""
        return np.array([[self.alignment.pages.widths[page], self.alignment.pages.heights[page]]])

    def _own_frame(self, side: int, page: int) -> Floats:
        """float64[1, width height] of a page in a side's own layout; the common frame if the side has no such page."""
        source, own = self.alignment.sources[side][page], self.alignment.layouts[side].page_columns
        return np.array([[own.widths[source], own.heights[source]]]) if source >= 0 else self._frame(page)

    @cached_property
    def _by_page(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """For each side: the regions sorted by aligned page, and the start of each page in that order."""
        sorted_sides = []
        for side in (GT, PRED):
            least = (None, self.min_score)[side]
            page = page_of_region(self.alignment, side, least, self._counted[0][side])
            order = np.argsort(page, kind="stable")
            starts = np.searchsorted(page[order], np.arange(len(self.alignment.pages) + 1))
            sorted_sides.append((order, starts))
        return sorted_sides
