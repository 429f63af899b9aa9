"""The tiles of one page: the rectangles between neighbouring box edges, and the label sets on them.

A page has thousands of tiles, but millions of pixels. Everything shown of a page (masks, differences, the pixels behind
a matrix cell) is therefore computed on tiles and only then spread over pixels.
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
# The kinds of tiles that `agreement` returns, by number.
AGREEMENT = ("nothing on either side", "same labels", "missed by pred", "invented by pred", "other labels")


@dataclass(frozen=True, eq=False)
class PageTiles:
    """The tiles of a page, in rows and columns."""

    space: LabelSpace
    labels: tuple[tuple[str, ...], tuple[str, ...]]  # of gt and of pred, without Background
    rounding: str
    x_edges: Floats  # [columns + 1]
    y_edges: Floats  # [rows + 1]
    label_words: tuple[NDArray[np.uint64], NDArray[np.uint64]]  # label sets of gt and of pred: [rows, columns, words]

    @cached_property
    def pair_of_tile(self) -> NDArray[np.int64]:
        """int64[rows, columns]: index into `pairs`."""
        return self._distinct[1].reshape(self.label_words[GT].shape[:2])

    @cached_property
    def pairs(self) -> PairCounts:
        """The pair counts of the page, one row per distinct pair."""
        words, pair = self._distinct
        area = np.diff(self.y_edges)[:, None] * np.diff(self.x_edges)
        pixels = np.bincount(pair, area.ravel(), minlength=len(words)).astype(float)
        return PairCounts(self.labels, np.zeros(len(words), np.int32), words, pixels)

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """uint64[pairs, words]: the distinct pairs, and int64[tiles]: the pair of each tile."""
        joined = np.concatenate(self.label_words, axis=2)
        words = joined.reshape(-1, joined.shape[2])
        # Word by word, because sorting numbers takes a third of the time of sorting rows.
        pair = np.zeros(len(words), np.int64)
        for column in words.T:
            values, rank = np.unique(column, return_inverse=True)
            _, first, pair = np.unique(pair * len(values) + rank, return_index=True, return_inverse=True)
        return words[first], pair

    def share_of(self, cell: tuple[int, int], method: str = "matrix") -> Floats:
        """float64[rows, columns]: the amount that a pixel of each tile adds to a cell (row, column) of the matrix."""
        return self.shares(method)[:, *cell][self.pair_of_tile]

    def shares(self, method: str = "matrix") -> Floats:
        """float64[pairs, gt, pred]: the amount that one pixel of each pair adds to the confusion matrix."""
        one_pixel = PairCounts(self.pairs.labels, self.pairs.page, self.pairs.words, np.ones(len(self.pairs)))
        return group_matrices(one_pixel, self.space, np.arange(len(one_pixel)), len(one_pixel), method).recall_mass

    @cached_property
    def _placed(self) -> NDArray[np.uint64]:
        """uint64[pairs, 2, words]: the sets of both sides, one bit per row or column of the matrix."""
        placed = self.pairs.placed(self.space.gt_positions, self.space.pred_positions)
        return placed.reshape(len(placed), 2, -1)

    def set_sizes(self, side: int) -> NDArray[np.int64]:
        """int64[rows, columns]: the number of labels of a side; Background counts as a label."""
        return np.bitwise_count(self._placed[:, side]).sum(axis=1, dtype=np.int64)[self.pair_of_tile]

    def carries(self, side: int, place: int) -> Bools:
        """bool[rows, columns]: whether a side has the label with this row or column of the matrix."""
        word = self._placed[:, side, place // WORD]
        return ((word >> np.uint64(place % WORD)) & np.uint64(1) == 1)[self.pair_of_tile]

    def agreement(self) -> NDArray[np.int64]:
        """int64[rows, columns]: 0 nothing on either side, 1 equal sets, 2 missed, 3 invented, 4 other labels."""
        gt_background, pred_background = (self.pairs.has(side, 0) for side in (GT, PRED))
        same = (self._placed[:, GT] == self._placed[:, PRED]).all(axis=1)
        kinds = np.select([gt_background & pred_background, same, pred_background, gt_background], [0, 1, 2, 3], 4)
        return kinds[self.pair_of_tile]

    def set_names(self, side: int, pair: int) -> frozenset[str]:
        """The names of the labels in a side's set of a pair."""
        return self.pairs.select(slice(pair, pair + 1)).sets(side)[0]

    def word(self, side: int, pair: int) -> int:
        """A side's label set of a pair as one integer; bit 0 is Background."""
        low, high = (0, self.pairs.gt_words) if side == GT else (self.pairs.gt_words, self.pairs.words.shape[1])
        words = self.pairs.words[pair, low:high].tolist()
        return sum(word << (64 * i) for i, word in enumerate(words))

    def rectangles(self, chosen: Bools) -> Floats:
        """float64[rectangles, x0 y0 x1 y1]: the chosen tiles, bool[rows, columns], joined into few rectangles."""
        spans = spans_to_rectangles(mask_spans(chosen)).astype(int)
        return np.stack(
            [self.x_edges[spans[:, X0]], self.y_edges[spans[:, Y0]],
             self.x_edges[spans[:, X1]], self.y_edges[spans[:, Y1]]], axis=1,
        )  # fmt: skip

    def spread(self, values: NDArray[np.generic], scale: float = 1.0) -> NDArray[np.generic]:
        """[height, width, ...]: the values of the tiles on the pixels of the page, scaled by `scale`."""
        rows, columns = (
            np.searchsorted(edges[1:-1], (np.arange(max(round(edges[-1] * scale), 1)) + 0.5) / scale, side="right")
            for edges in (self.y_edges, self.x_edges)
        )
        return values[np.ix_(rows, columns)]


def page_tiles(
    grid: GridBoxes, space: LabelSpace, side_labels: tuple[tuple[str, ...], tuple[str, ...]], rounding: str
) -> PageTiles:
    """The tiles of page 0 of `grid`."""
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
    label_words = []
    for side in (GT, PRED):
        own = (labels < grid.n_labels[GT]) == (side == GT)
        shift = 0 if side == GT else grid.n_labels[GT]
        size = (len(x_edges) - 1, len(y_edges) - 1)
        label_words.append(label_set_words(on_tiles[own], labels[own] - shift, grid.n_labels[side], *size))
    return PageTiles(space, side_labels, rounding, x_edges, y_edges, (label_words[GT], label_words[PRED]))


def label_set_words(
    boxes: Floats, labels: Sequence[int] | NDArray[np.int32], n_labels: int, width: float, height: float
) -> NDArray[np.uint64]:
    """uint64[height, width, words]: the label sets of one side; bit 0 is Background, bit i the side's i-th label.

    The coordinates of `boxes` are whole numbers; `labels` start at 0.
    """
    mask = np.zeros((int(height), int(width), words_for(n_labels)), np.uint64)
    for (x0, y0, x1, y1), label in zip(boxes.astype(int), labels):
        word, bit = divmod(int(label) + 1, WORD)
        mask[y0:y1, x0:x1, word] |= np.uint64(1 << bit)
    mask[~mask.any(axis=2), 0] = 1
    return mask
