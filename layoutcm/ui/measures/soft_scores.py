"""The use of scores on Measures: soft scores without a threshold, calibration, and ROC."""

from __future__ import annotations

from functools import partial
from pathlib import PurePath

import numpy as np
import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.score_curves import ScoreCurves
from layoutcm.drawing.line_charts import reliability_bars, roc_curve
from layoutcm.drawing.paper import charts
from layoutcm.drawing.row_charts import score_bars
from layoutcm.drawing.screen.charts import CONFIG, draw
from layoutcm.filling.result_parts import curves_part
from layoutcm.layouts.model import PRED
from layoutcm.lazy import pd
from layoutcm.tables.label_folding import MOST_DRAWN
from layoutcm.tables.score_tables import calibration_table, reliability_table
from layoutcm.tables.tables import Table
from layoutcm.ui.screen_text import words_for
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import data_tables, downloads, page_shell, sidebar
from layoutcm.ui.shared.data_tables import Headline, score_headline, show_headlines
from layoutcm.ui.shared.downloads import Offer, file_name, in_state
from layoutcm.ui.state.chosen import Chosen
from layoutcm.ui.state.selection import Scope

NAMES = {"precision": "precision", "recall": "recall", "f_beta": "F1", "dice": "dice"}
SOFT_AVERAGE_NAMES = {
    "macro": "mean of labels (macro)",
    "micro": "together (micro)",
    "weighted": "mean of labels by gt pixels (weighted)",
    "samples": "mean of pages (samples)",
}
TITLES = {
    "f_beta": ("Soft F1", "Precision and recall together, with pixels weighted by their scores; mean of the labels."),
    "precision": (
        "Soft precision",
        "Of all score that is given for a label, the share on its pixels; mean of the labels.",
    ),
    "recall": ("Soft recall", "The mean score that the pixels of a label get for it; mean of the labels."),
    "dice": ("Dice", "As F1, but with squared scores in the divisor; equal to F1 if all scores are 1."),
}
NOTHING_THERE = "The prediction, or the ground truth, has no pixels of any label here."
WHOLE_SET = "Of the whole set, at pixel level: a pixel has the highest score of the regions of its label, or 0."
COLUMNS = {"roc_auc": data_tables.plain_number("ROC AUC"), "ece": data_tables.plain_number("ECE")}


def why_no_use_of_scores(compared: Comparison) -> str:
    """Why scores cannot be compared with the ground truth, or ""."""
    if reason := words_for(compared).no_use_of_scores:
        return reason
    if not compared.space.shared:
        return "The two sides have different labels, which a mapping would make comparable"
    if not compared.alignment.layouts[PRED].has_scores:
        return "The prediction has no scores"
    if compared.levels.has_regions and not compared.sources.all_regions.has_scores:
        return "No region that is compared has a score"
    if compared.levels.has_regions and compared.sources.all_regions.soft_sums is None:
        return "Some scores are not in 0..1, which makes them no probabilities"
    return ""


def show_soft_scores(chosen: Chosen, scope: Scope) -> None:
    """The means over labels, bars of the labels, the table of averages and labels."""
    reason = why_no_use_of_scores(scope.compared)
    if reason:
        show_headlines([Headline("Soft F1", "n/a", f"{reason}, so there are no soft scores.")])
        return
    every = _table(scope)
    table, means = _chosen_rows(every, chosen.now.labels), every[every["average"] == "macro"].iloc[0]
    show_headlines(
        [score_headline(title, float(means[name]), text, NOTHING_THERE) for name, (title, text) in TITLES.items()]
    )
    labels = table[table["average"] == ""].head(MOST_DRAWN)
    values = {"f1" if name == "f_beta" else name: labels[name].to_numpy(float) for name in NAMES if name != "dice"}
    recipe = scope.compared.recipe_for(None, soft="scores")
    bars = score_bars(labels["label"].tolist(), values, recipe=recipe)
    st.plotly_chart(draw(bars, chosen.theme), key="soft_bars", config=CONFIG, theme=None)
    shown = table.drop(columns="average")
    columns = {name: data_tables.plain_number(title) for name, title in NAMES.items()}
    data_tables.show_table(shown, columns, key="soft_table")
    st.caption("Pixels weighted by their regions' scores. Labels and pages that neither side scores are left out.")
    page_shell.show_recipe(recipe)
    make = lambda: Table("soft_scores", "Soft scores", shown.rename(columns=NAMES), recipe=recipe)
    downloads.offer("soft", Offer(in_state(chosen, "soft_scores"), "Soft scores", partial(charts.draw, bars), make))


