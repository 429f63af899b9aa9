"""Charts with two axes: precision over recall, score thresholds, reliability, ROC, tolerance of borders."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec import UnsetType

from layoutcm.diagnosis.pixels_by_score import thinned, thinned_with_best
from layoutcm.diagnosis.score_curves import ALL_LABELS, BINS, ScoreCurves
from layoutcm.drawing.charts import LineChart, Mark, plotly_text
from layoutcm.drawing.palette import label_colours
from layoutcm.errors import InputError
from layoutcm.layouts.model import Floats
from layoutcm.lazy import pd
from layoutcm.metrics.objects.average_precision import HEADLINE_IOU, envelope, envelope_steps
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.results.measures import SCORES
from layoutcm.results.view_types import Reliability, ThresholdCurve
from layoutcm.tables.label_folding import MOST_DRAWN
from layoutcm.tables.matrix_views import SCORE_TITLES
from layoutcm.tables.why import FORGIVEN
from layoutcm.wording import percent, pixels_brief, score_text, thin_spaced, threshold_text

SCREEN_POINTS, PAPER_POINTS = 400, 1500  # of a curve; more are not visible and make the file large


class Curve(NamedTuple):
    """The curve of one label, highest score first; the arrays are float64[points], `ap` is nan if undefined."""

    label: str
    ap: float
    score: Floats
    precision: Floats
    recall: Floats


def curve_points(label: str, ap: float, ranked: pd.DataFrame, rule: str) -> Curve:
    """The curve of a ranking under which the AP rule computes the area, with at most SCREEN_POINTS points.

    The rule `sum` uses the plain precision, the other rules its envelope.
    """
    score, precision, recall = (ranked[name].to_numpy() for name in ("score", "precision", "recall"))
    precision = precision if rule == "sum" else envelope(precision)
    kept = thinned(len(score), SCREEN_POINTS)
    return Curve(label, ap, score[kept], precision[kept], recall[kept])


def curve_of(label: str, columns: Mapping[str, Any], ap: float | None = math.nan) -> Curve:
    """The curve of columns `precision` and `recall`, without scores: its known points, at most PAPER_POINTS."""
    known = np.stack([np.asarray(columns[name], float) for name in ("precision", "recall")], axis=1)
    known = known[np.isfinite(known).all(axis=1)]
    precision, recall = known[thinned(len(known), PAPER_POINTS)].T
    return Curve(label, math.nan if ap is None else ap, np.empty(0), precision, recall)


def recall_curves(curves: Sequence[Curve], labels: Sequence[str] = (), recipe: str = "") -> LineChart:
    """Precision over recall, one curve per label; colours are chosen among all `labels`, whichever are drawn."""
    colours = label_colours(labels or [curve.label for curve in curves])
    marks = []
    for curve in curves:
        hover = [
            f"<b>{plotly_text(curve.label)}</b><br>recall {percent(recall)}<br>precision {percent(precision)}<br>"
            f"score {score_text(score)} or more"
            for score, precision, recall in zip(curve.score, curve.precision, curve.recall)
        ]
        points, ap = (curve.recall, curve.precision), score_text(curve.ap)
        marks.append(Mark("line", curve.label, colours[curve.label], *points, hover, ap=ap))
    return LineChart("recall", "precision", marks, recipe=recipe)


def object_curves(
    objects: Objects, iou: float = HEADLINE_IOU, labels: Sequence[str] = (), rule: str = "coco", recipe: str = ""
) -> LineChart:
    """The curves of labels with their AP at this IoU; by default of all labels of gt, the most frequent first.

    The curve is the one under which the rule computes the area. If there are more labels than can be drawn, only the
    most frequent ones are.
    """
    ap, known = objects.ap_at(iou, rule), objects.curves(iou)
    frequent = np.argsort(-objects.gt_counts, kind="stable")[:MOST_DRAWN]
    order = labels or [objects.labels[i] for i in frequent if objects.gt_counts[i]]
    steps: dict[str, Any] = {label: known[label] if rule == "sum" else envelope_steps(known[label]) for label in order}
    return recall_curves([curve_of(label, columns, ap[label]) for label, columns in steps.items()], recipe=recipe)


def label_points(classes: pd.DataFrame, labels: Sequence[str]) -> LineChart:
    """One point per label instead of a curve, if there is no ranking; `classes` is `Objects.class_scores_at`."""
    colours, marks = label_colours(labels), []
    for row in classes.to_dict("records"):
        label, precision, recall = str(row["label"]), float(row["precision"]), float(row["recall"])
        if np.isfinite(precision) and np.isfinite(recall):
            hover = f"<b>{plotly_text(label)}</b><br>recall {percent(recall)}<br>precision {percent(precision)}"
            marks.append(Mark("point", label, colours[label], np.array([recall]), np.array([precision]), [hover]))
    return LineChart("recall", "precision", marks)


class ThresholdPoints(NamedTuple):
    """A threshold curve: rows of (threshold, precision, recall, f1), ascending, and its best threshold and F1.

    A row holds from the threshold before it up to its own; the first row is at threshold 0. `best_threshold` and
    `best_f1` are nan if the label has no scores.
    """

    title: str
    rows: pd.DataFrame
    best_threshold: float
    best_f1: float


def threshold_points(curves: ScoreCurves, label: str | None, most: int = SCREEN_POINTS) -> ThresholdPoints:
    """At most `most` rows of a curve, with its first, its last and its best one; without a label, of all labels."""
    table = curves.curve(label)
    if not len(table):
        return ThresholdPoints(label or ALL_LABELS, table, np.nan, np.nan)
    f1 = table["f1"].to_numpy()
    kept, best = thinned_with_best(f1, most - 1)  # the first row is repeated at threshold 0
    return ThresholdPoints(
        label or ALL_LABELS, _from_zero(table.iloc[kept]), float(table["threshold"].iloc[best]), float(f1[best])
    )


def points_of(title: str, curve: ThresholdCurve | UnsetType | None) -> ThresholdPoints:
    """The points of a curve that a result has; it was thinned out when the result was made."""
    if not curve:
        return ThresholdPoints(title, pd.DataFrame(columns=["threshold", *SCORES], dtype=float), np.nan, np.nan)
    rows = pd.DataFrame({name: np.array(curve[name], float) for name in ("threshold", *SCORES)})
    return ThresholdPoints(title, _from_zero(rows), curve["best_threshold"], curve["best_f1"])


def _from_zero(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows after a copy of the first one at threshold 0."""
    return pd.concat([rows[:1].assign(threshold=0.0), rows], ignore_index=True)


