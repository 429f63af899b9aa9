"""Answers of models that are text with tags, without page sizes. A broken location is a finding, not an error.

- Chandra: HTML whose `div` elements have a label and a box, one file for each page. Chandra 2 writes
  `data-bbox="x0 y0 x1 y1"` in thousandths of the page, Chandra 1 `data-bbox="[x0, y0, x1, y1]"` in parts of 1024.
- DeepSeek-OCR: Markdown with `<|ref|>label<|/ref|><|det|>[[x0, y0, x1, y1]]<|/det|>` before each block. Unlimited-OCR,
  which is made from it, writes `<|det|>label [x0, y0, x1, y1]<|/det|>` instead. Coordinates count from 0 to 999 on each
  axis. A file is one page, or several with a mark after or before each. DeepSeek-OCR can also be asked to find words;
  then the reference is the text itself, not a label.
- DocTags (.dt, .doctags): tags with four location tokens on a grid of 500 x 500 over the page. The labels are the names
  of the tags: "otsl" is a table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from html import unescape
from math import isfinite

import msgspec

from layoutcm.errors import InputError, check_count
from layoutcm.formats.builder import LayoutBuilder, reader_by_rows
from layoutcm.formats.content import HEAD, FileContent, Options
from layoutcm.formats.markup import check_number_of_tags, root_name, tags
from layoutcm.formats.model_answers import decode_answer, note_cut_off
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import is_picture_or_table, page_name
from layoutcm.layouts import limits
from layoutcm.layouts.model import Layout

PARTS_OF_CHANDRA_1, PARTS_OF_CHANDRA_2 = 1024, 1000
_FIRST_BOX = re.compile(rb"""data-bbox\s*+=\s*+["'](\[?)""")
_VALUE = rb"""(?:^|\s)%b\s*+=\s*+(?:"([^"]*)"|'([^']*)')"""
_BOX_VALUE = re.compile(_VALUE % b"data(?:-bbox)?")  # some answers leave out the second part of the name
_USUAL = re.compile(rb' data-bbox="([^"]*+)" data-label="([^"\s]++)"')  # both at once, for speed
BLANK_PAGE = b"Blank-Page"  # the label of a page without regions
_LABEL_VALUE = re.compile(_VALUE % b"data-label")
CHANDRA_NEEDS = Needs("xml", words=("data-label", "data-bbox"))


def is_chandra(content: FileContent) -> bool:
    head = content.head_without_bom[:HEAD]
    starts_with_tag = head.lstrip()[:1] in (b"<", b"`")  # the HTML may be in a Markdown fence
    return starts_with_tag and b"data-label" in head and _FIRST_BOX.search(head) is not None


