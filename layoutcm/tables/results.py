"""The whole JSON of a comparison: with families, intervals and a difference where somebody asked for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from layoutcm.comparison import Comparison
from layoutcm.layouts.model import GT, PRED
from layoutcm.metrics.bootstrap import Intervals
from layoutcm.metrics.family_confusion import FamilyConfusion
from layoutcm.metrics.family_trees import OOF
from layoutcm.tables.result_json import json_ready, matrices, result


@dataclass(frozen=True, eq=False)
class Extras:
    """What a result or a report holds beyond the comparison itself, because it was asked for."""

    families: FamilyConfusion | None = None
    intervals: Intervals | None = None
    difference: Intervals | None = None  # to the first of several predictions


NO_EXTRAS = Extras()


def full_result(
    comparison: Comparison, method: str = "matrix", per_page: bool = False, extras: Extras = NO_EXTRAS
) -> dict[str, Any]:
    """What `compare --json` writes for one prediction."""
    answer = result(comparison, method, per_page)
    if extras.families:
        answer["families"] = families_result(comparison, extras.families, method)
    drawn = {"intervals": extras.intervals, "difference_from_first": extras.difference}
    return answer | {name: json_ready(one.as_dict()) for name, one in drawn.items() if one}


def families_result(comparison: Comparison, families: FamilyConfusion, method: str = "matrix") -> dict[str, Any]:
    """What `compare --json --families` adds: every family's matrix, both tables, the whole matrix at each depth."""
    depths = []
    for depth in range(1, families.tree.depth + 1):
        confusion = comparison.confusion(method=method, families=families.tree, depth=depth)
        depths.append({"depth": depth, "labels": confusion.labels, **matrices(confusion)})
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
