"""Upstage Document Parse, and DP-Bench, whose file has {document: elements}: boxes in fractions of the page.

The older Layout Analysis of Upstage has pixels in `bounding_box` and page sizes in `metadata`.
"""

from __future__ import annotations

from pathlib import PurePosixPath

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import DECODE_ERRORS, FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import bounding_box, literal
from layoutcm.layouts import limits


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


class Usage(msgspec.Struct):
    pages: int | None = None


class Document(msgspec.Struct):
    elements: list[Element]
    metadata: Metadata | None = None
    usage: Usage | None = None

    @property
    def stated_pages(self) -> int:
        """The number of pages of a document without elements; of others, only pages with elements are known."""
        if self.elements:
            return 0
        return min((self.usage.pages if self.usage else None) or 1, limits.MAX_STATED_PAGES)


ANSWER = (
    Needs("object", ("elements", "api"), ("category", "coordinates"))
    | Needs("object", ("elements", "api"), ("category", "bounding_box"))
    | Needs("object", ("elements", "model"), ("category", "coordinates"))
    | Needs("object", ("elements", "model"), ("category", "bounding_box"))
    | Needs("object", ("elements", "api", "model", "content"))
)
BENCHMARK = Needs("object", inside=("elements", "category", "coordinates")) | Needs(
    "object", inside=("elements", "category", "bounding_box")
)
NEEDS = ANSWER | BENCHMARK


def is_upstage(content: FileContent) -> bool:
    return ANSWER(content) or (BENCHMARK(content) and _has_elements_in_each_value(content))


def _has_elements_in_each_value(content: FileContent) -> bool:
    try:
        documents = msgspec.json.decode(content.json_text, type=dict[str, dict[str, msgspec.Raw]])
    except DECODE_ERRORS:
        return False
    return bool(documents) and all("elements" in document for document in documents.values())


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
    used = {element.page for element in document.elements} | set(sizes)
    numbers = used or range(1, document.stated_pages + 1)
    pages = builder.add_document_pages(name, numbers, sizes, start, in_points=False)
    template = literal(start) + "elements[{}]"
    of_fractions = template + ".coordinates"
    for i, element in enumerate(document.elements):
        page_index, label = pages[element.page], element.category
        points = [(point.x, point.y) for point in element.coordinates or element.bounding_box or []]
        if label is None or len(points) < 2:
            builder.note_unusual("no-place", template.format(i), what="elements have no category or no coordinates")
        elif element.coordinates:
            builder.add_region_in_parts(page_index, label, bounding_box(points), 1, (of_fractions, i))
        else:
            builder.add_region(page_index, label, *bounding_box(points), (template, i))
