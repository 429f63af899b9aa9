"""OpenDataLoader: a tree of elements with boxes in points; y counts from the bottom, and pages have no size.

Rows and cells of tables are no regions; what is in them is inside the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import FilePlace, is_picture_or_table, place_text
from layoutcm.layouts import limits

CELLS = ("table row", "table cell")
BRANCHES = {"kids": "kids", "rows": "rows", "cells": "cells", "list_items": "list items"}


class Node(msgspec.Struct):
    type: str | None = None
    page: int | None = msgspec.field(name="page number", default=None)
    box: tuple[float, float, float, float] | None = msgspec.field(name="bounding box", default=None)
    kids: list[Node] | None = None
    rows: list[Node] | None = None
    cells: list[Node] | None = None
    list_items: list[Node] | None = msgspec.field(name="list items", default=None)


class Document(msgspec.Struct):
    kids: list[Node]
    file_name: str | None = msgspec.field(name="file name", default=None)
    number_of_pages: int | None = msgspec.field(name="number of pages", default=None)


is_opendataloader = Needs("object", ("number of pages", "kids"), typical=("bounding box",))


def read_document(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(Document)
    nodes = list(_nodes(file.kids, options))
    used = {node.page for _, node in nodes if node.page is not None and node.box}
    if nodes and not used:
        problem = "no element has a `page number` and a `bounding box`"
        raise InputError(content.name, "kids", problem, "Convert the document again.")
    document = PurePosixPath((file.file_name or content.stem).replace("\\", "/")).stem
    if (file.number_of_pages or 0) > limits.MAX_STATED_PAGES:
        problem = f"{file.number_of_pages:,} pages, at most {limits.MAX_STATED_PAGES:,} are read"
        raise InputError(content.name, "number of pages", problem, "Split the file.")
    numbers = used.union(range(1, (file.number_of_pages or 0) + 1))
    pages = builder.add_document_pages(document, numbers, {}, in_points=True)
    for place, node in nodes:
        if node.page is None or node.box is None or not node.type:
            what = "elements have no type, no page number or no bounding box"
            builder.note_unusual("no-place", place_text(place), what=what)
            continue
        x0, bottom, x1, top = node.box
        height = builder.page_size(pages[node.page])[1]
        builder.add_region(pages[node.page], node.type, x0, height - top, x1, height - bottom, place)


def _nodes(kids: list[Node], options: Options) -> Iterator[tuple[FilePlace, Node]]:
    """All elements that may be regions, in the order of the file; a list instead of recursion, for deep trees."""
    todo = [("kids[{}]", k, node) for k, node in reversed(list(enumerate(kids)))]
    while todo:
        template, k, node = todo.pop()
        if node.type not in CELLS:
            yield (template, k), node
        if not options.nested and is_picture_or_table(node.type or "") and node.type not in CELLS:
            continue
        for attribute, name in reversed(BRANCHES.items()):
            children: list[Node] | None = getattr(node, attribute)
            if children:
                below = f"{template.format(k)}.{name}[{{}}]"  # one text for all of them
                todo += [(below, i, child) for i, child in reversed(list(enumerate(children)))]
