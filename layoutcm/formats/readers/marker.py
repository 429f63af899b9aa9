"""Marker: a tree of document, pages and blocks; a group contains blocks and is itself a region.

Its output for chunks is a list of blocks, each with the number of its page, and the pages beside it.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import FilePlace, bounding_box, corner_points, page_name

# Smaller than blocks: lines, words and characters, and the cells of a table.
BELOW_BLOCKS = ("Line", "Span", "Char", "TableCell")
CONTAINERS = ("Picture", "Figure", "Table")


class Block(msgspec.Struct):
    block_type: str
    bbox: list[float] | None = None
    polygon: list[tuple[float, float]] | None = None
    children: list[Block] | None = None


class Chunk(Block):
    page: int = 0  # counted from 0


class PageFrame(msgspec.Struct):
    bbox: list[float] | None = None
    polygon: list[tuple[float, float]] | None = None


class Chunks(msgspec.Struct):
    blocks: list[Chunk]
    page_info: dict[int, PageFrame]


is_marker = Needs("object", ("block_type", "children"), typical=("polygon",)) | Needs(
    "object", ("blocks", "page_info"), ("block_type",), typical=("polygon",)
)


def read_file(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    if "page_info" in content.json_keys:
        _read_chunks(content, builder)
    else:
        _read_tree(content, options, builder)


def _read_chunks(content: FileContent, builder: LayoutBuilder) -> None:
    file = content.decode(Chunks)
    pages = {}
    for n, frame in sorted(file.page_info.items()):
        place = f"page_info.{n}"
        x0, y0, x1, y1 = bounding_box(_corners(frame, content.name, place))
        name = page_name(content.stem, n + 1, len(file.page_info))
        page = builder.add_page(name, x1 - x0, y1 - y0, place, document=content.stem, number=n + 1)
        pages[n] = page, x0, y0
    for i, block in enumerate(file.blocks):
        place = f"blocks[{i}]"
        if block.page not in pages:
            problem = f"it is on page {block.page}, which `page_info` does not list"
            raise InputError(content.name, place, problem, "Convert the document again.")
        page, x0, y0 = pages[block.page]
        ring = [(x - x0, y - y0) for x, y in _corners(block, content.name, place)]
        builder.add_outline(page, block.block_type, ring, place)


def _read_tree(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    root = content.decode(Block)
    pages = [root] if root.block_type == "Page" else root.children or []
    for i, page in enumerate(pages):
        place = f"children[{i}]"
        if page.block_type != "Page":
            problem = f"a {page.block_type} where a Page should be"
            raise InputError(content.name, place, problem, "Give the JSON that marker writes for a whole document.")
        x0, y0, x1, y1 = bounding_box(_corners(page, content.name, place))
        name = page_name(content.stem, i + 1, len(pages))
        page_index = builder.add_page(name, x1 - x0, y1 - y0, f"{place}.bbox", document=content.stem, number=i + 1)
        for block_place, block in _blocks(page.children or [], place, options):
            ring = [(x - x0, y - y0) for x, y in _corners(block, content.name, block_place)]
            builder.add_outline(page_index, block.block_type, ring, block_place)


def _corners(block: Block | PageFrame, file: str, place: FilePlace) -> list[tuple[float, float]]:
    if block.polygon and len(block.polygon) > 1:
        return block.polygon
    return corner_points(block.bbox or [], file, place)


def _blocks(blocks: list[Block], start: str, options: Options) -> Iterator[tuple[FilePlace, Block]]:
    """All blocks below these, in the order of the file; a list instead of recursion, because trees can be deep."""
    todo = [(start + ".children[{}]", k, block) for k, block in reversed(list(enumerate(blocks)))]
    while todo:
        template, k, block = todo.pop()
        if block.block_type in BELOW_BLOCKS:
            continue
        yield (template, k), block
        if block.children and (options.nested or block.block_type not in CONTAINERS):
            below = template.format(k) + ".children[{}]"  # one text for all of them
            todo += [(below, i, child) for i, child in reversed(list(enumerate(block.children)))]
