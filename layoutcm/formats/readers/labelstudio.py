"""Label Studio: a JSON list of tasks, or the flat JSON-MIN, with coordinates in percent of the image.

The last annotation of a task that was not cancelled is read; predictions are read only if there is none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

import msgspec

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.parsing import pixels_from_fraction

# The prefix that an upload adds to a file name.
_UPLOAD = re.compile(r"^[0-9a-f]{8}-(?=.)")
TYPES_WITHOUT_OUTLINE = {
    "keypointlabels",
    "brushlabels",
    "keypoint",
    "brush",
    "vectorlabels",
    "bitmask",
    "bitmasklabels",
}
# Keys of a task in JSON-MIN: it has all of MIN_KEYS, or at least three of MORE_KEYS.
MIN_KEYS = {"id", "annotation_id", "annotator"}
MORE_KEYS = {"annotation_id", "annotator", "lead_time", "created_at", "updated_at"}


class Value(msgspec.Struct):
    x: float | None = None
    y: float | None = None
    width: float | None = None
    height: float | None = None
    rotation: float | None = None
    radiusX: float | None = None
    radiusY: float | None = None
    points: list[tuple[float, float]] | None = None
    rectanglelabels: list[str] | None = None
    polygonlabels: list[str] | None = None
    ellipselabels: list[str] | None = None
    original_width: float | None = None
    original_height: float | None = None

    @property
    def labels(self) -> Sequence[str]:
        return self.rectanglelabels or self.polygonlabels or self.ellipselabels or [""]


class Result(msgspec.Struct):
    type: str | None = None
    value: Value | None = None
    original_width: float | None = None
    original_height: float | None = None
    score: float | None = None


class Annotation(msgspec.Struct):
    # Some entries are not regions, mainly in older exports of predictions; they are skipped later.
    result: list[Result] = []
    was_cancelled: bool | None = False
    score: float | None = None


class Task(msgspec.Struct):
    id: int | str | None = None
    data: dict[str, Any] | None = None
    file_upload: str | None = None
    annotations: list[Annotation] | None = None
    completions: list[Annotation] | None = None
    predictions: list[Annotation] | None = None


def is_labelstudio(content: FileContent) -> bool:
    keys = content.json_keys
    if content.json_root != "array" or "layout_dets" in keys:
        return False
    is_full_export = "data" in keys and bool({"annotations", "completions", "predictions"} & keys)
    return is_full_export or keys >= MIN_KEYS or len(MORE_KEYS & keys) >= 3


def read_tasks(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    if "data" not in content.json_keys:
        return _read_minimal(content, builder)
    for i, task in enumerate(content.decode(list[Task])):
        finished = [
            annotation for annotation in task.annotations or task.completions or [] if not annotation.was_cancelled
        ]
        if len(finished) > 1:
            builder.note_unusual("several-annotators", f"[{i}]")
        chosen = finished[-1:] or (task.predictions or [])[-1:]
        results = [result for annotation in chosen for result in annotation.result]
        name = image_name(task.data or {}, task.file_upload) or f"task {task.id}"
        size = next(
            ((result.original_width, result.original_height) for result in results if result.original_width),
            (None, None),
        )
        page = builder.add_page(name, size[0], size[1], f"[{i}]")
        score = chosen[0].score if chosen and not finished else None
        for k, result in enumerate(results):
            if result.value is not None:
                result_score = result.score if result.score is not None else score
                _add_region(
                    content.name, builder, page, result.type or "", result.value, f"[{i}].result[{k}]", result_score
                )


def _read_minimal(content: FileContent, builder: LayoutBuilder) -> None:
    for i, task in enumerate(content.decode(list[dict[str, Any]])):
        shapes = [
            item for value in task.values() if isinstance(value, list) for item in value if isinstance(item, dict)
        ]
        try:
            values = [msgspec.convert(item, Value) for item in shapes]
        except msgspec.ValidationError as error:
            raise InputError(content.name, f"[{i}]", short_repr(str(error), 120), "Repair this task.") from None
        size = next(((v.original_width, v.original_height) for v in values if v.original_width), (None, None))
        page = builder.add_page(image_name(task, None) or f"task {task.get('id', i)}", size[0], size[1], f"[{i}]")
        for k, value in enumerate(values):
            _add_region(content.name, builder, page, "", value, f"[{i}], region {k}", None)


def image_name(data: dict[str, Any], upload: str | None) -> str:
    """The image's file name before the upload, from the name of the upload or the first path or URL in the data."""
    texts = [upload, *(data.get(key) for key in ("image", "img", "ocr")), *data.values()]
    found = next((text for text in texts if isinstance(text, str) and PurePosixPath(text).suffix), "")
    name = PurePosixPath(found.partition("?")[0].replace("\\", "/")).name
    return _UPLOAD.sub("", name)


def _add_region(
    file: str, builder: LayoutBuilder, page: int, kind: str, value: Value, place: str, score: float | None
) -> None:
    if kind in TYPES_WITHOUT_OUTLINE:
        builder.note_unusual("shape-left-out", place, what="points and brush strokes have no outline")
        return
    ring = _ring(value, *builder.page_size(page))
    if ring is None:
        return  # a choice, a text or a relation, which has no coordinates
    if len(ring) < 2:
        raise InputError(file, place, "fewer than two points", "Repair or remove the region.")
    builder.add_outline(page, value.labels, ring, place, score)


def _ring(value: Value, width: float, height: float) -> list[tuple[float, float]] | None:
    """Corners in pixels, or None without coordinates; a rectangle is rotated in pixels around its upper left corner."""
    if value.points is not None:
        return [(pixels_from_fraction(x / 100, width), pixels_from_fraction(y / 100, height)) for x, y in value.points]
    if value.x is None or value.y is None:
        return None
    x, y = pixels_from_fraction(value.x / 100, width), pixels_from_fraction(value.y / 100, height)
    if value.radiusX is not None and value.radiusY is not None:
        rx, ry = value.radiusX * width / 100, value.radiusY * height / 100
        return [(x - rx, y - ry), (x + rx, y + ry)]
    if value.width is None or value.height is None:
        return None
    if not value.rotation:
        x1, y1 = (
            pixels_from_fraction((value.x + value.width) / 100, width),
            pixels_from_fraction((value.y + value.height) / 100, height),
        )
        return [(x, y), (x1, y), (x1, y1), (x, y1)]
    w, h = value.width * width / 100, value.height * height / 100
    cos, sin = math.cos(math.radians(value.rotation)), math.sin(math.radians(value.rotation))
    return [(x + a * cos - b * sin, y + a * sin + b * cos) for a, b in ((0, 0), (w, 0), (w, h), (0, h))]
