"""A finished comparison of parts as a `Comparison`, which reads its files when they are needed.

All numbers that come from pair counts are computed as in memory. What comes from regions is in `stored_sources`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.alignment.page_matching import WAYS, PageMatches
from layoutcm.alignment.recipe import Recipe
from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.layouts.model import GT, PRED, SIDES, Finding, Floats, Pages
from layoutcm.pixels.pair_counts import PairCounts, words_for
from layoutcm.scale.part_comparison import comparison_of_few
from layoutcm.scale.part_counts import Counts
from layoutcm.scale.part_findings import findings_of_set
from layoutcm.scale.places import Place, exists, join, read_json
from layoutcm.scale.plan import PLAN_FILE, read_plan
from layoutcm.scale.stored_levels import StoredLevels
from layoutcm.scale.stored_pages import StoredPages
from layoutcm.scale.stored_sources import StoredSources
from layoutcm.scale.stored_texts import packed_pages

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

TOTAL_FILE = "total.json"
MOST_IN_MEMORY = 2000  # pages that are chosen; with their regions they take some 20 MB


def open_comparison(folder: Place) -> Comparison:
    """The comparison that `compare_partitions` has written into a folder.

    Parameters
    ----------
    folder : path or address

    Returns
    -------
    Comparison
    """
    plan = read_plan(folder)
    place = join(folder, TOTAL_FILE)
    if not exists(place):
        raise InputError(str(folder), "", "this comparison is not finished", "Run layoutcm compare-parts again.")
    total = read_json(place, Counts, "file of sums", "Run layoutcm compare-parts again.")
    if total.plan != plan.digest:
        raise InputError(str(folder), "", "the sums are those of another plan", "Run layoutcm compare-parts again.")
    names = tuple(tuple(side.labels) for side in plan.labels.layouts)
    stored = StoredPages(plan, (names[GT], names[PRED]), plan.labels.space)
    words = np.array(total.words, np.uint64).reshape(-1, sum(words_for(len(one)) for one in stored.labels))
    counts = _summed(stored, words, np.array(total.pixels, float), total.ignored)
    return _comparison(StoredLevels(stored, counts, total), plan.recipe)


def is_result(folder: Place) -> bool:
    """Whether `compare_partitions` has written this folder, or has begun to."""
    return exists(join(folder, PLAN_FILE))


def _comparison(levels: StoredLevels, recipe: Recipe) -> Comparison:
    facts, plan = levels.stored.plan.facts, levels.stored.plan
    alignment: Any = StoredAlignment(levels)
    comparison = Comparison(
        alignment, levels.counts, facts.rounding, plan.min_score, recipe, has_truth=facts.truth
    )  # fmt: skip
    found = levels.total.findings if levels.total else {}
    # What a comparison in memory computes when it is first asked for, this one reads.
    comparison.__dict__.update(
        levels=levels,
        sources=StoredSources(plan, levels),
        findings_by_side=findings_of_set(plan, found, levels.counts.total, levels.counts.ignored_total),
    )
    return comparison


def _summed(stored: StoredPages, words: NDArray[np.uint64], pixels: Floats, ignored: float) -> PairCounts:
    """The counts of all pages: one row for each distinct pair."""
    return PairCounts(stored.labels, np.zeros(len(pixels), np.int32), words, pixels, np.array([ignored]))


def _on_pages(levels: StoredLevels, numbers: NDArray[np.int64], recipe: Recipe) -> Comparison:
    """The comparison of some pages: of few in memory, with their regions; of more from the files."""
    stored = levels.stored
    if len(numbers) <= MOST_IN_MEMORY:
        return replace(comparison_of_few(stored.plan, stored.places(numbers)), settings=recipe)
    chosen = stored.choose(numbers)
    parts = [own.counts.merged() for own in map(chosen.levels, chosen.parts)]
    words, pixels = np.concatenate([one.words for one in parts]), np.concatenate([one.pixels for one in parts])
    counts = _summed(chosen, words, pixels, sum(one.ignored_total for one in parts)).merged()
    return _comparison(StoredLevels(chosen, counts, None), recipe)


class StoredAlignment:
    """What an `Alignment` says of labels and pages; its layouts have labels and no regions."""

    def __init__(self, levels: StoredLevels) -> None:
        self.levels, plan = levels, levels.stored.plan
        labels = plan.labels
        self.layouts, self.space, self.mapped = labels.layouts, labels.space, labels.mapped
        self.taxonomy = plan.facts.kind
        self.findings: tuple[Finding, ...] = tuple(plan.findings)

    def comparison_on(self, numbers: NDArray[np.int64], recipe: Recipe) -> Comparison:
        """See `models.page_subsets.comparison_of_pages`."""
        return _on_pages(self.levels, numbers, recipe)

    cell = Alignment.cell
    side_label = Alignment.side_label
    _position = Alignment._position

    @property
    def pages(self) -> Pages:
        return self.levels.pages

    @cached_property
    def gt_pages(self) -> Pages:
        has = self.sources[GT] >= 0
        return self.pages if has.all() else packed_pages(self.levels.stored.page_columns().filter(has))

    def pages_of_sides(self, stems: Collection[str]) -> list[tuple[Pages, NDArray[np.int64]]]:
        """The pages whose names, or whose documents, have one of these stems."""
        pages: Any = self.pages
        numbers = np.flatnonzero(pages.names.have_stem(stems) | pages.documents.have_stem(stems))
        return [(self.pages.take(numbers), numbers)]

    def _lists(self, *columns: str) -> pa.Table:
        import pyarrow as pa

        stored = self.levels.stored
        return pa.concat_tables([stored.page_list(part, list(columns)) for part in stored.parts])

    @property
    def sources(self) -> tuple[np.ndarray, np.ndarray]:
        gt, pred = (column.to_numpy().astype(np.int64) for column in self._lists(*SIDES).columns)
        return gt, pred

    @property
    def matches(self) -> PageMatches:
        """How each page of the comparison was matched; positions are those in the parts."""
        return PageMatches(self.sources[PRED], self._lists("how")["how"].to_numpy())

    def page_match_table(self) -> pd.DataFrame:
        """One row per page of the comparison: gt_page, pred_page, how."""
        import pandas as pd

        table = self._lists("page", "pred_page", "how", *SIDES)
        gt, pred = (table[side].to_numpy() for side in SIDES)
        names, given = (table[name].to_pylist() for name in ("page", "pred_page"))
        other = [there or here for here, there in zip(names, given)]
        how = np.array(WAYS, object)[table["how"].to_numpy()]
        columns = {"gt_page": np.where(gt >= 0, names, ""), "pred_page": np.where(pred >= 0, other, ""), "how": how}
        return pd.DataFrame(columns, dtype=object)
