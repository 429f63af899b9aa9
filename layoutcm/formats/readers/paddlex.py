"""PaddleX and PaddleOCR: results of layout detection, of the layout parsing pipeline, and of its web service.

The pipeline writes detected boxes and merged boxes. The detected boxes are read if present, because they have scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

import msgspec

from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
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


NEEDS = (
    Needs("object", ("boxes", "input_path"), typical=("coordinate",))
    | Needs("object", ("boxes", "page_index"), typical=("coordinate",))
    | Needs("object", ("layout_det_res",), typical=("parsing_res_list",))
    | Needs("object", ("parsing_res_list",), typical=("block_bbox",))
    | Needs("json", ("result",), ("layoutParsingResults",))
)


def is_paddlex(content: FileContent) -> bool:
    return NEEDS(content) or (content.json_root == "object" and content.json_keys == {"res"})


def read_pages(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    for i, (place_prefix, page) in enumerate(_pages(content)):
        input_name = PurePosixPath((page.input_path or "").replace("\\", "/")).name
        # Each line of JSON lines counts its own pages.
        index = None if content.json_root == "array" else page.page_index
        index = i if index is None and "result" in content.json_keys else index
        name = input_name or content.stem.removesuffix("_res")
        if index is not None:
            document = name.rpartition(".")[0] or name
            layout_page = builder.add_page(
                f"{document}_p{index + 1}", page.width, page.height, place_prefix, document=document, number=index + 1
            )
        else:
            layout_page = builder.add_page(name, page.width, page.height, place_prefix.rstrip("."))
        detected = page.boxes if page.boxes is not None else page.layout_det_res.boxes if page.layout_det_res else None
        if detected is not None:
            _add_boxes(content.name, builder, layout_page, detected, place_prefix)
        else:
            for k, block in enumerate(page.parsing_res_list or []):
                ring = corner_points(
                    block.block_bbox, content.name, (place_prefix + "parsing_res_list[{}].block_bbox", k)
                )
                builder.add_region(
                    layout_page, block.block_label, *bounding_box(ring), (place_prefix + "parsing_res_list[{}]", k)
                )


def _add_boxes(file: str, builder: LayoutBuilder, layout_page: int, boxes: list[Box], place_prefix: str) -> None:
    for k, box in enumerate(boxes):
        ring = corner_points(box.coordinate, file, (place_prefix + "boxes[{}].coordinate", k))
        label = box.label if box.label is not None else f"class {box.cls_id}"
        points = box.polygon_points if builder.options.outlines and box.polygon_points else ring
        builder.add_outline(layout_page, label, points, (place_prefix + "boxes[{}]", k), box.score)


def _pages(content: FileContent) -> Iterator[tuple[str, Page]]:
    """Yield (prefix of places in the file, page)."""
    if content.json_keys == {"res"}:
        yield "res.", content.decode(Wrapped).res
    elif "result" in content.json_keys:
        is_list = content.json_root == "array"  # the service for long documents writes JSON lines
        answers = content.decode(list[Served]) if is_list else [content.decode(Served)]
        for n, answer in enumerate(answers):
            start = f"[{n}]." if is_list else ""
            for i, pruned in enumerate(answer.result.layoutParsingResults):
                yield f"{start}result.layoutParsingResults[{i}].prunedResult.", pruned.prunedResult
    else:
        yield "", content.decode(Page)
