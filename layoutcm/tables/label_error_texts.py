"""Probable errors of the ground truth as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.wording import MISSING, NAME_LENGTH, one_line, plural, score_text, shorten

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 20
HEADINGS = ("evidence", "kind", "page", "region", "in gt", "suggested")
NUMBERS = (0, 3)  # columns that are aligned at their right


def label_errors_summary(errors: pd.DataFrame, regions: int, top: int = SHOWN) -> str:
    """The first candidates as a table; `regions` is the number of gt regions."""
    if errors.empty:
        return f"no region of the ground truth is probably wrong, of {plural(regions, 'region')}"
    likely = int((errors["evidence"] > 0.5).sum())
    lines = [
        f"{plural(len(errors), 'candidate')} for errors in {plural(regions, 'region')} of the ground truth, "
        f"{likely:,} of them with evidence above 0.5",
        "",
    ]
    rows = [HEADINGS, *(_row(record) for record in errors.head(top).to_dict("records"))]
    widths = [max(len(row[k]) for row in rows) for k in range(len(HEADINGS))]
    lines += ["  ".join(_aligned(text, widths[k], k) for k, text in enumerate(row)).rstrip() for row in rows]
    left = len(errors) - top
    return "\n".join([*lines, f"… and {left:,} more"] if left > 0 else lines)


def _aligned(text: str, width: int, column: int) -> str:
    return text.rjust(width) if column in NUMBERS else text.ljust(width)


def _row(record: Any) -> tuple[str, ...]:
    kind = record["kind"]
    region = MISSING if kind == "missing" else f"{record['region']}"
    label = MISSING if kind == "missing" else _name(record["gt_label"])
    return score_text(record["evidence"]), kind, _name(record["page"]), region, label, _suggested(record)


def _suggested(record: Any) -> str:
    """What should be there: a label, a box, both, or nothing."""
    kind = record["kind"]
    if kind == "spurious":
        return "nothing"
    if kind == "label":
        return _name(record["suggested"])
    box = ", ".join(f"{np.round(record[f'suggested_{name}']):.0f}" for name in ("x0", "y0", "x1", "y1"))
    return f"{_name(record['suggested'])} at {box}"


def _name(text: str) -> str:
    return shorten(one_line(text), NAME_LENGTH)
