"""F1 over the score threshold on the Models page, and a button that applies the best threshold."""

from __future__ import annotations

from functools import partial
from pathlib import PurePath
from typing import Any

import streamlit as st

from layoutcm.alignment.min_scores import min_score_text
from layoutcm.comparison import Comparison
from layoutcm.diagnosis.score_curves import ALL_LABELS, ScoreCurves
from layoutcm.drawing.paper import score_charts
from layoutcm.drawing.screen.figure_basics import CONFIG
from layoutcm.drawing.screen.score_charts import threshold_curve_figure
from layoutcm.layouts.model import GT, PRED
from layoutcm.tables.score_tables import F1_OF_ALONE, gain_sentence, threshold_table
from layoutcm.ui import choices, offers, session, sidebar
from layoutcm.ui.input_files import comparison_of
from layoutcm.ui.offers import Offer, file_name
from layoutcm.ui.parts import models
from layoutcm.ui.parts.models import Predictions
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.visitors import kept
from layoutcm.wording import MISSING, threshold_text

HEIGHT = 620  # pixels of the chart with what is around it


def show_thresholds(predictions: Predictions) -> None:
    """The curve of the chosen prediction and label, what its best threshold gains, and a button that applies it."""
    if predictions.chosen is None:
        st.info("The chosen prediction cannot be compared.")
        return
    if not predictions.chosen.alignment.layouts[PRED].has_scores:
        _show_others_with_scores(predictions)
        return
    asked = _asked_curves()
    if not models.is_ready(predictions, _curves, *asked):
        return
    curves = _curves(*asked)
    if curves.rows is None:
        st.info("There is no curve. It needs scores from 0 to 1, and a prediction with the labels of the ground truth.")
        return
    name = lambda label: label or ALL_LABELS
    sidebar.show_choice("curve_label", "Label", ["", *curves.labels], "models", format_func=name, width=260)
    label = choices.current().curve_label or None
    is_common = label is None or label in predictions.chosen.alignment.layouts[GT].labels
    _show_gain(curves, label, is_common and not session.shows_result())
    figure = threshold_curve_figure(curves, label, session.theme())
    st.plotly_chart(figure, key="threshold_curve", config=CONFIG, theme=None)
    st.caption(f"{as_typed(session.chosen_pred().name)}. {F1_OF_ALONE}.")
    draw = partial(score_charts.threshold_curve_figure, curves, label, recipe=predictions.chosen.recipe)
    file = file_name("thresholds", PurePath(session.chosen_pred().name).stem, label or "")
    title = f"Score threshold, {label or ALL_LABELS}"
    offers.offer("thresholds", Offer(file, title, draw, lambda: threshold_table(curves)))


def _show_others_with_scores(predictions: Predictions) -> None:
    """The chosen prediction has no scores: say so, and offer those that have."""
    st.info(f"{as_typed(session.chosen_pred().name)} has no scores, so that there is no threshold to choose.")
    scored = [k for k, one in predictions.compared.items() if one.alignment.layouts[PRED].has_scores]
    for position in scored:
        text = as_typed(f"Score curve of {predictions.names[position]}")
        chosen = {"pred": position, "curve_label": ""}
        st.button(text, key=f"curve_of_{position}", on_click=choices.put, kwargs=chosen)


def _asked_curves() -> tuple[str, str, Comparison]:
    """What the curves of all regions are made from, also if a threshold is in force: so the whole curve is seen."""
    options = session.compare_options() | {"min_score": None}
    request = session.comparison_request()
    return request.key, str(sorted(options.items())), comparison_of(request, options)


@kept("Going through the scores …")
def _curves(request: str, options: str, _compared: Comparison) -> ScoreCurves:
    return _compared.score_curves()


def _show_gain(curves: ScoreCurves, label: str | None, is_offered: bool) -> None:
    """What the best threshold gains, and the button that applies it; another one removes all thresholds.

    A threshold of a label that gt does not have is not offered: other predictions may not have it. Nor is one for a
    result of parts, which are counted already.
    """
    st.markdown(gain_sentence(curves, label, lambda name: f"**{as_typed(name)}**"))
    place = len(curves.labels) if label is None else curves.labels.index(label)
    best = threshold_text(curves.gains()["threshold"].iloc[place])  # rounded down, so that no region at it is lost
    wanted = _with_threshold(best, label)
    now = {name: choices.value_of(name) for name in wanted}
    with st.container(horizontal=True):
        if best != MISSING and is_offered:
            st.button(
                as_typed(f"Apply {best} to {label or ALL_LABELS}{_of_all()}"), key="apply_best", type="primary",
                disabled=now == wanted, on_click=choices.put, kwargs=wanted,
                help="The bar on top shows it, and removes it.",
            )  # fmt: skip
        scores = session.min_scores()
        if scores is not None:
            text, none = (
                as_typed(f"Remove the threshold {min_score_text(scores)}"),
                {"min_score": 0.0, "label_scores": ()},
            )
            st.button(text, key="remove_threshold", on_click=choices.put, kwargs=none)


def _of_all() -> str:
    return " of all predictions" if len(session.pred_names()) > 1 else ""


def _with_threshold(best: str, label: str | None) -> dict[str, Any]:
    """The choices with this threshold for a label, beside those of other labels, or with one for all labels."""
    if best == MISSING:
        return {}
    if label is None:
        return {"min_score": float(best), "label_scores": ()}
    scores = choices.scores_by_label(choices.current().label_scores) | {label: float(best)}
    return {"label_scores": tuple(f"{score:g}={name}" for name, score in scores.items())}
