"""A layout: labelled regions on pages, as columns.

Coordinates are x0, y0, x1, y1 in pixels (or whatever unit the page's width and height are in), y down, half-open.
Every reader hands its columns to `make_layout`, which alone decides what is an error and what is a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, shown

if TYPE_CHECKING:
    import pandas as pd

GT, PRED = 0, 1
SIDES = ("gt", "pred")
BACKGROUND = "Background"
UNNAMED = "(no name)"
X0, Y0, X1, Y1 = range(4)
ROUNDINGS = ("outer", "nearest", "exact")

# Beyond these a number is a mistake, and products of two of them would no longer be exact in float64.
MAX_COORDINATE = 1e9
MAX_PAGE_SIDE = 1e6

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif")

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]
Place = Callable[[int], str]


@dataclass(frozen=True)
class Finding:
    """Something odd but usable in an input: how often, the first example, and what can be done."""

    code: str
    message: str
    severity: str = "warning"  # or "info"
    count: int = 1
    fix: str = ""

    def as_dict(self) -> dict[str, object]:
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "count": self.count,
            "fix": self.fix,
        }


@dataclass(frozen=True, eq=False)
class Outline:
    """A union of polygons, each float64[points, xy] and filled by the even-odd rule."""

    rings: tuple[Floats, ...]


@dataclass(frozen=True, eq=False)
class RunMask:
    """A mask as lengths of runs of 0 and 1 in turn, column by column, the way COCO stores it."""

    height: int
    width: int
    runs: NDArray[np.int64]


Shape = Outline | RunMask


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
    def stems(self) -> dict[str, int]:
        """{name without folder and suffix: page}, -1 where several pages share it: which one is meant is a guess."""
        found: dict[str, int] = {}
        for i, name in enumerate(self.names):
            found[stem(name)] = -1 if stem(name) in found else i
        return found


@dataclass(frozen=True, eq=False)
class Regions:
    """The regions of a layout as columns; a region with several labels stands once for each of them."""

    page: Indices
    label: Indices
    boxes: Floats  # [regions, x0 y0 x1 y1]
    scores: Floats  # nan = no score
    shapes: dict[int, Shape] = field(default_factory=dict)  # region -> outline or mask, where it is no box

    def __len__(self) -> int:
        return len(self.page)

    def take(self, keep: NDArray[np.bool_]) -> Regions:
        """The regions marked in bool[regions]."""
        if keep.all():
            return self
        position = np.cumsum(keep) - 1
        shapes = {int(position[i]): shape for i, shape in self.shapes.items() if keep[i]}
        return Regions(self.page[keep], self.label[keep], self.boxes[keep], self.scores[keep], shapes)


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


@dataclass(frozen=True, eq=False)
class LabelSpace:
    """The rows and columns of a matrix, and where each side's labels stand in it (0 = the side's Background)."""

    labels: tuple[str, ...]
    gt_place: NDArray[np.int64]
    pred_place: NDArray[np.int64]
    shared: bool = True  # one list for both sides, so that the diagonal has a meaning


def stem(page: str) -> str:
    """The page's name without folders and image suffix: what two tools usually agree on."""
    name = PurePosixPath(page.replace("\\", "/")).name
    suffix = PurePosixPath(name).suffix
    return name[: -len(suffix)] if suffix.lower() in IMAGE_SUFFIXES or suffix.lower() == ".pdf" else name


def make_layout(
    name: str,
    format: str,
    labels: Sequence[str],
    pages: Pages,
    regions: Regions,
    *,
    findings: Sequence[Finding] = (),
    page_place: Place = "pages[{}]".format,
    region_place: Place = "regions[{}]".format,
    keys: dict[int | float | str, int] | None = None,
    label_keys: dict[int | float | str, int] | None = None,
) -> Layout:
    """Check the columns of a reader and turn them into a `Layout`.

    `page_place` and `region_place` turn a row into the place in the file that a message can name.
    """
    check_pages(name, pages, page_place)
    check_regions(name, regions, region_place)
    names, recode = _merge_labels(labels)
    regions = replace(regions, label=recode[regions.label] if len(regions) else regions.label)
    layout = Layout(name, format, names, pages, regions, tuple(findings), keys or {}, label_keys or {})
    layout = replace(layout, label_keys={key: int(recode[i]) for key, i in layout.label_keys.items()})
    return drop_background(_drop_empty(_note_clipped(layout, region_place), region_place))


def check_pages(file: str, pages: Pages, place: Place) -> None:
    for sizes, side in ((pages.widths, "width"), (pages.heights, "height")):
        bad = ~((sizes > 0) & (sizes <= MAX_PAGE_SIDE))
        if bad.any():
            i = int(np.argmax(bad))
            raise InputError(
                file,
                place(i),
                f"the page {side} is {sizes[i]:g}, must be a number above 0 and at most {MAX_PAGE_SIDE:,.0f}",
                "Repair the size of this page.",
            )
    if len(pages.index) < len(pages):
        first: dict[str, int] = {}
        for i, page in enumerate(pages.names):
            if page in first:
                raise InputError(
                    file,
                    f"{place(first[page])} and {place(i)}",
                    f"the page {shown(page)} occurs twice",
                    "Page names must be unique: remove or rename one of the two.",
                )
            first[page] = i