def threshold_curve(points: ThresholdPoints, recipe: str = "") -> LineChart:
    """Precision, recall and F1 of a label, or of all labels, over the score threshold; the best F1 is marked."""
    thresholds, marks, best = points.rows["threshold"].to_numpy(float), [], ""
    for score in SCORES if len(thresholds) else ():
        values = points.rows[score].to_numpy(float)
        hover = [
            f"score {score_text(threshold)} or more<br>{SCORE_TITLES[score]} {score_text(value, 4)}"
            for threshold, value in zip(thresholds.tolist(), values.tolist())
        ]
        marks.append(Mark("steps", SCORE_TITLES[score], score, thresholds, values, hover))
    if not math.isnan(points.best_threshold):
        best = f"best threshold {threshold_text(points.best_threshold)}: F1 {score_text(points.best_f1)}"
        place = np.array([points.best_threshold]), np.array([points.best_f1])
        marks += [Mark("point", best, "f1", *place, [best]), Mark("rule", "", "", *place)]
    return LineChart("score threshold", "", marks, points.title, best, recipe, x_is_score=True)


def reliability_of(bins: Reliability | UnsetType | None) -> pd.DataFrame:
    """The table of `ScoreCurves.reliability`, from the bins that a result has."""
    assert bins
    columns = {name: np.array(bins[name], float) for name in ("pixels", "mean_score", "share_in_gt")}
    return pd.DataFrame({"above": BINS[:-1], "up_to": BINS[1:], **columns})


def reliability_bars(table: pd.DataFrame, label: str, ece: float, reason: str = "", recipe: str = "") -> LineChart:
    """For each tenth of the scores, the share of pixels that gt labels so and the mean score; equal if calibrated.

    `table` is that of `ScoreCurves.reliability`; `reason` says why this label is shown.
    """
    used = table[table["pixels"] > 0]
    middles = ((used["above"] + used["up_to"]) / 2).to_numpy()
    hover = [
        f"scores above {score_text(row['above'], 1)} up to {score_text(row['up_to'], 1)}<br>"
        f"{thin_spaced(row['pixels'])} px<br>mean score {score_text(row['mean_score'])}<br>"
        f"share in gt {percent(row['share_in_gt'])}"
        for row in used.to_dict("records")
    ]
    shares, means = (used[name].to_numpy(float) for name in ("share_in_gt", "mean_score"))
    texts = [pixels_brief(pixels) for pixels in used["pixels"].tolist()]
    marks = [
        Mark("bars", "share of pixels that gt labels so", "recall", middles, shares, hover, texts),
        Mark("levels", "mean score", "", middles, means, hover),
    ]
    title = f"{label}: {reason}" if reason else label
    return LineChart("score", "", marks, title, f"ECE {score_text(ece)}", recipe, x_is_score=True)


def roc_curve(curves: ScoreCurves, label: str, recipe: str = "") -> LineChart:
    """True positives over false positives, as shares of pixels; the diagonal is what scores at random would have."""
    table = curves.roc(label)
    table = table.iloc[thinned(len(table), SCREEN_POINTS)]
    hover = [
        f"score {score_text(min(row['threshold'], 1.0))} or more<br>{percent(row['true_positives'])} of the label's "
        f"pixels<br>{percent(row['false_positives'])} of the others"
        for row in table.to_dict("records")
    ]
    false, true = (table[name].to_numpy(float) for name in ("false_positives", "true_positives"))
    diagonal = np.array([0.0, 1.0])
    marks = [
        Mark("line", "pixels with at least a score", "recall", false, true, hover),
        Mark("dashed", "scores at random", "", diagonal, diagonal),
    ]
    number = f"ROC AUC {score_text(curves.roc_auc[label])}"
    return LineChart("share of the other pixels", "share of the label's pixels", marks, label, number, recipe)


def forgiveness_lines(table: pd.DataFrame, recipe: str = "") -> LineChart:
    """F1 over the tolerance of borders, a line for each average; `table` is that of `Comparison.forgiveness`."""
    known = table.dropna()
    if known.empty:
        problem = "F1 is n/a: the two sides have different labels, or no pixel has a label"
        raise InputError("", "forgiveness", problem, "A mapping makes different labels comparable.")
    tolerances = known["tolerance"].to_numpy(float)
    marks = [Mark("line", title, name, tolerances, known[name].to_numpy(float)) for name, title in FORGIVEN.items()]
    lowest = float(known[[*FORGIVEN]].to_numpy().min())
    low = math.floor(20 * lowest - 1e-9) / 20
    title = "tolerance of borders, % of the longer page side"
    return LineChart(title, "F1", marks, recipe=recipe, x_ticks=tolerances.tolist(), y_low=low)
