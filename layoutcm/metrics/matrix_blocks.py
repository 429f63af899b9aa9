"""One matrix per page or document, block by block: those of 80,000 pages with 149 labels do not fit into memory.

With many labels, the matrices of a block have only the labels that occur in it: a page has a few of thousands of
labels, and matrices of all of them would take seconds a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.taxonomy import LabelSpace
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
