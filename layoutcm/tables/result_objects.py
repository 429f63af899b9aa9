"""The part of the JSON about regions and scores: objects, centroids and soft scores."""

from __future__ import annotations

from typing import Any

from layoutcm.comparison import Comparison
from layoutcm.layouts.model import GT, PRED
from layoutcm.metrics.objects.average_precision import HEADLINE_IOU, RULES, mean_of_defined
from layoutcm.metrics.objects.centroids import CENTROID_TOLERANCE, centroids_in_ways
from layoutcm.metrics.scores import SCORES
from layoutcm.metrics.soft import SOFT_AVERAGES
from layoutcm.tables.result_levels import column_records, matrix_json


def objects_result(comparison: Comparison, iou: float = HEADLINE_IOU) -> dict[str, Any]:
    """The COCO metrics, panoptic quality, and all scores at one IoU.

    The last row of the matrix is `invented`, its last column `missed`.
    """
    objects = comparison.objects()
    *classes, means = column_records(objects.panoptic_columns)
    del means["label"]
    matrix = objects.object_confusion_at(iou)
    ap = None if objects.why_no_ap else objects.ap_by_rule(iou, list(RULES))
    at_iou = {
        "iou": iou,
        **objects.scores_at(iou),
        **objects.counts_at(iou),
        "class_blind": objects.scores_at(iou, class_aware=False),
        "classes": column_records(objects.class_columns_at(iou)),
        "ap": ap,
        "map": {rule: mean_of_defined(list(values.values())) for rule, values in ap.items()} if ap else None,
        "confusion": {
            "gt_labels": matrix.names(GT),
            "pred_labels": matrix.names(PRED),
            "values": matrix_json(matrix.own_counts),
        },
    }
    return {
        "shapes": objects.shapes,
        "gt": objects.gt_counts.sum(),
        "pred": objects.pred_counts.sum(),
        "headline": objects.headline,
        **{name: getattr(objects, name) for name in ("ap", "ap50", "ap75", "ar")},
        "panoptic": {**means, "classes": classes},
        "summary": objects.summary,
        "why_no_ap": objects.why_no_ap or None,
        "pages_left_out": list(objects.left_out),
        "labels": objects.labels,
        "per_class": column_records(objects.per_class_columns()),
        "at_iou": at_iou,
    }


def centroids_result(comparison: Comparison) -> dict[str, Any]:
    """Centroid scores at the default tolerance, matched one to one and (as published) many to one.

    Labels are ignored if the two sides have different labels.
    """
    aware = comparison.space.shared
    ways = {"one_to_one": True, "many_to_one": False}
    sides, tolerance = comparison.sources.objects.sides, CENTROID_TOLERANCE
    found = centroids_in_ways(comparison.alignment, sides, tolerance, list(ways.values()), aware)
    scores = {way: {name: getattr(one, name) for name in SCORES} for way, one in zip(ways, found)}
    one = found[0]
    return {"tolerance": one.tolerance, "class_aware": aware, "pages_left_out": list(one.left_out), **scores}


def soft_result(comparison: Comparison) -> dict[str, Any]:
    """Soft scores with beta 1: the averages and the scores of each label."""
    by_label = comparison.soft(average=None)
    rows = zip(comparison.labels[1:], *by_label.values())
    return {
        "beta": 1.0,
        "averages": {kind: comparison.soft(average=kind) for kind in SOFT_AVERAGES},
        "classes": [dict(zip(("label", *by_label), row)) for row in rows],
    }
