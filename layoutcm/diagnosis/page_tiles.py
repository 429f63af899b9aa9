"""The tiles of one page: the rectangles between neighbouring box edges, and the label sets on them.

A page has thousands of tiles, but millions of pixels. Everything shown of a page (masks, differences, the pixels behind
a matrix cell) is therefore computed on tiles and only then spread over pixels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.errors import InputError
from layoutcm.layouts.model import GT, IGNORE, PRED, X0, X1, Y0, Y1, Floats
from layoutcm.metrics.matrix_blocks import GroupMatrices, matrices_of
from layoutcm.pixels.counting import count_tiles
from layoutcm.pixels.grid import GridBoxes
from layoutcm.pixels.pair_counts import WORD, PairCounts, labels_in, on_labels, words_for
from layoutcm.results.vocabulary import WITH_TRUTH

Bools = NDArray[np.bool_]
# The kinds of tiles that `agreement` returns, by number.
AGREEMENT = WITH_TRUTH.kinds
NOT_JUDGED = AGREEMENT[-1]
# With outlines a tile may be a pixel: a page at 600 dpi has 35 million. Drawing takes several bytes for each.
MOST_TILES = 40_000_000
PAIRS_AT_A_TIME = 64


@dataclass(frozen=True, eq=False)
class PageTiles:
    """The tiles of a page, in rows and columns."""

    space: LabelSpace
    rounding: str
    x_edges: Floats  # [columns + 1]
    y_edges: Floats  # [rows + 1]
    pair_of_tile: NDArray[np.int32]  # [rows, columns]: index into `pairs`
    pairs: PairCounts  # the pair counts of the page, one row per distinct pair; pixels not judged have empty sets

    def share_of(self, cell: tuple[int, int], method: str = "matrix") -> Floats:
        """float64[pairs]: the amount that a pixel of each pair adds to a cell (row, column) of the matrix."""
        rows, columns = np.array(cell)[:, None]
        blocks = (matrices.mass_of(rows, columns).ravel() for matrices in self._blocks(method))
        return np.concatenate([np.empty(0), *blocks])

    def share_in_label(self, cell: tuple[int, int], method: str = "matrix") -> Floats:
        """float64[pairs]: the amount that a pixel of each pair adds to the row and the column of a label.

        `cell` is the label's own cell (row, column), which is right and is left out.
        """
        return np.concatenate([np.empty(0), *(matrices.off_diagonal(*cell) for matrices in self._blocks(method))])

    def contributions(self, method: str = "matrix") -> list[list[list[float]]]:
        """For each pair [row, column, amount] of each cell that it adds to: the amount that one pixel adds."""
        found: list[list[list[float]]] = []
        for matrices in self._blocks(method):
            pair, row, column = np.nonzero(matrices.recall_mass)
            added = matrices.recall_mass[pair, row, column].tolist()
            first, positions = len(found), (matrices.positions[side].tolist() for side in (row, column))
            found += [[] for _ in range(len(matrices.recall_mass))]
            for k, *one in zip(pair.tolist(), *positions, added):
                found[first + k].append(one)
        return found

    def _blocks(self, method: str) -> Iterator[GroupMatrices]:
        """One matrix per pair for one pixel of it, with only the labels of the block: a page has few of thousands."""
        words = self._placed.reshape(len(self.pairs), -1)
        for first in range(0, len(words), PAIRS_AT_A_TIME):
            block = words[first : first + PAIRS_AT_A_TIME]
            used, one_pixel = labels_in(block), np.ones(len(block))
            shape = len(block), used.size
            matrices = matrices_of(on_labels(block, used), one_pixel, np.arange(len(block)), shape, method)
            yield replace(matrices, used=used, labels=len(self.space.labels))

    @cached_property
    def _placed(self) -> NDArray[np.uint64]:
        """uint64[pairs, 2, words]: the sets of both sides, one bit per row or column of the matrix."""
        placed = self.pairs.placed(self.space.gt_positions, self.space.pred_positions)
        return placed.reshape(len(placed), 2, -1)

    def carries(self, side: int, place: int) -> Bools:
        """bool[pairs]: whether a side has the label with this row or column of the matrix."""
        return (self._placed[:, side, place // WORD] >> np.uint64(place % WORD)) & np.uint64(1) == 1

    def agreement(self) -> NDArray[np.int64]:
        """int64[pairs]: 0 nothing on either side, 1 equal sets, 2 missed, 3 invented, 4 other labels, 5 not judged."""
        not_judged = ~self.pairs.words.any(axis=1)
        gt_background, pred_background = (self.pairs.has(side, 0) for side in (GT, PRED))
        same = (self._placed[:, GT] == self._placed[:, PRED]).all(axis=1)
        kinds = [not_judged, gt_background & pred_background, same, pred_background, gt_background]
        return np.select(kinds, [5, 0, 1, 2, 3], 4)

    def set_names(self, side: int, pair: int) -> frozenset[str]:
        """The names of the labels in a side's set of a pair."""
        return self.pairs.select(slice(pair, pair + 1)).sets(side)[0]

    def word(self, side: int, pair: int) -> int:
        """A side's label set of a pair as one integer; bit 0 is Background."""
        low, high = (0, self.pairs.gt_words) if side == GT else (self.pairs.gt_words, self.pairs.words.shape[1])
        words = self.pairs.words[pair, low:high].tolist()
        return sum(word << (64 * i) for i, word in enumerate(words))

    def rectangles(self, chosen: Bools) -> Floats:
        """float64[rectangles, x0 y0 x1 y1]: the tiles of the chosen pairs, bool[pairs], joined into few rectangles."""
        tiles = join_rows(chosen[self.pair_of_tile])
        return np.stack(
            [self.x_edges[tiles[:, X0]], self.y_edges[tiles[:, Y0]],
             self.x_edges[tiles[:, X1]], self.y_edges[tiles[:, Y1]]], axis=1,
        )  # fmt: skip

    def spread(self, values: NDArray[np.generic], scale: float = 1.0) -> NDArray[np.generic]:
        """[height, width, ...]: the values of the pairs on the pixels of the page, scaled by `scale`."""
        return values[self._sample(scale)]

    def _sample(self, scale: float) -> NDArray[np.int32]:
        """int32[height, width]: the pair of every pixel of the page, scaled by `scale`."""
        rows, columns = (
            np.searchsorted(edges[1:-1], (np.arange(max(round(edges[-1] * scale), 1)) + 0.5) / scale, side="right")
            for edges in (self.y_edges, self.x_edges)
        )
        return self.pair_of_tile[np.ix_(rows, columns)]

    def simplified(self, most_runs: int) -> PageTiles:
        """The tiles, if rows of them form at most this many runs of equal pairs; else a coarser sample of the page.

        Boxes are never that many. Outlines can be, and a picture of all their pixels would be too large to be sent.
        """
        tiles, side = self, 800
        while (tiles.pair_of_tile[:, 1:] != tiles.pair_of_tile[:, :-1]).sum() + len(tiles.pair_of_tile) > most_runs:
            sampled = self._sample(side / max(self.x_edges[-1], self.y_edges[-1]))
            y_edges, x_edges = (
                np.linspace(0, edges[-1], n + 1) for edges, n in zip((self.y_edges, self.x_edges), sampled.shape)
            )
            tiles, side = replace(self, x_edges=x_edges, y_edges=y_edges, pair_of_tile=sampled), side // 2
        return tiles


