"""HURIDOCS pdf-document-layout-analysis: segments with corner and size in points, and the size of their page."""

from __future__ import annotations

import msgspec

from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
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


is_huridocs = Needs("array", ("left", "top", "width", "height", "page_number", "page_width", "page_height"))


def read_segments(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    segments = content.decode(list[Segment])
    sizes = {segment.page_number: (segment.page_width, segment.page_height) for segment in reversed(segments)}
    pages = {
        number: builder.add_page(
            page_name(content.stem, number, len(sizes)),
            width,
            height,
            f"page {number}",
            document=content.stem,
            number=number,
        )
        for number, (width, height) in sorted(sizes.items())
    }
    for i, segment in enumerate(segments):
        right, bottom = segment.left + segment.width, segment.top + segment.height
        builder.add_region(
            pages[segment.page_number], segment.type, segment.left, segment.top, right, bottom, ("[{}]", i)
        )
