"""LabelMe, the web tool of MIT: one XML file per image, `object/polygon/pt` in pixels.

The root is that of Pascal VOC, too. Objects that were deleted stay in the file, marked as such.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.parsing import parse_numbers, parse_size
from layoutcm.formats.xml import elements, is_of_labelme, root_name

CORNERS = ("xmin", "ymin", "xmax", "ymax")


def is_labelme_xml(content: FileContent) -> bool:
    return root_name(content) == "annotation" and is_of_labelme(content)


def read_page(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    root = next(elements(content, "annotation"), None)
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
        points = _points(item, content.name, place)
        if len(points) > 2 or (len(points) == 2 and item.find("segm") is not None):
            builder.add_outline(page, (item.findtext("name") or "").strip(), points, place)
        else:
            builder.note_unusual("not-an-area", f"object[{i}]")


def _points(item: Element, file: str, place: tuple[str, object]) -> list[tuple[float, float]]:
    """The points of the polygon, or two corners of the box around a mask, which is an image of its own."""
    box = item.find("segm/box")
    if box is not None:
        x0, y0, x1, y1 = parse_numbers([box.findtext(corner) for corner in CORNERS], file, place, CORNERS)
        return [(x0, y0), (x1, y1)]
    texts = [point.findtext(axis) for point in item.findall("polygon/pt") for axis in "xy"]
    flat = parse_numbers(texts, file, place, ["polygon/pt/x", "polygon/pt/y"] * (len(texts) // 2))
    return list(zip(flat[::2], flat[1::2]))
