"""The pair counts of a comparison of parts, read from its files part by part when they are needed.

`StoredLevels` is the `Levels` of such a comparison, so that everything that is computed from levels works on it. Names
and sizes of pages are read when they are first asked for; names stay packed (`stored_texts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.layouts.model import Floats, Pages, concatenate_pages
from layoutcm.layouts.stored_facts import DOCUMENTS_FILE
from layoutcm.metrics.confusion import GroupMatrices
from layoutcm.metrics.levels import Levels, level_averages
from layoutcm.metrics.matrix_blocks import MatrixBlocks
from layoutcm.metrics.scores import SCORES, ratio
from layoutcm.pixels.pair_counts import PairCounts
from layoutcm.scale.part_counts import Counts, score_sums
from layoutcm.scale.places import exists, join, read_parquet
from layoutcm.scale.stored_pages import StoredPages, of_pages
from layoutcm.scale.stored_texts import StoredTexts, packed_pages

SCORE_COLUMNS = (*SCORES, "micro_f1", *(f"content_{name}" for name in SCORES))
FEW_NAMES = 1000
CONTENT_COLUMNS = ("content_both", "content_gt", "content_pred")


class StoredLevels(Levels):
    """`Levels` that reads files. `counts` is the whole set: one row for each distinct pair, all of page 0."""

    def __init__(self, stored: StoredPages, counts: PairCounts, total: Counts | None) -> None:
        self.__dict__.update(stored=stored, counts=counts, space=stored.space, total=total)

    has_regions = False
    stored: StoredPages
    total: Counts | None  # the sums of all parts; None if only some pages are chosen

    @cached_property
    def pages(self) -> Pages:
        return packed_pages(self.stored.page_columns())

    @property
    def page_count(self) -> int:
        return self.stored.count

    @property
    def page_names(self) -> Sequence[str]:
        return self.pages.names

    def names_of(self, numbers: NDArray[np.integer]) -> StoredTexts:
        names: Any = self.pages.names
        return names.take(numbers)

    def names_at(self, numbers: NDArray[np.integer]) -> dict[str, Any]:
        documents: Any = self.pages.documents
        found = {"page": self.names_of(numbers).as_column(), "document": documents.take(numbers).as_column()}
        if len(numbers) <= FEW_NAMES:  # which are probably asked for next
            index: Any = self.pages.index
            index.remember(found["page"].tolist(), numbers.tolist())
        return found

    def numbers_of(self, names: Sequence[str]) -> NDArray[np.int64]:
        own: Any = self.pages.names
        found = own.positions(names)
        if found.size and found.min() < 0:
            raise KeyError(names[int(found.argmin())])
        return found

    @cached_property
    def documents(self) -> list[str]:
        """Documents in the order of their parts; those with pages in several parts are last."""
        return self._coded_documents[1]

    @cached_property
    def document_of_page(self) -> NDArray[np.int64]:
        return self._coded_documents[0]

    @cached_property
    def _coded_documents(self) -> tuple[NDArray[np.int64], list[str]]:
        """The document of each page as a number, and all documents; names of pages are not read for it."""
        whole: dict[str, int] = {}
        split: dict[str, int] = {}
        codes = []
        for part in self.stored.parts:
            table = self.stored.page_list(part, ["document", "split"])
            column = table["document"].combine_chunks()
            own, is_split = column.indices.to_numpy(), table["split"].to_numpy()
            names = column.dictionary.to_pylist()
            for code in dict.fromkeys(own[~is_split].tolist()):
                whole.setdefault(names[code], len(whole))
            for code in dict.fromkeys(own[is_split].tolist()):
                split.setdefault(names[code], len(split))
            # Documents in several parts have numbers below 0 until the number of all others is known.
            number = [whole[name] if name in whole else -1 - split[name] if name in split else 0 for name in names]
            codes.append(np.array([*number, 0], np.int64)[own])
        found = np.concatenate([np.zeros(0, np.int64), *codes])
        return np.where(found < 0, len(whole) - 1 - found, found), [*whole, *split]

    @property
    def _has_split(self) -> bool:
        return bool(self.stored.plan.facts.split)

    def in_parts(self) -> Iterator[tuple[int, Levels]]:
        for part in self.stored.parts:
            yield int(self.stored.starts[part]), self.stored.levels(part)

    @property
    def page_rows(self) -> PairCounts:
        """The rows of all pages; they are then in memory."""
        return self._joined(lambda levels: levels.counts)

    def samples_at(self, sample: str, page: str | None, document: str | None) -> PairCounts:
        of_set = page is None and document is None
        if sample == "page" and of_set:
            return self._joined(lambda levels: levels.counts.by_page())
        return self.counts_at(page, document)

    def _joined(self, rows_of: Callable[[Levels], PairCounts]) -> PairCounts:
        """Rows of all parts, with the page numbers of the set."""
        found = [(first, rows_of(own), own.counts.ignored) for first, own in self.in_parts()]
        return PairCounts(
            self.counts.labels,
            np.concatenate([rows.page + np.int32(first) for first, rows, _ in found]),
            np.concatenate([rows.words for _, rows, _ in found]),
            np.concatenate([rows.pixels for _, rows, _ in found]),
            np.concatenate([ignored for _, _, ignored in found]),
        )

    @cached_property
    def page_pixels(self) -> Floats:
        return self._column("pixels")

    @property
    def page_ignored(self) -> Floats:
        return self._column("ignored")

    @cached_property
    def page_content(self) -> Floats:
        return np.stack([column.to_numpy() for column in self.stored.columns(CONTENT_COLUMNS).columns], axis=1)

    def _column(self, name: str) -> Floats:
        return self.stored.columns([name])[name].to_numpy()

    @cached_property
    def document_content(self) -> Floats:
        columns = (np.bincount(self.document_of_page, one, len(self.documents)) for one in self.page_content.T)
        return np.stack(list(columns), axis=1).astype(float)

    def page_right(self) -> Floats:
        return np.concatenate([own.page_right() for _, own in self.in_parts()])

    def document_right(self) -> Floats:
        return np.concatenate([one.document_right() for one in self._whole_documents()])

    def page_matrices(self, method: str = "matrix") -> MatrixBlocks:
        return _numbered_on(own.page_matrices(method) for _, own in self.in_parts())

    def document_matrices(self, method: str = "matrix") -> MatrixBlocks:
        return _numbered_on(one.document_matrices(method) for one in self._whole_documents())

    def _whole_documents(self) -> Iterator[Levels]:
        """The counts of whole documents: part by part, then of all documents with pages in several parts."""
        split = []
        for part in self.stored.parts:
            levels = self.stored.levels(part)
            if not self._has_split:
                yield levels
                continue
            is_split = self.stored.page_list(part, ["split"])["split"].to_numpy()
            yield of_pages(levels, ~is_split)
            split.append(of_pages(levels, is_split))
        if split:
            yield _join_levels(split)

    def page_scores(self, method: str) -> Mapping[str, Floats]:
        return ScoreColumns(self._column) if method == "matrix" else super().page_scores(method)

    def document_scores(self, method: str) -> Mapping[str, Floats]:
        place = join(self.stored.plan.folder, DOCUMENTS_FILE)
        if method != "matrix" or self.total is None or not exists(place):
            return super().document_scores(method)
        return ScoreColumns(lambda name: read_parquet(place, [name])[name].to_numpy())

    def counts_at(self, page: str | None, document: str | None) -> PairCounts:
        numbers = self.pages_at(page, document)
        if numbers is None:
            return self.counts
        part = np.searchsorted(self.stored.starts, numbers, side="right") - 1
        found = []
        for one in np.unique(part).tolist():
            own = numbers[part == one] - self.stored.starts[one]
            found.append(self.stored.levels(one).counts.of_pages(own.tolist()))
        return PairCounts(
            self.counts.labels,
            np.concatenate([one.page + np.int32(self.stored.starts[n]) for one, n in zip(found, np.unique(part))]),
            np.concatenate([one.words for one in found]),
            np.concatenate([one.pixels for one in found]),
            np.array([sum(one.ignored_total for one in found)]),
        )

    @cached_property
    def _means(self) -> dict[tuple[str, str, bool, str], dict[str, float]]:
        """The means that the parts have summed. Mutable."""
        if self.total is None:
            return {}
        return {
            (kind, over, False, "matrix"): {name: float(ratio(*sums)) for name, sums in scores.items()}
            for over, kinds in self._sums_of_means(self.total.means).items()
            for kind, scores in kinds.items()
        }

    def _sums_of_means(self, means: dict[str, Any]) -> dict[str, Any]:
        if not self._has_split or not means:
            return means
        *_, split = self._whole_documents()
        added = score_sums(level_averages(split.document_matrices(), list(means["documents"]), False), slice(None))
        documents = {
            kind: {name: np.add(sums, added[kind][name]) for name, sums in scores.items()}
            for kind, scores in means["documents"].items()
        }
        return means | {"documents": documents}


def _numbered_on(parts: Iterable[MatrixBlocks]) -> Iterator[tuple[range, GroupMatrices]]:
    """The blocks of all parts; groups are numbered on from part to part."""
    first = 0
    for blocks in parts:
        stop = first
        for groups, matrices in blocks:
            stop = first + groups.stop
            yield range(first + groups.start, stop), matrices
        first = stop


class ScoreColumns(Mapping[str, Floats]):
    """{score: float64[pages or documents]}; a column is read when it is asked for."""

    def __init__(self, read: Callable[[str], Floats]) -> None:
        self.read = read

    def __getitem__(self, name: str) -> Floats:
        if name not in SCORE_COLUMNS:
            raise KeyError(name)
        return self.read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(SCORE_COLUMNS)

    def __len__(self) -> int:
        return len(SCORE_COLUMNS)


def _join_levels(parts: Sequence[Levels]) -> Levels:
    starts = np.cumsum([0, *(len(one.pages) for one in parts)])
    rows = PairCounts(
        parts[0].counts.labels,
        np.concatenate([one.counts.page + np.int32(start) for one, start in zip(parts, starts)]),
        np.concatenate([one.counts.words for one in parts]),
        np.concatenate([one.counts.pixels for one in parts]),
        np.concatenate([one.counts.ignored for one in parts]),
    )
    return Levels(rows, parts[0].space, concatenate_pages([one.pages for one in parts]))
