"""Matrices and scores of each page, of each document and of the whole set.

`Levels` has the pair counts of a comparison and sums them by page or by document. Matrices are computed in blocks
(`matrix_blocks`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.errors import InputError, check_choice, short_repr
from layoutcm.layouts.model import GT, PRED, Floats, Pages, find_page
from layoutcm.layouts.page_names import stem
from layoutcm.metrics.confusion import GroupMatrices, confusion_of
from layoutcm.metrics.content import content_pixels, content_scores, right_shares
from layoutcm.metrics.matrix_blocks import MatrixBlocks, matrix_blocks
from layoutcm.metrics.scores import SCORES, mean_scores, ratio
from layoutcm.pixels.pair_counts import PairCounts

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Levels:
    """The pair counts of a comparison, with its labels and pages."""

    counts: PairCounts
    space: LabelSpace
    pages: Pages
    has_regions = True  # whether the alignment has the regions of all pages

    @property
    def page_count(self) -> int:
        return len(self.pages)

    @property
    def page_rows(self) -> PairCounts:
        """The rows of all pages, with their page numbers."""
        return self.counts

    def in_parts(self) -> Iterator[tuple[int, Levels]]:
        """The first page and the counts of each part that is in memory at a time; here of all pages."""
        yield 0, self

    @cached_property
    def page_names(self) -> Sequence[str]:
        return list(self.pages.names)

    def names_of(self, numbers: NDArray[np.integer]) -> Sequence[str]:
        return [self.pages.names[i] for i in numbers.tolist()]

    def names_at(self, numbers: NDArray[np.integer]) -> dict[str, Any]:
        """The columns page and document of these pages, for a table."""
        return {"page": self.names_of(numbers), "document": [self.pages.documents[i] for i in numbers.tolist()]}

    def numbers_of(self, names: Sequence[str]) -> NDArray[np.int64]:
        """int64[names]: the positions of pages with exactly these names."""
        return np.fromiter(map(self.pages.index.__getitem__, names), np.int64, len(names))

    @cached_property
    def documents(self) -> list[str]:
        return list(dict.fromkeys(self.pages.documents))

    @cached_property
    def document_of_page(self) -> NDArray[np.int64]:
        """int64[pages]: index into `documents`."""
        position = {document: i for i, document in enumerate(self.documents)}
        return np.fromiter(map(position.__getitem__, self.pages.documents), np.int64, len(self.pages))

    @cached_property
    def page_pixels(self) -> Floats:
        """float64[pages]"""
        return np.bincount(self.counts.page, self.counts.pixels, minlength=len(self.pages)).astype(float)

    @property
    def page_ignored(self) -> Floats:
        """float64[pages]: the pixels that are no samples."""
        known = self.counts.ignored
        return np.concatenate([known, np.zeros(self.page_count - len(known))])

    @cached_property
    def document_pixels(self) -> Floats:
        """float64[documents]"""
        return np.bincount(self.document_of_page, self.page_pixels, minlength=len(self.documents)).astype(float)

    @cached_property
    def document_sizes(self) -> NDArray[np.int64]:
        """int64[documents]: the number of pages of each document."""
        return np.bincount(self.document_of_page, minlength=len(self.documents))

    @cached_property
    def page_content(self) -> Floats:
        """float64[pages, 3]: the pixels that are content on both sides, in gt, and in pred."""
        return content_pixels(self.counts, self.counts.page, len(self.pages))

    @cached_property
    def document_content(self) -> Floats:
        """float64[documents, 3]"""
        return content_pixels(self.counts, self.document_of_page[self.counts.page], len(self.documents))

    def page_right(self) -> Floats:
        """float64[pages]: of the label pixels of gt, the share whose label pred has at that pixel, too."""
        return right_shares(self.counts, self.space, self.counts.page, len(self.pages))

    def document_right(self) -> Floats:
        """float64[documents]"""
        return right_shares(self.counts, self.space, self.document_of_page[self.counts.page], len(self.documents))

    def page_matrices(self, method: str = "matrix") -> MatrixBlocks:
        """Blocks of pages with one matrix per page."""
        return matrix_blocks(self.counts, self.space, self.counts.page, len(self.pages), method)

    def document_matrices(self, method: str = "matrix") -> MatrixBlocks:
        """Blocks of documents with one matrix per document."""
        document = self.document_of_page[self.counts.page]
        return matrix_blocks(self.counts, self.space, document, len(self.documents), method)

    def page_scores(self, method: str) -> Mapping[str, Floats]:
        """float64[pages] each: the score columns of the page table."""
        return level_scores(self.page_matrices(method), self.page_content, self.space.shared)

    def document_scores(self, method: str) -> Mapping[str, Floats]:
        """float64[documents] each: the score columns of the document table."""
        return level_scores(self.document_matrices(method), self.document_content, self.space.shared)

    def page_table(self, method: str) -> pd.DataFrame:
        """One row per page, the worst first: page, document, pixels, scores without Background, content scores."""
        names = self.names_at(np.arange(self.page_count))
        return worst_first({**names, "pixels": self.page_pixels, **self.page_scores(method)})

    def document_table(self, method: str) -> pd.DataFrame:
        """One row per document, the worst first: document, pages, pixels, and the scores of the page table."""
        columns = {"document": list(self.documents), "pages": self.document_sizes, "pixels": self.document_pixels}
        return worst_first({**columns, **self.document_scores(method)})

    def average(self, kind: str, background: bool, over: str, method: str) -> dict[str, float]:
        """Precision, recall and F1 of all pixels, or their mean over pages or documents."""
        check_choice("over", over, ("pixels", "pages", "documents"))
        if over == "pixels":
            return confusion_of(self.counts, self.space, method).average(kind, background)
        return self.means_over(over, [kind], background, method)[kind]

    def means_over(self, over: str, kinds: Sequence[str], background: bool, method: str) -> dict[str, dict[str, float]]:
        """{kind of average: the mean of each score over pages or documents}; the matrices are computed once for all."""
        if not self.space.shared:
            return {kind: dict.fromkeys(SCORES, float("nan")) for kind in kinds}
        new = [kind for kind in kinds if (kind, over, background, method) not in self._means]
        if new:
            blocks = self.page_matrices(method) if over == "pages" else self.document_matrices(method)
            for kind, values in level_averages(blocks, new, background).items():
                means = {name: float(ratio(np.nansum(v), np.isfinite(v).sum())) for name, v in values.items()}
                self._means[kind, over, background, method] = means
        return {kind: dict(self._means[kind, over, background, method]) for kind in kinds}

    @cached_property
    def _means(self) -> dict[tuple[str, str, bool, str], dict[str, float]]:
        """The means that were computed so far. Mutable."""
        return {}

    def page_index(self, page: str) -> int:
        """The position of the page with this name, or of the only page that differs in folder or suffix only."""
        return page_position(self.pages, page)

    def pages_of(self, document: str) -> NDArray[np.int64]:
        """int64[pages]: the positions of a document's pages."""
        if document not in self.documents:
            problem = f"there is no document {short_repr(document)}"
            raise InputError("", "document", problem, example_name("Document", self.documents))
        return np.flatnonzero(self.document_of_page == self.documents.index(document))

    def pages_at(self, page: str | None, document: str | None) -> NDArray[np.int64] | None:
        """int64[pages]: the positions of one page or of a document's pages; None for all pages."""
        if page is not None and document is not None:
            raise InputError("", "page, document", "both are given", "Give one of them.")
        if page is not None:
            return np.array([self.page_index(page)])
        return None if document is None else self.pages_of(document)

    def counts_at(self, page: str | None, document: str | None) -> PairCounts:
        """The pair counts of one page, of a document or of all pages."""
        pages = self.pages_at(page, document)
        return self.counts if pages is None else self.counts.of_pages(pages.tolist())

    def samples_at(self, sample: str, page: str | None, document: str | None) -> PairCounts:
        """The counts whose pixels, or whose pages, are the samples; `sample` is "pixel" or "page"."""
        return self.counts_at(page, document)


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


