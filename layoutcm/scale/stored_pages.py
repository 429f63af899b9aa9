"""The pages of a finished comparison of parts, read from its files: all of them, or those that were chosen.

Pair counts are in memory for one or two parts at a time. Pages are numbered in the order of the parts, the chosen ones
only; a position is that of a page in its part.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import MappedLabels
from layoutcm.alignment.page_matching import WAYS, PageMatches
from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.layouts.model import GT, PRED, SIDES, Finding, Layout, Pages
from layoutcm.layouts.packed_names import PackedTexts
from layoutcm.layouts.stored_facts import ATTRIBUTE
from layoutcm.lazy import pa, pd
from layoutcm.metrics.levels import CountedLevels
from layoutcm.pixels.pair_counts import WORD, PairCounts, words_for
from layoutcm.scale.manifest import pages_of_table
from layoutcm.scale.part_counts import COUNT_AGAIN, MOST_PIXELS, PAGES_FOLDER, counts_place, read_counts
from layoutcm.scale.part_files import PAGE_COLUMNS
from layoutcm.scale.plan import PLAN_FOLDER, Plan, is_within
from layoutcm.scale.storage import damage_named, read_parquet

KEPT_PARTS = 2  # whose pair counts stay in memory, for one page after the other
Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class StoredPages:
    """The pages of a plan whose parts are counted; `chosen` is bool[pages of the plan], None for all of them."""

    plan: Plan
    chosen: Mask | None = None
    kept: dict[int, CountedLevels] = field(default_factory=dict)  # mutable: the parts that were used last
    lock: Any = field(default_factory=RLock, repr=False)

    @cached_property
    def labels(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The labels of gt and of pred."""
        gt, pred = (tuple(side.labels) for side in self.plan.labels.layouts)
        return gt, pred

    @property
    def space(self) -> LabelSpace:
        return self.plan.labels.space

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
        return StoredPages(self.plan, keep)

    @cached_property
    def pages(self) -> Pages:
        return pages_of_table(self.columns(), packed=True)

    @property
    def names(self) -> PackedTexts:
        return cast(PackedTexts, self.pages.names)

    @property
    def documents(self) -> PackedTexts:
        """The document of each page."""
        return cast(PackedTexts, self.pages.documents)

    def columns(self, names: Sequence[str] | None = None) -> pa.Table:
        """Columns of the rows of all pages; None: all that describe a page.

        Of the latter, documents and attributes are dictionaries, because they repeat.
        """
        parts = [self.part_columns(part, names) for part in self.parts]
        with damage_named(self.plan.place(PAGES_FOLDER)):  # the parts may have columns of other types
            return pa.concat_tables(parts, promote_options="default").unify_dictionaries()

    def part_columns(self, part: int, names: Sequence[str] | None) -> pa.Table:
        """Columns of the rows of one part; None: all that describe a page."""
        place, pages = self._pages_place(part), self.plan.facts.parts[part].pages
        table = read_parquet(place, names or _described, () if names else _repeated, rows=pages)
        rows = self.rows_of(part)
        return table if rows is None else table.filter(rows)

    def _pages_place(self, part: int) -> str:
        return self.plan.place(PAGES_FOLDER, f"{self.plan.facts.parts[part].name}.parquet")

    def page_list(self, part: int, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows of the plan for one part; see `Plan.page_table`."""
        rows, table = self.rows_of(part), self.plan.page_table(part, columns)
        return table if rows is None else table.filter(rows)

    def levels(self, part: int) -> CountedLevels:
        """The pair counts of one part, as they were in memory when it was counted."""
        with self.lock:  # pictures of pages are drawn in threads
            if part not in self.kept:
                while len(self.kept) >= KEPT_PARTS:
                    self.kept.pop(next(iter(self.kept)))
                self.kept[part] = self._read_levels(part)
            return self.kept[part]

    def _read_levels(self, part: int) -> CountedLevels:
        table = self.part_columns(part, (*PAGE_COLUMNS, "pair", "pair_pixels", "ignored"))
        pair, pixels = (table[name].combine_chunks() for name in ("pair", "pair_pixels"))
        place = counts_place(self.plan, part)
        words = self.words(read_counts(place).words, place, COUNT_AGAIN)
        with damage_named(self._pages_place(part)):
            page = np.repeat(np.arange(len(pair), dtype=np.int32), np.diff(pair.offsets.to_numpy()))
            which, own = pair.flatten().to_numpy(), pixels.flatten().to_numpy().astype(np.float64)
            if len(which) != len(own) or not is_within(which, 0, len(words) - 1) or not is_within(own, 0, MOST_PIXELS):
                raise ValueError("its pairs are not those of the counts of this part")
            counts = PairCounts(self.labels, page, words[which], own, table["ignored"].to_numpy())
        return CountedLevels(counts, self.space, pages_of_table(table))

    def words(self, pairs: list[list[int]], place: str, hint: str) -> NDArray[np.uint64]:
        """uint64[pairs, words]: the label sets of pairs, as in `PairCounts`; an InputError if labels are unknown."""
        widths = [words_for(len(labels)) for labels in self.labels]
        with damage_named(place, hint):
            found = np.array(pairs, np.uint64).reshape(-1, sum(widths))
            ends = np.cumsum(widths) - 1  # the words with the last labels of gt and of pred
            free = np.array([len(labels) % WORD + 1 for labels in self.labels], np.uint64)
            if ((free < WORD) & (found[:, ends] >> (free % np.uint64(WORD)) > 0)).any():
                raise ValueError("a label set has labels that the plan does not have")
        return found


def _described(names: Sequence[str]) -> list[str]:
    """The columns that describe a page."""
    return [*PAGE_COLUMNS, *(name for name in names if name.startswith(ATTRIBUTE))]


def _repeated(names: Sequence[str]) -> list[str]:
    return [name for name in _described(names) if name == "document" or name.startswith(ATTRIBUTE)]


@dataclass(frozen=True, eq=False)
class PartAlignment:
    """The `Alignment` of a comparison of parts; its layouts have labels and no regions."""

    stored: StoredPages
    layouts: tuple[Layout, Layout]
    space: LabelSpace
    taxonomy: str
    findings: tuple[Finding, ...]
    mapped: MappedLabels

    @classmethod
    def of(cls, stored: StoredPages) -> PartAlignment:
        plan, labels = stored.plan, stored.plan.labels
        return cls(stored, labels.layouts, labels.space, plan.facts.kind, tuple(plan.findings), labels.mapped)

    @property
    def pages(self) -> Pages:
        return self.stored.pages

    @cached_property
    def gt_pages(self) -> Pages:
        has = self.sources[GT] >= 0
        return self.pages if has.all() else pages_of_table(self.stored.columns().filter(has), packed=True)

    def pages_of_sides(self, stems: Collection[str]) -> list[tuple[Pages, Numbers]]:
        """The pages whose names, or whose documents, have one of these stems."""
        numbers = np.flatnonzero(self.stored.names.have_stem(stems) | self.stored.documents.have_stem(stems))
        return [(self.pages.take(numbers), numbers)]

    def _lists(self, *columns: str) -> pa.Table:
        lists = [self.stored.page_list(part, list(columns)) for part in self.stored.parts]
        with damage_named(self.stored.plan.place(PLAN_FOLDER)):
            return pa.concat_tables(lists)

    @property
    def sources(self) -> tuple[Numbers, Numbers]:
        gt, pred = (column.to_numpy().astype(np.int64) for column in self._lists(*SIDES).columns)
        return gt, pred

    @property
    def matches(self) -> PageMatches:
        """How each page of the comparison was matched; positions are those in the parts."""
        return PageMatches(self.sources[PRED], self._lists("how")["how"].to_numpy())

    def page_match_table(self) -> pd.DataFrame:
        """One row per page of the comparison: gt_page, pred_page, how."""
        table = self._lists("page", "pred_page", "how", *SIDES)
        gt, pred = (table[side].to_numpy() for side in SIDES)
        names, given = (table[name].to_pylist() for name in ("page", "pred_page"))
        other = [there or here for here, there in zip(names, given)]
        how = np.array(WAYS, object)[table["how"].to_numpy()]
        columns = {"gt_page": np.where(gt >= 0, names, ""), "pred_page": np.where(pred >= 0, other, ""), "how": how}
        return pd.DataFrame(columns, dtype=object)
