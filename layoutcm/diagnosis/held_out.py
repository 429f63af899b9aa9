"""What a chosen score threshold is worth on documents that were not used to choose it.

Every document is held out once: the threshold with the largest F1 is chosen on the other documents and applied to it.
All regions stay if no threshold is better there. F1 is computed from the sums over all held-out documents. More than
`MOST_GROUPS` documents are held out in so many groups.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.diagnosis.score_areas import NOTHING, ScoreAreas, at_least, best_of
from layoutcm.layouts.model import Floats, Positions
from layoutcm.metrics.scores import ratio

FEWEST_DOCUMENTS = 6  # with fewer, nothing is held out
MOST_GROUPS = 100
ROUNDING_ERROR = 1e-12  # of F1 and of its bound


def groups_of_documents(documents: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[pages]: the group in which each page is held out, from the number of its document."""
    return documents % MOST_GROUPS


def held_out_f1(rows: ScoreAreas, group: NDArray[np.int64]) -> float:
    """F1 with thresholds that are chosen on all other groups; `group` is that of each row. nan without scores."""
    scores, number = np.unique(rows.score, return_inverse=True)
    number -= int(np.searchsorted(scores, 0, side="right"))  # below 0 for scores that are no thresholds
    n = int((scores > 0).sum())
    if not n:
        return float("nan")
    everything = Thresholds(rows.in_gt, rows.in_gt + rows.not_in_gt, number, n)
    order = np.argsort(number, kind="stable")
    order = order[np.argsort(group[order].astype(np.int16), kind="stable")]
    starts = np.searchsorted(group[order], np.arange(int(group.max()) + 2))
    gt, total = float(rows.in_gt.sum()), np.zeros(2)
    present = HeldOut(rows, number).present
    for first, stop in pairwise(starts.tolist()):
        own = HeldOut(rows.take(order[first:stop]), number[order[first:stop]])
        total += _at_chosen(everything, gt, own, present - own.present)
    return float(ratio(2 * total[0], gt + total[1]))


def is_better(f1: float, present_f1: float) -> bool:
    """Whether a threshold with this F1 is better than all regions."""
    return f1 > present_f1 * (1 + ROUNDING_ERROR)


class Thresholds:
    """float64[thresholds]: pixels in gt and pred and all pixels of pred at or above each, and the rows at it."""

    def __init__(self, in_gt: Floats, pred: Floats, number: Positions, n: int) -> None:
        scored = number >= 0
        by_score = (np.bincount(number[scored], area[scored], n).astype(float) for area in (in_gt, pred))
        self.tp, self.pred = map(at_least, by_score)
        self.rows = np.bincount(number[scored], minlength=n)


class HeldOut(NamedTuple):
    """The rows of a group, and the number of the threshold of each, ascending."""

    rows: ScoreAreas
    number: Positions

    def at(self, thresholds: Positions) -> tuple[Floats, Floats]:
        """Pixels in gt and pred, and in pred, at or above some thresholds."""
        first = np.searchsorted(self.number, thresholds)
        in_gt, not_in_gt = (np.append(at_least(area), 0.0)[first] for area in (self.rows.in_gt, self.rows.not_in_gt))
        return in_gt, in_gt + not_in_gt

    def rows_at(self, thresholds: Positions) -> Positions:
        last = np.searchsorted(self.number, thresholds, side="right")
        return last - np.searchsorted(self.number, thresholds)

    @property
    def present(self) -> Floats:
        """[in gt and pred, in pred]: with all regions, whatever their score."""
        has_pred = self.rows.score > NOTHING
        in_gt = self.rows.in_gt[has_pred].sum()
        return np.array([in_gt, in_gt + self.rows.not_in_gt[has_pred].sum()])


def _at_chosen(everything: Thresholds, gt: float, own: HeldOut, others_present: Floats) -> Floats:
    """float64[2]: pixels in gt and pred, and in pred, of the held-out rows at the threshold chosen on the others.

    `others_present` is `HeldOut.present` of the others.
    """
    gt_of_others = gt - float(own.rows.in_gt.sum())

    def of_others(thresholds: Positions) -> tuple[Floats, Floats]:
        """Pixels in gt and pred, and the sum of the pixels of gt and of pred."""
        tp, pred = own.at(thresholds)
        return everything.tp[thresholds] - tp, gt_of_others + everything.pred[thresholds] - pred

    candidates = _candidates(of_others, everything.tp.size)
    candidates = candidates[everything.rows[candidates] > own.rows_at(candidates)]
    if not candidates.size:  # the others have no scores: all regions stay
        return own.present
    tp, sizes = of_others(candidates)
    f1 = ratio(2 * tp, sizes)
    best = best_of(f1)
    if not is_better(float(f1[best]), float(ratio(2 * others_present[0], gt_of_others + others_present[1]))):
        return own.present
    return np.concatenate(own.at(candidates[best : best + 1]))


def _candidates(of_others: Callable[[Positions], tuple[Floats, Floats]], n: int) -> Positions:
    """int64[candidates]: all thresholds that may have the largest F1, ascending.

    Both sums fall with the threshold, so that in a block of thresholds F1 is at most that of the larger true positives,
    at its first one, and the smaller size, at its last one.
    """
    block = isqrt(n)
    starts = np.arange(0, n, block)
    (tp, size), (_, smallest) = of_others(starts), of_others(np.minimum(starts + block, n) - 1)
    reached = np.nan_to_num(ratio(2 * tp, size)).max()
    possible = starts[2 * tp >= reached * smallest * (1 - ROUNDING_ERROR)]
    members = (possible[:, None] + np.arange(block)).ravel()
    return members[members < n]
