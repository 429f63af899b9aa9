"""MinerU: middle.json (blocks in points), model.json (detections in pixels, or in fractions if a vision-language model
made it), and content_list.json and content_list_v2.json (thousandths of the page).

Pages are numbered from 0 in all files, but from 1 in the names and numbers of the layout.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.json_keys import FRACTIONS, THOUSANDTHS, Corners, Keys, json_type, read_lists, walk_tree
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import corner_points

# By category id; higher ids are formulas and lines of text.
DETECTION_LABELS = (
    "title", "plain text", "abandon", "figure", "figure_caption", "table", "table_caption", "table_footnote",
    "isolate_formula", "formula_caption",
)  # fmt: skip
# Smaller than blocks, in files of MinerU 3, which have labels instead of category ids.
INLINE_LABELS = ("ocr_text", "inline_formula")
CONTAINERS = ("image", "table")
CONTAINER_BODIES = ("image_body", "table_body")
NO_TYPE_OR_BOX = "entries have no type or no bbox"
CONTENT_KEYS = Keys(("type",), "bbox", NO_TYPE_OR_BOX, Corners, THOUSANDTHS, "score")
VLM_KEYS = replace(CONTENT_KEYS, parts=FRACTIONS)
_FILE_KIND = re.compile("[._](?:middle|model|content_list|content_list_v2)$")
_LIST_OF_PAGES = re.compile(rb"\s*+\[\s*+\[\s*+[\]{]")
is_mineru = Needs("object", ("pdf_info",), typical=("para_blocks", "page_idx"))
MARKS_OF_OMNIDOCBENCH = (b'"category_type"', b'"page_attribute"')
is_mineru_model = Needs(
    "array", ("layout_dets", "page_info"), typical=("category_id", "poly"),
    also=lambda content: not any(mark in content.data for mark in MARKS_OF_OMNIDOCBENCH),
)  # fmt: skip
is_mineru_content = Needs("array", ("page_idx",), inside=("type",), typical=("bbox",))
MINERU_CONTENT_V2_NEEDS = Needs("array", inside=("type", "bbox", "content"))
# Blocks of the model have an angle, those of the content list never have one.
is_mineru_vlm = Needs(
    "array", inside=("type", "bbox", "angle"), also=lambda content: _LIST_OF_PAGES.match(content.json_head) is not None
)


class Block(msgspec.Struct):
    type: str
    bbox: Corners
    blocks: list[Block] = []
    score: float | None = None


BLOCKS: Any = ([Block], [])
MIDDLE_PAGE = {"page_idx!": int, "page_size": tuple[float, float], "para_blocks": BLOCKS, "discarded_blocks": BLOCKS}
MIDDLE = json_type({"pdf_info!": [MIDDLE_PAGE]})


def document_name(content: FileContent) -> str:
    return _FILE_KIND.sub("", content.stem)


def read_mineru(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    document, pages = document_name(content), content.decode(MIDDLE).pdf_info
    for i, page in enumerate(pages):
        size, at = page.page_size or (None, None), f"pdf_info[{i}].page_size"
        page_index = builder.add_numbered_page(document, page.page_idx + 1, len(pages), size, at)
        for kind in ("para_blocks", "discarded_blocks"):
            for place, block, around in walk_tree(getattr(page, kind), f"pdf_info[{i}].{kind}", {"blocks": "blocks"}):
                if options.nested or not (around and around.type in CONTAINERS and block.type in CONTAINER_BODIES):
                    builder.add_region(page_index, block.type, block.bbox, place, block.score)


DETECTION = {"category_id": int, "cls_id": int, "label": str, "poly": [float], "bbox": [float], "score": float}
MODEL_PAGES = json_type(
    [{"layout_dets!": [DETECTION], "page_info!": {"page_no!": int, "width": float, "height": float}}]
)


def read_mineru_model(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    document, pages = document_name(content), content.decode(MODEL_PAGES)
    for i, page in enumerate(pages):
        info = page.page_info
        size = info.width, info.height
        page_index = builder.add_numbered_page(document, info.page_no + 1, len(pages), size, f"[{i}].page_info")
        for k, detection in enumerate(page.layout_dets):
            place = f"[{i}].layout_dets[{k}]"
            key = detection.category_id if detection.category_id is not None else detection.cls_id
            is_other_id = detection.label is None and key is not None and key >= len(DETECTION_LABELS)
            if is_other_id or detection.label in INLINE_LABELS:
                builder.note_unusual("inline-detection", place)
                continue
            label = detection.label or (DETECTION_LABELS[key] if key is not None and key >= 0 else f"category {key}")
            ring = corner_points(detection.poly or detection.bbox or [], content.name, place)
            builder.add_outline(page_index, label, ring, place, detection.score)


ENTRIES = json_type([{"page_idx!": int, "type": str, "bbox": Corners, "text_level": int}])


def read_mineru_content(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    document, entries = document_name(content), content.decode(ENTRIES)
    if not any(entry.bbox for entry in entries):
        problem = "no entry has a bbox: the list was written by a version that leaves it out"
        raise InputError(content.name, "", problem, "Give middle.json of the same run.")
    numbers = sorted({entry.page_idx for entry in entries})
    pages = {n: builder.add_numbered_page(document, n + 1, len(numbers)) for n in numbers}
    for i, entry in enumerate(entries):
        if entry.bbox is None or entry.type is None:
            builder.note_unusual("no-place", f"[{i}]", what=NO_TYPE_OR_BOX)
            continue
        label = entry.type if not entry.text_level else f"{entry.type} level {entry.text_level}"
        builder.add_region_in_parts(pages[entry.page_idx], label, entry.bbox, THOUSANDTHS, ("[{}].bbox", i))


def is_mineru_content_v2(content: FileContent) -> bool:
    if content.json_root != "array" or not _LIST_OF_PAGES.match(content.json_head):
        return False
    are_blank_pages = not content.json_head.translate(None, b"[], \t\r\n")
    return are_blank_pages or (MINERU_CONTENT_V2_NEEDS(content) and not is_mineru_vlm(content))


def read_mineru_content_v2(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    read_lists(content, document_name(content), CONTENT_KEYS, builder)


def read_mineru_vlm(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    read_lists(content, document_name(content), VLM_KEYS, builder)
