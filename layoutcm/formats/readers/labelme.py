"""LabelMe: one JSON file per page, shapes with points in pixels."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import bounding_box

Point = tuple[float, float]
IGNORE_LABEL = "__ignore__"  # what LabelMe's own converters leave unlabelled
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
    flags: Any = None


is_labelme = Needs("object", ("shapes", "imagePath"), typical=("imageWidth", "points"))


def read_page(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(File)
    builder.ignore_label = IGNORE_LABEL
    page = builder.add_page(file.imagePath or content.stem, file.imageWidth, file.imageHeight)
    _add_flags(file, page, builder)
    for i, shape in enumerate(file.shapes):
        kind, place = shape.shape_type or "polygon", ("shapes[{}]", i)
        if kind in SHAPES_WITHOUT_AREA:
            builder.note_unusual("shape-left-out", f"shapes[{i}]", what="lines and points have no area")
            continue
        if shape.label == IGNORE_LABEL:
            builder.note_unusual("ignored-shape", f"shapes[{i}]")
        if len(shape.points) < 2:
            if shape.label == IGNORE_LABEL:  # it covers nothing
                continue
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


def _add_flags(file: File, page: int, builder: LayoutBuilder) -> None:
    """The flags of the image, such as {"scanned": true}, as attributes: classes of the page that its annotator set."""
    if isinstance(file.flags, dict):
        builder.add_attributes(page, {name: flag for name, flag in file.flags.items() if isinstance(flag, bool)})
