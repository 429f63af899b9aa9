"""Annotations of images by general tools, in pixels.

- Pascal VOC: one XML file per page, `object/bndbox`. The original VOC data counts pixels from 1, but layout data in
  this format counts from 0; coordinates are not changed. Objects marked `difficult` are not to be judged.
- LabelMe, the web tool of MIT: one XML file per image, `object/polygon/pt`. The root is that of Pascal VOC, too.
  Objects that were deleted stay in the file, marked as such.
- ICDAR 2019 cTDaR: one XML file per page, `table/Coords`; the cells of a table are not regions.
- LabelMe: one JSON file per page, shapes with points.
- Create ML object detection: a JSON list of images; x and y are the centre of a box. The centre is Apple's definition.
  Some tools write the upper left corner, which a comparison reports with its repair.
"""

from __future__ import annotations

import math
from contextlib import suppress
from itertools import cycle
from typing import Any
from xml.etree.ElementTree import Element

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.json_keys import json_type
from layoutcm.formats.markup import elements, is_of_labelme, root_name
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import (
    NO_SCORE,
    bounding_box,
    parse_number,
    parse_number_list,
    parse_numbers,
    parse_points,
    parse_size,
    place_text,
)

CORNERS = ("xmin", "ymin", "xmax", "ymax")
VOC_ELEMENTS = ("object", "bndbox", "filename")
is_voc = Needs("xml", ("annotation",), typical=VOC_ELEMENTS, also=lambda content: not is_of_labelme(content))


