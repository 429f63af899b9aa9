"""The numbers of objects at the chosen level, kept between runs; other pages show some of them, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.screen.object_charts import Curve, curve_points
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.metrics.objects.ranked_pairs import ObjectConfusion, mean_qualities
from layoutcm.ui.screen_text import words_for
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.state import choices, session
from layoutcm.wording import iou_text

if TYPE_CHECKING:
    import pandas as pd


def control_row() -> Any:
    """Controls in one row, which wraps if it is too long."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="medium")


def objects_of_level(compared: Comparison) -> Objects:
    """The objects of the chosen level."""
    return _objects_of_level(session.comparison_key(), session.chosen_level(compared), compared)


@kept("Collecting objects …")
def _objects_of_level(content: str, level: dict[str, str], _compared: Comparison) -> Objects:
    return _compared.objects(level.get("page"), level.get("document"))


def why_no_ap(compared: Comparison) -> str:
    """Why there is no AP, or ""."""
    return words_for(compared).no_ap or objects_of_level(compared).why_no_ap


def chosen_iou() -> float:
    return round(choices.current().iou, 2)  # the slider sums its steps, with rounding errors


def object_result(compared: Comparison, method: str, *arguments: Any) -> Any:
    """The result of a method of the chosen level's `Objects`, cached."""
    return _object_result(
        session.comparison_key(), session.chosen_level(compared), method, arguments, objects_of_level(compared)
    )


@kept("Matching objects …")
def _object_result(
    content: str, level: dict[str, str], method: str, arguments: tuple[Any, ...], _objects: Objects
) -> Any:
    return getattr(_objects, method)(*arguments)


def object_confusion(compared: Comparison) -> ObjectConfusion:
    """The object matrix at the chosen IoU."""
    return object_result(compared, "object_confusion_at", chosen_iou())


def curves_of_labels(compared: Comparison) -> dict[str, Curve]:
    """{label: its curve} at the chosen IoU, by the chosen rule."""
    level, rule = session.chosen_level(compared), choices.current().ap_rule
    return _curves(session.comparison_key(), level, chosen_iou(), rule, objects_of_level(compared))


@kept("Drawing curves …")
def _curves(content: str, level: dict[str, str], at: float, rule: str, _objects: Objects) -> dict[str, Curve]:
    ap = _objects.ap_at(at, rule)
    return {label: curve_points(label, ap[label], ranked, rule) for label, ranked in _objects.curves(at).items()}


def coco_numbers(compared: Comparison) -> tuple[dict[str, float], pd.DataFrame]:
    """COCO's twelve numbers and the table of the labels."""
    return _coco_numbers(session.comparison_key(), session.chosen_level(compared), objects_of_level(compared))


@kept("Ranking objects …")
def _coco_numbers(content: str, level: dict[str, str], _objects: Objects) -> tuple[dict[str, float], pd.DataFrame]:
    return _objects.summary, _objects.per_class


def panoptic_means(compared: Comparison) -> dict[str, float]:
    """The means over labels: pq, sq, rq."""
    return mean_qualities(object_result(compared, "panoptic"))


def objects_recipe(compared: Comparison) -> str:
    rule = None if why_no_ap(compared) else choices.current().ap_rule
    shapes = objects_of_level(compared).shapes
    return compared.recipe_for(None, objects=shapes, iou=iou_text(chosen_iou()), rule=rule)
