"""MinerU: middle.json (blocks in points), model.json (detections in pixels) and content_list.json (1/1000 of the page).

Pages are numbered from 0 in all three files, but from 1 in the names and numbers of the layout.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import FilePlace, corner_points, page_name, pixels_from_fraction

Box = tuple[float, float, float, float]
# By category id; higher ids are formulas and lines of text.
DETECTION_LABELS = (
    "title", "plain text", "abandon", "figure", "figure_caption", "table", "table_caption", "table_footnote",
    "isolate_formula", "formula_caption",
)  # fmt: skip
CONTAINERS = ("image", "table")
CONTAINER_BODIES = ("image_body", "table_body")


class Block(msgspec.Struct):
    type: str
    bbox: Box
    blocks: list[Block] = []


class MiddlePage(msgspec.Struct):
    page_idx: int
    page_size: tuple[float, float] | None = None
    para_blocks: list[Block] = []
    discarded_blocks: list[Block] = []


class Middle(msgspec.Struct):
    pdf_info: list[MiddlePage]


is_middle = Needs("object", ("pdf_info",), typical=("para_blocks", "page_idx"))


def document_name(content: FileContent) -> str:
    return content.stem.removesuffix("_middle").removesuffix("_model").removesuffix("_content_list")


def read_middle(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    document, pages = document_name(content), content.decode(Middle).pdf_info
    for i, page in enumerate(pages):
        width, height = page.page_size or (None, None)
        number = page.page_idx + 1
        name = page_name(document, number, len(pages))
        page_index = builder.add_page(name, width, height, f"pdf_info[{i}].page_size", document=document, number=number)
        for kind in ("para_blocks", "discarded_blocks"):
            for place, block in _blocks(getattr(page, kind), f"pdf_info[{i}].{kind}", options):
                builder.add_region(page_index, block.type, *block.bbox, place)


def _blocks(blocks: list[Block], start: str, options: Options) -> Iterator[tuple[FilePlace, Block]]:
    """All blocks and those below them, in the order of the file; a list instead of recursion, for deep trees."""
    todo = [(start + "[{}]", k, block, "") for k, block in reversed(list(enumerate(blocks)))]
    while todo:
        template, k, block, parent = todo.pop()
        if options.nested or parent not in CONTAINERS or block.type not in CONTAINER_BODIES:
            yield (template, k), block
        if block.blocks:
            below = template.format(k) + ".blocks[{}]"  # one text for all of them
            todo += [(below, i, child, block.type) for i, child in reversed(list(enumerate(block.blocks)))]


class Detection(msgspec.Struct, gc=False):
    category_id: int | None = None
    cls_id: int | None = None
    label: str | None = None
    poly: list[float] | None = None
    bbox: list[float] | None = None
    score: float | None = None


class ModelInfo(msgspec.Struct):
    page_no: int
    width: float | None = None
    height: float | None = None


class ModelPage(msgspec.Struct):
    layout_dets: list[Detection]
    page_info: ModelInfo


def is_model(content: FileContent) -> bool:
    if content.json_root != "array" or not {"layout_dets", "page_info"} <= content.json_keys:
        return False
    return b'"category_type"' not in content.data and b'"page_attribute"' not in content.data


def read_model(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    document, pages = document_name(content), content.decode(list[ModelPage])
    for i, page in enumerate(pages):
        info = page.page_info
        name = page_name(document, info.page_no + 1, len(pages))
        number = info.page_no + 1
        page_index = builder.add_page(
            name, info.width, info.height, f"[{i}].page_info", document=document, number=number
        )
        for k, detection in enumerate(page.layout_dets):
            place = f"[{i}].layout_dets[{k}]"
            key = detection.category_id if detection.category_id is not None else detection.cls_id
            if detection.label is None and key is not None and key >= len(DETECTION_LABELS):
                builder.note_unusual("inline-detection", place)
                continue
            label = detection.label or (DETECTION_LABELS[key] if key is not None and key >= 0 else f"category {key}")
            ring = corner_points(detection.poly or detection.bbox or [], content.name, place)
            builder.add_outline(page_index, label, ring, place, detection.score)


class Entry(msgspec.Struct):
    type: str
    page_idx: int
    bbox: Box | None = None
    text_level: int | None = None


is_content_list = Needs("array", ("type", "page_idx"))


def read_content_list(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    document, entries = document_name(content), content.decode(list[Entry])
    if not any(entry.bbox for entry in entries):
        problem = "no entry has a bbox: the list was written by a version that leaves it out"
        raise InputError(content.name, "", problem, "Give middle.json of the same run.")
    numbers = sorted({entry.page_idx for entry in entries})
    pages = {
        n: builder.add_page(page_name(document, n + 1, len(numbers)), None, None, document=document, number=n + 1)
        for n in numbers
    }
    for i, entry in enumerate(entries):
        if entry.bbox is None:
            builder.note_unusual("no-place", f"[{i}]", what="entries have no bbox")
            continue
        width, height = builder.page_size(pages[entry.page_idx])
        x0, x1 = (pixels_from_fraction(v / 1000, width) for v in entry.bbox[::2])
        y0, y1 = (pixels_from_fraction(v / 1000, height) for v in entry.bbox[1::2])
        label = entry.type if not entry.text_level else f"{entry.type} level {entry.text_level}"
        builder.add_region(pages[entry.page_idx], label, x0, y0, x1, y1, ("[{}].bbox", i))
