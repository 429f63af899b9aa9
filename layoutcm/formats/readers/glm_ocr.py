"""GLM-OCR: a list of pages, which are lists of regions with `bbox_2d` in thousandths of the page, without its size.

`label` is the task of the model (text, table, formula, image); `native_label` is what the layout detector found.
"""

from __future__ import annotations

import re

import msgspec

from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import page_name

THOUSANDTHS = 1000
_LIST_OF_PAGES = re.compile(rb"\s*+\[\s*+\[")


class Region(msgspec.Struct, gc=False):
    bbox_2d: list[float] | None = None
    label: str | None = None
    native_label: str | None = None


NEEDS = Needs("array", inside=("index", "label", "bbox_2d"), typical=("native_label",))


def is_glm_ocr(content: FileContent) -> bool:
    return NEEDS(content) and _LIST_OF_PAGES.match(content.json_head) is not None


def read_pages(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    pages = content.decode(list[list[Region]])
    for i, regions in enumerate(pages):
        name = page_name(content.stem, i + 1, len(pages))
        page = builder.add_page(name, None, None, f"[{i}]", document=content.stem, number=i + 1)
        place = f"[{i}][{{}}].bbox_2d"
        for k, region in enumerate(regions):
            label = region.native_label or region.label
            if region.bbox_2d is None or len(region.bbox_2d) != 4 or not label:
                builder.note_unusual(
                    "no-place", f"[{i}][{k}]", what="items have no label or no bbox_2d of four numbers"
                )
            else:
                builder.add_region_in_parts(page, label, region.bbox_2d, THOUSANDTHS, (place, k))
