"""The centroid part of Measures: are regions at the right position, whatever their size?"""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.screen.figure_basics import CONFIG
from layoutcm.drawing.screen.shift_chart import MOST_SHIFTS, shifts_figure
from layoutcm.metrics.objects.centroids import Centroids, Tolerance
from layoutcm.tables.tables import Table
from layoutcm.ui import choices, offers, session
from layoutcm.ui.offers import Offer, in_state
from layoutcm.ui.parts import data_tables
from layoutcm.ui.parts.headline_row import Headline, score_headline, show_headlines
from layoutcm.ui.parts.objects import control_row
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.side_words import TRUTH, SideWords, words_for
from layoutcm.ui.visitors import kept
from layoutcm.wording import thin_spaced


def show_centroids(compared: Comparison) -> None:
    """Controls for the tolerance and the rules, the numbers, the shifts as a chart and as a table."""
    _show_controls(compared)
    found, words = matched_centroids(compared), words_for(compared)
    show_headlines(centroid_headlines(found, words))
    st.markdown(shift_text(found, words))
    if found.note:
        st.warning(as_typed(found.note))
    if not len(found.pairs):
        return
    st.plotly_chart(shifts_figure(found, session.theme()), key="shifts", config=CONFIG, theme=None)
    rest = f" {MOST_SHIFTS:,} of {len(found.pairs):,} are drawn." if len(found.pairs) > MOST_SHIFTS else ""
    st.caption(f"One point per match; the frame is the tolerance. A cloud off the middle is a constant offset.{rest}")
    only = choices.current().labels
    table = found.matches
    shown = table[table["gt_label"].isin(only) | table["pred_label"].isin(only)] if only else table
    data_tables.show_page_picker(shown.head(data_tables.STYLED_ROWS), key="centroid_matches", columns=_columns(words))
    if len(shown) > data_tables.STYLED_ROWS:
        st.caption(f"The first {data_tables.STYLED_ROWS:,} of {len(shown):,} rows; the file has all of them.")
    recipe, title = centroids_recipe(compared), "Regions matched by their centres"
    make = lambda: Table("centroids", title, shown, recipe=recipe)
    offers.offer("centroids", Offer(in_state("centroids"), title, table=make))


def _columns(words: SideWords) -> dict[str, Any]:
    sides = words.titles if words is not TRUTH else {"gt": "gt", "pred": "pred"}
    regions = {side: st.column_config.NumberColumn(f"{name} region") for side, name in sides.items()}
    labels = {f"{side}_label": st.column_config.TextColumn(f"{name} label") for side, name in sides.items()}
    shifts = {name: st.column_config.NumberColumn(f"{name}, px", format="%.2f") for name in ("dx", "dy")}
    return regions | labels | shifts


def _show_controls(compared: Comparison) -> None:
    shared = compared.space.shared
    with control_row():
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


def centroid_headlines(found: Centroids, words: SideWords) -> list[Headline]:
    """The number of matches, and the share of each side that has one."""
    near = f"whose centre is within {found.tolerance[0]:g} x {found.tolerance[1]:g} px of that of a region of"
    titles = {name: title[0].upper() + title[1:] for name, title in words.scores.items()}
    return [
        Headline("Matches", thin_spaced(len(found.pairs)), "Pairs of regions whose centres are near each other."),
        score_headline(titles["recall"], found.recall, f"Regions of {words.gt} {near} {words.pred}.",
                       f"There are no regions in {words.gt}."),
        score_headline(titles["precision"], found.precision, f"Regions of {words.pred} {near} {words.gt}.",
                       f"There are no regions in {words.pred}."),
        score_headline(titles["f1"], found.f1, "Both together: their harmonic mean.", "Neither side has regions."),
    ]  # fmt: skip


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


def shift_text(found: Centroids, words: SideWords) -> str:
    """The median shift of matched centroids: it shows a constant offset of the prediction."""
    if not len(found.pairs):
        return "No two centroids are within the tolerance."
    # Adding 0.0 turns -0.0 into 0.0.
    dx, dy = (round(float(value), 1) + 0.0 for value in np.median(found.distances, axis=0))
    text = f"Median shift of the centroids of {words.pred}: {dx:+.1f} px in x, {dy:+.1f} px in y."
    return text.replace("-", "\u2212")


def centroids_recipe(compared: Comparison) -> str:
    tolerance = f"{choices.current().tolerance_x:g}x{choices.current().tolerance_y:g}"
    rules = {"one_to_one": choices.current().one_to_one, "class_aware": class_aware(compared)}
    return compared.recipe_for(None, centroids=tolerance, **rules)
