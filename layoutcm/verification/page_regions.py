"""The regions of a page as plain values, read from the two layouts: labels, boxes and shapes in the frame of gt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from layoutcm.alignment.align import Alignment
from layoutcm.alignment.min_scores import MinScore
from layoutcm.layouts.model import GT, PRED, Regions
from layoutcm.layouts.shapes import Outline, RunMask, Shape

Size = tuple[float, float]  # width, height
Box = tuple[float, float, float, float]  # x0, y0, x1, y1


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
