"""`compare`, and the `Comparison` that it returns: the pair counts of two layouts and all numbers from them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from layoutcm.alignment.align import AlignedLayouts, Alignment, AlignmentOptions, align, cell_of, gt_without_low_scores
from layoutcm.alignment.min_scores import MinScore, check_named_labels, checked_min_score
from layoutcm.alignment.recipe import Recipe, make_recipe
from layoutcm.alignment.taxonomy import LabelMapping, LabelSpace, load_mapping
from layoutcm.diagnosis.border_slack import slack_share
from layoutcm.diagnosis.causes import TOLERANCE, TOLERANCES, Causes, forgiven_scores
from layoutcm.diagnosis.page_tiles import PageTiles, page_tiles
from layoutcm.diagnosis.region_sources import RegionSources, Sources
from layoutcm.diagnosis.score_curves import ScoreCurves
from layoutcm.diagnosis.slices import slice_source, slices_of
from layoutcm.layouts.findings import LetteredFinding
from layoutcm.layouts.model import Finding, Findings, Layout
from layoutcm.layouts.page_maps import PageMapLike, load_page_map
from layoutcm.lazy import pd
from layoutcm.metrics import levels as in_levels
from layoutcm.metrics.agreement import agreement_of, pages_to_review
from layoutcm.metrics.bootstrap import RESAMPLES
from layoutcm.metrics.confusion import Confusion, confusion_of
from layoutcm.metrics.family_confusion import BY_SIDE, FamilyConfusion, family_confusion, label_space_at_depth
from layoutcm.metrics.family_trees import FamiliesLike, depth_within, family_tree
from layoutcm.metrics.intervals import Intervals, intervals_of
from layoutcm.metrics.levels import CountedLevels, Levels, page_position, pages_at
from layoutcm.metrics.objects.centroids import Centroids
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.metrics.pages_behind import pages_behind, pages_by_pixels
from layoutcm.metrics.soft import EPS
from layoutcm.pixels.counting import Progress, check_counting_options, count_pairs
from layoutcm.pixels.pair_counts import PairCounts
from layoutcm.results.verdict import CONFIDENCE
from layoutcm.results.vocabulary import Vocabulary, vocabulary_of

if TYPE_CHECKING:
    from layoutcm.drawing.notebook import Shown
    from layoutcm.results.result import Result

AnyPath = str | os.PathLike[str]


def compare(
    gt: Layout,
    pred: Layout,
    *,
    rounding: str = "outer",
    min_score: MinScore = None,
    missing_pages: str = "penalise",
    taxonomy: str = "auto",
    documents: str | Mapping[str, str] | None = None,
    mapping: LabelMapping | str | os.PathLike[str] | None = None,
    pages: PageMapLike = None,
    truth: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare two layouts pixel by pixel. The pixels are counted from box edges, without a loop over them.

    Parameters
    ----------
    gt, pred : Layout
        Ground truth and prediction, or two predictions.
    rounding : {"outer", "nearest", "exact"}
        All pixels that a box touches; edges rounded half up; exact areas.
    min_score : float or dict, optional
        Pred regions with a lower score are left out. {label: score} has names after mapping, and None for all other
        labels.
    missing_pages : {"penalise", "ignore", "penalise-both"}
        A page that pred lacks is compared with an empty page, or left out. A page that gt lacks is left out;
        "penalise-both" compares it with an empty page, scaled to gt's median page.
    taxonomy : {"auto", "same", "different", "match-names"}
        Whether both sides share one list of labels; "match-names" joins names that differ only in spelling.
    documents : str or dict, optional
        A pattern that finds the document in the name of a page, or {page: document}.
    mapping : dict or path, optional
        Renames labels: {"gt": {old: new}, "pred": {old: new}}, or a YAML or JSON file. What it has under "preds" and
        the name of the prediction (that of its file, without folder and suffix) is for this prediction only.
    pages : dict or path, optional
        A page map, {gt page: pred page}, where names differ.
    truth : bool
        False: neither side is the truth. They are called A and B, `min_score` holds for both, and reports show how far
        they agree.
    threads : int, optional
        All processors unless given.
    progress : callable, optional
        Called with the number of pages done and the number of all pages.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        Also if pred names pages and none of them is one of gt. A pred without pages is an empty prediction.

    Examples
    --------
    >>> import layoutcm as lcm
    >>> gt = lcm.read("sample_data/gt.json")
    >>> pred = lcm.read("sample_data/model-a.json", like=gt)
    >>> c = lcm.compare(gt, pred)
    >>> c.taxonomy, len(c.pages)
    ('same', 60)
    >>> round(c.confusion().average("macro")["f1"], 3)
    0.81
    """
    check_counting_options(rounding, threads)
    min_score = checked_min_score(min_score)
    options = AlignmentOptions(missing_pages, taxonomy, load_mapping(mapping), documents, load_page_map(pages))
    alignment = align(gt, pred, options)
    check_named_labels(min_score, list(dict.fromkeys(label for side in alignment.layouts for label in side.labels)))
    if not truth and min_score is not None:
        alignment = align(gt_without_low_scores(gt, alignment, min_score), pred, options)
    counts = count_pairs(alignment, rounding, min_score, threads, progress)
    settings = make_recipe(gt, pred, alignment, options, rounding, min_score)
    return comparison_in_memory(
        alignment, counts, rounding, min_score, settings if truth else settings.without_truth(), threads, truth
    )


