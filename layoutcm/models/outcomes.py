"""What predictions make of the regions of gt, and how often: the rates from which the evidence against gt follows.

Labels are numbers in one list of the labels of all predictions; pages and regions are those of gt.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.layouts.model import X0, X1, Y0, Y1, Floats, Positions

NONE = -1  # no region, no label
JEFFREYS = 0.5  # added to every count, so that nothing is impossible because it was not seen yet
SCORE_PARTS, IOU_PARTS = 10, 10  # the scores of a prediction are divided by rank, an IoU from 1/2 to 1 by size


@dataclass(frozen=True, eq=False)
class GtRegions:
    """The regions of gt: page, label and box of each, and what is judged."""

    page: Positions
    label: Positions
    boxes: Floats
    labels: int  # the number of labels of all sides, with Background
    judged: NDArray[np.bool_]  # has pixels that are judged, on a page that all predictions have
    used_pages: NDArray[np.bool_]  # the pages that all predictions have

    @cached_property
    def counts(self) -> Positions:
        """int64[labels]: the regions of each label."""
        return np.bincount(self.label[self.judged], minlength=self.labels)


class FreeRegions(NamedTuple):
    """Regions of a prediction at places where gt has none."""

    page: Positions
    label: Positions
    boxes: Floats
    log_ratio: Floats  # log: how much more often regions with such a score are right than wrong


@dataclass(frozen=True, eq=False)
class Model:
    """What a prediction has for every region of gt: the label of its partner, or why there is none.

    Outcomes are numbers of labels, then `missed` and `other` (split, merged, partial).
    """

    gt: GtRegions
    outcome: Positions
    boxes: Floats  # of the partner
    log_ratio: Floats  # of the partner, as in FreeRegions
    free: FreeRegions

    @property
    def missed(self) -> int:
        return self.gt.labels

    @property
    def other(self) -> int:
        return self.gt.labels + 1

    def rate(self, label: Positions, outcome: Positions, is_own: bool = False) -> Floats:
        """How often regions of a label have an outcome; `is_own`: without the region itself, which was counted, too."""
        own, outcomes = float(is_own), self.gt.labels + 1  # Background is no outcome
        seen, total = self._counts[label, outcome] - own, self._totals[label] - own
        return (seen + JEFFREYS) / (total + JEFFREYS * outcomes)

    def absence_rate(self, label: Positions) -> Floats:
        """How often regions of a label have no partner."""
        missed, other = (self.rate(label, np.full_like(label, outcome)) for outcome in (self.missed, self.other))
        return missed + other

    def invention_rate(self, label: Positions) -> Floats:
        """How many free regions of a label there are for every region of gt, without the one in question."""
        invented = np.bincount(self.free.label, minlength=self.gt.labels)[label] - 1
        return (invented + JEFFREYS) / (self.gt.counts.sum() + JEFFREYS * self.gt.labels)

    @property
    def silence_rate(self) -> float:
        """How often it has nothing where gt has nothing: places are counted as if there were one for each gt region."""
        places = self.gt.counts.sum() + 1
        return float(places / (places + len(self.free.label)))

    def iou_rate(self, label: Positions, iou: Floats, own_iou: Floats) -> Floats:
        """How often partners with this label have such an IoU, without the region itself, which has `own_iou`."""
        part, counts = iou_part(iou), self._iou_counts
        seen = counts[label, part] - (part == iou_part(own_iou))
        return (seen + JEFFREYS) / (counts.sum(axis=1)[label] - 1 + JEFFREYS * IOU_PARTS)

    @cached_property
    def _counts(self) -> Floats:
        """float64[gt label, outcome]: the regions of gt by label and outcome."""
        gt = self.gt
        return count_pairs_of(gt.label[gt.judged], self.outcome[gt.judged], (gt.labels, gt.labels + 2))

    @cached_property
    def _totals(self) -> Floats:
        return self._counts.sum(axis=1)

    @cached_property
    def _iou_counts(self) -> Floats:
        """float64[label, part]: the IoU of gt regions with their partners of the same label."""
        gt = self.gt
        rows = np.flatnonzero(gt.judged & (self.outcome == gt.label))
        part = iou_part(box_iou(gt.boxes[rows], self.boxes[rows]))
        return count_pairs_of(gt.label[rows], part, (gt.labels, IOU_PARTS))


def count_pairs_of(first: Positions, second: Positions, shape: tuple[int, int]) -> Floats:
    """float64[shape]: how often two numbers occur together."""
    return np.bincount(first * shape[1] + second, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)


def iou_part(iou: Floats) -> Positions:
    """int64[...]: the part from 1/2 to 1 that an IoU lies in; partners of rounded boxes may be a little below."""
    return np.clip(np.ceil((iou - 0.5) * 2 * IOU_PARTS) - 1, 0, IOU_PARTS - 1).astype(np.int64)


def log_ratio_of_scores(scores: Floats, is_right: NDArray[np.bool_]) -> Floats:
    """float64[regions]: the log of how much more often right regions have such a score than wrong ones; 0 without one.

    The scores are divided into ten parts by rank, so that only their order matters.
    """
    has, log_ratio = ~np.isnan(scores), np.zeros(len(scores))
    if not has.any():
        return log_ratio
    edges = np.quantile(scores[has], np.arange(1, SCORE_PARTS) / SCORE_PARTS)
    part = np.searchsorted(edges, scores[has], side="right")
    counts = count_pairs_of(is_right[has].astype(np.int64), part, (2, SCORE_PARTS)) + JEFFREYS
    wrong, right = counts / counts.sum(axis=1, keepdims=True)
    log_ratio[has] = np.log(right / wrong)[part]
    return log_ratio


def box_iou(a: Floats, b: Floats) -> Floats:
    """float64[...] from float64[..., x0 y0 x1 y1]; 0 if neither has an area."""
    width = np.minimum(a[..., X1], b[..., X1]) - np.maximum(a[..., X0], b[..., X0])
    height = np.minimum(a[..., Y1], b[..., Y1]) - np.maximum(a[..., Y0], b[..., Y0])
    common = width.clip(0) * height.clip(0)
    areas = [(one[..., X1] - one[..., X0]) * (one[..., Y1] - one[..., Y0]) for one in (a, b)]
    union = areas[0] + areas[1] - common
    return np.divide(common, union, out=np.zeros(np.shape(union)), where=union > 0)
