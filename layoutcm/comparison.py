"""`Comparison`: the pair counts of two layouts, and all numbers computed from them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from layoutcm.alignment.align import Alignment
from layoutcm.alignment.checks import findings_by_side
from layoutcm.alignment.recipe import Recipe
from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.diagnosis.causes import TOLERANCE, TOLERANCES, Causes, CauseSource, forgiven_scores
from layoutcm.layouts.model import Finding
from layoutcm.metrics.bootstrap import CONFIDENCE, RESAMPLES
from layoutcm.metrics.confusion import Confusion, confusion_of
from layoutcm.metrics.family_confusion import BY_SIDE, FamilyConfusion, family_confusion, label_space_at_depth
from layoutcm.metrics.family_trees import FamiliesLike, depth_within, family_tree
from layoutcm.metrics.intervals import Intervals, intervals_of
from layoutcm.metrics.levels import Levels, pages_behind, pages_by_pixels
from layoutcm.metrics.soft import EPS, check_soft_options
from layoutcm.pixels.pair_counts import PairCounts

if TYPE_CHECKING:
    import pandas as pd

    from layoutcm.diagnosis.page_tiles import PageTiles
    from layoutcm.metrics.objects.centroids import Centroids
    from layoutcm.metrics.objects.instances import Sides
    from layoutcm.metrics.objects.matched_objects import Objects
    from layoutcm.metrics.soft_layouts import SoftSums
    from layoutcm.pixels.grid import PageRegions


@dataclass(frozen=True, eq=False)
class Comparison:
    """The comparison of two layouts: matrices at every level, tables, and the pages behind a cell."""

    alignment: Alignment
    all_counts: PairCounts
    rounding: str
    min_score: float | None
    settings: Recipe
    threads: int | None = None

    def __repr__(self) -> str:
        return f"<Comparison {self.recipe}>"

    @property
    def space(self) -> LabelSpace:
        return self.alignment.space

    @property
    def labels(self) -> list[str]:
        return list(self.space.labels)

    @property
    def taxonomy(self) -> str:
        """How the labels of the two sides relate: same, different or mapped."""
        return self.alignment.taxonomy

    @cached_property
    def levels(self) -> Levels:
        """The counts by page and by document."""
        return Levels(self.all_counts, self.space, self.alignment.pages)

    @property
    def pages(self) -> list[str]:
        return self.levels.page_names

    @property
    def documents(self) -> list[str]:
        return self.levels.documents

    @property
    def pixels(self) -> float:
        return self.all_counts.total

    @property
    def ignored_pixels(self) -> float:  # under ignore regions and crowds of gt
        return self.all_counts.ignored_total

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for findings in self.findings_by_side.values() for finding in findings)

    @cached_property
    def findings_by_side(self) -> dict[str, tuple[Finding, ...]]:
        """{"gt", "pred", "both": findings}; a repair named by a finding under "both" is a repair of pred."""
        return findings_by_side(self.alignment, self.min_score, self.pixels, self.ignored_pixels)

    @property
    def recipe(self) -> str:
        """The settings in one line, for method matrix; `recipe_for` takes other methods and further settings."""
        return self.recipe_for("matrix")

    @property
    def recipe_fields(self) -> dict[str, str]:
        """The same as {setting: value}, in the order of the line."""
        return self.settings.with_version(method="matrix")

    def recipe_for(self, method: str | None, **more: object) -> str:
        return self.settings.line(method=method, **more)

    @cached_property
    def page_regions(self) -> PageRegions:
        """The regions of both sides, page by page."""
        from layoutcm.pixels.grid import PageRegions

        return PageRegions(self.alignment, self.min_score)

    def page_tiles(self, page: str) -> PageTiles:
        """The tiles of one page, with the rounding and score threshold of the comparison."""
        from layoutcm.diagnosis.page_tiles import page_tiles

        grid = self.page_regions.to_grid(self.levels.page_index(page), self.rounding)
        return page_tiles(grid, self.space, self.all_counts.labels, self.rounding)

    def counts(self, page: str | None = None, document: str | None = None) -> PairCounts:
        """The pair counts of the whole set, of a page or of a document."""
        return self.levels.counts_at(page, document)

    def confusion(
        self,
        page: str | None = None,
        document: str | None = None,
        method: str = "matrix",
        *,
        families: FamiliesLike | None = None,
        depth: int = 1,
        expanded: Sequence[str] = (),
    ) -> Confusion:
        """The multi-label confusion matrix of the whole set, of a page or of a document.

        With `families`, labels are counted as their family at `depth` (0: all as Content), or deeper if in `expanded`.
        """
        counts, level = self.counts(page, document), {"document": document, "page": page}
        if families is None:
            return confusion_of(counts, self.space, method, self.recipe_for(method, **level))
        tree = family_tree(families, self.labels[1:])
        space = label_space_at_depth(self.space, counts.labels, tree, depth, expanded)
        at = {"families": tree.title, "depth": min(depth, tree.depth + 1), "expanded": "+".join(expanded) or None}
        return confusion_of(counts.merged(), space, method, self.recipe_for(method, **level, **at))

    def families(
        self,
        families: FamiliesLike,
        sample: str = "pixel",
        count: str | None = None,
        *,
        depth: int = 1,
        page: str | None = None,
        document: str | None = None,
    ) -> FamilyConfusion:
        """The confusions inside a family of labels, at a depth of a tree of families, and those that leave it.

        `families` is a tree {family: [labels]}, a YAML or JSON file, or built in: doclaynet, publaynet, docling, mixed.
        `sample` is "pixel" or "page". `count` None: matrices by "pairs", shares of gt by "gold", of pred by "pred".
        """
        tree = family_tree(families, self.labels[1:])
        level = {"document": document, "page": page}
        used = depth_within(tree, depth)
        recipe = self.recipe_for(None, **level, families=tree.title, depth=used, sample=sample, count=count or BY_SIDE)
        return family_confusion(self.counts(page, document), self.space.shared, tree, sample, count, depth, recipe)

    def page_matches(self) -> pd.DataFrame:
        """One row per page: gt_page, pred_page, how: map, exact, base name, stem, spelling, path, number or ""."""
        return self.alignment.page_match_table()

    def objects(self, page: str | None = None, document: str | None = None) -> Objects:
        """Scores of boxes and masks instead of pixels: AP, scores at one IoU, the object confusion matrix."""
        from layoutcm.metrics.objects.matched_objects import objects_of

        pages = self.levels.pages_at(page, document)
        if pages is None:
            return self._all_objects
        return objects_of(self.alignment, self.min_score, self.object_sides, pages, self.threads)

    @cached_property
    def _all_objects(self) -> Objects:
        from layoutcm.metrics.objects.matched_objects import objects_of

        return objects_of(self.alignment, self.min_score, self.object_sides, None, self.threads)

    @cached_property
    def object_sides(self) -> Sides:
        """The regions of both sides as objects."""
        from layoutcm.metrics.objects.instances import instances_of

        return instances_of(self.alignment, self.min_score, self.threads)

    def centroids(
        self,
        tolerance: tuple[float, float] = (20, 20),
        one_to_one: bool = True,
        class_aware: bool = True,
        page: str | None = None,
        document: str | None = None,
    ) -> Centroids:
        """Regions matched by centres closer than (dx, dy): precision, recall, F1, matches."""
        from layoutcm.metrics.objects.centroids import centroids_of
        from layoutcm.metrics.objects.instances import on_pages

        sides = on_pages(self.object_sides, self.levels.pages_at(page, document))
        return centroids_of(self.alignment, sides, tolerance, one_to_one, class_aware)

    def content(self, page: str | None = None, document: str | None = None) -> dict[str, float]:
        """Precision, recall and F1 of content against Background; each pixel counts once, whatever its labels."""
        return confusion_of(self.counts(page, document), self.space, "matrix").content()

    def page_table(self, method: str = "matrix") -> pd.DataFrame:
        """One row per page, the worst first: page, document, pixels, scores without Background, content scores."""
        return self.levels.page_table(method)

    def document_table(self, method: str = "matrix") -> pd.DataFrame:
        """One row per document, the worst first: document, pages, pixels, and the scores of the page table."""
        return self.levels.document_table(method)

    def average(
        self, kind: str = "macro", background: bool = False, over: str = "pixels", method: str = "matrix"
    ) -> dict[str, float]:
        """Precision, recall and F1 over "pixels", or the mean over "pages" or "documents"; nan is left out."""
        return self.levels.average(kind, background, over, method)

    def bootstrap(
        self, n: int = RESAMPLES, seed: int = 0, level: float = CONFIDENCE, method: str = "matrix"
    ) -> Intervals:
        """Intervals of all figures and class values over documents (pages if there is one); `n` resamples, if many."""
        return intervals_of(self.levels, self.recipe_for, n, seed, level, method)

    def soft(
        self,
        average: str | None = "macro",
        beta: float = 1.0,
        page: str | None = None,
        document: str | None = None,
        eps: float = EPS,
    ) -> dict[str, Any]:
        """Soft precision, recall, F-beta and dice, without Background; nan if labels differ or scores are not in 0..1.

        `average` is "micro", "macro" (mean of labels), "weighted" (by gt), "samples" (mean of pages) or None: by label.
        """
        from layoutcm.metrics.soft_layouts import layout_scores

        check_soft_options(average, beta, eps)
        pages = self.levels.pages_at(page, document)
        return layout_scores(self.soft_sums, pages, len(self.labels) - 1, average, beta, eps)

    @cached_property
    def soft_sums(self) -> SoftSums | None:
        """The sums for soft scores; None if the labels differ or scores are not in 0..1."""
        from layoutcm.metrics.soft_layouts import soft_sums

        return soft_sums(self.alignment, self.rounding, self.min_score, self.threads)

    def causes(self, page: str | None = None, document: str | None = None, tolerance: float = TOLERANCE) -> Causes:
        """Why pixels are wrong: each cell of the matrix divided into eight causes; nan if the labels differ."""
        pages = self.levels.pages_at(page, document)
        source = self.cause_source
        return (source.of_all_pages(tolerance) if pages is None else source.of_pages(pages, tolerance)).total

    @cached_property
    def cause_source(self) -> CauseSource:
        return CauseSource(self.alignment, self.page_regions, self.rounding, self.min_score, self.threads)

    def forgiveness(self, tolerances: Sequence[float] = TOLERANCES) -> pd.DataFrame:
        """F1 if borders may be off by a share of the longer page side: tolerance, micro_f1, macro_f1, content_f1."""
        return forgiven_scores(self.confusion(), self.cause_source, tolerances)

    def pages_behind(
        self, gt_label: str, pred_label: str, method: str = "matrix", *, cause: str | None = None
    ) -> pd.DataFrame:
        """The pages with pixels in a cell, of one cause or all, in descending order: page, document, pixels, share."""
        if cause is None:
            return pages_behind(self.levels, self.alignment, gt_label, pred_label, method)
        counts, cell = self.cause_source.of_all_pages(), self.cell(gt_label, pred_label)
        return pages_by_pixels(self.levels, counts.by_page(len(self.pages), cell, cause))

    def cell(self, gt_label: str, pred_label: str) -> tuple[int, int]:
        return self.alignment.cell(gt_label, pred_label)

    def write_report(
        self,
        folder: str | os.PathLike[str],
        images: str | os.PathLike[str] | None = None,
        method: str = "matrix",
        *,
        families: FamilyConfusion | FamiliesLike | None = None,
        intervals: int | None = None,
    ) -> Path:
        """Write report.html, report.xlsx, result.json, pages, figures and tables into a folder, and return it.

        `images`: a folder, zip, PDF or Parquet of page images; `intervals`: resamples. Only an old report is replaced.
        """
        from layoutcm.report.report_files import write_report

        return write_report(self, folder, images, method=method, families=families, intervals=intervals)
