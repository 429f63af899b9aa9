"""Pascal VOC: one XML file per page, `object/bndbox` in pixels.

The original VOC data counts pixels from 1, but layout data in this format counts from 0; coordinates are not changed.
Objects marked `difficult` are not to be judged.
"""

from __future__ import annotations

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import NO_SCORE, parse_number, parse_numbers, parse_size
from layoutcm.formats.xml import elements, is_of_labelme

CORNERS = ("xmin", "ymin", "xmax", "ymax")


NEEDS = Needs("xml", ("annotation",), typical=("object", "bndbox", "filename"))


def is_voc(content: FileContent) -> bool:
    return NEEDS(content) and not is_of_labelme(content)


def read_page(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.name
    root = next(elements(content, "annotation"), None)
    if root is None:
        raise InputError(file, "", "there is no annotation in it", "Export the file again as Pascal VOC.")
    width, height = parse_size(root.findtext("size/width"), root.findtext("size/height"))
    page = builder.add_page(
        (root.findtext("filename") or "").strip(), width, height, "annotation", otherwise=content.stem
    )
    for i, item in enumerate(root.findall("object")):  # direct children only: parts inside an object have boxes too
        box = item.find("bndbox")
        if box is None:
            builder.note_unusual("no-coordinates", f"object[{i}]", what="objects without a bndbox")
            continue
        corner_texts = {child.tag: child.text for child in box}
        place = ("object[{}]", i)
        x0, y0, x1, y1 = parse_numbers([corner_texts.get(corner) for corner in CORNERS], file, place, CORNERS)
        score = item.findtext("score") or item.findtext("confidence")
        builder.add_region(
            page,
            (item.findtext("name") or "").strip(),
            x0,
            y0,
            x1,
            y1,
            place,
            parse_number(score, file, f"object[{i}]/score") if score else NO_SCORE,
        )
        if (item.findtext("difficult") or "").strip() in ("1", "true", "True"):
            builder.mark_ignored(f"object[{i}]")
