"""DeepSeek-OCR: Markdown with `<|ref|>label<|/ref|><|det|>[[x0, y0, x1, y1]]<|/det|>` before each block.

Unlimited-OCR, which is made from it, writes `<|det|>label [x0, y0, x1, y1]<|/det|>` instead. Coordinates count from 0
to 999 on each axis. A file is one page, or several with a mark after or before each. DeepSeek-OCR can also be asked to
find words; then the reference is the text itself and no label.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import HEAD, FileContent, Options
from layoutcm.formats.html_tags import check_number_of_tags
from layoutcm.formats.model_answers import decode_answer, note_cut_off
from layoutcm.formats.parsing import page_name
from layoutcm.layouts import limits

PARTS = 999
PAGE_SPLIT, PAGE_START = "<--- Page Split --->", "<PAGE>"  # of DeepSeek-OCR, of Unlimited-OCR
REFERENCE, END_OF_REFERENCE, BOXES, END_OF_BOXES = "<|ref|>", "<|/ref|>", "<|det|>", "<|/det|>"
_LABEL = re.compile("[a-z][a-z0-9_]{0,39}")
_LABEL_IN_BOXES = re.compile(r"<\|det\|>\s{0,9}[a-z][a-z0-9_]{0,39}\s{0,9}\[")
_LIST_OF_BOXES = msgspec.json.Decoder(list[tuple[float, float, float, float]])


def is_deepseek_ocr(content: FileContent) -> bool:
    head = content.head[:HEAD]
    if BOXES.encode() not in head:
        return False
    return REFERENCE.encode() in head or _LABEL_IN_BOXES.search(head.decode("utf-8", "replace")) is not None


def read_file(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    check_number_of_tags(content)
    text = decode_answer(content)
    first = _LABEL_IN_BOXES.search(text)
    has_references = first is None or f"{END_OF_REFERENCE}{BOXES}" in text[: first.start()]
    pages = _split_pages(content.name, text)
    document = content.stem.removesuffix("_det")  # the suffix of files with boxes
    labels = references = 0
    for i, part in enumerate(pages):
        number, name = (i + 1, document) if len(pages) > 1 else (-1, "")
        page = builder.add_page(
            page_name(document, i + 1, len(pages)), None, None, f"page {i + 1}", document=name, number=number
        )
        blocks = part.split(REFERENCE if has_references else BOXES)[1:]
        labels += _read_blocks(blocks, has_references, page, i + 1, builder)
        references += len(blocks)
    if 2 * labels < references:
        problem = "most references are texts: the model was asked for the places of words, not for the layout"
        hint = "Ask it with `<|grounding|>Convert the document to markdown.`"
        raise InputError(content.name, "", problem, hint)


def _split_pages(file: str, text: str) -> list[str]:
    if PAGE_SPLIT in text or PAGE_START not in text:
        pages = text.split(PAGE_SPLIT)
        pages = pages[:-1] if len(pages) > 1 and not pages[-1].strip() else pages
    else:
        pages = text.split(PAGE_START)
        pages = pages[1:] if not pages[0].strip() else pages
    if len(pages) > limits.MAX_STATED_PAGES:
        problem = f"{len(pages):,} pages, at most {limits.MAX_STATED_PAGES:,} are read"
        raise InputError(file, "", problem, "Split the file.")
    return pages


def _read_blocks(blocks: Sequence[str], has_references: bool, page: int, number: int, builder: LayoutBuilder) -> int:
    """Add the regions of a page and return how many blocks have a label."""
    labels = 0
    for i, block in enumerate(blocks):
        inside, end, _ = block.partition(END_OF_BOXES)
        label, separator, boxes = inside.partition(END_OF_REFERENCE if has_references else "[")
        if not end and i == len(blocks) - 1:
            note_cut_off(builder, labels, len(REFERENCE if has_references else BOXES) + len(block))
            labels += 1  # so that an answer that ends in its first reference has no region instead of no label
            continue
        if not _LABEL.fullmatch(label.strip()):
            what = "references are texts instead of labels"
            builder.note_unusual("no-place", f"page {number}, reference {i + 1}", what=what)
            continue
        labels += 1
        place = (f"page {number}, reference {{}}", i + 1)
        found = _parse_boxes(boxes.strip().removeprefix(BOXES) if has_references else separator + boxes)
        for box in found:
            builder.add_region_in_parts(page, label.strip(), box, PARTS, place)
        if not found:
            builder.note_unusual("no-location", f"page {number}, reference {i + 1}")
    return labels


def _parse_boxes(text: str) -> list[tuple[float, float, float, float]]:
    """The boxes of a list, or a single box."""
    for whole in (text.strip(), f"[{text}]"):
        try:
            return _LIST_OF_BOXES.decode(whole)
        except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
            continue
    return []
