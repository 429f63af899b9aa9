"""Intervals of every headline figure and class value, and verdicts about the difference of two predictions.

Whether a difference is real is decided by a paired randomisation test over units. If both predictions are equally good,
it does not matter which of them a result of a document belongs to. So the two predictions of some documents are
swapped, and the difference is computed again: over all 2^n swaps if there are few documents, else over random ones. The
p-value is the share of swaps whose difference is at least as large.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.layouts.model import Floats
from layoutcm.lazy import pd
from layoutcm.metrics.bootstrap import Resampling, Spread, check_resampling, effective_units, other_side, unit_counts
from layoutcm.metrics.levels import Levels
from layoutcm.metrics.scores import ratio
from layoutcm.metrics.unit_sums import CLASS_SCORES, FIGURES, PairedSums, UnitSums, paired_sums, unit_sums
from layoutcm.results.measures import HEADLINE, column_of, direction_of
from layoutcm.results.result import frame_of
from layoutcm.results.verdict import FEWEST_UNITS, NO_DIFFERENCE, SAME, Evidence, documents_needed, missing_interval

MOST_EXHAUSTIVE = 13  # units; 2^12 swaps, because swapping all units changes only the sign
MOST_SWAPS, FEWEST_SWAPS = 9_999, 1_999
SWAPPED_UNITS = 20_000_000  # swaps x units; limits the number of swaps of very many units
BLOCK_SIGNS = 8_000_000  # 64 MB, and as much while they are drawn; see `bootstrap`


def p_values(sums: PairedSums, seed: int = 0) -> Floats:
    """float64[results]: two-sided p-value of every difference; nan where it is undefined."""
    a, b = sums.a.rows, sums.b.rows
    whole_a, whole_b = a.sum(axis=0), b.sum(axis=0)
    observed = np.abs(sums.results(np.concatenate([whole_a, whole_b])[None])[0])
    large, defined = np.zeros(observed.size), np.zeros(observed.size)
    apart = b - a
    for swaps in swap_blocks(len(a), seed):
        moved = swaps @ apart
        found = np.abs(sums.results(np.concatenate([whole_a + moved, whole_b - moved], axis=1)))
        large += (found >= observed - SAME).sum(axis=0)
        defined += np.isfinite(found).sum(axis=0)
    if not exhaustive(len(a)):
        large, defined = large + 1, defined + 1  # the two predictions as they are
    return np.where(np.isnan(observed), np.nan, ratio(large, defined))


def exhaustive(units: int) -> bool:
    return units <= MOST_EXHAUSTIVE


def swap_blocks(units: int, seed: int) -> Iterator[Floats]:
    """Blocks of float64[swaps, units]: 1 where the two predictions of a unit are swapped.

    All swaps that leave the first unit as it is, the first of them without any swap; or seeded random ones.
    """
    if exhaustive(units):
        numbers = np.arange(2 ** max(units - 1, 0))
        yield ((numbers[:, None] >> np.arange(units)) & 1).astype(float)[:, ::-1]
        return
    generator = np.random.default_rng(seed)
    swaps = min(MOST_SWAPS, max(FEWEST_SWAPS, SWAPPED_UNITS // units))
    block = max(BLOCK_SIGNS // units, 1)
    for first in range(0, swaps, block):
        yield generator.integers(2, size=(min(block, swaps - first), units)).astype(float)


def holm(p: Floats) -> Floats:
    """float64[tests]: p-values corrected for the number of tests by Holm's method; nan is not tested."""
    corrected = np.full(p.size, np.nan)
    order = np.argsort(p)[: int(np.isfinite(p).sum())]
    factors = np.arange(order.size, 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1)
    return corrected


ENDS = ("value", "low", "high")
DIFFERENCE_COLUMNS = (*ENDS, "other_side", "p", "better_in", "worse_in", "documents_needed")
# The figures whose values of each unit are listed if there are too few units for an interval.
UNIT_FIGURES = tuple(one.column for one in HEADLINE)
RecipeFor = Callable[..., str]  # `Comparison.recipe_for`: (method, **settings) -> the recipe in one line


