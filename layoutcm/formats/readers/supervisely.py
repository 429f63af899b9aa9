"""Supervisely: one JSON file per image, named after it (`page.png.json`), with shapes in pixels.

Newer files state the shape of each object. In older ones two points may be a rectangle or a line; the shape of each
class is then in meta.json or classes.json of the project. A bitmap is a PNG in zlib in base64, placed at its origin.
"""

from __future__ import annotations

import base64
import binascii
import io
import math
import zlib
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.archives import Budget
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.image_files import DECODING_ERRORS, open_image
from layoutcm.formats.json_keys import json_type
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import bounding_box, mask_on_page, ring_with_holes, rotated_box
from layoutcm.layouts import limits
from layoutcm.layouts.model import Layout
from layoutcm.layouts.shapes import MAX_MASK_PIXELS

Points = list[tuple[float, float]]
SETTINGS = ("meta.json", "classes.json")  # of a project, with the shape of each class
WITHOUT_AREA = {"point", "line", "polyline", "graph", "cuboid", "cuboid_2d", "keypoints"}
OTHER_MASKS = {"alpha_mask"}
PNG = b"\x89PNG"
FULL_CIRCLE = 2 * math.pi  # a larger angle is probably in degrees
# An image without objects has tags, and a video, which is refused by name, has frames.
is_supervisely = (
    Needs("object", ("size", "objects"), ("classTitle",))
    | Needs("object", ("size", "objects", "tags"))
    | Needs("object", ("size", "objects", "frames"))
)


class Rings(msgspec.Struct):
    exterior: Points = []
    interior: list[Points] = []


OBJECT = {
    **{"classTitle": str, "geometryType": str, "shape": str},
    "points": Rings | list[Any],  # a list for cuboids
    "bitmap": {"origin!": tuple[float, float], "data!": str},
    "angle": float,  # of an oriented_bbox, in radians, clockwise
}
FILE = json_type({"size!": {"width!": float, "height!": float}, "objects!": [OBJECT]})
CLASSES = json_type([{"title!": str, "shape": str}])  # of a project
PROJECT_SETTINGS = json_type({"classes": (CLASSES, [])})


def read_supervisely(name: str, contents: Sequence[FileContent], options: Options) -> Layout:
    builder = LayoutBuilder(name, options)
    settings = [one for one in options.companions if _path(one.name).name.lower() in SETTINGS and one.json_root]
    shapes = {_path(one.name).parent: _class_shapes(one) for one in settings}
    for found in shapes.values():
        builder.declare_labels(list(found))
    size = sum(content.stored_size for content in contents)
    pixels = Budget(limits.MASK_PIXELS_FLOOR + size * limits.MASK_PIXELS_PER_BYTE)
    for content in contents:
        builder.file = content.name
        if "frames" in content.json_keys:
            problem = "this is the annotation of a video or volume"
            raise InputError(content.name, "", problem, "Export the project as images.")
        _read_page(content, _nearest(shapes, content.name), pixels, builder)
    return builder.build("supervisely")


def _path(name: str) -> PurePosixPath:
    return PurePosixPath(name.replace("\\", "/"))


def _class_shapes(content: FileContent) -> dict[str, str]:
    """{class: shape} of a project's settings; a list of classes in old projects."""
    is_list = content.json_root == "array"
    classes = content.decode(CLASSES) if is_list else content.decode(PROJECT_SETTINGS).classes
    return {one.title: one.shape or "" for one in classes}


def _nearest(shapes: dict[PurePosixPath, dict[str, str]], name: str) -> dict[str, str]:
    """The settings in the folder of the file, or in the nearest folder above."""
    folder = _path(name).parent
    return next((shapes[one] for one in (folder, *folder.parents) if one in shapes), {})


