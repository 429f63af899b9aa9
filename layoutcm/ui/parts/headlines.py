"""The headline figures of Errors: those of the matrix, one of every other view, and their intervals.

Objects, centroids and soft scores go through all regions again, which takes seconds on a very large set. For such a
set they are computed only after the visitor opens the objects on Measures, and intervals after a click.
"""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from layoutcm.comparison import Comparison
from layoutcm.drawing.screen.charts import class_bars
from layoutcm.drawing.screen.figure_basics import CONFIG
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.intervals import UNIT_FIGURES, Intervals
from layoutcm.tables.averages import figure_title
from layoutcm.tables.interval_texts import interval_text, resampling_text
from layoutcm.tables.object_texts import MOST_PAGES
from layoutcm.ui import choices, session
from layoutcm.ui.parts import centroid_match, data_tables, families, objects, soft_scores
from layoutcm.ui.screen_text import plural_spaced
from layoutcm.ui.selection import chosen_labels
from layoutcm.ui.visitors import kept
from layoutcm.wording import score_text

PENDING = "…"
Headline = tuple[str, str, str]  # name, value, help
INTERVALS_OF = {
    "F1 macro": "macro_f1",
    "F1 micro": "micro_f1",
    "Content F1": "content_f1",
    "F1, mean page": "macro_f1_over_pages",
    "F1, mean document": "macro_f1_over_documents",
}


def draw_headlines(place: DeltaGenerator, figures: list[Headline], below: str | None = None) -> list[DeltaGenerator]:
    """Draw every figure in its own placeholder, with the small line `below`; return the placeholders."""
    places = [place.empty() for _ in figures]
    for own_place, figure in zip(places, figures):
        _draw_one(own_place, figure, below)
    return places


def add_intervals(places: list[DeltaGenerator], figures: list[Headline], intervals: Intervals | None) -> None:
    """Draw the figures again with their intervals below them."""
    for place, (name, value, help_text) in zip(places, figures):
        if intervals:
            explained = f"{help_text}. Below it: {resampling_text(intervals)}"
            _draw_one(place, (name, value, explained), interval_text(intervals, INTERVALS_OF[name]))


def _draw_one(place: DeltaGenerator, figure: Headline, below: str | None) -> None:
    name, value, help_text = figure
    place.metric(name, value, below, delta_color="off", delta_arrow="off", help=help_text, width="content")


def intervals_are_shown(compared: Comparison) -> bool:
    """Whether intervals are shown: only for the whole set; if it is large, only after a click."""
    small = len(compared.pages) <= MOST_PAGES
    return choices.current().level == "set" and (
        small or st.session_state.get("intervals_asked") == session.comparison_key()
    )


def intervals_or_button(compared: Comparison) -> Intervals | None:
    """The intervals of the set; for a large set, None and a button until it was clicked."""
    if intervals_are_shown(compared):
        return intervals_of_set(compared)
    if choices.current().level == "set":
        help_text = f"On {plural_spaced(len(compared.pages), 'page')} this takes some seconds."
        st.button("95 % intervals", help=help_text, on_click=_request_intervals, key="ask_intervals")
    return None


def show_class_bars(compared: Comparison, confusion: Confusion, key: str) -> Intervals | None:
    """The bars of the classes, with whiskers if there are intervals; returns the intervals."""
    found = intervals_or_button(compared)
    figure = class_bars(
        confusion, session.theme(), intervals=found.whiskers() if found else None, selection=chosen_labels(confusion)
    )
    st.plotly_chart(figure, key=key, config=CONFIG, theme=None)
    show_source(found)
    return found


def show_source(intervals: Intervals | None) -> None:
    """What the intervals are made from; if there are too few documents for intervals, the values of each."""
    if not intervals:
        return
    text = resampling_text(intervals)
    st.caption(f"{text[0].upper()}{text[1:]}.")
    if intervals.resampling.kind == "none":
        unit = intervals.resampling.unit
        columns = {name: data_tables.plain_number(figure_title(name)) for name in UNIT_FIGURES}
        data_tables.show_table(intervals.by_unit(), columns | {unit: st.column_config.TextColumn(unit)}, key="by_unit")


def _request_intervals() -> None:
    st.session_state["intervals_asked"] = session.comparison_key()


def intervals_of_set(compared: Comparison) -> Intervals:
    """The intervals of the set, however long they take."""
    return _intervals(session.comparison_key(), choices.current().method, compared)


@kept("Computing intervals …")
def _intervals(content: str, method: str, _compared: Comparison) -> Intervals:
    return _compared.bootstrap(method=method)


def headlines_of_other_views(compared: Comparison) -> list[Headline]:
    """One figure each for families, objects, soft scores and centroids, where they are defined."""
    family = families.family_headline(compared)
    figures = [family] if family else []
    if len(compared.pages) > MOST_PAGES and not objects.were_shown(compared):
        size = plural_spaced(len(compared.pages), "page")
        help_text = f"On {size} this takes some seconds. Open Measures to compute it; then it is shown here too."
        return [*figures, ("Objects", PENDING, help_text)]
    figures.append(_object_headline(compared))
    if not soft_scores.why_none(compared):
        value = float(soft_scores.soft_averages(compared)["f_beta"]["macro"])
        figures.append(
            _score_headline("Soft F1", value, "Pixels weighted by their regions' scores, mean of the labels")
        )
    return [*figures, _centroid_headline(compared)]


def _score_headline(name: str, value: float, text: str) -> Headline:
    return name, score_text(value), f"{text}. See Measures. ({score_text(value, 6)})"


def _object_headline(compared: Comparison) -> Headline:
    """mAP if predictions can be ranked, else panoptic quality; the F1 of objects if the sides have different labels."""
    headline = objects.objects_of_level(compared).headline
    if headline == "ap":
        return _score_headline(
            "mAP", objects.coco_numbers(compared)[0]["AP"], "Objects by COCO's rules, IoU 0.50 to 0.95"
        )
    if headline == "pq":
        text = "Panoptic quality: objects found, and how well they fit. There is no AP"
        return _score_headline("PQ", objects.panoptic_means(compared)["pq"], text)
    scores = objects.object_result(compared, "scores_at", objects.chosen_iou(), False)
    text = f"Objects found at IoU {objects.chosen_iou():.2f}, whatever their labels. There is no AP"
    return _score_headline("Object F1", scores["f1"], text)


def _centroid_headline(compared: Comparison) -> Headline:
    found = centroid_match.matched_centroids(compared)
    dx, dy = found.tolerance
    partner = "a region with the same label" if centroid_match.class_aware(compared) else "any region"
    text = f"Ground truth regions whose centroid is within {dx:g} x {dy:g} px of that of {partner}"
    return _score_headline("Centroid recall", found.recall, text)
