"""Label Studio: a JSON list of tasks with rectangles and polygons, as annotations or as predictions.

Coordinates are in percent of the page. Facts without a field in a task (the size of a page without regions, folders in
a page name, document, page number and attributes) are in its data, below `layoutcm`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from layoutcm.layouts import limits
from layoutcm.layouts.writing.request import Fit, Piece, Request, pieces_of_pages

MODEL = "layoutcm"


def as_label_studio(request: Request) -> bytes:
    return tasks_text(label_studio_tasks(request))


def tasks_text(tasks: list[dict[str, Any]]) -> bytes:
    return json.dumps(tasks, ensure_ascii=False, allow_nan=False).encode("utf-8")


def label_studio_tasks(request: Request) -> list[dict[str, Any]]:
    """One task for each page."""
    layout = request.layout
    request.leave_out_facts("ignore flags", "crowd flags", "areas", "annotators", "unused labels")
    as_predictions = layout.has_scores if request.predictions is None else request.predictions
    pages, columns = pieces_of_pages(request, Fit(fractions=True)), layout.page_columns
    attributes = _attributes(request)
    tasks = []
    for i, pieces in enumerate(pages):
        size = columns.size(i)
        results = [
            _result(f"r{i}-{k}", piece, layout.labels[piece.label], size, request.notes.get(piece.row))
            for k, piece in enumerate(pieces)
        ]
        facts: dict[str, Any] = {"page": columns.names[i], "width": size[0], "height": size[1]}
        facts |= {"document": columns.documents[i]} if columns.documents[i] else {}
        facts |= {"number": int(columns.numbers[i])} if columns.numbers[i] >= 0 else {}
        facts |= {"attributes": attributes[i]} if attributes[i] else {}
        task: dict[str, Any] = {"id": i + 1, "data": {"image": columns.names[i], "layoutcm": facts}}
        if as_predictions:
            task["predictions"] = [{"model_version": MODEL, "result": results}]
        else:
            task["annotations"] = [{"was_cancelled": False, "result": results}]
        tasks.append(task)
    return tasks


def _attributes(request: Request) -> list[dict[str, str]]:
    """The attributes of each page, without those that the reader takes for free text."""
    columns = request.layout.page_columns
    names: list[str] = []
    lost: list[str] = []
    for name, texts in columns.attributes.items():
        (names if max(map(len, (name, *texts))) <= limits.MAX_ATTRIBUTE_TEXT else lost).append(name)
    request.leave_out("attributes", len(lost), lost)
    return [{name: text for name in names if (text := columns.attributes[name][i])} for i in range(len(columns))]


def _result(
    key: str, piece: Piece, label: str, size: tuple[float, float], notes: Mapping[str, str] | None
) -> dict[str, Any]:
    """A region of a task; the tool shows the notes beside it."""
    width, height = size
    kind = "rectanglelabels" if piece.ring is None else "polygonlabels"
    value: dict[str, Any]
    if piece.ring is None:
        x0, y0, x1, y1 = piece.box
        value = {"x": 100 * x0 / width, "y": 100 * y0 / height}
        value |= {"width": 100 * (x1 - x0) / width, "height": 100 * (y1 - y0) / height, "rotation": 0}
    else:
        value = {"points": (100 * piece.ring / size).tolist(), "closed": True}
    result: dict[str, Any] = {"id": key, "type": kind, "from_name": kind, "to_name": "image", "image_rotation": 0}
    result |= {"original_width": width, "original_height": height, "value": value | {kind: [label]}}
    if notes:
        result["meta"] = {"text": [", ".join(f"{name}: {text}" for name, text in notes.items())]}
    return result if math.isnan(piece.score) else result | {"score": piece.score}
