"""Many matrices at once: one for each page or document, and the scores that their tables show.

Stacks come in blocks, because that of 80,000 pages with 149 labels would not fit into memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from layoutcm.layouts.model import Floats, LabelSpace
from layoutcm.metrics.confusion import Stack, stack
from layoutcm.metrics.scores import SCORES, class_scores, mean_scores
from layoutcm.pixels.pair_counts import PairCounts

BLOCK_VALUES = 4_000_000
LEVEL_SCORES = ("precision", "recall", "f1", "micro_f1", "content_precision", "content_recall", "content_f1")
Stacks = Iterable[tuple[range, Stack]]


def stacks(
    counts: PairCounts, space: LabelSpace, group: NDArray[np.integer], groups: int, method: str
) -> Iterator[tuple[range, Stack]]:
    """Blocks of groups with their stacks; `group` is int[rows]."""
    if (np.diff(group) < 0).any():
        order = np.argsort(group, kind="stable")
        counts, group = counts.select(order), group[order]
    masses = 1 if method == "matrix" else 2
    block = max(BLOCK_VALUES // (masses * len(space.labels) ** 2), 1)
    for first in range(0, groups, block):
        size = min(block, groups - first)
        low, high = (int(i) for i in np.searchsorted(group, [first, first + size]))
        yield (
            range(first, first + size),
            stack(counts.select(slice(low, high)), space, group[low:high] - first, size, method),
        )


def level_averages(blocks: Stacks, kind: str, background: bool) -> dict[str, Floats]:
    """float64[groups] for precision, recall and F1: each page's or document's own average."""
    skip = 0 if background else 1
    parts = []
    for _, one in blocks:
        parts.append(mean_scores(one.margins.without_first(skip), kind))
    return {name: np.concatenate([np.empty(0), *(part[name] for part in parts)]) for name in SCORES}


def level_scores(blocks: Stacks, shared: bool) -> dict[str, Floats]:
    """The score columns of the page and document tables, float64[groups] each.

    precision, recall and f1 are macro, without Background; content_* are those of the collapsed matrix.
    """
    parts = [_block_scores(one, shared) for _, one in blocks]
    return {name: np.concatenate([np.empty(0), *(part[name] for part in parts)]) for name in LEVEL_SCORES}


def _block_scores(one: Stack, shared: bool) -> dict[str, Floats]:
    labels = one.margins.without_first(1)
    scores = dict.fromkeys((*SCORES, "micro_f1"), np.full(len(labels.gt), np.nan))
    if shared:
        scores |= mean_scores(labels, "macro")
        scores["micro_f1"] = mean_scores(labels, "micro")["f1"]
    content = class_scores(one.content_margins)
    return scores | {f"content_{name}": content[name][:, 0] for name in SCORES}


def largest_groups(blocks: Stacks, labels: int, most: int) -> tuple[NDArray[np.int64], Floats, NDArray[np.int64]]:
    """For each cell of the matrix the pages (or documents) that add most to it, in one pass over all of them.

    int64[gt, pred, most] groups, -1 where there are fewer; float64[gt, pred, most] what they add, falling;
    int64[gt, pred] how many add anything.
    """
    group, best = np.full((labels**2, most), -1), np.zeros((labels**2, most))
    adding = np.zeros(labels**2, np.int64)
    for groups, one in blocks:
        values = np.ascontiguousarray(one.recall_mass.reshape(len(groups), -1).T)
        adding += (values > 0).sum(axis=1)
        values = np.concatenate([best, values], axis=1)
        chosen = np.argpartition(-values, min(most, values.shape[1] - 1), axis=1)[:, :most]
        # Equal values in the order of the groups: those seen before stand first, then those of this block.
        chosen = np.sort(chosen, axis=1)
        order = np.argsort(-np.take_along_axis(values, chosen, axis=1), axis=1, kind="stable")
        chosen = np.take_along_axis(chosen, order, axis=1)
        seen = np.take_along_axis(group, np.minimum(chosen, most - 1), axis=1)
        group = np.where(chosen < most, seen, chosen - most + groups.start)
        best = np.take_along_axis(values, chosen, axis=1)
        group[best == 0] = -1
    shape = (labels, labels, most)
    return group.reshape(shape), best.reshape(shape), adding.reshape(labels, labels)
