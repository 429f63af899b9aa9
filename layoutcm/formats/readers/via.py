"""VGG Image Annotator (VIA): projects of VIA 2 and 3, annotations exported as JSON or CSV; coordinates in pixels.

The file has no page sizes: `size` is the number of bytes of an image. Regions have attributes of any name, so one of
them is chosen as the label for the whole file. A project of VIA 3 is another structure, which is turned into that of
VIA 2: its views are the images, and its metadata are regions or, without a place, attributes of an image.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any

import msgspec

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import DECODE_ERRORS, HEAD, FileContent, Options
from layoutcm.formats.json_keys import json_type
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import bounding_box, ellipse_points
from layoutcm.layouts.model import Finding

PROJECT_KEY = "_via_img_metadata"
CSV_COLUMNS = ("filename", "file_size", "file_attributes", "region_shape_attributes", "region_attributes")
# Attributes that are probably the class, if regions have several attributes.
LIKELY_LABELS = ("label", "class", "category", "type", "name")
CHOICES = ("dropdown", "radio", "checkbox")  # types of attributes in VIA 2
UNLABELLED = "region"
# Numbers of VIA 3: kinds of attributes and files, and the shapes of regions.
CHECKBOX = 2
IMAGE_FILE = 2
is_via3 = Needs("object", ("project", "config", "attribute", "file", "metadata", "view"))
VIA_NEEDS = Needs("object", (PROJECT_KEY,), typical=("_via_settings",)) | Needs(
    "object", inside=("filename", "regions"), typical=("shape_attributes",)
)


class Via3Shape(IntEnum):
    POINT = 1
    RECTANGLE = 2
    CIRCLE = 3
    ELLIPSE = 4
    LINE = 5
    POLYLINE = 6
    POLYGON = 7
    EXTREME_RECTANGLE = 8  # given by four points on its sides


SHAPE_NUMBERS = ("x", "y", "width", "height", "cx", "cy", "r", "rx", "ry", "theta")
VIA_SHAPE = json_type(
    {"name": str, **dict.fromkeys(SHAPE_NUMBERS, float), "all_points_x": [float], "all_points_y": [float]}
)
VIA_REGION = json_type({"shape_attributes": VIA_SHAPE, "region_attributes": dict[str, Any]})
VIA_REGIONS = json_type([VIA_REGION]) | json_type({"*": VIA_REGION})  # VIA 2, VIA 1
VIA_IMAGE = json_type({"filename!": str, "regions": VIA_REGIONS, "file_attributes": Any})


class Attribute3(msgspec.Struct):
    aname: str = ""
    anchor_id: str = ""  # what it describes
    type: int | None = None
    options: dict[str, Any] = {}  # {option: text}

    @property
    def is_of_region(self) -> bool:
        return self.anchor_id.endswith("XY1")

    def value(self, given: Any) -> Any:
        """The text of an option, or of a text field; of checkboxes, the texts of those that are checked."""
        if self.type == CHECKBOX and isinstance(given, str):
            return {str(self.options.get(key, key)): True for key in given.split(",") if key}
        return self.options.get(given, given) if isinstance(given, str) else given


PROJECT = json_type({f"{PROJECT_KEY}!": {"*": VIA_IMAGE}, "_via_attributes": Any})
VIA3_METADATA: Any = {
    **{"vid!": str | int, "xy": ([float], []), "av": (dict[str, Any], {})},
    "z": ([float], []),  # times in a video
}
PROJECT3 = json_type(
    {
        "attribute!": {"*": Attribute3},
        "file!": {"*": {"fname": (str, ""), "src": (str, ""), "type": int}},
        "view!": {"*": {"fid_list": (list[str | int], [])}},
        "metadata!": {"*": VIA3_METADATA},
    }
)


def is_via(content: FileContent) -> bool:
    if content.json_root != "object":
        return _is_csv(content)
    if PROJECT_KEY in content.json_keys:
        return True
    head = content.head[:HEAD]
    # The keys are names of images, so the first value decides.
    return b'"filename"' in head and b'"regions"' in content.data and {"filename", "regions"} <= _first_keys(content)


def _is_csv(content: FileContent) -> bool:
    return b"region_shape_attributes" in content.head[:HEAD].partition(b"\n")[0] and not content.json_root


def _first_keys(content: FileContent) -> set[str]:
    try:
        values = msgspec.json.decode(content.json_text, type=dict[str, msgspec.Raw])
        return set(msgspec.json.decode(next(iter(values.values())), type=dict[str, msgspec.Raw]))
    except DECODE_ERRORS:
        return set()


def read_via(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    declared: Mapping[str, Any] = {}
    if _is_csv(content):
        images = _read_csv(content)
    elif PROJECT_KEY in content.json_keys:
        project = content.decode(PROJECT)
        images, attributes = project.via_img_metadata, project.via_attributes
        given = attributes.get("region") if isinstance(attributes, dict) else None
        declared = given if isinstance(given, dict) else {}
    else:
        images = content.decode(json_type({"*": VIA_IMAGE}))
    _add_images(images, declared, "{0[0]!r}.regions[{0[1]}]", builder)


def _add_images(
    images: Mapping[str, Any], declared: Mapping[str, Any], place_template: str, builder: LayoutBuilder
) -> None:
    """Add all images; a place is made from the key of the image and the key of the region."""
    label_name = _label_attribute(images.values(), declared, builder)
    settings = declared.get(label_name)
    values = settings.get("options") if isinstance(settings, dict) else None
    builder.declare_labels(list(values) if isinstance(values, dict) else [])
    for key, image in images.items():
        page = builder.add_page(image.filename, None, None, short_repr(key), otherwise=key)
        if isinstance(image.file_attributes, dict):
            builder.add_attributes(page, image.file_attributes)
        for i, region in _numbered_regions(image):
            place = (place_template, (key, i))
            labels = _labels((region.region_attributes or {}).get(label_name))
            if not labels:
                builder.note_unusual("no-label", place[0].format(place[1]))
            _add_region(region.shape_attributes or VIA_SHAPE(), page, labels or [UNLABELLED], place, builder)


def _numbered_regions(image: Any) -> Iterable[tuple[object, Any]]:
    return image.regions.items() if isinstance(image.regions, dict) else enumerate(image.regions or [])


def read_via3(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    project = content.decode(PROJECT3)
    images = {vid: _image3(project, vid, view, content.name) for vid, view in project.view.items()}
    names = _attribute_names(project.attribute)
    for key, one in project.metadata.items():
        image = images.get(str(one.vid))
        if image is None:
            problem = f"there is no view {short_repr(one.vid)}"
            raise InputError(content.name, f"metadata.{short_repr(key)}", problem, "Repair or remove it.")
        values = {names[i]: project.attribute[i].value(value) for i, value in one.av.items() if i in names}
        if one.xy and isinstance(image.regions, dict):
            image.regions[key] = VIA_REGION(shape_attributes=_shape3(one.xy), region_attributes=values)
        elif isinstance(image.file_attributes, dict):
            image.file_attributes.update(values)
    of_regions = {names[i]: one.options for i, one in project.attribute.items() if one.is_of_region}
    declared = {name: {"options": {str(text): "" for text in texts.values()}} for name, texts in of_regions.items()}
    _add_images(images, declared, "metadata.{0[1]!r}", builder)


def _image3(project: Any, vid: str, view: Any, file: str) -> Any:
    """The image of a view, without regions."""
    place = f"view.{short_repr(vid)}"
    missing = next((fid for fid in view.fid_list if str(fid) not in project.file), None)
    if missing is not None:
        raise InputError(file, place, f"there is no file {short_repr(missing)}", "Repair or remove the view.")
    files = [project.file[str(fid)] for fid in view.fid_list]
    if len(files) == 1 and files[0].type in (IMAGE_FILE, None):
        return VIA_IMAGE(filename=files[0].fname or files[0].src, regions={}, file_attributes={})
    found = "a video or a recording" if len(files) == 1 else "several files" if files else "no file"
    raise InputError(file, place, f"this view is not one image: it has {found}", "Remove it from the project.")


def _attribute_names(attributes: Mapping[str, Attribute3]) -> dict[str, str]:
    """{id: name}; of several attributes of regions, or of images, with one name, the later ones have their id, too."""
    names: dict[str, str] = {}
    seen: set[tuple[str, bool]] = set()
    for i, one in attributes.items():
        key = one.aname, one.is_of_region
        names[i] = f"{one.aname} ({i})" if key in seen else one.aname
        seen.add(key)
    return names


def _shape3(numbers: Sequence[float]) -> Any:
    """A shape of VIA 3; it has no name if it is not known, or has not as many coordinates as it needs."""
    match numbers:
        case [Via3Shape.RECTANGLE, x, y, width, height]:
            return VIA_SHAPE(name="rect", x=x, y=y, width=width, height=height)
        case [Via3Shape.CIRCLE, x, y, radius]:
            return VIA_SHAPE(name="circle", cx=x, cy=y, r=radius)
        case [Via3Shape.ELLIPSE, x, y, rx, ry]:
            return VIA_SHAPE(name="ellipse", cx=x, cy=y, rx=rx, ry=ry)
        case [Via3Shape.POINT | Via3Shape.LINE, *_]:
            return VIA_SHAPE(name="point")
        case [Via3Shape.POLYLINE, *rest] if len(rest) % 2 == 0:
            return VIA_SHAPE(name="polyline", all_points_x=rest[::2], all_points_y=rest[1::2])
        case [Via3Shape.POLYGON, *rest] if len(rest) % 2 == 0:
            return VIA_SHAPE(name="polygon", all_points_x=rest[::2], all_points_y=rest[1::2])
        case [Via3Shape.EXTREME_RECTANGLE, *rest] if len(rest) == 8:
            x0, y0, x1, y1 = bounding_box(list(zip(rest[::2], rest[1::2])))
            return VIA_SHAPE(name="rect", x=x0, y=y0, width=x1 - x0, height=y1 - y0)
    return VIA_SHAPE()


def _label_attribute(images: Iterable[Any], declared: Mapping[str, Any], builder: LayoutBuilder) -> str:
    """The attribute that is the label of all regions; a finding names the others."""
    names = dict.fromkeys(declared)
    for image in images:
        for _, region in _numbered_regions(image):
            names.update(dict.fromkeys(region.region_attributes or ()))
    by_spelling = {name.lower(): name for name in reversed(names)}
    likely = [by_spelling[name] for name in LIKELY_LABELS if name in by_spelling]
    # People choose from a list of labels: free text is rarely a label.
    settings = ((name, one) for name in names if isinstance(one := declared.get(name), dict))
    with_choices = [name for name, one in settings if one.get("type") in CHOICES or one.get("options")]
    chosen = next(iter([*likely, *with_choices, *names]), "")
    others = [name for name in names if name != chosen]
    if others:
        values = {"file": builder.file, "used": chosen, "names": others[:3]}
        is_guess = not likely and len(with_choices) != 1
        builder.findings.append(Finding("other-attributes", len(others), values, "warning" if is_guess else ""))
    return chosen


def _labels(value: object) -> list[str]:
    """A text, or the names of the boxes that are checked."""
    if isinstance(value, dict):
        return [str(name) for name, checked in value.items() if checked]
    text = str(value).strip() if isinstance(value, str | int | float) else ""  # people type it
    return [text] if text else []


def _add_region(
    shape: Any, page: int, labels: Sequence[str], place: tuple[str, object], builder: LayoutBuilder
) -> None:
    points = _points(shape)
    if points is None or len(points) < 2:
        code = "not-an-area" if shape.name in ("point", "polyline") else "no-coordinates"
        what = "regions of an unknown shape or without all coordinates"
        builder.note_unusual(code, place[0].format(place[1]), what=what)
    elif shape.name == "rect":
        for label in labels:
            builder.add_region(page, label, (*points[0], *points[1]), place)
    else:
        builder.add_outline(page, labels, points, place)


def _points(shape: Any) -> list[tuple[float, float]] | None:
    """Two corners of a rectangle, else the outline; None for a shape without area or without coordinates."""
    if shape.name == "rect":
        x, y, width, height = shape.x, shape.y, shape.width, shape.height
        if x is None or y is None or width is None or height is None:
            return None
        return [(x, y), (x + width, y + height)]
    if shape.name in ("polygon", "polyline"):
        points = list(zip(shape.all_points_x or [], shape.all_points_y or []))
        is_closed = len(points) > 3 and points[0] == points[-1]  # people draw outlines with the line, too
        return points if shape.name == "polygon" or is_closed else None
    cx, cy = shape.cx, shape.cy
    rx, ry = (shape.r, shape.r) if shape.name == "circle" else (shape.rx, shape.ry)
    if shape.name not in ("circle", "ellipse") or cx is None or cy is None or rx is None or ry is None:
        return None
    return ellipse_points(cx, cy, rx, ry, shape.theta or 0.0)


def _read_csv(content: FileContent) -> dict[str, Any]:
    """One row for each region, whose shape and attributes are JSON, or for an image without regions."""
    images: dict[str, Any] = {}
    try:
        rows = list(csv.reader(io.StringIO(content.text, newline="")))
    except csv.Error as error:
        raise InputError(content.name, "", f"this is not a readable CSV: {error}", "Export it again.") from None
    header = [name.strip().lstrip("#") for name in rows[0]]
    missing = next((name for name in CSV_COLUMNS if name not in header), None)
    if missing is not None:
        raise InputError(content.name, "header", f"the column {missing!r} is missing", "Export it again.")
    at = [header.index(name) for name in CSV_COLUMNS]
    for i, row in enumerate(rows[1:], 2):
        if not row:
            continue
        if len(row) < len(header):
            problem = f"{len(row)} cells where the header has {len(header)}"
            raise InputError(content.name, f"row {i}", problem, "Export it again.")
        name, size, facts, shape, attributes = (row[k] for k in at)
        if name + size not in images:
            images[name + size] = VIA_IMAGE(
                filename=name, regions=[], file_attributes=_decode_cell(content.name, i, facts, Any)
            )
        outline = _decode_cell(content.name, i, shape, VIA_SHAPE)
        given = _decode_cell(content.name, i, attributes, dict[str, Any])
        if outline and outline.name:
            images[name + size].regions.append(VIA_REGION(shape_attributes=outline, region_attributes=given))
    return images


def _decode_cell(file: str, row: int, text: str, type: Any) -> Any:
    try:
        return msgspec.json.decode(text or "{}", type=type)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InputError(file, f"row {row}", f"{short_repr(text)} is not readable: {error}", "Repair it.") from None