def largest_groups(
    blocks: MatrixBlocks, labels: Sequence[int], most: int
) -> tuple[NDArray[np.int64], Floats, NDArray[np.int64]]:
    """For each cell of some labels the groups (pages or documents) that add most to it, found in one pass.

    int64[gt, pred, most] groups, -1 if there are fewer; float64[gt, pred, most] the amounts that they add, descending;
    int64[gt, pred] the number of groups that add something.
    """
    cells = len(labels) ** 2
    group, best = np.full((cells, most), -1), np.zeros((cells, most))
    adding = np.zeros(cells, np.int64)
    for groups, matrices in blocks:
        values = np.ascontiguousarray(matrices.mass_of(labels, labels).reshape(len(groups), -1).T)
        adding += (values > 0).sum(axis=1)
        values = np.concatenate([best, values], axis=1)
        chosen = _largest_columns(values, most)
        order = np.argsort(-np.take_along_axis(values, chosen, axis=1), axis=1, kind="stable")
        chosen = np.take_along_axis(chosen, order, axis=1)
        earlier = np.take_along_axis(group, np.minimum(chosen, most - 1), axis=1)
        group = np.where(chosen < most, earlier, chosen - most + groups.start)
        best = np.take_along_axis(values, chosen, axis=1)
        group[best == 0] = -1
    shape = (len(labels), len(labels), most)
    return group.reshape(shape), best.reshape(shape), adding.reshape(shape[:2])


