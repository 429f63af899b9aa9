"""Matrices and scores of each page, of each document and of the whole set.

`Levels` is what a comparison knows of its pair counts. `CountedLevels` has them in memory; those of parts read files
(`scale.part_levels`). Functions of this module take either. Matrices are computed in blocks (`matrix_blocks`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.errors import InputError, check_choice, short_repr
from layoutcm.layouts.model import Floats, Pages, find_page
from layoutcm.layouts.page_names import stem
from layoutcm.lazy import pd
from layoutcm.metrics.confusion import confusion_of
from layoutcm.metrics.matrix_blocks import GroupMatrices, MatrixBlocks, matrix_blocks
from layoutcm.metrics.scores import SCORES, content_pixels, content_scores, mean_scores, ratio, right_shares
from layoutcm.pixels.pair_counts import PairCounts, join_counts

AGREEMENT = "agreement"  # the column of pages and documents if neither side is the truth
Means = dict[tuple[str, str, bool, str], dict[str, float]]  # {(kind of average, over, background, method): scores}


class Levels(Protocol):
    """The pair counts of a comparison, with its labels and pages, summed by page and by document."""

    @property
    def counts(self) -> PairCounts:
        """The counts of the whole set, without page numbers if it is in parts; see `page_rows`."""

    @property
    def space(self) -> LabelSpace: ...
    @property
    def pages(self) -> Pages: ...
    @property
    def has_regions(self) -> bool:
        """Whether the alignment has the regions of all pages."""

    @property
    def page_count(self) -> int: ...
    @property
    def page_names(self) -> Sequence[str]: ...
    @property
    def documents(self) -> list[str]: ...
    @property
    def document_of_page(self) -> NDArray[np.int64]:
        """int64[pages]: index into `documents`."""

    @property
    def page_pixels(self) -> Floats:
        """float64[pages]"""

    @property
    def page_ignored(self) -> Floats:
        """float64[pages]: the pixels that are not samples."""

    @property
    def page_content(self) -> Floats:
        """float64[pages, 3]: the pixels that are content on both sides, in gt, and in pred."""

    @property
    def document_content(self) -> Floats:
        """float64[documents, 3]"""

    @property
    def known_means(self) -> Means:
        """The means of scores that were computed before. Mutable."""

    def in_parts(self) -> Iterator[tuple[int, CountedLevels]]:
        """The first page and the counts of each part that is in memory at a time."""

    def whole_documents(self) -> Iterator[CountedLevels]:
        """The counts of whole documents, some documents at a time, in the order of `documents`."""

    def names_of(self, numbers: NDArray[np.integer]) -> Sequence[str]: ...
    def names_at(self, numbers: NDArray[np.integer]) -> dict[str, Any]:
        """The columns page and document of these pages, for a table."""

    def numbers_of(self, names: Sequence[str]) -> NDArray[np.int64]:
        """int64[names]: the positions of pages with exactly these names."""

    def page_scores(self, method: str) -> Mapping[str, Floats]:
        """float64[pages] each: the score columns of the page table."""

    def document_scores(self, method: str) -> Mapping[str, Floats]:
        """float64[documents] each: the score columns of the document table."""

    def counts_at(self, page: str | None, document: str | None) -> PairCounts:
        """The pair counts of one page, of a document or of all pages."""


@dataclass(frozen=True, eq=False)
class CountedLevels:
    """The `Levels` of pair counts in memory."""

    counts: PairCounts
    space: LabelSpace
    pages: Pages
    known_means: Means = field(default_factory=dict, repr=False)  # mutable
    has_regions: ClassVar[bool] = True

    @property
    def page_count(self) -> int:
        return len(self.pages)

    def in_parts(self) -> Iterator[tuple[int, CountedLevels]]:
        yield 0, self

    def whole_documents(self) -> Iterator[CountedLevels]:
        yield self

    @cached_property
    def page_names(self) -> Sequence[str]:
        return list(self.pages.names)

    def names_of(self, numbers: NDArray[np.integer]) -> Sequence[str]:
        return [self.pages.names[i] for i in numbers.tolist()]

    def names_at(self, numbers: NDArray[np.integer]) -> dict[str, Any]:
        return {"page": self.names_of(numbers), "document": [self.pages.documents[i] for i in numbers.tolist()]}

    def numbers_of(self, names: Sequence[str]) -> NDArray[np.int64]:
        return np.fromiter(map(self.pages.index.__getitem__, names), np.int64, len(names))

    @cached_property
    def documents(self) -> list[str]:
        return list(dict.fromkeys(self.pages.documents))

    @cached_property
    def document_of_page(self) -> NDArray[np.int64]:
        position = {document: i for i, document in enumerate(self.documents)}
        return np.fromiter(map(position.__getitem__, self.pages.documents), np.int64, len(self.pages))

    @cached_property
    def page_pixels(self) -> Floats:
        return np.bincount(self.counts.page, self.counts.pixels, minlength=len(self.pages)).astype(float)

    @property
    def page_ignored(self) -> Floats:
        known = self.counts.ignored
        return np.concatenate([known, np.zeros(self.page_count - len(known))])

    @cached_property
    def page_content(self) -> Floats:
        return content_pixels(self.counts, self.counts.page, len(self.pages))

    @cached_property
    def document_content(self) -> Floats:
        return content_pixels(self.counts, self.document_of_row, len(self.documents))

    @property
    def document_of_row(self) -> NDArray[np.int64]:
        return self.document_of_page[self.counts.page]

    def page_scores(self, method: str) -> Mapping[str, Floats]:
        return level_scores(page_matrices(self, method), self.page_content, self.space.shared)

    def document_scores(self, method: str) -> Mapping[str, Floats]:
        return level_scores(document_matrices(self, method), self.document_content, self.space.shared)

    def counts_at(self, page: str | None, document: str | None) -> PairCounts:
        pages = pages_at(self, page, document)
        return self.counts if pages is None else self.counts.of_pages(pages.tolist())


def page_rows(levels: Levels) -> PairCounts:
    """The rows of all pages, with their page numbers; they are then in memory."""
    return join_counts([(first, own.counts) for first, own in levels.in_parts()])


def samples_at(levels: Levels, sample: str, page: str | None, document: str | None) -> PairCounts:
    """The counts whose pixels, or whose pages, are the samples; `sample` is "pixel" or "page"."""
    if sample == "page" and page is None and document is None:
        return join_counts([(first, own.counts.by_page()) for first, own in levels.in_parts()])
    return levels.counts_at(page, document)


def levels_of_pages(levels: Levels, numbers: NDArray[np.integer]) -> CountedLevels:
    """The counts of the pages at these positions, in this order."""
    counts, position = page_rows(levels), np.full(levels.page_count, -1, np.int32)
    position[numbers] = np.arange(len(numbers))
    page = position[counts.page]
    rows = np.flatnonzero(page >= 0)
    rows = rows[np.argsort(page[rows], kind="stable")]
    chosen = replace(counts.select(rows), page=page[rows], ignored=levels.page_ignored[numbers])
    return CountedLevels(chosen, levels.space, levels.pages.take(numbers))


def page_matrices(levels: Levels, method: str = "matrix") -> MatrixBlocks:
    """Blocks of pages with one matrix per page; pages are numbered on from part to part."""
    for first, own in levels.in_parts():
        for block, matrices in matrix_blocks(own.counts, own.space, own.counts.page, own.page_count, method):
            yield range(first + block.start, first + block.stop), matrices


def document_matrices(levels: Levels, method: str = "matrix") -> MatrixBlocks:
    """Blocks of documents with one matrix per document, in the order of `documents`."""
    first = 0
    for own in levels.whole_documents():
        for block, matrices in matrix_blocks(own.counts, own.space, own.document_of_row, len(own.documents), method):
            yield range(first + block.start, first + block.stop), matrices
        first += len(own.documents)


def document_sizes(levels: Levels) -> NDArray[np.int64]:
    """int64[documents]: the number of pages of each document."""
    return np.bincount(levels.document_of_page, minlength=len(levels.documents))


def document_pixels(levels: Levels) -> Floats:
    """float64[documents]: the pixels of each document."""
    return sums_of_documents(levels, levels.page_pixels)


def sums_of_documents(levels: Levels, values: Floats) -> Floats:
    """float64[documents]: the sums of float64[pages]."""
    return np.bincount(levels.document_of_page, values, minlength=len(levels.documents)).astype(float)


def page_table(levels: Levels, method: str, measured: str = "scores") -> pd.DataFrame:
    """One row per page, the worst first: page, document, pixels, and the columns of `measured_by_group`."""
    names = levels.names_at(np.arange(levels.page_count))
    return worst_first({**names, "pixels": levels.page_pixels, **measured_by_group(levels, method, measured)})


def document_table(levels: Levels, method: str, measured: str = "scores") -> pd.DataFrame:
    """One row per document, the worst first: document, pages, pixels, and the columns of `measured_by_group`."""
    columns = {"document": list(levels.documents), "pages": document_sizes(levels), "pixels": document_pixels(levels)}
    return worst_first({**columns, **measured_by_group(levels, method, measured, by_document=True)})


def measured_by_group(levels: Levels, method: str, measured: str, by_document: bool = False) -> Mapping[str, Floats]:
    """What is measured on every page or document: `level_scores`, or the agreement if `measured` says so."""
    if measured == AGREEMENT:
        return {AGREEMENT: observed_by_group(levels, by_document)}
    return levels.document_scores(method) if by_document else levels.page_scores(method)


def observed_by_group(levels: Levels, by_document: bool) -> Floats:
    """float64[groups]: the share of pixels with equal sets on every page or in every document."""
    counts, space = page_rows(levels), levels.space
    group = levels.document_of_page[counts.page] if by_document else counts.page
    pixels = document_pixels(levels) if by_document else levels.page_pixels
    if not space.shared:
        return np.full(len(pixels), np.nan)
    first, second = np.split(counts.placed(space.gt_positions, space.pred_positions), 2, axis=1)
    equal = counts.pixels * (first == second).all(axis=1)
    return ratio(np.bincount(group, equal, minlength=len(pixels)), pixels)


def average(levels: Levels, kind: str, background: bool, over: str, method: str) -> dict[str, float]:
    """Precision, recall and F1 of all pixels, or their mean over pages or documents."""
    check_choice("over", over, ("pixels", "pages", "documents"))
    if over == "pixels":
        return confusion_of(levels.counts, levels.space, method).average(kind, background)
    return means_over(levels, over, [kind], background, method)[kind]


def means_over(
    levels: Levels, over: str, kinds: Sequence[str], background: bool, method: str
) -> dict[str, dict[str, float]]:
    """{kind of average: the mean of each score over pages or documents}; the matrices are computed once for all."""
    if not levels.space.shared:
        return {kind: dict.fromkeys(SCORES, float("nan")) for kind in kinds}
    known = levels.known_means
    new = [kind for kind in kinds if (kind, over, background, method) not in known]
    if new:
        blocks = page_matrices(levels, method) if over == "pages" else document_matrices(levels, method)
        for kind, values in level_averages(blocks, new, background).items():
            means = {name: float(ratio(np.nansum(v), np.isfinite(v).sum())) for name, v in values.items()}
            known[kind, over, background, method] = means
    return {kind: dict(known[kind, over, background, method]) for kind in kinds}


def right_by_group(levels: Levels, by_document: bool) -> Floats:
    """float64[groups]: of the label pixels of gt on a page or in a document, the share whose label pred has, too."""
    shares = lambda own, group, groups: right_shares(own.counts, own.space, group, groups)
    if by_document:
        found = [shares(own, own.document_of_row, len(own.documents)) for own in levels.whole_documents()]
    else:
        found = [shares(own, own.counts.page, own.page_count) for _, own in levels.in_parts()]
    return np.concatenate(found)


def pages_of(levels: Levels, document: str) -> NDArray[np.int64]:
    """int64[pages]: the positions of a document's pages."""
    if document not in levels.documents:
        problem = f"there is no document {short_repr(document)}"
        raise InputError("", "document", problem, example_name("Document", levels.documents))
    return np.flatnonzero(levels.document_of_page == levels.documents.index(document))


