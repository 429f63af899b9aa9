"""Services that parse documents: Adobe PDF Extract, Upstage, LlamaParse and Mistral OCR.

- Adobe PDF Extract (structuredData.json): elements with a path in the structure tree and a box in points; y counts from
  the bottom of the page. The label is the last name of the path; parts of an element, such as `Sub`, have the label of
  the element. Rows and cells of tables are not regions; paragraphs in them are regions inside the table.
- Upstage Document Parse, and DP-Bench, whose file has {document: elements}: boxes in fractions of the page. The older
  Layout Analysis of Upstage has pixels in `bounding_box` and page sizes in `metadata`.
- LlamaParse (version 1, with `extract_layout`): `layout` of each page, boxes as corner and size in fractions.
- Mistral OCR: pages with their size in pixels and, since version 4, blocks with their corners. Earlier versions have
  places of images only; if there are none either, the file has no layout.
"""

from __future__ import annotations

import re
from functools import lru_cache
from operator import attrgetter
from pathlib import PurePosixPath
from typing import Any

import msgspec

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.json_keys import FRACTIONS, Corners, Keys, add_regions, json_type
from layoutcm.formats.needs import Needs, OneOf
from layoutcm.formats.parsing import Point, SizedBox, StatedSize, bounding_box, literal
from layoutcm.layouts import limits

PARTS = {"Sub", "Span", "StyleSpan", "ParagraphSpan", "Reference", "HyphenSpan", "ExtraCharSpan"}
CELLS = {"TR", "TH", "TD", "THead", "TBody", "TFoot"}
CONTAINERS = {"Table", "Figure"}
_NUMBER = re.compile(r"\[[0-9]{1,9}\]$")
is_adobe_extract = Needs("object", ("elements",), ("Path",), typical=("Bounds",)) | Needs(
    "object", ("elements", "extended_metadata")
)

ADOBE_PAGE = json_type(
    {"page_number!": int, "boxes": {"CropBox": Corners}, "width": float, "height": float, "rotation": float}
)
ADOBE_ELEMENT = {"Path": (str, ""), "Page": int, "Bounds": Corners}
ADOBE_DOCUMENT = json_type({"elements!": [ADOBE_ELEMENT], "pages": [ADOBE_PAGE]})


