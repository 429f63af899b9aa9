"""Families for people and files: the part of the JSON, and the lines on a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from layoutcm.comparison import Comparison
from layoutcm.families import PARTS, FamilyConfusion
from layoutcm.family_trees import OOF
from layoutcm.model import GT, PRED
from layoutcm.resample import Intervals
from layoutcm.tables import finding_lines, json_ready, matrices, pixels_of, result, share


def full_result(
    comparison: Comparison,
    families: FamilyConfusion | None = None,
    method: str = "matrix",
    per_page: bool = False,
    intervals: Intervals | None = None,
) -> dict[str, Any]:
    """What `compare --json` writes for one prediction, with families or without."""
    more = {"families": families_result(comparison, families, method)} if families else {}
    return result(comparison, method, per_page, intervals) | more


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


def family_summary(families: FamilyConfusion) -> str:
    """The families on a terminal: for every gt label what stays, what stays in the family, what leaves it."""
    table = families.given_gt()
    used = table[table["total"] > 0]
    width = max((len(label) for label in (*used["label"], "all but Background")), default=0)
    unit = "px" if families.sample == "pixel" else "pages"
    lines = [families.recipe, "", f"{'given gt':{width}} identity in family  out of it {unit:>14}  mostly read as"]
    lines += [_line(row, width) for row in used.to_dict("records")]
    overall = {"label": "all but Background", **families.shares(GT), "total": float("nan"), "preferred": None}
    lines.append(_line(overall, width))
    findings = finding_lines(families.findings)
    return "\n".join([*lines, "", *findings] if findings else lines)


def _line(row: Mapping[Any, Any], width: int) -> str:
    parts = " ".join(f"{share(row[part]):>{wide}}" for part, wide in zip(PARTS, (8, 9, 10)))
    total = "" if pd.isna(row["total"]) else pixels_of(row["total"])
    preferred = {OOF: "out of family", None: ""}.get(row["preferred"], row["preferred"])
    return f"{row['label']:{width}} {parts} {total:>14}  {preferred}".rstrip()
