"""The centroid part of the Objects page: do regions lie where they should, whatever their size?"""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.metrics.objects.centroids import Centroids, Tolerance
from layoutcm.ui import choices, session
from layoutcm.ui.parts.objects import WIDE, figure_row
from layoutcm.wording import score_text, thin_spaced


def show_centroids(compared: Comparison) -> None:
    """Tolerance and rules, then what they give."""
    shared = compared.space.shared
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        for axis in "xy":
            low, high = choices.LIMITS[f"tolerance_{axis}"]
            st.number_input(
                f"Tolerance {axis}, px", low, high, step=1.0, format="%g", width=150,
                **choices.bind(f"tolerance_{axis}"), help="A match is strictly nearer than this.",
            )  # fmt: skip
        st.toggle("One to one", **choices.bind("one_to_one"),
                  help="On: the largest matching, each region once. Off: many may match one region.")  # fmt: skip
        words = "Only regions of one label match." if shared else "The two sides have different labels, so any match."
        st.toggle("Same label", disabled=not shared, help=words, **_label_toggle(shared))
    found = matched_centroids(compared)
    with figure_row():
        st.metric("Matches", thin_spaced(len(found.pairs)), width=WIDE)
        for name in ("precision", "recall", "f1"):
            value = float(getattr(found, name))
            st.metric(name.capitalize(), score_text(value), help=score_text(value, 6), width=WIDE)
    st.caption(shift_text(found))


def _label_toggle(shared: bool) -> dict[str, Any]:
    """Bound to the choice where there is one; where labels differ it is off, and the choice is kept for other files."""
    return choices.bind("class_aware") if shared else {"value": False, "key": "labels_differ"}


def matched_centroids(compared: Comparison) -> Centroids:
    """The matches of the chosen level, by the chosen rules; any label where the two sides' labels differ."""
    tolerance = choices.get("tolerance_x"), choices.get("tolerance_y")
    rules = (choices.get("one_to_one"), class_aware(compared))
    return _matched(session.content_key(), session.chosen_level(compared), tolerance, rules, compared)


def class_aware(compared: Comparison) -> bool:
    return compared.space.shared and choices.get("class_aware")


@st.cache_resource(max_entries=12, show_spinner="Matching centres …")
def _matched(
    content: str, of: dict[str, str], tolerance: Tolerance, rules: tuple[bool, bool], _compared: Comparison
) -> Centroids:
    return _compared.centroids(tolerance, *rules, of.get("page"), of.get("document"))


def shift_text(found: Centroids) -> str:
    """How far matched centres lie from where they should: a detector that is off by a little is off everywhere."""
    if not len(found.pairs):
        return "No two centres are that near to each other."
    # Adding 0 makes a plain 0 of -0.
    dx, dy = (round(float(value), 1) + 0.0 for value in np.median(found.distances, axis=0))
    return f"Median shift of pred's centres: {dx:+.1f} px in x, {dy:+.1f} px in y.".replace("-", "\u2212")


def centroids_recipe(compared: Comparison) -> str:
    tolerance = f"{choices.get('tolerance_x'):g}x{choices.get('tolerance_y'):g}"
    rules = {"one_to_one": choices.get("one_to_one"), "class_aware": class_aware(compared)}
    return compared.recipe_for(None, centroids=tolerance, **rules)
