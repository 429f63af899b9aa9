"""Label Studio: a JSON list of tasks, or the flat JSON-MIN, with coordinates in percent of the image.

The last annotation of a task that was not cancelled is read; predictions are read only if there is no annotation. If an
annotator is asked for, the last annotation by this one is read. Predictions have the annotator "model: VERSION". A task
that was only skipped, so that all its annotations are cancelled, is no page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import pixels_from_fraction
from layoutcm.layouts import limits
from layoutcm.layouts.page_attributes import attribute_text

_FILE_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}\Z")
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
MIN_KEYS = ("id", "annotation_id", "annotator")
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
    choices: Any = None  # classes that were chosen for the whole page, or for a region

    @property
    def labels(self) -> Sequence[str]:
        return self.rectanglelabels or self.polygonlabels or self.ellipselabels or [""]


class Result(msgspec.Struct):
    type: str | None = None
    value: Value | None = None
    original_width: float | None = None
    original_height: float | None = None
    score: float | None = None
    from_name: Any = None


class Annotation(msgspec.Struct):
    # Some entries are not regions, mainly in older exports of predictions; they are skipped later.
    result: list[Result] = []
    was_cancelled: bool | None = False
    score: float | None = None
    completed_by: Any = None  # a number, an email address, or an object with both
    model_version: Any = None  # of a prediction


class Task(msgspec.Struct):
    id: int | str | None = None
    data: dict[str, Any] | None = None
    file_upload: str | None = None
    annotations: list[Annotation] | None = None
    completions: list[Annotation] | None = None
    predictions: list[Annotation] | None = None


class PageFacts(msgspec.Struct):
    """What `convert` adds to the data of a task, below `layoutcm`, because a task has no field for it."""

    page: str = ""
    width: float | None = None
    height: float | None = None
    document: str = ""
    number: int = -1
    attributes: dict[str, str] = {}


NEEDS = (
    Needs("array", ("data", "annotations"), typical=("result",))
    | Needs("array", ("data", "completions"), typical=("result",))
    | Needs("array", ("data", "predictions"), typical=("result",))
    | Needs("array", MIN_KEYS)
)


def is_labelstudio(content: FileContent) -> bool:
    keys = content.json_keys
    if content.json_root != "array" or "layout_dets" in keys:
        return False
    return NEEDS(content) or len(MORE_KEYS & keys) >= 3


class Choice(NamedTuple):
    """One annotation or prediction of a task, and who made it."""

    annotator: str
    annotation: Annotation
    is_prediction: bool


def read_tasks(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    if "data" not in content.json_keys:
        return _read_minimal(content, builder)
    for i, task in enumerate(content.decode(list[Task])):
        candidates = _candidates(task)
        if _is_skipped(task, candidates, builder.annotators.wanted):
            builder.note_unusual("skipped-task", f"[{i}]")
            continue
        if builder.annotators.wanted is None and sum(not one.is_prediction for one in candidates) > 1:
            builder.note_unusual("several-annotators", f"[{i}]")
        chosen = _chosen(candidates, builder)
        if builder.annotators.wanted is not None:  # two annotators of one file have the same list of labels
            builder.declare_labels([label for one in candidates for label in _labels_of(one)])
        results = chosen.annotation.result if chosen else []
        facts = _page_facts(task, f"[{i}].data.layoutcm", content.name)
        name = facts.page or image_name(task.data or {}, task.file_upload) or f"task {task.id}"
        width, height = _page_size(results) or _page_size(
            result for one in candidates for result in one.annotation.result
        ) or (facts.width, facts.height)  # fmt: skip
        page = builder.add_page(name, width, height, f"[{i}]", document=facts.document, number=facts.number)
        data = task.data or {}
        builder.add_attributes(page, facts.attributes if "layoutcm" in data else _short_texts(data))
        score = chosen.annotation.score if chosen and chosen.is_prediction else None
        for k, result in enumerate(results):
            if result.value is not None:
                if result.value.choices and result.value.x is None and isinstance(result.from_name, str):
                    builder.add_attributes(page, {result.from_name: result.value.choices})
                result_score = result.score if result.score is not None else score
                _add_region(
                    content.name, builder, page, result.type or "", result.value, f"[{i}].result[{k}]", result_score
                )


def _labels_of(choice: Choice) -> list[str]:
    values = [result.value for result in choice.annotation.result if result.value]
    return [label for value in values for label in value.labels if label]


def _candidates(task: Task) -> list[Choice]:
    """Everything that was made for a task and not cancelled: predictions first, because annotations replace them."""
    predictions = [Choice(_model_name(one), one, True) for one in task.predictions or []]
    given = task.annotations or task.completions or []
    return predictions + [Choice(_user_name(one), one, False) for one in given if not one.was_cancelled]


def _is_skipped(task: Task, candidates: Sequence[Choice], wanted: str | None) -> bool:
    """Whether the annotators only skipped the task; its predictions are read if their model is asked for."""
    has_annotations = bool(task.annotations or task.completions)
    return has_annotations and all(one.is_prediction and one.annotator != wanted for one in candidates)


def _chosen(candidates: Sequence[Choice], builder: LayoutBuilder) -> Choice | None:
    """The last of the annotator that was asked for, else the last of all."""
    wanted = builder.annotators.wanted
    chosen = next((one for one in reversed(candidates) if wanted is None or one.annotator == wanted), None)
    for predicted in (False, True):  # people first
        names = [one.annotator for one in candidates if one.is_prediction is predicted]
        builder.annotators.add(names, [chosen.annotator] if chosen else [])
    return chosen


def _user_name(annotation: Annotation) -> str:
    by = annotation.completed_by
    if isinstance(by, dict):
        by = next((by[key] for key in ("email", "username", "id") if by.get(key)), None)
    return _name(by)


def _name(value: object) -> str:
    """The name or number of a person; "" if it is something else."""
    return attribute_text(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""


def _model_name(annotation: Annotation) -> str:
    version = attribute_text(annotation.model_version)
    return f"model: {version}" if version else ""


def _page_size(results: Iterable[Result] | Iterable[Value]) -> tuple[float | None, float | None] | None:
    """The size of the page in the first region that has one."""
    return next(((one.original_width, one.original_height) for one in results if one.original_width), None)


def _short_texts(data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a task that describe its page: short texts and numbers, not the addresses of files."""
    return {key: value for key, value in data.items() if not (isinstance(value, str) and _is_address(value))}


