"""XML of OCR engines: ALTO, PAGE-XML and ABBYY.

- ALTO 2 to 4: the blocks of a page, nested in composed blocks; labels come from tags or from element names. A page and
  its blocks have the same unit (pixel, 1/10 mm, 1/1200 inch), so coordinates are not converted; a comparison scales
  both sides to one frame. Margins and print space only contain blocks and are not regions.
- PAGE-XML, 2010 to 2019: regions of a page, which may be nested; labels such as "TextRegion:heading". The type of a
  region is in `custom` (Transkribus, eScriptorium) or in `type`. Border and PrintSpace describe the area of the page,
  not its content, and are not regions.
- ABBYY FineReader XML 6 to 10: pages in pixels with blocks; lines and characters also have boxes and are not read.
"""

from __future__ import annotations

import re
from functools import lru_cache
from xml.etree.ElementTree import Element

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.markup import elements, local_name
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import (
    NO_SCORE,
    Box,
    FilePlace,
    box_around,
    is_picture_or_table,
    outline_of,
    page_name,
    parse_number,
    parse_numbers,
    parse_points,
    parse_size,
    place_text,
)
from layoutcm.layouts.shapes import Outline
from layoutcm.layouts.writing.xml_files import PAGE_ATTRIBUTES

BELOW_BLOCKS = {"TextLine", "String", "SP", "HYP", "Glyph"}
BLOCKS = ("TextBlock", "Illustration", "GraphicalElement", "ComposedBlock")
AREAS = ("PrintSpace", "TopMargin", "LeftMargin", "RightMargin", "BottomMargin")
BOX_ATTRIBUTES = ("HPOS", "VPOS", "WIDTH", "HEIGHT")
NO_LABEL = "NamedEntityTag"  # describes the text, not the type of the block
LANGUAGE = "language"  # the TYPE of a tag that also describes the text
_PAGES = re.compile(rb"<(?:[\w.\-]+:)?Page[\s>]")
is_alto = Needs("xml", ("alto",), typical=("Page", "PrintSpace", "TextBlock"))


