"""What a chosen score threshold is worth on documents that were not used to choose it.

Every document is held out once: the threshold with the largest F1 is chosen on the other documents and applied to it.
F1 is computed from the sums over all held-out documents. More than `MOST_GROUPS` documents are held out in so many
groups.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from layoutcm.diagnosis.score_areas import NOTHING, ScoreAreas, at_least, best_of
from layoutcm.layouts.model import Floats
from layoutcm.metrics.scores import ratio

FEWEST_DOCUMENTS = 6  # with fewer, nothing is held out
MOST_GROUPS = 100


def groups_of_documents(documents: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[pages]: the group in which each page is held out, from the number of its document."""
    return documents % MOST_GROUPS


def held_out_f1(rows: ScoreAreas, group: NDArray[np.int64]) -> float:
    """F1 with thresholds that are chosen on all other groups; `group` is that of each row. nan without scores."""
    scored = rows.score > 0
    scores, number = np.unique(rows.score[scored], return_inverse=True)
    if not scores.size:
        return float("nan")
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(int(group.max()) + 2))
    position = np.full(len(scored), -1)
    position[scored] = number
    whole = _by_score(rows, position, scores.size)
    gt, total = float(rows.in_gt.sum()), np.zeros(2)
    for first, stop in pairwise(starts.tolist()):
        own = rows.take(order[first:stop])
        mine = _by_score(own, position[order[first:stop]], scores.size)
        total += _at_chosen(mine, whole - mine, gt - float(own.in_gt.sum()), own)
    return float(ratio(2 * total[0], gt + total[1]))


def _by_score(rows: ScoreAreas, position: NDArray[np.int64], n: int) -> Floats:
    """float64[3, scores]: pixels in gt and pred, pixels in pred, and the number of rows."""
    scored = position >= 0
    in_gt, not_in_gt = (np.bincount(position[scored], column[scored], n) for column in (rows.in_gt, rows.not_in_gt))
    return np.stack([in_gt, in_gt + not_in_gt, np.bincount(position[scored], minlength=n)])


def _at_chosen(mine: Floats, others: Floats, gt_of_others: float, own: ScoreAreas) -> Floats:
    """float64[2]: pixels in gt and pred, and in pred, of the held-out rows at the threshold chosen on the others."""
    candidates = np.flatnonzero(others[2])
    if not candidates.size:  # nothing to choose from: all regions stay
        has_pred = own.score > NOTHING
        in_gt = own.in_gt[has_pred].sum()
        return np.array([in_gt, in_gt + own.not_in_gt[has_pred].sum()])
    tp, pred = at_least(others[0]), at_least(others[1])
    f1 = ratio(2 * tp, gt_of_others + pred)[candidates]
    return mine[:2, candidates[best_of(f1)] :].sum(axis=1)
