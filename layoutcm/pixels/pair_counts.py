"""Pair counts: how many pixels of a page carry gt label set G and pred label set P.

All numbers at pixel level are sums over these rows. The rows add up over pages, so selecting pages, documents or
resamples needs no further look at pixels.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.layouts.model import BACKGROUND, GT, PRED, Floats, Indices
from layoutcm.lazy import pd

WORD = 64
ROWS_AT_A_TIME = 4096  # of sets that are unpacked: with 2,000 labels 16 MB


def words_for(labels: int) -> int:
    """The number of 64-bit words that hold Background and this many labels."""
    return labels // WORD + 1


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Rows of (page, gt set, pred set, pixels), sorted by page.

    Attributes
    ----------
    labels : (gt labels, pred labels)
    page : int array
    words : uint64[rows, words]
        The words of gt, then of pred. Bit 0 of a side is Background, bit i its i-th label.
    pixels : array
    total : float
    """

    labels: tuple[tuple[str, ...], tuple[str, ...]]  # of gt and of pred, without Background
    page: Indices
    words: NDArray[np.uint64]
    pixels: Floats
    ignored: Floats = field(default_factory=lambda: np.zeros(0))  # [pages]: pixels that are not samples; empty: none

    def __len__(self) -> int:
        return len(self.page)

    @property
    def gt_words(self) -> int:
        return words_for(len(self.labels[GT]))

    @cached_property
    def total(self) -> float:
        return float(self.pixels.sum())

    @property
    def ignored_total(self) -> float:
        return float(self.ignored.sum())

    def without_ignored(self) -> PairCounts:
        """The counts without pixels that carry the last gt label, which marks those that are not judged."""
        labels = (self.labels[GT][:-1], self.labels[PRED])
        hidden = self.has(GT, len(self.labels[GT]))
        ignored = np.bincount(self.page[hidden], self.pixels[hidden], minlength=int(self.page.max(initial=-1)) + 1)
        kept = self.select(~hidden)
        # The last label may have had a word of its own, which is 0 now.
        words = np.delete(kept.words, np.s_[words_for(len(labels[GT])) : self.gt_words], axis=1)
        return replace(kept, labels=labels, words=words, ignored=ignored.astype(float))

    def select(self, keep: NDArray[Any] | slice) -> PairCounts:
        """Some of the rows: a mask, positions or a slice."""
        return replace(self, page=self.page[keep], words=self.words[keep], pixels=self.pixels[keep])

    def of_pages(self, pages: Iterable[int]) -> PairCounts:
        """The rows of some pages; a single page is found by binary search."""
        wanted = sorted(set(pages))
        ignored = np.zeros_like(self.ignored)
        known = [page for page in wanted if page < ignored.size]
        ignored[known] = self.ignored[known]
        if len(wanted) == 1:
            low, high = np.searchsorted(self.page, [wanted[0], wanted[0] + 1])
            return replace(self.select(slice(int(low), int(high))), ignored=ignored)
        keep = np.zeros(int(self.page.max(initial=-1)) + 1, bool)
        keep[[page for page in wanted if page < keep.size]] = True
        return replace(self.select(keep[self.page]), ignored=ignored)

    def has(self, side: int, label: int) -> NDArray[np.bool_]:
        """bool[rows]: where the side's set has the label: 0 is Background, i its i-th label, -1 an unknown one."""
        if label < 0:
            return np.zeros(len(self), bool)
        column = (0 if side == GT else self.gt_words) + label // WORD
        return (self.words[:, column] >> np.uint64(label % WORD)) & np.uint64(1) == 1

    def placed(self, gt_positions: NDArray[np.int64], pred_positions: NDArray[np.int64]) -> NDArray[np.uint64]:
        """uint64[rows, 2 x words]: the sets of both sides with label i at bit place[i], in equally many words."""
        half = int(max(gt_positions.max(), pred_positions.max())) // WORD + 1
        unmoved = all(np.array_equal(place, np.arange(place.size)) for place in (gt_positions, pred_positions))
        if unmoved and self.words.shape[1] == 2 * half and self.gt_words == half:
            return np.ascontiguousarray(self.words)  # the usual case: both sides have the same list of labels
        moved = np.zeros((len(self), 2 * half), np.uint64)
        for side, place in enumerate((gt_positions, pred_positions)):
            for label, bit in enumerate(place.tolist()):
                word = moved[:, side * half + bit // WORD]
                word |= self.has(side, label).astype(np.uint64) << np.uint64(bit % WORD)
        return moved

    def merged(self) -> PairCounts:
        """One row per distinct pair, summed over all pages; all rows have page 0."""
        if not len(self):
            return self
        order = np.lexsort(self.words.T[::-1])
        words, pixels = self.words[order], self.pixels[order]
        starts = np.flatnonzero(np.concatenate([[True], (words[1:] != words[:-1]).any(axis=1)]))
        return replace(
            self,
            page=np.zeros(starts.size, np.int32),
            words=words[starts],
            pixels=np.add.reduceat(pixels, starts),
            ignored=np.array([self.ignored_total]),
        )

    def by_page(self) -> PairCounts:
        """One row per page with all labels that occur on it, without Background; each row counts 1."""
        if not len(self):
            return self
        starts = np.flatnonzero(np.concatenate([[True], self.page[1:] != self.page[:-1]]))
        words = np.bitwise_or.reduceat(self.words, starts, axis=0)
        words[:, [0, self.gt_words]] &= ~np.uint64(1)
        return replace(self, page=self.page[starts], words=words, pixels=np.ones(starts.size))

    def sets(self, side: int) -> list[frozenset[str]]:
        """The side's label set of every row, by name."""
        low, high = (0, self.gt_words) if side == GT else (self.gt_words, self.words.shape[1])
        return [names_of(row, self.labels[side]) for row in self.words[:, low:high].tolist()]

    def table(self) -> pd.DataFrame:
        """One row per distinct pair, the most frequent first: gt_set, pred_set, pixels."""
        pairs = self.merged()
        columns: dict[str, Any] = {
            "gt_set": [" + ".join(sorted(s)) for s in pairs.sets(GT)],
            "pred_set": [" + ".join(sorted(s)) for s in pairs.sets(PRED)],
            "pixels": pairs.pixels,
        }
        return pd.DataFrame(columns).sort_values("pixels", ascending=False, kind="stable", ignore_index=True)


def join_counts(parts: Sequence[tuple[int, PairCounts]]) -> PairCounts:
    """The rows of all parts, each given with the number of its first page."""
    first, rows = parts[0]
    if len(parts) == 1 and first == 0:
        return rows
    return PairCounts(
        rows.labels,
        np.concatenate([rows.page + np.int32(first) for first, rows in parts]),
        np.concatenate([rows.words for _, rows in parts]),
        np.concatenate([rows.pixels for _, rows in parts]),
        np.concatenate([rows.ignored for _, rows in parts]),
    )


def names_of(words: Sequence[int], labels: Sequence[str]) -> frozenset[str]:
    """The names of the labels in a set, given as words."""
    packed = sum(word << (WORD * i) for i, word in enumerate(words))
    names = (BACKGROUND, *labels)
    return frozenset(name for i, name in enumerate(names) if packed >> i & 1)


def pack_sets(sets: Sequence[Iterable[int]], labels: int) -> NDArray[np.uint64]:
    """uint64[sets, words] from label numbers (0 = Background)."""
    packed = np.zeros((len(sets), words_for(labels)), np.uint64)
    for row, members in enumerate(sets):
        for label in members:
            packed[row, label // WORD] |= np.uint64(1 << (label % WORD))
    return packed


def labels_in(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """int64[labels]: the bits that occur in uint64[rows, 2 x words], the sets of both sides, and bit 0, ascending."""
    both = np.bitwise_or.reduce(words, axis=0).reshape(2, -1)
    bits = np.unpackbits((both[GT] | both[PRED]).view(np.uint8), bitorder="little")
    bits[0] = 1
    return np.flatnonzero(bits)


def on_labels(words: NDArray[np.uint64], labels: NDArray[np.int64]) -> NDArray[np.uint64]:
    """uint64[rows, 2 x words]: the same sets with bit i for the i-th of the chosen bits; all others are left out."""
    size = words_for(len(labels) - 1)
    out = np.zeros((len(words), 2, size), np.uint64)
    for first in range(0, len(words), ROWS_AT_A_TIME):
        part = np.ascontiguousarray(words[first : first + ROWS_AT_A_TIME])
        bits = np.unpackbits(part.view(np.uint8).reshape(len(part), 2, -1), axis=2, bitorder="little")
        packed = np.packbits(bits[:, :, labels], axis=2, bitorder="little")
        out[first : first + len(part)].view(np.uint8)[:, :, : packed.shape[2]] = packed
    return out.reshape(len(words), 2 * size)