def read_alto(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    unit, image = "", ""
    tags: dict[str, str] = {}
    pages = 0
    has_several_pages = len(_PAGES.findall(content.data)) > 1
    wanted, hint = ("MeasurementUnit", "fileName", "Tags", "Page"), "Export the file again as ALTO."
    for element in elements(content, *wanted, skipping=BELOW_BLOCKS, needed="Page", hint=hint):
        match local_name(element.tag):
            case "MeasurementUnit":
                unit = (element.text or "").strip()
            case "fileName":
                image = image or (element.text or "").strip()
            case "Tags":
                tags |= _labels_by_tag(element)
            case _:
                pages += 1
                number, own_image = (pages, "") if has_several_pages else (0, image)
                page = _alto_page(element, number, own_image, unit, content, builder)
                _read_blocks(element, page, tags, builder)


def _alto_page(page: Element, number: int, image: str, unit: str, content: FileContent, builder: LayoutBuilder) -> int:
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
    describes_text = lambda tag: local_name(tag.tag) == NO_LABEL or tag.get("TYPE", "").strip().lower() == LANGUAGE
    label = lambda tag: "" if describes_text(tag) else tag.get("LABEL", "") or tag.get("TYPE", "")
    return {tag.get("ID", ""): label(tag) for tag in container}


def _read_blocks(page: Element, index: int, tags: dict[str, str], builder: LayoutBuilder) -> None:
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
        box, shape = _box_and_outline(block, place, builder)
        if box is None:
            builder.note_unusual("no-coordinates", place_text(place), what="blocks without coordinates")
        else:
            for label in labels:
                builder.add_region(index, label, box, place, None, shape)
        if name == "ComposedBlock" and (builder.options.nested or not any(map(is_picture_or_table, labels))):
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


def _box_and_outline(block: Element, place: FilePlace, builder: LayoutBuilder) -> tuple[Box | None, Outline | None]:
    sides = list(map(block.attrib.get, BOX_ATTRIBUTES))
    if None in sides or builder.options.outlines:
        namespace = block.tag.removesuffix(local_name(block.tag))
        polygon = block.find(f"{namespace}Shape/{namespace}Polygon")
        flat = parse_points(polygon.get("POINTS", ""), builder.file, place) if polygon is not None else []
        if flat:
            return box_around(flat), outline_of(flat)
        if None in sides:
            return None, None
    x, y, width, height = parse_numbers(sides, builder.file, place, BOX_ATTRIBUTES)
    return (x, y, x + width, y + height), None


REGIONS = ("Region", "TableCell")  # ends of element names; TableCell is an extension by Transkribus
BELOW_REGIONS = {"TextLine", "TextEquiv", "Word", "Glyph"}
_STRUCTURE = re.compile(r"structure\s*\{[^{}]*?\btype\s*:\s*([^\s;{}][^;{}]*)")
_OWN_LABEL = re.compile(r"\blayoutcm\s*\{label:([^\s;{}]+)")  # a label that is not a PAGE type, as `convert` writes it
# Transkribus escapes blanks and brackets inside `custom` as in \u0020; half a surrogate pair is not a character.
_ESCAPED = re.compile(r"\\u(?![dD][89a-fA-F])([0-9a-fA-F]{4})")
is_page_xml = Needs("xml", ("PcGts",), typical=("Page", "TextRegion", "Coords"))


def read_page_xml(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    hint = "Export the file again as PAGE-XML."
    for page in elements(content, "Page", skipping=BELOW_REGIONS, needed="Page", hint=hint):
        width, height = parse_size(page.get("imageWidth"), page.get("imageHeight"))
        name = page.get("imageFilename", "").strip()
        index = builder.add_page(name, width, height, "Page", otherwise=content.stem)
        builder.add_attributes(index, {key: page.get(key) for key in PAGE_ATTRIBUTES})
        _read_regions(page, index, builder)


def _read_regions(page: Element, index: int, builder: LayoutBuilder) -> None:
    file, options = builder.file, builder.options
    coords_tag = page.tag.removesuffix("Page") + "Coords"
    todo = list(reversed(page))
    while todo:
        region = todo.pop()
        tag = region.tag
        if not tag.endswith(REGIONS):
            continue
        place = ("region {!r:.40}", region.get("id", ""))
        coords = region.find(coords_tag)
        # Older schemas have Point children instead of the text.
        points = (f"{point.get('x')},{point.get('y')}" for point in (coords if coords is not None else ()))
        flat = parse_points(coords.get("points") or " ".join(points), file, place) if coords is not None else []
        if coords is None or not flat:
            builder.note_unusual("no-coordinates", place_text(place), what="regions without coordinates")
        else:
            declared = coords.get("conf")
            score = parse_number(declared, file, f"{place_text(place)}, conf") if declared else NO_SCORE
            label = _label(tag, region.get("custom"), region.get("type"))
            builder.add_flat_outline(index, label, flat, place, score)
        if len(region) > (coords is not None) and (options.nested or not is_picture_or_table(local_name(tag))):
            todo += reversed(region)


@lru_cache(1024)
def _label(tag: str, custom: str | None, declared: str | None) -> str:
    own = _OWN_LABEL.search(custom) if custom else None
    if own:
        return _unescaped(own[1])
    structure = _STRUCTURE.search(custom) if custom else None
    kind = _unescaped(structure[1].strip() if structure else declared or "")
    name = local_name(tag)
    return f"{name}:{kind}" if kind else name


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "\\u" in text else text


NAMESPACE = "abbyy.com/FineReader_xml/"
BELOW_ABBYY_BLOCKS = {"region", "text", "par", "line", "formatting", "charParams", "row", "separator"}
SIDES = ("l", "t", "r", "b")
_ABBYY_PAGES = re.compile(rb"<(?:[\w.\-]+:)?page[\s>]")
is_abbyy = Needs("xml", ("document",), words=(NAMESPACE,), typical=("page", "block"))


def read_abbyy(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    count = len(_ABBYY_PAGES.findall(content.data))
    hint = "Export the document again."
    for number, page in enumerate(elements(content, "page", skipping=BELOW_ABBYY_BLOCKS, needed="page", hint=hint), 1):
        width, height = parse_size(page.get("width"), page.get("height"))
        name = page_name(content.stem, number, count)
        document, own_number = (content.stem, number) if count > 1 else ("", -1)
        page_index = builder.add_page(name, width, height, f"page {number}", document=document, number=own_number)
        for i, block in enumerate(page):
            if local_name(block.tag) != "block":
                continue
            sides = list(map(block.get, SIDES))
            place = (f"page {number}, block {{}}", i + 1)
            if None in sides:
                builder.note_unusual("no-coordinates", place[0].format(place[1]), what="blocks without coordinates")
                continue
            box = parse_numbers(sides, content.name, place, SIDES)
            builder.add_region(page_index, block.get("blockType", ""), box, place)
