"""Tables and texts of score curves: best thresholds with their gain, ROC AUC and calibration."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable
from typing import Any

from layoutcm.diagnosis.held_out import FEWEST_DOCUMENTS
from layoutcm.diagnosis.score_curves import ALL_LABELS, ScoreCurves
from layoutcm.tables.tables import Table
from layoutcm.wording import NAME_LENGTH, agree, difference_text, one_line, plural, score_text, shorten, threshold_text

BEST = "best score thresholds"
F1_OF_ALONE = (
    "F1 counts the pixels of each label alone; where pixels have several labels it differs from that of classes"
)


def threshold_table(curves: ScoreCurves) -> Table:
    """The best threshold of each label, and one for all labels, with F1 and gain."""
    data = curves.gains()
    data = data[data["f1"].notna()].reset_index(drop=True)
    data["threshold"] = [threshold_text(value) for value in data["threshold"]]
    title = "Score thresholds with the largest F1 of pixels"
    return Table("thresholds", title, data, note=f"{F1_OF_ALONE}; {gain_text(curves)}")


def calibration_table(curves: ScoreCurves) -> Table:
    """ROC AUC and calibration error of each label that has one."""
    import pandas as pd

    values = {"roc_auc": list(curves.roc_auc.values()), "ece": list(curves.ece.values())}
    data = pd.DataFrame({"label": list(curves.labels), **values}).dropna(subset=list(values), how="all")
    note = "ECE: expected calibration error, the mean distance of scores and shares of right pixels"
    return Table("calibration", "ROC AUC and calibration of scores", data.reset_index(drop=True), note=note)


def reliability_table(curves: ScoreCurves, label: str) -> Table:
    """Score and share of right pixels of a label, in tenths of the scores."""
    return Table("reliability", f"Reliability of the scores of {label}", curves.reliability(label))


def gain_text(curves: ScoreCurves) -> str:
    """What the gains of thresholds are measured on."""
    documents = plural(curves.documents, "document")
    if curves.is_cross_validated:
        return f"gain: cross-validated over {documents}, each with a threshold chosen on the others"
    return f"gain: on these pages, not cross-validated, because there are fewer than {FEWEST_DOCUMENTS} documents"


def gain_sentence(curves: ScoreCurves, label: str | None = None, label_text: Callable[[str], str] = one_line) -> str:
    """What the best threshold of a label, or of all labels together, gains; "" without scores."""
    place = len(curves.labels) if label is None else curves.labels.index(label)
    row = curves.gains().to_dict("records")[place]
    of = ALL_LABELS if label is None else label_text(label)
    if math.isnan(row["f1"]):
        return ""
    if math.isnan(row["threshold"]):
        return f"No score threshold is better for {of} than keeping every region: F1 {score_text(row['f1'])}."
    best = f"Score threshold {threshold_text(row['threshold'])} has the largest F1 of {of} on these pages"
    change = f"{score_text(row['f1'])} instead of {score_text(row['present_f1'])} without a threshold"
    if not curves.is_cross_validated:
        verb = agree(curves.documents, "is", "are")
        few = f"{plural(curves.documents, 'document')} {verb} too few to measure it on others"
        return f"{best}: {change}. The gain, {difference_text(row['gain'])}, is on these pages: {few}."
    held_out = f"{difference_text(row['gain'])} on held-out documents ({curves.documents:,}, one after the other)"
    return f"{best}: {change}. Gain: {held_out}" + ("." if row["gain"] > 0 else ", so that it is not shown to help.")


def score_lines(curves: ScoreCurves) -> list[str]:
    """Terminal text: the best threshold of each label with its gain, ROC AUC and calibration error."""
    values = [*zip(curves.roc_auc.values(), curves.ece.values()), (float("nan"),) * 2]  # the last row is of all labels
    rows = [{**row, "more": more} for row, more in zip(curves.gains().to_dict("records"), values)]
    overall = rows[-1]
    rows = [row for row in rows if row["f1"] == row["f1"]]
    names = [shorten(one_line(row["label"]), NAME_LENGTH) for row in rows]
    width = max(len(BEST), *map(len, names))
    lines = [f"{BEST:{width}} threshold   F1 now F1 there     gain  ROC AUC      ECE"]
    for name, row in zip(names, rows):
        scores = [score_text(value) for value in (row["present_f1"], row["f1"])]
        texts = [*scores, difference_text(row["gain"]), *map(score_text, row["more"])]
        others = " ".join(f"{text:>8}" for text in texts)
        lines.append(f"{name:{width}} {threshold_text(row['threshold']):>9} {others}")
    return [*lines, F1_OF_ALONE, gain_text(curves), *_ready_option([row for row in rows if row is not overall])]


def _ready_option(rows: list[dict[Any, Any]]) -> list[str]:
    """The option that applies the thresholds of all labels that gain by them."""
    helped = [row for row in rows if row["gain"] > 0 and row["threshold"] > 0]
    values = (shlex.quote(f"{one_line(row['label'])}={threshold_text(row['threshold'])}") for row in helped)
    return [f"to apply those that gain: --min-score {' '.join(values)}"] if helped else []


def score_curves_result(curves: ScoreCurves) -> dict[str, Any]:
    """The part of the JSON about score curves, without the curves themselves."""
    *classes, overall = curves.gains().to_dict("records")
    del overall["label"]
    more = [{"roc_auc": curves.roc_auc[label], "ece": curves.ece[label]} for label in curves.labels]
    return {
        "cross_validated": curves.is_cross_validated,
        "overall": overall,
        "classes": [row | values for row, values in zip(classes, more)],
    }
