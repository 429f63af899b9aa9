"""Content against Background, each pixel counted once, and the label pixels that are right.

A pixel is content if it carries any label. The method of the matrix plays no part here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.layouts.model import GT, PRED, Floats
from layoutcm.metrics.scores import SCORES, Margins, class_scores, ratio
from layoutcm.pixels.pair_counts import PairCounts

BACKGROUND_BIT = 0


def content_pixels(counts: PairCounts, group: NDArray[np.integer], groups: int) -> Floats:
    """float64[groups, 3]: the pixels that are content on both sides, in gt, and in pred; `group` is int[rows]."""
    gt, pred = (~counts.has(side, BACKGROUND_BIT) for side in (GT, PRED))
    kinds = (counts.pixels * kind for kind in (gt & pred, gt, pred))
    return np.stack([np.bincount(group, kind, minlength=groups) for kind in kinds], axis=1).astype(float)


def content_scores(pixels: Floats) -> dict[str, Floats]:
    """float64[...] each: precision, recall and F1 of content from float64[..., 3]."""
    both, gt, pred = np.moveaxis(pixels, -1, 0)
    scores = class_scores(Margins(both, both, gt, pred))
    return {name: scores[name] for name in SCORES}


def right_shares(counts: PairCounts, space: LabelSpace, group: NDArray[np.integer], groups: int) -> Floats:
    """float64[groups]: of the label pixels of gt, the share whose label pred has at that pixel, too.

    It is nan if the labels differ. `group` is int[rows].
    """
    if not space.shared:
        return np.full(groups, np.nan)
    gt, pred = np.split(counts.placed(space.gt_positions, space.pred_positions), 2, axis=1)
    content = ~counts.has(GT, BACKGROUND_BIT)
    pixels = counts.pixels * content
    labels, right = (_set_sizes(words) * pixels for words in (gt, gt & pred))
    return ratio(np.bincount(group, right, minlength=groups), np.bincount(group, labels, minlength=groups))


def _set_sizes(words: NDArray[np.uint64]) -> NDArray[np.unsignedinteger]:
    """uint[rows]: the number of labels of sets; to sum over a single word would take most of the time."""
    sizes = np.bitwise_count(words)
    return sizes[:, 0] if words.shape[1] == 1 else sizes.sum(axis=1)


@dataclass(frozen=True, eq=False)
class PixelSums:
    """Two facts about the pixels of a matrix that the matrix does not show."""

    content_pixels: Floats  # [3]: content on both sides, in gt, and in pred
    right: float  # share of the label pixels of gt


@dataclass(frozen=True, eq=False)
class CountedPixels:
    """The same as `PixelSums`, computed from pair counts when they are asked for."""

    counts: PairCounts
    space: LabelSpace

    @cached_property
    def content_pixels(self) -> Floats:
        return content_pixels(self.counts, self._one_group, 1)[0]

    @cached_property
    def right(self) -> float:
        return float(right_shares(self.counts, self.space, self._one_group, 1)[0])

    @property
    def _one_group(self) -> NDArray[np.int64]:
        return np.zeros(len(self.counts), np.int64)