def read_chandra(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    check_number_of_tags(content)
    decode_answer(content)  # labels must be UTF-8
    first = _FIRST_BOX.search(content.data)
    parts = PARTS_OF_CHANDRA_1 if first and first[1] else PARTS_OF_CHANDRA_2
    page = builder.add_page(content.stem, None, None)
    regions = open_divs = 0
    container = 0  # the number of open tags outside the picture or table that is open
    for line, closing, _, attributes in tags(content.data, only=b"div"):
        open_divs += -1 if closing else 1
        container = container if open_divs >= container else 0
        if closing or b"data-label" not in attributes:
            continue
        usual = _USUAL.match(attributes)
        value, label = usual.groups() if usual else (_value(_BOX_VALUE, attributes), _value(_LABEL_VALUE, attributes))
        box = _parse_box(value)
        is_nested = container > 0
        if not is_nested and _is_container(label):
            container = open_divs
        if label == BLANK_PAGE or (is_nested and not options.nested):
            continue
        if not label or box is None:
            builder.note_unusual("no-location", f"line {line}")
            continue
        regions += 1
        builder.add_region_in_parts(page, _decode_label(label), box, parts, ("line {}", line))
    last_tag = content.data[max(content.data.rfind(b"<"), 0) :]
    if open_divs > 0 or b">" not in last_tag:
        note_cut_off(builder, regions, 0 if b">" in last_tag else len(last_tag))


def _value(attribute: re.Pattern[bytes], attributes: bytes) -> bytes:
    found = attribute.search(attributes, 0, limits.MAX_TAG_BYTES)
    return found[found.lastindex or 0].strip() if found else b""


def _parse_box(value: bytes) -> list[float] | None:
    try:
        numbers = list(map(float, (value.strip(b"[]").replace(b",", b" ") if b"," in value else value).split()))
    except ValueError:
        return None
    # Python also reads nan and 1_000 as numbers.
    return numbers if len(numbers) == 4 and b"_" not in value and isfinite(sum(numbers)) else None


@lru_cache(256)  # documents have many regions and few labels
def _is_container(value: bytes) -> bool:
    return is_picture_or_table(_decode_label(value))


@lru_cache(256)
def _decode_label(value: bytes) -> str:
    return unescape(value.decode("utf-8"))


DEEPSEEK_PARTS = 999
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


def read_deepseek_ocr(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    check_number_of_tags(content)
    text = decode_answer(content)
    first = _LABEL_IN_BOXES.search(text)
    has_references = first is None or f"{END_OF_REFERENCE}{BOXES}" in text[: first.start()]
    pages = _split_answer(content.name, text)
    document = content.stem.removesuffix("_det")  # the suffix of files with boxes
    labels = references = 0
    for i, part in enumerate(pages):
        number, name = (i + 1, document) if len(pages) > 1 else (-1, "")
        own_name = page_name(document, i + 1, len(pages))
        page = builder.add_page(own_name, None, None, f"page {i + 1}", document=name, number=number)
        blocks = part.split(REFERENCE if has_references else BOXES)[1:]
        labels += _read_blocks(blocks, has_references, page, i + 1, builder)
        references += len(blocks)
    if 2 * labels < references:
        problem = "most references are texts: the model was asked for the places of words, not for the layout"
        raise InputError(content.name, "", problem, "Ask it with `<|grounding|>Convert the document to markdown.`")


def _split_answer(file: str, text: str) -> list[str]:
    if PAGE_SPLIT in text or PAGE_START not in text:
        pages = text.split(PAGE_SPLIT)
        pages = pages[:-1] if len(pages) > 1 and not pages[-1].strip() else pages
    else:
        pages = text.split(PAGE_START)
        pages = pages[1:] if not pages[0].strip() else pages
    check_count(len(pages), limits.MAX_STATED_PAGES, "pages", file)
    return pages


def _read_blocks(blocks: Sequence[str], has_references: bool, page: int, number: int, builder: LayoutBuilder) -> int:
    """Add the regions of a page and return how many blocks have a label."""
    labels = 0
    for i, block in enumerate(blocks):
        inside, end, _ = block.partition(END_OF_BOXES)
        label, separator, boxes = inside.partition(END_OF_REFERENCE if has_references else "[")
        if not end and i == len(blocks) - 1:
            note_cut_off(builder, labels, len(REFERENCE if has_references else BOXES) + len(block))
            labels += 1  # an answer that ends in its first reference has no region, but it has a label
            continue
        if not _LABEL.fullmatch(label.strip()):
            what = "references are texts instead of labels"
            builder.note_unusual("no-place", f"page {number}, reference {i + 1}", what=what)
            continue
        labels += 1
        place = (f"page {number}, reference {{}}", i + 1)
        found = _parse_boxes(boxes.strip().removeprefix(BOXES) if has_references else separator + boxes)
        for box in found:
            builder.add_region_in_parts(page, label.strip(), box, DEEPSEEK_PARTS, place)
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


GRID = 500
MAX_OPEN = 10  # nested pictures and tables; a model may forget to close them
_LOCATIONS = re.compile(rb"(?:<loc_[0-9]{1,9}>\s*){4}")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9_]{0,99})>((?:\s*<loc_[0-9]{1,9}>){0,64})")
_NUMBER = re.compile("[0-9]+")
# Cells, keys and values are smaller than blocks; after a broken tag, a location is matched like a tag.
_BELOW_BLOCKS = re.compile("(?:[efluxc]cel|ched|rhed|srow|shed|nl|(?:key|value)_[0-9]+|loc_[0-9]+)$")
# Tags that should have a location: a missing one is reported. Lists and other groups have none.
_WITH_LOCATION = re.compile(
    "(?:text|paragraph|title|section_header(?:_level_[0-9]+)?|list_item|caption|footnote|formula|code|reference|"
    "page_header|page_footer|picture|chart|otsl|table|document_index|form|key_value_region|checkbox_(?:un)?selected)$"
)
DOCTAGS_NEEDS = Needs("xml", ("doctag",), typical=("loc_",))


