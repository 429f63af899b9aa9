"""ALTO 2 to 4: the blocks of a page, nested in composed blocks; labels come from tags or from element names.

A page and its blocks have the same unit (pixel, 1/10 mm, 1/1200 inch), so coordinates are not converted; a comparison
scales both sides to one frame. Margins and print space only contain blocks and are not regions.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.outlines import Box, box_around, outline_of, parse_points
from layoutcm.formats.parsing import FilePlace, is_picture_or_table, parse_numbers, parse_size, place_text
from layoutcm.formats.xml import elements, local_name
from layoutcm.layouts.shapes import Outline

BELOW_BLOCKS = {"TextLine", "String", "SP", "HYP", "Glyph"}
BLOCKS = ("TextBlock", "Illustration", "GraphicalElement", "ComposedBlock")
AREAS = ("PrintSpace", "TopMargin", "LeftMargin", "RightMargin", "BottomMargin")
BOX_ATTRIBUTES = ("HPOS", "VPOS", "WIDTH", "HEIGHT")
NO_LABEL = "NamedEntityTag"  # describes the text, not the type of the block
LANGUAGE = "language"  # the TYPE of a tag that also describes the text
_PAGES = re.compile(rb"<(?:[\w.\-]+:)?Page[\s>]")


is_alto = Needs("xml", ("alto",), typical=("Page", "PrintSpace", "TextBlock"))


def read_file(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    unit, image = "", ""
    tags: dict[str, str] = {}
    pages = 0
    has_several_pages = len(_PAGES.findall(content.data)) > 1
    for element in elements(content, "MeasurementUnit", "fileName", "Tags", "Page", skipping=BELOW_BLOCKS):
        match local_name(element.tag):
            case "MeasurementUnit":
                unit = (element.text or "").strip()
            case "fileName":
                image = image or (element.text or "").strip()
            case "Tags":
                tags |= _labels_by_tag(element)
            case _:
                pages += 1
                page = _read_page(
                    element,
                    pages if has_several_pages else 0,
                    "" if has_several_pages else image,
                    unit,
                    content,
                    builder,
                )
                _read_blocks(element, page, tags, content.name, options, builder)
    if not pages:
        raise InputError(content.name, "", "there is no Page in it", "Export the file again as ALTO.")


def _read_page(page: Element, number: int, image: str, unit: str, content: FileContent, builder: LayoutBuilder) -> int:
    """Add a page and return its index.

    `number` is 0 for the only page of a file. Several pages are numbered from 1, because the file names one image only.
    """
    place = f"Page {page.get('ID', '')!r:.40}"
    width, height = parse_size(page.get("WIDTH"), page.get("HEIGHT"))
    if width is None and unit != "pixel":
        problem = f"the page has no size, and its blocks are measured in {short_repr(unit)} instead of 'pixel'"
        raise InputError(content.name, place, problem, "Add WIDTH and HEIGHT to the page, in the same unit.")
    document, otherwise = (content.stem, f"{content.stem}_p{number}") if number else ("", content.stem)
    return builder.add_page(image, width, height, place, document=document, number=number or -1, otherwise=otherwise)


def _labels_by_tag(container: Element) -> dict[str, str]:
    """{tag id: label}; the label is empty for tags that do not describe the type of a block."""
    return {tag.get("ID", ""): "" if _describes_text(tag) else _label(tag) for tag in container}


def _describes_text(tag: Element) -> bool:
    return local_name(tag.tag) == NO_LABEL or tag.get("TYPE", "").strip().lower() == LANGUAGE


def _label(tag: Element) -> str:
    return tag.get("LABEL", "") or tag.get("TYPE", "")


def _read_blocks(
    page: Element, index: int, tags: dict[str, str], file: str, options: Options, builder: LayoutBuilder
) -> None:
    namespace = page.tag.removesuffix("Page")
    names = {namespace + name: name for name in (*AREAS, *BLOCKS)}
    todo = list(reversed(page))
    while todo:
        block = todo.pop()
        name = names.get(block.tag, "")
        if name in AREAS:
            todo += reversed(block)
        if name not in BLOCKS:
            continue
        place = ("block {!r:.40}", block.get("ID", ""))
        labels = _labels(block.attrib, name, tags, place, builder)
        box, shape = _box_and_outline(block, file, place, options)
        if box is None:
            builder.note_unusual("no-coordinates", place_text(place), what="blocks without coordinates")
        else:
            for label in labels:
                builder.add_region(index, label, *box, place, None, shape)
        if name == "ComposedBlock" and (options.nested or not any(map(is_picture_or_table, labels))):
            todo += reversed(block)


def _labels(
    block: dict[str, str], name: str, tags: dict[str, str], place: FilePlace, builder: LayoutBuilder
) -> list[str]:
    """The labels of all tags of a block; without tags, the element's name and its TYPE, if it has one."""
    kind = block.get("TYPE", "").strip()
    default = f"{name}:{kind}" if kind else name
    references = block.get("TAGREFS", "").split()
    if not references:
        return [default]
    labels = [tags[tag] for tag in references if tags.get(tag)]
    if any(tag not in tags for tag in references):
        builder.note_unusual("unknown-tag", place_text(place))
    return list(dict.fromkeys(labels)) or [default]


def _box_and_outline(
    block: Element, file: str, place: FilePlace, options: Options
) -> tuple[Box | None, Outline | None]:
    sides = list(map(block.attrib.get, BOX_ATTRIBUTES))
    if None in sides or options.outlines:
        namespace = block.tag.removesuffix(local_name(block.tag))
        polygon = block.find(f"{namespace}Shape/{namespace}Polygon")
        flat = parse_points(polygon.get("POINTS", ""), file, place) if polygon is not None else []
        if flat:
            return box_around(flat), outline_of(flat)
        if None in sides:
            return None, None
    x, y, width, height = parse_numbers(sides, file, place, BOX_ATTRIBUTES)
    return (x, y, x + width, y + height), None