def _is_address(text: str) -> bool:
    return "://" in text or "\\" in text or text.startswith("/") or bool(_FILE_SUFFIX.search(text))


def _page_facts(task: Task, place: str, file: str) -> PageFacts:
    try:
        return msgspec.convert((task.data or {}).get("layoutcm", {}), PageFacts)
    except msgspec.ValidationError as error:
        raise InputError(file, place, short_repr(str(error), 120), "Repair or remove it.") from None


def _read_minimal(content: FileContent, builder: LayoutBuilder) -> None:
    """JSON-MIN has one row for each annotation, so that a task with several of them has several rows."""
    rows = content.decode(list[dict[str, Any]])
    by_task: dict[tuple[str, str], list[int]] = {}
    for i, row in enumerate(rows):
        by_task.setdefault((short_repr(row.get("id", f"row {i}"), limits.MAX_NAME), image_name(row, None)), []).append(
            i
        )
    for positions in by_task.values():
        if builder.annotators.wanted is None and len(positions) > 1:
            builder.note_unusual("several-annotators", f"[{positions[0]}]")
        _add_minimal(content.name, builder, {i: rows[i] for i in positions})


def _add_minimal(file: str, builder: LayoutBuilder, rows: Mapping[int, Mapping[str, Any]]) -> None:
    """Add the page of a task; `rows` are its annotations."""
    wanted, names = builder.annotators.wanted, {i: _name(row.get("annotator")) for i, row in rows.items()}
    chosen = next((i for i in reversed(names) if wanted is None or names[i] == wanted), None)
    builder.annotators.add(names.values(), [] if chosen is None else [names[chosen]])
    values = {i: _minimal_values(file, i, row) for i, row in rows.items()}
    own, at = (values[chosen] if chosen is not None else []), chosen if chosen is not None else next(iter(rows))
    width, height = _page_size(own) or _page_size(chain.from_iterable(values.values())) or (None, None)
    row = rows[at]
    page = builder.add_page(image_name(row, None) or f"task {row.get('id', at)}", width, height, f"[{at}]")
    builder.add_attributes(page, _short_texts({key: row[key] for key in row if key not in MORE_KEYS.union(MIN_KEYS)}))
    for k, value in enumerate(own):
        _add_region(file, builder, page, "", value, f"[{at}], region {k}", None)


def _minimal_values(file: str, i: int, row: Mapping[str, Any]) -> list[Value]:
    shapes = [item for value in row.values() if isinstance(value, list) for item in value if isinstance(item, dict)]
    try:
        return [msgspec.convert(item, Value) for item in shapes]
    except msgspec.ValidationError as error:
        raise InputError(file, f"[{i}]", short_repr(str(error), 120), "Repair this task.") from None


def image_name(data: Mapping[str, Any], upload: str | None) -> str:
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
        return [(x, y), (x1, y1)]
    w, h = value.width * width / 100, value.height * height / 100
    cos, sin = math.cos(math.radians(value.rotation)), math.sin(math.radians(value.rotation))
    return [(x + a * cos - b * sin, y + a * sin + b * cos) for a, b in ((0, 0), (w, 0), (w, h), (0, h))]
