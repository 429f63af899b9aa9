"""Regions as objects: boxes, areas, crowds and masks of both sides in the common frame, as COCO's rules need them.

Boxes are x, y, width, height here, and not clipped to the page. If a side has outlines or masks, all regions of both
sides become run-length masks by COCO's own rasterisation, so that IoU counts the same pixels as pycocotools.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment, own_frames, page_of_region, scale_to_frame
from layoutcm.layouts.model import GT, PRED, CocoFacts, Floats, Positions
from layoutcm.layouts.shapes import Outline, RunMask, Shape

CocoMask = dict[str, Any]  # COCO's RLE: size and counts
_ADVICE = "Precision, recall and F1 at one IoU need no scores."


@dataclass(frozen=True, eq=False)
class Instances:
    """The objects of one side as columns, in the order of its file."""

    row: Positions  # row number in the regions of the given layout
    page: Positions  # aligned page
    rank: Positions  # rank of the page, which orders equal scores
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


def instances_of(
    alignment: Alignment, min_score: float | None, pages: Positions | None = None, masks: bool = True
) -> tuple[Instances, Instances]:
    """The objects of both sides on all or some pages, without pred regions below the score threshold."""
    masked = masks and any(side.region_columns.shapes for side in alignment.layouts)
    rank = page_ranks(alignment)
    gt, pred = (_one_side(alignment, side, min_score, pages, rank, masked) for side in (GT, PRED))
    return gt, pred


def page_ranks(alignment: Alignment) -> Positions:
    """int64[pages]: the rank of each page, which orders predictions with equal scores.

    pycocotools sorts pages by their ids in gt, and AP depends on this order if scores are equal. Pages without an id
    come last.
    """
    ids: dict[int, Any] = {page: key for key, page in alignment.layouts[GT].keys.items()}
    own: list[Any] = [ids.get(page) for page in alignment.sources[GT].tolist()]
    known = [page for page, key in enumerate(own) if key is not None]
    unknown = [page for page, key in enumerate(own) if key is None]
    if len({isinstance(own[page], str) for page in known}) == 1:  # a mix of numbers and text cannot be sorted
        known.sort(key=lambda page: own[page])
    ranks = np.empty(len(own), np.int64)
    ranks[known + unknown] = np.arange(len(own))
    return ranks


def _one_side(
    alignment: Alignment, side: int, min_score: float | None, pages: Positions | None, rank: Positions, masked: bool
) -> Instances:
    regions = alignment.layouts[side].region_columns
    aligned = page_of_region(alignment, side, min_score if side == PRED else None)
    rows = np.flatnonzero(aligned >= 0 if pages is None else np.isin(aligned, pages))
    page = aligned[rows].astype(np.int64)
    own = own_frames(alignment, side)[page]
    frame = np.stack([alignment.pages.widths, alignment.pages.heights], axis=1)[page]
    facts = regions.coco.take(rows) if regions.coco else CocoFacts.unknown(len(rows))
    boxes = scale_to_frame(_with_sizes(regions.boxes[rows], facts.sizes), own, frame)
    masks: tuple[CocoMask, ...] = ()
    if masked:
        corners = scale_to_frame(regions.boxes[rows], own, frame)
        masks = tuple(_mask(regions.shapes.get(row), *rest) for row, *rest in zip(rows.tolist(), corners, own, frame))
    areas = _mask_areas(masks) if masked else boxes[:, 2] * boxes[:, 3]
    # As in COCO: areas of gt as given in the file, areas of results from the bbox, if there is one.
    given = facts.areas if side == GT else scale_to_frame(facts.sizes, own, frame).prod(axis=1) if masked else areas
    areas = np.where(np.isnan(given), areas, given)
    crowd = facts.crowd if side == GT else np.zeros(len(rows), bool)
    place = (alignment.space.gt_positions, alignment.space.pred_positions)[side]
    label = place[regions.label[rows] + 1] - 1
    objects = Instances(
        alignment.mapped.rows[side][rows], page, rank[page], label, boxes, areas, regions.scores[rows], crowd
    )
    return replace(objects, masks=masks)


def _with_sizes(corners: Floats, written: Floats) -> Floats:
    """float64[regions, x y width height]: sizes as written in the file, unless an outline has replaced the bbox."""
    sizes = corners[:, 2:] - corners[:, :2]
    as_written = corners[:, :2] + written == corners[:, 2:]
    return np.concatenate([corners[:, :2], np.where(as_written, written, sizes)], axis=1)


def _mask(shape: Shape | None, corners: Floats, own: Floats, frame: Floats) -> CocoMask:
    """A region as COCO's run-length mask on the common page."""
    from faster_coco_eval.core import mask

    width, height = (math.ceil(side) for side in frame)
    if isinstance(shape, RunMask):
        if (shape.width, shape.height) == (width, height):
            return mask.frPyObjects({"size": [height, width], "counts": shape.runs.tolist()}, height, width)
        return mask.encode(_rasterise(shape, own, frame, width, height))
    if isinstance(shape, Outline):
        from layoutcm.metrics.objects.coco_fill import ring_runs
        from layoutcm.pixels.shape_fill import scale_ring

        rings = [scale_ring(ring, own, frame) for ring in shape.rings]
        runs = [{"size": [height, width], "counts": ring_runs(ring, width, height).tolist()} for ring in rings]
        return mask.merge([mask.frPyObjects(part, height, width) for part in runs])
    x0, y0, x1, y1 = corners.tolist()
    return mask.frPyObjects([[x0, y0, x0, y1, x1, y1, x1, y0]], height, width)[0]


def _rasterise(shape: RunMask, own: Floats, frame: Floats, width: int, height: int) -> NDArray[np.uint8]:
    """uint8[height, width]: a mask of a different resolution on the pixels of the page."""
    from layoutcm.pixels.shape_fill import shape_on_grid, spans_to_pixels

    return spans_to_pixels(shape_on_grid(shape, 0, 1.0, own, frame).spans(0, height), width, height)


def _mask_areas(masks: tuple[CocoMask, ...]) -> Floats:
    from faster_coco_eval.core import mask

    return np.array(mask.area(list(masks)) if masks else [], float)


def why_no_ap(alignment: Alignment, min_score: float | None) -> str:
    """The reason why predictions cannot be ranked, "" if they can; the same for the set, its documents and its pages.

    If only some predictions have a score, the rank of the others is not defined, so there is no AP.
    """
    if not alignment.space.shared:
        return (
            "The two sides have different labels, so no prediction can be right for its label, and AP has no meaning. "
            "Map labels to each other, or look at the object confusion matrix and the class-blind scores."
        )
    scores = alignment.layouts[PRED].region_columns.scores[page_of_region(alignment, PRED, min_score) >= 0]
    missing = int(np.isnan(scores).sum())
    if not missing:
        return ""
    if missing == len(scores) and alignment.layouts[PRED].has_scores:
        left_out = (
            "on pages that are not compared" if min_score is None else f"below the minimum score of {min_score:g}"
        )
        return (
            f"All predicted regions with a score are {left_out}, and without scores AP would depend on the order in "
            f"the file. {_ADVICE}"
        )
    if missing == len(scores):
        return f"The prediction has no scores, and without them AP would depend on the order in the file. {_ADVICE}"
    return (
        f"{missing:,} of {len(scores):,} predicted regions have no score, and to rank them would be a guess. {_ADVICE}"
    )
