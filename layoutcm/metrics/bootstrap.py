"""Intervals of results that are computed from sums over units (documents, or the pages of a single document).

The ends come from Student's t distribution, the standard error of the jackknife (each unit is left out once) and, for
scores, the logit scale. With very many units they are percentiles of resamples: units are drawn with replacement, and a
resample is a product of its weights with the sums of the units. Such percentiles are too close together where few units
have a part in a result, also in a large set. `make coverage-study` measures how often intervals contain the true value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import Floats
from layoutcm.metrics.scores import ratio
from layoutcm.results.verdict import CONFIDENCE, FEW_UNITS, FEWEST_UNITS, SAME

RESAMPLES = 1000
MOST_RESAMPLES = 100_000
BLOCK_WEIGHTS = 4_000_000  # 32 MB; products of few rows are slow
BLOCK_UNITS = 20_000  # that are left out, each once, at the same time
FEWEST_FREEDOM = 2.0  # degrees of freedom; with 1, an interval says nothing
MOST_FREEDOM = 500.0  # more change an interval by less than 0.3 %, and would need finer integration
MOST_LOGITS = 300.0  # an interval this wide reaches from 0 to 1
MOST_JACKKNIFE = 1000  # with more units, percentiles of resamples contain the true value as often
Errors = tuple[Floats, Floats]  # float64[results] each: the standard error, and its degrees of freedom


class UnitRows(Protocol):
    """Numbers that add up over units, and the results computed from their sums."""

    @property
    def signed(self) -> bool: ...
    @property
    def rows(self) -> Floats: ...
    def results(self, totals: Floats, whole: Floats | None = None) -> Floats: ...
    def sizes(self) -> Floats: ...


class Resampled(UnitRows, Protocol):
    """`UnitRows` that can be resampled; see `unit_sums`."""

    def resampled(self, n: int, seed: int) -> Floats: ...


@dataclass(frozen=True)
class Resampling:
    """The settings of intervals: `n` resamples of `unit_count` units; a unit is a "document" or a "page"."""

    unit: str
    unit_count: int
    n: int = RESAMPLES
    seed: int = 0
    level: float = CONFIDENCE

    @property
    def units(self) -> str:
        return f"{self.unit}s"

    @property
    def kind(self) -> str:
        """The kind of interval: "none", "jackknife" or "percentile"."""
        if self.unit_count < FEWEST_UNITS:
            return "none"
        return "jackknife" if self.unit_count <= MOST_JACKKNIFE else "percentile"

    @property
    def few(self) -> bool:
        return self.unit_count < FEW_UNITS


def check_resampling(n: int, seed: int = 0, level: float = CONFIDENCE) -> None:
    """Raise an InputError for wrong options, before any work is done."""
    if not (_is_integer(n) and 1 <= n <= MOST_RESAMPLES):
        raise InputError("", "n", f"{short_repr(n)} is not a number of resamples", f"Use 1 to {MOST_RESAMPLES:,}.")
    if not (_is_integer(seed) and seed >= 0):
        raise InputError("", "seed", f"{short_repr(seed)} is not a seed", "Use a whole number of 0 or more.")
    if not (isinstance(level, int | float) and 0 < level < 1):
        raise InputError("", "level", f"{short_repr(level)} is not a share between 0 and 1", "Use one such as 0.95.")


def _is_integer(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def resample_weights(units: int, n: int, seed: int) -> Iterator[Floats]:
    """Blocks of float64[resamples, units]: how often each unit is drawn."""
    generator = np.random.default_rng(seed)
    block = max(BLOCK_WEIGHTS // max(units, 1), 1)
    for first in range(0, n, block):
        counts = np.empty((min(block, n - first), units))
        for row in counts:
            row[:] = np.bincount(generator.integers(max(units, 1), size=units), minlength=units)
        yield counts


@dataclass(frozen=True, eq=False)
class Spread:
    """Every result of the sums, and how it varies with the units: by leaving one out, or by resampling."""

    sums: Resampled
    used: Resampling

    @cached_property
    def value(self) -> Floats:
        """float64[results]"""
        return self.sums.results(self.sums.rows.sum(axis=0)[None])[0]

    @cached_property
    def errors(self) -> Errors:
        return jackknife_errors(self.sums)

    @cached_property
    def resamples(self) -> Floats:
        """float64[resamples, results]"""
        return self.sums.results(self.sums.resampled(self.used.n, self.used.seed), self.sums.rows.sum(axis=0))

    @cached_property
    def ends(self) -> Floats:
        """float64[3, results]: value, low and high of every result; no ends if too few units have a part in it."""
        level = self.used.level
        if self.used.kind == "none":
            ends = np.full((2, self.value.size), np.nan)
        else:
            ends, many = student_ends(self.value, self.errors, level, self.sums.signed), self._has_many_units
            if many.any():
                ends[:, many] = _quantiles(self.resamples[:, many], [(1 - level) / 2, (1 + level) / 2])
        ends[:, np.isnan(self.value) | (unit_counts(self.sums) < FEWEST_UNITS)] = np.nan
        return np.concatenate([self.value[None], ends])

    @property
    def p(self) -> Floats:
        """float64[results]: the p-value of a difference, by the statistic that its interval is made from."""
        if self.used.kind == "none":
            return np.full(self.value.size, np.nan)
        p, many = student_test(self.value, self.errors), self._has_many_units
        if many.any():
            by_resamples = np.where(self.value == 0, 1.0, np.minimum(2 * other_side(self.value, self.resamples), 1))
            p[many] = by_resamples[many]
        return p

    @cached_property
    def _has_many_units(self) -> NDArray[np.bool_]:
        """bool[results]: the ends are percentiles; in a large set few units may have a part in a result."""
        return effective_units(self.sums) > MOST_JACKKNIFE


def unit_counts(sums: UnitRows) -> NDArray[np.int64]:
    """int64[results]: the number of units that have a part in each result."""
    return (sums.sizes() > 0).sum(axis=0)


def student_ends(value: Floats, errors: Errors, level: float, signed: bool) -> Floats:
    """float64[2, results]: ends of Student's t intervals; of scores on the logit scale, which keeps them in 0..1."""
    error, freedom = errors
    reach = student_quantile((1 + level) / 2, freedom) * error
    if signed:
        return np.clip([value - reach, value + reach], -1, 1)
    slope = value * (1 - value)  # of the logit; 0 only if all units are at 0 or all are at 1
    odds, step = ratio(value, 1 - value), np.exp(np.minimum(ratio(reach, slope), MOST_LOGITS))
    ends = np.stack([odds / step / (1 + odds / step), odds * step / (1 + odds * step)])
    return np.where(slope > 0, ends, value)


