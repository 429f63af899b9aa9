"""`compare` and `Comparison`: from two layouts to pair counts, and from them to every number.

The only place that knows the whole way of the data.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from layoutcm import __version__
from layoutcm.alignment.align import Alignment, Mapped, align
from layoutcm.alignment.checks import check_pair, findings_of
from layoutcm.alignment.taxonomy import read_mapping
from layoutcm.errors import InputError, shown
from layoutcm.layouts.model import (
    GT,
    PRED,
    ROUNDINGS,
    Finding,
    Floats,
    LabelSpace,
    Layout,
    Regions,
    find_page,
    no_probability,
    stem,
)
from layoutcm.layouts.page_maps import PagesGiven, page_map_of
from layoutcm.metrics import rankings
from layoutcm.metrics.bootstrap import LEVEL, RESAMPLES, Intervals, bootstrap
from layoutcm.metrics.confusion import Confusion, confusion_of
from layoutcm.metrics.family_confusion import FamilyConfusion, families_of, space_at
from layoutcm.metrics.family_trees import Given, depth_within, family_tree
from layoutcm.metrics.levels import Stacks, level_averages, stacks
from layoutcm.metrics.scores import SCORES, ratio
from layoutcm.metrics.soft import EPS, SOFT_SCORES, check_soft_options
from layoutcm.pixels.pair_counts import PairCounts
from layoutcm.wording import one_line

if TYPE_CHECKING:
    import pandas as pd

    from layoutcm.metrics.objects.centroids import Centroids
    from layoutcm.metrics.objects.matched_objects import Objects
    from layoutcm.metrics.soft_layouts import SoftSums
    from layoutcm.pixels.counting import Progress
    from layoutcm.pixels.grid import LaidOut, PageRegions


def compare(
    gt: Layout,
    pred: Layout,
    *,
    rounding: str = "outer",
    min_score: float | None = None,
    missing_pages: str = "penalise",
    taxonomy: str = "auto",
    documents: str | Mapping[str, str] | None = None,
    mapping: Mapped | str | os.PathLike[str] | None = None,
    pages: PagesGiven = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare two layouts pixel by pixel, without looking at pixels.

    `min_score` drops pred regions with a lower score. `pages` says which pages belong together where their names do
    not: {gt page: pred page}, or a CSV, YAML or JSON file of it. `progress` is called with (pages done, pages in all).
    """
    from layoutcm.pixels.counting import count_pairs

    for name, layout in (("gt", gt), ("pred", pred)):
        if not isinstance(layout, Layout):
            raise InputError("", name, f"{shown(layout)} is not a layout", "Read the file first: layoutcm.read(path).")
    if min_score is not None and not (isinstance(min_score, int | float) and math.isfinite(min_score)):
        raise InputError("", "min_score", f"{shown(min_score)} is not a finite number", "Use one such as 0.5.")
    if threads is not None and not (isinstance(threads, int) and threads >= 1):
        raise InputError("", "threads", f"{shown(threads)} is not a number of threads", "Use 1 or more.")
    if rounding not in ROUNDINGS:
        raise InputError("", "rounding", f"{shown(rounding)} is not known", f"Use one of {', '.join(ROUNDINGS)}.")
    if isinstance(mapping, str | os.PathLike):
        mapping = read_mapping(mapping)
    page_map = page_map_of(pages)
    alignment = align(
        gt,
        pred,
        missing_pages=missing_pages,
        taxonomy=taxonomy,
        mapping=mapping,
        documents=documents,
        page_map=page_map,
    )
    counts = count_pairs(alignment, rounding, min_score, threads, progress)
    options = {
        "shapes": "polygon" if any(side.region_columns.shapes for side in (gt, pred)) else None,
        "rounding": rounding,
        "min_score": min_score,
        "missing_pages": None if missing_pages == "penalise" else missing_pages,
        "documents": None if documents is None else documents if isinstance(documents, str) else "table",
        "taxonomy": "match-names" if taxonomy == "match-names" else alignment.taxonomy,
        "mapped_labels": alignment.mapped_labels or None,
        "gt_fix": "+".join(gt.fixes) or None,
        "fix": "+".join(pred.fixes) or None,
        "mapped_pages": (page_map and len(page_map.entries)) or None,
    }
    named = {name: str(value).replace("|", "/") for name, value in options.items() if value is not None}
    return Comparison(alignment, counts, rounding, min_score, named, threads)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two layouts compared: matrices at every level, tables, and the pages behind a number."""

    alignment: Alignment
    all_counts: PairCounts
    rounding: str
    min_score: float | None
    options: dict[str, str]  # as the recipe names them
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
        """same, different or mapped."""
        return self.alignment.taxonomy

    @cached_property
    def pages(self) -> list[str]:
        return list(self.alignment.pages.names)

    @cached_property
    def documents(self) -> list[str]:
        return list(dict.fromkeys(self.alignment.pages.documents))

    @cached_property
    def document_of_page(self) -> NDArray[np.int64]:
        """int64[pages]: index into `documents`."""
        position = {document: i for i, document in enumerate(self.documents)}
        return np.fromiter((position[d] for d in self.alignment.pages.documents), np.int64, len(self.pages))

    @property
    def pixels(self) -> float:
        return self.all_counts.total

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was odd: in each file, between the two, and what would explain that they hardly meet."""
        return tuple(finding for found in self.findings_by_side.values() for finding in found)

    @cached_property
    def findings_by_side(self) -> dict[str, tuple[Finding, ...]]:
        """What was odd in gt, in pred, and between the two; a remedy of the last is one for pred."""
        gt, pred = self.alignment.layouts
        between = (*self.alignment.findings, *self._below_threshold(), *check_pair(self.alignment))
        return {"gt": findings_of(gt), "pred": findings_of(pred), "both": between}

    def _below_threshold(self) -> list[Finding]:
        scores = self.alignment.layouts[PRED].region_columns.scores
        if self.min_score is not None and len(scores) and not self.alignment.layouts[PRED].has_scores:
            message = f"No region of pred has a score, so none is left out by the smallest score of {self.min_score}."
            return [Finding("min-score-without-scores", message, severity="info")]
        dropped = 0 if self.min_score is None else int((scores < self.min_score).sum())
        are = "has a score below {} and is" if dropped == 1 else "have a score below {} and are"
        message = f"{dropped:,} of {len(scores):,} regions of pred {are.format(self.min_score)} left out."
        return [Finding("below-min-score", message, severity="info", count=dropped)] if dropped else []

    @property
    def recipe(self) -> str:
        """What was done, in one line; `recipe_for` names the method too."""
        return self.recipe_for("matrix")

    def recipe_for(self, method: str | None, **more: object) -> str:
        gt, pred = (PurePosixPath(side.name).stem.replace("|", "/") for side in self.alignment.layouts)
        chosen = {"method": method, **more}
        added = {name: str(value).replace("|", "/") for name, value in chosen.items() if value is not None}
        parts = {"gt": gt, "pred": pred, "pages": len(self.pages), **self.options, **added}
        return one_line("|".join(f"{name}:{value}" for name, value in parts.items())) + f"|v{__version__}"

    def lay_out_page(self, page: int) -> LaidOut:
        """The boxes of both sides on the pixel grid of one page, which is page 0 of what comes back."""
        return self._page_regions.laid_out(page, self.rounding)

    def regions_of(self, side: int, page: int) -> Regions:
        """A side's regions on one page, in the common frame; those under the score threshold are left out."""
        return self._page_regions.of(side, page)

    @cached_property
    def _page_regions(self) -> PageRegions:
        from layoutcm.pixels.grid import PageRegions

        return PageRegions(self.alignment, self.min_score)

    def counts(self, page: str | None = None, document: str | None = None) -> PairCounts:
        """Pair counts of the whole set, of a page or of a document."""
        pages = self._pages_asked(page, document)
        return self.all_counts if pages is None else self.all_counts.of_pages(pages.tolist())

    def _pages_asked(self, page: str | None, document: str | None) -> NDArray[np.int64] | None:
        """The pages that a level is made of; None = all."""
        if page is not None and document is not None:
            raise InputError("", "page, document", "both are given", "Give one of them.")
        if page is not None:
            return np.array([self.page_index(page)])
        return None if document is None else self.pages_of(document)

    def confusion(
        self,
        page: str | None = None,
        document: str | None = None,
        method: str = "matrix",
        *,
        families: Given | None = None,
        depth: int = 1,
        expanded: Sequence[str] = (),
    ) -> Confusion:
        """The multi-label confusion matrix of the whole set, of a page or of a document.

        With `families`, labels are shown as the family around them at a depth of the tree (0: all as Content);
        families in `expanded` are opened. It is counted anew from the pairs, not added up from cells.
        """
        counts = self.counts(page, document)
        if families is None:
            return confusion_of(counts, self.space, method, self.recipe_for(method, document=document, page=page))
        tree = family_tree(families, self.labels[1:])
        space = space_at(self.space, counts.labels, tree, depth, expanded)
        opened = "+".join(expanded) or None
        level = {"document": document, "page": page}
        used = min(depth, tree.depth + 1)  # where each label is itself
        recipe = self.recipe_for(method, **level, families=tree.title, depth=used, expanded=opened)
        return confusion_of(counts.merged(), space, method, recipe)

    def families(
        self,
        families: Given,
        sample: str = "pixel",
        count: str = "pairs",
        *,
        depth: int = 1,
        page: str | None = None,
        document: str | None = None,
    ) -> FamilyConfusion:
        """Which confusions stay inside a family of labels and which leave it.

        `families` is {family: [labels]}, a tree of such, a YAML or JSON file, or the name of a built-in tree
        (doclaynet, publaynet, docling, mixed); `depth` is that of the families in a tree. A sample is a pixel or
        a page; a remaining pair counts 1 (pairs), or each gt (gold) or pred label spends 1.
        """
        tree = family_tree(families, self.labels[1:])
        level = {"document": document, "page": page}
        used = depth_within(tree, depth)
        recipe = self.recipe_for(None, **level, families=tree.title, depth=used, sample=sample, count=count)
        return families_of(self.counts(page, document), self.space.shared, tree, sample, count, depth, recipe)

    def page_matches(self) -> pd.DataFrame:
        """One row for each page of gt, then those that only pred has: gt_page, pred_page, how.

        `how` is map, exact, base name, stem, spelling or number; "", and the missing name "", for a page left alone.
        """
        return rankings.matches(self.alignment)

    def objects(self, page: str | None = None, document: str | None = None) -> Objects:
        """Boxes and masks instead of pixels: AP, scores at one IoU, the object confusion matrix."""
        from layoutcm.metrics.objects.matched_objects import objects_of

        pages = self._pages_asked(page, document)
        return self._all_objects if pages is None else objects_of(self.alignment, self.min_score, pages)

    @cached_property
    def _all_objects(self) -> Objects:
        from layoutcm.metrics.objects.matched_objects import objects_of

        return objects_of(self.alignment, self.min_score)

    def centroids(
        self,
        tolerance: tuple[float, float] = (20, 20),
        one_to_one: bool = True,
        class_aware: bool = True,
        page: str | None = None,
        document: str | None = None,
    ) -> Centroids:
        """Which regions' centres meet within (dx, dy): precision, recall, F1, matches."""
        from layoutcm.metrics.objects.centroids import centroids_of

        pages = self._pages_asked(page, document)
        return centroids_of(self.alignment, self.min_score, tolerance, one_to_one, class_aware, pages)

    def page_index(self, page: str) -> int:
        """The page of this name; of one that is alike, without folder or suffix, where that is enough to tell."""
        index = self.alignment.pages.index
        if not isinstance(page, str):
            raise InputError(
                "", "page", f"{shown(page)} is not a page's name", f"Names are like {shown(next(iter(index), ''))}."
            )
        found = find_page(page, self.alignment.pages)
        if found is not None:
            return found
        alike = [name for name in index if stem(name) == stem(page)]
        problem = f"{shown(page)} fits {len(alike)} pages" if alike else f"there is no page {shown(page)}"
        raise InputError("", "page", problem, f"Page names are like {shown(next(iter(index), ''))}.")

    def pages_of(self, document: str) -> NDArray[np.int64]:
        if document not in self.documents:
            raise InputError(
                "",
                "document",
                f"there is no document {shown(document)}",
                f"Document names are like {shown(next(iter(self.documents), ''))}.",
            )
        return np.flatnonzero(self.document_of_page == self.documents.index(document))

    def page_matrices(self, method: str = "matrix") -> Stacks:
        """Blocks of pages with a matrix for each page."""
        return stacks(self.all_counts, self.space, self.all_counts.page, len(self.pages), method)

    def document_matrices(self, method: str = "matrix") -> Stacks:
        """The same for documents."""
        document = self.document_of_page[self.all_counts.page]
        return stacks(self.all_counts, self.space, document, len(self.documents), method)

    @cached_property
    def page_pixels(self) -> Floats:
        """float64[pages]"""
        return np.bincount(self.all_counts.page, self.all_counts.pixels, minlength=len(self.pages)).astype(float)

    def page_table(self, method: str = "matrix") -> pd.DataFrame:
        """One row a page, the worst first: page, document, pixels, scores without Background, content scores."""
        pages = self.alignment.pages
        columns = {"page": list(pages.names), "document": list(pages.documents), "pixels": self.page_pixels}
        return rankings.worst_first(columns, self.page_matrices(method), self.space.shared)

    def document_table(self, method: str = "matrix") -> pd.DataFrame:
        """One row a document, the worst first: document, pages, pixels, and the scores of the page table."""
        n = len(self.documents)
        columns = {
            "document": list(self.documents),
            "pages": np.bincount(self.document_of_page, minlength=n),
            "pixels": np.bincount(self.document_of_page, self.page_pixels, minlength=n),
        }
        return rankings.worst_first(columns, self.document_matrices(method), self.space.shared)

    def average(
        self, kind: str = "macro", background: bool = False, over: str = "pixels", method: str = "matrix"
    ) -> dict[str, float]:
        """Precision, recall and F1 of the set: of all pixels, or the mean of each page's or document's own.

        `over` is "pixels", "pages" or "documents"; a page with nothing to score is left out.
        """
        if over not in ("pixels", "pages", "documents"):
            raise InputError("", "over", f"{shown(over)} is not known", "Use pixels, pages or documents.")
        if over == "pixels":
            return self.confusion(method=method).average(kind, background)
        if not self.space.shared:
            return dict.fromkeys(SCORES, float("nan"))
        blocks = self.page_matrices(method) if over == "pages" else self.document_matrices(method)
        values = level_averages(blocks, kind, background)
        return {name: float(ratio(np.nansum(v), np.isfinite(v).sum())) for name, v in values.items()}

    def bootstrap(self, n: int = RESAMPLES, seed: int = 0, level: float = LEVEL, method: str = "matrix") -> Intervals:
        """Intervals for every headline figure and class value, from `n` resamples of the documents.

        Where there is one document its pages are resampled; `units` of the result says which.
        """
        return bootstrap(self, n, seed, level, method)

    def soft(
        self,
        average: str | None = "macro",
        beta: float = 1.0,
        page: str | None = None,
        document: str | None = None,
        eps: float = EPS,
    ) -> dict[str, Any]:
        """Precision, recall, F-beta and dice of the regions' scores, of the whole set, of a page or of a document.

        `average` is "micro", "macro" (mean of the labels), "samples" (mean of the pages) or None: float64[labels],
        without Background. nan where the two sides' labels differ or scores are not in 0..1.
        """
        from layoutcm.metrics.soft_layouts import layout_scores

        check_soft_options(average, beta, eps)
        rows, labels = self._pages_asked(page, document), len(self.labels) - 1
        if self.soft_sums is None:
            return {name: np.full(labels, np.nan) if average is None else float("nan") for name in SOFT_SCORES}
        sums = self.soft_sums if rows is None else self.soft_sums.of_pages(rows)
        return layout_scores(sums, labels, average, beta, eps)

    @cached_property
    def soft_sums(self) -> SoftSums | None:
        """What soft scores are read off; None where they have no meaning."""
        from layoutcm.metrics.soft_layouts import join_sums, sum_pages
        from layoutcm.pixels.counting import PAGES_A_CHUNK, mapped_over
        from layoutcm.pixels.grid import lay_out_alignment

        laid = lay_out_alignment(self.alignment, self.rounding, self.min_score)
        if not self.space.shared or no_probability(laid.scores).any():
            return None
        pages = len(self.pages)
        starts = range(0, pages, PAGES_A_CHUNK)
        work = lambda first: sum_pages(first, min(first + PAGES_A_CHUNK, pages), laid, self.space)
        return join_sums(list(mapped_over(work, starts, self.threads)))

    def pages_behind(self, gt_label: str, pred_label: str, method: str = "matrix") -> pd.DataFrame:
        """Pages ranked by what they add to one cell: page, document, pixels, share of the cell."""
        counts = self.all_counts
        gt, pred = self._side_label(GT, gt_label), self._side_label(PRED, pred_label)
        having = counts.select(counts.has(GT, gt) & counts.has(PRED, pred))
        return rankings.behind(having, self.space, self.alignment.pages, self.places(gt_label, pred_label), method)

    def places(self, gt_label: str, pred_label: str) -> tuple[int, int]:
        """Row and column of a cell of the matrix."""
        return self._place(GT, gt_label), self._place(PRED, pred_label)

    def _place(self, side: int, label: str) -> int:
        # A label that only the other side has still has a row and a column; nothing is ever booked there.
        own = self._side_label(side, label)
        place = (self.space.gt_place, self.space.pred_place)[side]
        return int(place[own]) if own >= 0 else self.labels.index(label)

    def _side_label(self, side: int, label: str) -> int:
        """0 for Background, i for the side's i-th label; -1 for a label that only the other side has."""
        names = (self.labels[0], *self.alignment.layouts[side].labels)
        if label not in names and label not in self.labels:
            raise InputError(
                "", "label", f"there is no label {shown(label)}", f"Labels: {', '.join(map(shown, names[:12]))}."
            )
        return names.index(label) if label in names else -1

    def write_report(
        self,
        folder: str | os.PathLike[str],
        images: str | os.PathLike[str] | None = None,
        method: str = "matrix",
        *,
        families: FamilyConfusion | Given | None = None,
        intervals: int | None = None,
    ) -> Path:
        """Write report.html, report.xlsx, result.json, pages, figures and tables into a folder, and give it back.

        `images` is a folder of page images, a zip of them or a PDF; `families` are those of `families`, or what it
        gave back; `intervals` is a number of resamples. An earlier report there is replaced; a folder with anything
        else in it is refused.
        """
        # Asked for by name: the report stands on top of this room, and no import may lead upwards.
        write = import_module("layoutcm.report.report_files").write_report
        return write(self, folder, images, method=method, families=families, intervals=intervals)
