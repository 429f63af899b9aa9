"""The numbers of objects at the chosen level, kept between runs; other pages show some of them, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from layoutcm.drawing.screen.object_charts import Curve, curve_points
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.ui.screen_text import words_for
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.state.chosen import Chosen
from layoutcm.ui.state.selection import Scope
from layoutcm.wording import iou_text

if TYPE_CHECKING:
    import pandas as pd


def control_row() -> Any:
    """Controls in one row, which wraps if it is too long."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="medium")


@kept("Collecting objects …")
def objects_of_level(scope: Scope) -> Objects:
    """The objects of the chosen level."""
    return scope.compared.objects(**scope.level)


def why_no_ap(scope: Scope) -> str:
    """Why there is no AP, or ""."""
    return words_for(scope.compared).no_ap or objects_of_level(scope).why_no_ap


def object_result(scope: Scope, method: str, *arguments: Any) -> Any:
    """The result of a method of the chosen level's `Objects`, kept between runs."""
    return _object_result(scope, method, arguments)


@kept("Matching objects …")
def _object_result(scope: Scope, method: str, arguments: tuple[Any, ...]) -> Any:
    return getattr(objects_of_level(scope), method)(*arguments)


@kept("Drawing curves …")
def curves_of_labels(scope: Scope, at: float, rule: str) -> dict[str, Curve]:
    """{label: its curve} at an IoU, by a rule for AP."""
    objects = objects_of_level(scope)
    ap = objects.ap_at(at, rule)
    return {label: curve_points(label, ap[label], ranked, rule) for label, ranked in objects.curves(at).items()}


@kept("Ranking objects …")
def coco_numbers(scope: Scope) -> tuple[dict[str, float], pd.DataFrame]:
    """COCO's twelve numbers and the table of the labels."""
    objects = objects_of_level(scope)
    return objects.summary, objects.per_class


def objects_recipe(chosen: Chosen, scope: Scope) -> str:
    rule = None if why_no_ap(scope) else chosen.now.ap_rule
    shapes = objects_of_level(scope).shapes
    return scope.compared.recipe_for(None, objects=shapes, iou=iou_text(chosen.iou), rule=rule)
