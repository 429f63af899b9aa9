"""Calibration and ROC of Measures: do scores mean what they say, and do they tell a label's pixels from the others?"""

from __future__ import annotations

from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.score_curves import ScoreCurves
from layoutcm.drawing.paper import score_charts as on_paper
from layoutcm.drawing.screen import score_charts
from layoutcm.drawing.screen.figure_basics import CONFIG
from layoutcm.tables.score_tables import calibration_table, reliability_table
from layoutcm.ui import choices, offers, page_shell, session, sidebar
from layoutcm.ui.offers import Offer, file_name
from layoutcm.ui.parts import data_tables, soft_scores
from layoutcm.ui.parts.headline_row import Headline, score_headline, show_headlines
from layoutcm.ui.visitors import kept

if TYPE_CHECKING:
    import pandas as pd

WHOLE_SET = "Of the whole set, at pixel level: a pixel has the highest score of the regions of its label, or 0."
COLUMNS = {"roc_auc": data_tables.plain_number("ROC AUC"), "ece": data_tables.plain_number("ECE")}


def why_none(compared: Comparison) -> str:
    """Why there is no calibration, or ""."""
    reason = soft_scores.why_no_use_of_scores(compared)
    return f"{reason}, so there is no calibration and no ROC." if reason else ""


def show_calibration(compared: Comparison) -> None:
    """The labels with the worst values, the two charts of a label, the table of all labels."""
    reason = why_none(compared)
    curves = None if reason else _curves(session.comparison_key(), compared)
    table = calibration_table(curves).data if curves else None
    if curves is None or table is None or table.empty:
        show_headlines([Headline("Calibration error", "n/a", reason or "No label has scores.")])
        return
    show_headlines(worst_labels(table))
    label = _choose_label(table)
    left, right = page_shell.columns(1, 1, key="_calibration")
    with left:
        _show_reliability(compared, curves, label)
    with right:
        _show_roc(compared, curves, label)
    chosen = table[table["label"].isin(choices.current().labels)] if choices.current().labels else table
    data_tables.show_table(chosen.sort_values("ece", ascending=False), COLUMNS, key="calibration_table")
    st.caption(WHOLE_SET)
    page_shell.show_recipe(compared.recipe_for(None))
    make = lambda: calibration_table(curves)
    offers.offer("calibration_table", Offer(_file("calibration"), "ROC AUC and ECE of labels", table=make))


@kept("Adding up scores …")
def _curves(content: str, _compared: Comparison) -> ScoreCurves:
    return _compared.score_curves()


def worst_labels(table: pd.DataFrame) -> list[Headline]:
    """The largest calibration error and the lowest ROC AUC, with their labels, and the medians."""
    ece, auc = table.dropna(subset="ece").sort_values("ece"), table.dropna(subset="roc_auc").sort_values("roc_auc")
    none = "No label has one."
    worst, lowest = (str(one["label"].iloc[k]) if len(one) else "" for one, k in ((ece, -1), (auc, 0)))
    far = f"{worst}: its scores are farthest from the share of pixels that are right."
    poor = f"{lowest}: its scores tell its pixels from the others least well."
    median = "Half of the labels have at most this distance between mean score and share of right pixels."
    ranks = "The chance that a pixel of a label has a higher score for it than another pixel; median of the labels."
    nan = float("nan")
    return [
        score_headline("Largest ECE", float(ece["ece"].iloc[-1]) if len(ece) else nan, far, none),
        score_headline("Median ECE", float(ece["ece"].median()), median, none),
        score_headline("Lowest ROC AUC", float(auc["roc_auc"].iloc[0]) if len(auc) else nan, poor, none),
        score_headline("Median ROC AUC", float(auc["roc_auc"].median()), ranks, none),
    ]


def _choose_label(table: pd.DataFrame) -> str:
    """The label of the charts; the one with the largest calibration error if none is chosen."""
    worst = str(table.sort_values("ece", na_position="first")["label"].iloc[-1])
    name = lambda label: label or f"{worst} (largest ECE)"
    sidebar.show_choice("curve_label", "Label", ["", *table["label"]], "measures", format_func=name, width=260)
    return choices.current().curve_label or worst


def _file(name: str, label: str = "") -> str:
    """The name of a file; numbers are those of the whole set, whatever the chosen level."""
    return file_name(name, PurePath(session.chosen_pred().name).stem, label)


def _show_reliability(compared: Comparison, curves: ScoreCurves, label: str) -> None:
    st.subheader("Reliability", anchor=False)
    figure = score_charts.reliability_figure(curves, label, session.theme())
    st.plotly_chart(figure, key="reliability", config=CONFIG, theme=None)
    st.caption("Bar and line are equally high if scores are calibrated. A line above its bar: too sure.")
    draw = partial(on_paper.reliability_figure, curves, label, recipe=compared.recipe_for(None))
    make = partial(reliability_table, curves, label)
    offers.offer("reliability", Offer(_file("reliability", label), f"Reliability of {label}", draw, make))


def _show_roc(compared: Comparison, curves: ScoreCurves, label: str) -> None:
    st.subheader("ROC", anchor=False)
    offers.offer("roc")
    rows = curves.roc(label)
    if rows.empty:
        st.info("n/a: all pixels have this label in the ground truth, or none has.")
        return
    figure = score_charts.roc_figure(curves, label, session.theme())
    st.plotly_chart(figure, key="roc", config=CONFIG, theme=None)
    st.caption("The area below the line is the ROC AUC: 1 is perfect, 0.5 is no better than chance.")
    draw = partial(on_paper.roc_figure, curves, label, recipe=compared.recipe_for(None))
    offers.offer("roc", Offer(_file("roc", label), f"ROC of {label}", draw))