def pages_at(levels: Levels, page: str | None, document: str | None) -> NDArray[np.int64] | None:
    """int64[pages]: the positions of one page or of a document's pages; None for all pages."""
    if page is not None and document is not None:
        raise InputError("", "page, document", "both are given", "Give a page or a document, not both.")
    if page is not None:
        return np.array([page_position(levels.pages, page)])
    return None if document is None else pages_of(levels, document)


def page_position(pages: Pages, page: str) -> int:
    """The position of the page with this name, or of the only page that differs in folder or suffix only."""
    if not isinstance(page, str):
        raise InputError("", "page", f"{short_repr(page)} is not a page's name", example_name("Page", pages.index))
    found = find_page(page, pages)
    if found is not None:
        return found
    similar = [name for name in pages.index if stem(name) == stem(page)]
    problem = f"{short_repr(page)} fits {len(similar)} pages" if similar else f"there is no page {short_repr(page)}"
    raise InputError("", "page", problem, example_name("Page", pages.index))


def level_averages(blocks: MatrixBlocks, kinds: Sequence[str], background: bool) -> dict[str, dict[str, Floats]]:
    """{kind: float64[groups] each: precision, recall and F1 of every page or document, averaged over its labels}."""
    skip = 0 if background else 1
    parts: dict[str, list[dict[str, Floats]]] = {kind: [] for kind in kinds}
    for _, matrices in blocks:
        margins = matrices.margins.without_first(skip)
        for kind in kinds:
            parts[kind].append(mean_scores(margins, kind))
    return {
        kind: {name: np.concatenate([np.empty(0), *(part[name] for part in found)]) for name in SCORES}
        for kind, found in parts.items()
    }


