"""The rows of a chart of families, for screen and paper alike: labels below the heading of their family."""

from __future__ import annotations

from typing import Any, NamedTuple

from layoutcm.layouts.model import GT
from layoutcm.metrics.family_confusion import FamilyConfusion
from layoutcm.metrics.family_trees import OUT_OF_FAMILY

PART_NAMES = {"identity": "right", "in_family": "in family", "oof": OUT_OF_FAMILY}


class Row(NamedTuple):
    """A line of the chart: the heading of a family, or a label with its shares and its total."""

    name: str
    values: dict[str, Any] | None


def chart_rows(families: FamilyConfusion, side: int) -> list[Row]:
    """Labels with a total above 0, below the heading of their family; a family of one label has no heading."""
    table = (families.given_gt if side == GT else families.given_pred)().to_dict("records")
    by_label = {str(row["label"]): {str(name): value for name, value in row.items()} for row in table}
    rows = []
    for matrix in families.all_matrices:
        own = matrix.gt_labels if side == GT else matrix.pred_labels
        used = [label for label in own if by_label[label]["total"] > 0]
        if used and used != [matrix.family]:
            rows.append(Row(matrix.family, None))
        rows += [Row(label, by_label[label]) for label in used]
    return rows
