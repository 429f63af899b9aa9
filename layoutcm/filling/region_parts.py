"""The parts of a result about regions and scores: objects, centroids and soft scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np

from layoutcm.comparison import Comparison
from layoutcm.filling.level_records import matrix_json
from layoutcm.layouts.model import GT, PRED
from layoutcm.metrics.objects.average_precision import HEADLINE_IOU, RULES, envelope_steps, mean_of_defined
from layoutcm.metrics.objects.centroids import CENTROID_TOLERANCE, centroids_in_ways
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.metrics.scores import SCORES
from layoutcm.metrics.soft import SOFT_AVERAGES
from layoutcm.results.encoding import json_ready
from layoutcm.results.types import CentroidScores, ObjectScores, Soft

MOST_CURVES, MOST_POINTS = 80, 300  # labels whose curves are kept, the most frequent, and points of each


def objects_part(objects: Objects, iou: float = HEADLINE_IOU) -> ObjectScores:
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
    return msgspec.convert(json_ready(found), ObjectScores)


def _curves(objects: Objects, iou: float) -> dict[str, Any]:
    """{label: its precision envelope over recall} of the most frequent labels of gt, thinned out for drawing."""
    order = np.argsort(-objects.gt_counts, kind="stable")[:MOST_CURVES]
    frequent = [objects.labels[i] for i in order if objects.gt_counts[i]]
    return {label: _thinned(envelope_steps(one)) for label, one in zip(frequent, objects.curve_columns(frequent, iou))}


def _thinned(steps: Mapping[str, Any]) -> dict[str, Any]:
    """At most MOST_POINTS points, with the first and the last: more are not visible, and make the file large."""
    count = len(steps["recall"])
    kept = np.unique(np.linspace(0, count - 1, min(count, MOST_POINTS)).astype(int))
    return {name: np.asarray(values)[kept] for name, values in steps.items()}


def column_records(columns: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """The rows of a table, which is given as its columns."""
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def centroids_part(comparison: Comparison) -> CentroidScores:
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
    return msgspec.convert(json_ready(facts | scores), CentroidScores)


def soft_part(comparison: Comparison) -> Soft:
    """Soft scores with beta 1: the averages and the scores of each label."""
    by_label = comparison.soft(average=None)
    rows = zip(comparison.labels[1:], *by_label.values())
    found = {
        "beta": 1.0,
        "averages": {kind: comparison.soft(average=kind) for kind in SOFT_AVERAGES},
        "classes": [dict(zip(("label", *by_label), row)) for row in rows],
    }
    return msgspec.convert(json_ready(found), Soft)
