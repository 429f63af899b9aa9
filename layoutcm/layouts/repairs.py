"""Repairs of a layout that was written with another convention; each repair has a short name.

`flip-y`: y was measured from the bottom of the page. `unit:1000`: coordinates are relative to a page of 1000 x 1000.
`scale:2.083`: multiply all coordinates. `xywh`: the numbers read as corners are x, y, width, height. `xyxy`: the
reverse. `swap-xy`: x and y are exchanged; `swap-shares`: the same as shares of the page, as if both were 0 to 1.
`corner`: x and y that were read as the centre of a box are its upper left corner. `centre`: the reverse.
`pages:1`: add 1 to the page numbers in page names; if that is not possible, move regions to the next page of their
document. `images:1`: move regions to the next page in the file. `ids:1`: add 1 to category ids.
Boxes that were dropped because their corners were inverted are repaired too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, short_repr, unknown_choice
from layoutcm.layouts.model import (
    X0,
    X1,
    Y0,
    Y1,
    Finding,
    Floats,
    Indices,
    Layout,
    Pages,
    Regions,
    check_is_layout,
    concatenate_regions,
)
from layoutcm.layouts.page_documents import neighbour_pages
from layoutcm.layouts.page_names import renumber
from layoutcm.layouts.shapes import Outline, Shape
from layoutcm.layouts.validation import FileIds, make_layout

# Findings that `make_layout` creates again.
REMADE_FINDINGS = ("empty-box", "clipped-box", "score-range", "background-region")
# Formats that take their pages from the reference layout.
PAGES_FROM_REFERENCE = ("coco-results",)
REPAIRS = (
    "flip-y",
    "swap-xy",
    "swap-shares",
    "unit:N",
    "scale:F",
    "xywh",
    "xyxy",
    "corner",
    "centre",
    "pages:N",
    "images:N",
    "ids:N",
)
_REPAIR = re.compile(
    r"(flip-y|swap-xy|swap-shares|xywh|xyxy|corner|centre)|(unit|scale):(\d+(?:\.\d*)?(?:e[+-]?\d+)?)|(pages|images|ids):([+-]?\d{1,9})"
)
BoxTransform = Callable[[Floats, Floats], Floats]


def repair(layout: Layout, repairs: str | Iterable[str]) -> Layout:
    """The layout after one or more repairs, applied in order; a finding reports each of them.

    Parameters
    ----------
    layout : Layout
    repairs : str or iterable of str
        "flip-y", "swap-xy", "swap-shares", "unit:1000", "scale:2.08", "xywh", "xyxy", "corner", "centre", "pages:1",
        "images:-1", "ids:1"; several in one text are separated by commas.

    Returns
    -------
    Layout

    Examples
    --------
    >>> import layoutcm as lcm
    >>> row = {"page": "a.png", "label": "Text", "x0": 0, "y0": 10, "x1": 50, "y1": 30, "width": 100, "height": 80}
    >>> lcm.repair(lcm.read([row]), "flip-y").regions[["y0", "y1"]].values.tolist()
    [[50.0, 70.0]]
    """
    check_is_layout(layout, "layout")
    if not isinstance(repairs, Iterable):
        raise unknown_choice("fix", repairs, REPAIRS)
    for name in repairs.split(",") if isinstance(repairs, str) else repairs:
        layout = _repair_once(layout, name)
    return layout


fix = repair  # `layoutcm.fix`, an alias that users know


def is_repair(text: str) -> bool:
    """Whether the text is a repair, or several separated by commas."""
    return all(_REPAIR.fullmatch(part) for part in text.split(","))


def _repair_once(layout: Layout, name: str) -> Layout:
    found = _REPAIR.fullmatch(name) if isinstance(name, str) else None
    if not found:
        raise unknown_choice("fix", name, REPAIRS)
    pages = (_renumber_pages(layout, int(found[5])) if found[4] == "pages" else None) or layout.page_columns
    renumbered = pages is not layout.page_columns
    regions, lost = (raw_regions(layout), 0) if renumbered else _repaired_regions(layout, raw_regions(layout), found)
    areas = layout.ignore_areas
    if areas and not renumbered and found[4] != "ids":  # they have no label
        areas, _ = _repaired_regions(layout, areas, found)
    note = Finding("fixed", len(regions), {"file": layout.name, "repair": name, "lost": lost})
    kept = [one for one in layout.findings if one.code not in REMADE_FINDINGS]
    repaired = make_layout(
        layout.name,
        layout.format,
        layout.labels,
        pages,
        regions,
        findings=[*kept, note],
        ids=FileIds(layout.keys, layout.label_keys),
    )
    unchanged = {name: getattr(layout, name) for name in ("annotator", "annotators", "outer_only", "sha256")}
    return replace(repaired, repairs=(*layout.repairs, name), ignore_areas=areas, **unchanged)


def _repaired_regions(layout: Layout, regions: Regions, found: re.Match[str]) -> tuple[Regions, int]:
    """The regions after a repair that leaves the pages as they are, and the number of regions without a new page."""
    plain, kind, factor, shift_kind, by = found.groups()
    if shift_kind in ("pages", "images"):
        return shift_pages(layout, regions, int(by), shift_kind)
    if shift_kind == "ids":
        return replace(regions, label=shift_ids(layout, regions.label, int(by))), 0
    if kind and not 0 < float(factor) <= 1e9:
        raise InputError("", "fix", f"{short_repr(found[0])}: {factor} is not above 0", "Use a number such as 1000.")
    return _transform_regions(layout, regions, box_transform(plain or kind, float(factor or 0))), 0


def raw_regions(layout: Layout) -> Regions:
    """All regions of the file, including those that were dropped because their corners were inverted."""
    kept, dropped = layout.region_columns, layout.dropped
    return kept if dropped is None or not len(dropped) else concatenate_regions([kept, dropped])


def box_transform(kind: str, factor: float = 0) -> BoxTransform:
    """A function (float64[regions, x0 y0 x1 y1], float64[regions, width height] of the pages) -> changed boxes."""
    match kind:
        case "flip-y":
            return lambda boxes, size: np.stack(
                [boxes[:, X0], size[:, 1] - boxes[:, Y1], boxes[:, X1], size[:, 1] - boxes[:, Y0]], axis=1
            )
        case "swap-xy":
            return lambda boxes, size: boxes[:, [Y0, X0, Y1, X1]]
        case "swap-shares":
            return lambda boxes, size: (boxes / np.tile(size, 2))[:, [Y0, X0, Y1, X1]] * np.tile(size, 2)
        case "unit":
            return lambda boxes, size: boxes * np.tile(size, 2) / factor
        case "scale":
            return lambda boxes, size: boxes * factor
        case "xywh":
            return lambda boxes, size: np.hstack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]])
        case "xyxy":
            return lambda boxes, size: np.hstack([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]])
        case "corner":
            return lambda boxes, size: boxes + np.tile(boxes[:, 2:] - boxes[:, :2], 2) / 2
        case "centre":
            return lambda boxes, size: boxes - np.tile(boxes[:, 2:] - boxes[:, :2], 2) / 2
    raise ValueError(kind)


def _transform_regions(layout: Layout, regions: Regions, change: BoxTransform) -> Regions:
    pages = layout.page_columns
    size = np.stack([pages.widths, pages.heights], axis=1)[regions.page]
    shapes = {i: _transform_shape(shape, size[i : i + 1], change) for i, shape in regions.shapes.items()}
    return replace(
        regions,
        boxes=change(regions.boxes, size),
        shapes={i: shape for i, shape in shapes.items() if shape},
        coco=regions.coco and regions.coco.without_sizes(),
    )


def _transform_shape(shape: Shape, size: Floats, change: BoxTransform) -> Shape | None:
    """The outline with all points changed; None for a mask, whose box is used instead."""
    if not isinstance(shape, Outline):
        return None
    rings = [change(np.hstack([ring, ring]), np.repeat(size, len(ring), axis=0))[:, :2] for ring in shape.rings]
    return Outline(tuple(rings))


def _renumber_pages(layout: Layout, by: int) -> Pages | None:
    """The pages with `by` added to their numbers, in names too.

    None if the pages come from the reference layout, if no name has a number, or if two new names would be equal.
    """
    pages = layout.page_columns
    renamed = [renumber(name, by) for name in pages.names]
    names = tuple(new or name for new, name in zip(renamed, pages.names))  # a page without a number keeps its name
    if layout.format in PAGES_FROM_REFERENCE or not any(renamed) or len(set(names)) < len(names):
        return None
    numbers = np.where(pages.numbers + by >= 0, pages.numbers + by, pages.numbers)
    return replace(pages, names=names, numbers=np.where(pages.numbers >= 0, numbers, -1).astype(np.int32))


def shift_pages(layout: Layout, regions: Regions, by: int, along: str) -> tuple[Regions, int]:
    """The regions moved `by` pages on in their document or file, and the number of regions without a new page."""
    page = next_pages(layout.page_columns, by, along)[regions.page].astype(np.int32)
    return replace(regions.take(page >= 0), page=page[page >= 0]), int((page < 0).sum())


def next_pages(pages: Pages, by: int, along: str) -> NDArray[np.int64]:
    """int64[pages]: the page `by` positions later among the "pages" of a document or "images" of a file, -1 if none."""
    if along == "pages":
        return neighbour_pages(pages, by)
    target = np.arange(len(pages)) + by
    return np.where((target >= 0) & (target < len(pages)), target, -1)


def shift_ids(layout: Layout, label: Indices, by: int) -> Indices:
    """int32[regions]: the label whose id is `by` higher; a label keeps its number if there is no such id."""
    ids: dict[int, int] = {int(key): i for key, i in layout.label_keys.items() if isinstance(key, int) and i >= 0}
    if not ids:
        ids = {i: i for i in range(len(layout.labels))}
    recode = np.arange(len(layout.labels), dtype=np.int32)
    for key, i in ids.items():
        recode[i] = ids.get(key + by, i)
    return recode[label] if len(label) else label