def check_regions(file: str, regions: Regions, place: Place) -> None:
    # NaN fails every comparison, so one test finds it together with infinities and absurd values.
    bad = ~(np.abs(regions.boxes) <= MAX_COORDINATE)
    if bad.any():
        i = int(np.argmax(bad.any(axis=1)))
        axis = int(np.argmax(bad[i]))
        raise InputError(
            file,
            place(i),
            f"{('x0', 'y0', 'x1', 'y1')[axis]} is {regions.boxes[i, axis]:g}, "
            f"must be a finite number of at most {MAX_COORDINATE:,.0f}",
            "Remove the region or repair it.",
        )
    bad_score = np.isinf(regions.scores)
    if bad_score.any():
        i = int(np.argmax(bad_score))
        raise InputError(
            file, place(i), f"the score is {regions.scores[i]:g}, must be a finite number", "Repair or remove it."
        )


def _merge_labels(labels: Sequence[str]) -> tuple[list[str], Indices]:
    """Distinct names in order of first use, and int32[old label] -> new label."""
    position: dict[str, int] = {}
    recode = [position.setdefault(label if label.strip() else UNNAMED, len(position)) for label in labels]
    return list(position), np.array(recode, np.int32)


def _drop_empty(layout: Layout, place: Place) -> Layout:
    boxes = layout.region_columns.boxes
    empty = ~((boxes[:, X1] > boxes[:, X0]) & (boxes[:, Y1] > boxes[:, Y0]))
    if not empty.any():
        return layout
    i = int(np.argmax(empty))
    corners = ", ".join(f"{v:g}" for v in boxes[i])
    finding = Finding(
        "empty-box",
        f"{layout.name}: {_counted(int(empty.sum()), 'box has', 'boxes have')} no area or inverted corners and "
        f"{'is' if empty.sum() == 1 else 'are'} dropped; first at {place(i)}: x0, y0, x1, y1 = {corners}.",
        count=int(empty.sum()),
        fix="Check whether width and height were written as corners, or the other way round.",
    )
    return _with(layout, layout.region_columns.take(~empty), finding)


def _note_clipped(layout: Layout, place: Place) -> Layout:
    regions, pages = layout.region_columns, layout.page_columns
    if not len(regions):
        return layout
    # Column by column: one wide temporary of a million regions costs more than the whole check.
    excess = np.maximum(-regions.boxes[:, X0], -regions.boxes[:, Y0])
    np.maximum(excess, regions.boxes[:, X1] - pages.widths[regions.page], out=excess)
    np.maximum(excess, regions.boxes[:, Y1] - pages.heights[regions.page], out=excess)
    outside = excess > 0
    if not outside.any():
        return layout
    i = int(np.argmax(outside))
    finding = Finding(
        "clipped-box",
        f"{layout.name}: {_counted(int(outside.sum()), 'box reaches', 'boxes reach')} beyond the page, by up to "
        f"{excess.max():.3g}, and {'is' if outside.sum() == 1 else 'are'} clipped; first at {place(i)} "
        f"on page {shown(pages.names[regions.page[i]])}.",
        severity="info" if excess.max() <= 1 else "warning",
        count=int(outside.sum()),
        fix="Large excesses usually mean another resolution or xywh read as xyxy.",
    )
    return _with(layout, regions, finding)


def drop_background(layout: Layout) -> Layout:
    """Background is what nothing covers, so a region cannot be it; the label goes with its regions."""
    codes = [i for i, label in enumerate(layout.labels) if label.casefold() == BACKGROUND.casefold()]
    if not codes:
        return layout
    regions = layout.region_columns
    named = np.isin(regions.label, codes)
    labels = [label for i, label in enumerate(layout.labels) if i not in codes]
    recode = np.array([labels.index(x) if x in labels else -1 for x in layout.labels], np.int32)
    kept = regions.take(~named)
    kept = replace(kept, label=recode[kept.label])
    finding = Finding(
        "background-region",
        f"{layout.name}: {_counted(int(named.sum()), 'region is', 'regions are')} labelled {BACKGROUND} and "
        f"{'is' if named.sum() == 1 else 'are'} dropped; {BACKGROUND} is what no region covers.",
        severity="info",
        count=int(named.sum()),
    )
    keys = {key: int(recode[i]) if i >= 0 else -1 for key, i in layout.label_keys.items()}
    layout = replace(layout, labels=labels, label_keys=keys)
    return _with(layout, kept, finding) if named.any() else replace(layout, region_columns=kept)


def _with(layout: Layout, regions: Regions, finding: Finding) -> Layout:
    return replace(layout, region_columns=regions, findings=(*layout.findings, finding))


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
