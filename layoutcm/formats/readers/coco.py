"""COCO: ground truth files (annotations may have scores) and results lists.

Boxes are x, y, width, height in pixels. Ids are opaque keys: any integer or text, with gaps, in any order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from layoutcm import hints
from layoutcm.errors import InputError, short_repr
from layoutcm.formats.annotators import Annotators, choose_annotator
from layoutcm.formats.coco_annotations import Annotation, Annotations, NamedAnnotation, columns_of, scan_annotations
from layoutcm.formats.coco_ids import (
    FoundPages,
    Ids,
    Key,
    Labels,
    find_ids,
    find_labels,
    find_pages,
    read_class_numbers,
)
from layoutcm.formats.content import DECODE_ERRORS, FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.page_sizes import given_size, size_or_median
from layoutcm.formats.parsing import parse_segmentation
from layoutcm.layouts.model import (
    CocoFacts,
    Finding,
    Floats,
    Indices,
    Layout,
    Pages,
    PlaceNamer,
    Regions,
    concatenate_pages,
)
from layoutcm.layouts.shapes import RunMask, Shape, is_box, shape_box
from layoutcm.layouts.validation import FileIds, PlaceNamers, make_layout

_NO_ITEMS = re.compile(rb"[ \t\r\n]*+\[[ \t\r\n]*+\][ \t\r\n]*+")
is_ground_truth = Needs("object", ("images", "annotations"), typical=("categories",))
RESULTS = Needs("array", ("image_id", "category_id"), typical=("bbox", "score"))


class Image(msgspec.Struct, gc=False):
    id: Key
    file_name: str | None = None
    width: float | None = None
    height: float | None = None
    doc_name: str | None = None
    page_no: float | None = None  # a whole number, but some tools write 3.0
    # What DocLayNet adds.
    doc_category: str | None = None
    collection: str | None = None
    precedence: int | None = None


class Category(msgspec.Struct, gc=False):
    id: Key
    name: str


class GroundTruth(msgspec.Struct):
    images: list[Image]
    annotations: list[Annotation] = []
    categories: list[Category] = []


class Declared(NamedTuple):
    """The pages and labels that annotations refer to, and the ids of both."""

    pages: Pages
    labels: list[str]
    ids: FileIds


def is_results(content: FileContent) -> bool:
    # A model that found nothing writes an empty list. In a list that was scanned, something was found.
    is_empty = not any(content.scanned.values()) and _NO_ITEMS.fullmatch(content.data_without_bom) is not None
    return RESULTS(content) or is_empty


def read_ground_truth(content: FileContent, options: Options) -> Layout:
    file, rows = _decode(content, options)
    page_ids = _positions_by_id([image.id for image in file.images], content.name, "images")
    images, rows, annotators = _of_one_annotator(file.images, rows, options)
    pages = _pages(content.name, images, options)
    if len(images) < len(file.images):
        page_ids = {image.id: i for i, image in enumerate(images)}
    label_ids = _positions_by_id([category.id for category in file.categories], content.name, "categories")
    declared = Declared(pages, [category.name for category in file.categories], FileIds(page_ids, label_ids))
    layout = _build_layout("coco", rows, declared, options)
    return replace(layout, findings=(*layout.findings, *annotators.findings), **annotators.names)


def _decode(content: FileContent, options: Options) -> tuple[GroundTruth, Annotations]:
    """The file, and its annotations, which are empty in the file if they have been scanned."""
    scanned = scan_annotations(content, "annotations", options)
    if scanned is not None:
        annotations, rest = scanned
        with suppress(*DECODE_ERRORS):
            return msgspec.json.decode(rest, type=GroundTruth), annotations
    file = content.decode(GroundTruth)
    return file, columns_of(content.name, "annotations", file.annotations, options)


def _of_one_annotator(
    images: list[Image], rows: Annotations, options: Options
) -> tuple[list[Image], Annotations, Annotators]:
    """The images and annotations of one annotator: DocLayNet numbers annotations of the same page by `precedence`.

    The number of an annotation is its own, else that of its image. An image that only another annotator has is kept,
    unless the chosen one has an image of the same name.
    """
    used = {image.precedence for image in images}.union(rows.precedence.keys) - {None}
    if not used:
        return images, rows, choose_annotator(rows.file, (), options)  # asking for one is an error
    if used == {0}:  # the usual case, made fast for many pages
        return images, rows, choose_annotator(rows.file, ["0"], options)
    of_image = {image.id: image.precedence for image in images if image.precedence is not None}
    numbers = _precedence_of_each(rows, of_image)
    names = [str(number) for number in sorted({*numbers.keys, *of_image.values()})]
    annotators = choose_annotator(rows.file, names, options)
    kept = numbers.expand_flags(str(number) == annotators.chosen for number in numbers.keys)
    own = {image.file_name for image in images if str(image.precedence or 0) == annotators.chosen}
    dropped = set()
    for image in (image for image in images if image.file_name and str(image.precedence or 0) != annotators.chosen):
        if image.file_name in own:
            dropped.add(image.id)
        own.add(image.file_name)  # one page for the images of all others
    if dropped:
        kept &= rows.image.expand_flags(key not in dropped for key in rows.image.keys)
        images = [image for image in images if image.id not in dropped]
    return images, rows if kept.all() else rows.take(np.flatnonzero(kept)), annotators


def _precedence_of_each(rows: Annotations, of_image: Mapping[Key, int]) -> Ids[int]:
    """The number of each annotation: its own, else that of its image, else 0."""
    own, image = rows.precedence, rows.image
    keys = [*(key or 0 for key in own.keys), *(of_image.get(key, 0) for key in image.keys)]
    has_own = own.expand_flags(key is not None for key in own.keys)
    return find_ids(keys).take(np.where(has_own, own.codes, len(own.keys) + image.codes))


def read_results(content: FileContent, options: Options) -> Layout:
    rows = _decode_results(content, options)
    declared = _pages_in_use(rows, options) if options.like is None else _declared_in(options.like)
    return _build_layout("coco-results", rows, declared, options)


def _decode_results(content: FileContent, options: Options) -> Annotations:
    has_names = "file_name" in content.json_keys
    scanned = None if has_names else scan_annotations(content, "", options)
    if scanned is not None and _NO_ITEMS.fullmatch(scanned[1]):  # nothing follows the list
        return scanned[0]
    annotations: Sequence[Annotation]
    annotations = content.decode(list[NamedAnnotation]) if has_names else content.decode(list[Annotation])
    return columns_of(content.name, "", annotations, options)


def _declared_in(reference: Layout) -> Declared:
    """What the reference layout declares. Without ids, names are ids; numeric ids are not guessed from the order."""
    pages, labels = reference.page_columns, reference.labels
    page_ids: dict[Key, int] = dict(reference.keys) or {name: i for i, name in enumerate(pages.names)}
    label_ids: dict[Key, int] = dict(reference.label_keys) or {label: i for i, label in enumerate(labels)}
    return Declared(pages, labels, FileIds(page_ids, label_ids))


def _pages_in_use(rows: Annotations, options: Options) -> Declared:
    """The pages that annotations use, with a size from the options, and no labels."""
    names = dict(zip((rows.image.keys[code] for code in rows.image.codes.tolist()), rows.file_names))
    images = [Image(id=key, file_name=names.get(key)) for key in rows.image.keys]
    if images and options.sizes is None:
        problem = "this is a COCO results list, which holds no page size and no label names"
        raise InputError(rows.file, "", problem, hints.RESULTS_WITHOUT_PAGES)
    pages = _pages(rows.file, images, options)
    return Declared(pages, [], FileIds({image.id: i for i, image in enumerate(images)}, {}))


def _pages(file: str, images: Sequence[Image], options: Options) -> Pages:
    names = tuple([image.file_name or str(image.id) for image in images])
    widths = np.array([image.width for image in images], float)  # None becomes nan
    heights = np.array([image.height for image in images], float)
    unsized = np.zeros(len(names), bool)
    for i in np.flatnonzero(np.isnan(widths) | np.isnan(heights)).tolist():
        (widths[i], heights[i]), is_known = size_or_median(file, f"images[{i}]", names[i], options)
        unsized[i] = not is_known
    return Pages(
        names,
        widths,
        heights,
        tuple([image.doc_name or "" for image in images]),
        _page_numbers(file, images),
        _attributes(images),
        unsized if unsized.any() else None,
    )


def _attributes(images: Sequence[Image]) -> dict[str, tuple[str, ...]]:
    """The attributes that some image has; "" for the others."""
    columns: dict[str, list[object]] = {
        "doc_category": [image.doc_category for image in images],
        "collection": [image.collection for image in images],
        "precedence": [image.precedence for image in images],
    }
    texts = {name: {value: "" if value is None else str(value) for value in set(columns[name])} for name in columns}
    return {name: tuple(map(texts[name].__getitem__, columns[name])) for name in columns if any(texts[name].values())}


def _page_numbers(file: str, images: Sequence[Image]) -> Indices:
    """int32[images]: the number of each page, -1 if it has none."""
    numbers = np.array([-1 if image.page_no is None else image.page_no for image in images], float)
    is_usable = (numbers == -1) | ((numbers % 1 == 0) & (numbers >= 0) & (numbers < 2**31))
    if not is_usable.all():
        i = int(np.argmin(is_usable))
        problem = f"{numbers[i]:g} is not a page number, must be whole and from 0 to {2**31 - 1:,}"
        raise InputError(file, f"images[{i}].page_no", problem, "Repair or remove it.")
    return numbers.astype(np.int32)


def _positions_by_id(ids: Sequence[Key], file: str, section: str) -> dict[Key, int]:
    """{id: position}; a repeated id is an error because references to it would be ambiguous."""
    position: dict[Key, int] = dict(zip(ids, range(len(ids))))
    if len(position) == len(ids):  # the usual case, made fast for many pages
        return position
    position = {}
    for i, key in enumerate(ids):
        if position.setdefault(key, i) != i:
            problem = f"the id {short_repr(key)} occurs twice"
            hint = "Ids must be unique: remove or renumber one of the two."
            raise InputError(file, f"{section}[{position[key]}] and {section}[{i}]", problem, hint)
    return position


def _build_layout(format: str, rows: Annotations, declared: Declared, options: Options) -> Layout:
    found = find_pages(rows.file, rows.image, declared.ids.pages, declared.pages, rows.file_names, bool(rows.section))
    if not rows.section:
        declared, found = _with_unknown_pages(rows, declared, found, options)
    labels, label_findings = _find_labels(rows, declared, options.like, found.by_name)
    page, label, findings = found.of_annotations, labels.of_annotations, [*found.findings, *label_findings]
    kept = np.flatnonzero(page >= 0)
    if kept.size < len(page):
        findings.append(_unlisted_image_finding(rows, page))
        rows, page, label = rows.take(kept), page[kept], label[kept]
    boxes, sizes, shapes = _boxes(rows, options)
    facts, is_ignored = _coco_facts(rows, sizes), _ignore_flags(rows, findings)
    regions = Regions(page, label, boxes, rows.scores, shapes, facts, is_ignored)
    _check_masks(rows.file, regions, declared.pages, lambda i: f"{rows.place(i)}.segmentation")
    return make_layout(
        rows.file,
        format,
        labels.names,
        declared.pages,
        regions,
        findings=findings,
        ids=FileIds(declared.ids.pages, labels.ids),
        places=PlaceNamers("images[{}]".format, lambda i: f"{rows.place(i)}.bbox"),
        like=options.like,
    )


def _with_unknown_pages(
    rows: Annotations, declared: Declared, found: FoundPages, options: Options
) -> tuple[Declared, FoundPages]:
    """The pages of the reference layout, and those that only the results name; these alone if they name no other."""
    unknown = np.unique(rows.image.codes[found.of_annotations < 0]).tolist()
    if not unknown:
        return declared, found
    given = dict(zip((rows.image.keys[code] for code in rows.image.codes.tolist()), rows.file_names))
    names = [given.get(key) or f"image_id {key}" for key in map(rows.image.keys.__getitem__, unknown)]
    sizes = [given_size(name, options) or declared.pages.median_size() for name in names]
    widths, heights = np.array(sizes).T
    unsized = np.array([given_size(name, options) is None for name in names])
    none = ("",) * len(names)
    attributes = dict.fromkeys(declared.pages.attributes, none)
    added = Pages(tuple(names), widths, heights, none, np.full(len(names), -1, np.int32), attributes, unsized)
    first = len(declared.pages) if (found.of_annotations >= 0).any() else 0
    place = {code: first + i for i, code in enumerate(unknown)}
    page = np.array([place.get(code, -1) for code in range(len(rows.image.keys))], np.int32)[rows.image.codes]
    page = np.where(found.of_annotations < 0, page, found.of_annotations).astype(np.int32)
    pages = concatenate_pages([declared.pages, added]) if first else added
    keys = declared.ids.pages if first else {}
    ids = FileIds({**keys, **{rows.image.keys[code]: i for code, i in place.items()}}, declared.ids.labels)
    return Declared(pages, declared.labels, ids), found._replace(of_annotations=page)


def _find_labels(
    rows: Annotations, declared: Declared, like: Layout | None, by_name: bool
) -> tuple[Labels, list[Finding]]:
    label_ids, findings = declared.ids.labels, list[Finding]()
    if not rows.section and like and like.label_keys and (by_name or rows.knows_no_ids or not like.keys):
        label_ids, findings = read_class_numbers(rows.file, rows.category.keys, like, rows.knows_no_ids)
    labels, new_findings = find_labels(rows.file, rows.category, declared.labels, label_ids)
    return labels, findings + new_findings


def _check_masks(file: str, regions: Regions, pages: Pages, place: PlaceNamer) -> None:
    """Check that masks have the size of their page; otherwise their regions would be in the wrong place."""
    without_size = set(pages.without_size.tolist())
    for i, shape in regions.shapes.items():
        if int(regions.page[i]) in without_size:
            continue
        size = (float(pages.widths[regions.page[i]]), float(pages.heights[regions.page[i]]))
        if isinstance(shape, RunMask) and (shape.width, shape.height) != size:
            problem = f"the mask is {shape.width} x {shape.height}, its page {size[0]:g} x {size[1]:g}"
            raise InputError(file, place(i), problem, "Write masks at the size of the page.")


def _unlisted_image_finding(rows: Annotations, page: Indices) -> Finding:
    dropped = np.flatnonzero(page < 0)
    codes = rows.image.codes[dropped]
    example = {"place": rows.place(int(dropped[0])), "image_id": rows.image.keys[codes[0]]}
    return Finding("unlisted-image", dropped.size, {"file": rows.file, "images": np.unique(codes).size, **example})


def _boxes(rows: Annotations, options: Options) -> tuple[Floats, Floats, dict[int, Shape]]:
    """float64[regions, x0 y0 x1 y1], float64[regions, width height] of bbox, and {region: outline} if not a box."""
    shapes: dict[int, Shape] = {}
    boxes, sizes = rows.boxes.copy(), rows.boxes[:, 2:].copy()
    with np.errstate(over="ignore"):  # an overflow gives infinity, which `make_layout` reports
        boxes[:, 2:] += boxes[:, :2]
    has_no_box = np.isnan(boxes[:, 0])
    for i in range(len(rows)) if options.outlines else np.flatnonzero(has_no_box).tolist():
        raw, place = rows.segmentations[i], rows.place(i)
        shape = parse_segmentation(raw, rows.file, f"{place}.segmentation") if raw else None
        if has_no_box[i] and shape is None:
            raise InputError(rows.file, place, "there is neither a bbox nor a segmentation", "Add one of them.")
        if shape is not None:  # it takes precedence over the bbox
            boxes[i] = shape_box(shape)
            if options.outlines and not is_box(shape):
                shapes[i] = shape
    return boxes, sizes, shapes


def _ignore_flags(rows: Annotations, findings: list[Finding]) -> NDArray[np.bool_] | None:
    """bool[annotations]: whether they are marked `ignore`; None if none is, or for a results list."""
    if not rows.section or not rows.is_ignored.any():
        return None
    not_crowds = int((rows.is_ignored & ~rows.is_crowd).sum())
    if not_crowds:
        findings.append(Finding("ignore-without-crowd", not_crowds, {"file": rows.file}))
    return rows.is_ignored


def _coco_facts(rows: Annotations, sizes: Floats) -> CocoFacts:
    """Crowd flag, area and bbox size of each annotation; for a results list, COCO uses only the bbox."""
    if not rows.section:
        return CocoFacts(np.zeros(len(rows), bool), np.full(len(rows), np.nan), sizes)
    return CocoFacts(rows.is_crowd, rows.areas, sizes)
