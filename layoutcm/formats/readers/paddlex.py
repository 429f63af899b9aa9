"""PaddleX and PaddleOCR: layout detection, the layout parsing pipeline, and the answer of its service.

The pipeline has two lists of boxes, the detected and the merged ones; the detected ones have scores and are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

import msgspec

from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import Content, Options
from layoutcm.formats.parsing import bounding_box, corner_points


class Box(msgspec.Struct, gc=False):
    coordinate: list[float]
    label: str | None = None
    cls_id: int | None = None
    score: float | None = None
    polygon_points: list[tuple[float, float]] | None = None


class Detected(msgspec.Struct):
    boxes: list[Box] = []


class Parsed(msgspec.Struct):
    block_bbox: list[float]
    block_label: str = ""


class Page(msgspec.Struct):
    input_path: str | None = None
    page_index: int | None = None
    width: float | None = None
    height: float | None = None
    boxes: list[Box] | None = None
    layout_det_res: Detected | None = None
    parsing_res_list: list[Parsed] | None = None


class Wrapped(msgspec.Struct):
    res: Page


class Pruned(msgspec.Struct):
    prunedResult: Page


class Parsings(msgspec.Struct):
    layoutParsingResults: list[Pruned]


class Served(msgspec.Struct):
    result: Parsings


def is_paddlex(content: Content) -> bool:
    keys = content.json_keys
    if content.json_root != "object":
        return False
    detected = "boxes" in keys and bool({"input_path", "page_index"} & keys)
    pipeline = bool({"layout_det_res", "parsing_res_list"} & keys)
    wrapped = keys == {"res"} or ("result" in keys and b'"layoutParsingResults"' in content.data)
    return detected or pipeline or wrapped


def read_pages(content: Content, options: Options, rows: LayoutBuilder) -> None:
    for i, (start, page) in enumerate(_pages(content)):
        said = PurePosixPath((page.input_path or "").replace("\\", "/")).name
        index = page.page_index if page.page_index is not None else (i if start.startswith("result") else None)
        name = said or content.stem.removesuffix("_res")
        if index is not None:
            document = name.rpartition(".")[0] or name
            at = rows.page(
                f"{document}_p{index + 1}", page.width, page.height, start, document=document, number=index + 1
            )
        else:
            at = rows.page(name, page.width, page.height, start.rstrip("."))
        detected = page.boxes if page.boxes is not None else page.layout_det_res.boxes if page.layout_det_res else None
        if detected is not None:
            _add_boxes(content.name, rows, at, detected, start)
        else:
            for k, block in enumerate(page.parsing_res_list or []):
                ring = corner_points(block.block_bbox, content.name, (start + "parsing_res_list[{}].block_bbox", k))
                rows.region(at, block.block_label, *bounding_box(ring), (start + "parsing_res_list[{}]", k))


def _add_boxes(file: str, rows: LayoutBuilder, at: int, boxes: list[Box], start: str) -> None:
    for k, box in enumerate(boxes):
        ring = corner_points(box.coordinate, file, (start + "boxes[{}].coordinate", k))
        label = box.label if box.label is not None else f"class {box.cls_id}"
        points = box.polygon_points if rows.options.outlines and box.polygon_points else ring
        rows.outline(at, label, points, (start + "boxes[{}]", k), box.score)


def _pages(content: Content) -> Iterator[tuple[str, Page]]:
    """(where it stands in the file, page)"""
    if content.json_keys == {"res"}:
        yield "res.", content.decode(Wrapped).res
    elif "result" in content.json_keys:
        for i, one in enumerate(content.decode(Served).result.layoutParsingResults):
            yield f"result.layoutParsingResults[{i}].prunedResult.", one.prunedResult
    else:
        yield "", content.decode(Page)
