"""LabelMe, the web tool of MIT: one XML file per image, `object/polygon/pt` in pixels.

The root is that of Pascal VOC, too. Objects that were deleted stay in the file, marked as such.
"""

from __future__ import annotations

from itertools import cycle
from xml.etree.ElementTree import Element

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.outlines import box_around, outline_of
from layoutcm.formats.parsing import parse_number_list, parse_numbers, parse_size, place_text
from layoutcm.formats.xml import elements, is_of_labelme

CORNERS = ("xmin", "ymin", "xmax", "ymax")
AXES = ("x", "y")
POINT_NAMES = ("polygon/pt/x", "polygon/pt/y")
SEPARATOR = "|"
POINT_TAGS = {b"<pt><x>": b"", b"</x><y>": SEPARATOR.encode(), b"</y></pt>": SEPARATOR.encode()}
# In a file with one of these, the separator may be text, or a tag may be none.
NOT_AS_TEXT = (SEPARATOR.encode(), b"&#", b"<![CDATA[")


NEEDS = Needs("xml", ("annotation",), typical=("polygon", "pt", "deleted"))


def is_labelme_xml(content: FileContent) -> bool:
    return NEEDS(content) and is_of_labelme(content)


def read_page(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    root = _root(content)
    if root is None:
        raise InputError(content.name, "", "there is no annotation in it", "Export the file again.")
    width, height = parse_size(root.findtext("imagesize/ncols"), root.findtext("imagesize/nrows"))
    name = (root.findtext("filename") or "").strip()
    page = builder.add_page(name, width, height, "annotation", otherwise=content.stem)
    for i, item in enumerate(root.findall("object")):
        if (item.findtext("deleted") or "").strip() == "1":
            builder.note_unusual("deleted-object", f"object[{i}]")
            continue
        place = ("object[{}]", i)
        mask = item.find("segm")  # an image of its own, of which only the box around it is in the file
        box = None if mask is None else mask.find("box")
        if box is None:
            polygon = item.find("polygon")
            flat = [] if polygon is None else _points(polygon, content.name, place)
        else:
            flat = parse_numbers([box.findtext(corner) for corner in CORNERS], content.name, place, CORNERS)
        if len(flat) > 4 or box is not None:
            shape = outline_of(flat) if options.outlines else None
            label = (item.findtext("name") or "").strip()
            builder.add_region(page, label, *box_around(flat), place, shape=shape)
        else:
            builder.note_unusual("not-an-area", f"object[{i}]")


def _root(content: FileContent) -> Element | None:
    """The annotation. Its points are most of the file, and are parsed faster as text, `x|y|`, than as elements."""
    if any(mark in content.data for mark in NOT_AS_TEXT):
        return next(elements(content, "annotation"), None)
    data, replaced = content.data, set()
    for tag, text in POINT_TAGS.items():
        shorter = data.replace(tag, text)
        replaced.add((len(data) - len(shorter)) // (len(tag) - len(text)))
        data = shorter
    if len(replaced) == 1 and b"<pt" not in data and b"</pt" not in data:
        try:
            return next(elements(FileContent(content.name, data), "annotation"), None)
        except InputError:  # in places that are not those of the file
            pass
    return next(elements(content, "annotation"), None)


def _points(polygon: Element, file: str, place: tuple[str, object]) -> list[float]:
    """x, y, x, y, ... of the polygon of an object."""
    written = polygon.text or ""
    for child in polygon:
        written += child.tail or ""
    if SEPARATOR in written:
        numbers = parse_number_list(written.rstrip()[:-1].replace(SEPARATOR, ",")) if "," not in written else None
        if numbers and len(numbers) % 2 == 0:  # the usual case, made fast for many regions
            return numbers
        texts: list[str | None] = [*written.split(SEPARATOR)[:-1]]
    else:
        texts = [point.findtext(axis) for point in polygon.findall("pt") for axis in AXES]
    if None in texts:
        raise InputError(file, place_text(place), "a point has no x or no y", "Repair or remove the object.")
    return parse_numbers(texts, file, place, cycle(POINT_NAMES))
