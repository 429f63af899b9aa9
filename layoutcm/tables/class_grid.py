"""F1 of classes x predictions, as figures, tables and the terminal show it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from layoutcm.layouts.model import Floats
from layoutcm.metrics.intervals import BETTER, WORSE
from layoutcm.wording import MISSING, percent_brief

# After F1 of a class: which differences from the baseline are real.
MARKS = {BETTER: "▲", WORSE: "▼"}
MARK_TEXT = "▲ better and ▼ worse than {}, by the corrected test"


class ClassGrid(NamedTuple):
    """float64[labels, models]: F1, the best prediction first; the mark after each number, and all that is known of it.

    `rows` is {(label, model): row of `Leaderboard.classes`}, `recipes` are those of the predictions.
    """

    labels: list[str]
    models: list[str]
    baseline: str
    values: Floats
    marks: list[list[str]]
    rows: dict[tuple[str, str], dict[str, Any]]
    recipes: list[str]

    def number(self, row: int, column: int) -> str:
        """'89 ▲': F1 in percent and its mark; "" where F1 does not exist."""
        value = float(self.values[row, column])
        number = "" if math.isnan(value) else percent_brief(value) if value else "0"
        return f"{number} {self.marks[row][column]}".strip()

    def difference(self, row: int, column: int) -> float:
        """F1 minus that of the baseline."""
        return float(self.rows[self.labels[row], self.models[column]]["difference"])

    def difference_number(self, row: int, column: int) -> str:
        """'+8.3 ▲': the difference from the baseline in points and its mark; "" where it does not exist."""
        value = self.difference(row, column)
        sign = "+" if value > 0 else "-"
        number = "" if math.isnan(value) else f"{sign}{percent_brief(abs(value))}" if value else "0"
        return f"{number} {self.marks[row][column]}".strip()

    @property
    def others(self) -> list[int]:
        """The columns of all predictions but the baseline."""
        return [k for k, model in enumerate(self.models) if model != self.baseline]

    @property
    def legend(self) -> str:
        return MARK_TEXT.format(self.baseline)


def ends_text(row: Mapping[Any, Any], name: str, write: Callable[[float], str], joint: str) -> str:
    """The two ends of an interval in a row of a leaderboard."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return MISSING if math.isnan(low) else f"{write(low)}{joint}{write(high)}"
