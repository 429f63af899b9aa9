"""The regions of one page in the forms that training and inference code has, as columns of label, box and score.

- dicts with label, x0, y0, x1, y1 and, if there is one, score; or a DataFrame with these columns;
- {"boxes", "labels", "scores"}, as torchmetrics and Hugging Face have it, without scores for a ground truth;
- results of Ultralytics, or their `boxes`; Detections of supervision;
- an array with the columns x0, y0, x1, y1, label, or x0, y0, x1, y1, score, label.

Boxes are corners in pixels. They may be tensors on any device. None of these packages is imported: their objects are
recognised by their attributes. Labels are names, or ids as `LabelIds` knows them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from layoutcm.errors import InputError, is_number, short_repr, unknown_choice
from layoutcm.layouts.model import Floats, Indices

CORNERS = ("x0", "y0", "x1", "y1")
FORMS = (
    "Use dicts with label, x0, y0, x1, y1[, score]; {boxes, labels[, scores]}; an array with the columns x0, y0, x1, y1"
    "[, score], label; or a result of Ultralytics or supervision."
)


@dataclass(frozen=True)
class LabelIds:
    """The labels of one side, and the ids that stand for them: positions from 0 unless {id: label} was given."""

    names: tuple[str, ...]
    ids: tuple[int, ...]

    @classmethod
    def of(cls, labels: Sequence[str] | Mapping[int, str], place: str) -> LabelIds:
        """From a list of names or {id: name}; an InputError if they are neither. A set has no order, so no ids."""
        is_list = isinstance(labels, Iterable) and not isinstance(labels, str | set | frozenset)
        pairs = dict(labels) if isinstance(labels, Mapping) else dict(enumerate(labels if is_list else ()))
        names, ids = tuple(pairs.values()), tuple(pairs)
        if not names or not all(isinstance(name, str) and name for name in names):
            raise InputError("", place, f"{short_repr(labels)} are not labels", "Give a list of names, or {id: name}.")
        if len(set(names)) < len(names) or not all(isinstance(one, int | np.integer) for one in ids):
            raise InputError("", place, "labels must have different names and whole ids", "Give {id: name}.")
        return cls(names, ids)

    @cached_property
    def by_name(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.names)}

    @cached_property
    def by_id(self) -> dict[int, int]:
        return {int(one): position for position, one in enumerate(self.ids)}

    def positions(self, labels: Iterable[Any], place: str) -> Indices:
        """int32[regions]: the position of each label, given by name or by id."""
        return np.array([self._position(label, place) for label in labels], np.int32)

    def _position(self, label: Any, place: str) -> int:
        if isinstance(label, str):
            if label in self.by_name:
                return self.by_name[label]
            raise unknown_choice(f"{place}, label", label, self.names)
        if is_number(label) and label in self.by_id:  # 3.0 is found like 3
            return self.by_id[int(label)]
        known = ", ".join(f"{one} = {name}" for one, name in zip(self.ids[:5], self.names))
        raise InputError(
            "", f"{place}, label", f"{short_repr(label)} is not the id of a label", f"Ids are like {known}."
        )


@dataclass(frozen=True, eq=False)
class RegionRows:
    """The regions of one side of a page."""

    label: Indices
    boxes: Floats  # [regions, x0 y0 x1 y1]
    scores: Floats  # nan = no score

    def __len__(self) -> int:
        return len(self.label)

    def is_same(self, other: RegionRows) -> bool:
        """Whether both are the same regions in the same order."""
        return all(
            np.array_equal(own, others, equal_nan=own.dtype.kind == "f")
            for own, others in ((self.label, other.label), (self.boxes, other.boxes), (self.scores, other.scores))
        )


def region_rows(regions: Any, labels: LabelIds, place: str) -> RegionRows:
    """The regions in any of the forms; an InputError names the place and what is wrong."""
    names, boxes, scores = _columns(regions, place)
    try:
        corners = as_array(boxes).astype(float).reshape(-1, 4)
        given = np.full(len(corners), np.nan) if scores is None else as_array(scores).astype(float).reshape(-1)
    except (TypeError, ValueError, OverflowError):
        raise InputError("", place, f"{short_repr(boxes)} are not boxes with four numbers each", FORMS) from None
    names = list(names)
    if not len(names) == len(corners) == len(given):
        problem = f"{len(corners)} boxes, {len(names)} labels and {len(given)} scores do not fit together"
        raise InputError("", place, problem, "Give one label, and one score or none, for each box.")
    if not np.isfinite(corners).all():
        row = int(np.argmin(np.isfinite(corners).all(axis=1)))
        problem = f"box {row} is {short_repr(corners[row].tolist())}, not four finite numbers"
        raise InputError("", place, problem, "Repair this box, or leave it out.")
    return RegionRows(labels.positions(names, place), corners, given)


def _columns(regions: Any, place: str) -> tuple[Iterable[Any], Any, Any]:
    """Labels, boxes and scores (or None) of any form."""
    if regions is None:
        return [], [], None
    if isinstance(regions, Mapping) and {"boxes", "labels"} <= set(regions):
        return _label_list(regions["labels"], place), regions["boxes"], regions.get("scores")
    if hasattr(regions, "xyxy") and hasattr(regions, "class_id"):  # of supervision, which may know the names
        names = (getattr(regions, "data", None) or {}).get("class_name")
        labels = regions.class_id if names is None else names
        return [] if labels is None else _label_list(labels, place), regions.xyxy, regions.confidence
    boxes = getattr(regions, "boxes", regions)
    if hasattr(boxes, "xyxy") and hasattr(boxes, "cls"):
        ids = _label_list(boxes.cls, place)
        return _ultralytics_names(ids, getattr(regions, "names", None), place), boxes.xyxy, boxes.conf
    if hasattr(regions, "to_dict") and hasattr(regions, "columns"):
        regions = regions.to_dict("records")
    if isinstance(regions, list | tuple) and all(isinstance(one, Mapping) for one in regions):
        return _dict_columns(regions, place)
    return _array_columns(regions, place)


def _label_list(labels: Any, place: str) -> list[Any]:
    """The labels of an array, a list or a tensor; an InputError if they are not a list."""
    try:
        found = as_array(labels)
    except ValueError:  # lists of different lengths
        found = np.empty(())
    if found.ndim != 1:
        problem = f"{short_repr(labels)} is not a list of labels"
        raise InputError("", f"{place}, labels", problem, "Give a list with one label for each box.")
    values: list[Any] = found.tolist()
    return values


def _ultralytics_names(ids: list[Any], names: Any, place: str) -> list[Any]:
    """The names that a result of Ultralytics has for its ids; the ids if it has no names."""
    if not names:
        return ids
    known = names if isinstance(names, Mapping) else dict(enumerate(names))
    for one in ids:
        if one not in known:
            problem = f"{short_repr(one)} is not an id in the names of this result"
            raise InputError("", f"{place}, label", problem, f"They are {short_repr(known)}.")
    return [known[one] for one in ids]


def _dict_columns(regions: Sequence[Mapping[str, Any]], place: str) -> tuple[Iterable[Any], Any, Any]:
    for row, region in enumerate(regions):
        missing = [name for name in ("label", *CORNERS) if name not in region]
        if missing:
            raise InputError("", f"{place}, region {row}", f"it has no {missing[0]}", FORMS)
    scores = [region.get("score") for region in regions]
    boxes = [[region[name] for name in CORNERS] for region in regions]
    return [region["label"] for region in regions], boxes, [np.nan if one is None else one for one in scores]


def _array_columns(regions: Any, place: str) -> tuple[Iterable[Any], Any, Any]:
    try:
        table = as_array(regions).astype(float)
    except (TypeError, ValueError, OverflowError):
        table = np.empty(())
    if table.size == 0 and table.ndim:
        return [], [], None
    if table.ndim != 2 or table.shape[1] not in (5, 6):
        raise InputError("", place, f"{short_repr(regions)} are not regions", FORMS)
    return table[:, -1].tolist(), table[:, :4], table[:, 4] if table.shape[1] == 6 else None


def as_array(values: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """A NumPy array of an array, a list, or a tensor on any device and of any precision."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        try:
            return np.asarray(values.numpy())
        except TypeError:  # NumPy has no bfloat16
            return np.asarray(values.float().numpy())
    return np.asarray(values)
