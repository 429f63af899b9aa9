"""hOCR: HTML whose classes say what is an area, a paragraph, a photo, and whose titles say where it is.

It is seldom valid XML, so tags are found one by one and closed as a browser would close them. A block is what has a
class of its own above lines and words: areas and the paragraphs in them both, and nothing inside a paragraph.
A block without a box has the one around what stands in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import Content, Options
from layoutcm.formats.html_tags import VOID, check_number_of_tags, classes_of, tags, title_of
from layoutcm.formats.outlines import Box
from layoutcm.formats.parsing import is_picture_or_table, parse_numbers, parse_size
from layoutcm.formats.xml import MAX_DEPTH, root_name

HTML = {"html", "head", "body", "div", "span", "p", "section", "article"}
AREAS = {b"div", b"table"}
PAGE, PARAGRAPH = "ocr_page", "ocr_par"
LINES_AND_WORDS = {"ocr_line", "ocrx_line", "ocr_word", "ocrx_word", "ocr_glyph", "ocr_glyphs", "ocr_dropcap"}
NO_BLOCKS = LINES_AND_WORDS | {PAGE, "ocr_document", "ocr_linear", "ocr_cinfo", "ocrx_cinfo"}
CORNERS = ("x0", "y0", "x1", "y1")

_BOX = re.compile(rb"""bbox((?:\s+[^\s;"']+){4})""")
_PAGES = re.compile(rb"""(?:class|CLASS)\s*=\s*["']?[^"'<>=]*?ocr_page""")
_PROPERTY = re.compile(r"""([\w-]+)((?:"[^"]*"|'[^']*'|[^;"'])*+)""")


@dataclass(slots=True)
class Open:
    """An element that is not closed yet."""

    tag: bytes
    line: int = 0
    page: int = -1
    labels: tuple[str, ...] = ()  # what it is as a block
    boxed: bool = False
    inner: bool = False  # nothing in it is a block: a paragraph, or a picture or table that is to stay closed
    paragraph: int = 0  # where the innermost <p> stands that it is or is in
    around: Box | None = None  # the box around what stands in it


def is_hocr(content: Content) -> bool:
    return root_name(content).lower() in HTML and PAGE.encode() in content.data


def read_file(content: Content, options: Options, rows: LayoutBuilder) -> None:
    check_number_of_tags(content)
    many = len(list(islice(_PAGES.finditer(content.data), 2))) == 2
    stack = [Open(b"")]
    pages = 0
    for line, closing, tag, attributes in tags(content.data):
        if closing:
            _close(stack, _nearest(stack, tag), rows)
            continue
        classes = classes_of(attributes) if b"ocr" in attributes else ()
        _end_before(stack, tag, classes, rows)
        if PAGE in classes:
            pages += 1
            page = _page(content, line, title_of(attributes), pages if many else 0, rows)
            stack.append(Open(tag, line, page, boxed=True))
        elif tag not in VOID:
            _open(stack, tag, line, classes, attributes, options, rows)
        if len(stack) > MAX_DEPTH:
            raise InputError(content.name, f"line {line}", "the HTML is nested too deeply to be a layout")
        if attributes.endswith(b"/") and tag not in VOID:
            _close(stack, len(stack) - 1, rows)
    _check_end(content, stack, pages, rows)


def _end_before(stack: list[Open], tag: bytes, classes: tuple[str, ...], rows: LayoutBuilder) -> None:
    """Close what HTML need not close: a paragraph before the next one or an area, and a page before the next."""
    if stack[-1].paragraph and (tag == b"p" or (tag in AREAS and not NO_BLOCKS.issuperset(classes))):
        _close(stack, stack[-1].paragraph, rows)
    if PAGE in classes:
        _close(stack, next((i for i, element in enumerate(stack) if element.page >= 0), 0), rows)


def _check_end(content: Content, stack: list[Open], pages: int, rows: LayoutBuilder) -> None:
    if not pages or stack[-1].page >= 0:
        problem = "the file ends before its page does" if pages else "there is no ocr_page in it"
        raise InputError(content.name, "", problem, "Copy or export the file again.")
    if _nearest(stack, b"html"):
        rows.odd("cut-off", "files end before they are closed, so that pages may be missing", content.name)


def _nearest(stack: list[Open], tag: bytes) -> int:
    """Where the innermost open element of this name stands; 0 is the ground, which no tag closes."""
    if len(stack) > 1 and stack[-1].tag == tag:
        return len(stack) - 1
    for i in range(len(stack) - 1, 0, -1):
        if stack[i].tag == tag:
            return i
    return 0


def _page(content: Content, line: int, title: str, number: int, rows: LayoutBuilder) -> int:
    attributes = {name: value.strip() for name, value in _PROPERTY.findall(title)}
    name = attributes.get("image", "").strip("\"'").strip()
    if "\ufffd" in name:
        raise InputError(content.name, f"line {line}", "the name of the image is not UTF-8 text", "Save it as UTF-8.")
    corners = attributes.get("bbox", "").split()
    width, height = parse_size(*corners[2:4]) if len(corners) == 4 else (None, None)
    place = f"line {line}"
    if width is not None and any(parse_numbers(corners[:2], content.name, place, CORNERS)):
        message = "pages do not start at 0, 0: their frame reaches from there to the far corner of their box"
        rows.odd("page-offset", message, place)
    document, otherwise = (content.stem, f"{content.stem}_p{number}") if number else ("", content.stem)
    return rows.page(name, width, height, place, document=document, number=number or -1, otherwise=otherwise)


def _open(
    stack: list[Open],
    tag: bytes,
    line: int,
    classes: tuple[str, ...],
    attributes: bytes,
    options: Options,
    rows: LayoutBuilder,
) -> None:
    parent = stack[-1]
    outside = parent.inner or parent.page < 0 or not classes
    labels = () if outside else _blocks(classes)
    boxed = b"bbox " in attributes  # unlike x_bboxes, the boxes of characters
    if boxed and (labels or not parent.boxed):
        x0, y0, x1, y1 = _box(attributes, line, rows.file)
        if not parent.boxed:
            parent.around = _joined(parent.around, (x0, y0, x1, y1))
        for label in labels:
            rows.region(parent.page, label, x0, y0, x1, y1, ("line {}", line))
    closed = not options.nested and any(map(is_picture_or_table, labels))
    inner = parent.inner or closed or PARAGRAPH in classes
    paragraph = len(stack) if tag == b"p" else parent.paragraph
    stack.append(Open(tag, line, parent.page, labels, boxed, inner, paragraph))


@lru_cache(256)
def _blocks(classes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([name for name in classes if name not in NO_BLOCKS])


def _close(stack: list[Open], depth: int, rows: LayoutBuilder) -> None:
    """Close the element at this depth and all in it; 0 closes nothing."""
    while depth and len(stack) > depth:
        element = stack.pop()
        if element.boxed:
            continue
        parent = stack[-1]
        if element.labels and element.around is None:
            rows.odd("no-coordinates", "blocks without coordinates are left out", f"line {element.line}")
        if element.around is not None:
            if element.labels:
                message = "blocks have no box of their own and are given the one around what stands in them"
                rows.odd("box-from-content", message, f"line {element.line}")
            for label in element.labels:
                rows.region(element.page, label, *element.around, ("line {}", element.line))
            parent.around = parent.around if parent.boxed else _joined(parent.around, element.around)


def _box(attributes: bytes, line: int, file: str) -> list[float]:
    found = _BOX.search(attributes)
    if found is None:
        problem = f"the title {short_repr(title_of(attributes))} has no bbox of four numbers"
        raise InputError(file, f"line {line}", problem, "Repair it.")
    # Split before it is text, which has more kinds of blanks than the pattern.
    four = [part.decode("utf-8", "replace") for part in found[1].split()]
    return parse_numbers(four, file, ("line {}", line), CORNERS)


def _joined(one: Box | None, other: Box) -> Box:
    if one is None:
        return other
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])
