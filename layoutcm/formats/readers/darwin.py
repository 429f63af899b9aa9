"""V7 Darwin JSON 1.0 and 2.0: one file per item, boxes x, y, w, h and polygons in pixels.

An item is an image, several images in slots, or a PDF or video with frames. A polygon has its bounding box beside it:
both are one region.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.json_keys import json_type
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import FilePlace, Point, SizedBox, ellipse_points, page_name, place_text, ring_with_holes

is_darwin = (
    Needs("object", ("annotations", "item", "version"))
    | Needs("object", ("annotations", "item", "schema_ref"))
    | Needs("object", ("annotations", "image", "dataset"), also=lambda content: "images" not in content.json_keys)
)

GEOMETRY = {
    "bounding_box": SizedBox,
    "polygon": {"paths": ([[Point]], []), "path": ([Point], [])},  # one path in version 1.0
    "complex_polygon": {"path": ([[Point]], [])},  # several rings in version 1.0
    "ellipse": {"center!": Point, "radius!": Point, "angle": float},
    "mask": Any,
    "raster_layer": Any,  # the pixels of all masks
}
ANNOTATION = {
    **GEOMETRY,
    **{"name": str, "slot_names": [str], "frames": {"*": GEOMETRY}},
    **{"ranges": [tuple[int, int]], "inference": {"confidence": float}},
}
SOURCE_FILE = json_type({"file_name": str})
SLOT = json_type(
    {
        **{"slot_name": str, "width": float, "height": float, "type": str},
        **{"source_files": [SOURCE_FILE | str], "frame_urls": [str]},
    }
)
ITEM = json_type({"name": str, "path": str, "slots": [SLOT]})
IMAGE = {"filename": str, "original_filename": str, "path": str, "width": float, "height": float}  # of version 1.0
FILE = json_type({"annotations!": [ANNOTATION], "item": ITEM, "image": IMAGE})


def _item(file: Any) -> Any:
    """The item of a file, of either version."""
    image = file.image
    if file.item is not None or image is None:
        return file.item or ITEM()
    slots = [SLOT(width=image.width, height=image.height)]
    return ITEM(name=image.original_filename or image.filename, path=image.path, slots=slots)


class ItemPages:
    """The pages of one item, which are added when the first annotation needs them."""

    def __init__(self, content: FileContent, item: Any, builder: LayoutBuilder) -> None:
        self._content, self._builder = content, builder
        self._name = str(PurePosixPath((item.path or "").strip("/"), item.name or content.stem))
        self._slots = item.slots or [SLOT()]
        self._slot_at = {slot.slot_name: i for i, slot in reversed(list(enumerate(self._slots)))}
        self._pages: dict[tuple[int, int | None], int] = {}

    def add_all(self, has_frames: bool) -> None:
        """Add the image of each slot, or all pages of a PDF; of a video, only frames with annotations are pages."""
        for i, slot in enumerate(self._slots):
            if slot.type == "pdf":
                for frame in range(len(slot.frame_urls or [])):
                    self.find(i, frame)
            elif not has_frames:
                self.find(i, None)

    def slot_of(self, annotation: Any) -> int:
        return self._slot_at.get(next(iter(annotation.slot_names or []), None), 0)

    def find(self, slot: int, frame: int | None) -> int:
        key = (slot, frame)
        if key not in self._pages:
            given, name = self._slots[slot], self._name
            if len(self._slots) > 1:
                name = f"{name}_{given.slot_name or slot}"
                source = next(iter(given.source_files or []), None)
                name = (source.file_name if isinstance(source, SOURCE_FILE) else source) or name
            document, number = ("", -1) if frame is None else (name, frame + 1)
            name = name if frame is None else page_name(str(PurePosixPath(name).with_suffix("")), number, 2)
            self._pages[key] = self._builder.add_page(
                name, given.width, given.height, "item", document=document, number=number, otherwise=self._content.stem
            )
        return self._pages[key]


def read_darwin(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(FILE)
    pages = ItemPages(content, _item(file), builder)
    pages.add_all(any(one.frames for one in file.annotations))
    for i, annotation in enumerate(file.annotations):
        slot = pages.slot_of(annotation)
        score = annotation.inference.confidence if annotation.inference else None
        if annotation.frames is None:
            place: FilePlace = ("annotations[{}]", i)
            _add_region(annotation, annotation, pages.find(slot, None), place, score, builder)
            continue
        if sum(end - start for start, end in annotation.ranges or []) > len(annotation.frames):
            builder.note_unusual("skipped-frames", f"annotations[{i}]")
        for frame, geometry in annotation.frames.items():
            page = pages.find(slot, _frame_number(frame, content.name, f"annotations[{i}].frames"))
            place = ("annotations[{0[0]}].frames.{0[1]}", (i, frame))
            _add_region(annotation, geometry, page, place, score, builder)


def _frame_number(text: str, file: str, place: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InputError(file, place, f"{short_repr(text)} is not a frame", "Repair or remove it.")
    return int(text)


def _add_region(
    annotation: Any, geometry: Any, page: int, place: FilePlace, score: float | None, builder: LayoutBuilder
) -> None:
    label, box = annotation.name or "", geometry.bounding_box
    paths = geometry.complex_polygon.path if geometry.complex_polygon else []
    if geometry.polygon:
        paths = geometry.polygon.paths or [geometry.polygon.path]
    rings = [[(point.x, point.y) for point in path] for path in paths if len(path) > 2]
    if rings:
        builder.add_outline(page, label, ring_with_holes(rings), place, score)
    elif geometry.ellipse:
        center, radius = geometry.ellipse.center, geometry.ellipse.radius
        ring = ellipse_points(center.x, center.y, radius.x, radius.y, geometry.ellipse.angle or 0.0)
        builder.add_outline(page, label, ring, place, score)
    elif box:
        builder.add_region(page, label, box.corners, place, score)
    elif geometry.raster_layer is None:  # the pixels of masks, which are annotations of their own
        is_mask = geometry.mask is not None
        builder.note_unusual("mask-left-out" if is_mask else "not-an-area", place_text(place))
