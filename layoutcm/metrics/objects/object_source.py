"""The regions of a comparison as objects, collected once, and what is computed from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from layoutcm.alignment.align import Alignment
from layoutcm.alignment.min_scores import MinScore
from layoutcm.layouts.model import Positions
from layoutcm.metrics.objects.centroids import Centroids, Tolerance, centroids_of
from layoutcm.metrics.objects.instances import Sides, instances_of, on_pages
from layoutcm.metrics.objects.matched_objects import Objects, objects_of


@dataclass(frozen=True, eq=False)
class ObjectSource:
    """Where objects and centroids come from. `pages` are positions, None for all pages."""

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
