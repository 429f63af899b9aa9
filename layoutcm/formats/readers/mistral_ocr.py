"""Mistral OCR: pages with their size in pixels and, since version 4, blocks with their corners.

Earlier versions have places of images only; if there are none either, the file has no layout.
"""

from __future__ import annotations

import msgspec

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import page_name

IMAGE = "image"


class Block(msgspec.Struct, gc=False):
    top_left_x: float | None = None
    top_left_y: float | None = None
    bottom_right_x: float | None = None
    bottom_right_y: float | None = None
    topLeftX: float | None = None  # the names in the TypeScript package
    topLeftY: float | None = None
    bottomRightX: float | None = None
    bottomRightY: float | None = None
    type: str | None = None

    @property
    def box(self) -> tuple[float, float, float, float] | None:
        corners = self.top_left_x, self.top_left_y, self.bottom_right_x, self.bottom_right_y
        if None in corners:
            corners = self.topLeftX, self.topLeftY, self.bottomRightX, self.bottomRightY
        return None if None in corners else corners  # type: ignore[return-value]


class Dimensions(msgspec.Struct):
    width: float | None = None
    height: float | None = None


class Page(msgspec.Struct):
    index: int | None = None
    markdown: str | None = None
    dimensions: Dimensions | None = None
    blocks: list[Block] | None = None
    images: list[Block] | None = None


class Response(msgspec.Struct):
    pages: list[Page]
    model: str | None = None


is_mistral_ocr = Needs("object", ("pages",), ("markdown", "dimensions"))


def read_response(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    response = content.decode(Response)
    has_text = any(page.markdown and page.markdown.strip() for page in response.pages)
    if has_text and not any(page.blocks or page.images for page in response.pages):
        model = short_repr(response.model) if response.model else "this version"
        problem = f"{model} wrote no blocks, and no image has a place, so there is no layout in the file"
        raise InputError(content.name, "pages", problem, "Use mistral-ocr-4 or later, which writes blocks with places.")
    has_blocks = any(page.blocks for page in response.pages)
    for i, page in enumerate(response.pages):
        number = (i if page.index is None else page.index) + 1
        size = page.dimensions or Dimensions()
        name = page_name(content.stem, number, len(response.pages))
        place = f"pages[{i}].dimensions"
        page_index = builder.add_page(name, size.width, size.height, place, document=content.stem, number=number)
        if has_text and not has_blocks:
            builder.note_unusual("images-only", f"pages[{i}]")
        _add_blocks(page, page_index, f"pages[{i}]", builder)


def _add_blocks(page: Page, page_index: int, start: str, builder: LayoutBuilder) -> None:
    """The blocks of a page, and the images that are not among them."""
    added = set()
    for kind, blocks in (("blocks", page.blocks or []), ("images", page.images or [])):
        for k, block in enumerate(blocks):
            box = block.box
            if box is None:
                builder.note_unusual("no-place", f"{start}.{kind}[{k}]", what="blocks have no corners")
            elif kind == "blocks" or box not in added:
                added.add(box)
                label = IMAGE if kind == "images" else block.type or ""
                builder.add_region(page_index, label, *box, (f"{start}.{kind}[{{}}]", k))
