"""The choices of a visitor: defaults and limits, the widgets that are bound to them, and their texts in an address.

Only this module writes the session keys "choices" and "chosen_since".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import streamlit as st

from layoutcm.alignment.align import MISSING_PAGES
from layoutcm.alignment.taxonomy import TAXONOMIES
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.drawing.label_order import ORDERS
from layoutcm.layouts.model import ROUNDINGS, SIDES
from layoutcm.metrics.family_confusion import COUNTS, SAMPLES
from layoutcm.metrics.family_trees import MOST_DEPTH
from layoutcm.metrics.matrix_blocks import METHODS
from layoutcm.metrics.objects.average_precision import HEADLINE_IOU, IOUS, RULES
from layoutcm.metrics.objects.centroids import CENTROID_TOLERANCE
from layoutcm.metrics.objects.ranked_pairs import PAIRINGS
from layoutcm.tables.matrix_views import VIEWS
from layoutcm.ui.files.repairs_and_mapping import are_repairs, fits_into_address, mapping_from_text

Names = tuple[str, ...]


@dataclass(frozen=True)
class Choices:
    """Everything that a visitor can choose; an address holds the values that are not the default."""

    load: str = ""  # "sample", "start", or names of files in the data folder, separated by "|"
    pred: int = 0  # the position of the prediction that is shown
    method: str = "matrix"
    rounding: str = "outer"
    min_score: float = 0.0
    label_scores: Names = ()  # minimum scores of labels that have one of their own, such as "0.68=Table"
    missing_pages: str = "penalise"
    taxonomy: str = "auto"
    truth: bool = True  # whether the first file is the truth; else the sides are called A and B
    fixes: Names = ()  # repairs before comparing, such as "gt=unit:1000" or, for the first prediction, "0=flip-y"
    mapping: str = ""  # labels that become others, as JSON (`repairs_and_mapping`); empty = the mapping of the files
    level: str = "set"
    document: str = ""
    page: str = ""
    attribute: str = ""  # only pages with this value of an attribute, such as "doc_category=letter"
    has_label: str = ""  # only pages with this label on either side
    cause: str = ""  # only pages with wrong pixels of this cause
    versus: str = ""  # the pages to compare the chosen ones with: another value of the attribute, or "document=NAME"
    facet: str = ""  # the attribute whose values are offered on Errors; empty = the first
    view: str = "recall"
    counted: str = "pixels"
    grouping: str = ""  # rows and columns of the matrix; empty = labels, or families if there are many labels
    worst_rows: bool = False  # only the rows of the labels with the lowest F1
    gt_label: str = ""  # the chosen cell
    pred_label: str = ""
    class_name: str = ""  # the class that was chosen in the matrix or below it
    labels: Names = ()  # the labels to show; empty = all
    mask: str = ""  # the layer of the page viewer's second canvas; empty = there is only one canvas
    order: str = "as given"
    log: bool = False
    empty: bool = False
    all_bars: bool = False  # bars of all labels, not only of the largest
    listed: str = "page"  # what the table of Errors lists
    sorted_by: str = ""  # a column of it, with "-" before it if descending; empty = the worst first
    list_page: int = 0
    open_groups: Names = ()  # families of labels that are open in a grouped matrix
    other: int = -1  # the position of the prediction to compare with in the matrix; -1: none
    beside: str = "beside"  # how it is shown
    families: str = ""  # a built-in tree's name, or a tree as JSON
    family_sample: str = "pixel"
    family_count: str = ""  # empty = the usual way for each side
    family_depth: int = 1
    family_given: str = "gt"
    family_view: str = "recall"
    family: str = ""
    matrix_depth: int = 1
    expanded: str = "[]"  # families that are expanded in the whole matrix, as JSON
    iou: float = HEADLINE_IOU
    ap_rule: str = "coco"
    curves: Names = ()  # labels with a curve; empty = the most frequent
    object_view: str = "pixels"
    pairing: str = "coco"
    outcomes: Names = ()  # the outcomes of pairs to show; empty = all
    error_kinds: Names = ()  # the kinds of probable errors to show; empty = all
    tolerance_x: float = CENTROID_TOLERANCE[0]
    tolerance_y: float = CENTROID_TOLERANCE[1]
    one_to_one: bool = True
    class_aware: bool = True
    baseline: int = 0  # the position of the prediction that the others are compared with
    model_values: str = "value"  # what the classes of all predictions show
    curve_label: str = ""  # the label of the score curve; empty = all labels
    differ: str = "page"
    measure: str = "objects"  # which of the other views Measures shows


DEFAULTS = Choices()
MEASURES = {
    "objects": "Objects",
    "families": "Families",
    "soft": "Soft scores",
    "calibration": "Calibration and ROC",
    "centroids": "Centroids",
}
CHOICES = {
    "method": METHODS,
    "rounding": ROUNDINGS,
    "missing_pages": MISSING_PAGES,
    "taxonomy": TAXONOMIES,
    "level": ("set", "document", "page"),
    "view": VIEWS,
    "counted": ("pixels", "objects"),
    "grouping": ("", "labels", "families", "2x2"),
    "cause": ("", *CAUSES),
    "listed": ("page", "document"),
    "order": ORDERS,
    "beside": ("beside", "difference"),
    "mask": ("", "gt", "pred", "difference", "cell", "causes"),
    "family_sample": SAMPLES,
    "family_count": ("", *COUNTS),
    "family_given": SIDES,
    "family_view": VIEWS,
    "ap_rule": tuple(RULES),
    "object_view": VIEWS,
    "pairing": PAIRINGS,
    "model_values": ("value", "difference"),
    "differ": ("page", "document"),
    "measure": tuple(MEASURES),
}
LIMITS = {
    "pred": (0, 10**6),
    "other": (-1, 10**6),
    "baseline": (0, 10**6),
    "list_page": (0, 10**6),
    "min_score": (0.0, 1.0),
    "family_depth": (1, MOST_DEPTH),
    "matrix_depth": (0, MOST_DEPTH + 1),
    "iou": (float(IOUS[0]), float(IOUS[-1])),
    "tolerance_x": (0.5, 10_000.0),
    "tolerance_y": (0.5, 10_000.0),
}


def current() -> Choices:
    return st.session_state["choices"]


def scores_by_label(texts: Names) -> dict[str, float]:
    """{label: minimum score} from `label_scores`; a text without a number raises ValueError."""
    parts = [text.partition("=") for text in texts]
    return {label: float(score) for score, _, label in parts}


def value_of(name: str) -> Any:
    """The choice with this name, for code that treats all choices alike."""
    return getattr(current(), name)


def put(**values: Any) -> None:
    """Change choices."""
    _set(replace(current(), **values))


def _set(changed: Choices, widget: str = "") -> None:
    """Change choices, and record which widget, or other code, changed each."""
    before = current()
    if changed == before:
        return
    st.session_state["choices"], st.session_state["chosen_since"] = changed, True
    counts = st.session_state.setdefault("choice_changes", {})
    for field in fields(changed):
        if getattr(changed, field.name) != getattr(before, field.name):
            counts[field.name, widget] = counts.get((field.name, widget), 0) + 1


def restore(choices: Choices) -> None:
    """Set all choices to those of an address."""
    was_changed = were_changed()
    st.session_state.setdefault("choices", choices)
    _set(choices)
    st.session_state["chosen_since"] = was_changed


def were_changed() -> bool:
    """Whether a choice was changed since `note_written`."""
    return bool(st.session_state.get("chosen_since"))


def note_written() -> None:
    st.session_state["chosen_since"] = False


def bind(name: str, place: str = "bar", in_popover: bool = False) -> dict[str, Any]:
    """Key and callback of a widget that shows and changes one choice; several widgets may be bound to the same one.

    A widget in a closed popover does not take new values: the browser would send its old one with the next click. So
    it gets a new key whenever something else has changed the choice.
    """
    widget, value = f"{place}_{name}", value_of(name)
    counts = st.session_state.get("choice_changes", {}) if in_popover else {}
    others = sum(count for (changed, by), count in counts.items() if changed == name and by != widget)
    key = f"{widget}_{others}" if others else widget
    # The widget holds a list; with a tuple, the next run would see a change.
    st.session_state[key] = list(value) if isinstance(value, tuple) else value
    return {"key": key, "on_change": _store_widget_value, "args": (name, key, widget)}


def _store_widget_value(name: str, key: str, widget: str) -> None:
    value = st.session_state[key]
    changes: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value}
    _set(replace(current(), **changes), widget)


# {choice: its name among the texts, which is a parameter of an address}
PARAMETERS = {field.name: {"class_name": "class"}.get(field.name, field.name) for field in fields(DEFAULTS)}


def texts_of(choices: Choices) -> dict[str, str]:
    """{parameter: text} for the choices that differ from their defaults."""
    wanted = {name: getattr(choices, name) for name in PARAMETERS if getattr(choices, name) != getattr(DEFAULTS, name)}
    return {
        PARAMETERS[name]: json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else str(value)
        for name, value in wanted.items()
    }


def choices_in(texts: Mapping[str, str]) -> dict[str, Any]:
    """{choice: value} of texts; those that are unknown or not allowed are ignored."""
    given = {name: texts[parameter] for name, parameter in PARAMETERS.items() if parameter in texts}
    values = {name: _value_from_text(name, text) for name, text in given.items()}
    return {name: value for name, value in values.items() if value is not None}


def _value_from_text(name: str, text: str) -> Any:
    """The value of a choice from its text; None if it is not allowed."""
    kind = type(getattr(DEFAULTS, name))
    try:
        value: Any = text == "True" if kind is bool else _names_from_json(text) if kind is tuple else kind(text)
    except (ValueError, RecursionError):
        return None
    if (name == "fixes" and not are_repairs(value)) or (name == "label_scores" and not _are_label_scores(value)):
        return None
    if name == "mapping" and value and (not fits_into_address(value) or mapping_from_text(value) is None):
        return None
    low, high = LIMITS.get(name, (value, value))
    return value if low <= value <= high and (name not in CHOICES or value in CHOICES[name]) else None


def _are_label_scores(texts: tuple[str, ...]) -> bool:
    try:
        return all(0 <= score <= 1 for score in scores_by_label(texts).values())
    except ValueError:
        return False


def _names_from_json(text: str) -> tuple[str, ...]:
    """Parse a JSON list of labels; JSON, because a label may contain any character."""
    names = json.loads(text)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("not a list of names")
    return tuple(names)
