"""Does a slice really differ from the rest? A randomisation test for few documents, Student's t test for many.

If an attribute makes no difference, it does not matter which pages have it. So documents that are all inside or all
outside of the slice exchange their places at random. In a document with pages of both kinds, the places of the pages
inside are moved along its pages by a random number; those that are moved beyond its end continue at its beginning.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from layoutcm.layouts.model import Floats
from layoutcm.metrics.randomisation import SAME

DRAWS = 4_999
MOST_ROTATIONS = 500  # of the pages of one document


def slice_p_value(
    rows: Floats, unit: NDArray[np.int64], inside: NDArray[np.bool_], f1_of: Callable[[Floats], Floats], seed: int
) -> float:
    """Two-sided p-value of the difference between the pages inside and the rest.

    `rows` is float64[pages, numbers], `unit` int64[pages] the document of a page; `f1_of` turns float64[sums, numbers]
    into float64[sums].
    """
    generator = np.random.default_rng(seed)
    whole = rows.sum(axis=0)
    drawn = _sums_of_whole_units(rows, unit, inside, generator)
    for pages in _pages_of_mixed_units(unit, inside):
        rotated = _rotations(rows[pages], inside[pages], generator)
        drawn += rotated[generator.integers(len(rotated), size=DRAWS)]
    differences = f1_of(drawn) - f1_of(whole - drawn)
    own = rows[inside].sum(axis=0)[None]
    observed = abs(float((f1_of(own) - f1_of(whole - own))[0]))
    defined = np.isfinite(differences)
    large = (np.abs(differences[defined]) >= observed - SAME).sum()
    return float((large + 1) / (defined.sum() + 1))  # the slice as it is counts, too


def _units_inside(unit: NDArray[np.int64], inside: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """int64[units] each: the number of pages of a unit, and of its pages inside the slice."""
    return np.bincount(unit), np.bincount(unit, inside).astype(np.int64)


def _sums_of_whole_units(
    rows: Floats, unit: NDArray[np.int64], inside: NDArray[np.bool_], generator: np.random.Generator
) -> Floats:
    """float64[draws, numbers]: sums over as many units as are all inside, drawn from those without mixed pages."""
    pages, pages_inside = _units_inside(unit, inside)
    whole = np.flatnonzero((pages > 0) & ((pages_inside == 0) | (pages_inside == pages)))
    count = int((pages_inside[whole] > 0).sum())
    sums = np.stack([np.bincount(unit, column, pages.size)[whole] for column in rows.T], axis=1)
    order = generator.random((DRAWS, whole.size)).argsort(axis=1)
    return (order < count).astype(float) @ sums  # a row of `order` is a random permutation


def _pages_of_mixed_units(unit: NDArray[np.int64], inside: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """The pages of every unit that has pages inside and outside, in their order."""
    pages, pages_inside = _units_inside(unit, inside)
    mixed = (pages_inside > 0) & (pages_inside < pages)
    order = np.argsort(unit, kind="stable")
    parts = np.split(order, np.cumsum(pages)[:-1])
    return [parts[i] for i in np.flatnonzero(mixed)]


def _rotations(rows: Floats, inside: NDArray[np.bool_], generator: np.random.Generator) -> Floats:
    """float64[rotations, numbers]: sums over the pages inside, for all rotations of these places, or some of many."""
    count = len(rows)
    steps = np.arange(count) if count <= MOST_ROTATIONS else generator.integers(count, size=MOST_ROTATIONS)
    rotated = inside[(np.arange(count) - steps[:, None]) % count]
    return rotated.astype(float) @ rows
