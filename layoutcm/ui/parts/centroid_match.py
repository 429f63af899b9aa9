"""The centroid part of Measures: are regions at the right position, whatever their size?"""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.metrics.objects.centroids import Centroids, Tolerance
from layoutcm.ui import choices, session
from layoutcm.ui.parts.objects import METRIC_WIDTH, figure_row
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.visitors import kept
from layoutcm.wording import score_text, thin_spaced


def show_centroids(compared: Comparison) -> None:
    """Controls for the tolerance and the rules, then the result."""
    shared = compared.space.shared
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        for axis in "xy":
            low, high = choices.LIMITS[f"tolerance_{axis}"]
            st.number_input(
                f"Tolerance {axis}, px", low, high, step=1.0, format="%g", width=150,
                **choices.bind(f"tolerance_{axis}"), help="A match is strictly nearer than this.",
            )  # fmt: skip
        help_text = (
            "On: each region matches at most once, and as many as possible match. Off: many may match one region."
        )
        st.toggle("One to one", **choices.bind("one_to_one"), help=help_text)
        different = "The two sides have different labels, so regions match whatever their labels."
        help_text = "Only regions with the same label match." if shared else different
        st.toggle("Same label", disabled=not shared, help=help_text, **_bind_label_toggle(shared))
    found = matched_centroids(compared)
    with figure_row():
        st.metric("Matches", thin_spaced(len(found.pairs)), width=METRIC_WIDTH)
        for name in ("precision", "recall", "f1"):
            value = float(getattr(found, name))
            st.metric(name.capitalize(), score_text(value), help=score_text(value, 6), width=METRIC_WIDTH)
    st.caption(shift_text(found))
    if found.note:
        st.warning(as_typed(found.note))


def _bind_label_toggle(shared: bool) -> dict[str, Any]:
    """Bound to the choice if labels are shared; else the toggle is off, and the choice is kept for other files."""
    return choices.bind("class_aware") if shared else {"value": False, "key": "labels_differ"}


def matched_centroids(compared: Comparison) -> Centroids:
    """The matches of the chosen level by the chosen rules; labels are ignored if the two sides have different ones."""
    tolerance = choices.current().tolerance_x, choices.current().tolerance_y
    rules = (choices.current().one_to_one, class_aware(compared))
    return _matched(session.comparison_key(), session.chosen_level(compared), tolerance, rules, compared)


def class_aware(compared: Comparison) -> bool:
    return compared.space.shared and choices.current().class_aware


@kept("Matching centroids …")
def _matched(
    content: str, level: dict[str, str], tolerance: Tolerance, rules: tuple[bool, bool], _compared: Comparison
) -> Centroids:
    return _compared.centroids(tolerance, *rules, level.get("page"), level.get("document"))


def shift_text(found: Centroids) -> str:
    """The median shift of matched centroids: it shows a constant offset of the prediction."""
    if not len(found.pairs):
        return "No two centroids are within the tolerance."
    # Adding 0.0 turns -0.0 into 0.0.
    dx, dy = (round(float(value), 1) + 0.0 for value in np.median(found.distances, axis=0))
    return f"Median shift of the prediction's centroids: {dx:+.1f} px in x, {dy:+.1f} px in y.".replace("-", "\u2212")


def centroids_recipe(compared: Comparison) -> str:
    tolerance = f"{choices.current().tolerance_x:g}x{choices.current().tolerance_y:g}"
    rules = {"one_to_one": choices.current().one_to_one, "class_aware": class_aware(compared)}
    return compared.recipe_for(None, centroids=tolerance, **rules)
