"""The numbers of a comparison that need regions, not only pair counts. Each is computed once, when it is first needed.

`Sources` is what a comparison asks for. `RegionSources` has the regions of all pages in memory; the sources of parts
read those of a few pages (`scale.stored_comparison`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, Protocol

import numpy as np
from msgspec import UNSET, UnsetType

from layoutcm.alignment.align import AlignedLayouts, Alignment
from layoutcm.alignment.checks import findings_by_side
from layoutcm.alignment.min_scores import MinScore
from layoutcm.alignment.page_matching import WAYS
from layoutcm.diagnosis.border_slack import slack_pixels
from layoutcm.diagnosis.causes import CauseCounter, CauseSource
from layoutcm.diagnosis.pixels_by_score import scored_regions
from layoutcm.diagnosis.score_curves import ScoreCurves, score_curves_of
from layoutcm.layouts.model import GT, PRED, Finding, Layout, Positions
from layoutcm.metrics.levels import CountedLevels, Levels, levels_of_pages
from layoutcm.metrics.objects.centroids import Centroids, Tolerance, centroids_of
from layoutcm.metrics.objects.instances import Sides, instances_of, on_pages
from layoutcm.metrics.objects.matched_objects import Objects, objects_of
from layoutcm.metrics.soft import check_soft_options
from layoutcm.metrics.soft_layouts import SoftSums, layout_scores, soft_sums
from layoutcm.pixels.grid import PageRegions
from layoutcm.results.types import Input, Inputs, PageMatching


class Sources(Protocol):
    """What a comparison computes from regions; `pages` are positions in its levels, None for all pages."""

    @property
    def findings_by_side(self) -> dict[str, tuple[Finding, ...]]:
        """{"gt", "pred", "both": findings}"""

    @property
    def plan_digest(self) -> str | UnsetType:
        """The digest of the plan of sets of parts."""

    def inputs(self) -> Inputs:
        """What was compared, without the folder that it was in."""

    def page_matching(self) -> PageMatching:
        """The number of pages matched by each rule, and the names of unmatched pages."""

    @property
    def objects(self) -> ObjectSource:
        """The objects of all pages; NotCounted if their regions are not in memory."""

    @property
    def causes(self) -> CauseCounter: ...
    @property
    def score_curves(self) -> ScoreCurves: ...
    @property
    def all_regions(self) -> RegionSources:
        """The sources with the regions of all pages; NotCounted if these are not in memory."""

    def slack(self, pages: Positions | None) -> float | None:
        """The pixels of cause slack; nan if the labels differ, None if it would take long to count them."""

    def of_page(self, page: int) -> tuple[RegionSources, int]:
        """Sources with the regions of a page, and the position of the page there."""

    def of_pages(self, pages: Positions | None, what: str) -> tuple[RegionSources, Positions | None]:
        """Sources with the regions of several pages; NotCounted if `what` needs regions that are not in memory."""

    def on_pages(self, pages: Positions) -> tuple[Alignment, Levels, Sources]:
        """The parts of a comparison of these pages; nothing is counted again."""


@dataclass(frozen=True, eq=False)
class RegionSources:
    """The `Sources` of regions in memory."""

    alignment: AlignedLayouts
    levels: CountedLevels
    rounding: str
    min_score: MinScore
    threads: int | None
    has_truth: bool

    @cached_property
    def findings_by_side(self) -> dict[str, tuple[Finding, ...]]:
        counts = self.levels.counts
        return findings_by_side(self.alignment, self.min_score, counts.total, counts.ignored_total, self.has_truth)

    @property
    def all_regions(self) -> RegionSources:
        return self

    @property
    def plan_digest(self) -> UnsetType:
        return UNSET

    def inputs(self) -> Inputs:
        gt, pred = map(_input_facts, self.alignment.layouts)
        return Inputs(gt=gt, pred=pred)

    def page_matching(self) -> PageMatching:
        matches, sides = self.alignment.matches, [side.page_columns for side in self.alignment.layouts]
        counts = zip(WAYS, np.bincount(matches.how).tolist())
        only_in = [[side.names[i] for i in pages] for side, pages in zip(sides, matches.unmatched(len(sides[PRED])))]
        matched = {way: count for way, count in counts if way and count}
        return PageMatching(matched=matched, only_in_gt=only_in[GT], only_in_pred=only_in[PRED])

    @cached_property
    def page_regions(self) -> PageRegions:
        """The regions of both sides, page by page."""
        return PageRegions(self.alignment, self.min_score)

    @cached_property
    def objects(self) -> ObjectSource:
        return ObjectSource(self.alignment, self.min_score, self.threads)

    @cached_property
    def has_scores(self) -> bool:
        """Whether a region of pred on the compared pages has a score."""
        return bool(scored_regions(self.alignment, self.min_score).size)

    @cached_property
    def soft_sums(self) -> SoftSums | None:
        """The sums for soft scores; None if the labels differ or scores are not in 0..1."""
        return soft_sums(self.alignment, self.rounding, self.min_score, self.threads)

    def soft_scores(
        self, pages: Positions | None, labels: int, average: str | None, beta: float, eps: float
    ) -> dict[str, Any]:
        """The soft scores of some pages, or of all; wrong options are an error before anything is summed."""
        check_soft_options(average, beta, eps)
        return layout_scores(self.soft_sums, pages, labels, average, beta, eps)

    @cached_property
    def causes(self) -> CauseSource:
        return CauseSource(self.alignment, self.page_regions, self.rounding, self.min_score, self.threads)

    def slack(self, pages: Positions | None) -> float | None:
        return slack_pixels(self.causes, pages)

    @cached_property
    def score_curves(self) -> ScoreCurves:
        return score_curves_of(self.alignment, self.levels, self.rounding, self.min_score, self.threads)

    def of_page(self, page: int) -> tuple[RegionSources, int]:
        return self, page

    def of_pages(self, pages: Positions | None, what: str) -> tuple[RegionSources, Positions | None]:
        return self, pages

    def on_pages(self, pages: Positions) -> tuple[AlignedLayouts, CountedLevels, RegionSources]:
        levels = levels_of_pages(self.levels, pages)
        gt, pred = (source[pages] for source in self.alignment.sources)
        alignment = replace(self.alignment, pages=levels.pages, sources=(gt, pred))
        return alignment, levels, replace(self, alignment=alignment, levels=levels)


def _input_facts(layout: Layout) -> Input:
    return Input(
        name=PurePosixPath(layout.name.replace("\\", "/")).name,
        format=layout.format,
        sha256=layout.sha256,
        annotator=layout.annotator or UNSET,
        pages=len(layout.page_columns),
        regions=len(layout.region_columns),
    )


@dataclass(frozen=True, eq=False)
class ObjectSource:
    """The regions of a comparison as objects, collected once. `pages` are positions, None for all pages."""

    alignment: Alignment
    min_score: MinScore
    threads: int | None

    @cached_property
    def sides(self) -> Sides:
        return instances_of(self.alignment, self.min_score, self.threads)

    def objects(self, pages: Positions | None) -> Objects:
        if pages is None:
            return self._all_objects
        return objects_of(self.alignment, self.min_score, self.sides, pages, self.threads)

    @cached_property
    def _all_objects(self) -> Objects:
        return objects_of(self.alignment, self.min_score, self.sides, None, self.threads)

    def centroids(
        self, pages: Positions | None, tolerance: Tolerance, one_to_one: bool, class_aware: bool
    ) -> Centroids:
        return centroids_of(self.alignment, on_pages(self.sides, pages), tolerance, one_to_one, class_aware)
