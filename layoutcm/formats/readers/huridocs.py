"""HURIDOCS pdf-document-layout-analysis: a list of segments, corner and size in points, each with its page's size."""

from __future__ import annotations

import msgspec

from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import Content, Options
from layoutcm.formats.parsing import page_name


class Segment(msgspec.Struct, gc=False):
    left: float
    top: float
    width: float
    height: float
    page_number: int
    page_width: float
    page_height: float
    type: str = ""


def is_huridocs(content: Content) -> bool:
    wanted = {"left", "top", "width", "height", "page_number", "page_width", "page_height"}
    return content.json_root == "array" and wanted <= content.json_keys


def read_segments(content: Content, options: Options, rows: LayoutBuilder) -> None:
    segments = content.decode(list[Segment])
    sizes = {one.page_number: (one.page_width, one.page_height) for one in reversed(segments)}
    pages = {
        number: rows.page(
            page_name(content.stem, number, len(sizes)),
            width,
            height,
            f"page {number}",
            document=content.stem,
            number=number,
        )
        for number, (width, height) in sorted(sizes.items())
    }
    for i, one in enumerate(segments):
        far_x, far_y = one.left + one.width, one.top + one.height
        rows.region(pages[one.page_number], one.type, one.left, one.top, far_x, far_y, ("[{}]", i))