def is_doctags(content: FileContent) -> bool:
    root = root_name(content)
    has_locations = _WITH_LOCATION.match(root) and _LOCATIONS.search(content.head[:HEAD])
    return root in ("doctag", "doctags") or bool(has_locations)


def read_doctags(name: str, contents: Sequence[FileContent], options: Options) -> Layout:
    layout = reader_by_rows("doctags", read_file)(name, contents, options)
    if not len(layout.region_columns) and any(finding.code == "no-location" for finding in layout.findings):
        problem = "these DocTags have no locations, so there is no layout in them"
        raise InputError(name, "", problem, "Export them with locations.")
    return layout


def read_file(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    check_number_of_tags(content)
    pages = _split_pages(content)
    line = 1
    for i, text in enumerate(pages):
        name, document = (f"{content.stem}_p{i + 1}", content.stem) if len(pages) > 1 else (content.stem, "")
        number = i + 1 if document else -1
        page = builder.add_page(name, None, None, f"line {line}", document=document, number=number, otherwise=name)
        _read_tags(text, page, line, options, builder)
        line += text.count("\n")


def _split_pages(content: FileContent) -> list[str]:
    """The text of each page; a page break at the end of the file does not start another page."""
    pages = content.text.split("<page_break>")
    check_count(len(pages), limits.MAX_STATED_PAGES, "pages", content.name)
    ends_with_break = len(pages) > 1 and pages[-1].strip() in ("", "</doctag>")
    return pages[:-1] if ends_with_break else pages


@lru_cache(256)  # documents have few different tag names and very many tags
def _classify(name: str) -> tuple[bool, bool, bool]:
    """Whether a tag is smaller than a block, should have a location, and is a picture or table."""
    has_location = _WITH_LOCATION.match(name) is not None
    return _BELOW_BLOCKS.match(name) is not None, has_location, has_location and is_picture_or_table(name)


def _read_tags(text: str, page: int, line: int, options: Options, builder: LayoutBuilder) -> None:
    width, height = (side / GRID for side in builder.page_size(page))
    containers: list[str] = []  # open pictures and tables
    counted_to = 0  # newlines before this position are in `line`
    for tag in _TAG.finditer(text):
        closing, name, locations = tag.groups()
        if closing:
            if name in containers:
                del containers[containers.index(name) :]
            continue
        start = tag.start()
        line += text.count("\n", counted_to, start)
        counted_to = start
        is_below_block, needs_location, is_container = _classify(name)
        is_nested = bool(containers)
        if is_container and len(containers) < MAX_OPEN:
            containers.append(name)
        if is_below_block or (is_nested and not options.nested):
            continue
        grid = list(map(int, _NUMBER.findall(locations)))
        if len(grid) % 4 or (not grid and needs_location):
            builder.note_unusual("no-location", f"line {line}")
        if len(grid) > 7:
            builder.note_unusual("several-locations", f"line {line}")
        for k in range(0, len(grid) - 3, 4):
            x0, y0, x1, y1 = grid[k : k + 4]
            box = (x0 * width, y0 * height, x1 * width, y1 * height)
            builder.add_region(page, name, box, ("line {}", line))
