"""One page through its tiles: the rectangles between neighbouring box edges, and the label sets on them.

A page has some thousand tiles and millions of pixels. So what a person sees of a page (masks, differences, the pixels
behind a matrix cell) is computed on the tiles and only then spread over pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.layouts.model import GT, PRED, X0, X1, Y0, Y1, Floats
from layoutcm.metrics.confusion import group_matrices
from layoutcm.pixels.pair_counts import WORD, PairCounts, words_for
from layoutcm.pixels.shape_fill import mask_spans, spans_to_rectangles

if TYPE_CHECKING:
    from layoutcm.pixels.grid import GridBoxes

Bools = NDArray[np.bool_]
# What `agreement` counts.
AGREEMENT = ("nothing on either side", "same labels", "missed by pred", "invented by pred", "other labels")


@dataclass(frozen=True, eq=False)
class PageTiles:
    """The tiles of a page: float64[columns + 1] and float64[rows + 1] edges, uint64[rows, columns, words] a side."""

    space: LabelSpace
    labels: tuple[tuple[str, ...], tuple[str, ...]]  # of gt and of pred, without Background
    rounding: str
    x_edges: Floats
    y_edges: Floats
    masks: tuple[NDArray[np.uint64], NDArray[np.uint64]]

    @cached_property
    def pair_of_tile(self) -> NDArray[np.int64]:
        """int64[rows, columns]: index into `pairs`."""
        return self._distinct[1].reshape(self.masks[GT].shape[:2])

    @cached_property
    def pairs(self) -> PairCounts:
        """The page's distinct pairs of sets with their pixels, one row a pair."""
        words, where = self._distinct
        area = np.diff(self.y_edges)[:, None] * np.diff(self.x_edges)
        pixels = np.bincount(where, area.ravel(), minlength=len(words)).astype(float)
        return PairCounts(self.labels, np.zeros(len(words), np.int32), words, pixels)

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        joined = np.concatenate(self.masks, axis=2)
        words = joined.reshape(-1, joined.shape[2])
        # Word by word, which sorts numbers instead of rows: a third of the time.
        where = np.zeros(len(words), np.int64)
        for column in words.T:
            values, rank = np.unique(column, return_inverse=True)
            _, first, where = np.unique(where * len(values) + rank, return_index=True, return_inverse=True)
        return words[first], where

    def share_of(self, cell: tuple[int, int], method: str = "matrix") -> Floats:
        """float64[rows, columns]: what a pixel of each tile adds to one cell (row, column) of the confusion matrix."""
        return self.shares(method)[:, *cell][self.pair_of_tile]

    def shares(self, method: str = "matrix") -> Floats:
        """float64[pairs, gt, pred]: what one pixel of each pair of sets adds to the confusion matrix."""
        one_each = PairCounts(self.pairs.labels, self.pairs.page, self.pairs.words, np.ones(len(self.pairs)))
        return group_matrices(one_each, self.space, np.arange(len(one_each)), len(one_each), method).recall_mass

    @cached_property
    def _placed(self) -> NDArray[np.uint64]:
        """uint64[pairs, 2, words]: the sets of both sides, one bit a place of the matrix."""
        placed = self.pairs.placed(self.space.gt_place, self.space.pred_place)
        return placed.reshape(len(placed), 2, -1)

    def set_sizes(self, side: int) -> NDArray[np.int64]:
        """int64[rows, columns]: how many labels a side has there; Background counts as one."""
        return np.bitwise_count(self._placed[:, side]).sum(axis=1, dtype=np.int64)[self.pair_of_tile]

    def carries(self, side: int, place: int) -> Bools:
        """bool[rows, columns]: where a side has the label that stands at a place of the matrix."""
        word = self._placed[:, side, place // WORD]
        return ((word >> np.uint64(place % WORD)) & np.uint64(1) == 1)[self.pair_of_tile]

    def agreement(self) -> NDArray[np.int64]:
        """int64[rows, columns]: 0 nothing on either side, 1 equal sets, 2 missed, 3 invented, 4 other labels."""
        gt_background, pred_background = (self.pairs.has(side, 0) for side in (GT, PRED))
        same = (self._placed[:, GT] == self._placed[:, PRED]).all(axis=1)
        kinds = np.select([gt_background & pred_background, same, pred_background, gt_background], [0, 1, 2, 3], 4)
        return kinds[self.pair_of_tile]

    def set_names(self, side: int, pair: int) -> frozenset[str]:
        return self.pairs.select(slice(pair, pair + 1)).sets(side)[0]

    def word(self, side: int, pair: int) -> int:
        """A side's label set of a pair as one integer, bit 0 Background."""
        low, high = (0, self.pairs.gt_words) if side == GT else (self.pairs.gt_words, self.pairs.words.shape[1])
        words = self.pairs.words[pair, low:high].tolist()
        return sum(word << (64 * i) for i, word in enumerate(words))

    def rectangles(self, chosen: Bools) -> Floats:
        """float64[rectangles, x0 y0 x1 y1]: the chosen tiles, bool[rows, columns], as few rectangles of the page."""
        spans = spans_to_rectangles(mask_spans(chosen)).astype(int)
        return np.stack(
            [self.x_edges[spans[:, X0]], self.y_edges[spans[:, Y0]],
             self.x_edges[spans[:, X1]], self.y_edges[spans[:, Y1]]], axis=1,
        )  # fmt: skip

    def spread(self, values: NDArray[np.generic], scale: float = 1.0) -> NDArray[np.generic]:
        """[height, width, ...]: values of tiles spread over the pixels of the page, shrunk by `scale`."""
        rows, columns = (
            np.searchsorted(edges[1:-1], (np.arange(max(round(edges[-1] * scale), 1)) + 0.5) / scale, side="right")
            for edges in (self.y_edges, self.x_edges)
        )
        return values[np.ix_(rows, columns)]


def page_tiles(
    grid: GridBoxes, space: LabelSpace, side_labels: tuple[tuple[str, ...], tuple[str, ...]], rounding: str
) -> PageTiles:
    """The tiles of a page, which is page 0 of `laid`."""
    boxes, labels = grid.boxes, grid.labels
    width, height = grid.frames[0]
    x_edges = np.unique(np.concatenate([[0, width], boxes[:, X0], boxes[:, X1]]))
    y_edges = np.unique(np.concatenate([[0, height], boxes[:, Y0], boxes[:, Y1]]))
    on_tiles = np.stack(
        [
            np.searchsorted(edges, boxes[:, k])
            for k, edges in ((X0, x_edges), (Y0, y_edges), (X1, x_edges), (Y1, y_edges))
        ],
        axis=1,
    ).astype(float)
    masks = []
    for side in (GT, PRED):
        own = (labels < grid.n_labels[GT]) == (side == GT)
        shift = 0 if side == GT else grid.n_labels[GT]
        size = (len(x_edges) - 1, len(y_edges) - 1)
        masks.append(label_set_mask(on_tiles[own], labels[own] - shift, grid.n_labels[side], *size))
    return PageTiles(space, side_labels, rounding, x_edges, y_edges, (masks[GT], masks[PRED]))


def label_set_mask(
    boxes: Floats, labels: Sequence[int] | NDArray[np.int32], n_labels: int, width: float, height: float
) -> NDArray[np.uint64]:
    """uint64[height, width, words] of one side of a page: bit 0 Background, bit i the side's i-th label.

    `boxes` have whole edges; `labels` count from 0.
    """
    mask = np.zeros((int(height), int(width), words_for(n_labels)), np.uint64)
    for (x0, y0, x1, y1), label in zip(boxes.astype(int), labels):
        word, bit = divmod(int(label) + 1, WORD)
        mask[y0:y1, x0:x1, word] |= np.uint64(1 << bit)
    mask[~mask.any(axis=2), 0] = 1
    return mask
