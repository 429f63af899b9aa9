"""Panoptic quality of objects: how many are found, and how well the found ones fit.

A gt and a pred of the same label and page with an IoU above 1/2 may be a pair. Pairs are formed one to one, the largest
IoU first; equal ones in the order of gt, then of pred. Scores play no part. Crowds take no part either, so that a
prediction on one is a false positive here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.compiled import compiled_for_many
from layoutcm.layouts.model import Floats, Positions
from layoutcm.metrics.objects.average_precision import mean_of_defined
from layoutcm.metrics.objects.grouping import stable_order
from layoutcm.metrics.objects.instances import Instances
from layoutcm.metrics.objects.matching import Overlaps
from layoutcm.metrics.objects.ranked_pairs import PairedObjects
from layoutcm.metrics.scores import ratio

if TYPE_CHECKING:
    import pandas as pd

SMALLEST_IOU = 0.5  # pairs are above it
QUALITIES = ("pq", "sq", "rq")  # the product first, as in tables for people
MEAN = "mean"  # the name of the last row


def panoptic_columns(objects: PairedObjects, shared: bool) -> dict[str, list[Any]]:
    """label, tp, fp, fn, sq, rq, pq of each label; then the sums of counts and the means of qualities.

    If the two sides have different labels (not `shared`), all values are nan.
    """
    names = [*objects.labels, MEAN]
    if not shared:
        return {"label": names, **{name: [np.nan] * len(names) for name in ("tp", "fp", "fn", "sq", "rq", "pq")}}
    label, iou = _pairs_found(objects.gt, objects.pred, objects.overlaps)
    n = len(objects.labels)
    tp = np.bincount(label, minlength=n)
    gt, pred = (np.bincount(side.label[~side.crowd], minlength=n) for side in (objects.gt, objects.pred))
    counts = {"tp": tp, "fp": pred - tp, "fn": gt - tp}
    rq = ratio(2 * tp, gt + pred)
    sq = np.where(np.isnan(rq) | (tp > 0), ratio(np.bincount(label, iou, n), tp), 0.0)
    columns = {name: [*one.tolist(), int(one.sum())] for name, one in counts.items()}
    columns |= {name: [*one.tolist(), mean_of_defined(one)] for name, one in zip(("sq", "rq", "pq"), (sq, rq, sq * rq))}
    return {"label": names, **columns}


def mean_qualities(table: pd.DataFrame) -> dict[str, float]:
    """The qualities of the last row of a panoptic table: pq, sq, rq."""
    return {name: float(table[name].iloc[-1]) for name in QUALITIES}


def _pairs_found(gt: Instances, pred: Instances, overlaps: Overlaps) -> tuple[Positions, Floats]:
    """The label and the IoU of every pair."""
    at = np.flatnonzero(overlaps.values > SMALLEST_IOU)
    by_start = stable_order(overlaps.start)  # in which the pairs of a pred follow those of the one before
    pred_rows = np.repeat(by_start, (overlaps.stop - overlaps.start)[by_start])[at]
    gt_rows = overlaps.gt[at].astype(np.int64)
    possible = (gt.label[gt_rows] == pred.label[pred_rows]) & ~gt.crowd[gt_rows]
    gt_rows, pred_rows, iou = gt_rows[possible], pred_rows[possible], overlaps.values[at][possible]
    found = _are_alone(gt_rows, len(gt)) & _are_alone(pred_rows, len(pred))
    rest = np.flatnonzero(~found)
    order = rest[np.lexsort((pred_rows[rest], gt_rows[rest], -iou[rest]))]
    found[order] = _take_in_turn(gt_rows[order], pred_rows[order], np.zeros(len(gt), bool), np.zeros(len(pred), bool))
    return gt.label[gt_rows[found]], iou[found]


def _are_alone(rows: Positions, n: int) -> NDArray[np.bool_]:
    """bool[pairs]: whether the object of a pair is in no other pair."""
    return np.bincount(rows, minlength=n)[rows] == 1


@compiled_for_many(steps=lambda gt_rows, *_: gt_rows.size)
def _take_in_turn(
    gt_rows: Positions, pred_rows: Positions, gt_taken: NDArray[np.bool_], pred_taken: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """bool[pairs]: each pair in turn is taken if both its objects are free."""
    found = np.zeros(gt_rows.size, np.bool_)
    for k in range(gt_rows.size):
        if not gt_taken[gt_rows[k]] and not pred_taken[pred_rows[k]]:
            gt_taken[gt_rows[k]] = pred_taken[pred_rows[k]] = found[k] = True
    return found
