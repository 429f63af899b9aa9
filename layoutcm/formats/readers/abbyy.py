"""ABBYY FineReader XML 6 to 10: pages in pixels with blocks; lines and characters also have boxes and are not read."""

from __future__ import annotations

import re

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import page_name, parse_numbers, parse_size
from layoutcm.formats.xml import elements, local_name

NAMESPACE = "abbyy.com/FineReader_xml/"
BELOW_BLOCKS = {"region", "text", "par", "line", "formatting", "charParams", "row", "separator"}
SIDES = ("l", "t", "r", "b")
_PAGES = re.compile(rb"<(?:[\w.\-]+:)?page[\s>]")


is_abbyy = Needs("xml", ("document",), words=(NAMESPACE,), typical=("page", "block"))


def read_file(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    count = len(_PAGES.findall(content.data))
    number = 0
    for page in elements(content, "page", skipping=BELOW_BLOCKS):
        number += 1
        width, height = parse_size(page.get("width"), page.get("height"))
        name = page_name(content.stem, number, count)
        document = content.stem if count > 1 else ""
        page_index = builder.add_page(
            name, width, height, f"page {number}", document=document, number=number if count > 1 else -1
        )
        for i, block in enumerate(page):
            if local_name(block.tag) != "block":
                continue
            sides = list(map(block.get, SIDES))
            place = (f"page {number}, block {{}}", i + 1)
            if None in sides:
                builder.note_unusual("no-coordinates", place[0].format(place[1]), what="blocks without coordinates")
                continue
            x0, y0, x1, y1 = parse_numbers(sides, content.name, place, SIDES)
            builder.add_region(page_index, block.get("blockType", ""), x0, y0, x1, y1, place)
    if not number:
        raise InputError(content.name, "", "there is no page in it", "Export the document again.")
