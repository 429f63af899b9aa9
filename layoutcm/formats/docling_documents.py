"""A DoclingDocument: the pages and items of a file that docling converted, for all formats that contain one.

Boxes are in points; each box states whether its origin is the lower or the upper left corner. Slides are in EMU, and
boxes in EMU that claim to count from below count from above: docling wrote them so until 2026. Slides that were
converted through a PDF are in points, and their origin is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import Options
from layoutcm.formats.parsing import page_name

CONTAINERS = ("#/pictures/", "#/tables/")
OUTSIDE_CONTAINER = ("caption", "footnote")  # children of a table or picture that lie outside it
EMU_PER_POINT = 12_700.0
LARGEST_PAGE = 500_000  # in points or pixels; a slide has more than 900,000 EMU


class Edges(msgspec.Struct):
    l: float  # noqa: E741 (the name in the file)
    t: float
    r: float
    b: float
    coord_origin: str = "BOTTOMLEFT"


class Prov(msgspec.Struct):
    page_no: int
    bbox: Edges


class Ref(msgspec.Struct):
    ref: str | None = msgspec.field(name="$ref", default=None)
    cref: str | None = None


class Item(msgspec.Struct):
    label: str = ""
    prov: list[Prov] = []
    parent: Ref | None = None


class Size(msgspec.Struct):
    width: float
    height: float


class Page(msgspec.Struct):
    page_no: int
    size: Size | None = None


class NumberedPage(msgspec.Struct):
    """A page of which only the number and the image are wanted."""

    page_no: int
    image: dict[str, msgspec.Raw] | None = None


class Document(msgspec.Struct):
    name: str = ""
    pages: dict[str, Page] = {}
    texts: list[Item] = []
    tables: list[Item] = []
    pictures: list[Item] = []
    key_value_items: list[Item] = []
    form_items: list[Item] = []

    @property
    def has_places(self) -> bool:
        """Whether there are pages, or items with a box."""
        kinds = (self.texts, self.tables, self.pictures, self.key_value_items, self.form_items)
        return bool(self.pages) or any(item.prov for items in kinds for item in items)

    @property
    def is_in_emu(self) -> bool:
        """Whether pages are in EMU, the unit of slides; no other page is that large."""
        sizes = [page.size.width for page in self.pages.values() if page.size]
        return max(sizes, default=0) > LARGEST_PAGE


class Source(NamedTuple):
    """Where a document is: the file, what comes before its keys in messages, and the name of the document."""

    file: str
    prefix: str
    document: str


def add_document(builder: LayoutBuilder, file: Document, source: Source, options: Options) -> None:
    """Add the pages and regions of a document."""
    if not file.has_places:
        raise InputError(
            source.file,
            f"{source.prefix}pages",
            "the document has no pages and its items have no coordinates (it was not made from a PDF or an image)",
            "Convert a PDF or page images instead.",
        )
    unit = EMU_PER_POINT if file.is_in_emu else 1.0
    pages = _add_pages(builder, file, source, unit)
    for kind, item in _items(file, options):
        place = f"{source.prefix}{kind}"
        for k, prov in enumerate(item.prov):
            if prov.page_no not in pages:
                problem = f"it is on page {prov.page_no}, which `pages` does not list"
                raise InputError(source.file, f"{place}.prov[{k}]", problem, "Export the document again.")
            page, box = pages[prov.page_no], prov.bbox
            x0, y0, x1, y1 = box.l, box.t, box.r, box.b
            if box.coord_origin.upper() == "BOTTOMLEFT":
                if unit != 1.0:
                    builder.note_unusual("slides-from-top", f"{place}.prov[{k}]")
                    y0, y1 = box.b, box.t
                else:
                    height = builder.page_size(page)[1]
                    y0, y1 = height - box.t, height - box.b
            if unit != 1.0:
                x0, y0, x1, y1 = x0 / unit, y0 / unit, x1 / unit, y1 / unit
            builder.add_region(page, item.label, x0, y0, x1, y1, (place + ".prov[{}]", k))


def _add_pages(builder: LayoutBuilder, file: Document, source: Source, unit: float) -> dict[int, int]:
    """{page number: page}"""
    pages = {}
    for page in sorted(file.pages.values(), key=lambda page: page.page_no):
        width, height = (page.size.width / unit, page.size.height / unit) if page.size else (None, None)
        name = page_name(source.document, page.page_no, len(file.pages))
        place = f"{source.prefix}pages.{page.page_no}.size"
        pages[page.page_no] = builder.add_page(
            name, width, height, place, document=source.document, number=page.page_no, in_points=True
        )
    return pages


def _items(file: Document, options: Options) -> Iterator[tuple[str, Item]]:
    for kind in ("texts", "tables", "pictures", "key_value_items", "form_items"):
        for i, item in enumerate(getattr(file, kind)):
            parent = (item.parent.ref or item.parent.cref or "") if item.parent else ""
            if options.nested or not parent.startswith(CONTAINERS) or item.label in OUTSIDE_CONTAINER:
                yield f"{kind}[{i}]", item
