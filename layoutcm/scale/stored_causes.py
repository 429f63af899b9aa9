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
from layoutcm.errors import InputError
from layoutcm.layouts.model import Floats
from layoutcm.scale.part_counts import CAUSES_FOLDER
from layoutcm.scale.places import join, open_input
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
        labels, shared = tuple(self.levels.space.labels), self.levels.space.shared
        values: Floats = np.full((len(CAUSES), len(labels), len(labels)), 0.0 if shared else np.nan)
        for cell, pixels in self.levels.total.causes.get(repr(self.tolerance), ()):
            values.flat[cell] = pixels
        return Causes(CAUSES, labels, values, self.tolerance)

    def by_group(self, group_of_page: NDArray[np.integer], groups: int) -> Floats:
        """float64[groups, causes]"""
        parts = (counts.by_group(group_of_page[first:], groups) for first, counts in self._parts())
        return sum(parts, np.zeros((groups, len(CAUSES)))) if self.levels.space.shared else np.full((groups, 8), np.nan)

    def by_page(self, pages: int, cell: tuple[int, int], cause: str) -> Floats:
        """float64[pages]"""
        own = [counts.by_page(self.plan.facts.parts[part].pages, cell, cause) for part, counts in self._numbered()]
        return np.concatenate([np.zeros(0), *own])

    def _parts(self) -> Iterator[tuple[int, CauseCounts]]:
        """The first page of each part, and its causes."""
        return ((int(self.levels.stored.starts[part]), counts) for part, counts in self._numbered())

    def _numbered(self) -> Iterator[tuple[int, CauseCounts]]:
        import pyarrow.parquet as pq

        from layoutcm.diagnosis.cause_pages import ROW

        if self.tolerance != TOLERANCE:
            raise not_counted(self.tolerance)
        for part, facts in enumerate(self.plan.facts.parts):
            with open_input(join(self.plan.folder, CAUSES_FOLDER, f"{facts.name}.parquet")) as file:
                table = pq.read_table(file)
            rows = np.empty(table.num_rows, ROW)
            for name in table.column_names:
                rows[name] = table[name].to_numpy()
            yield part, CauseCounts(tuple(self.levels.space.labels), self.tolerance, rows)


@dataclass(frozen=True, eq=False)
class StoredCauses:
    """See `diagnosis.causes.CauseSource`; `part_of` returns the comparison of the part of a page, and its number."""

    plan: Plan
    levels: StoredLevels
    part_of: Callable[[int], tuple[Comparison, int]]
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
        return [float(tolerance) for tolerance in self.levels.total.causes]

    def of_all_pages(self, tolerance: float = TOLERANCE) -> SummedCauses:
        tolerance = check_tolerance(tolerance)
        if self.levels.space.shared and repr(tolerance) not in self.levels.total.causes:
            raise not_counted(tolerance)
        return SummedCauses(self.plan, self.levels, tolerance)

    def of_pages(self, pages: Sequence[int] | None, tolerance: float = TOLERANCE) -> Any:
        """The causes of a few pages, counted from their regions; None: of all pages."""
        if pages is None:
            return self.of_all_pages(tolerance)
        found = []
        for page in sorted({int(page) for page in pages}):
            comparison, own = self.part_of(page)
            counts = comparison.sources.causes.of_pages([own], tolerance)
            if counts.rows is None:
                return counts
            counts.rows["page"] = page
            found.append(counts)
        rows = np.concatenate([one.rows for one in found if one.rows is not None])
        return CauseCounts(tuple(self.levels.space.labels), check_tolerance(tolerance), rows)

    def on_tiles(self, page: int, tolerance: float = TOLERANCE) -> Any:
        comparison, own = self.part_of(page)
        return comparison.sources.causes.on_tiles(own, tolerance)


def not_counted(tolerance: float) -> InputError:
    hint = "Compare with why=True (--why), or ask for one page or document."
    return InputError("", "causes", f"causes with a tolerance of {tolerance:g} were not counted", hint)