def _chosen_rows(table: pd.DataFrame, only: tuple[str, ...]) -> pd.DataFrame:
    """The averages, and the chosen labels, those with the lowest F1 first."""
    rows = table[table["label"].isin(only) | (table["average"] != "")] if only else table
    order = np.where(rows["average"] != "", -1.0, rows["f_beta"])
    return rows.iloc[np.argsort(order, kind="stable")]


@kept("Adding up scores …")
def _table(scope: Scope) -> pd.DataFrame:
    """One row per average or label: average ("" for a label), label as shown, and the four scores."""
    compared, level = scope.compared, scope.level
    rows = [
        {"average": kind, "label": f"all, {name}", **compared.soft(kind, **level)}
        for kind, name in SOFT_AVERAGE_NAMES.items()
    ]
    by_label = {"average": "", "label": compared.labels[1:], **compared.soft(None, **level)}
    labels = pd.DataFrame(by_label).dropna(subset=list(NAMES), how="all")
    return pd.concat([pd.DataFrame(rows), labels], ignore_index=True)


def show_calibration(chosen: Chosen) -> None:
    """The labels with the worst values, the two charts of a label, the table of all labels."""
    compared = chosen.compared
    reason = why_no_use_of_scores(compared)
    curves = None if reason else _curves(chosen.key(), compared)
    table = calibration_table(curves_part(curves)).data if curves else None
    if curves is None or table is None or table.empty:
        found = curves.why_none.removesuffix(".") if curves else ""
        reason = reason or found or "No region that is compared has a score above 0"
        why = f"{reason}, so there is no calibration and no ROC."
        show_headlines([Headline("Calibration error", "n/a", why)])
        return
    show_headlines(worst_labels(table))
    label = _choose_label(table)
    left, right = page_shell.columns(1, 1, key="_calibration")
    with left:
        _show_reliability(chosen, curves, label)
    with right:
        _show_roc(chosen, curves, label)
    rows = table[table["label"].isin(chosen.now.labels)] if chosen.now.labels else table
    data_tables.show_table(rows.sort_values("ece", ascending=False), COLUMNS, key="calibration_table")
    st.caption(WHOLE_SET)
    page_shell.show_recipe(compared.recipe_for(None))
    make = lambda: calibration_table(curves_part(curves))
    downloads.offer("calibration_table", Offer(_file(chosen, "calibration"), "ROC AUC and ECE of labels", table=make))


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
    options = ["", *table["label"]]
    return sidebar.show_choice("curve_label", "Label", options, "measures", format_func=name, width=260) or worst


def _file(chosen: Chosen, name: str, label: str = "") -> str:
    """The name of a file; numbers are those of the whole set, whatever the chosen level."""
    return file_name(name, PurePath(chosen.pred.name).stem, label)


def _show_reliability(chosen: Chosen, curves: ScoreCurves, label: str) -> None:
    st.subheader("Reliability", anchor=False)
    rows, ece = curves.reliability(label), curves.ece[label]
    bars = reliability_bars(rows, label, ece, recipe=chosen.compared.recipe_for(None))
    st.plotly_chart(draw(bars, chosen.theme), key="reliability", config=CONFIG, theme=None)
    st.caption("Bar and line are equally high if scores are calibrated. A line above its bar: too sure.")
    make = partial(reliability_table, curves, label)
    paper = partial(charts.draw, bars)
    downloads.offer("reliability", Offer(_file(chosen, "reliability", label), f"Reliability of {label}", paper, make))


def _show_roc(chosen: Chosen, curves: ScoreCurves, label: str) -> None:
    st.subheader("ROC", anchor=False)
    downloads.offer("roc")
    rows = curves.roc(label)
    if rows.empty:
        st.info("n/a: all pixels have this label in the ground truth, or none has.")
        return
    line = roc_curve(curves, label, chosen.compared.recipe_for(None))
    st.plotly_chart(draw(line, chosen.theme), key="roc", config=CONFIG, theme=None)
    st.caption("The area below the line is the ROC AUC: 1 is perfect, 0.5 is no better than chance.")
    downloads.offer("roc", Offer(_file(chosen, "roc", label), f"ROC of {label}", partial(charts.draw, line)))
