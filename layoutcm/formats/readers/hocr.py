"""hOCR: HTML in which the class of an element is its type (area, paragraph, photo) and its title contains its box.

It is rarely valid XML, so tags are found one by one and closed as a browser would close them. Blocks are elements with
a class for something larger than lines and words: areas and the paragraphs in them, but nothing inside a paragraph.
A block without a box gets the box around its content.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.markup import VOID, check_number_of_tags, classes_of, root_name, tags, title_of
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import is_picture_or_table, parse_numbers, parse_size
from layoutcm.layouts import limits

HTML = {"html", "head", "body", "div", "span", "p", "section", "article"}
AREAS = {b"div", b"table"}
PAGE, PARAGRAPH = "ocr_page", "ocr_par"
LINES_AND_WORDS = {"ocr_line", "ocrx_line", "ocr_word", "ocrx_word", "ocr_glyph", "ocr_glyphs", "ocr_dropcap"}
LINES = {"ocr_line", "ocrx_line"}
NO_BLOCKS = LINES_AND_WORDS | {PAGE, "ocr_document", "ocr_linear", "ocr_cinfo", "ocrx_cinfo"}
CORNERS = ("x0", "y0", "x1", "y1")
_BOX = re.compile(rb"""bbox((?:\s+[^\s;"']+){4})""")
# Blanks are taken once and for all (`*+`): the part after them may also begin with blanks.
_PAGES = re.compile(rb"""(?:class|CLASS)\s*+=\s*+["']?[^"'<>=]*?ocr_page""")
_PROPERTY = re.compile(r"""([\w-]++)((?:"[^"]*"|'[^']*'|[^;"'])*+)""")
HOCR_NEEDS = Needs("xml", ("html",), words=(PAGE,))


@dataclass(slots=True)
class OpenElement:
    """An element that is not closed yet."""

    tag: bytes
    line: int = 0
    page: int = -1
    labels: tuple[str, ...] = ()  # empty if it is not a block
    has_box: bool = False
    ignores_blocks: bool = False  # a paragraph, a picture or table that is not read further, or inside one
    paragraph: int = 0  # stack index of the innermost <p>, which may be the element itself; 0 = none
    content_box: Sequence[float] | None = None  # the box around its content
    open_tags: frozenset[bytes] = frozenset()  # of the elements around it and its own


def is_hocr(content: FileContent) -> bool:
    return root_name(content).lower() in HTML and PAGE.encode() in content.data


def read_hocr(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    check_number_of_tags(content)
    has_several_pages = len(list(islice(_PAGES.finditer(content.data), 2))) == 2
    stack = [OpenElement(b"")]
    pages, first_region = 0, builder.region_count
    page_lines: dict[int, int] = {}  # where each page starts
    text_lines: Counter[int] = Counter()  # of each page
    for line, closing, tag, attributes in tags(content.data):
        if closing:
            _close_elements(stack, _innermost(stack, tag), builder)
            continue
        classes = classes_of(attributes) if b"ocr" in attributes else ()
        _close_implied(stack, tag, classes, builder)
        if PAGE in classes:
            pages += 1
            page = _add_page(content, line, title_of(attributes), pages if has_several_pages else 0, builder)
            page_lines[page] = line
            _push(stack, OpenElement(tag, line, page, has_box=True))
        elif tag not in VOID:
            if not LINES.isdisjoint(classes):
                text_lines[stack[-1].page] += 1
            _open_element(stack, tag, line, classes, attributes, options, builder)
        if len(stack) > limits.MAX_XML_DEPTH:
            raise InputError(content.name, f"line {line}", "the HTML is nested too deeply to be a layout")
        if attributes.endswith(b"/") and tag not in VOID:
            _close_elements(stack, len(stack) - 1, builder)
    _check_end(content, stack, pages, builder)
    for page in sorted(text_lines.keys() - builder.pages_with_regions(first_region) - {-1}):
        builder.note_unusual("lines-without-block", f"line {page_lines[page]}", lines=f"{text_lines[page]:,}")


def _close_implied(stack: list[OpenElement], tag: bytes, classes: tuple[str, ...], builder: LayoutBuilder) -> None:
    """Close elements without a closing tag: a paragraph before the next one or an area, a page before the next."""
    if stack[-1].paragraph and (tag == b"p" or (tag in AREAS and not NO_BLOCKS.issuperset(classes))):
        _close_elements(stack, stack[-1].paragraph, builder)
    if PAGE in classes:
        _close_elements(stack, next((i for i, element in enumerate(stack) if element.page >= 0), 0), builder)


def _check_end(content: FileContent, stack: list[OpenElement], pages: int, builder: LayoutBuilder) -> None:
    if not pages or stack[-1].page >= 0:
        problem = "the file ends before its page does" if pages else "there is no ocr_page in it"
        raise InputError(content.name, "", problem, "Copy or export the file again.")
    if _innermost(stack, b"html"):
        builder.note_unusual("cut-off", content.name)


def _innermost(stack: list[OpenElement], tag: bytes) -> int:
    """The stack index of the innermost open element with this tag, 0 if there is none."""
    if len(stack) > 1 and stack[-1].tag == tag:
        return len(stack) - 1
    if tag not in stack[-1].open_tags:  # otherwise each of many wrong closing tags would search the whole stack
        return 0
    return next((i for i in range(len(stack) - 1, 0, -1) if stack[i].tag == tag), 0)


def _push(stack: list[OpenElement], element: OpenElement) -> None:
    around = stack[-1].open_tags
    element.open_tags = around if element.tag in around else around | {element.tag}
    stack.append(element)


def _add_page(content: FileContent, line: int, title: str, number: int, builder: LayoutBuilder) -> int:
    attributes = {name: value.strip() for name, value in _PROPERTY.findall(title)}
    name = attributes.get("image", "").strip("\"'").strip()
    if "\ufffd" in name:
        raise InputError(content.name, f"line {line}", "the name of the image is not UTF-8 text", "Save it as UTF-8.")
    corners = attributes.get("bbox", "").split()
    width, height = parse_size(*corners[2:4]) if len(corners) == 4 else (None, None)
    place = f"line {line}"
    if width is not None and any(parse_numbers(corners[:2], content.name, place, CORNERS)):
        builder.note_unusual("page-offset", place)
    document, otherwise = (content.stem, f"{content.stem}_p{number}") if number else ("", content.stem)
    return builder.add_page(name, width, height, place, document=document, number=number or -1, otherwise=otherwise)


def _open_element(
    stack: list[OpenElement],
    tag: bytes,
    line: int,
    classes: tuple[str, ...],
    attributes: bytes,
    options: Options,
    builder: LayoutBuilder,
) -> None:
    parent = stack[-1]
    is_no_block = parent.ignores_blocks or parent.page < 0 or not classes
    labels = () if is_no_block else _block_labels(classes)
    has_box = b"bbox " in attributes  # unlike x_bboxes, the boxes of characters
    if has_box and (labels or not parent.has_box):
        box = _parse_box(attributes, line, builder.file)
        if not parent.has_box:
            parent.content_box = _union(parent.content_box, box)
        for label in labels:
            builder.add_region(parent.page, label, box, ("line {}", line))
    hides_content = not options.nested and any(map(is_picture_or_table, labels))
    ignores_blocks = parent.ignores_blocks or hides_content or PARAGRAPH in classes
    paragraph = len(stack) if tag == b"p" else parent.paragraph
    _push(stack, OpenElement(tag, line, parent.page, labels, has_box, ignores_blocks, paragraph))


@lru_cache(256)
def _block_labels(classes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([name for name in classes if name not in NO_BLOCKS])


def _close_elements(stack: list[OpenElement], stack_index: int, builder: LayoutBuilder) -> None:
    """Close the element at this stack index and all elements in it; 0 closes nothing."""
    while stack_index and len(stack) > stack_index:
        element = stack.pop()
        if element.has_box:
            continue
        parent = stack[-1]
        if element.labels and element.content_box is None:
            builder.note_unusual("no-coordinates", f"line {element.line}", what="blocks without coordinates")
        if element.content_box is not None:
            if element.labels:
                builder.note_unusual("box-from-content", f"line {element.line}")
            for label in element.labels:
                builder.add_region(element.page, label, element.content_box, ("line {}", element.line))
            if not parent.has_box:
                parent.content_box = _union(parent.content_box, element.content_box)


def _parse_box(attributes: bytes, line: int, file: str) -> list[float]:
    found = _BOX.search(attributes)
    if found is None:
        problem = f"the title {short_repr(title_of(attributes))} has no bbox of four numbers"
        raise InputError(file, f"line {line}", problem, "Repair it.")
    # Split before decoding: str.split() also splits at blanks that are not ASCII, the pattern does not.
    corners = [part.decode("utf-8", "replace") for part in found[1].split()]
    return parse_numbers(corners, file, ("line {}", line), CORNERS)


def _union(box: Sequence[float] | None, other: Sequence[float]) -> Sequence[float]:
    if box is None:
        return other
    return min(box[0], other[0]), min(box[1], other[1]), max(box[2], other[2]), max(box[3], other[3])
