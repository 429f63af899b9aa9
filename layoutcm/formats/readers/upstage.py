"""Upstage Document Parse, and DP-Bench, whose file has {document: elements}: boxes in fractions of the page.

The older Layout Analysis of Upstage has pixels in `bounding_box` and page sizes in `metadata`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import HEAD, FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import bounding_box, literal

MOST = 1.5  # a fraction may lie a little outside the page, but not so far
_DOCUMENT_OF_BENCHMARK = re.compile(rb'\s*+\{\s*+"[^"\\]{0,1000}+"\s*+:\s*+\{\s*+"elements"\s*+:')


class Point(msgspec.Struct, gc=False):
    x: float
    y: float


class Element(msgspec.Struct, gc=False):
    page: int = 1
    category: str | None = None
    coordinates: list[Point] | None = None
    bounding_box: list[Point] | None = None


class PageSize(msgspec.Struct):
    page: int
    width: float
    height: float


class Metadata(msgspec.Struct):
    pages: list[PageSize] | None = None


class Document(msgspec.Struct):
    elements: list[Element]
    metadata: Metadata | None = None


ANSWER = (
    Needs("object", ("elements", "api"), ("category", "coordinates"))
    | Needs("object", ("elements", "api"), ("category", "bounding_box"))
    | Needs("object", ("elements", "model"), ("category", "coordinates"))
    | Needs("object", ("elements", "model"), ("category", "bounding_box"))
)
BENCHMARK = Needs("object", inside=("elements", "category", "coordinates")) | Needs(
    "object", inside=("elements", "category", "bounding_box")
)
NEEDS = ANSWER | BENCHMARK


def is_upstage(content: FileContent) -> bool:
    is_of_benchmark = BENCHMARK(content) and _DOCUMENT_OF_BENCHMARK.match(content.json_text[:HEAD]) is not None
    return is_of_benchmark or ANSWER(content)


def read_file(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    if "elements" in content.json_keys:
        documents = {content.name: content.decode(Document)}
    else:
        documents = content.decode(dict[str, Document])
    found = [element for document in documents.values() for element in document.elements]
    if found and not any(element.coordinates or element.bounding_box for element in found):
        raise InputError(content.name, "", "no element has coordinates", "Ask the service for them: coordinates=true.")
    for name, document in documents.items():
        start = "" if "elements" in content.json_keys else f"{name}."
        _read_document(content, PurePosixPath(name.replace("\\", "/")).stem or name, document, start, builder)


def _read_document(content: FileContent, name: str, document: Document, start: str, builder: LayoutBuilder) -> None:
    listed = document.metadata.pages or [] if document.metadata else []
    sizes = {one.page: (one.width, one.height) for one in listed}
    numbers = {element.page for element in document.elements} | set(sizes)
    pages = builder.add_document_pages(name, numbers, sizes, start, in_points=False)
    template = literal(start) + "elements[{}]"
    for i, element in enumerate(document.elements):
        page_index, label = pages[element.page], element.category
        points = [(point.x, point.y) for point in element.coordinates or element.bounding_box or []]
        if label is None or len(points) < 2:
            builder.note_unusual("no-place", template.format(i), what="elements have no category or no coordinates")
        elif element.coordinates:
            box = bounding_box(points)
            _check_fractions(content.name, box, template.format(i))
            builder.add_region_in_parts(page_index, label, box, 1, (template, i))
        else:
            builder.add_region(page_index, label, *bounding_box(points), (template, i))


def _check_fractions(file: str, box: Sequence[float], place: str) -> None:
    if max(box) > MOST:
        problem = f"{max(box):g} is no fraction of the page, and pixels have no page size here"
        raise InputError(file, f"{place}.coordinates", problem, "Analyse the document with Document Parse 2.")