def level_scores(blocks: MatrixBlocks, content: Floats, shared: bool) -> dict[str, Floats]:
    """float64[groups] each: the score columns of the page and document tables.

    precision, recall and f1 are macro averages without Background; content_* count each pixel once.
    """
    parts = [_block_scores(matrices, shared) for _, matrices in blocks]
    scores = {name: np.concatenate([np.empty(0), *(part[name] for part in parts)]) for name in (*SCORES, "micro_f1")}
    return scores | {f"content_{name}": values for name, values in content_scores(content).items()}


def _block_scores(matrices: GroupMatrices, shared: bool) -> dict[str, Floats]:
    labels = matrices.margins.without_first(1)
    scores = dict.fromkeys((*SCORES, "micro_f1"), np.full(len(labels.gt), np.nan))
    if shared:
        scores |= mean_scores(labels, "macro")
        scores["micro_f1"] = mean_scores(labels, "micro")["f1"]
    return scores


def worst_first(columns: dict[str, Any]) -> pd.DataFrame:
    """A table of these columns, the lowest agreement first, or the lowest F1; n/a is last."""
    order = [AGREEMENT] if AGREEMENT in columns else ["f1", "content_f1"]
    return pd.DataFrame(columns).sort_values(order, kind="stable", ignore_index=True)


def example_name(kind: str, names: Iterable[str]) -> str:
    """A hint with the first of the existing names."""
    first = next(iter(names), None)
    return "There are no pages." if first is None else f"{kind} names are like {short_repr(first)}."
