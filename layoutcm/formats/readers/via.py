"""VGG Image Annotator (VIA) 1 and 2: a project, or annotations exported as JSON or CSV; coordinates in pixels.

The file has no page sizes: `size` is the number of bytes of an image. Regions have attributes of any name, so one of
them is chosen as the label for the whole file.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import HEAD, FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.outlines import ellipse_points
from layoutcm.layouts.file_bytes import not_utf8
from layoutcm.layouts.model import Finding

PROJECT_KEY = "_via_img_metadata"
CSV_COLUMNS = ("filename", "file_size", "file_attributes", "region_shape_attributes", "region_attributes")
# Attributes that are probably the class, if regions have several attributes.
LIKELY_LABELS = ("label", "class", "category", "type", "name")
UNLABELLED = "region"


class ViaShape(msgspec.Struct, gc=False):
    name: str | None = None
    x: float | None = None
    y: float | None = None
    width: float | None = None
    height: float | None = None
    all_points_x: list[float] | None = None
    all_points_y: list[float] | None = None
    cx: float | None = None
    cy: float | None = None
    r: float | None = None
    rx: float | None = None
    ry: float | None = None
    theta: float | None = None


class ViaRegion(msgspec.Struct):
    shape_attributes: ViaShape | None = None
    region_attributes: dict[str, Any] | None = None


class ViaImage(msgspec.Struct):
    filename: str
    regions: list[ViaRegion] | dict[str, ViaRegion] | None = None  # VIA 2, VIA 1
    file_attributes: Any = None

    def numbered_regions(self) -> Iterable[tuple[object, ViaRegion]]:
        return self.regions.items() if isinstance(self.regions, dict) else enumerate(self.regions or [])


class Project(msgspec.Struct):
    images: dict[str, ViaImage] = msgspec.field(name=PROJECT_KEY)
    attributes: Any = msgspec.field(name="_via_attributes", default=None)


NEEDS = Needs("object", (PROJECT_KEY,), typical=("_via_settings",)) | Needs(
    "object", inside=("filename", "regions"), typical=("shape_attributes",)
)


def is_via(content: FileContent) -> bool:
    if content.json_root != "object":
        return _is_csv(content)
    if PROJECT_KEY in content.json_keys:
        return True
    head = content.data[:HEAD]
    # The keys are names of images, so the first value decides.
    return b'"filename"' in head and b'"regions"' in content.data and {"filename", "regions"} <= _first_keys(content)


def _is_csv(content: FileContent) -> bool:
    return b"region_shape_attributes" in content.data[:HEAD].partition(b"\n")[0] and not content.json_root


def _first_keys(content: FileContent) -> set[str]:
    try:
        values = msgspec.json.decode(content.json_text, type=dict[str, msgspec.Raw])
        return set(msgspec.json.decode(next(iter(values.values())), type=dict[str, msgspec.Raw]))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return set()


def read_file(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    declared: Mapping[str, Any] = {}
    if _is_csv(content):
        images = _read_csv(content)
    elif PROJECT_KEY in content.json_keys:
        project = content.decode(Project)
        images = project.images
        given = project.attributes.get("region") if isinstance(project.attributes, dict) else None
        declared = given if isinstance(given, dict) else {}
    else:
        images = content.decode(dict[str, ViaImage])
    label_name = _label_attribute(images.values(), declared, builder)
    settings = declared.get(label_name)
    values = settings.get("options") if isinstance(settings, dict) else None
    builder.declare_labels(list(values) if isinstance(values, dict) else [])
    for key, image in images.items():
        page = builder.add_page(image.filename, None, None, short_repr(key), otherwise=key)
        if isinstance(image.file_attributes, dict):
            builder.add_attributes(page, image.file_attributes)
        for i, region in image.numbered_regions():
            place = ("{0[0]!r}.regions[{0[1]}]", (key, i))
            labels = _labels((region.region_attributes or {}).get(label_name))
            if not labels:
                builder.note_unusual("no-label", place[0].format(place[1]))
            _add_region(region.shape_attributes or ViaShape(), page, labels or [UNLABELLED], place, builder)


def _label_attribute(images: Iterable[ViaImage], declared: Mapping[str, Any], builder: LayoutBuilder) -> str:
    """The attribute that is the label of all regions; a finding names the others."""
    names = dict.fromkeys(declared)
    for image in images:
        for _, region in image.numbered_regions():
            names.update(dict.fromkeys(region.region_attributes or ()))
    by_spelling = {name.lower(): name for name in reversed(names)}
    chosen = next((by_spelling[name] for name in LIKELY_LABELS if name in by_spelling), next(iter(names), ""))
    others = [name for name in names if name != chosen]
    if others:
        values = {"file": builder.file, "used": chosen, "names": others[:3]}
        builder.findings.append(Finding("other-attributes", len(others), values))
    return chosen


def _labels(value: object) -> list[str]:
    """A text, or the names of the boxes that are checked."""
    if isinstance(value, dict):
        return [str(name) for name, checked in value.items() if checked]
    return [str(value)] if isinstance(value, str | int | float) and str(value).strip() else []


def _add_region(
    shape: ViaShape, page: int, labels: Sequence[str], place: tuple[str, object], builder: LayoutBuilder
) -> None:
    points = _points(shape)
    if points is None or len(points) < 2:
        code = "not-an-area" if shape.name in ("point", "polyline") else "no-coordinates"
        builder.note_unusual(code, place[0].format(place[1]), what="regions without coordinates")
    elif shape.name == "rect":
        for label in labels:
            builder.add_region(page, label, *points[0], *points[1], place)
    else:
        builder.add_outline(page, labels, points, place)


def _points(shape: ViaShape) -> list[tuple[float, float]] | None:
    """Two corners of a rectangle, else the outline; None for a shape without area or without coordinates."""
    match shape:
        case ViaShape(name="rect", x=float(x), y=float(y), width=float(w), height=float(h)):
            return [(x, y), (x + w, y + h)]
        case ViaShape(name="polygon" | "polyline", all_points_x=list(xs), all_points_y=list(ys)):
            points = list(zip(xs, ys))
            is_closed = len(points) > 3 and points[0] == points[-1]  # people draw outlines with the line, too
            return points if shape.name == "polygon" or is_closed else None
        case ViaShape(name="circle", cx=float(x), cy=float(y), r=float(r)):
            return ellipse_points(x, y, r, r)
        case ViaShape(name="ellipse", cx=float(x), cy=float(y), rx=float(rx), ry=float(ry)):
            return ellipse_points(x, y, rx, ry, shape.theta or 0.0)
    return None


def _read_csv(content: FileContent) -> dict[str, ViaImage]:
    """One row for each region, whose shape and attributes are JSON, or for an image without regions."""
    images: dict[str, ViaImage] = {}
    try:
        rows = list(csv.reader(io.StringIO(content.data_without_bom.decode("utf-8"), newline="")))
    except UnicodeDecodeError as error:
        raise not_utf8(content.name, error) from None
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
            images[name + size] = ViaImage(name, [], _decode_cell(content.name, i, facts, Any))
        region = ViaRegion(
            _decode_cell(content.name, i, shape, ViaShape), _decode_cell(content.name, i, attributes, dict[str, Any])
        )
        regions = images[name + size].regions
        if isinstance(regions, list) and region.shape_attributes and region.shape_attributes.name:
            regions.append(region)
    return images


def _decode_cell(file: str, row: int, text: str, type: Any) -> Any:
    try:
        return msgspec.json.decode(text or "{}", type=type)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InputError(file, f"row {row}", f"{short_repr(text)} is not readable: {error}", "Repair it.") from None
