"""The parts of a result other than its matrices: objects, centroids, soft scores, and parts counted on request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.causes import Causes, TooManyRegions
from layoutcm.diagnosis.pixels_by_score import thinned, thinned_with_best
from layoutcm.diagnosis.score_curves import ScoreCurves
from layoutcm.diagnosis.slices import MOST_EXCHANGED, usual_figure
from layoutcm.filling.level_records import MOST_DOCUMENTS, matrix_json, view_matrices
from layoutcm.layouts.model import GT, PRED, Finding
from layoutcm.lazy import pd
from layoutcm.metrics.agreement import MOST_TO_REVIEW, label_agreement
from layoutcm.metrics.family_confusion import FamilyConfusion
from layoutcm.metrics.family_trees import OOF
from layoutcm.metrics.levels import document_sizes
from layoutcm.metrics.objects.average_precision import HEADLINE_IOU, RULES, envelope_steps, mean_of_defined
from layoutcm.metrics.objects.centroids import CENTROID_TOLERANCE, centroids_in_ways
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.metrics.scores import SCORES
from layoutcm.metrics.soft import SOFT_AVERAGES
from layoutcm.metrics.unit_sums import unit_kind
from layoutcm.results import view_types as views
from layoutcm.results.encoding import json_ready
from layoutcm.results.measures import figure_title
from layoutcm.results.types import Slices
from layoutcm.results.verdict import CONFIDENCE, FEWEST_UNITS
from layoutcm.wording import plain_percent, plural

MOST_CURVES, MOST_POINTS = 80, 300  # labels whose curves are kept, the most frequent, and points of each


def objects_part(objects: Objects, iou: float = HEADLINE_IOU) -> views.ObjectScores:
    """The COCO metrics, panoptic quality, and all scores at one IoU.

    The last row of the matrix is `invented`, its last column `missed`.
    """
    *classes, means = column_records(objects.panoptic_columns)
    del means["label"]
    matrix = objects.object_confusion_at(iou)
    ap = None if objects.why_no_ap else objects.ap_by_rule(iou, list(RULES))
    at_iou = {
        "iou": iou,
        **objects.scores_at(iou),
        **objects.counts_at(iou),
        "class_blind": objects.scores_at(iou, class_aware=False),
        "class_blind_counts": objects.counts_at(iou, class_aware=False),
        "classes": column_records(objects.class_columns_at(iou)),
        "ap": ap,
        "map": {rule: mean_of_defined(list(values.values())) for rule, values in ap.items()} if ap else None,
        "confusion": {
            "gt_labels": matrix.names(GT),
            "pred_labels": matrix.names(PRED),
            "values": matrix_json(matrix.own_counts),
        },
    }
    found = {
        "shapes": objects.shapes,
        "gt": objects.gt_counts.sum(),
        "pred": objects.pred_counts.sum(),
        "headline": objects.headline,
        **{name: getattr(objects, name) for name in ("ap", "ap50", "ap75", "ar")},
        "panoptic": {**means, "classes": classes},
        "summary": objects.summary,
        "why_no_ap": objects.why_no_ap or None,
        "pages_left_out": list(objects.left_out),
        "note": objects.note,
        "labels": objects.labels,
        "per_class": column_records(objects.per_class_columns()),
        "at_iou": at_iou,
    }
    if not objects.why_no_ap:
        found["curves"] = _curves(objects, iou)
    return msgspec.convert(json_ready(found), views.ObjectScores)


def _curves(objects: Objects, iou: float) -> dict[str, Any]:
    """{label: its precision envelope over recall} of the most frequent labels of gt, thinned out for drawing."""
    order = np.argsort(-objects.gt_counts, kind="stable")[:MOST_CURVES]
    frequent = [objects.labels[i] for i in order if objects.gt_counts[i]]
    thin = lambda steps: {name: np.asarray(own)[thinned(len(own), MOST_POINTS)] for name, own in steps.items()}
    return {label: thin(envelope_steps(one)) for label, one in zip(frequent, objects.curve_columns(frequent, iou))}


def column_records(columns: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """The rows of a table that is given as columns."""
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def centroids_part(comparison: Comparison) -> views.CentroidScores:
    """Centroid scores at the default tolerance, matched one to one and (as published) many to one.

    Labels are ignored if the two sides have different labels.
    """
    aware = comparison.space.shared
    ways = {"one_to_one": True, "many_to_one": False}
    sides, tolerance = comparison.sources.objects.sides, CENTROID_TOLERANCE
    found = centroids_in_ways(comparison.alignment, sides, tolerance, list(ways.values()), aware)
    scores = {way: {name: getattr(one, name) for name in SCORES} for way, one in zip(ways, found)}
    one = found[0]
    facts = {"tolerance": one.tolerance, "class_aware": aware, "pages_left_out": list(one.left_out), "note": one.note}
    return msgspec.convert(json_ready(facts | scores), views.CentroidScores)


def soft_part(comparison: Comparison) -> views.Soft:
    """Soft scores with beta 1: the averages and the scores of each label."""
    by_label = comparison.soft(average=None)
    rows = zip(comparison.labels[1:], *by_label.values())
    found = {
        "beta": 1.0,
        "averages": {kind: comparison.soft(average=kind) for kind in SOFT_AVERAGES},
        "classes": [dict(zip(("label", *by_label), row)) for row in rows],
    }
    return msgspec.convert(json_ready(found), views.Soft)


CURVE_POINTS = 300  # of a curve over the score threshold, with its first, its last and its best one


def agreement_part(comparison: Comparison) -> views.Agreement:
    """How far two sides agree, if neither is the truth; of the pages to review the first ones."""
    pages = comparison.pages_to_review()
    found = {
        **comparison.agreement(),
        "labels": label_agreement(comparison.counts(), comparison.space).to_dict("records"),
        "pages_to_review": pages.head(MOST_TO_REVIEW).to_dict("records"),
        "review_count": len(pages),
    }
    return msgspec.convert(json_ready(found), views.Agreement)


def families_part(comparison: Comparison, families: FamilyConfusion, method: str) -> views.Families:
    """The matrices of families, both tables, and the full matrix at each depth."""
    depths = []
    for depth in range(1, families.tree.depth + 1):
        confusion = comparison.confusion(method=method, families=families.tree, depth=depth)
        depths.append({"depth": depth, "labels": confusion.labels, **view_matrices(confusion)})
    found = {
        "recipe": families.recipe,
        "tree": families.tree.as_written(),
        "sample": families.sample,
        "count": families.count,
        "depth": families.depth,
        "matrices": {
            matrix.family: {
                "gt_labels": [*matrix.gt_labels, OOF],
                "pred_labels": [*matrix.pred_labels, OOF],
                "values": matrix_json(matrix.values),
                **dict(zip(("gt_places", "pred_places"), matrix.with_oof)),
            }
            for matrix in families.all_matrices
        },
        "given_gt": families.given_gt().to_dict("records"),
        "given_pred": families.given_pred().to_dict("records"),
        "shares": {"gt": families.shares(GT), "pred": families.shares(PRED)},
        "at_depth": depths,
        "findings": [finding.as_dict() for finding in families.findings],
    }
    return msgspec.convert(json_ready(found), views.Families)


def why_parts(comparison: Comparison) -> dict[str, Any]:
    """Causes of wrong pixels, F1 with forgiven borders, and score curves; None where they are not defined."""
    curves = comparison.score_curves()
    found = {
        "score_curves": None if curves.why_none else curves_part(curves),
        "why_no_score_curves": curves.why_none or None,
    }
    if no_causes(comparison):
        return found
    forgiven = comparison.forgiveness().to_dict("records")
    return found | {
        "causes": _causes(comparison, comparison.causes()) if comparison.space.shared else None,
        "forgiveness": msgspec.convert(json_ready(forgiven), list[views.Forgiveness]),
    }


def no_causes(comparison: Comparison) -> list[Finding]:
    """A finding that names the page with too many regions to be paired, which is no reason to lose other numbers."""
    try:
        comparison.causes()
    except TooManyRegions as error:
        return [Finding("no-causes", values={"problem": error.problem})]
    return []


def _causes(comparison: Comparison, causes: Causes) -> views.CauseScores:
    names, levels = list(causes.names), comparison.levels
    by_label = causes.by_label()
    by_label = by_label[by_label[names].sum(axis=1) > 0]
    documents = {"document": levels.documents, "pages": document_sizes(levels)}
    found = {
        "tolerance": causes.tolerance,
        "totals": causes.totals,
        "by_label": by_label[["side", "class", *names]].to_dict("records"),
        "by_document": _by_group(comparison, names, documents, levels.document_of_page, len(levels.documents)),
        "values": {name: matrix_json(values) for name, values in zip(names, causes.values)},
    }
    if levels.page_count <= MOST_DOCUMENTS:
        pages = levels.names_at(np.arange(levels.page_count))
        found["by_page"] = _by_group(comparison, names, pages, np.arange(levels.page_count), levels.page_count)
    return msgspec.convert(json_ready(found), views.CauseScores)


def _by_group(
    comparison: Comparison, names: list[str], columns: dict[str, Any], group_of_page: np.ndarray, groups: int
) -> list[dict[Any, Any]] | None:
    """One record per document or page, the most errors first: its name and the pixels of each cause."""
    if groups > MOST_DOCUMENTS:
        return None
    pixels = comparison.sources.causes.of_all_pages().by_group(group_of_page, groups)
    order = np.argsort(-pixels.sum(axis=1), kind="stable")
    return pd.DataFrame({**columns, **dict(zip(names, pixels.T))}).iloc[order].to_dict("records")


def curves_part(curves: ScoreCurves) -> views.CurveScores:
    """Best thresholds with their gain, ROC AUC and calibration, and the curves as they are drawn."""
    *classes, overall = curves.gains().to_dict("records")
    del overall["label"]
    more = [
        {"roc_auc": curves.roc_auc[label], "ece": curves.ece[label], **_drawn(curves, label)} for label in curves.labels
    ]
    found = {
        "cross_validated": curves.is_cross_validated,
        "documents": curves.documents,
        "overall": overall | {"curve": _threshold_curve(curves, None)},
        "classes": [row | values for row, values in zip(classes, more)],
    }
    return msgspec.convert(json_ready(found), views.CurveScores)


def _drawn(curves: ScoreCurves, label: str) -> dict[str, Any]:
    bins = curves.reliability(label)[["pixels", "mean_score", "share_in_gt"]].to_dict("list")
    return {"curve": _threshold_curve(curves, label), "reliability": bins if curves.rows is not None else None}


def _threshold_curve(curves: ScoreCurves, label: str | None, most: int = CURVE_POINTS) -> dict[str, Any] | None:
    """At most `most` rows of a curve, with its first, its last and its best one; None without scores."""
    table = curves.curve(label)
    if not len(table):
        return None
    f1 = table["f1"].to_numpy()
    kept, best = thinned_with_best(f1, most)
    rows: dict[Any, Any] = table.iloc[kept].to_dict("list")
    return {**rows, "best_threshold": float(table["threshold"].iloc[best]), "best_f1": float(f1[best])}


SEED = 0
ALL_ATTRIBUTES = "all"  # in a recipe


def slices_of_comparison(comparison: Comparison, attribute: str | None, method: str = "matrix") -> Slices:
    """The slices of one attribute, or with None the worst of all attributes."""
    figure = usual_figure(comparison.space)
    rows = comparison.slices(attribute, figure, method=method, seed=SEED).drop(columns="figure").to_dict("records")
    unit = unit_kind(comparison.levels)
    units = len(comparison.documents if unit == "document" else comparison.pages)
    test = "randomisation test" if units <= MOST_EXCHANGED else "t test"
    level, counted = plain_percent(CONFIDENCE), plural(units, unit)
    over = f"{level} intervals over {counted} by the jackknife, none below {FEWEST_UNITS}"
    corrected = "corrected for the number of slices (Holm), intervals are not"
    tests = f"{figure_title(figure)}; {over}; p: {test} against the rest, {corrected}"
    settings = {"slices": attribute or ALL_ATTRIBUTES, "figure": figure, "level": CONFIDENCE, "seed": SEED}
    confusion = comparison.confusion(method=method)
    found = {
        "attribute": attribute,
        "figure": figure,
        "level": CONFIDENCE,
        "seed": SEED,
        "units": f"{unit}s",
        "recipe": comparison.recipe_for(method, **settings),
        "tests": tests,
        "whole": (confusion.average("micro") if figure == "micro_f1" else confusion.content())["f1"],
        "rows": rows,
    }
    return msgspec.convert(json_ready(found), Slices)
