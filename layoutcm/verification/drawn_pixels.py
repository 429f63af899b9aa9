"""The regions of a page as plain values, drawn on its pixels, and the pixels of each pair of label sets.

This is the definition in docs/method.md, written down as directly as possible: one mask of all pixels per label. With
rounding `exact` there are no pixels; then the rectangles between all neighbouring edges take their place.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.alignment.min_scores import MinScore
from layoutcm.layouts.model import GT, PRED, Regions
from layoutcm.layouts.shapes import Outline, RunMask, Shape

Size = tuple[float, float]  # width, height
Box = tuple[float, float, float, float]  # x0, y0, x1, y1
BACKGROUND = 0
IGNORED = -1  # in the set of gt: the pixel is not judged
STRIP_PIXELS = 1 << 20  # rows of the page are drawn in strips of this many pixels, which limits the memory
LabelSet = frozenset[int]
Pair = tuple[LabelSet, LabelSet]  # of gt and of pred
Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Region(NamedTuple):
    """One region in the frame of the page."""

    row: int  # row number among the side's regions; -1 for an area without a label
    label: int  # position in the common list of labels; 0 is Background
    box: Box
    shape: Shape | None  # an outline in the frame of the page, or a mask at its own resolution
    score: float  # nan = no score
    hides_pixels: bool = False  # the pixels under it are not judged


@dataclass(frozen=True, eq=False)
class SideRegions:
    """The regions of one side, page by page; pred regions below the minimum score are left out."""

    alignment: Alignment
    side: int
    min_score: MinScore

    def on_page(self, page: int) -> list[Region]:
        """The regions on an aligned page, in the order of the file; none if the side does not have the page."""
        own_page = int(self.alignment.sources[self.side][page])
        if own_page < 0:
            return []
        regions = [self._region(row, *self.sizes(page)) for row in self._rows_by_page.get(own_page, [])]
        return [region for region in regions if not self._is_below_min_score(region)]

    def ignore_areas(self, page: int) -> list[Region]:
        """The areas of an aligned page whose label became Ignore; only gt has such areas."""
        areas, own_page = self.alignment.layouts[self.side].ignore_areas, int(self.alignment.sources[self.side][page])
        if areas is None or own_page < 0:
            return []
        rows = np.flatnonzero(areas.page == own_page).tolist()
        return [self._area(areas, row, *self.sizes(page)) for row in rows]

    def sizes(self, page: int) -> tuple[Size, Size]:
        """The size of an aligned page, and its size in the layout of this side."""
        own_page = int(self.alignment.sources[self.side][page])
        frame = self.alignment.pages.size(page)
        return frame, self.alignment.layouts[self.side].page_columns.size(own_page) if own_page >= 0 else frame

    def _is_below_min_score(self, region: Region) -> bool:
        given = self.min_score
        if isinstance(given, Mapping):
            given = given.get(self.alignment.space.labels[region.label], given.get(None))
        return self.side == PRED and given is not None and region.score < given

    @cached_property
    def _rows_by_page(self) -> dict[int, list[int]]:
        rows: dict[int, list[int]] = {}
        for row, page in enumerate(self.alignment.layouts[self.side].region_columns.page.tolist()):
            rows.setdefault(page, []).append(row)
        return rows

    @cached_property
    def _positions(self) -> list[int]:
        """The position of each label of the side in the common list, after Background."""
        space = self.alignment.space
        return [int(position) for position in (space.gt_positions, space.pred_positions)[self.side][1:]]

    def _region(self, row: int, frame: Size, own: Size) -> Region:
        columns = self.alignment.layouts[self.side].region_columns
        area, hides = self._area(columns, row, frame, own), self.side == GT and bool(columns.hides_pixels[row])
        label = self._positions[columns.label[row]]
        return area._replace(row=row, label=label, score=float(columns.scores[row]), hides_pixels=hides)

    @staticmethod
    def _area(columns: Regions, row: int, frame: Size, own: Size) -> Region:
        """A box or shape in the frame of the page, without a label."""
        x0, y0, x1, y1 = columns.boxes[row].tolist()
        box = (
            scaled(x0, frame[0], own[0]),
            scaled(y0, frame[1], own[1]),
            scaled(x1, frame[0], own[0]),
            scaled(y1, frame[1], own[1]),
        )
        shape = columns.shapes.get(row)
        if isinstance(shape, Outline) and frame != own:
            shape = Outline(tuple(ring * frame / own for ring in shape.rings))
        return Region(-1, -1, box, shape, float("nan"), hides_pixels=True)


def scaled(value: float, frame: float, own: float) -> float:
    """A coordinate of a page of size `own` on a page of size `frame`."""
    return value if frame == own else value * frame / own


def decode_runs(mask: RunMask) -> list[tuple[int, int]]:
    """The parts of a mask that are filled: (first, stop), counted from pixel to pixel down each column in turn."""
    filled, position = [], 0
    for k, run in enumerate(mask.runs.tolist()):
        if k % 2 == 1:
            filled.append((position, position + run))
        position += run
    return filled


class Grid(NamedTuple):
    """float64 each: the edges of the columns and those of the rows; pixel (i, j) is between edges i and i + 1."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.y) - 1, len(self.x) - 1

    @property
    def pixels(self) -> int:
        rows, columns = self.shape
        return rows * columns