def page_tiles(
    grid: GridBoxes, space: LabelSpace, side_labels: tuple[tuple[str, ...], tuple[str, ...]], rounding: str
) -> PageTiles:
    """The tiles of page 0 of `grid`."""
    tiles = grid.tiles(0)
    rows, columns = tiles.size
    if rows * columns > MOST_TILES:
        problem = f"its regions divide it into {rows * columns:,} tiles, more than can be shown"
        raise InputError("", "a page", problem, "Its numbers are in the matrices and tables.")
    numbers = np.empty((rows, columns), np.int32)
    number, words, pixels = count_tiles(tiles, grid.n_labels, grid.limit, numbers)
    if grid.ignores:
        words = _with_empty_sets(words, side_labels)
    order = np.lexsort(words.T[::-1])
    words, pixels = words[order], pixels[order]
    starts = np.concatenate([[True], (words[1:] != words[:-1]).any(axis=1)])[: len(order)]
    new_number = np.zeros(int(number.max(initial=0)) + 1, np.int32)
    new_number[number[order]] = np.cumsum(starts) - 1
    rows_of_pairs = np.flatnonzero(starts)
    pixels = np.add.reduceat(pixels, rows_of_pairs) if len(order) else pixels
    pairs = PairCounts(side_labels, np.zeros(len(rows_of_pairs), np.int32), words[starts], pixels)
    return PageTiles(space, rounding, tiles.x_edges, tiles.y_edges, new_number[numbers], pairs)


def _with_empty_sets(
    words: NDArray[np.uint64], side_labels: tuple[tuple[str, ...], tuple[str, ...]]
) -> NDArray[np.uint64]:
    """Words of gt labels and the one that marks pixels as not judged: without it, and both sets empty where it was."""
    gt, pred = side_labels
    counted = PairCounts(((*gt, IGNORE), pred), np.zeros(len(words), np.int32), words, np.zeros(len(words)))
    words = np.where(counted.has(GT, len(gt) + 1)[:, None], np.uint64(0), words)
    return np.delete(words, np.s_[words_for(len(gt)) : counted.gt_words], axis=1)


def join_rows(chosen: Bools) -> NDArray[np.int64]:
    """int64[rectangles, x0 y0 x1 y1]: the True tiles; equal runs in neighbouring rows are joined."""
    padded = np.zeros((chosen.shape[0], chosen.shape[1] + 2), bool)
    padded[:, 1:-1] = chosen
    # Each row has as many first tiles as ends, in the same order.
    rows, first = np.nonzero(padded[:, 1:] & ~padded[:, :-1])
    stop = np.nonzero(~padded[:, 1:] & padded[:, :-1])[1]
    order = np.lexsort((rows, stop, first))
    rows, first, stop = rows[order], first[order], stop[order]
    joined = (np.diff(rows) == 1) & (np.diff(first) == 0) & (np.diff(stop) == 0)
    begins = np.concatenate([[True], ~joined])[: len(rows)]
    ends = np.concatenate([~joined, [True]])[: len(rows)]
    return np.stack([first[begins], rows[begins], stop[begins], rows[ends] + 1], axis=1)
