"""A layout: labelled regions on pages, stored as columns.

Coordinates are x0, y0, x1, y1 in pixels (or the unit of the page's width and height), y down, half-open.
The classes here do not check their values; `validation.make_layout` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray

from layoutcm import html_parts
from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.findings import LETTERS as LETTERS
from layoutcm.layouts.findings import SIDES as SIDES
from layoutcm.layouts.findings import Finding as Finding
from layoutcm.layouts.findings import Findings as Findings
from layoutcm.layouts.findings import findings_html
from layoutcm.layouts.packed_names import PackedTexts
from layoutcm.layouts.page_names import NAME_RULES, unique_keys
from layoutcm.layouts.shapes import Shape
from layoutcm.lazy import pd
from layoutcm.wording import plural

GT, PRED = 0, 1
BACKGROUND = "Background"
IGNORE = "Ignore"  # a label mapped to it marks areas that are not judged
X0, Y0, X1, Y1 = range(4)
ROUNDINGS = ("outer", "nearest", "exact")

# Larger numbers are mistakes, and products of two of them would not be exact in float64.
MAX_COORDINATE = 1e9
MAX_PAGE_SIDE = 1e6
# Rounding and interpolation exceed 0..1 by less than this; percentages and logits by far more.
SCORE_TOLERANCE = 1e-3
# Of a page's side: a fraction of the side that is this close to a whole pixel is read as a whole pixel.
NEAR_WHOLE = 2e-6
MOST_LABELS = 12  # in the HTML of a layout

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]
Positions = NDArray[np.int64]
Texts = tuple[str, ...] | PackedTexts
PlaceNamer = Callable[[int], str]


@dataclass(frozen=True, eq=False)
class Pages:
    """The pages of a layout as columns; a document is "" and a number is -1 if the file does not give it."""

    names: Texts
    widths: Floats
    heights: Floats
    documents: Texts
    numbers: Indices
    attributes: Mapping[str, Texts] = field(default_factory=dict)  # {name: text of each page, "" = not given}
    # bool[pages]: neither the file nor the reference layout has the size, so it is the median of the reference layout.
    unsized: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.names)

    @property
    def without_size(self) -> Positions:
        """The pages whose size is not known."""
        return np.flatnonzero(np.zeros(0) if self.unsized is None else self.unsized)

    def median_size(self) -> tuple[float, float]:
        """The median width and the median height."""
        return float(np.median(self.widths)), float(np.median(self.heights))

    def take(self, at: Sequence[int] | NDArray[np.integer]) -> Pages:
        """The pages at these positions, in this order."""
        positions = np.asarray(at, np.int64)
        rows = positions.tolist()
        names, documents = (tuple(column[i] for i in rows) for column in (self.names, self.documents))
        attributes = {name: tuple(values[i] for i in rows) for name, values in self.attributes.items()}
        sizes = self.widths[positions], self.heights[positions]
        unsized = None if self.unsized is None else self.unsized[positions]
        return Pages(names, *sizes, documents, self.numbers[positions], attributes, unsized)

    def size(self, page: int) -> tuple[float, float]:
        """Width and height of a page."""
        return float(self.widths[page]), float(self.heights[page])

    @cached_property
    def index(self) -> Mapping[str, int]:
        """{name: position}; a dict of packed names would unpack them."""
        if isinstance(self.names, PackedTexts):
            return self.names.by_text
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def index_by_rule(self) -> list[dict[str, int]]:
        """For each rule of `NAME_RULES`: {result of the rule: page}, -1 if several pages have the same result."""
        return [unique_keys((rule(name), i) for i, name in enumerate(self.names)) for rule in NAME_RULES.values()]


@dataclass(frozen=True, eq=False)
class CocoFacts:
    """Further columns of a COCO file; object scores use them, pixel counts do not.

    Width and height are kept as written: x1 - x0 may differ from them in the last bit, which matters when an IoU is
    exactly at its threshold.
    """

    crowd: NDArray[np.bool_]  # COCO iscrowd: one region for an uncounted group of objects
    areas: Floats  # nan = not given
    sizes: Floats  # [regions, width height] of the bbox, nan = no bbox

    @classmethod
    def unknown(cls, n: int) -> CocoFacts:
        """The facts of `n` regions that no COCO file describes."""
        return cls(np.zeros(n, bool), np.full(n, np.nan), np.full((n, 2), np.nan))

    def take(self, keep: NDArray[np.bool_] | NDArray[np.integer] | slice) -> CocoFacts:
        return CocoFacts(self.crowd[keep], self.areas[keep], self.sizes[keep])

    def without_sizes(self) -> CocoFacts:
        """The facts that remain valid after the boxes were changed."""
        return CocoFacts(self.crowd, np.full_like(self.areas, np.nan), np.full_like(self.sizes, np.nan))


@dataclass(frozen=True, eq=False)
class Regions:
    """The regions of a layout as columns; a region with several labels has one row for each of them."""

    page: Indices
    label: Indices
    boxes: Floats  # [regions, x0 y0 x1 y1]
    scores: Floats  # nan = no score
    shapes: dict[int, Shape] = field(default_factory=dict)  # region -> outline or mask; boxes have no entry
    coco: CocoFacts | None = None
    ignore: NDArray[np.bool_] | None = None  # marked as not to be judged; None = none is

    def __len__(self) -> int:
        return len(self.page)

    @property
    def without_area(self) -> NDArray[np.bool_]:
        """bool[regions]: whether a box has no width or height; it then covers no pixel, but is an object."""
        return (self.boxes[:, X1] <= self.boxes[:, X0]) | (self.boxes[:, Y1] <= self.boxes[:, Y0])

    def take(self, keep: NDArray[np.bool_]) -> Regions:
        """The regions marked in bool[regions]."""
        if keep.all():
            return self
        position = np.cumsum(keep) - 1
        shapes = {int(position[i]): shape for i, shape in self.shapes.items() if keep[i]}
        coco = self.coco.take(keep) if self.coco else None
        ignore = None if self.ignore is None else self.ignore[keep]
        return Regions(self.page[keep], self.label[keep], self.boxes[keep], self.scores[keep], shapes, coco, ignore)

    @property
    def ignored(self) -> NDArray[np.bool_]:
        """bool[regions]: whether a region is marked as not to be judged."""
        return np.zeros(len(self), bool) if self.ignore is None else self.ignore

    @property
    def hides_pixels(self) -> NDArray[np.bool_]:
        """bool[regions]: whether the pixels of a region are not samples if this is gt: it is ignored, or a crowd."""
        return self.ignored if self.coco is None else self.ignored | self.coco.crowd


@dataclass(frozen=True, eq=False)
class Layout:
    """The content of one file (or folder): pages, labels, regions, and findings.

    Attributes
    ----------
    name, format : str
        Of the file.
    labels : list of str
        Also those that no region uses, in the order of the file.
    findings : tuple of Finding
    annotator, annotators : str, tuple of str
        Whose regions these are, and all annotators that the file names.
    repairs : tuple of str
        Those that were applied, in order.
    sha256 : str or None
        Digest of the files that were read.
    """

    name: str
    format: str
    labels: list[str]
    page_columns: Pages
    region_columns: Regions
    findings: tuple[Finding, ...] = ()
    keys: dict[int | float | str, int] = field(default_factory=dict)  # the file's own page ids -> page
    label_keys: dict[int | float | str, int] = field(default_factory=dict)  # the file's own label ids -> label
    repairs: tuple[str, ...] = ()  # repairs applied after reading, in order
    dropped: Regions | None = None  # boxes with inverted corners; a repair may turn them
    ignore_areas: Regions | None = None  # regions whose label became Ignore: no objects, and no samples in gt
    annotator: str = ""  # whose regions these are, if the file has several annotators
    annotators: tuple[str, ...] = ()  # all annotators that the file names
    outer_only: bool = False  # read without the regions inside pictures and tables
    sha256: str | None = None  # digest of the files that were read; None if the layout was not read from files

    def __post_init__(self) -> None:
        object.__setattr__(self, "findings", Findings(self.findings))

    def __repr__(self) -> str:
        pages, regions = len(self.page_columns), len(self.region_columns)
        return f"<Layout {self.name}: {self.format}, {pages:,} pages, {regions:,} regions, {len(self.labels)} labels>"

    def _repr_html_(self) -> str:
        """What the layout is, its most frequent labels, and its findings."""
        counts = np.bincount(self.region_columns.label, minlength=len(self.labels)).tolist()
        rows = sorted(zip(self.labels, counts), key=lambda row: -row[1])
        pages, regions = len(self.page_columns), len(self.region_columns)
        file = PurePosixPath(self.name.replace("\\", "/")).name
        title = f"{file}: {self.format}, {plural(pages, 'page')}, {plural(regions, 'region')}"
        cells = [(label, f"{count:,}") for label, count in rows[:MOST_LABELS]]
        rest = html_parts.note(html_parts.more(len(rows) - MOST_LABELS, "label"))
        return html_parts.block(
            title, html_parts.table(["label", "regions"], cells), rest, findings_html(self.findings)
        )

    @cached_property
    def pages(self) -> pd.DataFrame:
        """One row per page: page, document, number, width, height, then its attributes."""
        pages = self.page_columns
        return pd.DataFrame(
            {
                "page": list(pages.names),
                "document": list(pages.documents),
                "number": pages.numbers,
                "width": pages.widths,
                "height": pages.heights,
                **{name: list(values) for name, values in pages.attributes.items()},
            }
        )

    @cached_property
    def regions(self) -> pd.DataFrame:
        """One row per region: page, label, x0, y0, x1, y1, score; `outline`, `ignore`, `iscrowd` if any has them."""
        regions = self.region_columns
        columns: dict[str, object] = {
            "page": np.array(self.page_columns.names, object)[regions.page],
            "label": np.array(self.labels, object)[regions.label],
        }
        columns |= {name: regions.boxes[:, i] for i, name in enumerate(("x0", "y0", "x1", "y1"))}
        columns["score"] = regions.scores
        if regions.shapes:
            columns["outline"] = [regions.shapes.get(i) for i in range(len(regions))]
        if regions.ignored.any():
            columns["ignore"] = regions.ignored
        if regions.coco is not None and regions.coco.crowd.any():
            columns["iscrowd"] = regions.coco.crowd
        return pd.DataFrame(columns)

    @property
    def hidden_regions(self) -> Regions:
        """What hides pixels if this is gt: ignore regions, crowds and ignore areas."""
        regions, areas = self.region_columns, self.ignore_areas
        hidden = regions.take(regions.hides_pixels)
        return concatenate_regions([hidden, areas]) if areas else hidden

    @property
    def labels_in_use(self) -> set[str]:
        return self.labels_on(slice(None))

    def labels_on(self, regions: NDArray[np.bool_] | slice) -> set[str]:
        """The labels of some regions."""
        used = np.bincount(self.region_columns.label[regions], minlength=len(self.labels))
        return {label for label, count in zip(self.labels, used) if count}

    @property
    def has_scores(self) -> bool:
        return bool(np.isfinite(self.region_columns.scores).any())


def check_is_layout(value: object, place: str, hint: str = "Read the file first: layoutcm.read(path).") -> None:
    if not isinstance(value, Layout):
        raise InputError("", place, f"{short_repr(value)} is not a layout", hint)


def find_page(name: str, pages: Pages) -> int | None:
    """The page with this name, else with this path, else the page that the first matching rule of `NAME_RULES` finds.

    None if a rule finds several.
    """
    if name in pages.index:
        return pages.index[name]
    *rules, path = zip(NAME_RULES.values(), pages.index_by_rule)  # with its folders, a name is the surest
    for rule, by_name in (path, *rules):
        found = by_name.get(rule(name))
        if found is not None:
            return found if found >= 0 else None  # several pages: a looser rule would only find more
    return None


def outside_unit_interval(scores: Floats) -> NDArray[np.bool_]:
    """bool[scores]: whether a score is outside 0..1; False for a missing score."""
    return (scores < -SCORE_TOLERANCE) | (scores > 1 + SCORE_TOLERANCE)


def concatenate_regions(parts: Sequence[Regions]) -> Regions:
    """The regions of all parts in one `Regions`, in order."""
    before = np.cumsum([0, *(len(part) for part in parts)]).tolist()
    has_facts = any(part.coco is not None for part in parts)
    facts = [part.coco or CocoFacts.unknown(len(part)) for part in parts] if has_facts else []
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
        if facts
        else None,
        None if all(part.ignore is None for part in parts) else np.concatenate([part.ignored for part in parts]),
    )


def concatenate_pages(parts: Sequence[Pages]) -> Pages:
    """The pages of all parts, in order; a part without an attribute has "" for its pages."""
    names = dict.fromkeys(name for part in parts for name in part.attributes)
    return Pages(
        tuple(page for part in parts for page in part.names),
        np.concatenate([part.widths for part in parts]),
        np.concatenate([part.heights for part in parts]),
        tuple(document for part in parts for document in part.documents),
        np.concatenate([part.numbers for part in parts]),
        {
            name: tuple(text for part in parts for text in part.attributes.get(name, ("",) * len(part)))
            for name in names
        },
        None
        if all(part.unsized is None for part in parts)
        else np.concatenate([np.zeros(len(part), bool) if part.unsized is None else part.unsized for part in parts]),
    )


def recode_labels(regions: Regions, recode: Indices) -> Regions:
    """The regions with new label numbers; `recode` is int32[old label] -> new label."""
    return replace(regions, label=recode[regions.label]) if len(regions) else regions
