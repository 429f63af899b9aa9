"""ALTO 2 to 4: the blocks of a page, which nest in composed blocks; labels from tags, else the element's name.

The unit (pixel, 1/10 mm, 1/1200 inch) holds for the page as for its blocks, so a page keeps the unit it is written in;
comparing brings both sides to one frame. Margins and print space only say where blocks lie.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import Content, Options
from layoutcm.formats.outlines import Box, box_around, outline_of, parse_points
from layoutcm.formats.parsing import FilePlace, is_picture_or_table, parse_numbers, parse_size, place_text
from layoutcm.formats.xml import elements, local_name, root_name
from layoutcm.layouts.shapes import Outline

BELOW_BLOCKS = {"TextLine", "String", "SP", "HYP", "Glyph"}
BLOCKS = ("TextBlock", "Illustration", "GraphicalElement", "ComposedBlock")
AREAS = ("PrintSpace", "TopMargin", "LeftMargin", "RightMargin", "BottomMargin")
SIDES = ("HPOS", "VPOS", "WIDTH", "HEIGHT")
NO_LABEL = "NamedEntityTag"  # it says what a text speaks of, not what a block is
_PAGES = re.compile(rb"<(?:[\w.\-]+:)?Page[\s>]")


def is_alto(content: Content) -> bool:
    return root_name(content) == "alto"


def read_file(content: Content, options: Options, rows: LayoutBuilder) -> None:
    unit, image = "", ""
    tags: dict[str, str] = {}
    pages = 0
    many = len(_PAGES.findall(content.data)) > 1
    for element in elements(content, "MeasurementUnit", "fileName", "Tags", "Page", skipping=BELOW_BLOCKS):
        match local_name(element.tag):
            case "MeasurementUnit":
                unit = (element.text or "").strip()
            case "fileName":
                image = image or (element.text or "").strip()
            case "Tags":
                tags |= _tags(element)
            case _:
                pages += 1
                page = _read_page(element, pages if many else 0, "" if many else image, unit, content, rows)
                _read_blocks(element, page, tags, content.name, options, rows)
    if not pages:
        raise InputError(content.name, "", "there is no Page in it", "Export the file again as ALTO.")


def _read_page(page: Element, number: int, image: str, unit: str, content: Content, rows: LayoutBuilder) -> int:
    """A page of its own, or (from number 1 on) one of several, which the name of one image cannot tell apart."""
    place = f"Page {page.get('ID', '')!r:.40}"
    width, height = parse_size(page.get("WIDTH"), page.get("HEIGHT"))
    if width is None and unit != "pixel":
        problem = f"the page has no size, and its blocks are measured in {short_repr(unit)} instead of 'pixel'"
        raise InputError(content.name, place, problem, "Add WIDTH and HEIGHT to the page, in the same unit.")
    document, otherwise = (content.stem, f"{content.stem}_p{number}") if number else ("", content.stem)
    return rows.page(image, width, height, place, document=document, number=number or -1, otherwise=otherwise)


def _tags(container: Element) -> dict[str, str]:
    """{id: label}, with a blank label for tags that do not say what a block is."""
    return {
        tag.get("ID", ""): "" if local_name(tag.tag) == NO_LABEL else tag.get("LABEL", "") or tag.get("TYPE", "")
        for tag in container
    }


def _read_blocks(
    page: Element, index: int, tags: dict[str, str], file: str, options: Options, rows: LayoutBuilder
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
        labels = _labels(block.attrib, name, tags, place, rows)
        box, shape = _area(block, file, place, options)
        if box is None:
            rows.odd("no-coordinates", "blocks without coordinates are left out", place_text(place))
        else:
            for label in labels:
                rows.region(index, label, *box, place, None, shape)
        if name == "ComposedBlock" and (options.nested or not any(map(is_picture_or_table, labels))):
            todo += reversed(block)


def _labels(block: dict[str, str], name: str, tags: dict[str, str], place: FilePlace, rows: LayoutBuilder) -> list[str]:
    """Of its tags, each; without tags the element's name, with the type that a tool gives it."""
    kind = block.get("TYPE", "").strip()
    otherwise = f"{name}:{kind}" if kind else name
    known_tags = block.get("TAGREFS", "").split()
    if not known_tags:
        return [otherwise]
    labels = [tags[tag] for tag in known_tags if tags.get(tag)]
    if any(tag not in tags for tag in known_tags):
        hint = "Check whether the tags were left out of the file."
        rows.odd("unknown-tag", "blocks refer to tags that the file does not have", place_text(place), hint)
    return list(dict.fromkeys(labels)) or [otherwise]


def _area(block: Element, file: str, place: FilePlace, options: Options) -> tuple[Box | None, Outline | None]:
    sides = list(map(block.attrib.get, SIDES))
    if None in sides or options.outlines:
        namespace = block.tag.removesuffix(local_name(block.tag))
        polygon = block.find(f"{namespace}Shape/{namespace}Polygon")
        flat = parse_points(polygon.get("POINTS", ""), file, place) if polygon is not None else []
        if flat:
            return box_around(flat), outline_of(flat)
        if None in sides:
            return None, None
    x, y, width, height = parse_numbers(sides, file, place, SIDES)
    return (x, y, x + width, y + height), None
