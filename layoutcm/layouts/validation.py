"""Check the columns of a reader: raise errors, drop unusable regions, add findings.

All readers create their layout with `make_layout`: the same rules hold for every format.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from layoutcm import hints
from layoutcm.errors import InputError, short_repr
from layoutcm.layouts import limits
from layoutcm.layouts.model import (
    BACKGROUND,
    IGNORE,
    MAX_COORDINATE,
    MAX_PAGE_SIDE,
    X0,
    X1,
    Y0,
    Y1,
    Finding,
    Indices,
    Layout,
    Pages,
    PlaceNamer,
    Positions,
    Regions,
    Texts,
    concatenate_regions,
    outside_unit_interval,
    recode_labels,
)
from layoutcm.wording import plain_number

UNNAMED = "(no name)"


class PlaceNamers(NamedTuple):
    """What turns the row number of a page or of a region into a place in the file, for messages."""

    page: PlaceNamer
    region: PlaceNamer


class FileIds(NamedTuple):
    """The file's own ids: {page id: page} and {label id: label}."""

    pages: dict[int | float | str, int]
    labels: dict[int | float | str, int]


ROW_NUMBERS = PlaceNamers("pages[{}]".format, "regions[{}]".format)


def make_layout(
    name: str,
    format: str,
    labels: Sequence[str],
    pages: Pages,
    regions: Regions,
    *,
    findings: Sequence[Finding] = (),
    ids: FileIds | None = None,
    places: PlaceNamers = ROW_NUMBERS,
    like: Layout | None = None,
) -> Layout:
    """Check the columns of a reader and turn them into a `Layout`; the pages of a layout `like` it are checked."""
    check_lengths(name, "label", labels, "label {}".format)
    if like is None or pages is not like.page_columns:
        pages = _checked_pages(name, pages, places.page)
    check_regions(name, regions, places.region)
    names, recode = _merge_labels(labels)
    regions = recode_labels(regions, recode)
    ids = ids or FileIds({}, {})
    label_keys = {key: int(recode[i]) if i >= 0 else -1 for key, i in ids.labels.items()}
    layout = Layout(name, format, names, pages, regions, (*findings, *_unsized(name, pages)), ids.pages, label_keys)
    layout = _note_scores(_note_clipped(layout, places.region), places.region)
    return drop_background(_drop_inverted(layout, places.region))


def _unsized(file: str, pages: Pages) -> list[Finding]:
    without = pages.without_size
    values = {"file": file, "pages": len(pages), "first": pages.names[without[0]]} if without.size else {}
    return [Finding("page-without-size", int(without.size), values)] if without.size else []


def check_sizes_are_known(layout: Layout, pages: Positions) -> None:
    """Raise an InputError if the size of one of these pages is not known."""
    without = np.intersect1d(layout.page_columns.without_size, pages)
    if without.size:
        problem = f"the size of page {short_repr(layout.page_columns.names[without[0]])} is not known"
        raise InputError(layout.name, "", f"{problem}: the reference layout does not have this page", hints.OTHER_PAGE)


def _checked_pages(file: str, pages: Pages, place: PlaceNamer) -> Pages:
    check_lengths(file, "name of the page", pages.names, place)
    check_lengths(file, "name of the document", pages.documents, place)
    _check_attributes(file, pages, place)
    pages = _with_usable_names(pages)
    check_pages(file, pages, place)
    return pages


def checked_attributes(file: str, pages: Pages) -> Pages:
    """Check attributes given beside the file as those in a file are checked; return the pages."""
    _check_attributes(file, pages, lambda i: f"page {short_repr(pages.names[i])}")
    return _with_usable_names(pages)


def _with_usable_names(pages: Pages) -> Pages:
    """The pages with names that every table and file can contain; a blank document or attribute counts as missing."""
    names = pages.names
    if not (all(map(str.strip, names)) and "".join(names).isascii()):  # a fast check of many names
        names = tuple(map(usable_name, names))
    documents = _usable_texts(pages.documents)
    attributes = {usable_name(name): _usable_texts(texts) for name, texts in pages.attributes.items()}
    if (names, documents, attributes) == (pages.names, pages.documents, pages.attributes):
        return pages
    return replace(pages, names=names, documents=documents, attributes=attributes)


