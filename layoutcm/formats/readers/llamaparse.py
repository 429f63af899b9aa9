"""LlamaParse (version 1, with `extract_layout`): `layout` of each page, boxes as corner and size in fractions."""

from __future__ import annotations

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import page_name


class Box(msgspec.Struct, gc=False):
    x: float
    y: float
    w: float
    h: float


class Entry(msgspec.Struct, gc=False):
    bbox: Box | None = None
    label: str | None = None
    confidence: float | None = None
    isLikelyNoise: bool | None = None


class Page(msgspec.Struct):
    page: int | None = None
    width: float | None = None
    height: float | None = None
    layout: list[Entry] | None = None
    items: list[msgspec.Raw] | None = None


class Result(msgspec.Struct):
    pages: list[Page]


is_llamaparse = Needs("json", ("pages",), ("md", "layout")) | Needs("json", ("pages", "job_metadata"), ("md",))


def read_result(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    is_list = content.json_root == "array"
    results = content.decode(list[Result]) if is_list else [content.decode(Result)]
    pages = [page for result in results for page in result.pages]
    # Without `extract_layout` the list may also be there and empty, beside items.
    if not any(page.layout for page in pages) and any(page.layout is None or page.items for page in pages):
        problem = "no page has a layout: LlamaParse was not asked for it, or this is its version 2"
        raise InputError(content.name, "pages", problem, "Parse the document with extract_layout=True, version 1.")
    for i, page in enumerate(pages):
        number = i + 1 if page.page is None else page.page
        size = (page.width or None, page.height or None)
        name = page_name(content.stem, number, len(pages))
        page_index = builder.add_page(name, *size, f"pages[{i}]", document=content.stem, number=number)
        place = f"pages[{i}].layout[{{}}]"
        for k, entry in enumerate(page.layout or []):
            if entry.isLikelyNoise:
                builder.note_unusual("likely-noise", place.format(k))
            elif entry.bbox is None or entry.label is None:
                builder.note_unusual("no-place", place.format(k), what="entries have no label or no bbox")
            else:
                box = entry.bbox
                corners = (box.x, box.y, box.x + box.w, box.y + box.h)
                builder.add_region_in_parts(page_index, entry.label, corners, 1, (place, k), entry.confidence)
