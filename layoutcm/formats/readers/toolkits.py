"""Toolkits for layout detection: Marker, Surya, LayoutParser and PaddleX.

- Marker: a tree of document, pages and blocks; a group contains blocks and is itself a region. Its output for chunks is
  a list of blocks, each with the number of its page, and the pages beside it.
- Surya: {document: [pages]}, boxes and outlines in pixels of the image that the model was given. Pages of its layout
  detection have `bboxes`, those of its OCR have `blocks`.
- LayoutParser: rectangles and quadrilaterals as JSON or CSV; intervals have no box and are left out.
- PaddleX and PaddleOCR: results of layout detection, of the layout parsing pipeline, and of its web service. The
  pipeline writes detected boxes and merged boxes. The detected boxes are read if present, because they have scores.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

import msgspec

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.json_keys import Corners, json_type, walk_tree
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import (
    FilePlace,
    StatedSize,
    bounding_box,
    corner_points,
    parse_number,
    parse_number_list,
    place_text,
)

# Smaller than blocks: lines, words and characters, and the cells of a table.
BELOW_BLOCKS = ("Line", "Span", "Char", "TableCell")
CONTAINERS = ("Picture", "Figure", "Table")
is_marker = Needs("object", ("block_type", "children"), typical=("polygon",)) | Needs(
    "object", ("blocks", "page_info"), ("block_type",), typical=("polygon",)
)


class MarkerBlock(msgspec.Struct):
    block_type: str
    bbox: list[float] | None = None
    polygon: list[tuple[float, float]] | None = None
    children: list[MarkerBlock] | None = None


FRAME = json_type({"bbox": [float], "polygon": [tuple[float, float]]})
CHUNK = {"page": (int, 0), "block_type!": str, "bbox": [float], "polygon": [tuple[float, float]]}  # pages count from 0
CHUNKS = json_type({"blocks!": [{**CHUNK, "children": [MarkerBlock]}], "page_info!": dict[int, FRAME]})  # type: ignore[valid-type]


def read_marker(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    if "page_info" in content.json_keys:
        _read_chunks(content, builder)
    else:
        _read_tree(content, options, builder)


def _read_chunks(content: FileContent, builder: LayoutBuilder) -> None:
    file = content.decode(CHUNKS)
    pages = {}
    for n, frame in sorted(file.page_info.items()):
        place = f"page_info.{n}"
        x0, y0, x1, y1 = bounding_box(_corners(frame, content.name, place))
        page = builder.add_numbered_page(content.stem, n + 1, len(file.page_info), (x1 - x0, y1 - y0), place)
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
    root = content.decode(MarkerBlock)
    pages = [root] if root.block_type == "Page" else root.children or []
    for i, page in enumerate(pages):
        place = f"children[{i}]"
        if page.block_type != "Page":
            problem = f"a {page.block_type} where a Page should be"
            raise InputError(content.name, place, problem, "Give the JSON that marker writes for a whole document.")
        x0, y0, x1, y1 = bounding_box(_corners(page, content.name, place))
        size = x1 - x0, y1 - y0
        page_index = builder.add_numbered_page(content.stem, i + 1, len(pages), size, f"{place}.bbox")
        is_open = lambda block: block.block_type not in (*BELOW_BLOCKS, *(() if options.nested else CONTAINERS))
        tree = walk_tree(page.children or [], f"{place}.children", {"children": "children"}, is_open)
        for block_place, block, _ in tree:
            if block.block_type in BELOW_BLOCKS:
                continue
            ring = [(x - x0, y - y0) for x, y in _corners(block, content.name, block_place)]
            builder.add_outline(page_index, block.block_type, ring, block_place)


def _corners(block: Any, file: str, place: FilePlace) -> list[tuple[float, float]]:
    """The outline of a block, a page or a box, or two of its corners."""
    if block.polygon and len(block.polygon) > 1:
        return block.polygon
    return corner_points(block.bbox or [], file, place)


is_surya = Needs("object", (), inside=("image_bbox", "bboxes")) | Needs(
    "object", (), inside=("image_bbox", "blocks", "reading_order")
)

SURYA_BOXES = [{"label!": str, "bbox": [float], "polygon": [tuple[float, float]], "confidence": float}]
SURYA_PAGES = [{"image_bbox!": Corners, "bboxes": SURYA_BOXES, "blocks": SURYA_BOXES, "page": int}]
SURYA_DOCUMENTS = json_type({"*": SURYA_PAGES})


def read_surya(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    for document, pages in content.decode(SURYA_DOCUMENTS).items():
        for i, page in enumerate(pages):
            number = i + 1 if page.page is None else page.page
            left, top, right, bottom = page.image_bbox
            start = f"{document}[{i}]"
            size = right - left, bottom - top
            page_index = builder.add_numbered_page(document, number, len(pages), size, f"{start}.image_bbox")
            if page.bboxes is None and page.blocks is None:
                problem = "there are neither bboxes nor blocks: only lines of text were asked for"
                raise InputError(content.name, start, problem, "Run surya_layout.")
            kind, boxes = ("bboxes", page.bboxes) if page.bboxes else ("blocks", page.blocks)
            for k, box in enumerate(boxes or []):
                place = f"{start}.{kind}[{k}]"
                shifted = [(x - left, y - top) for x, y in _corners(box, content.name, place)]
                builder.add_outline(page_index, box.label, shifted, place, box.confidence)


NUMBERS = ("x_1", "y_1", "x_2", "y_2", "score")
is_layoutparser = Needs("object", ("page_data", "blocks"), typical=("block_type",))

LAYOUT_BLOCK = json_type(
    {"block_type": (str, "rectangle"), **dict.fromkeys(NUMBERS, float), "points": [float], "type": str}
)
LAYOUT_SIZE = (StatedSize, msgspec.field(default_factory=StatedSize))
LAYOUT_FILE = json_type({"blocks!": [LAYOUT_BLOCK], "page_data": LAYOUT_SIZE})


def is_layoutparser_csv(content: FileContent) -> bool:
    header = content.head_without_bom[:4096].split(b"\n", 1)[0].strip().split(b",")
    return b"block_type" in header and b"x_1" in header


def read_layoutparser(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(LAYOUT_FILE)
    page = builder.add_page(content.stem, file.page_data.width, file.page_data.height, "page_data")
    for i, block in enumerate(file.blocks):
        _add_block(builder, page, block, ("blocks[{}]", i))


def read_layoutparser_csv(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    page = builder.add_page(content.stem, None, None)
    try:
        header, *records = csv.reader(io.StringIO(content.data_without_bom.decode("utf-8"), newline=""))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(content.name, "", f"this CSV cannot be read: {error}", "Save it as UTF-8.") from None
    for i, cells in enumerate(filter(None, records), 2):
        record = dict(zip(header, cells))
        place = ("row {}", i)
        given = {key: record[key] for key in NUMBERS if record.get(key)}
        values = parse_number_list(",".join(given.values())) if given else []
        if values is None or len(values) != len(given):
            values = [parse_number(text, content.name, f"row {i}, column {key}") for key, text in given.items()]
        points = _parse_corner_list(content.name, record.get("points") or "", place)
        kind, label = record.get("block_type") or "", record.get("type")
        block = LAYOUT_BLOCK(block_type=kind, points=points, type=label, **dict(zip(given, values)))
        _add_block(builder, page, block, place)


def _parse_corner_list(file: str, text: str, place: FilePlace) -> list[float] | None:
    if not text:
        return None
    try:
        points = msgspec.convert(json.loads(text), list[float])
    except (ValueError, RecursionError, msgspec.ValidationError):
        at = f"{place_text(place)}, column points"
        raise InputError(file, at, f"{short_repr(text)} is not a list of numbers", "Repair it.") from None
    if not all(map(math.isfinite, points)):
        raise InputError(file, place_text(place), "a coordinate is not a finite number", "Repair or remove the block.")
    return points


def _add_block(builder: LayoutBuilder, page: int, block: Any, place: FilePlace) -> None:
    if block.block_type == "interval":
        builder.note_unusual("interval", place_text(place))
        return
    corners = [v for v in (block.x_1, block.y_1, block.x_2, block.y_2) if v is not None]
    ring = corner_points(block.points or corners, builder.file, place)
    builder.add_outline(page, block.type or "", ring, place, block.score)


PADDLEX_NEEDS = (
    Needs("object", ("boxes", "input_path"), typical=("coordinate",))
    | Needs("object", ("boxes", "page_index"), typical=("coordinate",))
    | Needs("object", ("layout_det_res",), typical=("parsing_res_list",))
    | Needs("object", ("parsing_res_list",), typical=("block_bbox",))
    | Needs("json", ("result",), ("layoutParsingResults",))
)

PADDLE_BOX = {
    **{"coordinate!": [float], "label": str, "cls_id": int, "score": float},
    "polygon_points": [tuple[float, float]],
}
PADDLE_PAGE = json_type(
    {
        **{"input_path": str, "page_index": int, "width": float, "height": float},
        **{"boxes": [PADDLE_BOX], "layout_det_res": {"boxes": ([PADDLE_BOX], [])}},
        "parsing_res_list": [{"block_bbox!": [float], "block_label": (str, "")}],
    }
)
PADDLE_RESULT = json_type({"res!": PADDLE_PAGE})
PADDLE_ANSWER = json_type({"result!": {"layoutParsingResults!": [{"prunedResult!": PADDLE_PAGE}]}})


def is_paddlex(content: FileContent) -> bool:
    return PADDLEX_NEEDS(content) or (content.json_root == "object" and content.json_keys == {"res"})


def read_paddlex(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    for i, (place_prefix, page) in enumerate(_paddle_pages(content)):
        input_name = PurePosixPath((page.input_path or "").replace("\\", "/")).name
        # Each line of JSON lines counts its own pages.
        index = None if content.json_root == "array" else page.page_index
        index = i if index is None and "result" in content.json_keys else index
        name = input_name or content.stem.removesuffix("_res")
        if index is not None:
            document = name.rpartition(".")[0] or name
            size = page.width, page.height
            layout_page = builder.add_numbered_page(document, index + 1, 2, size, place_prefix)
        else:
            layout_page = builder.add_page(name, page.width, page.height, place_prefix.rstrip("."))
        detected = page.boxes if page.boxes is not None else page.layout_det_res.boxes if page.layout_det_res else None
        if detected is not None:
            _add_boxes(builder, layout_page, detected, place_prefix)
        else:
            for k, block in enumerate(page.parsing_res_list or []):
                place = place_prefix + "parsing_res_list[{}]"
                ring = corner_points(block.block_bbox, content.name, (place + ".block_bbox", k))
                builder.add_region(layout_page, block.block_label, bounding_box(ring), (place, k))


def _add_boxes(builder: LayoutBuilder, layout_page: int, boxes: Sequence[Any], place_prefix: str) -> None:
    for k, box in enumerate(boxes):
        ring = corner_points(box.coordinate, builder.file, (place_prefix + "boxes[{}].coordinate", k))
        label = box.label if box.label is not None else f"class {box.cls_id}"
        points = box.polygon_points if builder.options.outlines and box.polygon_points else ring
        builder.add_outline(layout_page, label, points, (place_prefix + "boxes[{}]", k), box.score)


def _paddle_pages(content: FileContent) -> Iterator[tuple[str, Any]]:
    """Yield (prefix of places in the file, page)."""
    if content.json_keys == {"res"}:
        yield "res.", content.decode(PADDLE_RESULT).res
    elif "result" in content.json_keys:
        is_list = content.json_root == "array"  # the service for long documents writes JSON lines
        for n, answer in enumerate(content.decode_each(PADDLE_ANSWER)):
            start = f"[{n}]." if is_list else ""
            for i, pruned in enumerate(answer.result.layoutParsingResults):
                yield f"{start}result.layoutParsingResults[{i}].prunedResult.", pruned.prunedResult
    else:
        yield "", content.decode(PADDLE_PAGE)