def _usable_texts(texts: Texts) -> Texts:
    # Many pages have the same document or attribute.
    usable = {text: usable_name(text) if text.strip() else "" for text in set(texts)}
    changes = any(text != name for text, name in usable.items())
    return tuple(map(usable.__getitem__, texts)) if changes else texts


def usable_name(name: str) -> str:
    """The name, or one for a blank; bytes of a file name that are not text (lone surrogates) become \\udce9."""
    if name.isascii():
        return name if name.strip() else UNNAMED
    return name.encode("utf-8", "backslashreplace").decode("utf-8") if name.strip() else UNNAMED


def check_lengths(file: str, what: str, names: Sequence[str], place: PlaceNamer) -> None:
    """Refuse names that cannot be shown; each appears in many tables and figures."""
    if max(map(len, names), default=0) > limits.MAX_NAME:
        i = next(i for i, name in enumerate(names) if len(name) > limits.MAX_NAME)
        problem = f"the {what} {short_repr(names[i])} has {len(names[i]):,} characters, at most {limits.MAX_NAME:,}"
        raise InputError(file, place(i), problem, "Shorten it.")


def _check_attributes(file: str, pages: Pages, place: PlaceNamer) -> None:
    if len(pages.attributes) > limits.MAX_ATTRIBUTES:
        problem = f"pages have {len(pages.attributes):,} attributes, but at most {limits.MAX_ATTRIBUTES} can be read"
        raise InputError(file, "", problem, "Leave some of them out.")
    check_lengths(file, "name of the attribute", tuple(pages.attributes), "attribute {}".format)
    for name, texts in pages.attributes.items():
        check_lengths(file, f"attribute {short_repr(name)}", texts, place)


def check_pages(file: str, pages: Pages, place: PlaceNamer) -> None:
    for sizes, side in ((pages.widths, "width"), (pages.heights, "height")):
        bad = ~((sizes > 0) & (sizes <= MAX_PAGE_SIDE))
        if bad.any():
            i = int(np.argmax(bad))
            problem = f"the page {side} is {sizes[i]:,.15g}, must be a number above 0 and at most {MAX_PAGE_SIDE:,.0f}"
            raise InputError(file, place(i), problem, "Repair the size of this page.")
    if len(pages.index) < len(pages):
        first: dict[str, int] = {}
        for i, page in enumerate(pages.names):
            if page in first:
                problem = f"the page {short_repr(page)} occurs twice"
                hint = "Page names must be unique: remove or rename one of the two."
                raise InputError(file, f"{place(first[page])} and {place(i)}", problem, hint)
            first[page] = i


def check_regions(file: str, regions: Regions, place: PlaceNamer) -> None:
    # NaN fails every comparison, so this also finds NaN, not only infinite and too large values.
    lowest, highest = regions.boxes.min(initial=0), regions.boxes.max(initial=0)
    if not (lowest >= -MAX_COORDINATE and highest <= MAX_COORDINATE):
        bad = ~(np.abs(regions.boxes) <= MAX_COORDINATE)
        i = int(np.argmax(bad.any(axis=1)))
        axis = int(np.argmax(bad[i]))
        found = f"{('x0', 'y0', 'x1', 'y1')[axis]} is {regions.boxes[i, axis]:,.15g}"
        problem = f"{found}, must be a finite number of at most {MAX_COORDINATE:,.0f}"
        raise InputError(file, place(i), problem, "Remove the region or repair it.")
    bad_score = np.isinf(regions.scores)
    if bad_score.any():
        i = int(np.argmax(bad_score))
        problem = f"the score is {plain_number(regions.scores[i])}, must be a finite number"
        raise InputError(file, place(i), problem, "Repair or remove it.")


def _merge_labels(labels: Sequence[str]) -> tuple[list[str], Indices]:
    """The distinct names in order of first use, and int32[old label] -> new label."""
    position: dict[str, int] = {}
    recode = [position.setdefault(usable_name(label), len(position)) for label in labels]
    return list(position), np.array(recode, np.int32)


def _drop_inverted(layout: Layout, place: PlaceNamer) -> Layout:
    """The layout without inverted boxes; boxes without area stay, because they are objects."""
    regions = layout.region_columns
    boxes, empty = regions.boxes, regions.without_area
    if not empty.any():
        return layout
    inverted = (boxes[:, X1] < boxes[:, X0]) | (boxes[:, Y1] < boxes[:, Y0])
    i = int(np.argmax(empty))
    values = {"file": layout.name, "inverted": int(inverted.sum()), "place": place(i), "box": boxes[i].tolist()}
    finding = Finding("empty-box", int(empty.sum()), values)
    if inverted.any():
        layout = replace(layout, dropped=regions.take(inverted))
    return _with_finding(layout, regions.take(~inverted), finding)


