"""Regions as objects: boxes, areas, crowds and masks of both sides in the common frame, as COCO's rules need them.

Boxes are x, y, width, height here, and not clipped to the page. If a side has outlines or masks, all regions of both
sides become run-length masks by COCO's own rasterisation, so IoU counts the same pixels as pycocotools.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment, common_frames, own_frames, page_of_region, scale_to_frame
from layoutcm.alignment.min_scores import MinScore, min_score_text
from layoutcm.layouts.model import GT, PRED, CocoFacts, Floats, Positions
from layoutcm.layouts.shapes import Outline, RunMask, Shape
from layoutcm.lazy import coco_mask
from layoutcm.metrics.objects.coco_fill import ring_counts
from layoutcm.pixels.counting import map_chunks
from layoutcm.pixels.shape_fill import scale_ring, shape_on_grid, spans_to_pixels

CocoMask = dict[str, Any]  # COCO's RLE: size and counts
# An outline across a page of 2,000 pixels has some 4,000 runs, a word 100. Each limit is for one page, and for all
# pages together.
MOST_RUNS_ON_A_PAGE, MOST_RUNS, MORE_RUNS_PER_OBJECT = 16_000_000, 32_000_000, 4_000
_ADVICE = "Panoptic quality, and precision, recall and F1 at one IoU, need no scores."


@dataclass(frozen=True, eq=False)
class Instances:
    """The objects of one side as columns, in the order of its file."""

    row: Positions  # row number in the regions of the given layout
    page: Positions  # aligned page
    label: Positions  # position in the common list of labels, without Background
    boxes: Floats  # [objects, x y width height]
    areas: Floats  # for COCO's area ranges
    scores: Floats  # nan = no score
    crowd: NDArray[np.bool_]
    masks: tuple[CocoMask, ...] = field(default=())  # one per object; empty if IoU is computed on boxes

    def __len__(self) -> int:
        return len(self.row)

    def take(self, rows: Positions) -> Instances:
        """Some of the objects."""
        masks = tuple(self.masks[i] for i in rows.tolist()) if self.masks else ()
        columns = {one.name: getattr(self, one.name)[rows] for one in fields(self) if one.name != "masks"}
        return Instances(**columns, masks=masks)

    def not_on(self, pages: Positions) -> Instances:
        """The objects that are not on the given pages."""
        return self.take(np.flatnonzero(~np.isin(self.page, pages))) if pages.size else self

    @property
    def centres(self) -> Floats:
        """float64[objects, x y]"""
        return self.boxes[:, :2] + self.boxes[:, 2:] / 2


Sides = tuple[Instances, Instances]  # gt and pred


def instances_of(alignment: Alignment, min_score: MinScore, threads: int | None = None) -> Sides:
    """The objects of both sides as boxes, without pred regions below the score threshold."""
    gt, pred = map_chunks(lambda side: _one_side(alignment, side, min_score), range(2), threads)
    return gt, pred


def on_pages(sides: Sides, pages: Positions | None) -> Sides:
    """The objects on all pages, if `pages` is None, or on some."""
    if pages is None:
        return sides
    gt, pred = (side.take(np.flatnonzero(np.isin(side.page, pages))) for side in sides)
    return gt, pred


def page_ranks(names: Sequence[str], page: Positions) -> Positions:
    """int64[objects]: where the name of the object's page is among the names of all pages with objects.

    Names are ordered by code points, so the order of the pages in a file plays no part.
    """
    used = np.flatnonzero(np.bincount(page))
    ranks = np.zeros(page.max(initial=-1) + 1, np.int64)
    ranks[sorted(used.tolist(), key=names.__getitem__)] = np.arange(used.size)
    return ranks[page]


def _one_side(alignment: Alignment, side: int, min_score: MinScore) -> Instances:
    regions = alignment.layouts[side].region_columns
    aligned = page_of_region(alignment, side, min_score if side == PRED else None)
    # A slice of everything needs no copies.
    rows = slice(None) if (aligned >= 0).all() else np.flatnonzero(aligned >= 0)
    page = aligned[rows].astype(np.int64)
    facts = regions.coco.take(rows) if regions.coco else CocoFacts.unknown(len(page))
    boxes, own, frame = _with_sizes(regions.boxes[rows], facts.sizes), *_frames(alignment, side)
    boxes = boxes if np.array_equal(own, frame) else scale_to_frame(boxes, own[page], frame[page])
    areas = boxes[:, 2] * boxes[:, 3]
    if side == GT:  # as in COCO: areas of gt as given in the file, areas of results from the bbox
        areas = np.where(np.isnan(facts.areas), areas, facts.areas)
    crowd = facts.crowd if side == GT else np.zeros(len(page), bool)
    place = (alignment.space.gt_positions, alignment.space.pred_positions)[side]
    label = (place - 1)[regions.label[rows] + 1]
    return Instances(alignment.mapped.rows[side][rows], page, label, boxes, areas, regions.scores[rows], crowd)


def _frames(alignment: Alignment, side: int) -> tuple[Floats, Floats]:
    """float64[pages, width height] each: the frames of the side's own pages, and those of the aligned pages."""
    return own_frames(alignment, side), common_frames(alignment)


