"""Adobe PDF Extract (structuredData.json): elements with a path in the structure tree and a box in points.

y counts from the bottom of the page. The label is the last name of the path; parts of an element, such as `Sub`, have
the label of the element. Rows and cells of tables are no regions, paragraphs in them are regions inside the table.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import page_name

PARTS = {"Sub", "Span", "StyleSpan", "ParagraphSpan", "Reference", "HyphenSpan", "ExtraCharSpan"}
CELLS = {"TR", "TH", "TD", "THead", "TBody", "TFoot"}
CONTAINERS = {"Table", "Figure"}
_NUMBER = re.compile(r"\[[0-9]{1,9}\]$")


class Element(msgspec.Struct, gc=False):
    Path: str = ""
    Page: int | None = None
    Bounds: tuple[float, float, float, float] | None = None


class PageBoxes(msgspec.Struct):
    CropBox: tuple[float, float, float, float] | None = None


class Page(msgspec.Struct):
    page_number: int
    boxes: PageBoxes | None = None
    width: float | None = None
    height: float | None = None
    rotation: float | None = None


class Document(msgspec.Struct):
    elements: list[Element]
    pages: list[Page] | None = None


is_adobe_extract = Needs("object", ("elements",), ("Path",), typical=("Bounds",)) | Needs(
    "object", ("elements", "extended_metadata")
)


def read_document(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(Document)
    if file.elements and not any(element.Bounds and element.Page is not None for element in file.elements):
        raise InputError(content.name, "elements", "no element has Bounds and a Page", "Extract the document again.")
    listed = {page.page_number: page for page in file.pages or []}
    used = {element.Page for element in file.elements if element.Page is not None and element.Bounds}
    pages: dict[int, int] = {}
    corners: dict[int, tuple[float, float]] = {}  # upper left corners of pages, which may be parts of larger ones
    for n in sorted(set(listed) | used):
        page = listed.get(n, Page(n))
        if page.rotation:
            builder.note_unusual("rotated-page", f"page {n + 1}")
        name = page_name(content.stem, n + 1, len(set(listed) | used))
        place = f"page {n + 1}"
        pages[n] = builder.add_page(
            name, page.width, page.height, place, document=content.stem, number=n + 1, in_points=True
        )
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
        builder.add_region(pages[element.Page], label, *box, ("elements[{}]", i))


def _upper_left(page: Page, width: float, height: float) -> tuple[float, float]:
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