def _note_clipped(layout: Layout, place: PlaceNamer) -> Layout:
    regions, pages = layout.region_columns, layout.page_columns
    if not len(regions) or _fits_every_page(regions, pages):
        return layout
    # Column by column: a temporary array of all four columns would be slower than the rest of the check.
    widths, heights = pages.widths, pages.heights
    if pages.unsized is not None:
        widths, heights = (np.where(pages.unsized, np.inf, sides) for sides in (widths, heights))
    excess = np.maximum(-regions.boxes[:, X0], -regions.boxes[:, Y0])
    np.maximum(excess, regions.boxes[:, X1] - widths[regions.page], out=excess)
    np.maximum(excess, regions.boxes[:, Y1] - heights[regions.page], out=excess)
    outside = excess > 0
    if not outside.any():
        return layout
    i = int(np.argmax(outside))
    page, most = pages.names[regions.page[i]], float(excess.max())
    values = {"file": layout.name, "excess": most, "place": place(i), "page": page}
    finding = Finding("clipped-box", int(outside.sum()), values, severity="info" if most <= 1 else "warning")
    return _with_finding(layout, regions, finding)


def _fits_every_page(regions: Regions, pages: Pages) -> bool:
    """Whether no box leaves even the smallest page; this is faster to check than each box against its own page."""
    boxes = regions.boxes
    if min(boxes[:, X0].min(), boxes[:, Y0].min()) < 0:
        return False
    return bool(boxes[:, X1].max() <= pages.widths.min() and boxes[:, Y1].max() <= pages.heights.min())


def _note_scores(layout: Layout, place: PlaceNamer) -> Layout:
    outside = outside_unit_interval(layout.region_columns.scores)
    if not outside.any():
        return layout
    i = int(np.argmax(outside))
    values = {"file": layout.name, "place": place(i), "score": float(layout.region_columns.scores[i])}
    return _with_finding(layout, layout.region_columns, Finding("score-range", int(outside.sum()), values))


def is_background(label: str) -> bool:
    return label.casefold() == BACKGROUND.casefold()


def is_ignore(label: str) -> bool:
    return label.strip().casefold() == IGNORE.casefold()


def drop_background(layout: Layout) -> Layout:
    """The layout without the label Background and its regions: Background is the area that no region covers."""
    kept, named = _without_labels(layout, [label for label in layout.labels if is_background(label)])
    if not len(named):
        return kept
    finding = Finding("background-region", len(named), {"file": layout.name, "label": BACKGROUND})
    return _with_finding(kept, kept.region_columns, finding)


def set_labels_aside(layout: Layout, aside: Sequence[str]) -> Layout:
    """The layout without these labels, whose regions become `ignore_areas`."""
    kept, areas = _without_labels(layout, aside)
    if kept is layout:
        return layout
    joined = concatenate_regions([areas, *([layout.ignore_areas] if layout.ignore_areas else [])])
    return replace(kept, ignore_areas=joined)


def _without_labels(layout: Layout, left_out: Sequence[str]) -> tuple[Layout, Regions]:
    """The layout without these labels and their regions, and these regions; the layout itself if it has none."""
    labels = [label for label in layout.labels if label not in left_out]
    regions, dropped = layout.region_columns, layout.dropped
    if len(labels) == len(layout.labels):
        return layout, regions.take(np.zeros(len(regions), bool))
    position = {label: i for i, label in enumerate(labels)}
    recode = np.array([position.get(label, -1) for label in layout.labels], np.int32)
    is_left_out = recode[regions.label] < 0
    kept = replace(
        layout,
        labels=labels,
        region_columns=recode_labels(regions.take(~is_left_out), recode),
        dropped=dropped and recode_labels(dropped.take(recode[dropped.label] >= 0), recode),
        label_keys={key: int(recode[i]) if i >= 0 else -1 for key, i in layout.label_keys.items()},
    )
    return kept, recode_labels(regions.take(is_left_out), recode)


def _with_finding(layout: Layout, regions: Regions, finding: Finding) -> Layout:
    return replace(layout, region_columns=regions, findings=(*layout.findings, finding))
