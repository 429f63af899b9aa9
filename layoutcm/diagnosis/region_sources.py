"""What a comparison computes from regions instead of pair counts. Each part is collected once, when it is first needed.

Modules are imported where they are used: some of them load compiled code.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from layoutcm.alignment.align import Alignment
from layoutcm.alignment.min_scores import MinScore
from layoutcm.diagnosis.causes import CauseSource
from layoutcm.layouts.model import Positions
from layoutcm.metrics.levels import Levels
from layoutcm.metrics.soft import check_soft_options

if TYPE_CHECKING:
    from layoutcm.diagnosis.score_curves import ScoreCurves
    from layoutcm.metrics.objects.object_source import ObjectSource
    from layoutcm.metrics.soft_layouts import SoftSums
    from layoutcm.pixels.grid import PageRegions


@dataclass(frozen=True, eq=False)
class RegionSources:
    """The sources of objects, soft scores, causes and score curves of one comparison."""

    alignment: Alignment
    levels: Levels
    rounding: str
    min_score: MinScore
    threads: int | None

    @cached_property
    def page_regions(self) -> PageRegions:
        """The regions of both sides, page by page."""
        from layoutcm.pixels.grid import PageRegions

        return PageRegions(self.alignment, self.min_score)

    @cached_property
    def objects(self) -> ObjectSource:
        from layoutcm.metrics.objects.object_source import ObjectSource

        return ObjectSource(self.alignment, self.min_score, self.threads)

    @cached_property
    def soft_sums(self) -> SoftSums | None:
        """The sums for soft scores; None if the labels differ or scores are not in 0..1."""
        from layoutcm.metrics.soft_layouts import soft_sums

        return soft_sums(self.alignment, self.rounding, self.min_score, self.threads)

    def soft_scores(
        self, pages: Positions | None, labels: int, average: str | None, beta: float, eps: float
    ) -> dict[str, Any]:
        """The soft scores of some pages, or of all; wrong options are an error before anything is summed."""
        from layoutcm.metrics.soft_layouts import layout_scores

        check_soft_options(average, beta, eps)
        return layout_scores(self.soft_sums, pages, labels, average, beta, eps)

    @cached_property
    def causes(self) -> CauseSource:
        return CauseSource(self.alignment, self.page_regions, self.rounding, self.min_score, self.threads)

    @cached_property
    def score_curves(self) -> ScoreCurves:
        from layoutcm.diagnosis.score_curves import score_curves_of

        return score_curves_of(self.alignment, self.levels, self.rounding, self.min_score, self.threads)
