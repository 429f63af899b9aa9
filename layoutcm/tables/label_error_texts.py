"""Probable errors of the ground truth in words: a summary for the terminal, a sentence, and a table to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.models.contradictions import KINDS
from layoutcm.wording import MISSING, NAME_LENGTH, agree, make_unique, one_line, plural, score_text, shorten

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 20
LIKELY = 0.5  # with more evidence than this, gt is more likely wrong than right
SUGGESTED = {"spurious": "nothing", "box": "other borders"}  # instead of a label
HEADINGS = ("evidence", "kind", "page", "region", "in gt", "suggested")
NUMBERS = (0, 3)  # columns that are aligned at their right


def label_errors_summary(errors: pd.DataFrame, regions: int, top: int = SHOWN) -> str:
    """The first candidates as a table; `regions` is the number of gt regions."""
    if errors.empty:
        return f"no region of the ground truth is probably wrong, of {plural(regions, 'region')}"
    likely = int((errors["evidence"] > LIKELY).sum())
    lines = [
        f"{plural(len(errors), 'candidate')} for errors in {plural(regions, 'region')} of the ground truth, "
        f"{likely:,} of them with evidence above {LIKELY}",
        "",
    ]
    rows = [HEADINGS, *(_row(record) for record in errors.head(top).to_dict("records"))]
    widths = [max(len(row[k]) for row in rows) for k in range(len(HEADINGS))]
    lines += ["  ".join(_aligned(text, widths[k], k) for k, text in enumerate(row)).rstrip() for row in rows]
    left = len(errors) - top
    return "\n".join([*lines, f"… and {left:,} more"] if left > 0 else lines)


def label_errors_sentence(errors: pd.DataFrame, regions: int) -> str:
    """How many places are probably wrong, and how many of them are, if the evidence is what it should be.

    Evidence is a probability, so the sum over candidates is the number of errors to expect among them.
    """
    if errors.empty:
        return f"No region of the ground truth is probably wrong, of {plural(regions, 'region')}."
    is_likely = errors["evidence"] > LIKELY
    likely, others = errors[is_likely], errors[~is_likely]
    weaker = f"{_expected_errors(others)} among {plural(len(others), 'weaker candidate')}"
    if likely.empty:
        return (
            f"No place of the ground truth, with {plural(regions, 'region')}, is probably wrong: no evidence is above "
            f"{LIKELY}. By the evidence, there are about {weaker}."
        )
    counts = likely["kind"].value_counts()
    kinds = ", ".join(f"{counts[kind]:,} {kind}" for kind in KINDS if kind in counts)
    also = f", and about {weaker}" if len(others) else ""
    return (
        f"{plural(len(likely), 'place')} of the ground truth, with {plural(regions, 'region')}, "
        f"{agree(len(likely), 'is', 'are')} probably wrong (evidence above {LIKELY}): {kinds}. By the evidence, there "
        f"are about {_expected_errors(likely)} among them{also}."
    )


def _expected_errors(errors: pd.DataFrame) -> str:
    expected = errors["evidence"].sum()
    return f"{expected:,.{0 if expected >= 100 else 1}f} errors"


def candidate_table(errors: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """One row per candidate, to be read: what gt has, what is suggested, and the label that each prediction has there.

    `names` are those of `prediction_names`; a prediction without a region that pairs has no label there.
    """
    import pandas as pd

    records: list[Any] = errors.to_dict("records")
    columns: dict[str, Any] = {
        "evidence": errors["evidence"].to_numpy(),
        "kind": errors["kind"].to_numpy(),
        "page": errors["page"].to_numpy(),
        "in gt": [_in_gt(record) for record in records],
        "suggested": [SUGGESTED.get(record["kind"]) or _name(record["suggested"]) for record in records],
    }
    taken = make_unique([*columns, *names])[len(columns) :]
    columns |= {shown: errors[f"{name}_label"].to_numpy() for shown, name in zip(taken, names)}
    return pd.DataFrame(columns)


def _aligned(text: str, width: int, column: int) -> str:
    return text.rjust(width) if column in NUMBERS else text.ljust(width)


def _row(record: Any) -> tuple[str, ...]:
    kind = record["kind"]
    region = MISSING if kind == "missing" else f"{record['region']}"
    return score_text(record["evidence"]), kind, _name(record["page"]), region, _in_gt(record), _suggested(record)


def _in_gt(record: Any) -> str:
    return MISSING if record["kind"] == "missing" else _name(record["gt_label"])


def _suggested(record: Any) -> str:
    """What should be there: a label, a box, both, or nothing."""
    kind = record["kind"]
    if kind == "spurious":
        return SUGGESTED[kind]
    if kind == "label":
        return _name(record["suggested"])
    box = ", ".join(f"{np.round(record[f'suggested_{name}']):.0f}" for name in ("x0", "y0", "x1", "y1"))
    return f"{_name(record['suggested'])} at {box}"


def _name(text: str) -> str:
    return shorten(one_line(text), NAME_LENGTH)
