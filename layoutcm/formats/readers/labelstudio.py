"""Label Studio: a JSON list of tasks, or the flat JSON-MIN, with coordinates in percent of the image.

The last annotation of a task that was not cancelled is read; predictions are read only if there is no annotation. If an
annotator is asked for, the last annotation by this one is read. Predictions have the annotator "model: VERSION". A task
that was only skipped has only cancelled annotations, and is not a page. A task whose data lists several images has
several pages.

A region may have several results with one id and one place: a rectangle, its labels, its text, its choices. Together
they are one region.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.json_keys import json_type
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import pixels_from_fraction
from layoutcm.formats.task_images import image_name, listed_images, page_list
from layoutcm.layouts import limits
from layoutcm.layouts.page_attributes import attribute_text

_FILE_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}\Z")
# Keys of a task in JSON-MIN: it has all of MIN_KEYS, or at least three of MORE_KEYS.
MIN_KEYS = ("id", "annotation_id", "annotator")
MORE_KEYS = {"annotation_id", "annotator", "lead_time", "created_at", "updated_at"}
LABEL_STUDIO_NEEDS = (
    Needs("array", ("data", "annotations"), typical=("result",))
    | Needs("array", ("data", "completions"), typical=("result",))
    | Needs("array", ("data", "predictions"), typical=("result",))
    | Needs("array", MIN_KEYS)
)
# A single task, as the first versions stored each.
ONE_TASK = Needs("object", ("data", "annotations"), ("result",)) | Needs("object", ("data", "completions"), ("result",))

TYPES_WITHOUT_OUTLINE = {
    *("keypointlabels", "brushlabels", "keypoint", "brush", "vectorlabels", "bitmask", "bitmasklabels")
}
_PAGE_OF_REPEATER = re.compile(r"_([0-9]{1,6})\Z")
BARE, CHOSEN, LABELLED = range(3)
DIGITS = 6  # after the point, of percent of the image


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
    labels: Any = None  # of a rectangle that is drawn first and labelled afterwards
    original_width: float | None = None
    original_height: float | None = None
    choices: Any = None  # classes that were chosen for the whole page, or for a region

    @property
    def label_names(self) -> Sequence[str]:
        return self.rectanglelabels or self.polygonlabels or self.ellipselabels or _texts(self.labels)

    @property
    def names(self) -> Sequence[str]:
        """The labels; without labels, the choices; [""] if there is neither."""
        return self.label_names or _texts(self.choices) or [""]

    @property
    def kind(self) -> int:
        if self.label_names:
            return LABELLED
        return CHOSEN if _texts(self.choices) else BARE


class Result(msgspec.Struct):
    type: str | None = None
    value: Value | None = None
    original_width: float | None = None
    original_height: float | None = None
    score: float | None = None
    id: Any = None
    from_name: Any = None
    to_name: Any = None
    item_index: int | None = None

    @property
    def page(self) -> int:
        """The position of its page in a task with several pages: Label Studio repeats an image `page` as `page_0`."""
        if self.item_index is not None:
            return self.item_index
        found = _PAGE_OF_REPEATER.search(self.to_name) if isinstance(self.to_name, str) else None
        return int(found[1]) if found else 0


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value] if value else []
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


ANNOTATION = {
    "result": ([Result], []),  # some are not regions, mainly in older exports of predictions; they are skipped later
    **{"was_cancelled": bool, "score": float},
    "completed_by": Any,  # a number, an email address, or an object with both
    "model_version": Any,  # of a prediction
}
ANNOTATION_LISTS = ("annotations", "completions", "predictions")
ANNOTATIONS = json_type([ANNOTATION])
TASK = json_type(
    {"id": int | str, "data": dict[str, Any], "file_upload": str, **dict.fromkeys(ANNOTATION_LISTS, ANNOTATIONS)}
)
# What `convert` adds to the data of a task, below `layoutcm`, because a task has no field for it.
PAGE_FACTS = json_type(
    {
        **{"page": (str, ""), "width": float, "height": float, "document": (str, ""), "number": (int, -1)},
        "attributes": (dict[str, str], {}),
    }
)


def is_label_studio(content: FileContent) -> bool:
    keys = content.json_keys
    if content.json_root != "array" or "layout_dets" in keys:
        return ONE_TASK(content)
    return LABEL_STUDIO_NEEDS(content) or len(MORE_KEYS & keys) >= 3


class Choice(NamedTuple):
    """One annotation or prediction of a task, and who made it."""

    annotator: str
    annotation: Any
    is_prediction: bool


class TaskPage(NamedTuple):
    """A page of a task: its name and size, and its results with their positions in the file."""

    name: str
    size: tuple[float | None, float | None]
    results: Sequence[tuple[int, Result]]


def read_label_studio(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    if "data" not in content.json_keys:
        return _read_minimal(content, builder)
    for i, task in enumerate(content.decode_each(TASK)):
        candidates = _candidates(task)
        if _is_skipped(task, candidates, builder.annotators.wanted):
            builder.note_unusual("skipped-task", f"[{i}]")
            continue
        if builder.annotators.wanted is None and sum(not one.is_prediction for one in candidates) > 1:
            builder.note_unusual("several-annotators", f"[{i}]")
        chosen = _chosen(candidates, builder)
        if builder.annotators.wanted is not None:  # two annotators of one file have the same list of labels
            builder.declare_labels([label for one in candidates for label in _labels_of(one)])
        data = task.data or {}
        facts = _converted(data.get("layoutcm", {}), PAGE_FACTS, content.name, f"[{i}].data.layoutcm")
        pages = _task_pages(task, candidates, chosen, facts, content.name, f"[{i}]")
        score = chosen.annotation.score if chosen and chosen.is_prediction else None
        for position, one in enumerate(pages, 1):
            document, number = (f"task {task.id}", position) if len(pages) > 1 else (facts.document, facts.number)
            page = builder.add_page(one.name, *one.size, f"[{i}]", document=document, number=number)
            builder.add_attributes(page, facts.attributes if "layoutcm" in data else _short_texts(data))
            _add_results(builder, page, one.results, f"[{i}].result", score)


def _task_pages(
    task: Any, candidates: Sequence[Choice], chosen: Choice | None, facts: Any, file: str, place: str
) -> list[TaskPage]:
    """The page of a task, or its pages if its data lists several images."""
    results = list(enumerate(chosen.annotation.result if chosen else []))
    known = [result for one in candidates for result in one.annotation.result]
    data = task.data or {}
    # A result on a later page shows that the pages are a list, though the task may also have a single image.
    later = any(result.item_index for result in known)
    names = page_list(data) or (listed_images(data) if later else [])
    numbers = (result.page if names else result.item_index or 0 for result in known)
    wrong = next((number for number in numbers if not 0 <= number < max(len(names), 1)), None)
    if wrong is not None:
        problem = f"a result is on page {wrong + 1:,}, and the task has {max(len(names), 1):,}"
        raise InputError(file, place, problem, "Repair or remove it.")
    if not names:
        name = facts.page or image_name(data, task.file_upload) or f"task {task.id}"
        size = _page_size(result for _, result in results) or _page_size(known) or (facts.width, facts.height)
        return [TaskPage(name, size, results)]
    sized = {one.page: (one.original_width, one.original_height) for one in reversed(known) if one.original_width}
    of_page: list[list[tuple[int, Result]]] = [[] for _ in names]
    for k, result in results:
        of_page[result.page].append((k, result))
    return [TaskPage(name, sized.get(i, (None, None)), of_page[i]) for i, name in enumerate(names)]


def _add_results(
    builder: LayoutBuilder, page: int, results: Sequence[tuple[int, Result]], place: str, score: float | None
) -> None:
    valued = [(k, result, result.value) for k, result in results if result.value is not None]
    for _, result, value in valued:
        if value.choices and value.x is None and isinstance(result.from_name, str):
            builder.add_attributes(page, {result.from_name: value.choices})
    for position in distinct_regions([(result.id, value) for _, result, value in valued]):
        k, result, value = valued[position]
        result_score = result.score if result.score is not None else score
        _add_region(builder, page, result.type or "", value, f"{place}[{k}]", result_score)


def _labels_of(choice: Choice) -> list[str]:
    values = [result.value for result in choice.annotation.result if result.value]
    return [label for value in values for label in value.label_names]


def _candidates(task: Any) -> list[Choice]:
    """Everything that was made for a task and not cancelled: predictions first, because annotations replace them."""
    predictions = [Choice(_model_name(one), one, True) for one in task.predictions or []]
    given = task.annotations or task.completions or []
    return predictions + [Choice(_user_name(one), one, False) for one in given if not one.was_cancelled]


def _is_skipped(task: Any, candidates: Sequence[Choice], wanted: str | None) -> bool:
    """Whether the annotators only skipped the task; its predictions are read if their model is asked for."""
    has_annotations = bool(task.annotations or task.completions)
    return has_annotations and all(one.is_prediction and one.annotator != wanted for one in candidates)


def _chosen(candidates: Sequence[Choice], builder: LayoutBuilder) -> Choice | None:
    """The last of the annotator that was asked for, else the last of all."""
    wanted = builder.annotators.wanted
    chosen = next((one for one in reversed(candidates) if wanted is None or one.annotator == wanted), None)
    people_first = sorted(candidates, key=lambda one: one.is_prediction)
    builder.annotators.add([one.annotator for one in people_first], [chosen.annotator] if chosen else [])
    return chosen


def _user_name(annotation: Any) -> str:
    by = annotation.completed_by
    if isinstance(by, dict):
        by = next((by[key] for key in ("email", "username", "id") if by.get(key)), None)
    return _name(by)


def _name(value: object) -> str:
    """The name or number of a person; "" if it is something else."""
    return attribute_text(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""


def _model_name(annotation: Any) -> str:
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


def _converted(value: Any, type: Any, file: str, place: str, hint: str = "Repair or remove it.") -> Any:
    try:
        return msgspec.convert(value, type)
    except msgspec.ValidationError as error:
        raise InputError(file, place, short_repr(str(error), 120), hint) from None


def _read_minimal(content: FileContent, builder: LayoutBuilder) -> None:
    """Read JSON-MIN, which has one row for each annotation: a task with several of them has several rows."""
    rows = content.decode(list[dict[str, Any]])
    by_task: dict[tuple[str, str], list[int]] = {}
    for i, row in enumerate(rows):
        key = short_repr(row.get("id", f"row {i}"), limits.MAX_NAME), image_name(row, None)
        by_task.setdefault(key, []).append(i)
    for positions in by_task.values():
        if builder.annotators.wanted is None and len(positions) > 1:
            builder.note_unusual("several-annotators", f"[{positions[0]}]")
        _add_minimal(content.name, builder, {i: rows[i] for i in positions})


def _add_minimal(file: str, builder: LayoutBuilder, rows: Mapping[int, Mapping[str, Any]]) -> None:
    """Add the page of a task; `rows` are its annotations."""
    last = builder.annotators.choose_last([_name(row.get("annotator")) for row in rows.values()])
    values = {i: _minimal_values(file, i, row) for i, row in rows.items()}
    at = list(rows)[last or 0]
    own = [] if last is None else values[at]
    width, height = _page_size(own) or _page_size(chain.from_iterable(values.values())) or (None, None)
    row = rows[at]
    if page_list(row):
        problem = "the task has several pages, and JSON-MIN does not say which page a region is on"
        raise InputError(file, f"[{at}]", problem, "Export it as JSON.")
    page = builder.add_page(image_name(row, None) or f"task {row.get('id', at)}", width, height, f"[{at}]")
    builder.add_attributes(page, _short_texts({key: row[key] for key in row if key not in MORE_KEYS.union(MIN_KEYS)}))
    for k in distinct_regions([(None, value) for value in own]):
        _add_region(builder, page, "", own[k], f"[{at}], region {k}", None)


def _minimal_values(file: str, i: int, row: Mapping[str, Any]) -> list[Value]:
    shapes = [item for value in row.values() if isinstance(value, list) for item in value if isinstance(item, dict)]
    return [_converted(item, Value, file, f"[{i}]", "Repair this task.") for item in shapes]


def _add_region(builder: LayoutBuilder, page: int, kind: str, value: Value, place: str, score: float | None) -> None:
    if kind in TYPES_WITHOUT_OUTLINE:
        builder.note_unusual("shape-left-out", place, what="points and brush strokes have no outline")
        return
    points = ring(value, *builder.page_size(page))
    if points is None:
        return  # a choice, a text or a relation, which has no coordinates
    if len(points) < 2:
        raise InputError(builder.file, place, "fewer than two points", "Repair or remove the region.")
    builder.add_outline(page, value.names, points, place, score)


def distinct_regions(results: Sequence[tuple[object, Value]]) -> Iterator[int]:
    """The positions of the results, which are pairs of id and value, that are regions.

    A result without labels is not a region of its own if another one at the same place has the label.
    """
    kinds = [value.kind for _, value in results]
    if min(kinds, default=LABELLED) == LABELLED:  # the usual case, made fast for many regions
        yield from range(len(results))
        return
    places = [_place(*result) for result in results]
    best = dict(sorted(zip(places, kinds), key=lambda pair: pair[1]))
    seen: set[object] = set()
    for i, (place, kind) in enumerate(zip(places, kinds)):
        if kind == LABELLED or (kind == best[place] and place not in seen):
            yield i
        if kind == best[place]:
            seen.add(place)


def _place(name: object, value: Value) -> tuple[object, ...]:
    """What the results of one region share. Numbers may differ in the last digit; a rotation of 0 counts as missing."""
    points = tuple((round(x, DIGITS), round(y, DIGITS)) for x, y in value.points or ())
    box = (value.x, value.y, value.width, value.height, value.rotation or None, value.radiusX, value.radiusY)
    rounded = [side if side is None else round(side, DIGITS) for side in box]
    return (name if isinstance(name, str | int) else None, *rounded, points)


def ring(value: Value, width: float, height: float) -> list[tuple[float, float]] | None:
    """Corners in pixels, or None without coordinates; a rectangle is rotated in pixels around its upper left corner."""
    pixels = lambda x, y: (pixels_from_fraction(x / 100, width), pixels_from_fraction(y / 100, height))
    if value.points is not None:
        return [pixels(x, y) for x, y in value.points]
    if value.x is None or value.y is None:
        return None
    x, y = pixels(value.x, value.y)
    if value.radiusX is not None and value.radiusY is not None:
        rx, ry = value.radiusX * width / 100, value.radiusY * height / 100
        return [(x - rx, y - ry), (x + rx, y + ry)]
    if value.width is None or value.height is None:
        return None
    if not value.rotation:
        return [(x, y), pixels(value.x + value.width, value.y + value.height)]
    w, h = value.width * width / 100, value.height * height / 100
    cos, sin = math.cos(math.radians(value.rotation)), math.sin(math.radians(value.rotation))
    return [(x + a * cos - b * sin, y + a * sin + b * cos) for a, b in ((0, 0), (w, 0), (w, h), (0, h))]