def read_adobe_extract(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(ADOBE_DOCUMENT)
    if file.elements and not any(element.Bounds and element.Page is not None for element in file.elements):
        raise InputError(content.name, "elements", "no element has Bounds and a Page", "Extract the document again.")
    listed = {page.page_number: page for page in file.pages or []}
    used = {element.Page for element in file.elements if element.Page is not None and element.Bounds}
    pages: dict[int, int] = {}
    corners: dict[int, tuple[float, float]] = {}  # upper left corners of pages, which may be parts of larger ones
    for n in sorted(set(listed) | used):
        page = listed.get(n) or ADOBE_PAGE(page_number=n)
        if page.rotation:
            builder.note_unusual("rotated-page", f"page {n + 1}")
        size, count = (page.width, page.height), len(set(listed) | used)
        pages[n] = builder.add_numbered_page(content.stem, n + 1, count, size, f"page {n + 1}", in_points=True)
        corners[n] = _upper_left(page, *builder.page_size(pages[n]))
    for i, element in enumerate(file.elements):
        label, is_cell, is_nested = _kind(element.Path)
        if is_cell or (is_nested and not options.nested):
            continue
        if element.Bounds is None or element.Page is None or not label:
            builder.note_unusual("no-place", f"elements[{i}]", what="elements have no Path, Bounds or Page")
            continue
        left, upper = corners[element.Page]
        x0, bottom, x1, top = element.Bounds
        box = (x0 - left, upper - top, x1 - left, upper - bottom)
        builder.add_region(pages[element.Page], label, box, ("elements[{}]", i))


def _upper_left(page: Any, width: float, height: float) -> tuple[float, float]:
    """The corner of the page in the coordinates of the file: that of its crop box, unless this is turned."""
    crop = page.boxes.CropBox if page.boxes else None
    if crop is None or abs(crop[2] - crop[0] - width) > 1 or abs(crop[3] - crop[1] - height) > 1:
        return 0.0, height
    return crop[0], crop[3]


@lru_cache(4096)  # tables have many cells with the same names
def _kind(path: str) -> tuple[str, bool, bool]:
    """The label, whether it is a row or a cell of a table, and whether it is inside a picture or table."""
    names = [_NUMBER.sub("", name) for name in path.split("/") if name]
    while len(names) > 1 and names[-1] in PARTS:
        names.pop()
    label = names[-1] if names else ""
    return label, label in CELLS, not CONTAINERS.isdisjoint(names[:-1])


def _is_dp_bench(content: FileContent) -> bool:
    """Whether each value of the outermost object has elements."""
    documents = content.try_decode(dict[str, dict[str, msgspec.Raw]]) or {}
    return bool(documents) and all("elements" in document for document in documents.values())


PLACES = ("coordinates", "bounding_box")
is_upstage = OneOf(
    (
        *(Needs("object", ("elements", key), ("category", box)) for key in ("api", "model") for box in PLACES),
        Needs("object", ("elements", "api", "model", "content")),
        *(Needs("object", inside=("elements", "category", box), also=_is_dp_bench) for box in PLACES),
    )
)

UPSTAGE_ELEMENT = {"page": (int, 1), "category": str, "coordinates": [Point], "bounding_box": [Point]}
UPSTAGE_SIZES = {"pages": [{"page!": int, "width!": float, "height!": float}]}
UPSTAGE_DOCUMENT = json_type({"elements!": [UPSTAGE_ELEMENT], "metadata": UPSTAGE_SIZES, "usage": {"pages": int}})


def read_upstage(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    if "elements" in content.json_keys:
        documents = {content.name: content.decode(UPSTAGE_DOCUMENT)}
    else:
        documents = content.decode(json_type({"*": UPSTAGE_DOCUMENT}))
    found = [element for document in documents.values() for element in document.elements]
    if found and not any(element.coordinates or element.bounding_box for element in found):
        raise InputError(content.name, "", "no element has coordinates", "Ask the service for them: coordinates=true.")
    for name, document in documents.items():
        start = "" if "elements" in content.json_keys else f"{name}."
        _add_document(PurePosixPath(name.replace("\\", "/")).stem or name, document, start, builder)


def _add_document(name: str, document: Any, start: str, builder: LayoutBuilder) -> None:
    listed = document.metadata.pages or [] if document.metadata else []
    sizes = {one.page: (one.width, one.height) for one in listed}
    used = {element.page for element in document.elements} | set(sizes)
    numbers = used or range(1, _stated_pages(document) + 1)
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
            builder.add_region(page_index, label, bounding_box(points), (template, i))


def _stated_pages(document: Any) -> int:
    """The number of pages of a document without elements; of others, only pages with elements are known."""
    if document.elements:
        return 0
    stated = (document.usage.pages if document.usage else None) or 1
    return min(max(stated, 1), limits.MAX_STATED_PAGES)


LLAMA_KEYS = Keys(
    ("label",), "bbox", "entries have no label or no bbox", SizedBox, FRACTIONS, "confidence", places_name_box=False,
    others={"isLikelyNoise": bool | None},
    left_out=lambda entry: {"code": "likely-noise"} if entry.isLikelyNoise else None,
)  # fmt: skip
is_llamaparse = Needs("json", ("pages",), ("md", "layout")) | Needs("json", ("pages", "job_metadata"), ("md",))
LLAMA_PAGE = {"page": int, "width": float, "height": float, "layout": [LLAMA_KEYS.region], "items": [msgspec.Raw]}
LLAMA_RESULT = json_type({"pages!": [LLAMA_PAGE]})


def read_llamaparse(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    pages = [page for result in content.decode_each(LLAMA_RESULT) for page in result.pages]
    # Without `extract_layout` the list may also be there and empty, beside items.
    if not any(page.layout for page in pages) and any(page.layout is None or page.items for page in pages):
        problem = "no page has a layout: LlamaParse was not asked for it, or this is its version 2"
        raise InputError(content.name, "pages", problem, "Parse the document with extract_layout=True, version 1.")
    for i, page in enumerate(pages):
        number = i + 1 if page.page is None else page.page
        size = (page.width or None, page.height or None)
        page_index = builder.add_numbered_page(content.stem, number, len(pages), size, f"pages[{i}]")
        add_regions(builder, page_index, page.layout or [], f"pages[{i}].layout", LLAMA_KEYS)


IMAGE = "image"
is_mistral_ocr = Needs("object", ("pages",), ("markdown", "dimensions"))

MISTRAL_CORNERS = ("top_left_x", "top_left_y", "bottom_right_x", "bottom_right_y")
TYPESCRIPT_CORNERS = ("topLeftX", "topLeftY", "bottomRightX", "bottomRightY")  # the names in the TypeScript package
_CORNER_NAMES = tuple(attrgetter(*names) for names in (MISTRAL_CORNERS, TYPESCRIPT_CORNERS))
MISTRAL_BLOCKS = [{**dict.fromkeys((*MISTRAL_CORNERS, *TYPESCRIPT_CORNERS), float), "type": str}]
MISTRAL_PAGE = {"index": int, "markdown": str, "dimensions": StatedSize}
MISTRAL_PAGES = [{**MISTRAL_PAGE, "blocks": MISTRAL_BLOCKS, "images": MISTRAL_BLOCKS}]
MISTRAL_RESPONSE = json_type({"pages!": MISTRAL_PAGES, "model": str})


def read_mistral_ocr(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    response = content.decode(MISTRAL_RESPONSE)
    has_text = any(page.markdown and page.markdown.strip() for page in response.pages)
    if has_text and not any(page.blocks or page.images for page in response.pages):
        model = short_repr(response.model) if response.model else "this version"
        problem = f"{model} wrote no blocks, and no image has a place, so there is no layout in the file"
        raise InputError(content.name, "pages", problem, "Use mistral-ocr-4 or later, which writes blocks with places.")
    has_blocks = any(page.blocks for page in response.pages)
    for i, page in enumerate(response.pages):
        number = (i if page.index is None else page.index) + 1
        size = page.dimensions or StatedSize()
        place, given = f"pages[{i}].dimensions", (size.width, size.height)
        page_index = builder.add_numbered_page(content.stem, number, len(response.pages), given, place)
        if has_text and not has_blocks:
            builder.note_unusual("images-only", f"pages[{i}]")
        _add_blocks(page, page_index, f"pages[{i}]", builder)


def _add_blocks(page: Any, page_index: int, start: str, builder: LayoutBuilder) -> None:
    """The blocks of a page, and the images that are not among them."""
    added = set()
    for kind, blocks in (("blocks", page.blocks or []), ("images", page.images or [])):
        for k, block in enumerate(blocks):
            box = next((corners for get in _CORNER_NAMES if None not in (corners := get(block))), None)
            if box is None:
                builder.note_unusual("no-place", f"{start}.{kind}[{k}]", what="blocks have no corners")
            elif kind == "blocks" or box not in added:
                added.add(box)
                label = IMAGE if kind == "images" else block.type or ""
                builder.add_region(page_index, label, box, (f"{start}.{kind}[{{}}]", k))
