"""Is the difference of two predictions real? A paired randomisation test over units.

If both predictions are equally good, it does not matter which of them a result of a document belongs to. So the two
predictions of some documents are swapped, and the difference is computed again: over all 2^n swaps if there are few
documents, else over random ones. The p-value is the share of swaps whose difference is at least as large.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from layoutcm.layouts.model import Floats
from layoutcm.metrics.scores import ratio
from layoutcm.metrics.unit_sums import PairedSums

MOST_EXHAUSTIVE = 13  # units; 2^12 swaps, because swapping all units changes only the sign
MOST_SWAPS, FEWEST_SWAPS = 9_999, 1_999
SWAPPED_UNITS = 20_000_000  # swaps x units; limits the number of swaps of very many units
BLOCK_SIGNS = 8_000_000  # 64 MB, and as much while they are drawn; see `bootstrap`
SAME = 1e-12  # differences closer than this are equal; the order of additions can change their last digits


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
    """float64[tests]: p-values corrected for the number of tests by Holm's method; nan is no test."""
    corrected = np.full(p.size, np.nan)
    order = np.argsort(p)[: int(np.isfinite(p).sum())]
    factors = np.arange(order.size, 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1)
    return corrected
