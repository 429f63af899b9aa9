"""Differences of predictions on a terminal: which of two is better, and whether that would hold for other documents."""

from __future__ import annotations

import math
from collections.abc import Sequence

from layoutcm.resample import Intervals
from layoutcm.tables import F1_FIGURES, resamples_of, share


def difference_summary(difference: Intervals, first: str) -> str:
    """F1 of one prediction minus that of the first, averages before classes."""
    rows = [(name, difference.figures[figure]) for figure, name in F1_FIGURES.items()]
    rows += list(zip(difference.labels[1:], difference.scores["f1"][1:]))
    known = [(name, values.tolist()) for name, values in rows if not math.isnan(values[0])]
    heading = f"F1 minus that of {first}"
    width = max(len(name) for name in (heading, *(name for name, _ in known)))
    lines = [f"{heading:{width}}     value            interval  other side of 0"]
    lines += [_line(f"{name:{width}}", values) for name, values in known]
    return "\n".join([*lines, resamples_of(difference)])


def _line(name: str, values: Sequence[float]) -> str:
    value, low, high, other_side = values
    return f"{name} {value:>+9.3f}    {low:>+7.3f} to {high:>+7.3f} {share(other_side):>16}"
