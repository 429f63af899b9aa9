"""COCO: ground truth files (annotations may have scores) and results lists.

Boxes are x, y, width, height in pixels. Ids are opaque keys: any integer or text, with gaps, in any order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from layoutcm import hints
from layoutcm.errors import InputError, short_repr
from layoutcm.formats.annotators import Annotators, choose_annotator, no_annotators
from layoutcm.formats.coco_ids import Key, Labels, find_labels, find_pages, is_stem_of, read_class_numbers
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.outlines import parse_segmentation
from layoutcm.formats.page_sizes import missing_size_error, size_of
from layoutcm.layouts.model import CocoFacts, Finding, Floats, Indices, Layout, Pages, PlaceNamer, Regions
from layoutcm.layouts.shapes import RunMask, Shape, is_box, shape_box
from layoutcm.layouts.validation import FileIds, PlaceNamers, make_layout

Box = tuple[float, float, float, float]
_NO_BOX = (np.nan,) * 4
_NO_ITEMS = re.compile(rb"\s*\[\s*\]\s*")


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


class Annotation(msgspec.Struct, gc=False):
    image_id: Key
    category_id: Key
    bbox: Box | None = None
    segmentation: msgspec.Raw = msgspec.Raw()
    score: float | None = None
    area: float | None = None
    iscrowd: bool | int | float | None = None
    ignore: bool | int | float | None = None
    precedence: int | None = None


class NamedAnnotation(Annotation, gc=False):
    """An entry of a results list that also names the file of its page."""

    file_name: str | None = None


class GroundTruth(msgspec.Struct):
    images: list[Image]
    annotations: list[Annotation] = []
    categories: list[Category] = []


class AnnotationRows(NamedTuple):
    """Annotations, with the file and the section that lists them (a results list has none) and their positions."""

    file: str
    section: str
    annotations: Sequence[Annotation]
    positions: np.ndarray
    file_names: Sequence[str | None] = ()  # of all annotations of a results list, if it has them

    @property
    def knows_no_ids(self) -> bool:
        """Whether `image_id` is made from the file name, as Ultralytics does."""
        return bool(self.file_names) and is_stem_of(self.annotations[0].image_id, self.file_names[0] or "")

    def place(self, i: int) -> str:
        return f"{self.section}[{self.positions[i]}]"

    def take(self, kept: np.ndarray) -> AnnotationRows:
        annotations = [self.annotations[i] for i in kept.tolist()]
        return self._replace(annotations=annotations, positions=self.positions[kept], file_names=())


class Declared(NamedTuple):
    """The pages and labels that annotations refer to, and the ids of both."""

    pages: Pages
    labels: list[str]
    ids: FileIds


is_ground_truth = Needs("object", ("images", "annotations"), typical=("categories",))
RESULTS = Needs("array", ("image_id", "category_id"), typical=("bbox", "score"))


def is_results(content: FileContent) -> bool:
    # A model that found nothing writes an empty list.
    return RESULTS(content) or _NO_ITEMS.fullmatch(content.data_without_bom) is not None


def read_ground_truth(content: FileContent, options: Options) -> Layout:
    file = content.decode(GroundTruth)
    _positions_by_id([image.id for image in file.images], content.name, "images")
    rows = AnnotationRows(content.name, "annotations", file.annotations, np.arange(len(file.annotations)))
    images, rows, annotators = _of_one_annotator(file.images, rows, options)
    pages = _pages(content.name, images, options)
    page_ids = {image.id: i for i, image in enumerate(images)}
    label_ids = _positions_by_id([category.id for category in file.categories], content.name, "categories")
    declared = Declared(pages, [category.name for category in file.categories], FileIds(page_ids, label_ids))
    layout = _build_layout("coco", rows, declared, options)
    return replace(layout, findings=(*layout.findings, *annotators.findings), **annotators.names)


def _of_one_annotator(
    images: list[Image], rows: AnnotationRows, options: Options
) -> tuple[list[Image], AnnotationRows, Annotators]:
    """The images and annotations of one annotator: DocLayNet numbers annotations of the same page by `precedence`.

    The number of an annotation is its own, else that of its image. An image that only another annotator has is kept,
    unless the chosen one has an image of the same name.
    """
    of_image = {image.id: image.precedence for image in images if image.precedence is not None}
    if not of_image and all(row.precedence is None for row in rows.annotations):
        return images, rows, no_annotators(rows.file, options)
    given = (a.precedence if a.precedence is not None else of_image.get(a.image_id) for a in rows.annotations)
    numbers = [str(number or 0) for number in given]
    names = sorted({*numbers, *(str(number) for number in of_image.values())}, key=int)
    annotators = choose_annotator(rows.file, names, options)
    kept = np.array([i for i, number in enumerate(numbers) if number == annotators.chosen], np.int64)
    own = {image.file_name for image in images if str(image.precedence or 0) == annotators.chosen}
    dropped = set()
    for image in (image for image in images if image.file_name and str(image.precedence or 0) != annotators.chosen):
        if image.file_name in own:
            dropped.add(image.id)
        own.add(image.file_name)  # one page for the images of all others
    if dropped:
        kept = np.array([i for i in kept.tolist() if rows.annotations[i].image_id not in dropped], np.int64)
        images = [image for image in images if image.id not in dropped]
    return images, rows if kept.size == len(numbers) else rows.take(kept), annotators


def read_results(content: FileContent, options: Options) -> Layout:
    annotations: Sequence[Annotation]
    file_names: list[str | None] = []
    if "file_name" in content.json_keys:
        annotations = named = content.decode(list[NamedAnnotation])
        file_names = [one.file_name for one in named]
    else:
        annotations = content.decode(list[Annotation])
    rows = AnnotationRows(content.name, "", annotations, np.arange(len(annotations)), file_names)
    declared = _pages_in_use(rows, options) if options.like is None else _declared_in(options.like)
    return _build_layout("coco-results", rows, declared, options)


def _declared_in(reference: Layout) -> Declared:
    """What the reference layout declares. Without ids, names are ids; numeric ids are not guessed from the order."""
    pages, labels = reference.page_columns, reference.labels
    page_ids: dict[Key, int] = dict(reference.keys) or {name: i for i, name in enumerate(pages.names)}
    label_ids: dict[Key, int] = dict(reference.label_keys) or {label: i for i, label in enumerate(labels)}
    return Declared(pages, labels, FileIds(page_ids, label_ids))


def _pages_in_use(rows: AnnotationRows, options: Options) -> Declared:
    """The pages that annotations use, with a size from the options, and no labels."""
    ids = [a.image_id for a in rows.annotations]
    names = dict(zip(ids, rows.file_names))
    images = [Image(id=key, file_name=names.get(key)) for key in dict.fromkeys(ids)]
    if images and options.sizes is None:
        raise InputError(
            rows.file,
            "",
            "this is a COCO results list, which holds no page size and no label names",
            hints.RESULTS_WITHOUT_PAGES,
        )
    pages = _pages(rows.file, images, options)
    return Declared(pages, [], FileIds({image.id: i for i, image in enumerate(images)}, {}))


def _pages(file: str, images: Sequence[Image], options: Options) -> Pages:
    names = tuple(image.file_name or str(image.id) for image in images)
    sizes = [
        (image.width, image.height) if image.width is not None and image.height is not None else size_of(name, options)
        for image, name in zip(images, names, strict=True)
    ]
    unknown = next((i for i, size in enumerate(sizes) if size is None), None)
    if unknown is not None:
        raise missing_size_error(file, f"images[{unknown}]", names[unknown], options)
    columns = np.array(sizes, float).reshape(len(images), 2)
    return Pages(
        names,
        np.ascontiguousarray(columns[:, 0]),
        np.ascontiguousarray(columns[:, 1]),
        tuple(image.doc_name or "" for image in images),
        np.array([_page_number(file, i, image.page_no) for i, image in enumerate(images)], np.int32),
        _attributes(images),
    )


def _attributes(images: Sequence[Image]) -> dict[str, tuple[str, ...]]:
    """The attributes that some image has; "" for the others."""
    texts = {
        "doc_category": [image.doc_category or "" for image in images],
        "collection": [image.collection or "" for image in images],
        "precedence": ["" if image.precedence is None else str(image.precedence) for image in images],
    }
    return {name: tuple(column) for name, column in texts.items() if any(column)}


def _page_number(file: str, i: int, number: float | None) -> int:
    if number is None or number == -1:
        return -1
    if not (number.is_integer() and 0 <= number < 2**31):
        problem = f"{number:g} is not a page number, must be whole and from 0 to {2**31 - 1:,}"
        raise InputError(file, f"images[{i}].page_no", problem, "Repair or remove it.")
    return int(number)


def _positions_by_id(ids: Sequence[Key], file: str, section: str) -> dict[Key, int]:
    """{id: position}; a repeated id is an error because references to it would be ambiguous."""
    position: dict[Key, int] = {}
    for i, key in enumerate(ids):
        if position.setdefault(key, i) != i:
            raise InputError(
                file,
                f"{section}[{position[key]}] and {section}[{i}]",
                f"the id {short_repr(key)} occurs twice",
                "Ids must be unique: remove or renumber one of the two.",
            )
    return position


def _build_layout(format: str, rows: AnnotationRows, declared: Declared, options: Options) -> Layout:
    image_ids = [a.image_id for a in rows.annotations]
    found = find_pages(rows.file, image_ids, declared.ids.pages, declared.pages, rows.file_names, bool(rows.section))
    labels, label_findings = _find_labels(rows, declared, options.like, found.by_name)
    page, label, findings = found.of_annotations, labels.of_annotations, [*found.findings, *label_findings]
    kept = np.flatnonzero(page >= 0)
    if kept.size < len(page):
        findings.append(_unlisted_image_finding(rows, page))
        rows, page, label = rows.take(kept), page[kept], label[kept]
    boxes, sizes, shapes = _boxes(rows, options)
    scores = np.array([np.nan if a.score is None else a.score for a in rows.annotations], float)
    regions = Regions(page, label, boxes, scores, shapes, _coco_facts(rows, sizes), _ignore_flags(rows, findings))
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
    )


def _find_labels(
    rows: AnnotationRows, declared: Declared, like: Layout | None, by_name: bool
) -> tuple[Labels, list[Finding]]:
    ids, label_ids, findings = [a.category_id for a in rows.annotations], declared.ids.labels, list[Finding]()
    if not rows.section and like and like.label_keys and (by_name or rows.knows_no_ids or not like.keys):
        label_ids, findings = read_class_numbers(rows.file, ids, like, rows.knows_no_ids)
    labels, new_findings = find_labels(rows.file, ids, declared.labels, label_ids)
    return labels, findings + new_findings


def _check_masks(file: str, regions: Regions, pages: Pages, place: PlaceNamer) -> None:
    """Check that masks have the size of their page; otherwise their regions would be in the wrong place."""
    for i, shape in regions.shapes.items():
        size = (float(pages.widths[regions.page[i]]), float(pages.heights[regions.page[i]]))
        if isinstance(shape, RunMask) and (shape.width, shape.height) != size:
            problem = f"the mask is {shape.width} x {shape.height}, its page {size[0]:g} x {size[1]:g}"
            raise InputError(file, place(i), problem, "Write masks at the size of the page.")


def _unlisted_image_finding(rows: AnnotationRows, page: Indices) -> Finding:
    dropped = np.flatnonzero(page < 0).tolist()
    images = len({rows.annotations[i].image_id for i in dropped})
    example = {"place": rows.place(dropped[0]), "image_id": rows.annotations[dropped[0]].image_id}
    code = "unlisted-image" if rows.section else "unknown-page"
    return Finding(code, len(dropped), {"file": rows.file, "images": images, **example})


def _boxes(rows: AnnotationRows, options: Options) -> tuple[Floats, Floats, dict[int, Shape]]:
    """float64[regions, x0 y0 x1 y1], float64[regions, width height] of bbox, and {region: outline} if not a box."""
    file, section, annotations, positions, _ = rows  # local names, for a fast loop
    shapes: dict[int, Shape] = {}
    corners: dict[int, Box] = {}  # boxes that come from a segmentation
    for i, annotation in enumerate(annotations):
        if annotation.bbox and not options.outlines:
            continue
        place = f"{section}[{positions[i]}].segmentation"
        shape = parse_segmentation(annotation.segmentation, file, place) if annotation.segmentation else None
        if not annotation.bbox and shape is None:
            raise InputError(
                file, f"{section}[{positions[i]}]", "there is neither a bbox nor a segmentation", "Add one of them."
            )
        if shape is not None:  # it takes precedence over the bbox
            corners[i] = shape_box(shape)
            if options.outlines and not is_box(shape):
                shapes[i] = shape
    given = [a.bbox or _NO_BOX for a in annotations]
    boxes = np.fromiter(chain.from_iterable(given), np.float64, 4 * len(given)).reshape(-1, 4)
    sizes = boxes[:, 2:].copy()
    with np.errstate(over="ignore"):  # an overflow gives infinity, which `make_layout` reports
        boxes[:, 2:] += boxes[:, :2]
    for i, box in corners.items():
        boxes[i] = box
    return boxes, sizes, shapes


def _ignore_flags(rows: AnnotationRows, findings: list[Finding]) -> NDArray[np.bool_] | None:
    """bool[annotations]: whether they are marked `ignore`; None if none is, or for a results list."""
    flags = [a.ignore for a in rows.annotations] if rows.section else []
    if not any(flags):
        return None
    not_crowds = sum(bool(flag) and not row.iscrowd for flag, row in zip(flags, rows.annotations))
    if not_crowds:
        findings.append(Finding("ignore-without-crowd", not_crowds, {"file": rows.file}))
    return np.array(flags, bool)


def _coco_facts(rows: AnnotationRows, sizes: Floats) -> CocoFacts:
    """Crowd flag, area and bbox size of each annotation; for a results list, COCO uses only the bbox."""
    annotations, n = rows.annotations, len(rows.annotations)
    if not rows.section:
        return CocoFacts(np.zeros(n, bool), np.full(n, np.nan), sizes)
    areas = np.array([a.area for a in annotations], float)  # None becomes nan
    return CocoFacts(np.array([a.iscrowd for a in annotations], bool), areas, sizes)
