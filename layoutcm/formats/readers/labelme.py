"""LabelMe: one JSON file per page, shapes with points in pixels."""

from __future__ import annotations

import math

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.parsing import bounding_box

Point = tuple[float, float]
SHAPES_WITHOUT_AREA = ("line", "linestrip", "point", "points")


class LabelmeShape(msgspec.Struct, gc=False):
    label: str | None = None
    points: list[Point] = []
    shape_type: str | None = None
    score: float | None = None


class File(msgspec.Struct):
    shapes: list[LabelmeShape]
    imagePath: str | None = None
    imageWidth: float | None = None
    imageHeight: float | None = None


def is_labelme(content: FileContent) -> bool:
    return content.json_root == "object" and {"shapes", "imagePath"} <= content.json_keys


def read_page(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(File)
    page = builder.add_page(file.imagePath or content.stem, file.imageWidth, file.imageHeight)
    for i, shape in enumerate(file.shapes):
        kind, place = shape.shape_type or "polygon", ("shapes[{}]", i)
        has_no_area = kind in SHAPES_WITHOUT_AREA
        if has_no_area or shape.label == "__ignore__":
            if has_no_area:
                builder.note_unusual("shape-left-out", f"shapes[{i}]", what="lines and points have no area")
            else:
                builder.note_unusual("ignored-shape", f"shapes[{i}]")
            continue
        if len(shape.points) < 2:
            raise InputError(
                content.name, f"shapes[{i}].points", "fewer than two points", "Repair or remove the shape."
            )
        if kind == "circle":  # its centre and a point on its edge
            (x, y), (ex, ey) = shape.points[:2]
            radius = math.hypot(ex - x, ey - y)
            builder.add_region(
                page, shape.label or "", x - radius, y - radius, x + radius, y + radius, place, shape.score
            )
        elif kind == "polygon":
            builder.add_outline(page, shape.label or "", shape.points, place, shape.score)
        else:
            builder.add_region(page, shape.label or "", *bounding_box(shape.points), place, shape.score)
