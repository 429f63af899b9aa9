"""The choices of a visitor: named values with defaults, and the widgets that are bound to them."""

from __future__ import annotations

from typing import Any

import streamlit as st

from layoutcm.alignment.align import MISSING_PAGES
from layoutcm.alignment.taxonomy import TAXONOMIES
from layoutcm.drawing.label_order import ORDERS
from layoutcm.layouts.model import ROUNDINGS, SIDES
from layoutcm.metrics.confusion import METHODS
from layoutcm.metrics.family_confusion import COUNTS, SAMPLES
from layoutcm.metrics.family_trees import MOST_DEPTH
from layoutcm.metrics.objects.average_precision import HEADLINE_IOU, IOUS, RULES
from layoutcm.metrics.objects.centroids import CENTROID_TOLERANCE
from layoutcm.tables.matrix_views import SHARE_VIEWS, VIEWS

COLLAPSED = "collapsed"  # the 2x2 beside the four views
DEFAULTS: dict[str, Any] = {
    "load": "",  # "sample", "start", or names of files in the data folder, separated by "|"
    "pred": 0,
    "method": "matrix",
    "rounding": "outer",
    "min_score": 0.0,
    "missing_pages": "penalise",
    "taxonomy": "auto",
    "fixes": (),  # repairs before comparing, such as "gt=unit:1000" or, for the first prediction, "0=flip-y"
    "level": "set",
    "document": "",
    "page": "",
    "view": "recall",
    "gt_label": "",
    "pred_label": "",
    "class": "",
    "labels": (),  # the labels to show; empty = all
    "mask": "",  # what the page viewer's mask shows; empty = the chosen cell if the page has it, else the difference
    "order": "as given",
    "log": False,
    "empty": False,
    "families": "",  # a built-in tree's name, or a tree as JSON
    "family_sample": "pixel",
    "family_count": "pairs",
    "family_depth": 1,
    "family_given": "gt",
    "family_view": "recall",
    "family": "",
    "matrix_depth": 1,
    "expanded": "[]",  # families that are expanded in the whole matrix, as JSON
    "iou": HEADLINE_IOU,
    "ap_rule": "coco",
    "curves": (),  # labels with a curve; empty = the most frequent
    "object_view": "pixels",
    "tolerance_x": CENTROID_TOLERANCE[0],
    "tolerance_y": CENTROID_TOLERANCE[1],
    "one_to_one": True,
    "class_aware": True,
}
CHOICES = {
    "method": METHODS,
    "rounding": ROUNDINGS,
    "missing_pages": MISSING_PAGES,
    "taxonomy": TAXONOMIES,
    "level": ("set", "document", "page"),
    "view": (*SHARE_VIEWS, "pixels", COLLAPSED),
    "order": ORDERS,
    "mask": ("", "gt", "pred", "difference", "cell"),
    "family_sample": SAMPLES,
    "family_count": COUNTS,
    "family_given": SIDES,
    "family_view": VIEWS,
    "ap_rule": tuple(RULES),
    "object_view": VIEWS,
}
LIMITS = {
    "pred": (0, 10**6),
    "min_score": (0.0, 1.0),
    "family_depth": (1, MOST_DEPTH),
    "matrix_depth": (0, MOST_DEPTH + 1),
    "iou": (float(IOUS[0]), float(IOUS[-1])),
    "tolerance_x": (0.5, 10_000.0),
    "tolerance_y": (0.5, 10_000.0),
}


def get(name: str) -> Any:
    return st.session_state["choices"][name]


def put(**values: Any) -> None:
    choices = st.session_state["choices"]
    if any(choices.get(name) != value for name, value in values.items()):
        st.session_state["chosen_since"] = True
    choices.update(values)


def bind(name: str, place: str = "bar") -> dict[str, Any]:
    """Key and callback of a widget that shows and changes one choice; several widgets may be bound to the same one."""
    key, value = f"{place}_{name}", get(name)
    # The widget holds a list; with a tuple, the next run would see a change.
    st.session_state[key] = list(value) if isinstance(value, tuple) else value
    return {"key": key, "on_change": _store_widget_value, "args": (name, key)}


def _store_widget_value(name: str, key: str) -> None:
    value = st.session_state[key]
    put(**{name: tuple(value) if isinstance(value, list) else value})