def pages_with_many_runs(alignment: Alignment, sides: Sides) -> Positions:
    """The pages (numbers) whose masks would have more runs than a limit."""
    if not any(side.region_columns.shapes for side in alignment.layouts):
        return np.empty(0, np.int64)
    runs = np.zeros(len(alignment.pages.names))
    for side, objects in enumerate(sides):
        np.add.at(runs, objects.page, _most_runs(alignment, side, objects))
    is_full = runs > MOST_RUNS_ON_A_PAGE
    is_full |= np.cumsum(np.where(is_full, 0, runs)) > MOST_RUNS + MORE_RUNS_PER_OBJECT * sum(map(len, sides))
    return np.flatnonzero(is_full & (runs > 0))


def _most_runs(alignment: Alignment, side: int, objects: Instances) -> Floats:
    """float64[objects]: the runs of each mask at most; an edge ends one run in each column that it passes."""
    regions = alignment.layouts[side].region_columns
    rows = np.searchsorted(alignment.mapped.rows[side], objects.row)
    own, frame = (frames[objects.page, 0] for frames in _frames(alignment, side))
    width, scale = np.ceil(frame), frame / own
    runs = 2 * np.clip(objects.boxes[:, 2], 0, width) + 2
    for i, row in enumerate(rows.tolist()):
        shape = regions.shapes.get(row)
        if isinstance(shape, RunMask):
            runs[i] = len(shape.runs) * max(1.0, scale[i])
        elif isinstance(shape, Outline):
            xs = [np.clip(ring[:, 0] * scale[i], 0, width[i]) for ring in shape.rings]
            runs[i] = sum(float(np.abs(np.diff(x, append=x[:1])).sum()) for x in xs) + 2
    return runs


def with_masks(alignment: Alignment, sides: Sides) -> Sides:
    """The objects with their masks and the areas of these, if a side has outlines or masks."""
    if not any(side.region_columns.shapes for side in alignment.layouts):
        return sides
    gt, pred = (_add_masks(alignment, side, objects) for side, objects in enumerate(sides))
    return gt, pred


def _add_masks(alignment: Alignment, side: int, objects: Instances) -> Instances:
    regions = alignment.layouts[side].region_columns
    rows = np.searchsorted(alignment.mapped.rows[side], objects.row)  # without those that a mapping dropped
    frames = [frames[objects.page] for frames in _frames(alignment, side)]
    corners = scale_to_frame(regions.boxes[rows], *frames)
    masks = tuple(_mask(regions.shapes.get(row), *rest) for row, *rest in zip(rows.tolist(), corners, *frames))
    # As in COCO: areas of gt as given in the file, areas of results from the bbox, if there is one.
    facts = regions.coco.take(rows) if regions.coco else CocoFacts.unknown(len(rows))
    given = facts.areas if side == GT else scale_to_frame(facts.sizes, *frames).prod(axis=1)
    areas = np.array(coco_mask.area(list(masks)) if masks else [], float)
    return replace(objects, masks=masks, areas=np.where(np.isnan(given), areas, given))


def _with_sizes(corners: Floats, written: Floats) -> Floats:
    """float64[regions, x y width height]: sizes as written in the file, unless an outline has replaced the bbox."""
    boxes = corners.copy()
    for k in range(2):  # one column at a time, which is faster
        start, stop, size = corners[:, k], corners[:, k + 2], written[:, k]
        boxes[:, k + 2] = np.where(start + size == stop, size, stop - start)
    return boxes


def _mask(shape: Shape | None, corners: Floats, own: Floats, frame: Floats) -> CocoMask:
    """A region as COCO's run-length mask on the common page."""
    width, height = (math.ceil(side) for side in frame)
    if isinstance(shape, RunMask):
        if (shape.width, shape.height) == (width, height):
            return coco_mask.frPyObjects({"size": [height, width], "counts": shape.runs.tolist()}, height, width)
        spans = shape_on_grid(shape, 0, 1.0, own, frame).spans(0, height)
        return coco_mask.encode(spans_to_pixels(spans, width, height))  # on the pixels of the page
    if isinstance(shape, Outline):
        rings = [scale_ring(ring, own, frame) for ring in shape.rings]
        return coco_mask.merge([{"size": [height, width], "counts": ring_counts(r, width, height)} for r in rings])
    x0, y0, x1, y1 = corners.tolist()
    return coco_mask.frPyObjects([[x0, y0, x0, y1, x1, y1, x1, y0]], height, width)[0]


def why_no_ap(alignment: Alignment, min_score: MinScore, pred: Instances) -> str:
    """The reason why predictions cannot be ranked, "" if they can; the same for the set, its documents and its pages.

    If only some predictions have a score, the rank of the others is not defined, so there is no AP.
    """
    if not alignment.space.shared:
        return (
            "The two sides have different labels, so no prediction can be right for its label, and AP has no meaning. "
            "Map labels to each other, or look at the object confusion matrix and the class-blind scores."
        )
    missing = int(np.isnan(pred.scores).sum())
    if not missing:
        return ""
    if missing == len(pred) and alignment.layouts[PRED].has_scores:
        below = min_score is not None and f"below the minimum score of {min_score_text(min_score)}"
        regions = f"All predicted regions with a score are {below or 'on pages that are not compared'}"
        return f"{regions}, and without scores AP would depend on the order in the file. {_ADVICE}"
    if missing == len(pred):
        return f"The prediction has no scores, and without them AP would depend on the order in the file. {_ADVICE}"
    return f"{missing:,} of {len(pred):,} predicted regions have no score, and to rank them would be a guess. {_ADVICE}"
