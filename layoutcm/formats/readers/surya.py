"""Surya: {document: [pages]}, boxes and outlines in pixels of the image that the model was given.

Pages of its layout detection have `bboxes`, those of its OCR have `blocks`.
"""

from __future__ import annotations

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import corner_points, page_name


class Box(msgspec.Struct):
    label: str
    bbox: list[float] | None = None
    polygon: list[tuple[float, float]] | None = None
    confidence: float | None = None


class Page(msgspec.Struct):
    image_bbox: tuple[float, float, float, float]
    bboxes: list[Box] | None = None
    blocks: list[Box] | None = None
    page: int | None = None


is_surya = Needs("object", (), inside=("image_bbox", "bboxes")) | Needs(
    "object", (), inside=("image_bbox", "blocks", "reading_order")
)


def read_results(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    for document, pages in content.decode(dict[str, list[Page]]).items():
        for i, page in enumerate(pages):
            number = i + 1 if page.page is None else page.page
            left, top, right, bottom = page.image_bbox
            start = f"{document}[{i}]"
            name = page_name(document, number, len(pages))
            page_index = builder.add_page(
                name, right - left, bottom - top, f"{start}.image_bbox", document=document, number=number
            )
            if page.bboxes is None and page.blocks is None:
                problem = "there are neither bboxes nor blocks: only lines of text were asked for"
                raise InputError(content.name, start, problem, "Run surya_layout.")
            kind, boxes = ("bboxes", page.bboxes) if page.bboxes else ("blocks", page.blocks)
            for k, box in enumerate(boxes or []):
                place = f"{start}.{kind}[{k}]"
                ring = box.polygon if box.polygon and len(box.polygon) > 1 else None
                ring = ring or corner_points(box.bbox or [], content.name, place)
                shifted = [(x - left, y - top) for x, y in ring]
                builder.add_outline(page_index, box.label, shifted, place, box.confidence)
