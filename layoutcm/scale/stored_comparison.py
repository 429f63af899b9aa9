"""A finished comparison of parts as a `Comparison`, which reads its files when they are needed.

All numbers that come from pair counts are computed as in memory. What comes from regions is computed from the part that
a page is in: the tiles of a page, its objects, its causes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from layoutcm.alignment.align import Alignment
from layoutcm.alignment.page_matching import WAYS, PageMatches
from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.layouts.model import GT, PRED, SIDES, Finding, Pages
from layoutcm.pixels.pair_counts import PairCounts
from layoutcm.scale.part_counts import Counts, part_comparison
from layoutcm.scale.places import Place, exists, join, read_bytes
from layoutcm.scale.plan import Plan, read_plan
from layoutcm.scale.stored_causes import StoredCauses
from layoutcm.scale.stored_levels import StoredLevels, StoredPages

if TYPE_CHECKING:
    import pandas as pd

    from layoutcm.diagnosis.score_curves import ScoreCurves

TOTAL_FILE = "total.json"
ONE_LEVEL = "Ask for one page or document, or compare without partitions."


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
    total = msgspec.json.decode(read_bytes(place), type=Counts)
    if total.plan != plan.digest:
        raise InputError(str(folder), "", "the sums are those of another plan", "Run layoutcm compare-parts again.")
    labels = plan.labels
    names = tuple(tuple(side.labels) for side in labels.layouts)
    stored = StoredPages(plan, (names[GT], names[PRED]), labels.space)
    counts = _all_counts(stored, total)
    levels = StoredLevels(stored, counts, total)
    alignment: Any = StoredAlignment(plan, levels)
    comparison = Comparison(alignment, counts, plan.facts.rounding, plan.min_score, plan.recipe)
    # What a comparison in memory computes when it is first asked for, this one reads.
    comparison.__dict__.update(
        levels=levels,
        sources=StoredSources(plan, levels),
        findings_by_side={"gt": (), "pred": (), "both": tuple(alignment.findings)},
    )
    return comparison


def _all_counts(stored: StoredPages, total: Counts) -> PairCounts:
    words = np.array(total.words, np.uint64).reshape(len(total.pixels), -1)
    pixels = np.array(total.pixels, float)
    return PairCounts(stored.labels, np.zeros(len(pixels), np.int32), words, pixels, np.array([total.ignored]))


class StoredAlignment:
    """What an `Alignment` says of labels and pages; its layouts have labels and no regions."""

    def __init__(self, plan: Plan, levels: StoredLevels) -> None:
        self.plan, self.levels = plan, levels
        labels = plan.labels
        self.layouts, self.space, self.mapped = labels.layouts, labels.space, labels.mapped
        self.taxonomy = plan.facts.kind
        self.findings: tuple[Finding, ...] = tuple(plan.findings)

    cell = Alignment.cell
    side_label = Alignment.side_label
    _position = Alignment._position

    @property
    def pages(self) -> Pages:
        return self.levels.pages

    @cached_property
    def _lists(self) -> Any:
        import pyarrow as pa

        return pa.concat_tables([self.plan.page_table(part) for part in self.levels.stored.parts])

    @property
    def sources(self) -> tuple[np.ndarray, np.ndarray]:
        gt, pred = (self._lists[side].to_numpy().astype(np.int64) for side in SIDES)
        return gt, pred

    @property
    def matches(self) -> PageMatches:
        """How each page of the comparison was matched; positions are those in the parts."""
        return PageMatches(self.sources[PRED], self._lists["how"].to_numpy())

    def page_match_table(self) -> pd.DataFrame:
        """One row per page of the comparison: gt_page, pred_page, how."""
        import pandas as pd

        gt, pred = self.sources
        names, given = (self._lists[name].to_pylist() for name in ("page", "pred_page"))
        other = [there or here for here, there in zip(names, given)]
        how = np.array(WAYS, object)[self._lists["how"].to_numpy()]
        columns = {"gt_page": np.where(gt >= 0, names, ""), "pred_page": np.where(pred >= 0, other, ""), "how": how}
        return pd.DataFrame(columns, dtype=object)


@dataclass(frozen=True, eq=False)
class StoredSources:
    """What is computed from regions: by the comparison of the part of a page, or as the parts have summed it."""

    plan: Plan
    levels: StoredLevels
    kept: dict[int, Comparison] = field(default_factory=dict)  # mutable: the part that was used last

    def part_of(self, page: int) -> tuple[Comparison, int]:
        """The comparison of the part of a page, and the number of the page in it."""
        part = int(np.searchsorted(self.levels.stored.starts, page, side="right")) - 1
        if part not in self.kept:
            self.kept.clear()
            self.kept[part] = part_comparison(self.plan, part)
        return self.kept[part], page - int(self.levels.stored.starts[part])

    @property
    def page_regions(self) -> StoredPageRegions:
        return StoredPageRegions(self)

    @cached_property
    def causes(self) -> StoredCauses:
        return StoredCauses(self.plan, self.levels, self.part_of, self.page_regions)

    @property
    def objects(self) -> Any:
        raise InputError("", "objects", "objects of all parts are not computed together", ONE_LEVEL)

    @property
    def soft_sums(self) -> Any:
        raise InputError("", "soft", "soft scores of all parts are not computed together", ONE_LEVEL)

    @cached_property
    def score_curves(self) -> ScoreCurves:
        from layoutcm.scale.stored_scores import read_score_curves

        return read_score_curves(self.plan, self.levels)


@dataclass(frozen=True, eq=False)
class StoredPageRegions:
    """The regions of one page at a time; see `pixels.grid.PageRegions`."""

    sources: StoredSources

    def to_grid(self, page: int, rounding: str) -> Any:
        comparison, own = self.sources.part_of(page)
        return comparison.sources.page_regions.to_grid(own, rounding)

    def of(self, side: int, page: int) -> Any:
        comparison, own = self.sources.part_of(page)
        return comparison.sources.page_regions.of(side, own)

    def as_written(self, side: int, page: int) -> Any:
        comparison, own = self.sources.part_of(page)
        return comparison.sources.page_regions.as_written(side, own)
