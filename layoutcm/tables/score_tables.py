"""Tables and texts of curves over the scores of regions: best thresholds with their gain, ROC AUC and calibration."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable
from typing import Any

from msgspec import UNSET

from layoutcm.diagnosis.score_curves import ALL_LABELS, FEWEST_DOCUMENTS, ScoreCurves
from layoutcm.results.result import frame_of
from layoutcm.results.view_types import CurveScores
from layoutcm.tables.tables import Table
from layoutcm.wording import agree, difference_text, one_line, plural, score_text, short_name, threshold_text

BEST = "best score thresholds"
THRESHOLDS = "Score thresholds with the largest F1 of pixels"
F1_OF_ALONE = (
    "F1 counts the pixels of each label alone; where pixels have several labels it differs from that of classes"
)
CALIBRATION = ("roc_auc", "ece")
GAIN_COLUMNS = ("label", "threshold", "f1", "present_f1", "held_out_f1", "gain")


def threshold_table(curves: CurveScores) -> Table:
    """The best threshold of each label, and one for all labels, with F1 and gain."""
    data = frame_of([{name: row[name] for name in GAIN_COLUMNS} for row in _rows(curves) if not math.isnan(row["f1"])])
    data["threshold"] = [threshold_text(value) for value in data["threshold"]]
    notes = [F1_OF_ALONE, gain_text(curves), *_without_scores(curves)]
    return Table("thresholds", THRESHOLDS, data, note="; ".join(notes))


def _without_scores(curves: CurveScores) -> list[str]:
    """The labels in use that have no threshold, ROC AUC or calibration."""
    labels = [row for row in _rows(curves)[:-1] if math.isnan(row["ece"]) and not math.isnan(row["present_f1"])]
    names = [short_name(row["label"]) for row in labels]
    return [f"n/a, because no region with a score above 0 is compared: {', '.join(names)}"] if names else []


def _rows(curves: CurveScores) -> list[dict[str, Any]]:
    """One row per label, then a row for all labels; nan is n/a."""
    rows = [{name: row[name] for name in (*GAIN_COLUMNS, *CALIBRATION)} for row in (*curves.classes, curves.overall)]
    plain = [{name: math.nan if value in (None, UNSET) else value for name, value in row.items()} for row in rows]
    return [*plain[:-1], plain[-1] | {"label": ALL_LABELS}]


def calibration_table(curves: CurveScores) -> Table:
    """ROC AUC and calibration error of each label that has one."""
    rows = [{name: row[name] for name in ("label", *CALIBRATION)} for row in _rows(curves)[:-1]]
    data = frame_of(rows).reindex(columns=["label", *CALIBRATION]).dropna(subset=list(CALIBRATION), how="all")
    note = "ECE: expected calibration error, the mean distance of scores and shares of right pixels"
    return Table("calibration", "ROC AUC and calibration of scores", data.reset_index(drop=True), note=note)


def reliability_table(curves: ScoreCurves, label: str) -> Table:
    """Score and share of right pixels of a label, in tenths of the scores."""
    return Table("reliability", f"Reliability of the scores of {label}", curves.reliability(label))


def gain_text(curves: CurveScores) -> str:
    """What the gains of thresholds are measured on."""
    if curves.cross_validated:
        documents = plural(curves.documents or 0, "document")
        return f"gain: cross-validated over {documents}, each with a threshold chosen on the others"
    return f"gain: on these pages, not cross-validated, because there are fewer than {FEWEST_DOCUMENTS} documents"


def gain_sentence(curves: CurveScores, label: str | None = None, label_text: Callable[[str], str] = one_line) -> str:
    """What the best threshold of a label, or of all labels together, gains, or that there is none."""
    row = next(row for row in _rows(curves) if row["label"] == (ALL_LABELS if label is None else label))
    documents = curves.documents or 0
    of = ALL_LABELS if label is None else label_text(label)
    if math.isnan(row["f1"]):
        return f"There is no threshold for {of}: no region of it with a score above 0 is compared."
    if math.isnan(row["threshold"]):
        return f"No score threshold is better for {of} than keeping every region: F1 {score_text(row['f1'])}."
    best = f"Score threshold {threshold_text(row['threshold'])} has the largest F1 of {of} on these pages"
    change = f"{score_text(row['f1'])} instead of {score_text(row['present_f1'])} without a threshold"
    if not curves.cross_validated:
        verb = agree(documents, "is", "are")
        few = f"{plural(documents, 'document')} {verb} too few to measure it on others"
        return f"{best}: {change}. The gain, {difference_text(row['gain'])}, is on these pages: {few}."
    held_out = f"{difference_text(row['gain'])} on held-out documents ({documents:,}, one after the other)"
    return f"{best}: {change}. Gain: {held_out}" + ("." if row["gain"] > 0 else ", so it is not shown to help.")


def score_lines(curves: CurveScores) -> list[str]:
    """Terminal text: the best threshold of each label with its gain, ROC AUC and calibration error."""
    rows = _rows(curves)
    overall = rows[-1]
    rows = [row for row in rows if row["f1"] == row["f1"]]
    names = [short_name(row["label"]) for row in rows]
    width = max(len(BEST), *map(len, names))
    lines = [f"{BEST:{width}} threshold   F1 now F1 there     gain  ROC AUC      ECE"]
    for name, row in zip(names, rows):
        scores = [score_text(value) for value in (row["present_f1"], row["f1"])]
        texts = [*scores, difference_text(row["gain"]), *(score_text(row[name]) for name in CALIBRATION)]
        others = " ".join(f"{text:>8}" for text in texts)
        lines.append(f"{name:{width}} {threshold_text(row['threshold']):>9} {others}")
    return [
        *lines,
        F1_OF_ALONE,
        gain_text(curves),
        *_without_scores(curves),
        *_ready_option([row for row in rows if row is not overall]),
    ]


def _ready_option(rows: list[dict[Any, Any]]) -> list[str]:
    """The option that applies the thresholds of all labels that gain by them."""
    helped = [row for row in rows if row["gain"] > 0 and row["threshold"] > 0]
    values = (shlex.quote(f"{one_line(row['label'])}={threshold_text(row['threshold'])}") for row in helped)
    return [f"to apply those that gain: --min-score {' '.join(values)}"] if helped else []
