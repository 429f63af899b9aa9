"""PAGE-XML, 2010 to 2019: regions of a page, which may be nested; labels such as "TextRegion:heading".

The type of a region is in `custom` (Transkribus, eScriptorium) or in `type`. Border and PrintSpace describe the area of
the page, not its content, and are not regions.
"""

from __future__ import annotations

import re
from functools import lru_cache
from xml.etree.ElementTree import Element

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.outlines import box_around, outline_of, parse_points
from layoutcm.formats.parsing import NO_SCORE, is_picture_or_table, parse_number, parse_size, place_text
from layoutcm.formats.xml import elements, local_name
from layoutcm.layouts.writing.page_xml import PAGE_ATTRIBUTES

REGIONS = ("Region", "TableCell")  # ends of element names; TableCell is an extension by Transkribus
BELOW_REGIONS = {"TextLine", "TextEquiv", "Word", "Glyph"}
_STRUCTURE = re.compile(r"structure\s*\{[^{}]*?\btype\s*:\s*([^\s;{}][^;{}]*)")
_OWN_LABEL = re.compile(r"\blayoutcm\s*\{label:([^\s;{}]+)")  # a label that is no PAGE type, as `convert` writes it
# Transkribus escapes blanks and brackets inside `custom` as in \u0020; half a surrogate pair is not a character.
_ESCAPED = re.compile(r"\\u(?![dD][89a-fA-F])([0-9a-fA-F]{4})")


is_page_xml = Needs("xml", ("PcGts",), typical=("Page", "TextRegion", "Coords"))


def read_file(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    found = False
    for page in elements(content, "Page", skipping=BELOW_REGIONS):
        found = True
        width, height = parse_size(page.get("imageWidth"), page.get("imageHeight"))
        name = page.get("imageFilename", "").strip()
        index = builder.add_page(name, width, height, "Page", otherwise=content.stem)
        builder.add_attributes(index, {key: page.get(key) for key in PAGE_ATTRIBUTES})
        _read_regions(page, index, content.name, options, builder)
    if not found:
        raise InputError(content.name, "", "there is no Page in it", "Export the file again as PAGE-XML.")


def _read_regions(page: Element, index: int, file: str, options: Options, builder: LayoutBuilder) -> None:
    coords_tag = page.tag.removesuffix("Page") + "Coords"
    todo = list(reversed(page))
    while todo:
        region = todo.pop()
        tag = region.tag
        if not tag.endswith(REGIONS):
            continue
        place = ("region {!r:.40}", region.get("id", ""))
        coords = region.find(coords_tag)
        flat = parse_points(coords.get("points") or _join_points(coords), file, place) if coords is not None else []
        if coords is None or not flat:
            builder.note_unusual("no-coordinates", place_text(place), what="regions without coordinates")
        else:
            declared = coords.get("conf")
            score = parse_number(declared, file, f"{place_text(place)}, conf") if declared else NO_SCORE
            shape = outline_of(flat) if options.outlines else None
            builder.add_region(
                index, _label(tag, region.get("custom"), region.get("type")), *box_around(flat), place, score, shape
            )
        if len(region) > (coords is not None) and (options.nested or not is_picture_or_table(local_name(tag))):
            todo += reversed(region)


def _join_points(coords: Element) -> str:
    """The text that newer schemas have as `points`, made from the Point children of older schemas."""
    return " ".join(f"{point.get('x')},{point.get('y')}" for point in coords)


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
