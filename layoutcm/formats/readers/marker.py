"""Marker: a tree of blocks, document, pages, blocks; groups hold their blocks and are regions themselves."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import Content, Options
from layoutcm.formats.parsing import bounding_box, corner_points, page_name

# Below the block: lines and words, and the cells of a table.
SMALL = ("Line", "Span", "Char", "TableCell")
OUTER = ("Picture", "Figure", "Table")


class Block(msgspec.Struct):
    block_type: str
    bbox: list[float] | None = None
    polygon: list[tuple[float, float]] | None = None
    children: list[Block] | None = None


def is_marker(content: Content) -> bool:
    return content.json_root == "object" and {"block_type", "children"} <= content.json_keys


def read_tree(content: Content, options: Options, rows: LayoutBuilder) -> None:
    root = content.decode(Block)
    pages = [root] if root.block_type == "Page" else root.children or []
    for i, page in enumerate(pages):
        place = f"children[{i}]"
        if page.block_type != "Page":
            problem = f"a {page.block_type} where a Page should be"
            raise InputError(content.name, place, problem, "Give the JSON that marker writes for a whole document.")
        x0, y0, x1, y1 = bounding_box(_ring(page, content.name, place))
        name = page_name(content.stem, i + 1, len(pages))
        at = rows.page(name, x1 - x0, y1 - y0, f"{place}.bbox", document=content.stem, number=i + 1)
        for where, block in _blocks(page.children or [], place, options):
            ring = [(x - x0, y - y0) for x, y in _ring(block, content.name, where)]
            rows.outline(at, block.block_type, ring, where)


def _ring(block: Block, file: str, place: str) -> list[tuple[float, float]]:
    if block.polygon and len(block.polygon) > 1:
        return block.polygon
    return corner_points(block.bbox or [], file, place)


def _blocks(blocks: list[Block], start: str, options: Options) -> Iterator[tuple[str, Block]]:
    for k, block in enumerate(blocks):
        place = f"{start}.children[{k}]"
        if block.block_type in SMALL:
            continue
        yield place, block
        if options.nested or block.block_type not in OUTER:
            yield from _blocks(block.children or [], place, options)