def read_voc(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.name
    root = next(elements(content, "annotation", needed="annotation", hint="Export the file again as Pascal VOC."))
    width, height = parse_size(root.findtext("size/width"), root.findtext("size/height"))
    name = (root.findtext("filename") or "").strip()
    page = builder.add_page(name, width, height, "annotation", otherwise=content.stem)
    for i, item in enumerate(root.findall("object")):  # direct children only: parts inside an object have boxes too
        box = item.find("bndbox")
        if box is None:
            builder.note_unusual("no-coordinates", f"object[{i}]", what="objects without a bndbox")
            continue
        corner_texts = {child.tag: child.text for child in box}
        place = ("object[{}]", i)
        corners = parse_numbers([corner_texts.get(corner) for corner in CORNERS], file, place, CORNERS)
        label, given = (item.findtext("name") or "").strip(), item.findtext("score") or item.findtext("confidence")
        score = parse_number(given, file, f"object[{i}]/score") if given else NO_SCORE
        builder.add_region(page, label, corners, place, score)
        if (item.findtext("difficult") or "").strip() in ("1", "true", "True"):
            builder.mark_ignored(f"object[{i}]")


AXES = ("x", "y")
POINT_NAMES = ("polygon/pt/x", "polygon/pt/y")
SEPARATOR = "|"
POINT_TAGS = {b"<pt><x>": b"", b"</x><y>": SEPARATOR.encode(), b"</y></pt>": SEPARATOR.encode()}
# In a file with one of these, the separator may be text, or what looks like a tag may not be one.
NOT_AS_TEXT = (SEPARATOR.encode(), b"&#", b"<![CDATA[")
is_labelme_xml = Needs("xml", ("annotation",), typical=("polygon", "pt", "deleted"), also=is_of_labelme)


def read_labelme_xml(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    root = _root(content)
    width, height = parse_size(root.findtext("imagesize/ncols"), root.findtext("imagesize/nrows"))
    name = (root.findtext("filename") or "").strip()
    page = builder.add_page(name, width, height, "annotation", otherwise=content.stem)
    for i, item in enumerate(root.findall("object")):
        if (item.findtext("deleted") or "").strip() == "1":
            builder.note_unusual("deleted-object", f"object[{i}]")
            continue
        place = ("object[{}]", i)
        mask = item.find("segm")  # an image of its own; the file has only the box around it
        box = None if mask is None else mask.find("box")
        if box is None:
            polygon = item.find("polygon")
            flat = [] if polygon is None else _points(polygon, content.name, place)
        else:
            flat = parse_numbers([box.findtext(corner) for corner in CORNERS], content.name, place, CORNERS)
        if len(flat) > 4 or box is not None:
            builder.add_flat_outline(page, (item.findtext("name") or "").strip(), flat, place)
        else:
            builder.note_unusual("not-an-area", f"object[{i}]")


def _root(content: FileContent) -> Element:
    """The annotation. Its points are most of the file, and are parsed faster as text, `x|y|`, than as elements."""
    can_be_text = not any(mark in content.data for mark in NOT_AS_TEXT)
    data, replaced = content.data, set()
    for tag, text in POINT_TAGS.items() if can_be_text else ():
        shorter = data.replace(tag, text)
        replaced.add((len(data) - len(shorter)) // (len(tag) - len(text)))
        data = shorter
    if len(replaced) == 1 and b"<pt" not in data and b"</pt" not in data:
        with suppress(InputError):  # in places that are not those of the file
            return next(elements(FileContent(content.name, data), "annotation", needed="annotation"))
    return next(elements(content, "annotation", needed="annotation"))


def _points(polygon: Element, file: str, place: tuple[str, object]) -> list[float]:
    """x, y, x, y, ... of the polygon of an object."""
    written = polygon.text or ""
    for child in polygon:
        written += child.tail or ""
    if SEPARATOR in written:
        numbers = parse_number_list(written.rstrip()[:-1].replace(SEPARATOR, ",")) if "," not in written else None
        if numbers and len(numbers) % 2 == 0:  # the usual case, made fast for many regions
            return numbers
        texts: list[str | None] = [*written.split(SEPARATOR)[:-1]]
    else:
        texts = [point.findtext(axis) for point in polygon.findall("pt") for axis in AXES]
    if None in texts:
        raise InputError(file, place_text(place), "a point has no x or no y", "Repair or remove the object.")
    return parse_numbers(texts, file, place, cycle(POINT_NAMES))


LABEL = "table"
TAGS_OF_A_BLANK_PAGE = 3  # the XML declaration, and the document's start and end
CTDAR_NEEDS = Needs("xml", ("document",), ("table", "Coords"))


def is_ctdar(content: FileContent) -> bool:
    """Many XML files have the root `document`, so its tables must have coordinates, or it must have nothing inside."""
    if root_name(content) != "document":
        return False
    is_blank = b"filename=" in content.data and content.data.count(b"<") <= TAGS_OF_A_BLANK_PAGE
    return is_blank or CTDAR_NEEDS(content)


def read_ctdar(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    root = next(elements(content, "document", needed="document"))
    page = builder.add_page(root.get("filename", "").strip(), None, None, "document", otherwise=content.stem)
    for i, table in enumerate(root.findall("table")):
        coords = table.find("Coords")
        flat = parse_points(coords.get("points", "") if coords is not None else "", content.name, ("table[{}]", i))
        if not flat:
            builder.note_unusual("no-coordinates", f"table[{i}]", what="tables without coordinates")
            continue
        builder.add_flat_outline(page, LABEL, flat, ("table[{}]", i))


IGNORE_LABEL = "__ignore__"  # what LabelMe's own converters leave unlabelled
SHAPES_WITHOUT_AREA = ("line", "linestrip", "point", "points")
is_labelme = Needs("object", ("shapes", "imagePath"), typical=("imageWidth", "points"))

LABELME_SHAPE = {"label": str, "points": ([tuple[float, float]], []), "shape_type": str, "score": float}
LABELME_IMAGE = {"imagePath": str, "imageWidth": float, "imageHeight": float, "flags": Any}
LABELME_FILE = json_type({"shapes!": [LABELME_SHAPE], **LABELME_IMAGE})


def read_labelme(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(LABELME_FILE)
    builder.ignore_label = IGNORE_LABEL
    page = builder.add_page(file.imagePath or content.stem, file.imageWidth, file.imageHeight)
    if isinstance(file.flags, dict):  # such as {"scanned": true}: classes of the page that its annotator set
        builder.add_attributes(page, {name: flag for name, flag in file.flags.items() if isinstance(flag, bool)})
    for i, shape in enumerate(file.shapes):
        kind, place = shape.shape_type or "polygon", ("shapes[{}]", i)
        if kind in SHAPES_WITHOUT_AREA:
            builder.note_unusual("shape-left-out", f"shapes[{i}]", what="lines and points have no area")
            continue
        if shape.label == IGNORE_LABEL:
            builder.note_unusual("ignored-shape", f"shapes[{i}]")
        if len(shape.points) < 2:
            if shape.label == IGNORE_LABEL:  # it covers nothing
                continue
            problem = "fewer than two points"
            raise InputError(content.name, f"shapes[{i}].points", problem, "Repair or remove the shape.")
        if kind == "circle":  # its centre and a point on its edge
            (x, y), (ex, ey) = shape.points[:2]
            radius = math.hypot(ex - x, ey - y)
            box = x - radius, y - radius, x + radius, y + radius
            builder.add_region(page, shape.label or "", box, place, shape.score)
        elif kind == "polygon":
            builder.add_outline(page, shape.label or "", shape.points, place, shape.score)
        else:
            builder.add_region(page, shape.label or "", bounding_box(shape.points), place, shape.score)


CREATEML_KEYS = ({"image", "annotations"}, {"imagefilename", "annotation"})
CREATEML_NEEDS = Needs("array", ("image", "annotations"), ("coordinates",)) | Needs(
    "array", ("imagefilename", "annotation"), ("coordinates",)
)
COORDINATES = {"x!": float, "y!": float, "width!": float, "height!": float}
ANNOTATIONS = [{"label": str, "coordinates": COORDINATES, "confidence": float}]
# The keys are spelled in two ways, both by Apple.
ANNOTATED_IMAGES = json_type(
    [{"image": str, "imagefilename": str, "annotations": ANNOTATIONS, "annotation": ANNOTATIONS}]
)


def is_createml(content: FileContent) -> bool:
    if CREATEML_NEEDS(content):
        return "data" not in content.json_keys
    return content.json_root == "array" and content.json_keys in CREATEML_KEYS and _are_blank_pages(content)


def _are_blank_pages(content: FileContent) -> bool:
    """Whether no image has annotations; then there are no coordinates."""
    images = content.try_decode(ANNOTATED_IMAGES)
    return images is not None and not any(image.annotations or image.annotation for image in images)


def read_createml(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    for i, image in enumerate(content.decode(ANNOTATED_IMAGES)):
        name = image.image or image.imagefilename or f"{content.stem}_{i + 1}"
        page = builder.add_page(name, None, None, f"[{i}]")
        for k, one in enumerate(image.annotations or image.annotation or []):
            box = one.coordinates
            if box is None:  # a label of the whole image
                builder.note_unusual("not-an-area", f"[{i}].annotations[{k}]")
                continue
            x0, y0 = box.x - box.width / 2, box.y - box.height / 2
            place = ("[{0[0]}].annotations[{0[1]}]", (i, k))
            corners = (x0, y0, x0 + box.width, y0 + box.height)
            builder.add_region(page, one.label or "", corners, place, one.confidence)
