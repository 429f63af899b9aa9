"""Unstructured: a list of elements, each with its page number and, if requested, its coordinates."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePosixPath

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import page_name

CONTAINERS = ("Image", "Table", "Figure")


class Coordinates(msgspec.Struct):
    points: list[tuple[float, float]] | None = None
    system: str | None = None
    layout_width: float | None = None
    layout_height: float | None = None


class Metadata(msgspec.Struct):
    page_number: int | None = None
    filename: str | None = None
    coordinates: Coordinates | None = None
    detection_class_prob: float | None = None
    parent_id: str | None = None


class Element(msgspec.Struct):
    type: str
    element_id: str | None = None
    metadata: Metadata | None = None


is_unstructured = Needs("array", ("type", "element_id", "metadata"))


def read_elements(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    elements = content.decode(list[Element])
    placed = [
        (i, element, element.metadata)
        for i, element in enumerate(elements)
        if element.metadata and _points(element.metadata)
    ]
    if not placed:
        raise InputError(
            content.name,
            "",
            f"none of the {len(elements):,} elements has coordinates",
            "Partition the document with strategy='hi_res' and keep metadata.coordinates.",
        )
    kinds = {element.element_id: element.type for element in elements}
    keys = {(meta.filename or content.stem, meta.page_number or 1) for _, _, meta in placed}
    pages_of_file = Counter(file for file, _ in keys)
    pages: dict[tuple[str, int], int] = {}
    for i, element, meta in placed:
        key = (meta.filename or content.stem, meta.page_number or 1)
        coordinates = meta.coordinates or Coordinates()
        if key not in pages:
            document = PurePosixPath(key[0]).stem
            name = page_name(document, key[1], pages_of_file[key[0]])
            place = f"[{i}].metadata.coordinates"
            pages[key] = builder.add_page(
                name, coordinates.layout_width, coordinates.layout_height, place, document=document, number=key[1]
            )
        if not options.nested and kinds.get(meta.parent_id) in CONTAINERS:
            continue
        ring = _points(meta)
        if coordinates.system == "PointSpace":  # y increases upwards
            ring = [(x, builder.page_size(pages[key])[1] - y) for x, y in ring]
        builder.add_outline(pages[key], element.type, ring, ("[{}].metadata.coordinates", i), meta.detection_class_prob)
    for _ in range(len(elements) - len(placed)):
        builder.note_unusual("no-place", "the list", what="elements have no coordinates")


def _points(meta: Metadata) -> list[tuple[float, float]]:
    points = meta.coordinates.points if meta.coordinates else None
    return points if points and len(points) > 1 else []