@dataclass(frozen=True, eq=False)
class Intervals:
    """Values with the ends of their intervals, of one comparison or of the difference of two.

    `figures` is {figure: float64[columns]}, `scores` is {score: float64[labels, columns]}. The columns are value, low
    and high. A difference also has other_side (the share of resamples that are 0 or have the opposite sign), p (the
    p-value of the randomisation test, corrected for `tests`), in how many units b is better and worse than a, and
    documents_needed (how many units like these would show the difference; tables have it only beside "no difference
    shown").
    """

    resampling: Resampling
    method: str
    recipe: str
    labels: list[str]
    columns: tuple[str, ...]
    figures: dict[str, Floats]
    scores: dict[str, Floats]
    unit_values: UnitValues
    tests: dict[str, int] = field(default_factory=dict)  # {figure or class score: how many tests p is corrected for}
    differences: int = 1  # how many predictions these tests are of: those of a leaderboard without its baseline

    def __repr__(self) -> str:
        return f"<Intervals {self.recipe}>"

    @property
    def is_difference(self) -> bool:
        return self.columns != ENDS

    @cached_property
    def figure_rows(self) -> dict[str, dict[str, Any]]:
        """{figure: its row of `headline`}"""
        rows = {}
        for figure, values in self.figures.items():
            units, tests = int(self.unit_values.occurrences[figure]), self.tests.get(figure, 1)
            rows[figure] = {"figure": figure, **self._row(values, units, tests, direction_of(figure))}
        return rows

    @cached_property
    def class_rows(self) -> dict[tuple[str, str], dict[str, Any]]:
        """{(label, score): its row of `classes`}; of two labels with one name that of gt, which is the first."""
        return {(row["label"], row["score"]): row for row in reversed(self._class_rows())}

    @property
    def headline(self) -> pd.DataFrame:
        """One row per figure: figure, value, low, high, its units, remark; a difference also has a verdict."""
        return frame_of(list(self.figure_rows.values()))

    def classes(self) -> pd.DataFrame:
        """One row per label and score: label, score, and the columns of the headline; only units with the label."""
        columns = ["label", "score", *list(next(iter(self.figure_rows.values())))[1:]]
        return frame_of(self._class_rows()).reindex(columns=columns)

    def _class_rows(self) -> list[dict[str, Any]]:
        return [
            {"label": label, "score": score, **self._row(values, units, self.tests.get(score, 1))}
            for i, label in enumerate(self.labels)
            for score in CLASS_SCORES
            for values, units in [(self.scores[score][i], int(self.unit_values.occurrences[score][i]))]
        ]

    def by_unit(self) -> pd.DataFrame:
        """One row per unit (document or page): its name and its own micro, macro and content F1, or differences."""
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
        if self.is_difference:
            settings["differences"] = self.differences
        tables: dict[str, Any] = {"headline": list(self.figure_rows.values()), "classes": self._class_rows()}
        if used.kind == "none":
            tables["by_unit"] = self.by_unit().to_dict("records")
        return settings | tables

    def whiskers(self) -> dict[str, Floats]:
        """{score: float64[labels, low high]}, for class charts."""
        return {score: values[:, 1:3] for score, values in self.scores.items()}

    def verdict(self, figure: str) -> str | None:
        """The verdict on a figure of b against a; None if this is not a difference or the figure is undefined."""
        return self.figure_rows[column_of(figure, self.figures)].get("verdict")

    def _row(self, values: Floats, units: int, tests: int = 1, direction: int = 1) -> dict[str, Any]:
        """The numbers of one row and the words beside them.

        `units` is the number of units with a part in the value. `direction` is -1 if a lower value is better.
        """
        used, row = self.resampling, dict(zip(self.columns, values.tolist()))
        value, low, high = (row[end] for end in ENDS)
        if not self.is_difference:
            no_spread = f"no spread between {used.units}" if low == value == high else ""
            remark = missing_interval((value, low), units, used.unit, used.unit_count) or no_spread
            return row | {used.units: units, "remark": remark}
        needed = None if math.isnan(row["documents_needed"]) else int(row["documents_needed"])
        found = Evidence(value, low, high, row["p"], units, used.unit, used.unit_count, used.level, tests,
                         needed, direction > 0)  # fmt: skip
        counts = dict(zip(("better_in", "worse_in")[::direction], (int(row["better_in"]), int(row["worse_in"]))))
        shown = {"documents_needed": needed if needed and found.verdict == NO_DIFFERENCE else math.nan}
        return row | counts | shown | {used.units: units, "verdict": found.verdict, "remark": found.remark}


