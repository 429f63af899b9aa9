"""The JSON of a comparison (`compare --json`, result.json) and of a layout (`inspect --json`).

Families, intervals and the difference from another prediction are added if they were requested.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from layoutcm import __version__
from layoutcm.alignment.checks import findings_of
from layoutcm.alignment.page_matching import WAYS
from layoutcm.comparison import Comparison
from layoutcm.layouts.model import GT, PRED, SIDES, Layout
from layoutcm.layouts.page_documents import name_documents
from layoutcm.metrics.confusion import Confusion, collapse_mass
from layoutcm.metrics.family_confusion import FamilyConfusion
from layoutcm.metrics.family_trees import OOF
from layoutcm.metrics.intervals import Intervals
from layoutcm.metrics.levels import MatrixBlocks
from layoutcm.metrics.objects.average_precision import HEADLINE_IOU, RULES, mean_of_defined
from layoutcm.metrics.scores import AVERAGES, SCORES
from layoutcm.metrics.soft import SOFT_AVERAGES
from layoutcm.tables.matrix_views import TABLE_OF_VIEW, VIEWS, view_values
from layoutcm.wording import pixels_as_number


@dataclass(frozen=True, eq=False)
class Extras:
    """Optional results that a JSON file or a report contains in addition to the comparison."""

    families: FamilyConfusion | None = None
    intervals: Intervals | None = None
    difference: Intervals | None = None  # from the first of several predictions


NO_EXTRAS = Extras()


def json_ready(value: Any) -> Any:
    """Convert to plain Python values; nan and infinity, which JSON does not have, become None."""
    if isinstance(value, dict):
        return {key: json_ready(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return json_ready(value.tolist())
    if isinstance(value, list | tuple):
        return [json_ready(item) for item in value]
    if isinstance(value, np.generic):
        return json_ready(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def json_text(value: Any) -> bytes:
    """The JSON text of a value, as it is written to a file."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1)
    # A file name can contain lone surrogates, which UTF-8 cannot encode.
    return (text + "\n").encode("utf-8", "replace")


def comparison_result(comparison: Comparison, method: str = "matrix", per_page: bool = False) -> dict[str, Any]:
    """The result of one comparison, without extras."""
    confusion = comparison.confusion(method=method)
    diagonal = confusion.diagonal
    answer = {
        "version": __version__,
        "recipe": comparison.recipe_for(method),
        "method": method,
        "taxonomy": comparison.taxonomy,
        "labels": confusion.labels,
        "gt_labels": comparison.alignment.layouts[0].labels,
        "pred_labels": comparison.alignment.layouts[1].labels,
        "pages": len(comparison.pages),
        "documents": len(comparison.documents),
        "pixels": pixels_as_number(comparison.pixels),
        **view_matrices(confusion),
        "classes": confusion.classes().to_dict("records") if diagonal else None,
        "averages": _averages(confusion, background=False) if diagonal else None,
        "averages_with_background": _averages(confusion, background=True) if diagonal else None,
        "content": confusion.content(),
        "collapsed": {"labels": list(confusion.collapse().labels), **view_matrices(confusion.collapse())},
        "findings": [finding.as_dict() for finding in comparison.findings],
        "page_matching": _page_matching(comparison),
        "objects": _objects(comparison),
        "centroids": _centroids(comparison),
        "by_document": list(_by_document(comparison, method)),
    }
    for level in ("pages", "documents"):
        averages = (
            {kind: comparison.average(kind, over=level, method=method) for kind in AVERAGES} if diagonal else None
        )
        answer[f"averages_over_{level}"] = averages
    answer["soft"] = _soft(comparison) if diagonal else None
    if per_page:
        answer["by_page"] = list(_by_page(comparison, method))
    return json_ready(answer)


def _page_matching(comparison: Comparison) -> dict[str, Any]:
    """The number of pages matched by each rule, and the names of unmatched pages."""
    matches, sides = comparison.alignment.matches, [side.page_columns for side in comparison.alignment.layouts]
    counts = zip(WAYS, np.bincount(matches.how).tolist())
    unmatched = matches.unmatched(len(sides[PRED]))
    return {
        "matched": {way: count for way, count in counts if way and count},
        **{f"only_in_{name}": [side.names[i] for i in pages] for name, side, pages in zip(SIDES, sides, unmatched)},
    }


def view_matrices(confusion: Confusion) -> dict[str, Any]:
    """The four matrices under their JSON names."""
    return {TABLE_OF_VIEW[view]: view_values(confusion, view) for view in VIEWS}


def _averages(confusion: Confusion, background: bool) -> dict[str, dict[str, float]]:
    return {kind: confusion.average(kind, background) for kind in AVERAGES}


def _soft(comparison: Comparison) -> dict[str, Any]:
    """Soft scores with beta 1: the averages and the scores of each label."""
    by_label = comparison.soft(average=None)
    rows = zip(comparison.labels[1:], *by_label.values())
    return {
        "beta": 1.0,
        "averages": {kind: comparison.soft(average=kind) for kind in SOFT_AVERAGES},
        "classes": [dict(zip(("label", *by_label), row)) for row in rows],
    }


