"""DeepSeek-OCR: Markdown with `<|ref|>label<|/ref|><|det|>[[x0, y0, x1, y1]]<|/det|>` before each block.

Coordinates count from 0 to 999 on each axis. A file is one page, or several with a mark after each. The model can also
be asked to find words; then the reference is the text itself and no label.
"""

from __future__ import annotations

import re

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import HEAD, FileContent, Options
from layoutcm.formats.html_tags import check_number_of_tags
from layoutcm.formats.model_answers import decode_answer, note_cut_off
from layoutcm.formats.parsing import page_name
from layoutcm.layouts import limits

PARTS = 999
PAGE_SPLIT = "<--- Page Split --->"
REFERENCE, END_OF_REFERENCE, BOXES, END_OF_BOXES = "<|ref|>", "<|/ref|>", "<|det|>", "<|/det|>"
_LABEL = re.compile("[a-z][a-z0-9_]{0,39}")
_LIST_OF_BOXES = msgspec.json.Decoder(list[tuple[float, float, float, float]])


def is_deepseek_ocr(content: FileContent) -> bool:
    head = content.data[:HEAD]
    return REFERENCE.encode() in head and b"<|det|>" in head


def read_file(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    check_number_of_tags(content)
    pages = decode_answer(content).split(PAGE_SPLIT)
    if len(pages) > 1 and not pages[-1].strip():
        pages.pop()
    if len(pages) > limits.MAX_STATED_PAGES:
        problem = f"{len(pages):,} pages, at most {limits.MAX_STATED_PAGES:,} are read"
        raise InputError(content.name, "", problem, "Split the file.")
    document = content.stem.removesuffix("_det")  # the suffix of files with boxes
    labels = references = 0
    for i, text in enumerate(pages):
        number, name = (i + 1, document) if len(pages) > 1 else (-1, "")
        page = builder.add_page(
            page_name(document, i + 1, len(pages)), None, None, f"page {i + 1}", document=name, number=number
        )
        labels += _read_page(text, page, i + 1, builder)
        references += text.count(REFERENCE)
    if 2 * labels < references:
        problem = "most references are texts: the model was asked for the places of words, not for the layout"
        hint = "Ask it with `<|grounding|>Convert the document to markdown.`"
        raise InputError(content.name, "", problem, hint)


def _read_page(text: str, page: int, number: int, builder: LayoutBuilder) -> int:
    """Add the regions of a page and return how many references have a label."""
    labels = 0
    _, *blocks = text.split(REFERENCE)
    for i, block in enumerate(blocks):
        label, _, after = block.partition(END_OF_REFERENCE)
        boxes, end, _ = after.partition(END_OF_BOXES)
        if not end and i == len(blocks) - 1:
            note_cut_off(builder, labels, len(REFERENCE) + len(block))
            labels += 1  # so that an answer that ends in its first reference has no region instead of no label
            continue
        if not _LABEL.fullmatch(label.strip()):
            what = "references are texts instead of labels"
            builder.note_unusual("no-place", f"page {number}, reference {i + 1}", what=what)
            continue
        labels += 1
        place = (f"page {number}, reference {{}}", i + 1)
        found = _parse_boxes(boxes.strip().removeprefix(BOXES))
        for box in found:
            builder.add_region_in_parts(page, label.strip(), box, PARTS, place)
        if not found:
            builder.note_unusual("no-location", f"page {number}, reference {i + 1}")
    return labels


def _parse_boxes(text: str) -> list[tuple[float, float, float, float]]:
    try:
        return _LIST_OF_BOXES.decode(text.strip())
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return []
