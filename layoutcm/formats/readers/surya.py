"""Surya: {document: [pages]}, boxes and outlines in pixels of the image that the model was given."""

from __future__ import annotations

import msgspec

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
    bboxes: list[Box]
    image_bbox: tuple[float, float, float, float]
    page: int | None = None


is_surya = Needs("object", (), inside=("image_bbox", "bboxes"))


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
            for k, box in enumerate(page.bboxes):
                place = f"{start}.bboxes[{k}]"
                ring = box.polygon if box.polygon and len(box.polygon) > 1 else None
                ring = ring or corner_points(box.bbox or [], content.name, place)
                shifted = [(x - left, y - top) for x, y in ring]
                builder.add_outline(page_index, box.label, shifted, place, box.confidence)
