"""Dolphin: elements with label, box in pixels and reading order, of an image or the pages of a PDF, without sizes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

import msgspec

from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.model_answers import decode_items
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import page_name

FAILED = "distorted_page"  # what Dolphin writes, with a box of the whole page, if the layout cannot be used


class Element(msgspec.Struct, gc=False):
    label: str | None = None
    bbox: list[float] | None = None


class Page(msgspec.Struct):
    page_number: int | None = None
    elements: list[Element] | None = None


class Document(msgspec.Struct):
    pages: list[Page]
    source_file: str | None = None


is_dolphin = Needs("array", ("label", "bbox", "reading_order")) | Needs(
    "object", ("source_file", "pages"), ("elements",)
)


def read_elements(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    if content.json_root == "array":
        elements = decode_items(content, Element, builder)
        _add_elements(builder.add_page(content.stem, None, None), elements, "", builder)
        return
    file = content.decode(Document)
    document = PurePosixPath((file.source_file or content.stem).replace("\\", "/")).stem
    for i, page in enumerate(file.pages):
        number = i + 1 if page.page_number is None else page.page_number
        name = page_name(document, number, len(file.pages))
        index = builder.add_page(name, None, None, f"pages[{i}]", document=document, number=number)
        _add_elements(index, page.elements or [], f"pages[{i}].elements", builder)


def _add_elements(page: int, elements: Sequence[Element], start: str, builder: LayoutBuilder) -> None:
    place = start + "[{}]"
    for k, element in enumerate(elements):
        if element.bbox is None or len(element.bbox) != 4 or element.label is None:
            builder.note_unusual("no-place", place.format(k), what="elements have no label or no box of four numbers")
            continue
        if element.label == FAILED:
            what = "pages were not divided into regions by the model (distorted_page)"
            builder.note_unusual("no-place", place.format(k), what=what)
            continue
        x0, y0, x1, y1 = element.bbox
        builder.note_unit(element.bbox)
        builder.add_region(page, element.label, x0, y0, x1, y1, (place, k))