def effective_units(sums: UnitRows) -> Floats:
    """float64[results]: how many units of equal size would say as much about a result; fewer if sizes differ much."""
    sizes = sums.sizes()
    return ratio(sizes.sum(axis=0) ** 2, (sizes**2).sum(axis=0))


def student_test(value: Floats, errors: Errors) -> Floats:
    """float64[results]: p-values of differences by Student's t test; without any spread, 1 only if they are 0."""
    error, freedom = errors
    p = student_p_value(ratio(value, error), freedom)
    return np.where(error == 0, np.where(np.abs(value) <= SAME, 1.0, 0.0), p)


def jackknife_errors(sums: UnitRows) -> Errors:
    """float64[results] each: the standard error, and its degrees of freedom.

    The degrees of freedom are those of the units, fewer if the units have very different sizes, or if few units
    cause most of the spread.
    """
    rows = sums.rows
    whole, units = rows.sum(axis=0), len(rows)
    blocks = (rows[first : first + BLOCK_UNITS] for first in range(0, units, BLOCK_UNITS))
    without = np.concatenate([sums.results(whole - block, whole) for block in blocks])
    without -= without.mean(axis=0)
    squares = np.square(without, out=without)
    total = squares.sum(axis=0)
    error = np.sqrt((units - 1) / units * total)
    kurtosis = units * ratio(np.square(squares, out=squares).sum(axis=0), total**2)
    freedom = np.fmin(2 * units / np.maximum(kurtosis - 1, 1e-9), effective_units(sums)) - 1
    return error, np.clip(np.nan_to_num(freedom), FEWEST_FREEDOM, min(units - 1, MOST_FREEDOM))


def student_quantile(share: float, freedom: Floats) -> Floats:
    """float64[results]: the quantile of Student's t distribution, for a share above 1/2 and any degrees of freedom."""
    freedom = np.asarray(freedom, float)
    low, high = np.zeros_like(freedom), np.full_like(freedom, np.pi / 2)
    wanted = (2 * share - 1) * _student_integral(high, freedom)
    for _ in range(60):
        middle = (low + high) / 2
        below = _student_integral(middle, freedom) < wanted
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.sqrt(freedom) * np.tan(low)


def student_p_value(t: Floats, freedom: Floats) -> Floats:
    """float64[results]: how probable a value of Student's t as far from 0 as this one is, to either side."""
    freedom = np.asarray(freedom, float)
    angle = np.arctan(np.abs(t) / np.sqrt(freedom))
    whole = _student_integral(np.full_like(freedom, np.pi / 2), freedom)
    return np.maximum(1 - _student_integral(angle, freedom) / whole, 0)


@cache
def _gauss_nodes() -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(50)


def _student_integral(angle: Floats, freedom: Floats) -> Floats:
    """float64[results]: proportional to the probability of t from 0 to sqrt(freedom) tan(angle).

    In terms of the angle, the density is proportional to cos(angle)^(freedom - 1), which is integrated.
    """
    nodes, weights = _gauss_nodes()
    points = angle[:, None] * (nodes + 1) / 2
    return angle / 2 * (np.cos(points) ** (freedom[:, None] - 1) @ weights)


def _quantiles(values: Floats, shares: list[float]) -> Floats:
    """float64[shares, results]; nan for a result that is defined in no resample."""
    known = np.isfinite(values).any(axis=0)  # nanquantile warns if all values are nan
    found = np.full((len(shares), values.shape[1]), np.nan)
    found[:, known] = np.nanquantile(values[:, known], shares, axis=0)
    return found


def other_side(value: Floats, resamples: Floats) -> Floats:
    """float64[results]: the share of resamples that are 0 or have the other sign; nan for a difference of 0."""
    share = ratio((resamples * np.sign(value) <= 0).sum(axis=0), np.isfinite(resamples).sum(axis=0))
    return np.where(value == 0, np.nan, share)
