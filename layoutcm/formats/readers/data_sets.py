"""Data sets: OmniDocBench, DocBank, FiftyOne and image folders of Hugging Face.

- OmniDocBench: ground truth (outlines) and predictions (boxes; page names without suffix, no page sizes).
- DocBank: one text file per page, one token per line with its box on a grid of 1000 x 1000, colour, font and label. A
  file has no unit larger than a token, so each token is a region.
- FiftyOne: labels.json of an image detection data set, and samples.json of a whole data set; fractions of the image. A
  whole data set has any number of label fields, such as ground_truth and predictions. One of them is read; the
  annotators of such a file are its fields.
- metadata.jsonl of a Hugging Face image folder: one line per page, with the boxes of its objects: x, y, width, height
  in pixels, as in COCO. The file has no page sizes: they come from the images beside it, from `sizes` or from the
  reference layout. Class numbers get names from a file beside it, or from the reference layout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.annotators import choose_annotator
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.class_names import ClassLabels
from layoutcm.formats.content import DECODE_ERRORS, HEAD, FileContent, Options
from layoutcm.formats.json_keys import Corners, json_type
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import FilePlace, StatedSize, corner_points, parse_numbers, place_text
from layoutcm.layouts.model import Layout

is_omnidocbench = Needs("array", ("layout_dets", "page_info"), ("category_type",)) | Needs(
    "array", ("layout_dets", "page_info"), ("page_attribute",)
)
is_omnidocbench_pred = Needs("object", ("results", "categories"), typical=("image_name", "bbox"))

OMNIDOC_REGION = {"category_type!": str, "poly!": [float], "ignore": bool}
# `page_attribute` is {name: text or list of texts}.
OMNIDOC_INFO = {"width": float, "height": float, "image_path": str, "page_no": int, "page_attribute": Any}
OMNIDOC_PAGES = json_type([{"layout_dets!": [OMNIDOC_REGION], "page_info!": OMNIDOC_INFO}])
OMNIDOC_RESULT = {"image_name!": str, "bbox!": Corners, "category_id!": int, "score": float}
OMNIDOC_PREDICTION = json_type({"results!": [OMNIDOC_RESULT], "categories!": dict[str, str]})


def read_omnidocbench(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    for i, page in enumerate(content.decode(OMNIDOC_PAGES)):
        info = page.page_info
        number = -1 if info.page_no is None else info.page_no
        name = info.image_path or f"{content.stem}_p{i + 1}"
        page_index = builder.add_page(name, info.width, info.height, f"[{i}].page_info", number=number)
        if isinstance(info.page_attribute, dict):
            builder.add_attributes(page_index, info.page_attribute)
        for k, detection in enumerate(page.layout_dets):
            place = (f"[{i}].layout_dets[{{}}].poly", k)
            ring = corner_points(detection.poly, content.name, place)
            builder.add_outline(page_index, detection.category_type, ring, place)
            if detection.ignore:
                builder.mark_ignored(f"[{i}].layout_dets[{k}]")


def read_omnidocbench_pred(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(OMNIDOC_PREDICTION)
    builder.declare_labels(list(file.categories.values()))
    pages: dict[str, int] = {}
    for i, result in enumerate(file.results):
        if result.image_name not in pages:
            pages[result.image_name] = builder.add_page(result.image_name, None, None, f"results[{i}]")
        label = file.categories.get(str(result.category_id), f"category {result.category_id}")
        builder.add_region(pages[result.image_name], label, result.bbox, ("results[{}].bbox", i), result.score)


GRID = 1000
COLUMNS = 10  # token, x0, y0, x1, y1, red, green, blue, font, label
CORNERS = ("x0", "y0", "x1", "y1")
IMAGE_ENDING = "_ori"  # of the names of DocBank's page images


def is_docbank(content: FileContent) -> bool:
    """Whether the first line has ten columns, seven of them whole numbers; a token may have blanks, but no tab."""
    parts = content.head_without_bom[:HEAD].lstrip(b"\r\n").partition(b"\n")[0].split(b"\t")
    return len(parts) == COLUMNS and all(part.isdigit() for part in parts[1:8])


def read_docbank(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    # Only ends of lines: a token may be a character at which splitlines would split.
    lines = content.text.split("\n")
    page = builder.add_page(content.stem, None, None, otherwise=content.stem + IMAGE_ENDING)
    for i, line in enumerate(lines, 1):
        parts = line.rstrip("\r").split("\t")
        if len(parts) != COLUMNS:
            if not line.strip():
                continue
            problem = f"{len(parts)} columns, must be {COLUMNS} with tabs between them"
            raise InputError(content.name, f"line {i}", problem, "Repair or remove this line.")
        place = ("line {}", i)
        box = builder.pixel_box(page, parse_numbers(parts[1:5], content.name, place, CORNERS), GRID)
        builder.add_region(page, parts[9].strip(), box, place)
    builder.note_unusual("token-regions", "")


USUAL_FIELD = "ground_truth"
BOX_KINDS = ("Detections", "Detection", "Polylines", "Polyline")
LABELS_FILE_KEYS = {"classes", "labels", "attributes", "info"}
is_fiftyone = Needs("object", ("classes", "labels"), also=lambda content: content.json_keys <= LABELS_FILE_KEYS)
is_fiftyone_samples = Needs("object", ("samples",), ("filepath",))

FIFTYONE_LABEL = {
    **{"label": str | int, "bounding_box": Corners, "confidence": float},  # a detection
    **{"points": [[tuple[float, float]]], "closed": bool, "filled": bool},  # a polyline
}
LABELS_FILE = json_type({"labels!": {"*": json_type([FIFTYONE_LABEL]) | str | int | None}, "classes": [str]})
SAMPLES_FILE = json_type({"samples!": [dict[str, msgspec.Raw]]})
KIND = json_type({"_cls": str})  # what a field of a sample holds; many fields hold no labels
# A field of a sample with labels that have places: one label, or a list.
FIELD = json_type({**FIFTYONE_LABEL, "detections": [FIFTYONE_LABEL], "polylines": [FIFTYONE_LABEL]})


def read_fiftyone(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(LABELS_FILE)
    classes = file.classes or []
    builder.declare_labels(classes)
    for name, regions in file.labels.items():
        if isinstance(regions, str | int):
            problem = "these are labels of whole images, without boxes"
            raise InputError(content.name, "labels", problem, "Export a FiftyOneImageDetectionDataset.")
        page = builder.add_page(name, None, None, "labels")
        for k, one in enumerate(regions or []):
            _add_region(one, page, classes, ("labels[{0[0]!r}][{0[1]}]", (name, k)), builder)


def read_fiftyone_samples(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    samples = content.decode(SAMPLES_FILE).samples
    fields = [_label_fields(sample, content.name, f"samples[{i}]") for i, sample in enumerate(samples)]
    names = dict.fromkeys(name for found in fields for name in found)
    if not names:
        problem = "no field of the samples has detections or polylines"
        raise InputError(content.name, "samples", problem, "Export the data set with a field of boxes.")
    ordered = sorted(names, key=lambda name: name != USUAL_FIELD)  # the others in the order of the file
    chosen = choose_annotator(content.name, ordered, options).chosen
    builder.annotators.add(ordered, [chosen])
    for i, (sample, found) in enumerate(zip(samples, fields)):
        place = f"samples[{i}]"
        metadata = _decode(sample.get("metadata"), StatedSize | None, content.name, f"{place}.metadata") or StatedSize()
        path = _decode(sample.get("filepath"), str | None, content.name, f"{place}.filepath")
        page = builder.add_page(path or f"{content.stem}_{i + 1}", metadata.width, metadata.height, place)
        for k, one in enumerate(_labels_in(found[chosen]) if chosen in found else []):
            _add_region(one, page, [], ("samples[{0[0]}].{0[1]}[{0[2]}]", (i, chosen, k)), builder)


def _labels_in(field: Any) -> Sequence[Any]:
    listed: Sequence[Any] | None = field.detections if field.detections is not None else field.polylines
    return [field] if listed is None else listed


def _label_fields(sample: dict[str, msgspec.Raw], file: str, place: str) -> dict[str, Any]:
    """The fields of a sample that have boxes or outlines."""
    objects = {name: raw for name, raw in sample.items() if bytes(raw)[:1] == b"{"}
    return {
        name: _decode(raw, FIELD, file, f"{place}.{name}")
        for name, raw in objects.items()
        if _decode(raw, KIND, file, f"{place}.{name}").cls in BOX_KINDS
    }


def _decode(raw: msgspec.Raw | None, type: Any, file: str, place: str) -> Any:
    try:
        return None if raw is None else msgspec.json.decode(raw, type=type)
    except DECODE_ERRORS as error:
        raise InputError(file, place, str(error), "Repair this value or remove the entry.") from None


def _add_region(one: Any, page: int, classes: Sequence[str], place: FilePlace, builder: LayoutBuilder) -> None:
    label = one.label if one.label is not None else ""
    if isinstance(label, int):
        label = classes[label] if 0 <= label < len(classes) else f"class {label}"
    if one.bounding_box is not None:
        x, y, w, h = one.bounding_box
        builder.add_region(page, label, builder.pixel_box(page, (x, y, x + w, y + h)), place, one.confidence)
        return
    rings = [ring for ring in one.points or [] if len(ring) > 2] if one.closed or one.filled else []
    if not rings:
        builder.note_unusual("not-an-area", place_text(place))
    for ring in rings:
        builder.add_outline(page, label, builder.pixels(page, ring), place, one.confidence)


Category = int | str
CATEGORY_KEYS = ("category", "category_id", "label")
CATEGORY_LISTS = ("category", "categories", "category_id", "label", "labels")  # names in the guides of Hugging Face
# The first page may be without objects.
is_image_folder = Needs("array", ("file_name",), ("objects", "bbox"))

# The objects of a page: lists, or a list of objects.
LISTS = json_type(
    {
        **{"bbox": ([Corners], []), **dict.fromkeys(CATEGORY_LISTS, list[Category])},
        **{"score": [float], "scores": [float], "area": [float], "iscrowd": [int | bool]},
    }
)
ITEM = {**dict.fromkeys(CATEGORY_KEYS, Category), "score": float, "area": float, "iscrowd": int | bool}
ITEMS = json_type([{"bbox!": Corners, **ITEM}])
LINES = json_type([{"file_name!": str, "objects": LISTS | ITEMS, "width": float, "height": float}])


class Found(NamedTuple):
    box: Corners
    category: Category
    score: float | None
    area: float | None
    crowd: int | bool | None


def read_image_folder(name: str, contents: Sequence[FileContent], options: Options) -> Layout:
    builder, labels = LayoutBuilder(name, options), ClassLabels(name, options)
    for content in contents:
        builder.file = content.name
        for i, line in enumerate(content.decode(LINES)):
            page = builder.add_page(line.file_name, line.width, line.height, f"[{i}]")
            for k, found in enumerate(_objects(content.name, f"[{i}]", line.objects)):
                place, (x, y, w, h) = (f"[{i}].objects.bbox[{{}}]", k), found.box
                builder.add_region(page, labels.label(found.category), (x, y, x + w, y + h), place, found.score)
                if found.area is not None or found.crowd:
                    builder.add_coco_facts(bool(found.crowd), found.area, w, h)
    builder.declare_labels([label for _, label in sorted((labels.declared or {}).items())])
    builder.findings += labels.all_findings()
    layout = builder.build("hf-imagefolder")
    return replace(layout, label_keys=labels.keys(layout.labels))


def _objects(file: str, place: str, objects: Any) -> Iterator[Found]:
    if isinstance(objects, list):
        for k, item in enumerate(objects):
            category = _first(item, CATEGORY_KEYS)
            if category is None:
                raise InputError(file, f"{place}.objects[{k}]", "the object has no category", "Add it.")
            yield Found(item.bbox, category, item.score, item.area, item.iscrowd)
        return
    if objects is None or not objects.bbox:
        return
    nothing = [None] * len(objects.bbox)
    columns = {
        "categories": _first(objects, CATEGORY_LISTS) or [],
        "scores": objects.score or objects.scores or nothing,
    }
    columns |= {"areas": objects.area or nothing, "crowds": objects.iscrowd or nothing}
    for name, column in columns.items():
        if len(column) != len(objects.bbox):
            problem = f"{len(objects.bbox)} boxes and {len(column)} {name}"
            raise InputError(file, f"{place}.objects", problem, "There must be one of each for an object.")
    yield from map(Found, objects.bbox, *columns.values())


def _first(one: Any, keys: Sequence[str]) -> Any:
    """The value of the first key that is there, or None."""
    return next((value for key in keys if (value := getattr(one, key)) is not None), None)
