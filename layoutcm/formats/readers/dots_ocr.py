"""dots.ocr and dots.mocr: a list of boxes with the categories of DocLayNet, one file for each page, without its size.

Files of its parser have pixels of the page image. A raw answer of the model has pixels of the image that the model was
given; both look the same, so the size must be that of the right image.
"""

from __future__ import annotations

import re

import msgspec

from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.model_answers import decode_items
from layoutcm.formats.needs import Needs

KEYS = {"bbox", "category", "text"}
# Three usual keys are not enough to recognise a file: at least one category must be one of the model's.
_CATEGORY = re.compile(
    rb'"category"\s*+:\s*+"(?:Caption|Footnote|Formula|List-item|Page-footer|Page-header|Picture|Section-header|Table|'
    rb'Text|Title)"'
)
_OWN_CATEGORY = re.compile(rb'"(?:List-item|Page-footer|Page-header|Section-header)"')
# The parser writes a file for each page of a PDF, and counts them from 0.
_PAGE_OF_PDF = re.compile("(.+)_page_([0-9]{1,6})")


class Cell(msgspec.Struct, gc=False):
    bbox: list[float] | None = None
    category: str | None = None


NEEDS = Needs("array", ("bbox", "category"))


def is_dots_ocr(content: FileContent) -> bool:
    if not NEEDS(content) or not content.json_keys <= KEYS:
        return False
    head, is_cut = content.json_head, not content.json_text.rstrip().endswith(b"]")
    # Other tools write lists of boxes and categories, too, with other numbers.
    is_own = is_cut or b'"text"' in head or _OWN_CATEGORY.search(head) is not None
    return is_own and _CATEGORY.search(head) is not None


def read_page(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    cells = decode_items(content, Cell, builder)
    part = _PAGE_OF_PDF.fullmatch(content.stem)
    document, number = (part[1], int(part[2]) + 1) if part else ("", -1)
    page = builder.add_page(content.stem, None, None, document=document, number=number)
    for i, cell in enumerate(cells):
        if cell.bbox is None or len(cell.bbox) != 4 or cell.category is None:
            builder.note_unusual("no-place", f"[{i}]", what="cells have no category or no box of four numbers")
            continue
        x0, y0, x1, y1 = cell.bbox
        builder.note_unit(cell.bbox)
        builder.add_region(page, cell.category, x0, y0, x1, y1, ("[{}].bbox", i))
