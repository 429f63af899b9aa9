"""PAGE-XML, 2010 to 2019: regions of a page, which nest; labels such as "TextRegion:heading".

What a tool calls the kind of a region stands in `custom` (Transkribus, eScriptorium) or in `type`. Border and
PrintSpace say where a page is, not what is on it, and are no regions.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from layoutcm.errors import InputError
from layoutcm.formats.content import Content, Options
from layoutcm.formats.gather import NO_SCORE, Gathering, Spot, number, spelled
from layoutcm.formats.markup import elements, is_picture_or_table, local, root_name, told_size
from layoutcm.formats.points import box_around, outline_of, parse_points

BELOW_REGIONS = {"TextLine", "TextEquiv", "Word", "Glyph"}
_STRUCTURE = re.compile(r"structure\s*\{([^{}]*)\}")
# Transkribus writes blanks and brackets inside `custom` as \u0020; half a surrogate pair is no character.
_ESCAPED = re.compile(r"\\u(?![dD][89a-fA-F])([0-9a-fA-F]{4})")


def is_page_xml(content: Content) -> bool:
    return root_name(content) == "PcGts"


def read_file(content: Content, options: Options, rows: Gathering) -> None:
    found = False
    for page in elements(content, "Page", skipping=BELOW_REGIONS):
        found = True
        width, height = told_size(page.get("imageWidth"), page.get("imageHeight"))
        name = page.get("imageFilename", "").strip()
        _read_regions(page, rows.page(name, width, height, "Page", otherwise=content.stem), content.name, options, rows)
    if not found:
        raise InputError(content.name, "", "there is no Page in it", "Export the file again as PAGE-XML.")


def _read_regions(page: Element, index: int, file: str, options: Options, rows: Gathering) -> None:
    namespace = page.tag.removesuffix("Page")
    todo = list(reversed(page))
    while todo:
        region = todo.pop()
        if not region.tag.endswith(("Region", "TableCell")):
            continue
        place = ("region {!r:.40}", region.get("id", ""))
        coords = region.find(f"{namespace}Coords")
        flat = _points(coords, namespace, file, place) if coords is not None else []
        if coords is None or not flat:
            rows.odd("no-coordinates", "regions without coordinates are left out", spelled(place))
        else:
            told = coords.get("conf")
            score = number(told, file, f"{spelled(place)}, conf") if told else NO_SCORE
            shape = outline_of(flat) if options.outlines else None
            rows.region(index, _label(region), *box_around(flat), place, score, shape)
        if options.nested or not is_picture_or_table(local(region.tag)):
            todo += reversed(region)


def _points(coords: Element, namespace: str, file: str, place: Spot) -> list[float]:
    """From the text of newer schemas or the Point children of older ones."""
    text = coords.get("points")
    if text is None:
        text = " ".join(f"{point.get('x')},{point.get('y')}" for point in coords.iter(f"{namespace}Point"))
    return parse_points(text, file, place)


def _label(region: Element) -> str:
    name, kind = local(region.tag), region.get("type", "")
    structure = _STRUCTURE.search(region.get("custom", ""))
    for field in structure[1].split(";") if structure else ():
        key, _, value = field.partition(":")
        if key.strip() == "type" and value.strip():
            kind = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value.strip())
    return f"{name}:{kind}" if kind else name
