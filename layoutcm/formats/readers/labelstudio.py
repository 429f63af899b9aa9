"""Label Studio: a JSON list of tasks, or the flat JSON-MIN, with places in percent of the image.

A task's latest annotation that was not cancelled counts; predictions only where nobody annotated.
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
from layoutcm.formats.content import Content, Options
from layoutcm.formats.parsing import pixels_from_fraction

# Put before a file's name when it is uploaded.
_UPLOAD = re.compile(r"^[0-9a-f]{8}-(?=.)")
FLAT = {"keypointlabels", "brushlabels", "keypoint", "brush", "vectorlabels", "bitmask", "bitmasklabels"}
# Of the flat export: what every task has, and what stands beside it where nobody has trimmed the file.
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
    # A list of results; older exports of predictions hold other things, which are told apart when they are read.
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


def is_labelstudio(content: Content) -> bool:
    keys = content.json_keys
    if content.json_root != "array" or "layout_dets" in keys:
        return False
    whole = "data" in keys and bool({"annotations", "completions", "predictions"} & keys)
    return whole or keys >= MIN_KEYS or len(MORE_KEYS & keys) >= 3


def read_tasks(content: Content, options: Options, rows: LayoutBuilder) -> None:
    if "data" not in content.json_keys:
        return _read_minimal(content, rows)
    for i, task in enumerate(content.decode(list[Task])):
        done = [one for one in task.annotations or task.completions or [] if not one.was_cancelled]
        if len(done) > 1:
            hint = "The last one is used: export one annotation a task to choose another."
            rows.odd("several-annotators", "tasks have several annotations", f"[{i}]", hint)
        chosen = done[-1:] or (task.predictions or [])[-1:]
        results = [one for annotation in chosen for one in annotation.result]
        name = image_name(task.data or {}, task.file_upload) or f"task {task.id}"
        size = next(((one.original_width, one.original_height) for one in results if one.original_width), (None, None))
        page = rows.page(name, size[0], size[1], f"[{i}]")
        score = chosen[0].score if chosen and not done else None
        for k, one in enumerate(results):
            if one.value is not None:
                given = one.score if one.score is not None else score
                _add_region(content.name, rows, page, one.type or "", one.value, f"[{i}].result[{k}]", given)


def _read_minimal(content: Content, rows: LayoutBuilder) -> None:
    for i, task in enumerate(content.decode(list[dict[str, Any]])):
        shapes = [
            item for value in task.values() if isinstance(value, list) for item in value if isinstance(item, dict)
        ]
        try:
            values = [msgspec.convert(item, Value) for item in shapes]
        except msgspec.ValidationError as error:
            raise InputError(content.name, f"[{i}]", short_repr(str(error), 120), "Repair this task.") from None
        size = next(((v.original_width, v.original_height) for v in values if v.original_width), (None, None))
        page = rows.page(image_name(task, None) or f"task {task.get('id', i)}", size[0], size[1], f"[{i}]")
        for k, value in enumerate(values):
            _add_region(content.name, rows, page, "", value, f"[{i}], region {k}", None)


def image_name(data: dict[str, Any], upload: str | None) -> str:
    """The name of the image as it was before the upload, from the task's own field or its first address."""
    texts = [upload, *(data.get(key) for key in ("image", "img", "ocr")), *data.values()]
    found = next((text for text in texts if isinstance(text, str) and PurePosixPath(text).suffix), "")
    name = PurePosixPath(found.partition("?")[0].replace("\\", "/")).name
    return _UPLOAD.sub("", name)


def _add_region(
    file: str, rows: LayoutBuilder, page: int, kind: str, value: Value, place: str, score: float | None
) -> None:
    if kind in FLAT:
        rows.odd("shape-left-out", "points and brush strokes have no outline and are left out", place)
        return
    ring = _ring(value, *rows.size(page))
    if ring is None:
        return  # a choice, a text, a relation: nothing that has a place
    if len(ring) < 2:
        raise InputError(file, place, "fewer than two points", "Repair or remove the region.")
    for label in value.labels:
        rows.outline(page, label, ring, place, score)


def _ring(value: Value, width: float, height: float) -> list[tuple[float, float]] | None:
    """Corners in pixels; a rectangle turns around its upper left corner, on the page and not in percent."""
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
