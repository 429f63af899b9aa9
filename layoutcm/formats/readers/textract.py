"""AWS Textract: blocks in fractions of the page; only blocks of the LAYOUT feature are regions.

The file contains no page size, and a response may consist of several parts.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import page_name, pixels_from_fraction

LAYOUT = "LAYOUT_"
CONTAINERS = ("LAYOUT_FIGURE", "LAYOUT_TABLE", "LAYOUT_LIST")


class Box(msgspec.Struct):
    Left: float
    Top: float
    Width: float
    Height: float


class Corner(msgspec.Struct):
    X: float
    Y: float


class Geometry(msgspec.Struct):
    BoundingBox: Box | None = None
    Polygon: list[Corner] | None = None


class Relation(msgspec.Struct):
    Type: str | None = None
    Ids: list[str] = []


class Block(msgspec.Struct):
    BlockType: str
    Id: str | None = None
    Page: int | None = None
    Confidence: float | None = None
    Geometry: Geometry | None = None
    Relationships: list[Relation] | None = None


class Response(msgspec.Struct):
    Blocks: list[Block]


is_textract = Needs("json", ("Blocks",), typical=("BlockType", "BoundingBox"))


def read_response(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    is_list = content.json_root == "array"
    responses = content.decode(list[Response]) if is_list else [content.decode(Response)]
    blocks = [
        (f"[{i}].Blocks[{k}]" if is_list else f"Blocks[{k}]", block)
        for i, response in enumerate(responses)
        for k, block in enumerate(response.Blocks)
        if block.BlockType == "PAGE" or block.BlockType.startswith(LAYOUT)
    ]
    if all(block.BlockType == "PAGE" for _, block in blocks):
        raise InputError(
            content.name,
            "Blocks",
            "there is no LAYOUT block: the text was analysed without its layout",
            "Call AnalyzeDocument with LAYOUT among its FeatureTypes.",
        )
    numbers = sorted({block.Page or 1 for _, block in blocks})
    pages = {
        n: builder.add_page(page_name(content.stem, n, len(numbers)), None, None, document=content.stem, number=n)
        for n in numbers
    }
    nested_ids = set() if options.nested else _nested_ids(block for _, block in blocks)
    for place, block in blocks:
        if block.BlockType != "PAGE" and block.Id not in nested_ids:
            _add_region(content.name, builder, pages[block.Page or 1], block, place)


def _nested_ids(blocks: Iterable[Block]) -> set[str]:
    """Ids of blocks inside a figure, a table or a list."""
    return {
        key
        for block in blocks
        if block.BlockType in CONTAINERS
        for relation in block.Relationships or []
        for key in relation.Ids
    }


def _add_region(file: str, builder: LayoutBuilder, page: int, block: Block, place: str) -> None:
    box = block.Geometry.BoundingBox if block.Geometry else None
    if box is None or block.Geometry is None:
        raise InputError(file, place, "there is no Geometry.BoundingBox", "Export the response again.")
    width, height = builder.page_size(page)
    x0, y0 = pixels_from_fraction(box.Left, width), pixels_from_fraction(box.Top, height)
    x1, y1 = pixels_from_fraction(box.Left + box.Width, width), pixels_from_fraction(box.Top + box.Height, height)
    corners = [
        (pixels_from_fraction(corner.X, width), pixels_from_fraction(corner.Y, height))
        for corner in block.Geometry.Polygon or []
    ]
    score = None if block.Confidence is None else block.Confidence / 100
    if builder.options.outlines and len(corners) > 2:
        builder.add_outline(page, block.BlockType, corners, place, score)
    else:
        builder.add_region(page, block.BlockType, x0, y0, x1, y1, place, score)
