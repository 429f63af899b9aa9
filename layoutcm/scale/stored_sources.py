"""What a comparison of parts computes from regions: page by page, or as the parts have summed it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any

from layoutcm.comparison import Comparison
from layoutcm.errors import Hint, NotCounted
from layoutcm.layouts.model import Positions
from layoutcm.scale.part_comparison import comparison_of_few
from layoutcm.scale.plan import Plan
from layoutcm.scale.stored_causes import StoredCauses
from layoutcm.scale.stored_levels import StoredLevels

if TYPE_CHECKING:
    from layoutcm.diagnosis.score_curves import ScoreCurves
    from layoutcm.metrics.objects.centroids import Centroids, Tolerance
    from layoutcm.metrics.objects.matched_objects import Objects

KEPT = 16  # comparisons of single pages that stay in memory
ONE_LEVEL = Hint(
    "Ask for one page or document (page=, document=), or compare the whole layouts: layoutcm.compare.",
    "On Errors and Measures, choose a document or a page with Filter; or compare the layouts without parts.",
)


@dataclass(frozen=True, eq=False)
class StoredSources:
    """See `diagnosis.region_sources.RegionSources`; pages are numbers in `levels`."""

    plan: Plan
    levels: StoredLevels
    kept: dict[int, Comparison] = field(default_factory=dict)  # mutable: the pages that were used last
    lock: Any = field(default_factory=RLock, repr=False)

    def of_page(self, page: int) -> Comparison:
        """The comparison of one page, in memory."""
        with self.lock:  # pictures of pages are drawn in threads
            found = self.kept.pop(page, None) or self.of_pages([page])
            while len(self.kept) >= KEPT:
                self.kept.pop(next(iter(self.kept)))
            self.kept[page] = found  # now the last one used
            return found

    def of_pages(self, pages: Sequence[int] | Positions) -> Comparison:
        """The comparison of a few pages, in memory and in ascending order."""
        return comparison_of_few(self.plan, self.levels.stored.places(pages))

    @property
    def page_regions(self) -> StoredPageRegions:
        return StoredPageRegions(self)

    @cached_property
    def causes(self) -> StoredCauses:
        return StoredCauses(self.plan, self.levels, self.of_page, self.of_pages, self.page_regions)

    @property
    def objects(self) -> StoredObjects:
        return StoredObjects(self)

    def soft_scores(self, pages: Positions | None, *options: Any) -> dict[str, Any]:
        if pages is None:
            raise not_counted("soft scores")
        return self.of_pages(pages).sources.soft_scores(None, *options)

    @cached_property
    def score_curves(self) -> ScoreCurves:
        from layoutcm.scale.stored_scores import read_score_curves

        return read_score_curves(self.plan, self.levels)


@dataclass(frozen=True, eq=False)
class StoredObjects:
    """Objects and centroids of a few pages; see `metrics.objects.object_source.ObjectSource`."""

    sources: StoredSources

    def objects(self, pages: Positions | None) -> Objects:
        if pages is None:
            raise not_counted("objects")
        return self.sources.of_pages(pages).objects()

    def centroids(
        self, pages: Positions | None, tolerance: Tolerance, one_to_one: bool, class_aware: bool
    ) -> Centroids:
        if pages is None:
            raise not_counted("centroids")
        return self.sources.of_pages(pages).centroids(tolerance, one_to_one, class_aware)


@dataclass(frozen=True, eq=False)
class StoredPageRegions:
    """The regions of one page at a time; see `pixels.grid.PageRegions`."""

    sources: StoredSources

    def to_grid(self, page: int, rounding: str) -> Any:
        return self._of(page).to_grid(0, rounding)

    def of(self, side: int, page: int) -> Any:
        return self._of(page).of(side, 0)

    def as_written(self, side: int, page: int) -> Any:
        return self._of(page).as_written(side, 0)

    def _of(self, page: int) -> Any:
        return self.sources.of_page(int(page)).sources.page_regions


def not_counted(what: str) -> NotCounted:
    return NotCounted("", "", f"{what} of all pages are not counted from parts", ONE_LEVEL)