def _largest_columns(values: Floats, most: int) -> NDArray[np.int64]:
    """int64[rows, most]: the columns of the largest values of each row, ascending; of equal values the first."""
    smallest = -np.partition(-values, most - 1, axis=1)[:, most - 1 : most]
    above, equal = values > smallest, values == smallest
    first = np.cumsum(equal, axis=1) <= most - above.sum(axis=1, keepdims=True)
    return np.nonzero(above | (equal & first))[1].reshape(-1, most)


def worst_first(columns: dict[str, Any]) -> pd.DataFrame:
    """A table of these columns, the lowest F1 first."""
    import pandas as pd

    return pd.DataFrame(columns).sort_values(["f1", "content_f1"], ignore_index=True)  # stable, nan last


def example_name(kind: str, names: Iterable[str]) -> str:
    """A hint with the first of the existing names."""
    first = next(iter(names), None)
    return "There are no pages." if first is None else f"{kind} names are like {short_repr(first)}."


def pages_behind(levels: Levels, alignment: Alignment, gt_label: str, pred_label: str, method: str) -> pd.DataFrame:
    """Pages in descending order of the pixels that they add to a cell: page, document, pixels, share of the cell."""
    gt, pred = alignment.side_label(GT, gt_label), alignment.side_label(PRED, pred_label)
    row, column = alignment.cell(gt_label, pred_label)
    have = lambda rows: rows.has(GT, gt) & rows.has(PRED, pred)
    return pages_by_pixels(levels, _page_sums(levels, have, method, lambda one: one.mass_of([row], [column]).ravel()))


def pages_wrong_in(levels: Levels, alignment: Alignment, label: str, method: str) -> pd.DataFrame:
    """Pages in descending order of the pixels off the diagonal in the row and in the column of a label.

    With different taxonomies there is no diagonal: then all pixels of the label count.
    """
    cell = alignment.cell(label, label)
    have = rows_with_label(alignment, label)
    return pages_by_pixels(levels, _page_sums(levels, have, method, lambda one: one.off_diagonal(*cell)))


def rows_with_label(alignment: Alignment, label: str) -> Callable[[PairCounts], NDArray[np.bool_]]:
    """A function that marks the rows with a label on either side."""
    gt, pred = (alignment.side_label(side, label) for side in (GT, PRED))
    return lambda rows: rows.has(GT, gt) | rows.has(PRED, pred)


def _page_sums(
    levels: Levels,
    have: Callable[[PairCounts], NDArray[np.bool_]],
    method: str,
    pixels_of: Callable[[GroupMatrices], Floats],
) -> Floats:
    """float64[pages]: what the matrix of each page has; matrices are computed only for pages with such rows."""
    pixels = np.zeros(levels.page_count)
    for first, own in levels.in_parts():
        counts = own.counts.select(have(own.counts))
        numbers, group = np.unique(counts.page, return_inverse=True)
        blocks = matrix_blocks(counts, levels.space, group, numbers.size, method)
        pixels[first + numbers] = np.concatenate([np.empty(0), *(pixels_of(one) for _, one in blocks)])
    return pixels


def pages_by_pixels(levels: Levels, pixels: Floats) -> pd.DataFrame:
    """The pages with pixels, of float64[pages], in descending order: page, document, pixels, share of all."""
    import pandas as pd

    numbers = np.flatnonzero(pixels > 0)
    numbers = numbers[np.argsort(-pixels[numbers], kind="stable")]
    shares = {"pixels": pixels[numbers], "share": ratio(pixels[numbers], pixels.sum())}
    return pd.DataFrame({**levels.names_at(numbers), **shares})
