"""Programs that find the parts of PDFs.

- OpenDataLoader: a tree of elements with boxes in points; y counts from the bottom, and pages have no size. Rows and
  cells of tables are not regions; what is in them is inside the table.
- GROBID: TEI whose elements have `coords`, a list of rectangles "page,x,y,width,height" in points. An element has a
  rectangle for each of its lines or parts, and each becomes a region: the box around all would cover the other column.
  Only elements that were requested with `teiCoordinates` have coordinates.
- HURIDOCS pdf-document-layout-analysis: segments with corner and size in points, and the size of their page.
- Unstructured: a list of elements, each with its page number and, if requested, its coordinates.
- pdffigures2: figures and tables with their captions, as its output (points, no page size) and as its ground truth.
  Pages count from 0 in the output and from 1 in the annotations. An annotated page without figures is a blank page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any
from xml.etree.ElementTree import Element

import msgspec

from layoutcm.errors import InputError, check_count, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.json_keys import Corners, json_type, walk_tree
from layoutcm.formats.markup import elements, local_name
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import is_picture_or_table, literal, parse_number_list, parse_size, place_text
from layoutcm.layouts import limits

CELLS = ("table row", "table cell")
BRANCHES = {"kids": "kids", "rows": "rows", "cells": "cells", "list_items": "list items"}
is_opendataloader = Needs("object", ("number of pages", "kids"), typical=("bounding box",))


class Node(msgspec.Struct):
    type: str | None = None
    page: int | None = msgspec.field(name="page number", default=None)
    box: tuple[float, float, float, float] | None = msgspec.field(name="bounding box", default=None)
    kids: list[Node] | None = None
    rows: list[Node] | None = None
    cells: list[Node] | None = None
    list_items: list[Node] | None = msgspec.field(name="list items", default=None)


NODE_TREE = json_type({"kids!": [Node], "file name": str, "number of pages": int})


def read_opendataloader(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(NODE_TREE)
    hides = lambda node: not options.nested and node.type not in CELLS and is_picture_or_table(node.type or "")
    tree = walk_tree(file.kids, "kids", BRANCHES, lambda node: not hides(node))
    nodes = [(place, node) for place, node, _ in tree if node.type not in CELLS]
    used = {node.page for _, node in nodes if node.page is not None and node.box}
    if nodes and not used:
        problem = "no element has a `page number` and a `bounding box`"
        raise InputError(content.name, "kids", problem, "Convert the document again.")
    document = PurePosixPath((file.file_name or content.stem).replace("\\", "/")).stem
    check_count(file.number_of_pages or 0, limits.MAX_STATED_PAGES, "pages", content.name, "number of pages")
    numbers = used.union(range(1, (file.number_of_pages or 0) + 1))
    pages = builder.add_document_pages(document, numbers, {}, in_points=True)
    for place, node in nodes:
        if node.page is None or node.box is None or not node.type:
            what = "elements have no type, no page number or no bounding box"
            builder.note_unusual("no-place", place_text(place), what=what)
            continue
        x0, bottom, x1, top = node.box
        height = builder.page_size(pages[node.page])[1]
        builder.add_region(pages[node.page], node.type, (x0, height - top, x1, height - bottom), place)


BLOCKS = {"title", "head", "p", "figure", "figDesc", "table", "formula", "note", "biblStruct", "list", "item"}
GROBID_CONTAINERS = {"figure", "table"}
SENTENCE = "s"
REFERENCE = "biblStruct"  # titles inside a reference are part of it
Rectangle = tuple[int, float, float, float, float]  # page, x, y, width, height
# Also without places, which is refused with a hint.
is_grobid = Needs("xml", ("TEI",), typical=("facsimile", "surface")) | Needs("xml", ("teiCorpus",), typical=("TEI",))


def read_grobid(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    sizes: dict[int, tuple[float | None, float | None]] = {}
    regions: list[tuple[str, Rectangle]] = []
    for root in elements(content, "TEI"):
        for surface in root.iter():
            if local_name(surface.tag) == "surface" and surface.get("n", "").encode().isdigit():
                sizes[int(surface.get("n", "")[:9])] = parse_size(surface.get("lrx"), surface.get("lry"))
        regions += _tei_regions(content.name, root, options)
    if not regions:
        problem = "no paragraph, figure or other block has coords"
        hint = "Ask GROBID for them: teiCoordinates=p, head, figure, table, formula, note and biblStruct."
        raise InputError(content.name, "", problem, hint)
    numbers = set(sizes) | {rectangle[0] for _, rectangle in regions}
    document = content.stem.removesuffix(".tei").removesuffix(".grobid")
    pages = builder.add_document_pages(document, numbers, sizes, in_points=True)
    for i, (label, (page, x, y, width, height)) in enumerate(regions):
        place = (f"{literal(label)}, rectangle {{}}", i + 1)
        builder.add_region(pages[page], label, (x, y, x + width, y + height), place)


def _tei_regions(file: str, root: Element, options: Options) -> Iterator[tuple[str, Rectangle]]:
    """Label and rectangle of each region, in the order of the file.

    A block without coordinates has those of its sentences, if these were requested instead. The title of the document
    is in its header twice, at the same place.
    """
    seen = set()
    todo = [(root, "")]  # an element, and the block without coordinates that it is in
    while todo:
        element, block = todo.pop()
        name = local_name(element.tag)
        coords = element.get("coords")
        if coords and (name in BLOCKS or (name == SENTENCE and block)):
            kind = element.get("type") if name == "figure" else None
            label = f"{name}:{kind}" if kind else name if name in BLOCKS else block
            if (label, coords) not in seen:
                yield from ((label, rectangle) for rectangle in _rectangles(file, coords, name))
            seen.add((label, coords))
        if not coords or (name != REFERENCE and (options.nested or name not in GROBID_CONTAINERS)):
            inner = "" if coords else name if name in BLOCKS else block
            todo += [(child, inner) for child in reversed(element)]


def _rectangles(file: str, coords: str, name: str) -> Iterator[Rectangle]:
    for text in filter(str.strip, coords.split(";")):
        numbers = parse_number_list(text)
        if numbers is None or len(numbers) != 5 or not 0 <= numbers[0] < 1e6:
            problem = f"{short_repr(text)} is not a page, x, y, width and height"
            raise InputError(file, f"{name}/coords", problem, "Process the PDF again.")
        yield int(numbers[0]), *numbers[1:]  # type: ignore[misc] # the length was checked


is_huridocs = Needs("array", ("left", "top", "width", "height", "page_number", "page_width", "page_height"))
BOX_ON_PAGE = {"left!": float, "top!": float, "width!": float, "height!": float, "page_number!": int}
SEGMENTS = json_type([{**BOX_ON_PAGE, "page_width!": float, "page_height!": float, "type": (str, "")}])


def read_huridocs(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    segments = content.decode(SEGMENTS)
    sizes = {segment.page_number: (segment.page_width, segment.page_height) for segment in reversed(segments)}
    pages = builder.add_document_pages(content.stem, sizes, sizes, in_points=False)
    for i, segment in enumerate(segments):
        x, y = segment.left, segment.top
        box = (x, y, x + segment.width, y + segment.height)
        builder.add_region(pages[segment.page_number], segment.type, box, ("[{}]", i))


CONTAINERS = ("Image", "Table", "Figure")
is_unstructured = Needs("array", ("type", "element_id", "metadata"))
COORDINATES = {"points": [tuple[float, float]], "system": str, "layout_width": float, "layout_height": float}
METADATA = {
    "page_number": int,
    "filename": str,
    "coordinates": COORDINATES,
    "detection_class_prob": float,
    "parent_id": str,
}
UNSTRUCTURED = json_type([{"type!": str, "element_id": str, "metadata": METADATA}])


def read_unstructured(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    elements = content.decode(UNSTRUCTURED)
    placed = [
        (i, element, element.metadata)
        for i, element in enumerate(elements)
        if element.metadata and _points(element.metadata)
    ]
    if not placed:
        hint = "Partition the document with strategy='hi_res' and keep metadata.coordinates."
        raise InputError(content.name, "", f"none of the {len(elements):,} elements has coordinates", hint)
    kinds = {element.element_id: element.type for element in elements}
    keys = {(meta.filename or content.stem, meta.page_number or 1) for _, _, meta in placed}
    pages_of_file = Counter(file for file, _ in keys)
    pages: dict[tuple[str, int], int] = {}
    for i, element, meta in placed:
        key = (meta.filename or content.stem, meta.page_number or 1)
        coordinates = meta.coordinates
        if key not in pages:
            document = PurePosixPath(key[0]).stem
            size, place = (coordinates.layout_width, coordinates.layout_height), f"[{i}].metadata.coordinates"
            pages[key] = builder.add_numbered_page(document, key[1], pages_of_file[key[0]], size, place)
        if not options.nested and kinds.get(meta.parent_id) in CONTAINERS:
            continue
        ring = _points(meta)
        if coordinates.system == "PointSpace":  # y increases upwards
            ring = [(x, builder.page_size(pages[key])[1] - y) for x, y in ring]
        builder.add_outline(pages[key], element.type, ring, ("[{}].metadata.coordinates", i), meta.detection_class_prob)
    for _ in range(len(elements) - len(placed)):
        builder.note_unusual("no-place", "the list", what="elements have no coordinates")


def _points(meta: Any) -> list[tuple[float, float]]:
    points = meta.coordinates.points if meta.coordinates else None
    return points if points and len(points) > 1 else []


CAPTION = "Caption"
_ANNOTATED_DOCUMENT = re.compile(rb'\s*+\{\s*+"[^"\\]{0,1000}+"\s*+:\s*+\{\s*+"(?:figures|pages_annotated)"\s*+:')
is_pdffigures2 = (
    Needs("array", ("regionBoundary", "figType"))
    | Needs("object", ("regionless-captions",))
    | Needs("object", ("figures",), ("regionBoundary",))
)
is_pdffigures2_gt = Needs(
    "object", inside=("pages_annotated",), typical=("figures",),
    also=lambda content: _ANNOTATED_DOCUMENT.match(content.json_head) is not None,
)  # fmt: skip
BOX = json_type({"x1!": float, "y1!": float, "x2!": float, "y2!": float})
FIGURE = {"page!": int, "figType": str, "regionBoundary": BOX, "captionBoundary": BOX}
FIGURES = json_type([{**FIGURE, "boundary": BOX}])  # the last is of a caption without a figure
OUTPUT = json_type({"figures": (FIGURES, []), "regionless-captions": (FIGURES, [])})
PAGE_OF_FIGURE = {"page!": int, "page_width!": float, "page_height!": float}
BOXES_OF_FIGURE = {"region_bb": Corners, "region_bb2": Corners, "caption_bb": Corners}
ANNOTATED = [{**PAGE_OF_FIGURE, **BOXES_OF_FIGURE, "figure_type": str}]
ANNOTATED_DOCUMENTS = json_type({"*": {"figures": (ANNOTATED, []), "pages_annotated": (list[int], [])}})


def read_pdffigures2(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    if content.json_root == "array":
        figures = content.decode(FIGURES)
    else:
        output = content.decode(OUTPUT)
        figures = [*output.figures, *output.regionless_captions]
    pages = builder.add_document_pages(content.stem, {figure.page + 1 for figure in figures}, {}, in_points=True)
    for i, figure in enumerate(figures):
        boxes = {figure.figType or "": figure.regionBoundary, CAPTION: figure.captionBoundary or figure.boundary}
        if not any(boxes.values()):
            builder.note_unusual("no-place", f"figures[{i}]", what="figures and captions have no boundary")
        for label, box in boxes.items():
            if box is not None:
                corners = (box.x1, box.y1, box.x2, box.y2)
                builder.add_region(pages[figure.page + 1], label, corners, ("figures[{}]", i))


def read_pdffigures2_gt(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    documents = content.decode(ANNOTATED_DOCUMENTS)
    if not any(document.figures for document in documents.values()):
        raise InputError(content.name, "", "no document has figures, so no page has a size", "Check the file.")
    for name, document in documents.items():
        pages = _add_annotated_pages(name, document, builder)
        place = f"{literal(name)}.figures[{{}}]"
        for i, figure in enumerate(document.figures):
            label = figure.figure_type or ""
            for kind, box in ((label, figure.region_bb), (label, figure.region_bb2), (CAPTION, figure.caption_bb)):
                if box is not None:
                    builder.add_region(pages[figure.page], kind, box, (place, i))


def _add_annotated_pages(name: str, document: Any, builder: LayoutBuilder) -> dict[int, int]:
    """Add the pages of a document; those without figures have the size of the others if that is the same for all."""
    sizes = {figure.page: (figure.page_width, figure.page_height) for figure in reversed(document.figures)}
    size_of_all = set(sizes.values())
    pages = {}
    for n in sorted(set(sizes).union(document.pages_annotated)):
        place = f"{name}, page {n}"
        if n not in sizes and len(size_of_all) != 1:
            builder.note_unusual("no-place", place, what="pages without figures have no size")
            continue
        if n not in sizes:
            builder.note_unusual("size-of-document", place)
        width, height = sizes.get(n) or next(iter(size_of_all))
        pages[n] = builder.add_page(f"{name}_p{n}", width, height, place, document=name, number=n)
    return pages
