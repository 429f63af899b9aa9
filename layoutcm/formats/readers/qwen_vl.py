"""Qwen-VL: a list of `bbox_2d` and `label`, one answer for each page, often in a Markdown fence, without a page size.

Qwen2-VL and Qwen3-VL write thousandths of the page, Qwen2.5-VL writes pixels of the image that it was given. The file
does not say which, so there are two formats that recognise it, and the user has to name one.
"""

from __future__ import annotations

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.model_answers import decode_items
from layoutcm.formats.needs import Needs
from layoutcm.formats.page_sizes import given_size
from layoutcm.formats.parsing import place_text

THOUSANDTHS = 1000
MOST_OVERSHOOT = 1.1  # a model may write a little more than the whole page


class Item(msgspec.Struct, gc=False):
    bbox_2d: list[float] | None = None
    label: str | None = None
    category: str | None = None  # some prompts ask for other keys
    type: str | None = None


is_qwen_vl = Needs("json", ("bbox_2d",), typical=("label", "text_content"))


def read_thousandths(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    _read_answer(content, builder, THOUSANDTHS)


def read_pixels(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    _read_answer(content, builder, None)


def _read_answer(content: FileContent, builder: LayoutBuilder, parts: float | None) -> None:
    if content.json_root == "object" and "bbox_2d" not in content.json_keys:
        problem = "the outermost object has no bbox_2d, so that it is no region"
        raise InputError(content.name, "", problem, "Give the list of regions itself.")
    items = decode_items(content, Item, builder)
    page = builder.add_page(content.stem, None, None)
    if parts is None and given_size(content.stem, builder.options) is None:
        builder.note_unusual("size-of-other-image", "")
    for i, item in enumerate(items):
        label = item.label or item.category or item.type
        if item.bbox_2d is None or len(item.bbox_2d) != 4 or not label:
            builder.note_unusual("no-place", f"[{i}]", what="items have no label or no bbox_2d of four numbers")
            continue
        x0, y0, x1, y1 = item.bbox_2d
        place = ("[{}].bbox_2d", i)
        if parts and max(item.bbox_2d) > MOST_OVERSHOOT * parts:
            problem = f"{max(item.bbox_2d):g} cannot be a thousandth of the page"
            raise InputError(content.name, place_text(place), problem, "Read it as qwen-vl-pixels.")
        if parts is None:
            builder.note_unit(item.bbox_2d)
            builder.add_region(page, label, x0, y0, x1, y1, place)
        else:
            builder.add_region_in_parts(page, label, item.bbox_2d, parts, place)