@dataclass(frozen=True, eq=False)
class UnitValues:
    """The values of every unit, and how many units have the pixels that a figure or a class score is a share of."""

    names: list[str]
    figures: dict[str, Floats]  # {figure: float64[units]}
    occurrences: dict[str, NDArray[np.int64]]  # {figure: int64, class score: int64[labels]}


def intervals_of(levels: Levels, recipe_for: RecipeFor, n: int, seed: int, level: float, method: str) -> Intervals:
    """Intervals of one comparison."""
    check_resampling(n, seed, level)
    return intervals_from(unit_sums(levels, method), recipe_for, n, seed, level, method)


def intervals_from(sums: UnitSums, recipe_for: RecipeFor, n: int, seed: int, level: float, method: str) -> Intervals:
    """Intervals of one comparison, from its sums."""
    used = Resampling(sums.unit, len(sums.names), n, seed, level)
    recipe = recipe_for(method, **recipe_settings(used))
    ends = _with_unseen(Spread(sums, used).ends, sums, level)
    return _make_intervals(used, (method, recipe), sums, range(len(sums.labels)), ends)


def _with_unseen(ends: Floats, sums: UnitSums, level: float) -> Floats:
    """float64[3, results]: `ends`; those of class scores leave room for units that fail wholly and were not drawn.

    If such units are a share u of the source, none is among n with the probability (1 - u)^n. An interval contains the
    scores of all sources in which this is at least 1 - level. So it has a width even if all units are right. The same
    holds for units that are wholly right. A class is in fewer units than a figure, and often all of them are right.
    """
    share = (1 - level) ** ratio(1, effective_units(sums))
    room = np.stack([share, 1 - share])
    iou = slice(len(FIGURES) + CLASS_SCORES.index("iou") * len(sums.labels), None)
    room[:, iou] /= 2 - room[:, iou]  # IoU = F1 / (2 - F1)
    classes = slice(len(FIGURES), None)
    low, high = np.minimum(ends[1], room[0])[classes], np.maximum(ends[2], room[1])[classes]
    return np.concatenate([ends[:, : len(FIGURES)], [ends[0, classes], low, high]], axis=1)


def differences_from(
    sums: Mapping[str, UnitSums], recipes: Mapping[str, RecipeFor], n: int, seed: int, level: float, method: str
) -> dict[str, Intervals]:
    """{name: difference from the first} of all but the first, which have the same units; with intervals and tests.

    Only of classes that both have, without Background. The p-values of a figure are corrected for all differences,
    those of a class score for all classes of all differences.
    """
    first, *others = sums
    found = {}
    for name in others:
        paired = paired_sums(sums[first], sums[name], (first, name))
        used = Resampling(paired.a.unit, len(paired.a.names), n, seed, level)
        settings = recipe_settings(used) | {"test": "randomisation", "seed": used.seed}
        recipe = " minus ".join(recipes[one](method, **settings) for one in (name, first))
        common = [label for label in sums[first].labels[1:] if label in sums[name].labels[1:]]
        places = [paired.a.labels.index(label) for label in common] if paired.a.shared else []
        found[name] = _make_intervals(used, (method, recipe), paired, places, _difference_ends(paired, used))
    return dict(zip(found, _with_corrected_p(list(found.values()))))


