"""Causes of a comparison of parts: of the set as the parts have summed them, of pages from their rows or regions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.comparison import Comparison
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.diagnosis.causes import TOLERANCE, CauseCounts, Causes, check_tolerance
from layoutcm.errors import Hint, NotCounted
from layoutcm.layouts.model import Floats
from layoutcm.scale.part_counts import CAUSES_FOLDER
from layoutcm.scale.places import join, read_parquet
from layoutcm.scale.plan import Plan
from layoutcm.scale.stored_levels import StoredLevels


@dataclass(frozen=True, eq=False)
class SummedCauses:
    """The causes of all pages, read part by part; see `CauseCounts`."""

    plan: Plan
    levels: StoredLevels
    tolerance: float

    @cached_property
    def total(self) -> Causes:
        if self.levels.total is None:
            parts = [counts.total.values for _, counts in self._parts()]
            return Causes(CAUSES, tuple(self.levels.space.labels), np.sum(parts, axis=0), self.tolerance)
        labels, shared = tuple(self.levels.space.labels), self.levels.space.shared
        values: Floats = np.full((len(CAUSES), len(labels), len(labels)), 0.0 if shared else np.nan)
        for cell, pixels in self.levels.total.causes.get(repr(self.tolerance), ()):
            values.flat[cell] = pixels
        return Causes(CAUSES, labels, values, self.tolerance)

    def of_pages(self, pages: NDArray[np.integer]) -> CauseCounts:
        """The causes of some pages, by their numbers."""
        parts = [counts.of_pages(pages) for _, counts in self._parts()]
        rows = None if not self.levels.space.shared else np.concatenate([one.rows for one in parts])
        return CauseCounts(tuple(self.levels.space.labels), self.tolerance, rows)

    def by_group(self, group_of_page: NDArray[np.integer], groups: int) -> Floats:
        """float64[groups, causes]"""
        if not self.levels.space.shared:
            return np.full((groups, len(CAUSES)), np.nan)
        parts = (counts.by_group(group_of_page, groups) for _, counts in self._parts())
        return sum(parts, np.zeros((groups, len(CAUSES))))

    def by_page(self, pages: int, cell: tuple[int, int], cause: str) -> Floats:
        """float64[pages]"""
        return sum((counts.by_page(pages, cell, cause) for _, counts in self._parts()), np.zeros(pages))

    def pages_with(self, pages: int, cause: str) -> NDArray[np.bool_]:
        """bool[pages]"""
        found = [counts.pages_with(pages, cause) for _, counts in self._parts()]
        return np.logical_or.reduce([np.zeros(pages, bool), *found])

    def _parts(self) -> Iterator[tuple[int, CauseCounts]]:
        """Each part and its causes, with the numbers of pages in the set."""
        from layoutcm.diagnosis.cause_pages import ROW

        if self.tolerance != TOLERANCE:
            raise not_counted(self.tolerance)
        stored = self.levels.stored
        for part, facts in enumerate(self.plan.facts.parts):
            table = read_parquet(join(self.plan.folder, CAUSES_FOLDER, f"{facts.name}.parquet"))
            rows = np.empty(table.num_rows, ROW)
            for name in table.column_names:
                rows[name] = table[name].to_numpy()
            chosen = stored.rows_of(part)
            if chosen is not None:
                rows = rows[chosen[rows["page"]]]
                rows["page"] = (np.cumsum(chosen) - 1)[rows["page"]]
            rows["page"] += stored.starts[part]
            yield part, CauseCounts(tuple(self.levels.space.labels), self.tolerance, rows)


@dataclass(frozen=True, eq=False)
class StoredCauses:
    """See `diagnosis.causes.CauseSource`; `of_page` and `of_few` return the comparison of some pages in memory."""

    plan: Plan
    levels: StoredLevels
    of_page: Callable[[int], Comparison]
    of_few: Callable[[NDArray[np.int64]], Comparison]
    regions: Any
    pages = math.inf  # too many for what is counted from the regions of all pages at once

    @property
    def alignment(self) -> Alignment:
        return self.plan.labels

    @property
    def rounding(self) -> str:
        return self.plan.facts.rounding

    @property
    def kept(self) -> list[float]:
        """The tolerances that the parts have counted."""
        if self.levels.total is None:
            return [TOLERANCE] if self.plan.facts.why else []
        return [float(tolerance) for tolerance in self.levels.total.causes]

    def of_all_pages(self, tolerance: float = TOLERANCE) -> SummedCauses:
        tolerance = check_tolerance(tolerance)
        if self.levels.space.shared and tolerance not in self.kept:
            raise not_counted(tolerance)
        return SummedCauses(self.plan, self.levels, tolerance)

    def of_pages(self, pages: Sequence[int] | NDArray[np.integer] | None, tolerance: float = TOLERANCE) -> Any:
        """The causes of a few pages, counted from their regions; None: of all pages."""
        if pages is None:
            return self.of_all_pages(tolerance)
        numbers = np.unique(np.asarray(pages, np.int64))
        few = self.of_page(int(numbers[0])) if len(numbers) == 1 else self.of_few(numbers)
        counts = few.sources.causes.of_pages(np.arange(len(numbers)), tolerance)
        if counts.rows is not None:
            counts.rows["page"] = numbers[counts.rows["page"]]
        return counts

    def on_tiles(self, page: int, tolerance: float = TOLERANCE) -> Any:
        return self.of_page(page).sources.causes.on_tiles(0, tolerance)


def not_counted(tolerance: float) -> NotCounted:
    hint = Hint("Compare with why=True (--why), or ask for one page or document.", "Compare the parts with --why.")
    at = f" with a tolerance of {tolerance:g}" if tolerance != TOLERANCE else ""
    return NotCounted("", "", f"causes{at} were not counted", hint)
