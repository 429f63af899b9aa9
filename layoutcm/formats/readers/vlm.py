"""Answers of vision-language models in JSON: boxes with labels, without the sizes of pages, by a row of keys for each.

- Qwen-VL: one answer for each page, often in a Markdown fence. Qwen2-VL and Qwen3-VL write thousandths of the page,
  Qwen2.5-VL writes pixels of the image that it was given. The file does not say which, so there are two formats that
  recognise it, and the user has to name one.
- GLM-OCR: a list of pages, which are lists of regions in thousandths of the page. `label` is the task of the model
  (text, table, formula, image); `native_label` is what the layout detector found.
- dots.ocr and dots.mocr: the categories of DocLayNet, one file for each page. Files of its parser have pixels of the
  page image. A raw answer of the model has pixels of the image that the model was given; both look the same, so the
  size must be that of the right image.
- Dolphin: elements in reading order, in pixels, of an image or the pages of a PDF.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.json_keys import THOUSANDTHS, Keys, add_regions, json_type, read_lists
from layoutcm.formats.model_answers import decode_items
from layoutcm.formats.needs import Needs
from layoutcm.formats.page_sizes import given_size

NO_LABEL_OR_BOX = "items have no label or no bbox_2d of four numbers"
MOST_OVERSHOOT = 1.1  # a model may write a little more than the whole page
FAILED = "distorted_page"  # what Dolphin writes, with a box of the whole page, if the layout cannot be used
NOT_DIVIDED = {"code": "no-place", "what": "pages were not divided into regions by the model (distorted_page)"}

# Some prompts for Qwen ask for other keys than `label`.
QWEN_PIXELS = Keys(("label", "category", "type"), "bbox_2d", NO_LABEL_OR_BOX)
QWEN_THOUSANDTHS = replace(QWEN_PIXELS, parts=THOUSANDTHS)
GLM = Keys(("native_label", "label"), "bbox_2d", NO_LABEL_OR_BOX, parts=THOUSANDTHS)
DOTS = Keys(("category",), "bbox", "cells have no category or no box of four numbers")
DOLPHIN: Keys = Keys(
    ("label",), "bbox", "elements have no label or no box of four numbers", places_name_box=False,
    left_out=lambda region: NOT_DIVIDED if region.label == FAILED and DOLPHIN.corners_of(region) else None,
)  # fmt: skip

is_qwen_vl_1000 = is_qwen_vl_pixels = Needs("json", ("bbox_2d",), typical=("label", "text_content"))
_LIST_OF_PAGES = re.compile(rb"\s*+\[\s*+\[")
is_glm_ocr = Needs(
    "array", inside=("index", "label", "bbox_2d"), typical=("native_label",),
    also=lambda content: _LIST_OF_PAGES.match(content.json_head) is not None,
)  # fmt: skip
DOTS_OCR_NEEDS = Needs("array", ("bbox", "category"))
DOTS_KEYS = {"bbox", "category", "text"}
# Three usual keys are not enough to recognise a file: at least one category must be one of the model's.
_CATEGORY = re.compile(
    rb'"category"\s*+:\s*+"(?:Caption|Footnote|Formula|List-item|Page-footer|Page-header|Picture|Section-header|Table|'
    rb'Text|Title)"'
)
_OWN_CATEGORY = re.compile(rb'"(?:List-item|Page-footer|Page-header|Section-header)"')
# The parser of dots.ocr writes a file for each page of a PDF, and counts them from 0.
_PAGE_OF_PDF = re.compile("(.+)_page_([0-9]{1,6})")
is_dolphin = Needs("array", ("label", "bbox", "reading_order")) | Needs(
    "object", ("source_file", "pages"), ("elements",)
)


def read_qwen_vl_1000(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    page, items = _qwen_page(content, builder)
    for i, item in enumerate(items):
        box = QWEN_THOUSANDTHS.corners_of(item)
        if box and QWEN_THOUSANDTHS.label_of(item) and max(box) > MOST_OVERSHOOT * THOUSANDTHS:
            problem = f"{max(box):g} cannot be a thousandth of the page"
            raise InputError(content.name, f"[{i}].bbox_2d", problem, "Read it as qwen-vl-pixels.")
    add_regions(builder, page, items, "", QWEN_THOUSANDTHS)


def read_qwen_vl_pixels(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    page, items = _qwen_page(content, builder)
    if given_size(content.stem, options) is None:
        builder.note_unusual("size-of-other-image", "")
    add_regions(builder, page, items, "", QWEN_PIXELS)


def _qwen_page(content: FileContent, builder: LayoutBuilder) -> tuple[int, list[Any]]:
    if content.json_root == "object" and "bbox_2d" not in content.json_keys:
        problem = "the outermost object has no bbox_2d, so it is not a region"
        raise InputError(content.name, "", problem, "Give the list of regions itself.")
    items = decode_items(content, QWEN_PIXELS.region, builder)
    return builder.add_page(content.stem, None, None), items


def read_glm_ocr(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    read_lists(content, content.stem, GLM, builder)


def is_dots_ocr(content: FileContent) -> bool:
    if not DOTS_OCR_NEEDS(content) or not content.json_keys <= DOTS_KEYS:
        return False
    head, is_cut = content.json_head, not content.json_text.rstrip().endswith(b"]")
    # Other tools write lists of boxes and categories, too, with other numbers.
    is_own = is_cut or b'"text"' in head or _OWN_CATEGORY.search(head) is not None
    return is_own and _CATEGORY.search(head) is not None


def read_dots_ocr(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    cells = decode_items(content, DOTS.region, builder)
    part = _PAGE_OF_PDF.fullmatch(content.stem)
    document, number = (part[1], int(part[2]) + 1) if part else ("", -1)
    page = builder.add_page(content.stem, None, None, document=document, number=number)
    add_regions(builder, page, cells, "", DOTS)


DOLPHIN_DOCUMENT = json_type({"pages!": [{"page_number": int, "elements": [DOLPHIN.region]}], "source_file": str})


def read_dolphin(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    if content.json_root == "array":
        elements = decode_items(content, DOLPHIN.region, builder)
        add_regions(builder, builder.add_page(content.stem, None, None), elements, "", DOLPHIN)
        return
    file = content.decode(DOLPHIN_DOCUMENT)
    document = PurePosixPath((file.source_file or content.stem).replace("\\", "/")).stem
    for i, page in enumerate(file.pages):
        number = i + 1 if page.page_number is None else page.page_number
        index = builder.add_numbered_page(document, number, len(file.pages), place=f"pages[{i}]")
        add_regions(builder, index, page.elements or [], f"pages[{i}].elements", DOLPHIN)
