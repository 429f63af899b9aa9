"""Intervals of every headline figure and class value, and verdicts about the difference of two predictions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.layouts.model import Floats
from layoutcm.metrics.bootstrap import (
    FEWEST_UNITS,
    AddsUp,
    Resampling,
    check_resampling,
    interval_ends,
    other_side,
    resample_results,
    unit_counts,
)
from layoutcm.metrics.levels import Levels
from layoutcm.metrics.randomisation import SAME, holm, p_values
from layoutcm.metrics.unit_sums import CLASS_SCORES, FIGURES, PairedSums, UnitSums, paired_sums, unit_sums
from layoutcm.wording import plural

if TYPE_CHECKING:
    import pandas as pd

ENDS = ("value", "low", "high")
DIFFERENCE_COLUMNS = (*ENDS, "other_side", "p", "better_in", "worse_in")
BETTER, WORSE, NO_DIFFERENCE, TOO_FEW = "better", "worse", "no difference shown", "too few documents"
# Two points. If an interval reaches further than this to each side, a test finds a difference of this size in fewer
# than half of such sets, so "no difference shown" does not mean that the two predictions are equally good.
SMALL_DIFFERENCE = 0.02
# The figures whose values of each unit are listed if there are too few units for an interval.
UNIT_FIGURES = ("micro_f1", "macro_f1", "content_f1")
RecipeFor = Callable[..., str]  # `Comparison.recipe_for`: (method, **settings) -> the recipe in one line


@dataclass(frozen=True, eq=False)
class Intervals:
    """Values with the ends of their intervals, of one comparison or of the difference of two.

    `figures` is {figure: float64[columns]}, `scores` is {score: float64[labels, columns]}. The columns are value, low
    and high. A difference also has other_side (the share of resamples that are 0 or have the opposite sign), p (the
    p-value of the randomisation test; for classes, corrected for the number of classes), and in how many units b is
    better and worse than a.
    """

    resampling: Resampling
    method: str
    recipe: str
    labels: list[str]
    columns: tuple[str, ...]
    figures: dict[str, Floats]
    scores: dict[str, Floats]
    unit_values: UnitValues

    def __repr__(self) -> str:
        return f"<Intervals {self.recipe}>"

    @property
    def is_difference(self) -> bool:
        return self.columns != ENDS

    @property
    def headline(self) -> pd.DataFrame:
        """One row per figure: figure, value, low, high, number of units, remark; a difference also has a verdict."""
        import pandas as pd

        units = self.resampling.unit_count
        rows = [
            (figure, *self._numbers(values), units, *self._words(values)) for figure, values in self.figures.items()
        ]
        return pd.DataFrame(rows, columns=["figure", *self.columns, self.resampling.units, *self._word_columns])

    def classes(self) -> pd.DataFrame:
        """One row per label and score: label, score, and the columns of the headline; only units with the label."""
        import pandas as pd

        rows = [
            (label, score, *self._numbers(values), units, *self._words(values, units))
            for i, label in enumerate(self.labels)
            for score in CLASS_SCORES
            for values, units in [(self.scores[score][i], int(self.unit_values.occurrences[score][i]))]
        ]
        columns = ["label", "score", *self.columns, self.resampling.units, *self._word_columns]
        return pd.DataFrame(rows, columns=columns)

    def by_unit(self) -> pd.DataFrame:
        """One row per unit (document or page): its name and its own micro, macro and content F1, or differences."""
        import pandas as pd

        return pd.DataFrame({self.resampling.unit: self.unit_values.names, **self.unit_values.figures})

    def as_dict(self) -> dict[str, Any]:
        """The intervals as JSON values; the values of each unit only if there are too few for an interval."""
        used = self.resampling
        settings = {
            "units": used.units,
            "unit_count": used.unit_count,
            "few_documents": used.few,
            "interval": used.kind,
            "n": used.n,
            "seed": used.seed,
            "level": used.level,
            "recipe": self.recipe,
        }
        tables = {"headline": self.headline, "classes": self.classes()}
        if used.kind == "none":
            tables["by_unit"] = self.by_unit()
        return settings | {name: table.to_dict("records") for name, table in tables.items()}

    def whiskers(self) -> dict[str, Floats]:
        """{score: float64[labels, low high]}, for class charts."""
        return {score: values[:, 1:3] for score, values in self.scores.items()}

    def verdict(self, figure: str) -> str | None:
        """What the test says of a figure of b against a; None if this is no difference or the figure is undefined."""
        return self._verdict(self.figures[figure], self.resampling.unit_count) if self.is_difference else None

    def _numbers(self, values: Floats) -> list[float]:
        """The columns of one row; numbers of units are whole."""
        counts = [int(value) for value in values[DIFFERENCE_COLUMNS.index("better_in") :]]
        return [*values[: len(values) - len(counts)].tolist(), *counts]

    @property
    def _word_columns(self) -> list[str]:
        return ["verdict", "remark"] if self.is_difference else ["remark"]

    def _words(self, values: Floats, units: int | None = None) -> list[str | None]:
        """The verdict, if this is a difference, and the remark on one row; `units` is the number with the class."""
        count = self.resampling.unit_count if units is None else units
        verdict = self._verdict(values, count)
        remark = self._remark(values, verdict, count)
        return [verdict, remark] if self.is_difference else [remark]

    def _verdict(self, values: Floats, units: int) -> str | None:
        if not self.is_difference or math.isnan(values[0]):
            return None
        if units < FEWEST_UNITS:
            return TOO_FEW
        if not values[self.columns.index("p")] <= 1 - self.resampling.level + SAME:
            return NO_DIFFERENCE
        return BETTER if values[0] > 0 else WORSE

    def _remark(self, values: Floats, verdict: str | None, units: int) -> str:
        """Why there is no interval, where interval and test disagree, or that the interval is too wide; else ""."""
        value, low, high = values[:3].tolist()
        if math.isnan(value):
            return ""
        if self.resampling.kind == "none":
            return f"fewer than {FEWEST_UNITS} {self.resampling.units}"
        if math.isnan(low) and units < FEWEST_UNITS:
            return f"in {plural(units, self.resampling.unit)} only"
        if math.isnan(low):
            return f"undefined without one of the {self.resampling.units}"
        if low == value == high and not self.is_difference:
            return f"no spread between {self.resampling.units}"
        if verdict not in (BETTER, WORSE, NO_DIFFERENCE):
            return ""
        holds_0 = low <= 0 <= high
        if holds_0 != (verdict == NO_DIFFERENCE):
            return "but the interval contains 0" if holds_0 else "but the interval does not contain 0"
        too_wide = verdict == NO_DIFFERENCE and high - low > 2 * SMALL_DIFFERENCE
        return f"interval too wide to show {SMALL_DIFFERENCE:g}" if too_wide else ""


@dataclass(frozen=True, eq=False)
class UnitValues:
    """The values of every unit, and in how many units a class has the pixels that a score is a share of."""

    names: list[str]
    figures: dict[str, Floats]  # {figure: float64[units]}
    occurrences: dict[str, NDArray[np.int64]]  # {class score: int64[labels]}


def intervals_of(levels: Levels, recipe_for: RecipeFor, n: int, seed: int, level: float, method: str) -> Intervals:
    """Intervals of one comparison."""
    check_resampling(n, seed, level)
    return intervals_from(unit_sums(levels, method), recipe_for, n, seed, level, method)


def intervals_from(sums: UnitSums, recipe_for: RecipeFor, n: int, seed: int, level: float, method: str) -> Intervals:
    """Intervals of one comparison, from its sums."""
    used = Resampling(sums.unit, len(sums.names), n, seed, level)
    recipe = recipe_for(method, **recipe_settings(used))
    return _make_intervals(used, (method, recipe), sums, range(len(sums.labels)), interval_ends(sums, used))


def differences_from(
    sums: Mapping[str, UnitSums], recipes: Mapping[str, RecipeFor], n: int, seed: int, level: float, method: str
) -> dict[str, Intervals]:
    """{name: difference from the first} of all but the first, which have the same units; with intervals and tests.

    Only of classes that both have. The p-values of a class score are corrected for all classes of all differences.
    """
    first, *others = sums
    found = {}
    for name in others:
        paired = paired_sums(sums[first], sums[name], (first, name))
        used = Resampling(paired.unit, len(paired.names), n, seed, level)
        settings = recipe_settings(used) | {"test": "randomisation", "seed": used.seed}
        recipe = " minus ".join(recipes[one](method, **settings) for one in (name, first))
        common = [label for label in sums[first].labels if label in sums[name].labels] if paired.a.shared else []
        places = [paired.labels.index(label) for label in common]
        found[name] = _make_intervals(used, (method, recipe), paired, places, _difference_ends(paired, used))
    _correct_p_values(list(found.values()))
    return found


def _difference_ends(paired: PairedSums, used: Resampling) -> Floats:
    """float64[columns of a difference, results], with p-values that are not corrected."""
    ends, resamples = interval_ends(paired, used), resample_results(paired, used)
    each = paired.results(paired.rows)
    better, worse = ((each * sign > SAME).sum(axis=0) for sign in (1, -1))
    return np.concatenate([ends, [other_side(ends[0], resamples), p_values(paired, used.seed), better, worse]])


def _correct_p_values(differences: Sequence[Intervals]) -> None:
    """Replace the p-values of each class score by those that are corrected for the number of tests in all tables."""
    column = DIFFERENCE_COLUMNS.index("p")
    for score in CLASS_SCORES:
        # A class in fewer documents is not tested: no outcome could be significant.
        raw = [
            np.where(one.unit_values.occurrences[score] >= FEWEST_UNITS, one.scores[score][:, column], np.nan)
            for one in differences
        ]
        ends = np.cumsum([p.size for p in raw])[:-1]
        for one, p in zip(differences, np.split(holm(np.concatenate(raw)), ends)):
            one.scores[score][:, column] = p


def recipe_settings(used: Resampling) -> dict[str, object]:
    drawn = {"resamples": used.n, "seed": used.seed} if used.kind == "percentile" else {}
    return {"of": used.units, "interval": used.kind, "level": used.level} | drawn


def _make_intervals(
    used: Resampling, names: tuple[str, str], sums: AddsUp, places: Sequence[int], ends: Floats
) -> Intervals:
    """`names` are method and recipe; `places` are the labels that are kept; `ends` is float64[columns, results]."""
    columns = ENDS if len(ends) == len(ENDS) else DIFFERENCE_COLUMNS
    units = unit_counts(sums)
    occurrences = {score: counts[:, 0] for score, counts in _scores(units[None], len(sums.labels), places)}
    each = sums.results(sums.rows)
    unit_figures = {name: each[:, FIGURES.index(name)].copy() for name in UNIT_FIGURES}  # without the other columns
    return Intervals(
        used,
        *names,
        [sums.labels[place] for place in places],
        columns,
        figures={name: ends[:, i] for i, name in enumerate(FIGURES)},
        scores=dict(_scores(ends, len(sums.labels), places)),
        unit_values=UnitValues(sums.names, unit_figures, occurrences),
    )


def _scores(ends: NDArray[Any], labels: int, places: Sequence[int]) -> Iterator[tuple[str, NDArray[Any]]]:
    """{class score: float64[labels, columns]} of the labels at `places`."""
    for k, score in enumerate(CLASS_SCORES):
        first = len(FIGURES) + k * labels
        yield score, ends[:, [first + place for place in places]].T.copy()
