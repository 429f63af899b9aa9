"""One matrix per page or document, block by block: those of 80,000 pages with 149 labels do not fit into memory.

With many labels, the matrices of a block have only the labels that occur in it: a page has a few of thousands of
labels, and matrices of all of them would take seconds per page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.errors import check_choice
from layoutcm.layouts.model import Floats
from layoutcm.metrics import contributions
from layoutcm.metrics.scores import Margins, class_columns, harmonic, margins, precision_matrix, recall_matrix
from layoutcm.pixels.pair_counts import PairCounts, labels_in, on_labels

METHODS = ("matrix", "tensor")
BLOCK_VALUES = 500_000  # few enough to stay in the cache of the processor
# Up to this many labels, all matrices have all labels, because choosing labels would take longer than it saves.
MOST_WHOLE = 200
# Of the matrices of a block with chosen labels. Smaller blocks have fewer labels; below a megabyte or so, the calls
# take longer than the work.
CHOSEN_VALUES = 500_000


@dataclass(frozen=True, eq=False)
class GroupMatrices:
    """The confusion matrices of many groups (pages or documents), stacked.

    They have all labels, or only those at the positions `used` of `labels`: all other rows and columns are 0.
    """

    recall_mass: Floats  # [groups, gt, pred]
    precision_mass: Floats  # [groups, gt, pred]; the same array as `recall_mass` with method `matrix`
    pred_pixels: Floats  # [groups, pred]
    used: NDArray[np.int64] | None = None  # ascending, Background first; None: all
    labels: int = 0  # the number of all labels, if `used` is given

    @property
    def positions(self) -> NDArray[np.int64]:
        """int64[labels]: the positions of the labels of these matrices among all labels."""
        return np.arange(self.pred_pixels.shape[1]) if self.used is None else self.used

    @property
    def margins(self) -> Margins:
        return margins(self.recall_mass, self.precision_mass)

    def shares(self) -> dict[str, Floats]:
        """float64[groups, gt, pred] each: recall, precision and F1."""
        recall, precision = recall_matrix(self.recall_mass), precision_matrix(self.precision_mass)
        return {"recall": recall, "precision": precision, "f1": harmonic(recall, precision, self.margins.two_masses)}

    def class_values(self) -> dict[str, Floats]:
        """float64[groups, labels] for each column of the class table."""
        return class_columns(self.margins, self.pred_pixels)

    def of_all_labels(self, values: Floats) -> Floats:
        """float64[groups, all labels]: values of the labels of these matrices, 0 for the others."""
        if self.used is None:
            return values
        spread = np.zeros((len(values), self.labels))
        spread[:, self.used] = values
        return spread

    def mass_of(self, rows: ArrayLike, columns: ArrayLike) -> Floats:
        """float64[groups, rows, columns]: the mass for recall of some of all labels."""
        places, found = zip(*(self._places(np.asarray(side)) for side in (rows, columns)))
        return self.recall_mass[:, places[0][:, None], places[1]] * np.logical_and.outer(*found)

    def off_diagonal(self, row: int, column: int) -> Floats:
        """float64[groups]: the mass for recall in a row and in a column of all labels, without the cell of both."""
        every = self.positions
        in_row, in_column = self.mass_of([row], every), self.mass_of(every, [column])
        return in_row.sum(axis=(1, 2)) + in_column.sum(axis=(1, 2)) - 2 * self.mass_of([row], [column])[:, 0, 0]

    def _places(self, positions: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The places of labels in these matrices, any place for one that they do not have, and which they have."""
        if self.used is None:
            return positions, np.ones(positions.size, bool)
        places = np.minimum(np.searchsorted(self.used, positions), self.used.size - 1)
        return places, self.used[places] == positions


def group_matrices(
    counts: PairCounts, space: LabelSpace, group: NDArray[np.integer], groups: int, method: str
) -> GroupMatrices:
    """One matrix per group of rows; `group` is int[rows], or int[1] if all rows are in one group."""
    words = counts.placed(space.gt_positions, space.pred_positions)
    return matrices_of(words, counts.pixels, group, (groups, len(space.labels)), method)


def matrices_of(
    words: NDArray[np.uint64], pixels: Floats, group: NDArray[np.integer], shape: tuple[int, int], method: str
) -> GroupMatrices:
    """One matrix per group from label sets with a bit per row or column; `shape` is (groups, labels)."""
    check_method(method)
    rules = [contributions.MATRIX] if method == "matrix" else [contributions.RECALL, contributions.PRECISION]
    group, many_words = np.ascontiguousarray(group, np.int64), None if words.shape[1] == 2 else words.shape[1] // 2
    groups, size = shape
    masses = []
    for rule in rules:
        out, pred_pixels = np.zeros((groups, size, size)), np.zeros((groups, size))
        contributions.add_pairs(words, many_words, pixels, group, rule, out, pred_pixels)
        masses.append(out)
    return GroupMatrices(masses[0], masses[-1], pred_pixels)


def check_method(method: str) -> None:
    check_choice("method", method, METHODS)


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
    """The first row of a block, and the first after it. With numbers of another type, NumPy would convert all rows."""
    low, high = np.searchsorted(group, np.array([block.start, block.stop], group.dtype)).tolist()
    return low, high


def _blocks_of_chosen_labels(
    counts: PairCounts, space: LabelSpace, group: NDArray[np.integer], groups: int, method: str
) -> Iterator[tuple[range, GroupMatrices]]:
    """Blocks whose matrices have only the labels that occur in them. A block that is too large is halved."""
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
