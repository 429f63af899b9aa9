"""The tiles of a page with outlines or masks, and the regions on each of them, for the causes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.diagnosis.cause_kernel import PageRegionsOnTiles
from layoutcm.errors import InputError
from layoutcm.layouts.model import Regions
from layoutcm.pixels.counting import count_tiles
from layoutcm.pixels.grid import GridBoxes

MOST_TILES = 1 << 24
Bools = NDArray[np.bool_]


def page_of_shapes(
    grid: GridBoxes, sides: Sequence[Regions], places: NDArray[np.int64], distance: float
) -> tuple[PageRegionsOnTiles, NDArray[np.int64]]:
    """The tiles of the only page of a grid, and the places in the matrix of its labels; Background is the first.

    `sides` are its regions in the order of the files.
    """
    order, n_gt = _file_order(sides)
    labels = np.concatenate([grid.labels, [shape.label for shape in grid.shapes.get(0, [])]]).astype(np.int64)[order]
    sets, numbers, edges = _sets_of_regions(grid)
    sets = sets[:, order]
    is_ignored = places[labels] < 0
    judged: Bools = np.logical_not(sets[:, is_ignored].any(axis=1))
    n_gt -= int(is_ignored.sum())
    over, own = sets[:, ~is_ignored] & judged[:, None], places[labels[~is_ignored]]
    used = np.unique(np.concatenate([[0], own]))
    own = np.searchsorted(used, own)
    parts = (slice(n_gt), slice(n_gt, None))
    words = np.stack([_packed(_label_sets(over[:, part], own[part], len(used), judged)) for part in parts])
    tiles = PageRegionsOnTiles(*edges, n_gt, own, _packed(over)[numbers], words[:, numbers], distance)
    return tiles, used


def _file_order(sides: Sequence[Regions]) -> tuple[NDArray[np.int64], int]:
    """The order of the file for regions listed as on the grid: boxes of gt, of pred, shapes of gt, of pred."""
    boxes, shapes = [], []
    for side, one in enumerate(sides):
        rows = np.flatnonzero(~one.without_area)
        is_shape = np.isin(rows, list(one.shapes))
        boxes += [(side, row) for row in rows[~is_shape].tolist()]
        shapes += [(side, row) for row in one.shapes if not one.without_area[row]]
    listed = boxes + shapes
    return np.array(sorted(range(len(listed)), key=listed.__getitem__), np.int64), sum(not side for side, _ in listed)


def _sets_of_regions(grid: GridBoxes) -> tuple[Bools, NDArray[np.int64], tuple[Any, Any]]:
    """bool[sets, regions], int64[rows, columns]: the set of each tile, and the edges; each region is a label here."""
    shapes = grid.shapes.get(0, [])
    n_boxes, n = len(grid.boxes), len(grid.boxes) + len(shapes)
    numbered = [shape._replace(label=n_boxes + k) for k, shape in enumerate(shapes)]
    tiles = replace(grid, labels=np.arange(n_boxes, dtype=np.int32), shapes={0: numbered}, n_labels=(n, 0)).tiles(0)
    rows, columns = tiles.size
    if rows * columns > MOST_TILES:
        problem = f"its outlines divide it into {rows * columns:,} tiles, causes are found for {MOST_TILES:,}"
        raise InputError("", "a page", problem, "Compare boxes (shapes='box'), or smaller pages.")
    numbers = np.empty((rows, columns), np.int32)
    used, words, _ = count_tiles(tiles, (n, 0), grid.limit, numbers)
    position = np.zeros(int(used.max(initial=0)) + 1, np.int64)
    position[used] = np.arange(used.size)
    bits = np.unpackbits(words[:, : n // 64 + 1].copy().view(np.uint8), axis=1, bitorder="little")
    return bits[:, 1 : n + 1].astype(bool), position[numbers], (tiles.x_edges, tiles.y_edges)


def _label_sets(over: Bools, labels: NDArray[np.int64], n_labels: int, judged: Bools) -> Bools:
    """bool[sets, labels]: the labels of one side, Background where there is no other; none where it is not judged."""
    found = np.zeros((len(over), n_labels), bool)
    for region, label in enumerate(labels.tolist()):
        found[:, label] |= over[:, region]
    found[:, 0] = judged & ~found.any(axis=1)
    return found


def _packed(bits: Bools) -> NDArray[np.uint64]:
    """uint64[sets, words] with a bit for each column."""
    padded = np.zeros((len(bits), (bits.shape[1] // 64 + 1) * 64), bool)
    padded[:, : bits.shape[1]] = bits
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