def _difference_ends(paired: PairedSums, used: Resampling) -> Floats:
    """float64[columns of a difference, results], with p-values that are not corrected."""
    spread, each = Spread(paired, used), paired.results(paired.rows)
    better, worse = ((each * sign > SAME).sum(axis=0) for sign in (1, -1))
    # With too few units there is no verdict, so there is no p either.
    p = np.full(spread.value.size, np.nan) if used.kind == "none" else p_values(paired, used.seed)
    other = other_side(spread.value, spread.resamples)
    return np.concatenate([spread.ends, [other, p, better, worse, _needed(spread)]])


def _needed(spread: Spread) -> Floats:
    """float64[results]: `documents_needed` of each difference; nan if it is not known."""
    used = spread.used
    if used.kind == "none":
        return np.full(spread.value.size, np.nan)
    numbers = zip(spread.errors[0].tolist(), spread.value.tolist())
    found = [documents_needed(used.unit_count, *one, level=used.level) for one in numbers]
    return np.array([math.nan if one is None else one for one in found])


def _with_corrected_p(differences: Sequence[Intervals]) -> list[Intervals]:
    """The differences with p-values corrected by Holm's method: each figure and class score is one family of tests.

    A figure has a test for each difference, a class score one for each class of each difference.
    """
    column = DIFFERENCE_COLUMNS.index("p")
    corrected = [{**one.figures, **one.scores} for one in differences]
    tests = {}
    for name in corrected[0]:
        # What fewer units have a part in is not tested: no outcome could be significant.
        tested = [one.unit_values.occurrences[name] >= FEWEST_UNITS for one in differences]
        raw = [np.atleast_1d(np.where(own, one[name][..., column], np.nan)) for own, one in zip(tested, corrected)]
        together = np.concatenate(raw)
        tests[name] = int(np.isfinite(together).sum())
        ends = np.cumsum([p.size for p in raw])[:-1]
        for one, p in zip(corrected, np.split(holm(together), ends)):
            one[name] = one[name].copy()
            one[name][..., column] = p
    family: dict[str, Any] = {"tests": tests, "differences": len(differences)}
    return [
        replace(one, figures={name: own[name] for name in one.figures}, scores={name: own[name] for name in one.scores},
                **family)
        for one, own in zip(differences, corrected)
    ]  # fmt: skip


def recipe_settings(used: Resampling) -> dict[str, object]:
    drawn = {"resamples": used.n, "seed": used.seed} if used.kind == "percentile" else {}
    return {"of": used.units, "interval": used.kind, "level": used.level} | drawn


def _make_intervals(
    used: Resampling, names: tuple[str, str], sums: UnitSums | PairedSums, places: Sequence[int], ends: Floats
) -> Intervals:
    """`names` are method and recipe; `places` are the labels that are kept; `ends` is float64[columns, results]."""
    columns = ENDS if len(ends) == len(ENDS) else DIFFERENCE_COLUMNS
    units, one = unit_counts(sums), sums.a if isinstance(sums, PairedSums) else sums
    # A figure that is undefined is computed from no unit.
    defined = np.where(np.isnan(ends[0]), 0, units)
    occurrences = {name: defined[FIGURES.index(name)] for name in one.figures}
    occurrences |= {score: counts[:, 0] for score, counts in _scores(units[None], len(one.labels), places)}
    each = sums.results(sums.rows)
    unit_figures = {name: each[:, FIGURES.index(name)].copy() for name in UNIT_FIGURES}  # without the other columns
    return Intervals(
        used,
        *names,
        [one.labels[place] for place in places],
        columns,
        figures={name: ends[:, FIGURES.index(name)] for name in one.figures},
        scores=dict(_scores(ends, len(one.labels), places)),
        unit_values=UnitValues(one.names, unit_figures, occurrences),
    )


def _scores(ends: NDArray[Any], labels: int, places: Sequence[int]) -> Iterator[tuple[str, NDArray[Any]]]:
    """{class score: float64[labels, columns]} of the labels at `places`."""
    for k, score in enumerate(CLASS_SCORES):
        first = len(FIGURES) + k * labels
        yield score, ends[:, [first + place for place in places]].T.copy()
