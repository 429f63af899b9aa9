"""Repairs of a layout that was written under another convention: each is named by a short text.

`flip-y` (y counted from below), `unit:1000` (coordinates as parts of a page of 1000 x 1000), `scale:2.083`, `xywh`
(what was read as corners is x, y, width, height), `xyxy` (the reverse), `pages:1` (pages count one higher; where
names do not count them, regions belong one page later in their document), `images:1` (one page later in the file),
`ids:1` (category ids belong one later). Boxes that had no area as they were read are read anew, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.documents import neighbour_pages
from layoutcm.layouts.model import X0, X1, Y0, Y1, Finding, Floats, Indices, Layout, Pages, Regions, concatenate_regions
from layoutcm.layouts.page_names import renumber
from layoutcm.layouts.shapes import Outline, Shape
from layoutcm.layouts.validation import make_layout
from layoutcm.wording import plural

# Findings that `make_layout` makes again.
REMADE_FINDINGS = ("empty-box", "clipped-box", "score-range", "background-region")
# These take the list of pages from the layout that lends it.
PAGES_FROM_REFERENCE = ("coco-results",)
REPAIRS = ("flip-y", "unit:N", "scale:F", "xywh", "xyxy", "pages:N", "images:N", "ids:N")
_REPAIR = re.compile(r"(flip-y|xywh|xyxy)|(unit|scale):(\d+(?:\.\d*)?(?:e[+-]?\d+)?)|(pages|images|ids):([+-]?\d{1,9})")
BoxTransform = Callable[[Floats, Floats], Floats]


def repair(layout: Layout, repairs: str | Iterable[str]) -> Layout:
    """The layout after one or more repairs, in this order; findings say what was done."""
    for name in repairs.split(",") if isinstance(repairs, str) else repairs:
        layout = _repair_once(layout, name)
    return layout


fix = repair  # the public name, `layoutcm.fix`


def is_repair(text: str) -> bool:
    """Whether all of the text, which may have commas, names repairs."""
    return all(_REPAIR.fullmatch(part) for part in text.split(","))


def _repair_once(layout: Layout, name: str) -> Layout:
    found = _REPAIR.fullmatch(name) if isinstance(name, str) else None
    if not found:
        raise InputError("", "fix", f"{short_repr(name)} is not known", f"Use one of {', '.join(REPAIRS)}.")
    plain, kind, factor, shifted, by = found.groups()
    raw, pages = raw_regions(layout), layout.page_columns
    if shifted == "pages" and (counted_anew := _renumber_pages(layout, int(by))):
        regions, lost, pages = raw, 0, counted_anew
    elif shifted in ("pages", "images"):
        regions, lost = shift_pages(layout, raw, int(by), shifted)
    elif shifted == "ids":
        regions, lost = replace(raw, label=shift_ids(layout, raw.label, int(by))), 0
    else:
        if kind and not 0 < float(factor) <= 1e9:
            raise InputError("", "fix", f"{short_repr(name)}: {factor} is not above 0", "Use a number such as 1000.")
        regions, lost = _transform_regions(layout, raw, box_transform(plain or kind, float(factor or 0))), 0
    note = f"{layout.name}: read with the repair {name}"
    note += f"; {plural(lost, 'region is', 'regions are')} left out because no page is there." if lost else "."
    kept = [one for one in layout.findings if one.code not in REMADE_FINDINGS]
    repaired = make_layout(
        layout.name,
        layout.format,
        layout.labels,
        pages,
        regions,
        findings=[*kept, Finding("fixed", note, severity="info", count=len(regions))],
        keys=layout.keys,
        label_keys=layout.label_keys,
    )
    return replace(repaired, repairs=(*layout.repairs, name))


def raw_regions(layout: Layout) -> Regions:
    """All regions as the file has them, with those that were dropped because they had no area."""
    kept, dropped = layout.region_columns, layout.dropped
    return kept if dropped is None or not len(dropped) else concatenate_regions([kept, dropped])


def box_transform(kind: str, factor: float = 0) -> BoxTransform:
    """float64[regions, x0 y0 x1 y1] and float64[regions, width height] -> the boxes read the other way."""
    match kind:
        case "flip-y":
            return lambda boxes, size: np.stack(
                [boxes[:, X0], size[:, 1] - boxes[:, Y1], boxes[:, X1], size[:, 1] - boxes[:, Y0]], axis=1
            )
        case "unit":
            return lambda boxes, size: boxes * np.tile(size, 2) / factor
        case "scale":
            return lambda boxes, size: boxes * factor
        case "xywh":
            return lambda boxes, size: np.hstack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]])
        case "xyxy":
            return lambda boxes, size: np.hstack([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]])
    raise ValueError(kind)


def _transform_regions(layout: Layout, regions: Regions, change: BoxTransform) -> Regions:
    pages = layout.page_columns
    size = np.stack([pages.widths, pages.heights], axis=1)[regions.page]
    shapes = {i: _transform_shape(shape, size[i : i + 1], change) for i, shape in regions.shapes.items()}
    return replace(
        regions,
        boxes=change(regions.boxes, size),
        shapes={i: shape for i, shape in shapes.items() if shape},
        coco=regions.coco and regions.coco.of_other_boxes(),
    )


def _transform_shape(shape: Shape, size: Floats, change: BoxTransform) -> Shape | None:
    """An outline moves point by point; a mask cannot, and its box is used instead."""
    if not isinstance(shape, Outline):
        return None
    rings = [change(np.hstack([ring, ring]), np.repeat(size, len(ring), axis=0))[:, :2] for ring in shape.rings]
    return Outline(tuple(rings))


def _renumber_pages(layout: Layout, by: int) -> Pages | None:
    """The pages under other numbers, where they are the file's own and their names count them; else regions move."""
    pages = layout.page_columns
    anew = [renumber(name, by) for name in pages.names]
    names = tuple(new or name for new, name in zip(anew, pages.names))  # a cover keeps its name
    if layout.format in PAGES_FROM_REFERENCE or not any(anew) or len(set(names)) < len(names):
        return None
    numbers = np.where(pages.numbers + by >= 0, pages.numbers + by, pages.numbers)
    return replace(pages, names=names, numbers=np.where(pages.numbers >= 0, numbers, -1).astype(np.int32))


def shift_pages(layout: Layout, regions: Regions, by: int, along: str) -> tuple[Regions, int]:
    """Every region on the page `by` further on, in its document or in the file, and how many leave it."""
    page = next_pages(layout.page_columns, by, along)[regions.page].astype(np.int32)
    kept = regions.take(page >= 0)
    return replace(kept, page=page[page >= 0]), int((page < 0).sum())


def next_pages(pages: Pages, by: int, along: str) -> NDArray[np.int64]:
    """int64[pages]: the page `by` further on along the "pages" of a document or the "images" of a file; -1: none."""
    if along == "pages":
        return neighbour_pages(pages, by)
    target = np.arange(len(pages)) + by
    return np.where((target >= 0) & (target < len(pages)), target, -1)


def shift_ids(layout: Layout, label: Indices, by: int) -> Indices:
    """The label whose id is `by` higher; a label without such a neighbour keeps its name."""
    ids: dict[int, int] = {int(key): i for key, i in layout.label_keys.items() if isinstance(key, int) and i >= 0}
    if not ids:
        ids = {i: i for i in range(len(layout.labels))}
    recode = np.arange(len(layout.labels), dtype=np.int32)
    for key, i in ids.items():
        recode[i] = ids.get(key + by, i)
    return recode[label] if len(label) else label