@dataclass(frozen=True, eq=False)
class Comparison:
    """The comparison of two layouts: matrices at every level, tables, and the pages behind a cell."""

    alignment: Alignment
    levels: Levels  # the counts by page and by document
    sources: Sources  # what is computed from regions instead of pair counts
    rounding: str
    min_score: MinScore
    settings: Recipe
    threads: int | None = None
    has_truth: bool = True  # else the two sides are called A and B

    def __repr__(self) -> str:
        return f"<Comparison {self.recipe}>"

    @property
    def space(self) -> LabelSpace:
        return self.alignment.space

    @property
    def labels(self) -> list[str]:
        return list(self.space.labels)

    @property
    def side_names(self) -> tuple[str, ...]:
        return self.vocabulary.sides

    @property
    def vocabulary(self) -> Vocabulary:
        """The words for the two sides and for what one of them lacks."""
        return vocabulary_of(self.has_truth)

    @property
    def taxonomy(self) -> str:
        """How the labels of the two sides relate: same, different or mapped."""
        return self.alignment.taxonomy

    @property
    def all_counts(self) -> PairCounts:
        return self.levels.counts

    @property
    def pages(self) -> Sequence[str]:
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
    def findings(self) -> Findings:
        return Findings(finding for findings in self.findings_by_side.values() for finding in findings)

    @property
    def findings_by_side(self) -> dict[str, tuple[Finding, ...]]:
        """{"gt", "pred", "both": findings}; a repair named by a finding under "both" is a repair of pred."""
        found = self.sources.findings_by_side
        if self.has_truth:
            return found
        fields = ("code", "count", "values", "severity", "repair")
        lettered = lambda one: LetteredFinding(*(getattr(one, name) for name in fields))
        return {side: tuple(map(lettered, findings)) for side, findings in found.items()}

    @property
    def recipe(self) -> str:
        """The settings in one line, for method matrix; `recipe_for` takes other methods and further settings."""
        return self.recipe_for("matrix")

    @property
    def recipe_fields(self) -> dict[str, str]:
        """The settings of `recipe` as {setting: value}, in the order of the line."""
        return self.settings.with_version(method="matrix")

    def recipe_for(self, method: str | None, **more: object) -> str:
        return self.settings.line(method=method, **more)

    def page_tiles(self, page: str) -> PageTiles:
        """The tiles of one page, with the rounding and score threshold of the comparison."""
        sources, number = self.sources.of_page(page_position(self.levels.pages, page))
        grid = sources.page_regions.to_grid(number, self.rounding)
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
        counts, space, more = self.counts(page, document), self.space, {"document": document, "page": page}
        if families is not None:
            tree = family_tree(families, self.labels[1:])
            space = label_space_at_depth(space, counts.labels, tree, depth, expanded)
            counts, at = counts.merged(), {"families": tree.title, "depth": str(min(depth, tree.depth + 1))}
            more |= {**at, "expanded": "+".join(expanded) or None}
        found = confusion_of(counts, space, method, self.recipe_for(method, **more))
        return replace(found, side_names=self.side_names)

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
        at = {"families": tree.title, "depth": depth_within(tree, depth), "sample": sample, "count": count or BY_SIDE}
        recipe = self.recipe_for(None, document=document, page=page, **at)
        counts, shared = in_levels.samples_at(self.levels, sample, page, document), self.space.shared
        return family_confusion(counts, shared, tree, sample, count, depth, recipe)

    def page_matches(self) -> pd.DataFrame:
        """One row per page: gt_page, pred_page, how: map, exact, base name, stem, spelling, path, number or ""."""
        return self.alignment.page_match_table()

    def objects(self, page: str | None = None, document: str | None = None) -> Objects:
        """Scores of boxes and masks instead of pixels: AP, scores at one IoU, the object confusion matrix."""
        sources, pages = self.sources.of_pages(pages_at(self.levels, page, document), "objects")
        return sources.objects.objects(pages)

    def centroids(
        self,
        tolerance: tuple[float, float] = (20, 20),
        one_to_one: bool = True,
        class_aware: bool = True,
        page: str | None = None,
        document: str | None = None,
    ) -> Centroids:
        """Regions matched by centres closer than (dx, dy): precision, recall, F1, matches."""
        sources, pages = self.sources.of_pages(pages_at(self.levels, page, document), "centroids")
        return sources.objects.centroids(pages, tolerance, one_to_one, class_aware)

    def content(self, page: str | None = None, document: str | None = None) -> dict[str, float]:
        """Precision, recall and F1 of content against Background; each pixel counts once, whatever its labels."""
        return confusion_of(self.counts(page, document), self.space, "matrix").content()

    def page_table(self, method: str = "matrix") -> pd.DataFrame:
        """One row per page, the worst first: page, document, pixels, scores without Background, content scores.

        Without a truth, it has the agreement instead of scores.
        """
        return in_levels.page_table(self.levels, method, self.vocabulary.measured)

    def document_table(self, method: str = "matrix") -> pd.DataFrame:
        """One row per document, the worst first: document, pages, pixels, and what the page table has."""
        return in_levels.document_table(self.levels, method, self.vocabulary.measured)

    def average(
        self, kind: str = "macro", background: bool = False, over: str = "pixels", method: str = "matrix"
    ) -> dict[str, float]:
        """Precision, recall and F1 over "pixels", or the mean over "pages" or "documents"; nan is left out."""
        return in_levels.average(self.levels, kind, background, over, method)

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
        sources, pages = self.sources.of_pages(pages_at(self.levels, page, document), "soft scores")
        return sources.soft_scores(pages, len(self.labels) - 1, average, beta, eps)

    def causes(self, page: str | None = None, document: str | None = None, tolerance: float = TOLERANCE) -> Causes:
        """Why pixels are wrong: each cell of the matrix divided into eight causes; nan if the labels differ."""
        return self.sources.causes.of_pages(pages_at(self.levels, page, document), tolerance).total

    def border_slack(self, page: str | None = None, document: str | None = None) -> float | None:
        """The share of wrong pixels whose cause is slack; None if it is not known and would take long to count."""
        return slack_share(self.sources.slack(pages_at(self.levels, page, document)), self.confusion(page, document))

    def forgiveness(self, tolerances: Sequence[float] = TOLERANCES) -> pd.DataFrame:
        """F1 if borders may be off by a share of the longer page side: tolerance, micro_f1, macro_f1, content_f1."""
        return forgiven_scores(self.confusion(), self.sources.causes, tolerances)

    def score_curves(self) -> ScoreCurves:
        """F1 of each label over the score threshold, best thresholds, ROC AUC and calibration; nan if labels differ."""
        return self.sources.score_curves

    def slices(self, attribute: str | None, figure: str | None = None, **options: Any) -> pd.DataFrame:
        """Figures by a page attribute, against the rest (None: the worst of all); `options` are method, level, seed."""
        return slices_of(slice_source(self.alignment, self.levels, figure, **options), attribute)

    def agreement(self, page: str | None = None, document: str | None = None) -> dict[str, float]:
        """Observed agreement, Cohen's kappa, Krippendorff's alpha, for two sides if neither is the truth."""
        return agreement_of([self.counts(page, document)], self.space)

    def pages_to_review(self) -> pd.DataFrame:
        """The pages on which the two sides disagree most about each label: page, document, label, pixels, share."""
        return pages_to_review(self.levels)

    def pages_behind(
        self, gt_label: str, pred_label: str, method: str = "matrix", *, cause: str | None = None
    ) -> pd.DataFrame:
        """The pages with pixels in a cell, of one cause or all, in descending order: page, document, pixels, share."""
        if cause is None:
            return pages_behind(self.levels, self.alignment, gt_label, pred_label, method)
        counts, cell = self.sources.causes.of_all_pages(), self.cell(gt_label, pred_label)
        return pages_by_pixels(self.levels, counts.by_page(len(self.pages), cell, cause))

    def cell(self, gt_label: str, pred_label: str) -> tuple[int, int]:
        return cell_of(self.alignment, gt_label, pred_label)

    def result(
        self, method: str = "matrix", why: bool = False, intervals: int | bool | None = None, **more: Any
    ) -> Result:
        """Everything that is known about the comparison as one value, which can be written, read and compared.

        `why`: causes and score curves. `intervals`: a number of resamples, or False; unless given, there are intervals
        if there is a truth. More: `families`; `slices`: an attribute, or True for the worst; `per_page`.
        """
        from layoutcm.filling.result_of import result_of, usual_asked

        return result_of(self, method, usual_asked(self, intervals, why=why, **more))

    def write_report(self, folder: AnyPath, images: AnyPath | None = None, method: str = "matrix", **more: Any) -> Path:
        """Write report.html, report.xlsx, result.json, pages, figures and tables into a folder, and return it.

        `images`: a folder, zip, PDF or Parquet of page images. More: as in `result`.
        Only an old report is replaced.
        """
        from layoutcm.report.report_files import write_report

        return write_report(self, folder, images, method=method, **more)

    def show(self, method: str = "matrix") -> Shown:
        """The interactive matrix in a notebook; a click on a cell lists the pages behind it."""
        return _notebook().show_matrix(self, method)

    def show_page(self, page: str, images: AnyPath | None = None, method: str = "matrix") -> Shown:
        """One page in a notebook, in the viewer of the dashboard; `images` as in `write_report`."""
        return _notebook().show_page(self, page, images, method)

    def _repr_html_(self) -> str:
        return _notebook().comparison_html(self)


def comparison_in_memory(
    alignment: AlignedLayouts,
    counts: PairCounts,
    rounding: str,
    min_score: MinScore,
    settings: Recipe,
    threads: int | None = None,
    has_truth: bool = True,
) -> Comparison:
    """The comparison of two layouts whose regions and pair counts are in memory."""
    levels = CountedLevels(counts, alignment.space, alignment.pages)
    sources = RegionSources(alignment, levels, rounding, min_score, threads, has_truth)
    return Comparison(alignment, levels, sources, rounding, min_score, settings, threads, has_truth)


def _notebook() -> Any:
    from layoutcm.drawing import notebook

    return notebook
