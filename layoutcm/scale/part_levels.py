"""The pair counts of a comparison of parts, read from its files part by part when they are needed.

Everything that is computed from `Levels` works on `PartLevels`. Names and sizes of pages are read when they are first
asked for; names stay packed (`PackedTexts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.layouts.model import Floats, Pages, concatenate_pages
from layoutcm.layouts.packed_names import PackedTexts
from layoutcm.layouts.stored_facts import DOCUMENTS_FILE
from layoutcm.metrics.levels import (
    CountedLevels,
    Means,
    document_matrices,
    level_averages,
    level_scores,
    levels_of_pages,
    page_matrices,
    pages_at,
    sums_of_documents,
)
from layoutcm.metrics.scores import SCORES, ratio
from layoutcm.pixels.pair_counts import PairCounts, join_counts
from layoutcm.scale.part_counts import Counts, score_sums
from layoutcm.scale.storage import exists, read_parquet
from layoutcm.scale.stored_pages import StoredPages

SCORE_COLUMNS = (*SCORES, "micro_f1", *(f"content_{name}" for name in SCORES))
FEW_NAMES = 1000
CONTENT_COLUMNS = ("content_both", "content_gt", "content_pred")


@dataclass(frozen=True, eq=False)
class PartLevels:
    """The `Levels` of parts. `counts` is the whole set: one row for each distinct pair, all of page 0."""

    stored: StoredPages
    counts: PairCounts
    total: Counts | None  # the sums of all parts; None if only some pages are chosen
    has_regions: ClassVar[bool] = False

    @property
    def space(self) -> LabelSpace:
        return self.stored.space

    @property
    def pages(self) -> Pages:
        return self.stored.pages

    @property
    def page_count(self) -> int:
        return self.stored.count

    @property
    def page_names(self) -> PackedTexts:
        return self.stored.names

    def names_of(self, numbers: NDArray[np.integer]) -> PackedTexts:
        return self.stored.names.take(numbers)

    def names_at(self, numbers: NDArray[np.integer]) -> dict[str, Any]:
        documents = self.stored.documents.take(numbers)
        found = {"page": self.names_of(numbers).as_column(), "document": documents.as_column()}
        if len(numbers) <= FEW_NAMES:  # which are probably asked for next
            self.stored.names.by_text.remember(found["page"].tolist(), numbers.tolist())
        return found

    def numbers_of(self, names: Sequence[str]) -> NDArray[np.int64]:
        found = self.stored.names.positions(names)
        if found.size and found.min() < 0:
            raise KeyError(names[int(found.argmin())])
        return found

    @property
    def documents(self) -> list[str]:
        """Documents in the order of their parts; those with pages in several parts are last."""
        return self._coded_documents[1]

    @property
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

    def in_parts(self) -> Iterator[tuple[int, CountedLevels]]:
        for part in self.stored.parts:
            yield int(self.stored.starts[part]), self.stored.levels(part)

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
        return np.stack([sums_of_documents(self, one) for one in self.page_content.T], axis=1)

    def whole_documents(self) -> Iterator[CountedLevels]:
        """The counts of whole documents: part by part, then of all documents with pages in several parts."""
        split = []
        for part in self.stored.parts:
            levels = self.stored.levels(part)
            if not self._has_split:
                yield levels
                continue
            is_split = self.stored.page_list(part, ["split"])["split"].to_numpy()
            yield levels_of_pages(levels, np.flatnonzero(~is_split))
            split.append(levels_of_pages(levels, np.flatnonzero(is_split)))
        if split:
            starts = np.cumsum([0, *(one.page_count for one in split)]).tolist()
            rows = join_counts([(start, one.counts) for start, one in zip(starts, split)])
            yield CountedLevels(rows, self.space, concatenate_pages([one.pages for one in split]))

    def page_scores(self, method: str) -> Mapping[str, Floats]:
        if method == "matrix":
            return ScoreColumns(self._column)
        return level_scores(page_matrices(self, method), self.page_content, self.space.shared)

    def document_scores(self, method: str) -> Mapping[str, Floats]:
        place = self.stored.plan.place(DOCUMENTS_FILE)
        if method != "matrix" or self.total is None or not exists(place):
            return level_scores(document_matrices(self, method), self.document_content, self.space.shared)
        return ScoreColumns(lambda name: read_parquet(place, [name], rows=len(self.documents))[name].to_numpy())

    def counts_at(self, page: str | None, document: str | None) -> PairCounts:
        numbers = pages_at(self, page, document)
        if numbers is None:
            return self.counts
        part = np.searchsorted(self.stored.starts, numbers, side="right") - 1
        found = []
        for one in np.unique(part).tolist():
            first = int(self.stored.starts[one])
            found.append((first, self.stored.levels(one).counts.of_pages((numbers[part == one] - first).tolist())))
        return replace(join_counts(found), ignored=np.array([sum(rows.ignored_total for _, rows in found)]))

    def of_pages(self, numbers: NDArray[np.int64]) -> PartLevels:
        """The levels of these pages, in the order of the parts."""
        chosen = self.stored.choose(numbers)
        parts = [(0, chosen.levels(part).counts.merged()) for part in chosen.parts]
        return PartLevels(chosen, join_counts(parts).merged(), None)

    @cached_property
    def known_means(self) -> Means:
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
        *_, split = self.whole_documents()
        added = score_sums(level_averages(document_matrices(split), list(means["documents"]), False), slice(None))
        documents = {
            kind: {name: np.add(sums, added[kind][name]) for name, sums in scores.items()}
            for kind, scores in means["documents"].items()
        }
        return means | {"documents": documents}


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
