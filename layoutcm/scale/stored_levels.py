"""The pair counts of a comparison of parts, read from its files part by part when they are needed.

`StoredLevels` is the `Levels` of such a comparison, so that everything that is computed from levels works on it. Names
and sizes of pages are read when they are first asked for; pair counts are in memory for one or two parts at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.layouts.model import Floats, Pages, concatenate_pages
from layoutcm.metrics.confusion import GroupMatrices
from layoutcm.metrics.levels import Levels, level_averages
from layoutcm.metrics.matrix_blocks import MatrixBlocks
from layoutcm.metrics.scores import SCORES, ratio
from layoutcm.pixels.pair_counts import PairCounts, words_for
from layoutcm.scale.manifest import pages_of_table
from layoutcm.scale.part_counts import PAGES_FOLDER, Counts, counts_place, read_counts, score_sums
from layoutcm.scale.places import join, open_input
from layoutcm.scale.plan import Plan

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

PAGE_COLUMNS = ("page", "document", "number", "width", "height")
TABLE_COLUMNS = ("page", "document", "pixels")
SCORE_COLUMNS = (*SCORES, "micro_f1", *(f"content_{name}" for name in SCORES))
CONTENT_COLUMNS = ("content_both", "content_gt", "content_pred")
KEPT_PARTS = 2  # whose pair counts stay in memory, for one page after the other


@dataclass(frozen=True, eq=False)
class StoredPages:
    """The files of a finished comparison of parts."""

    plan: Plan
    labels: tuple[tuple[str, ...], tuple[str, ...]]
    space: LabelSpace
    kept: dict[int, Levels] = field(default_factory=dict)  # mutable: the parts that were used last

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """int64[parts + 1]: the first page of each part, and the number of pages."""
        return np.cumsum([0, *(part.pages for part in self.plan.facts.parts)])

    @property
    def parts(self) -> range:
        return range(len(self.plan.facts.parts))

    def columns(self, names: Sequence[str] | None) -> pa.Table:
        """Columns of the rows of all pages."""
        import pyarrow as pa

        return pa.concat_tables([self.part_columns(part, names) for part in self.parts], promote_options="default")

    def part_columns(self, part: int, names: Sequence[str] | None) -> pa.Table:
        import pyarrow.parquet as pq

        with open_input(join(self.plan.folder, PAGES_FOLDER, f"{self.plan.facts.parts[part].name}.parquet")) as file:
            stored = pq.ParquetFile(file)
            if names is None:
                names = [name for name in stored.schema_arrow.names if name.startswith((*PAGE_COLUMNS, "attr:"))]
            return stored.read(list(names), use_threads=False)

    def levels(self, part: int) -> Levels:
        """The pair counts of one part, as they were in memory when it was counted."""
        if part not in self.kept:
            while len(self.kept) >= KEPT_PARTS:
                self.kept.pop(next(iter(self.kept)))
            self.kept[part] = self._read_levels(part)
        return self.kept[part]

    def _read_levels(self, part: int) -> Levels:
        table = self.part_columns(part, None)
        pairs = self.part_columns(part, ("pair", "pair_pixels", "ignored"))
        words = np.array(read_counts(counts_place(self.plan, part)).words, np.uint64)
        pair, pixels = (pairs[name].combine_chunks() for name in ("pair", "pair_pixels"))
        number = pair.values.to_numpy()
        page = np.repeat(np.arange(len(pair), dtype=np.int32), np.diff(pair.offsets.to_numpy()))
        counts = PairCounts(
            self.labels,
            page,
            words.reshape(-1, self._width)[number],
            pixels.values.to_numpy().astype(np.float64),
            pairs["ignored"].to_numpy(),
        )
        return Levels(counts, self.space, pages_of_table(table))

    def is_split(self, part: int) -> NDArray[np.bool_]:
        """bool[pages of the part]: whether the document of a page has pages in other parts, too."""
        return self.plan.page_table(part)["split"].to_numpy()

    @property
    def _width(self) -> int:
        return sum(words_for(len(labels)) for labels in self.labels)


class StoredLevels(Levels):
    """`Levels` that reads files. `counts` is the whole set: one row for each distinct pair, all of page 0."""

    def __init__(self, stored: StoredPages, counts: PairCounts, total: Counts) -> None:
        self.__dict__.update(stored=stored, counts=counts, space=stored.space, total=total)

    stored: StoredPages
    total: Counts

    @cached_property
    def pages(self) -> Pages:
        return concatenate_pages([pages_of_table(self.stored.part_columns(part, None)) for part in self.stored.parts])

    @property
    def page_count(self) -> int:
        return self.stored.plan.facts.pages

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
            table = self.stored.plan.page_table(part)
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

    @property
    def page_rows(self) -> PairCounts:
        """The rows of all pages; they are then in memory."""
        return self._joined(lambda levels: levels.counts)

    def rows_with(self, gt_label: int, pred_label: int) -> PairCounts:
        return self._joined(lambda levels: levels.rows_with(gt_label, pred_label))

    def _joined(self, rows_of: Callable[[Levels], PairCounts]) -> PairCounts:
        """Rows of all parts, with the page numbers of the set."""
        found = [
            replace(rows_of(one), ignored=one.counts.ignored) for one in map(self.stored.levels, self.stored.parts)
        ]
        return PairCounts(
            self.counts.labels,
            np.concatenate([one.page + np.int32(start) for one, start in zip(found, self.stored.starts)]),
            np.concatenate([one.words for one in found]),
            np.concatenate([one.pixels for one in found]),
            np.concatenate([one.ignored for one in found]),
        )

    @cached_property
    def page_pixels(self) -> Floats:
        return self._column("pixels")

    @cached_property
    def page_content(self) -> Floats:
        return np.stack([self._column(name) for name in CONTENT_COLUMNS], axis=1)

    def _column(self, name: str) -> Floats:
        return self.stored.columns([name])[name].to_numpy()

    @cached_property
    def document_content(self) -> Floats:
        columns = (np.bincount(self.document_of_page, one, len(self.documents)) for one in self.page_content.T)
        return np.stack(list(columns), axis=1).astype(float)

    def page_right(self) -> Floats:
        return np.concatenate([self.stored.levels(part).page_right() for part in self.stored.parts])

    def document_right(self) -> Floats:
        return np.concatenate([one.document_right() for one in self._whole_documents()])

    def page_matrices(self, method: str = "matrix") -> MatrixBlocks:
        return _numbered_on(self.stored.levels(part).page_matrices(method) for part in self.stored.parts)

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
            is_split = self.stored.is_split(part)
            yield _of_pages(levels, ~is_split)
            split.append(_of_pages(levels, is_split))
        if split:
            yield _join_levels(split)

    def page_table(self, method: str) -> pd.DataFrame:
        if method != "matrix":
            return super().page_table(method)
        table = self.stored.columns((*TABLE_COLUMNS, *SCORE_COLUMNS)).to_pandas()
        return table.sort_values(["f1", "content_f1"], ignore_index=True)

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
        return {
            (kind, over, False, "matrix"): {name: float(ratio(*sums)) for name, sums in scores.items()}
            for over, kinds in self._sums_of_means().items()
            for kind, scores in kinds.items()
        }

    def _sums_of_means(self) -> dict[str, Any]:
        means = self.total.means
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


def _of_pages(levels: Levels, keep: NDArray[np.bool_]) -> Levels:
    """The counts of some pages, bool[pages]."""
    counts, position = levels.counts, (np.cumsum(keep) - 1).astype(np.int32)
    rows = counts.select(keep[counts.page])
    rows = replace(rows, page=position[rows.page], ignored=counts.ignored[keep])
    return Levels(rows, levels.space, levels.pages.take(np.flatnonzero(keep)))


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
