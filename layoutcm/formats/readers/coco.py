"""COCO: ground truth files (annotations may have scores) and results lists.

Boxes are x, y, width, height in pixels. Ids are opaque keys: any integer or text, with gaps, in any order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain, repeat

import msgspec
import numpy as np

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.outlines import parse_segmentation
from layoutcm.formats.page_sizes import MISSING_SIZE_HINT, missing_size_error, size_of
from layoutcm.layouts.model import BACKGROUND, CocoFacts, Finding, Floats, Indices, Layout, Pages, PlaceNamer, Regions
from layoutcm.layouts.shapes import RunMask, Shape, is_box, shape_box
from layoutcm.layouts.validation import make_layout
from layoutcm.wording import agree, plural

Key = int | float | str
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


class GroundTruth(msgspec.Struct):
    images: list[Image]
    annotations: list[Annotation] = []
    categories: list[Category] = []


def is_ground_truth(content: FileContent) -> bool:
    return content.json_root == "object" and {"images", "annotations"} <= content.json_keys


def is_results(content: FileContent) -> bool:
    if content.json_root != "array":
        return False
    # A model that found nothing writes an empty list.
    return {"image_id", "category_id"} <= content.json_keys or _NO_ITEMS.fullmatch(content.data_without_bom) is not None


def read_ground_truth(content: FileContent, options: Options) -> Layout:
    file = content.decode(GroundTruth)
    pages = _pages(content.name, file.images, options)
    keys = _positions_by_id([image.id for image in file.images], content.name, "images")
    label_keys = _positions_by_id([category.id for category in file.categories], content.name, "categories")
    labels = [category.name for category in file.categories]
    return _build_layout(content, options, "coco", file.annotations, "annotations", pages, keys, labels, label_keys)


def read_results(content: FileContent, options: Options) -> Layout:
    annotations = content.decode(list[Annotation])
    like = options.like
    if like is not None:
        # Without ids, pages and labels are identified by name; numeric ids are not guessed from the order.
        keys: dict[Key, int] = dict(like.keys) or {name: i for i, name in enumerate(like.page_columns.names)}
        label_keys: dict[Key, int] = dict(like.label_keys) or {label: i for i, label in enumerate(like.labels)}
        return _build_layout(
            content, options, "coco-results", annotations, "", like.page_columns, keys, list(like.labels), label_keys
        )
    images = [Image(id=key) for key in dict.fromkeys(a.image_id for a in annotations)]
    if images and options.sizes is None:
        raise InputError(
            content.name,
            "",
            "this is a COCO results list, which holds no page size and no label names",
            f"If it is the prediction, the ground truth goes before it. {MISSING_SIZE_HINT}",
        )
    pages = _pages(content.name, images, options)
    return _build_layout(
        content, options, "coco-results", annotations, "", pages, {im.id: i for i, im in enumerate(images)}, [], {}
    )


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
    )


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


def _build_layout(
    content: FileContent,
    options: Options,
    format: str,
    annotations: Sequence[Annotation],
    section: str,
    pages: Pages,
    keys: dict[Key, int],
    labels: list[str],
    label_keys: dict[Key, int],
) -> Layout:
    findings: list[Finding] = []
    # Background has no label in the reference layout (-1); it gets one here so that its regions are reported.
    labels = [*labels, BACKGROUND]
    label_keys = {key: len(labels) - 1 if i < 0 else i for key, i in label_keys.items()}
    label = _find_positions([a.category_id for a in annotations], label_keys)
    if (label < 0).any():
        label = _add_undeclared_labels(
            [a.category_id for a in annotations], label, labels, label_keys, content.name, findings
        )
    page = _find_positions([a.image_id for a in annotations], keys)
    kept = np.flatnonzero(page >= 0)
    if kept.size < len(annotations):
        findings.append(_unlisted_image_finding(content.name, annotations, section, page))
        annotations = [annotations[i] for i in kept.tolist()]
    boxes, sizes, shapes = _boxes(content.name, annotations, section, kept, options)
    coco = _coco_facts(content.name, annotations, section, sizes, findings)
    scores = np.array([np.nan if a.score is None else a.score for a in annotations], float)
    regions = Regions(page[kept], label[kept], boxes, scores, shapes, coco)
    _check_masks(content.name, regions, pages, lambda i: f"{section}[{kept[i]}].segmentation")
    return make_layout(
        content.name,
        format,
        labels,
        pages,
        regions,
        findings=findings,
        keys=keys,
        label_keys=label_keys,
        page_place="images[{}]".format,
        region_place=lambda i: f"{section}[{kept[i]}].bbox",
    )


def _check_masks(file: str, regions: Regions, pages: Pages, place: PlaceNamer) -> None:
    """Check that masks have the size of their page; otherwise their regions would be in the wrong place."""
    for i, shape in regions.shapes.items():
        size = (float(pages.widths[regions.page[i]]), float(pages.heights[regions.page[i]]))
        if isinstance(shape, RunMask) and (shape.width, shape.height) != size:
            problem = f"the mask is {shape.width} x {shape.height}, its page {size[0]:g} x {size[1]:g}"
            raise InputError(file, place(i), problem, "Write masks at the size of the page.")


def _find_positions(ids: Sequence[Key], known: dict[Key, int]) -> Indices:
    """int32[ids]: the position of each id, -1 if it is unknown."""
    return np.fromiter(map(known.get, ids, repeat(-1)), np.int32, len(ids))


def _add_undeclared_labels(
    ids: Sequence[Key],
    label: Indices,
    labels: list[str],
    label_keys: dict[Key, int],
    file: str,
    findings: list[Finding],
) -> Indices:
    """int32[ids]: the label of each id, after every undeclared id was given its own label and reported."""
    counts = Counter(ids[i] for i in np.flatnonzero(label < 0).tolist())
    for key in counts:
        label_keys[key] = len(labels)
        labels.append(f"category {key:g}" if isinstance(key, float) else f"category {key}")
    first = next(iter(counts))
    example = f"{short_repr(first)}, on {plural(counts[first], 'region')}"
    findings.append(
        Finding(
            "undeclared-category",
            f"{file}: {len(counts)} category id{agree(len(counts), ' is', 's are')} used but not declared "
            f"(first: {example}); shown as label {labels[label_keys[first]]!r}.",
            count=sum(counts.values()),
            hint="Add the missing entries to `categories`, or check whether ids are off by one.",
        )
    )
    return _find_positions(ids, label_keys)


def _unlisted_image_finding(file: str, annotations: Sequence[Annotation], section: str, page: Indices) -> Finding:
    dropped = np.flatnonzero(page < 0).tolist()
    example = f"first at {section}[{dropped[0]}]: image_id {short_repr(annotations[dropped[0]].image_id)}"
    images = len({annotations[i].image_id for i in dropped})
    regions = f"{plural(len(dropped), 'region')} on {plural(images, 'image')}"
    if section:
        return Finding(
            "unlisted-image",
            f"{file}: {regions} that `images` does not list, dropped; {example}.",
            count=len(dropped),
            hint="If you filtered `images`, filter `annotations` too.",
        )
    return Finding(
        "unknown-page",
        f"{file}: {regions} that the ground truth does not have, dropped; {example}.",
        count=len(dropped),
        hint="Check that both files come from the same split and number their images alike.",
    )


def _boxes(
    file: str, annotations: Sequence[Annotation], section: str, positions: np.ndarray, options: Options
) -> tuple[Floats, Floats, dict[int, Shape]]:
    """float64[regions, x0 y0 x1 y1], float64[regions, width height] of bbox, and {region: outline} if not a box."""
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


def _coco_facts(
    file: str,
    annotations: Sequence[Annotation],
    section: str,
    sizes: Floats,
    findings: list[Finding],
) -> CocoFacts:
    """Crowd flag, area and bbox size of each annotation; for a results list, COCO uses only the bbox."""
    n = len(annotations)
    if not section:
        return CocoFacts(np.zeros(n, bool), np.full(n, np.nan), sizes)
    crowd, ignore = [a.iscrowd for a in annotations], [a.ignore for a in annotations]
    areas = np.array([a.area for a in annotations], float)  # None becomes nan
    ignored = sum(bool(ignore[i]) and not crowd[i] for i in range(n)) if any(ignore) else 0
    if ignored:
        findings.append(
            Finding(
                "ignore-without-crowd",
                f"{file}: {ignored:,} annotation{'s are' if ignored > 1 else ' is'} marked `ignore` but not `iscrowd`; "
                "COCO's rules look at `iscrowd` alone, so they count like all others.",
                severity="info",
                count=ignored,
                hint="Set `iscrowd` to 1 to leave them out of the object scores.",
            )
        )
    return CocoFacts(np.array(crowd, bool), areas, sizes)
