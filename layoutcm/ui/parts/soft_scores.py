"""The soft scores of Measures: pixels weighted by the scores of their regions, without a threshold."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.paper import charts
from layoutcm.drawing.screen.charts import score_bars
from layoutcm.drawing.screen.figure_basics import CONFIG
from layoutcm.layouts.model import PRED
from layoutcm.tables.drawn_labels import MOST_DRAWN
from layoutcm.tables.tables import Table
from layoutcm.ui import choices, offers, page_shell, session
from layoutcm.ui.offers import Offer, in_state
from layoutcm.ui.parts import data_tables
from layoutcm.ui.parts.headline_row import Headline, score_headline, show_headlines
from layoutcm.ui.visitors import kept

if TYPE_CHECKING:
    import pandas as pd

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
    "dice": (
        "Dice",
        "As F1, but with squared scores in the divisor; equal to F1 if all scores are 1.",
    ),
}


def why_no_use_of_scores(compared: Comparison) -> str:
    """Why scores cannot be compared with the ground truth, or ""."""
    if not compared.has_truth:
        return "Neither side is the truth"
    if not compared.space.shared:
        return "The two sides have different labels, which a mapping would make comparable"
    if not compared.alignment.layouts[PRED].has_scores:
        return "The prediction has no scores"
    if compared.levels.has_regions and compared.sources.soft_sums is None:
        return "Some scores are not in 0..1, which makes them no probabilities"
    return ""


def why_none(compared: Comparison) -> str:
    """Why there are no soft scores, or ""."""
    reason = why_no_use_of_scores(compared)
    return f"{reason}, so there are no soft scores." if reason else ""


def soft_averages(compared: Comparison) -> pd.DataFrame:
    """The average rows of the table, indexed by kind of average."""
    table = _table(session.comparison_key(), session.chosen_level(compared), compared)
    return table[table["average"] != ""].set_index("average")


def show_soft_scores(compared: Comparison) -> None:
    """The means over labels, bars of the labels, the table of averages and labels."""
    reason = why_none(compared)
    if reason:
        show_headlines([Headline("Soft F1", "n/a", reason)])
        return
    table, means = _chosen_rows(compared), soft_averages(compared).to_dict("index")["macro"]
    show_headlines([score_headline(title, float(means[name]), text) for name, (title, text) in TITLES.items()])
    labels = table[table["average"] == ""].head(MOST_DRAWN)
    values = {"f1" if name == "f_beta" else name: labels[name].to_numpy(float) for name in NAMES if name != "dice"}
    st.plotly_chart(score_bars(labels["label"].tolist(), values, session.theme()), key="soft_bars", config=CONFIG,
                    theme=None)  # fmt: skip
    shown = table.drop(columns="average")
    columns = {name: data_tables.plain_number(title) for name, title in NAMES.items()}
    data_tables.show_table(shown, columns, key="soft_table")
    st.caption("Pixels weighted by their regions' scores. Labels and pages that neither side scores are left out.")
    recipe = compared.recipe_for(None, soft="scores")
    page_shell.show_recipe(recipe)
    draw = partial(charts.score_bars, labels["label"].tolist(), values, recipe=recipe)
    make = lambda: Table("soft_scores", "Soft scores", shown.rename(columns=NAMES), recipe=recipe)
    offers.offer("soft", Offer(in_state("soft_scores"), "Soft scores", draw, make))


def _chosen_rows(compared: Comparison) -> pd.DataFrame:
    """The averages, and the chosen labels, those with the lowest F1 first."""
    table, only = _table(session.comparison_key(), session.chosen_level(compared), compared), choices.current().labels
    chosen = table[table["label"].isin(only) | (table["average"] != "")] if only else table
    order = np.where(chosen["average"] != "", -1.0, chosen["f_beta"])
    return chosen.iloc[np.argsort(order, kind="stable")]


@kept("Adding up scores …")
def _table(content: str, level: dict[str, str], _compared: Comparison) -> pd.DataFrame:
    """One row per average or label: average ("" for a label), label as shown, and the four scores."""
    import pandas as pd

    page, document = level.get("page"), level.get("document")
    rows = [
        {"average": kind, "label": f"all, {name}", **_compared.soft(kind, page=page, document=document)}
        for kind, name in SOFT_AVERAGE_NAMES.items()
    ]
    by_label = {"average": "", "label": _compared.labels[1:], **_compared.soft(None, page=page, document=document)}
    labels = pd.DataFrame(by_label).dropna(subset=list(NAMES))
    return pd.concat([pd.DataFrame(rows), labels], ignore_index=True)
