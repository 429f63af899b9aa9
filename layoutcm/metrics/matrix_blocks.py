"""One matrix per page or document, block by block: those of 80,000 pages with 149 labels do not fit into memory.

With many labels, the matrices of a block have only the labels that occur in it: a page has a few of thousands of
labels, and matrices of all of them would take seconds a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.layouts.model import Floats
from layoutcm.metrics.confusion import GroupMatrices, group_matrices, matrices_of
from layoutcm.pixels.pair_counts import PairCounts, labels_in, on_labels

BLOCK_VALUES = 500_000  # so few that they stay in the cache of the processor
# Up to so many labels, all matrices have all labels, because to choose them would take longer than it saves.
MOST_WHOLE = 200
# Of the matrices of a block with chosen labels. Smaller blocks have fewer labels; below a megabyte or so, the calls
# take longer than the work.
CHOSEN_VALUES = 500_000
MatrixBlocks = Iterable[tuple[range, GroupMatrices]]


def block_size(labels: int, method: str) -> int:
    """The number of groups whose matrices of all labels are computed together."""
    return max(BLOCK_VALUES // (_masses(method) * labels**2), 1)


def _masses(method: str) -> int:
    return 1 if method == "matrix" else 2


def matrix_blocks(
    counts: PairCounts, space: LabelSpace, group: NDArray[np.integer], groups: int, method: str
) -> Iterator[tuple[range, GroupMatrices]]:
    """Blocks of groups with one matrix per group; `group` is int[rows]."""
    if (group[1:] < group[:-1]).any():
        order = np.argsort(group, kind="stable")
        counts, group = counts.select(order), group[order]
    if len(space.labels) > MOST_WHOLE:
        yield from _blocks_of_chosen_labels(counts, space, group, groups, method)
        return
    block = block_size(len(space.labels), method)
    for first in range(0, groups, block):
        size = min(block, groups - first)
        low, high = _rows_of(range(first, first + size), group)
        yield (
            range(first, first + size),
            group_matrices(counts.select(slice(low, high)), space, group[low:high] - first, size, method),
        )


def _rows_of(block: range, group: NDArray[np.integer]) -> tuple[int, int]:
    """The first row of a block, and the first after it. Numbers of another type would have numpy convert all rows."""
    low, high = np.searchsorted(group, np.array([block.start, block.stop], group.dtype)).tolist()
    return low, high


def _blocks_of_chosen_labels(
    counts: PairCounts, space: LabelSpace, group: NDArray[np.integer], groups: int, method: str
) -> Iterator[tuple[range, GroupMatrices]]:
    """The same with the labels that occur in each block. A block that is too large is halved."""
    words, labels = counts.placed(space.gt_positions, space.pred_positions), len(space.labels)
    waiting = [range(groups)] if groups else []
    while waiting:
        block = waiting.pop()
        low, high = _rows_of(block, group)
        used = labels_in(words[low:high])
        if len(block) > 1 and _masses(method) * len(block) * used.size**2 > CHOSEN_VALUES:
            half = len(block) // 2
            waiting += [block[half:], block[:half]]
            continue
        if 2 * used.size > labels:  # nothing to be saved
            used = np.arange(labels)
        small = words[low:high] if used.size == labels else on_labels(words[low:high], used)
        own_group = group[low:high] - block.start
        matrices = matrices_of(small, counts.pixels[low:high], own_group, (len(block), used.size), method)
        yield block, replace(matrices, used=used, labels=labels)


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
