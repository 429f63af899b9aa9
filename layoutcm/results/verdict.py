"""The verdict on a difference: is it real? All outputs ask `decide`, and take its words from `verdict_words`.

A verdict belongs to a family of tests, for which p is corrected. Within one leaderboard, one report or one command a
difference has one verdict; the words beside it say what p was corrected for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from layoutcm.results.vocabulary import WITH_TRUTH, Vocabulary
from layoutcm.wording import plural

# The codes that a result contains; a person reads `verdict_words`.
BETTER, WORSE, NO_DIFFERENCE, TOO_FEW = "better", "worse", "no difference shown", "too few documents"
CONFIDENCE, POWER = 0.95, 0.8
FEWEST_UNITS = 6  # with fewer there is no interval and no verdict
FEW_UNITS = 20  # with fewer there is a warning
MOST_NEEDED = 100_000  # documents; words do not say a larger number, which would look more certain than it is
SAME = 1e-12  # numbers closer than this are equal; the order of additions can change their last digits
# Two points. If an interval reaches further than this to each side, a test finds a difference of this size in fewer
# than half of such sets, so "no difference shown" does not mean that the two predictions are equally good.
SMALL_DIFFERENCE = 0.02


def decide(
    difference: float,
    low: float,
    high: float,
    p: float,
    units: int,
    level: float = CONFIDENCE,
    higher_is_better: bool = True,
) -> str | None:
    """BETTER, WORSE, NO_DIFFERENCE or TOO_FEW; None if the difference is undefined.

    A difference is real if p is at most 1 - level and its interval, where there is one, is on its side of 0. `units` is
    the number of documents, or pages of one document, that the difference is computed from. Without a test p is nan.
    """
    if math.isnan(difference):
        return None
    if units < FEWEST_UNITS:
        return TOO_FEW
    excludes_0 = math.isnan(low) or (low > 0 if difference > 0 else high < 0)
    if abs(difference) <= SAME or not is_significant(p, level) or not excludes_0:
        return NO_DIFFERENCE
    return BETTER if (difference > 0) == higher_is_better else WORSE


def is_significant(p: float, level: float) -> bool:
    """Whether p is at most 1 - level; p is nan where there is no test."""
    return not math.isnan(p) and p <= 1 - level + SAME


@dataclass(frozen=True)
class Evidence:
    """A difference with its interval and its test, and the set that it is from."""

    difference: float
    low: float
    high: float
    p: float
    units: int  # that it is computed from
    unit: str = "document"
    unit_count: int = 0  # of the whole set
    level: float = CONFIDENCE
    tests: int = 1  # p is corrected for so many
    documents_needed: int | None = None
    higher_is_better: bool = True

    @property
    def verdict(self) -> str | None:
        ends = (self.difference, self.low, self.high)
        return decide(*ends, self.p, self.units, self.level, self.higher_is_better)

    @property
    def remark(self) -> str:
        """What a reader needs beside the verdict: why there is no interval, or what would show the difference."""
        texts = [missing_interval((self.difference, self.low), self.units, self.unit, self.unit_count)]
        if self.verdict == NO_DIFFERENCE:
            texts += [needed_text(self.documents_needed, self.unit, self.unit_count), self._on_interval()]
        return "; ".join(filter(None, texts))

    def _on_interval(self) -> str:
        """How an interval fits to "no difference shown"."""
        if math.isnan(self.low):
            return ""
        if not self.low <= 0 <= self.high:
            if self.tests > 1:
                return f"the interval is of this one alone, the verdict is corrected for {self.tests:,} tests"
            return "the test is stricter than the interval here"
        if is_significant(self.p, self.level):
            return "p alone would show it, but the interval contains 0"
        too_wide = self.high - self.low > 2 * SMALL_DIFFERENCE
        return f"interval too wide to show {SMALL_DIFFERENCE:g}" if too_wide else ""


def missing_interval(value_and_low: tuple[float, float], units: int, unit: str, unit_count: int) -> str:
    """Why a value, of one prediction or a difference, has no interval; "" if it has one or is undefined."""
    value, low = value_and_low
    if math.isnan(value):
        return ""
    if unit_count < FEWEST_UNITS:
        return f"fewer than {FEWEST_UNITS} {unit}s"
    if not math.isnan(low):
        return ""
    return f"in {plural(units, unit)} only" if units < FEWEST_UNITS else f"undefined without one of the {unit}s"


def verdict_words(verdict: str | None, unit: str = "document", vocabulary: Vocabulary = WITH_TRUTH) -> str:
    """A verdict as it is read: "too few pages" of one document, "more agreement" without a truth; "" if undefined."""
    return f"too few {unit}s" if verdict == TOO_FEW else vocabulary.verdicts.get(verdict or "", verdict or "")


def verdict_text(verdict: str | None, remark: str, unit: str = "document") -> str:
    """'no difference shown, about 172 documents like these would show it'; the remark only if it adds something."""
    return ", ".join(filter(None, [verdict_words(verdict, unit), remark if verdict != TOO_FEW else ""]))


def needed_text(needed: int | None, unit: str, unit_count: int) -> str:
    """'about 172 documents like these would show it'; "" if the number is not known."""
    if needed is None:
        return ""
    # A corrected test, or one of few documents, is stricter than the formula expects.
    many = f"about {plural(needed, unit)}" if needed > unit_count else f"a few more {unit}s"
    if needed > max(MOST_NEEDED, unit_count):
        many = f"more than {plural(max(MOST_NEEDED, unit_count), unit)}"
    return f"{many} like these would show it"


def smallest_difference(error: float, power: float = POWER, level: float = CONFIDENCE) -> float:
    """The smallest difference that documents with this standard error show with the probability `power`."""
    normal = NormalDist()
    return (normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power)) * error


def documents_needed(
    unit_count: int, error: float, difference: float, power: float = POWER, level: float = CONFIDENCE
) -> int | None:
    """How many documents like these show a difference of this size with the probability `power`.

    `error` is the standard error of the difference over `unit_count` documents. It falls with the root of their number.
    None if there are too few documents, or without a difference or an error.
    """
    if unit_count < FEWEST_UNITS or not (abs(difference) > SAME and error > SAME):
        return None
    return math.ceil(unit_count * (smallest_difference(error, power, level) / difference) ** 2)