class Page(NamedTuple):
    """A page to recount: its size, and the regions of gt and of pred on it."""

    size: Size
    sides: tuple[list[Region], list[Region]]


def page_grid(page: Page, rounding: str) -> Grid:
    """The pixels of a page; with `exact`, the rectangles between all edges."""
    edges = []
    for axis, side in enumerate(page.size):
        if rounding == "outer":
            edges.append(np.arange(math.ceil(side) + 1, dtype=float))
        elif rounding == "nearest":
            edges.append(np.arange(math.floor(side + 0.5) + 1, dtype=float))
        else:
            edges.append(np.array(_exact_edges(page, axis), float))
    return Grid(*edges)


def _exact_edges(page: Page, axis: int) -> list[float]:
    side = page.size[axis]
    edges = {0.0, side}
    for region in (*page.sides[0], *page.sides[1]):
        if region.shape is None:
            edges |= {min(max(edge, 0.0), side) for edge in region.box[axis::2]}
        else:  # an outline or a mask covers whole pixels with every rounding
            edges |= {min(float(pixel), side) for pixel in range(math.ceil(side))}
    return sorted(edges)


def count_pairs(page: Page, rounding: str) -> dict[Pair, float]:
    """{(gt set, pred set): pixels}; a pixel without a region carries Background."""
    grid, counts = page_grid(page, rounding), defaultdict[Pair, float](float)
    rows, columns = grid.shape
    step = max(STRIP_PIXELS // max(columns, 1), 1)
    for first in range(0, rows, step):
        strip = Grid(grid.x, grid.y[first : first + step + 1])
        for (gt, pred), pixels in _count_strip(strip, page, rounding):
            if IGNORED in gt:
                continue
            counts[gt or frozenset([BACKGROUND]), pred or frozenset([BACKGROUND])] += pixels
    return {pair: pixels for pair, pixels in counts.items() if pixels > 0}


def _count_strip(strip: Grid, page: Page, rounding: str) -> Iterable[tuple[Pair, float]]:
    pairs: list[Pair] = [(frozenset(), frozenset())]
    number = np.zeros(strip.shape, np.int64)  # for every pixel: which of the pairs it carries
    for side, regions in enumerate(page.sides):
        for label in sorted({_drawn_label(region) for region in regions}):
            carries = np.zeros(strip.shape, bool)
            for region in regions:
                if _drawn_label(region) == label:
                    _draw(region, carries, strip, page.size, rounding)
            if carries.any():
                number, pairs = _add_label(number, pairs, side, label, carries)
    areas = np.outer(np.diff(strip.y), np.diff(strip.x))  # 1 for a pixel
    return zip(pairs, np.bincount(number.ravel(), areas.ravel(), len(pairs)).tolist())


def _drawn_label(region: Region) -> int:
    return IGNORED if region.hides_pixels else region.label


def _add_label(number: Numbers, pairs: list[Pair], side: int, label: int, carries: Mask) -> tuple[Numbers, list[Pair]]:
    """Add a label to the sets of some pixels: pair k becomes 2 k without the label, and 2 k + 1 with it."""
    number = 2 * number + carries
    used = np.flatnonzero(np.bincount(number.ravel()))
    new_number = np.zeros(2 * len(pairs), np.int64)
    new_number[used] = np.arange(len(used))
    new_pairs = []
    for k in used.tolist():
        gt, pred = pairs[k // 2]
        if k % 2 == 1:
            gt, pred = (gt | {label}, pred) if side == 0 else (gt, pred | {label})
        new_pairs.append((gt, pred))
    return new_number[number], new_pairs


def _draw(region: Region, carries: Mask, strip: Grid, size: Size, rounding: str) -> None:
    """Set the pixels of a strip that the region covers."""
    if region.shape is None:
        columns, rows = (
            _between(edges, *rounded(low, high, side, rounding))
            for edges, low, high, side in zip(strip, region.box[:2], region.box[2:], size)
        )
        carries[np.ix_(rows, columns)] = True
        return
    pixel_rows, pixel_columns = (np.floor(edges[:-1]).astype(int).tolist() for edges in (strip.y, strip.x))
    if isinstance(region.shape, Outline):
        for ring in region.shape.rings:
            carries |= inside_polygon(ring.tolist(), pixel_rows, pixel_columns)
    else:
        carries |= inside_mask(region.shape, pixel_rows, pixel_columns, size)


def _between(edges: NDArray[np.float64], low: float, high: float) -> NDArray[np.int64]:
    """The columns (or rows) between two coordinates."""
    return np.flatnonzero((edges[:-1] >= low) & (edges[1:] <= high))


def rounded(low: float, high: float, side: float, rounding: str) -> tuple[float, float]:
    """The near and the far edge of a box along one axis: clipped to the page, then rounded."""
    low, high = min(max(low, 0.0), side), min(max(high, 0.0), side)
    if high <= low:
        return 0.0, 0.0
    if rounding == "outer":
        return math.floor(low), math.ceil(high)
    if rounding == "nearest":
        return math.floor(low + 0.5), math.floor(high + 0.5)
    return low, high


def inside_polygon(points: Sequence[Sequence[float]], rows: Sequence[int], columns: Sequence[int]) -> Mask:
    """bool[rows, columns]: whether a ray from the centre of the pixel to the left crosses the polygon an odd number of
    times.
    """
    inside = np.zeros((len(rows), len(columns)), bool)
    centres = np.array(columns, float) + 0.5
    for (x0, y0), (x1, y1) in zip(points, [*points[1:], points[0]]):
        for k, row in enumerate(rows):
            y = row + 0.5
            if min(y0, y1) <= y < max(y0, y1):
                # An edge may pass exactly through a centre. Then the last bit decides, so the order of operations is
                # part of the definition.
                crossing = x0 + (y - y0) * ((x1 - x0) / (y1 - y0))
                inside[k] ^= centres >= crossing
    return inside


def inside_mask(mask: RunMask, rows: Sequence[int], columns: Sequence[int], size: Size) -> Mask:
    """bool[rows, columns]: the value of the mask under the centre of each pixel; a mask covers its whole page."""
    filled = np.zeros(mask.width * mask.height, bool)
    for first, stop in decode_runs(mask):
        filled[first:stop] = True
    by_column = filled.reshape(mask.width, mask.height)
    x = [min(math.floor((column + 0.5) * mask.width / size[0]), mask.width - 1) for column in columns]
    y = [min(math.floor((row + 0.5) * mask.height / size[1]), mask.height - 1) for row in rows]
    return by_column[np.ix_(x, y)].T
