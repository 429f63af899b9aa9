"""The files of a finished comparison of parts, page by page: all its pages, or those that were chosen.

Pair counts are in memory for one or two parts at a time. Pages are numbered in the order of the parts, the chosen ones
only; a position is that of a page in its part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.layouts.stored_facts import ATTRIBUTE
from layoutcm.metrics.levels import Levels
from layoutcm.pixels.pair_counts import PairCounts, words_for
from layoutcm.scale.manifest import pages_of_table
from layoutcm.scale.part_counts import PAGES_FOLDER, counts_place, read_counts
from layoutcm.scale.part_files import PAGE_COLUMNS
from layoutcm.scale.places import join, read_parquet
from layoutcm.scale.plan import Plan

if TYPE_CHECKING:
    import pyarrow as pa

KEPT_PARTS = 2  # whose pair counts stay in memory, for one page after the other
Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class StoredPages:
    """The pages of a plan whose parts are counted; `chosen` is bool[pages of the plan], None for all of them."""

    plan: Plan
    labels: tuple[tuple[str, ...], tuple[str, ...]]
    space: LabelSpace
    chosen: Mask | None = None
    kept: dict[int, Levels] = field(default_factory=dict)  # mutable: the parts that were used last
    lock: Any = field(default_factory=RLock, repr=False)

    @cached_property
    def _ends(self) -> Numbers:
        """int64[parts + 1]: the first page of each part in the plan, and the number of its pages."""
        return np.cumsum([0, *(part.pages for part in self.plan.facts.parts)])

    @cached_property
    def starts(self) -> Numbers:
        """int64[parts + 1]: the number of the first page of each part, and the number of pages."""
        if self.chosen is None:
            return self._ends
        return np.concatenate([[0], np.cumsum(self.chosen)])[self._ends]

    @property
    def count(self) -> int:
        return int(self.starts[-1])

    @property
    def parts(self) -> range:
        return range(len(self.plan.facts.parts))

    def rows_of(self, part: int) -> Mask | None:
        """bool[pages of the part]: which of them are chosen; None if all are."""
        return None if self.chosen is None else self.chosen[self._ends[part] : self._ends[part + 1]]

    def places(self, numbers: Sequence[int] | Numbers) -> dict[int, Numbers]:
        """{part: int64[pages], the positions of these pages in it, ascending}."""
        ordered = np.unique(np.asarray(numbers, np.int64))
        in_plan = ordered if self.chosen is None else np.flatnonzero(self.chosen)[ordered]
        part = np.searchsorted(self._ends, in_plan, side="right") - 1
        return {one: in_plan[part == one] - self._ends[one] for one in np.unique(part).tolist()}

    def choose(self, numbers: Numbers) -> StoredPages:
        """Only the pages with these numbers."""
        keep = np.zeros(self.count, bool)
        keep[numbers] = True
        if self.chosen is not None:
            chosen = self.chosen.copy()
            chosen[self.chosen] = keep
            keep = chosen
        return StoredPages(self.plan, self.labels, self.space, keep)

    def columns(self, names: Sequence[str]) -> pa.Table:
        """Columns of the rows of all pages."""
        import pyarrow as pa

        return pa.concat_tables([self.part_columns(part, names) for part in self.parts], promote_options="default")

    def page_columns(self) -> pa.Table:
        """All columns that describe a page; documents and attributes as dictionaries, because they repeat."""
        import pyarrow as pa

        parts = [self.part_columns(part, None) for part in self.parts]
        return pa.concat_tables(parts, promote_options="default").unify_dictionaries()

    def part_columns(self, part: int, names: Sequence[str] | None) -> pa.Table:
        """Columns of the rows of one part; None: all that describe a page."""
        place = join(self.plan.folder, PAGES_FOLDER, f"{self.plan.facts.parts[part].name}.parquet")
        table = read_parquet(place, names) if names else read_parquet(place, _described, _repeated)
        rows = self.rows_of(part)
        return table if rows is None else table.filter(rows)

    def page_list(self, part: int, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows of the plan for one part; see `Plan.page_table`."""
        rows, table = self.rows_of(part), self.plan.page_table(part, columns)
        return table if rows is None else table.filter(rows)

    def levels(self, part: int) -> Levels:
        """The pair counts of one part, as they were in memory when it was counted."""
        with self.lock:  # pictures of pages are drawn in threads
            if part not in self.kept:
                while len(self.kept) >= KEPT_PARTS:
                    self.kept.pop(next(iter(self.kept)))
                self.kept[part] = self._read_levels(part)
            return self.kept[part]

    def _read_levels(self, part: int) -> Levels:
        table = self.part_columns(part, (*PAGE_COLUMNS, "pair", "pair_pixels", "ignored"))
        words = np.array(read_counts(counts_place(self.plan, part)).words, np.uint64)
        pair, pixels = (table[name].combine_chunks() for name in ("pair", "pair_pixels"))
        page = np.repeat(np.arange(len(pair), dtype=np.int32), np.diff(pair.offsets.to_numpy()))
        counts = PairCounts(
            self.labels,
            page,
            words.reshape(-1, self._width)[pair.flatten().to_numpy()],
            pixels.flatten().to_numpy().astype(np.float64),
            table["ignored"].to_numpy(),
        )
        return Levels(counts, self.space, pages_of_table(table))

    @property
    def _width(self) -> int:
        return sum(words_for(len(labels)) for labels in self.labels)


def _described(names: Sequence[str]) -> list[str]:
    """The columns that describe a page."""
    return [*PAGE_COLUMNS, *(name for name in names if name.startswith(ATTRIBUTE))]


def _repeated(names: Sequence[str]) -> list[str]:
    return [name for name in _described(names) if name == "document" or name.startswith(ATTRIBUTE)]


def of_pages(levels: Levels, keep: Mask) -> Levels:
    """The counts of some pages, bool[pages]."""
    counts, position = levels.counts, (np.cumsum(keep) - 1).astype(np.int32)
    rows = counts.select(keep[counts.page])
    rows = replace(rows, page=position[rows.page], ignored=counts.ignored[keep])
    return Levels(rows, levels.space, levels.pages.take(np.flatnonzero(keep)))
