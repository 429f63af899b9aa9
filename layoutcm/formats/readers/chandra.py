"""Chandra: HTML whose `div` elements have a label and a box, one file for each page, without the size of the page.

Chandra 2 writes `data-bbox="x0 y0 x1 y1"` in thousandths of the page, Chandra 1 `data-bbox="[x0, y0, x1, y1]"` in parts
of 1024. A model generates the file, so a `div` without a whole box is a finding and not an error.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape
from math import isfinite

from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import HEAD, FileContent, Options
from layoutcm.formats.html_tags import check_number_of_tags, tags
from layoutcm.formats.model_answers import decode_answer, note_cut_off
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import is_picture_or_table
from layoutcm.layouts import limits

PARTS_OF_CHANDRA_1, PARTS_OF_CHANDRA_2 = 1024, 1000
_FIRST_BOX = re.compile(rb"""data-bbox\s*+=\s*+["'](\[?)""")
_VALUE = rb"""(?:^|\s)%b\s*+=\s*+(?:"([^"]*)"|'([^']*)')"""
_BOX = re.compile(_VALUE % b"data(?:-bbox)?")  # some answers leave out the second part of the name
_USUAL = re.compile(rb' data-bbox="([^"]*+)" data-label="([^"\s]++)"')  # both at once, for speed
BLANK_PAGE = b"Blank-Page"  # the label of a page without regions
_LABEL = re.compile(_VALUE % b"data-label")


NEEDS = Needs("xml", words=("data-label", "data-bbox"))


def is_chandra(content: FileContent) -> bool:
    head = content.head_without_bom[:HEAD]
    starts_with_tag = head.lstrip()[:1] in (b"<", b"`")  # the HTML may be in a Markdown fence
    return starts_with_tag and b"data-label" in head and _FIRST_BOX.search(head) is not None


def read_page(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    check_number_of_tags(content)
    decode_answer(content)  # so that labels are UTF-8
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
        value, label = usual.groups() if usual else (_value(_BOX, attributes), _value(_LABEL, attributes))
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
