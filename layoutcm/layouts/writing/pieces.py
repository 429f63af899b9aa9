"""The regions of each page as pieces that most formats can hold: a box, one polygon, or a mask.

A region of several polygons becomes one piece for each of them, because it is their union: the same pixels are covered.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from layoutcm.layouts import limits
from layoutcm.layouts.model import NEAR_WHOLE, Floats
from layoutcm.layouts.shapes import Outline, RunMask
from layoutcm.layouts.writing.request import Request, region_order

SURELY_READ_POINTS = (
    limits.MAX_OUTLINE_TEXT // 50
)  # a point in text has at most so many characters, so these are always read
REPORTED = 1e-6  # pixels: smaller differences come from computing with fractions, and no score notices them


class Piece(NamedTuple):
    """A region, or one polygon of it; `score` is nan if there is none."""

    label: int
    box: tuple[float, float, float, float]
    score: float
    ring: Floats | None = None  # float64[points, xy]
    mask: RunMask | None = None
    row: int = -1  # number of the region


class Fit(NamedTuple):
    """What a format asks of coordinates."""

    inside: bool = False  # on the page
    whole: bool = False  # whole pixels: boxes are rounded outwards, points to the nearest
    fractions: bool = False  # of the page's sides; readers round those very close to a whole pixel
    whole_sizes: bool = False  # pages have whole sizes, which are rounded up
    text: bool = False  # points are in one text, which must not be too long for the reader
    masks: bool = False  # there are masks


def pieces_of_pages(request: Request, fit: Fit) -> list[list[Piece]]:
    """The pieces of each page, in order; findings report what changes."""
    layout = request.layout
    regions = layout.region_columns
    boxes, rings = _fitted(request, fit)
    labels, scores, page = regions.label.tolist(), regions.scores.tolist(), regions.page.tolist()
    columns = boxes.tolist()
    pieces: list[list[Piece]] = [[] for _ in range(len(layout.page_columns))]
    boxed = split = 0
    for i in region_order(layout).tolist():
        shape = regions.shapes.get(i)
        own = pieces[page[i]]
        plain = Piece(labels[i], tuple(columns[i]), scores[i], row=i)
        if isinstance(shape, Outline) and all(_is_readable(ring, fit) for ring in rings[i]):
            own += (plain._replace(ring=ring) for ring in rings[i])
            split += len(rings[i]) > 1
        elif isinstance(shape, RunMask) and fit.masks and _fills_page(shape, layout.page_columns.size(page[i])):
            own.append(plain._replace(mask=shape))
        else:
            own.append(plain)
            boxed += shape is not None
    request.change("shape-as-box", boxed)
    request.change("split-outlines", split)
    return pieces


def _is_readable(ring: Floats, fit: Fit) -> bool:
    is_short = not fit.text or len(ring) <= SURELY_READ_POINTS
    return is_short or len(points_text(ring, " ")) <= limits.MAX_OUTLINE_TEXT


def _fills_page(mask: RunMask, size: tuple[float, float]) -> bool:
    """Whether a mask has the size of its page, and any pixel."""
    return (mask.width, mask.height) == size and bool(mask.runs[1::2].any())


def _fitted(request: Request, fit: Fit) -> tuple[Floats, dict[int, list[Floats]]]:
    """float64[regions, x0 y0 x1 y1] and {region: polygons} as the format can hold them."""
    pages, regions = request.layout.page_columns, request.layout.region_columns
    sizes = np.stack([pages.widths, pages.heights], axis=1)[regions.page]
    boxes = regions.boxes
    rings = {i: list(shape.rings) for i, shape in regions.shapes.items() if isinstance(shape, Outline)}
    if fit.inside:
        inside = np.clip(boxes, 0, np.tile(sizes, 2))
        request.change("clipped-regions", int((inside != boxes).any(axis=1).sum()))
        boxes = inside
        rings = {i: [np.clip(ring, 0, sizes[i]) for ring in own] for i, own in rings.items()}
    changed = np.zeros(len(regions))
    if fit.whole:
        whole = np.hstack([np.floor(boxes[:, :2]), np.ceil(boxes[:, 2:])])
        rounded = {i: [np.rint(ring) for ring in own] for i, own in rings.items()}
        changed = _differences(boxes, whole, rings, rounded)
        boxes, rings = whole, rounded
    elif fit.fractions:
        near = _near_whole(boxes, np.tile(sizes, 2))
        nearer = {i: [_near_whole(ring, sizes[i]) for ring in own] for i, own in rings.items()}
        changed = _differences(boxes, near, rings, nearer)
    _note_rounding(request, changed, fit)
    return boxes, rings


def _near_whole(points: Floats, sides: Floats) -> Floats:
    """The coordinates as readers of fractions return them."""
    whole = np.rint(points)
    return np.where(np.abs(points - whole) <= NEAR_WHOLE * sides, whole, points)


def _differences(
    boxes: Floats, new_boxes: Floats, rings: dict[int, list[Floats]], new_rings: dict[int, list[Floats]]
) -> Floats:
    """float64[regions]: the largest change of a coordinate."""
    changed: Floats = np.abs(new_boxes - boxes).max(axis=1, initial=0)
    for i, own in rings.items():  # the box of an outline is not written
        changed[i] = max(float(np.abs(new - old).max(initial=0)) for old, new in zip(own, new_rings[i]))
    return changed


def _note_rounding(request: Request, changed: Floats, fit: Fit) -> None:
    pages = request.layout.page_columns
    sizes = np.concatenate([pages.widths, pages.heights]) if fit.whole_sizes else np.zeros(0)
    excess = np.ceil(sizes) - sizes
    most = max(float(changed.max(initial=0)), float(excess.max(initial=0)))
    count = int((changed > REPORTED).sum()) + int((excess > 0).sum())
    if count:
        request.change("rounded-coordinates", count, most=most)


def number_text(value: float) -> str:
    """A number in full, a whole one without a point."""
    return str(int(value)) if value == math.floor(value) else repr(value)


def points_text(ring: Floats, between: str) -> str:
    """The points of a polygon as "x,y x,y", with another text between points."""
    return between.join(f"{number_text(x)},{number_text(y)}" for x, y in ring.tolist())
