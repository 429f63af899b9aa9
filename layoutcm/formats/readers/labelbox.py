"""Labelbox: export v2 (one data row a line), export v1, and the NDJSON with which annotations are imported.

Boxes are top, left, height and width; polygons are lists of points. Masks are addresses, which are never opened. A data
row is an image or a PDF. Exports v2 count the pages of a PDF from 1; the other two count them from 0. Several labels of
one data row are several annotations of it, by those who created them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.json_keys import json_type
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import Point, StatedSize, literal, name_in_address, place_text
from layoutcm.layouts.page_names import IMAGE_SUFFIXES

KNOWN_UNITS = (None, "POINTS", "PIXELS")
LAST_PAGE = 2**31 - 2
is_labelbox = Needs("json", ("data_row", "projects"), typical=("media_attributes",))
is_labelbox_v1 = Needs("json", ("Labeled Data", "Label"), typical=("DataRow ID",))
is_labelbox_import = Needs("json", ("uuid", "dataRow"))

BOX = json_type({"top!": float, "left!": float, "height!": float, "width!": float})
# An object of any of the three files; each has its own names for the label, the box and the page.
OBJECT = {
    **{"name": str, "title": str, "value": Any, "schemaId": str},
    **{"bounding_box": BOX, "bbox": BOX, "polygon": [Point], "unit": str, "confidence": float},
    **{"page_number": int, "page": int},  # from 1, from 0
    **dict.fromkeys(("point", "line", "mask", "composite_mask", "instanceURI"), Any),
}
ANNOTATIONS = json_type({"objects": [OBJECT], "classifications": Any, "frames": Any})  # frames are of a video
LABEL = {"annotations": ANNOTATIONS, "label_details": {"created_by": str}}
DATA_ROW = {"id": str, "global_key": str, "external_id": str, "row_data": str}
PROJECTS = {"*": {"name": str, "labels": [LABEL]}}
EXPORT_ROW = json_type({"data_row!": DATA_ROW, "media_attributes": StatedSize, "projects": PROJECTS})
# A label of export v1, and one with all its keys, to see what it has instead of objects.
OLD_EXPORT_ROW = json_type(
    {
        **{"DataRow ID": str, "External ID": str, "Labeled Data": Any, "Label": ANNOTATIONS | str},
        **{"Created By": str, "Skipped": bool, "Media Attributes": StatedSize},
    }
)
ANY_LABEL = json_type({"Label": Any})

ROW_KEY = json_type({"id": str, "globalKey": str})
IMPORT_ROW = json_type({**OBJECT, "dataRow": (ROW_KEY, msgspec.field(default_factory=ROW_KEY))})


class Version(NamedTuple):
    """One annotation of a data row: by whom, its objects, and the place of the first object, to be formatted."""

    annotator: str
    objects: Sequence[Any]
    place: str


class Media(NamedTuple):
    """A data row: its name, another name of it, and its size."""

    name: str
    otherwise: str
    size: StatedSize | None


def read_labelbox(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    rows = content.decode_each(EXPORT_ROW)
    several = len({key for row in rows for key in row.projects or {}}) > 1
    for i, row in enumerate(rows):
        versions = []
        for key, project in (row.projects or {}).items():
            for k, label in enumerate(project.labels or []):
                user = (label.label_details.created_by if label.label_details else None) or ""
                annotator = f"{project.name or key}: {user}" if several else user
                place = f"[{i}].projects.{key}.labels[{k}].annotations.objects"
                objects = _objects(label.annotations, content.name, place)
                versions.append(Version(annotator, objects, literal(place) + "[{}]"))
        data_row = row.data_row
        others = [data_row.external_id, name_in_address(data_row.row_data), data_row.id]
        name = data_row.global_key or next(filter(None, others), "")
        media = Media(name, data_row.external_id or _file_name(others[1]), row.media_attributes)
        _add_row(media, versions, f"[{i}]", builder)


def _file_name(name: str | None) -> str:
    """The name if it is that of an image; the address of a data row may also end in a key."""
    return name if name and name.lower().endswith(tuple(IMAGE_SUFFIXES)) else ""


def read_labelbox_v1(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    rows = content.decode_each(OLD_EXPORT_ROW)
    _check_old_labels(content, rows)
    by_data_row: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        by_data_row.setdefault(row.DataRow_ID or row.External_ID or f"row {i}", []).append(i)
    for key, positions in by_data_row.items():
        versions = []
        for i in positions:
            row = rows[i]
            if row.Skipped or not isinstance(row.Label, ANNOTATIONS):
                continue
            place = f"[{i}].Label.objects"
            versions.append(Version(row.Created_By or "", _objects(row.Label, content.name, place), place + "[{}]"))
        first = rows[positions[0]]
        name = first.External_ID or name_in_address(first.Labeled_Data) or key
        media = Media(name, key if name != key else "", first.Media_Attributes)
        _add_row(media, versions, f"[{positions[0]}]", builder)


def _check_old_labels(content: FileContent, rows: Sequence[Any]) -> None:
    """Refuse exports of 2018, which have outlines by label; an empty label is a page without objects."""
    unknown = [i for i, row in enumerate(rows) if isinstance(row.Label, ANNOTATIONS) and row.Label == ANNOTATIONS()]
    labels = content.decode_each(ANY_LABEL) if unknown else []
    outlined = next((i for i in unknown if labels[i].Label), None)
    if outlined is not None:
        problem = "there are no objects, but outlines by label, which do not say from where y counts"
        raise InputError(content.name, f"[{outlined}].Label", problem, "Export it again as export v2.")


def read_labelbox_import(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    rows = content.decode_each(IMPORT_ROW)
    by_data_row: dict[tuple[str, str], list[int]] = {}
    for i, row in enumerate(rows):
        by_data_row.setdefault((row.dataRow.globalKey or "", row.dataRow.id or ""), []).append(i)
    for (key, row_id), positions in by_data_row.items():
        media = Media(key or row_id or content.stem, row_id if key else "", None)
        places = {id(rows[i]): i for i in positions}
        _add_pages(media, [rows[i] for i in positions], [rows[i] for i in positions],
                   lambda one, k, places=places: ("[{}]", places[id(one)]), f"[{positions[0]}]", builder)  # fmt: skip


def _label(one: Any) -> str:
    return one.name or one.title or (one.value if isinstance(one.value, str) else "") or one.schemaId or ""


def _number(one: Any) -> int | None:
    """The page of a PDF from 1, None for an image."""
    return one.page_number if one.page is None else one.page + 1


def _objects(annotations: Any, file: str, place: str) -> Sequence[Any]:
    if annotations is None or annotations.objects:
        return annotations.objects or [] if annotations else []
    if annotations.frames:
        raise InputError(file, place, "these are frames of a video", "Export images or PDFs.")
    return []


def _add_row(media: Media, versions: Sequence[Version], place: str, builder: LayoutBuilder) -> None:
    """Add the pages of a data row with the regions of one of its annotations."""
    chosen = builder.annotators.choose_last([one.annotator for one in versions])
    if len(versions) > 1 and builder.annotators.wanted is None:
        builder.note_unusual("several-annotators", place)
    if not versions:
        builder.note_unusual("page-left-out", place, what="data rows were skipped or have no label")
        return
    known = [one for version in versions for one in version.objects]
    objects, text = ([], "") if chosen is None else versions[chosen][1:]
    _add_pages(media, objects, known, lambda one, k: (text, k), place, builder)


def _add_pages(
    media: Media,
    objects: Sequence[Any],
    known: Iterable[Any],
    place_of: Any,
    place: str,
    builder: LayoutBuilder,
) -> None:
    """Add the pages that are named by any of the known objects, and the chosen objects as regions."""
    numbers = sorted({number for one in known if (number := _number(one)) is not None})
    wrong = next((n for n in numbers if not 1 <= n <= LAST_PAGE), None)
    if wrong is not None:
        raise InputError(builder.file, place, f"{wrong - 1:,} is not a page", "Repair this value.")
    pages: dict[int | None, int] = {}
    if not numbers:
        size = media.size or StatedSize()
        pages[None] = builder.add_page(media.name, size.width, size.height, place, otherwise=media.otherwise)
    stem = media.name.removesuffix(".pdf")
    for n in numbers:
        pages[n] = builder.add_numbered_page(stem, n, 2, place=place, in_points=True)
    for k, one in enumerate(objects):
        where = place_of(one, k)
        page = pages.get(_number(one))
        if page is None:  # an object of the whole PDF
            builder.note_unusual("not-an-area", place_text(where))
        else:
            _add_region(one, page, where, builder)


def _add_region(one: Any, page: int, place: tuple[str, object], builder: LayoutBuilder) -> None:
    if one.unit not in KNOWN_UNITS:
        problem = f"the unit {short_repr(one.unit)} is not read"
        raise InputError(builder.file, place_text(place), problem, "Write POINTS or PIXELS.")
    box = one.bounding_box or one.bbox
    if box:
        corners = (box.left, box.top, box.left + box.width, box.top + box.height)
        builder.add_region(page, _label(one), corners, place, one.confidence)
    elif one.polygon and len(one.polygon) > 2:
        builder.add_outline(page, _label(one), [(point.x, point.y) for point in one.polygon], place, one.confidence)
    elif one.mask or one.composite_mask or (one.instanceURI and not one.point and not one.line):
        builder.note_unusual("mask-left-out", place_text(place))
    else:
        builder.note_unusual("not-an-area", place_text(place))
