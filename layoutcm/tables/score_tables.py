"""Tables and texts of score curves: best thresholds with their gain, ROC AUC and calibration."""

from __future__ import annotations

from typing import Any

from layoutcm.diagnosis.held_out import FEWEST_DOCUMENTS
from layoutcm.diagnosis.score_curves import ScoreCurves
from layoutcm.tables.tables import Table
from layoutcm.wording import MISSING, one_line, plural, score_text, shorten

BEST = "best score thresholds"
NAME_LENGTH = 40


def threshold_table(curves: ScoreCurves) -> Table:
    """The best threshold of each label, and one for all labels, with F1 and gain."""
    data = curves.gains()
    title = "Score thresholds with the largest F1 of pixels"
    return Table("thresholds", title, data[data["threshold"].notna()].reset_index(drop=True), note=gain_text(curves))


def calibration_table(curves: ScoreCurves) -> Table:
    """ROC AUC and calibration error of each label that has one."""
    import pandas as pd

    values = {"roc_auc": list(curves.roc_auc.values()), "ece": list(curves.ece.values())}
    data = pd.DataFrame({"label": list(curves.labels), **values}).dropna(subset=list(values), how="all")
    note = "ECE: expected calibration error, the mean distance of scores and shares of right pixels"
    return Table("calibration", "ROC AUC and calibration of scores", data.reset_index(drop=True), note=note)


def reliability_table(curves: ScoreCurves, label: str) -> Table:
    """Mean scores and shares of right pixels in tenths of the scores."""
    return Table("reliability", f"Reliability of the scores of {label}", curves.reliability(label))


def gain_text(curves: ScoreCurves) -> str:
    """What the gains of thresholds are measured on."""
    documents = plural(curves.documents, "document")
    if curves.is_cross_validated:
        return f"gain: cross-validated over {documents}, each with a threshold chosen on the others"
    return f"gain: on these pages, not cross-validated, because {documents} of at least {FEWEST_DOCUMENTS} are too few"


def score_lines(curves: ScoreCurves) -> list[str]:
    """Terminal text: the best threshold of each label with its gain, ROC AUC and calibration error."""
    rows = [row for row in curves.gains().to_dict("records") if row["threshold"] == row["threshold"]]
    names = [shorten(one_line(row["label"]), NAME_LENGTH) for row in rows]
    width = max(len(BEST), *map(len, names))
    lines = [f"{BEST:{width}} threshold       F1     gain  ROC AUC      ECE"]
    for name, row in zip(names, rows):
        gain = MISSING if row["gain"] != row["gain"] else f"{row['gain']:+.3f}"
        more = (values.get(row["label"], float("nan")) for values in (curves.roc_auc, curves.ece))
        others = " ".join(f"{score_text(value):>8}" for value in more)
        lines.append(f"{name:{width}} {row['threshold']:9.3g} {score_text(row['f1']):>8} {gain:>8} {others}")
    return [*lines, gain_text(curves)]


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
