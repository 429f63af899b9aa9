"""A layout: labelled regions on pages, as columns.

Coordinates are x0, y0, x1, y1 in pixels (or whatever unit the page's width and height are in), y down, half-open.
Values only; `layout_rules` says what may become a layout.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from layoutcm.layouts.page_names import IMAGE_SUFFIXES as IMAGE_SUFFIXES
from layoutcm.layouts.page_names import NAME_RULES, unique_keys
from layoutcm.layouts.page_names import stem as stem
from layoutcm.layouts.shapes import Shape

if TYPE_CHECKING:
    import pandas as pd

GT, PRED = 0, 1
SIDES = ("gt", "pred")
BACKGROUND = "Background"
X0, Y0, X1, Y1 = range(4)
ROUNDINGS = ("outer", "nearest", "exact")

# Beyond these a number is a mistake, and products of two of them would no longer be exact in float64.
MAX_COORDINATE = 1e9
MAX_PAGE_SIDE = 1e6
# Rounding and interpolation overshoot 0..1 a little; percentages and logits by far more.
SCORE_TOLERANCE = 1e-3

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]
Positions = NDArray[np.int64]
PlaceNamer = Callable[[int], str]


@dataclass(frozen=True)
class Finding:
    """Something odd but usable in an input: how often, the first example, and what can be done."""

    code: str
    message: str
    severity: str = "warning"  # or "info"
    count: int = 1
    hint: str = ""  # advice to a person
    repair: str = ""  # what `repairs.repair` can do about it, such as "flip-y"

    def as_dict(self) -> dict[str, object]:
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "count": self.count,
            "fix": self.hint,
            "remedy": self.repair,
        }

    @property
    def fix(self) -> str:
        """Deprecated: `hint`."""
        warnings.warn("Finding.fix is called Finding.hint now", DeprecationWarning, stacklevel=2)
        return self.hint

    @property
    def remedy(self) -> str:
        """Deprecated: `repair`."""
        warnings.warn("Finding.remedy is called Finding.repair now", DeprecationWarning, stacklevel=2)
        return self.repair


@dataclass(frozen=True, eq=False)
class Pages:
    """The pages of a layout as columns; `document` is "" and `number` is -1 where the file does not tell."""

    names: tuple[str, ...]
    widths: Floats
    heights: Floats
    documents: tuple[str, ...]
    numbers: Indices

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def alike(self) -> list[dict[str, int]]:
        """For each rule of `NAME_RULES`: what it makes of a name -> page; -1 where it makes the same of several."""
        return [unique_keys((rule(name), i) for i, name in enumerate(self.names)) for rule in NAME_RULES.values()]


@dataclass(frozen=True, eq=False)
class CocoFacts:
    """What a COCO file says beyond its boxes, for the scores of objects; pixels do not ask for it.

    Width and height are kept as written: x1 - x0 may differ from them in the last bit, and an IoU may stand exactly on
    its threshold.
    """

    crowd: NDArray[np.bool_]  # a region for many objects that nobody counted
    areas: Floats  # nan = not given
    sizes: Floats  # [regions, width height] of the bbox, nan = there is none

    def take(self, keep: NDArray[np.bool_] | NDArray[np.integer]) -> CocoFacts:
        return CocoFacts(self.crowd[keep], self.areas[keep], self.sizes[keep])

    def of_other_boxes(self) -> CocoFacts:
        """What still holds when the boxes are read another way."""
        return CocoFacts(self.crowd, np.full_like(self.areas, np.nan), np.full_like(self.sizes, np.nan))


@dataclass(frozen=True, eq=False)
class Regions:
    """The regions of a layout as columns; a region with several labels stands once for each of them."""

    page: Indices
    label: Indices
    boxes: Floats  # [regions, x0 y0 x1 y1]
    scores: Floats  # nan = no score
    shapes: dict[int, Shape] = field(default_factory=dict)  # region -> outline or mask, where it is no box
    coco: CocoFacts | None = None

    def __len__(self) -> int:
        return len(self.page)

    def take(self, keep: NDArray[np.bool_]) -> Regions:
        """The regions marked in bool[regions]."""
        if keep.all():
            return self
        position = np.cumsum(keep) - 1
        shapes = {int(position[i]): shape for i, shape in self.shapes.items() if keep[i]}
        coco = self.coco.take(keep) if self.coco else None
        return Regions(self.page[keep], self.label[keep], self.boxes[keep], self.scores[keep], shapes, coco)


@dataclass(frozen=True, eq=False)
class Layout:
    """What one file (or folder) says: pages, labels, regions, and what was odd about it."""

    name: str
    format: str
    labels: list[str]
    page_columns: Pages
    region_columns: Regions
    findings: tuple[Finding, ...] = ()
    keys: dict[int | float | str, int] = field(default_factory=dict)  # the file's own page ids -> page
    label_keys: dict[int | float | str, int] = field(default_factory=dict)  # the file's own label ids -> label
    repairs: tuple[str, ...] = ()  # those that were applied after reading
    dropped: Regions | None = None  # boxes without area, kept because another reading of them may have one

    def __repr__(self) -> str:
        pages, regions = len(self.page_columns), len(self.region_columns)
        return f"<Layout {self.name}: {self.format}, {pages:,} pages, {regions:,} regions, {len(self.labels)} labels>"

    @cached_property
    def pages(self) -> pd.DataFrame:
        """One row a page: page, document, number, width, height."""
        import pandas as pd

        pages = self.page_columns
        return pd.DataFrame(
            {
                "page": list(pages.names),
                "document": list(pages.documents),
                "number": pages.numbers,
                "width": pages.widths,
                "height": pages.heights,
            }
        )

    @cached_property
    def regions(self) -> pd.DataFrame:
        """One row a region: page, label, x0, y0, x1, y1, score; `outline` only where one is kept."""
        import pandas as pd

        regions = self.region_columns
        columns: dict[str, object] = {
            "page": np.array(self.page_columns.names, object)[regions.page],
            "label": np.array(self.labels, object)[regions.label],
        }
        columns |= {name: regions.boxes[:, i] for i, name in enumerate(("x0", "y0", "x1", "y1"))}
        columns["score"] = regions.scores
        if regions.shapes:
            columns["outline"] = [regions.shapes.get(i) for i in range(len(regions))]
        return pd.DataFrame(columns)

    @property
    def labels_in_use(self) -> set[str]:
        used = np.bincount(self.region_columns.label, minlength=len(self.labels))
        return {label for label, count in zip(self.labels, used) if count}

    @property
    def has_scores(self) -> bool:
        return bool(np.isfinite(self.region_columns.scores).any())


def find_page(name: str, pages: Pages) -> int | None:
    """The page of this name; else the only one whose name is alike by the first rule that finds any."""
    if name in pages.index:
        return pages.index[name]
    for rule, by_name in zip(NAME_RULES.values(), pages.alike):
        found = by_name.get(rule(name))
        if found is not None:
            return found if found >= 0 else None  # two of them: a looser rule would only find more
    return None


def outside_unit_interval(scores: Floats) -> NDArray[np.bool_]:
    """bool[scores]: outside 0..1; no score at all is none of these."""
    return (scores < -SCORE_TOLERANCE) | (scores > 1 + SCORE_TOLERANCE)


def concatenate_regions(parts: Sequence[Regions]) -> Regions:
    """Regions one after the other."""
    before = np.cumsum([0, *(len(part) for part in parts)]).tolist()
    facts = [part.coco for part in parts if part.coco is not None]
    return Regions(
        np.concatenate([part.page for part in parts]),
        np.concatenate([part.label for part in parts]),
        np.concatenate([part.boxes for part in parts]),
        np.concatenate([part.scores for part in parts]),
        {i + first: shape for part, first in zip(parts, before) for i, shape in part.shapes.items()},
        CocoFacts(
            np.concatenate([one.crowd for one in facts]),
            np.concatenate([one.areas for one in facts]),
            np.concatenate([one.sizes for one in facts]),
        )
        if len(facts) == len(parts)
        else None,
    )


def recode_labels(regions: Regions, recode: Indices) -> Regions:
    """The regions under other label numbers: int32[old label] -> new label."""
    return replace(regions, label=recode[regions.label]) if len(regions) else regions