def _read_page(content: FileContent, shapes: dict[str, str], pixels: Budget, builder: LayoutBuilder) -> None:
    file = content.decode(FILE)
    page = builder.add_page(content.stem, file.size.width, file.size.height, "size")
    for i, one in enumerate(file.objects):
        label = one.classTitle or ""
        kind = one.geometryType or one.shape or shapes.get(label, "")
        rings = one.points if isinstance(one.points, Rings) else Rings()
        exterior = rings.exterior
        place = ("objects[{}]", i)
        if one.bitmap is not None:
            _add_bitmap(one.bitmap, label, page, f"objects[{i}].bitmap", pixels, builder)
        elif kind in OTHER_MASKS:
            builder.note_unusual("mask-left-out", f"objects[{i}]")
        elif kind in WITHOUT_AREA or len(exterior) < 2:
            builder.note_unusual("not-an-area", f"objects[{i}]")
        elif kind == "oriented_bbox" and abs(one.angle or 0) > FULL_CIRCLE:
            builder.note_unusual("shape-left-out", f"objects[{i}]", what="boxes are turned by more than a full circle")
        elif kind == "oriented_bbox":
            builder.add_outline(page, label, rotated_box(bounding_box(exterior), one.angle or 0), place)
        elif kind == "rectangle":
            builder.add_region(page, label, bounding_box(exterior), place)
        elif kind == "polygon":
            holes = [ring for ring in rings.interior if len(ring) > 2]
            builder.add_outline(page, label, ring_with_holes([exterior, *holes]), place)
        else:
            problem = f"{short_repr(label)} has {len(exterior)} points, and nothing says which shape they make"
            hint = "Put meta.json or classes.json of the project beside the files, and give the folder."
            raise InputError(content.name, f"objects[{i}]", problem, hint)


def _add_bitmap(bitmap: Any, label: str, page: int, place: str, pixels: Budget, builder: LayoutBuilder) -> None:
    mask = _mask_pixels(bitmap, builder.file, place, pixels)
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        builder.note_unusual("no-coordinates", place, what="masks without pixels")
        return
    x0, y0 = bitmap.origin[0] + int(columns[0]), bitmap.origin[1] + int(rows[0])
    mask = mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    x1, y1 = x0 + mask.shape[1], y0 + mask.shape[0]
    shape = None
    if builder.options.outlines and not mask.all():
        width, height = builder.page_size(page)
        if not (x0 >= 0 and x1 <= width and y0 >= 0 and y1 <= height and width * height <= MAX_MASK_PIXELS):
            problem = f"a mask of {mask.shape[1]} x {mask.shape[0]} pixels at {x0:g}, {y0:g} does not fit the page"
            raise InputError(builder.file, place, problem, "Repair or remove it; boxes alone are always read.")
        shape = mask_on_page(mask, int(x0), int(y0), int(width), int(height))
    builder.add_region(page, label, (x0, y0, x1, y1), place, shape=shape)


def _mask_pixels(bitmap: Any, file: str, place: str, pixels: Budget) -> NDArray[np.bool_]:
    """bool[height, width] of a PNG whose pixels are counted before it is decoded."""
    from PIL import Image, UnidentifiedImageError

    try:
        unpacker = zlib.decompressobj()
        png = unpacker.decompress(base64.b64decode(bitmap.data, validate=True), limits.MAX_MASK_BYTES)
        if not png.startswith(PNG):
            raise ValueError("it is not a PNG")
        with open_image(io.BytesIO(png)) as image:
            pixels.left -= max(image.width * image.height, len(png))
            if pixels.left < 0 or unpacker.unconsumed_tail:
                problem = "with it, the masks have too many pixels for the size of the file"
                raise InputError(file, place, problem, "Export them as polygons.")
            # Transparent pixels are not part of a mask; without transparency, black ones are not.
            shown = image.getchannel("A") if image.mode in ("RGBA", "LA") else image.convert("L")
            return np.asarray(shown) > 0
    except UnidentifiedImageError:  # its text has the address of an object
        raise InputError(file, place, "the mask cannot be read: it is damaged", "Repair or remove it.") from None
    except (binascii.Error, zlib.error, Image.DecompressionBombError, *DECODING_ERRORS) as error:
        raise InputError(file, place, f"the mask cannot be read: {error}", "Repair or remove it.") from None
