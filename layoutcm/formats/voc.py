"""Pascal VOC: one XML file a page, `object/bndbox` in pixels.

The original data counts pixels from 1; layout data in this format counts from 0, so coordinates are taken as they are.
"""

from __future__ import annotations

from layoutcm.errors import InputError
from layoutcm.formats.content import Content, Options
from layoutcm.formats.gather import Gathering, number
from layoutcm.formats.markup import elements, root_name

CORNERS = ("xmin", "ymin", "xmax", "ymax")


def is_voc(content: Content) -> bool:
    return root_name(content) == "annotation"


def read_page(content: Content, options: Options, rows: Gathering) -> None:
    file = content.name
    root = next(elements(content, "annotation"))
    size = root.find("size")
    width, height = (
        number(size.findtext(side), file, f"size/{side}") if size is not None and size.findtext(side) else None
        for side in ("width", "height")
    )
    page = rows.page((root.findtext("filename") or "").strip() or content.stem, width, height)
    for i, item in enumerate(root.findall("object")):  # not the parts inside an object, which have boxes too
        box = item.find("bndbox")
        if box is None:
            raise InputError(file, f"object[{i}]", "there is no bndbox", "Add it or remove the object.")
        told = {child.tag: child.text for child in box}
        x0, y0, x1, y1 = (number(told.get(corner), file, f"object[{i}]/bndbox/{corner}") for corner in CORNERS)
        score = item.findtext("score") or item.findtext("confidence")
        rows.region(
            page,
            (item.findtext("name") or "").strip(),
            x0,
            y0,
            x1,
            y1,
            ("object[{}]", i),
            number(score, file, f"object[{i}]/score") if score else None,
        )