def _objects(comparison: Comparison, iou: float = HEADLINE_IOU) -> dict[str, Any]:
    """The COCO metrics, then all scores at one IoU; the last matrix row is `invented`, the last column `missed`."""
    objects = comparison.objects()
    matrix = objects.confusion_at(iou)
    ap = None if objects.why_no_ap else {rule: objects.ap_at(iou, rule) for rule in RULES}
    at_iou = {
        "iou": iou,
        **objects.scores_at(iou),
        **objects.counts_at(iou),
        "class_blind": objects.scores_at(iou, class_aware=False),
        "classes": objects.class_scores_at(iou).to_dict("records"),
        "ap": ap,
        "map": {rule: mean_of_defined(list(values.values())) for rule, values in ap.items()} if ap else None,
        "confusion": {
            "gt_labels": list(matrix.index),
            "pred_labels": list(matrix.columns),
            "values": matrix.to_numpy(),
        },
    }
    return {
        "shapes": objects.shapes,
        "gt": objects.gt_counts.sum(),
        "pred": objects.pred_counts.sum(),
        **{name: getattr(objects, name) for name in ("ap", "ap50", "ap75", "ar")},
        "summary": objects.summary,
        "why_no_ap": objects.why_no_ap or None,
        "labels": objects.labels,
        "per_class": objects.per_class.to_dict("records"),
        "at_iou": at_iou,
    }


def _centroids(comparison: Comparison) -> dict[str, Any]:
    """Centroid scores at the default tolerance, matched one to one and (as published) many to one.

    Labels are ignored if the two sides have different labels.
    """
    aware = comparison.space.shared
    ways = {"one_to_one": True, "many_to_one": False}
    found = {way: comparison.centroids(one_to_one=one_to_one, class_aware=aware) for way, one_to_one in ways.items()}
    scores = {way: {name: getattr(one, name) for name in SCORES} for way, one in found.items()}
    return {"tolerance": found["one_to_one"].tolerance, "class_aware": aware, **scores}


def _by_document(comparison: Comparison, method: str) -> Iterator[dict[str, Any]]:
    levels = comparison.levels
    sizes, pixels = levels.document_sizes, levels.document_pixels
    for i, matrix in _group_records(levels.document_matrices(method)):
        yield {"document": comparison.documents[i], "pages": sizes[i], "pixels": pixels_as_number(pixels[i]), **matrix}


def _by_page(comparison: Comparison, method: str) -> Iterator[dict[str, Any]]:
    documents, levels = comparison.alignment.pages.documents, comparison.levels
    for i, matrix in _group_records(levels.page_matrices(method)):
        pixels = pixels_as_number(levels.page_pixels[i])
        yield {"page": comparison.pages[i], "document": documents[i], "pixels": pixels, **matrix}


def _group_records(blocks: MatrixBlocks) -> Iterator[tuple[int, dict[str, Any]]]:
    for groups, stack in blocks:
        collapsed = collapse_mass(stack.recall_mass)
        for k, i in enumerate(groups):
            yield i, {"confusion": stack.recall_mass[k].tolist(), "collapsed": collapsed[k].tolist()}


def layout_result(layout: Layout) -> dict[str, Any]:
    """The JSON that `inspect --json` writes for one file."""
    pages, regions = layout.page_columns, layout.region_columns
    used = np.bincount(regions.label, minlength=len(layout.labels))
    answer = {
        "file": layout.name,
        "format": layout.format,
        "pages": len(pages),
        "documents": len(set(name_documents(pages, None)[0].documents)),
        "regions": len(regions),
        "labels": dict(zip(layout.labels, used.tolist())),
        "page0": {
            "page": pages.names[0],
            "width": pixels_as_number(pages.widths[0]),
            "height": pixels_as_number(pages.heights[0]),
        }
        if len(pages)
        else None,
        "region0": _first_region(layout) if len(regions) else None,
        "findings": [finding.as_dict() for finding in findings_of(layout)],
    }
    return json_ready(answer)


def _first_region(layout: Layout) -> dict[str, Any]:
    regions = layout.region_columns
    return {
        "page": layout.page_columns.names[regions.page[0]],
        "label": layout.labels[regions.label[0]],
        "box": regions.boxes[0],
        "score": regions.scores[0],
    }


def full_result(
    comparison: Comparison, method: str = "matrix", per_page: bool = False, extras: Extras = NO_EXTRAS
) -> dict[str, Any]:
    """The JSON that `compare --json` writes for one prediction."""
    answer = comparison_result(comparison, method, per_page)
    if extras.families:
        answer["families"] = families_result(comparison, extras.families, method)
    intervals = {"intervals": extras.intervals, "difference_from_first": extras.difference}
    return answer | {name: json_ready(one.as_dict()) for name, one in intervals.items() if one}


def families_result(comparison: Comparison, families: FamilyConfusion, method: str = "matrix") -> dict[str, Any]:
    """The part of the JSON about families: their matrices, both tables, and the full matrix at each depth."""
    depths = []
    for depth in range(1, families.tree.depth + 1):
        confusion = comparison.confusion(method=method, families=families.tree, depth=depth)
        depths.append({"depth": depth, "labels": confusion.labels, **view_matrices(confusion)})
    answer = {
        "recipe": families.recipe,
        "tree": families.tree.as_written(),
        "sample": families.sample,
        "count": families.count,
        "depth": families.depth,
        "matrices": {
            matrix.family: {
                "gt_labels": [*matrix.gt_labels, OOF],
                "pred_labels": [*matrix.pred_labels, OOF],
                "values": matrix.values,
            }
            for matrix in families.all_matrices
        },
        "given_gt": families.given_gt().to_dict("records"),
        "given_pred": families.given_pred().to_dict("records"),
        "shares": {"gt": families.shares(GT), "pred": families.shares(PRED)},
        "at_depth": depths,
        "findings": [finding.as_dict() for finding in families.findings],
    }
    return json_ready(answer)
