"""Pairs of objects of the same label on the same page: all of them, and those that ranked predictions form.

Predictions are taken by descending score; those with equal scores in the order of the file, those without a score last.
Pairing `coco`: each takes the free gt with the highest IoU at or above the threshold (the last of equal ones). Pairing
`ranked`: each takes the free gt with the highest IoU, even if it is 0 (the first of equal ones), and is right if that
IoU is at or above the threshold. Crowds take no part, and every other object counts once: tp + fp = predictions,
tp + fn = gt. A prediction on a crowd is therefore an fp here, while AP and the scores at one IoU leave it out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, check_choice
from layoutcm.layouts.model import Floats, Pages, Positions
from layoutcm.metrics.objects.grouping import Groups, group_regions
from layoutcm.metrics.objects.instances import Instances
from layoutcm.metrics.objects.matching import (
    HIGHEST_THRESHOLD,
    GtObjects,
    Overlaps,
    PredObjects,
    match_greedily,
    match_in_turn,
    pair_overlaps,
    rules_at,
)

if TYPE_CHECKING:
    import pandas as pd

PAIRINGS = ("coco", "ranked")
OUTCOMES = ("tp", "fp", "fn")
TP, FP, FN = range(3)
MOST_PAIRS = 20_000_000  # joint pairs, which take about a gigabyte
NONE = -1  # the row number of no object


class PairedObjects(NamedTuple):
    """The objects of both sides, their overlaps, and the names of pages and labels."""

    gt: Instances
    pred: Instances
    overlaps: Overlaps
    pages: Pages
    labels: Sequence[str]

    def keys(self, side: Instances) -> Positions:
        """int64[objects]: a number for each page and label, ascending by page, then by label."""
        return side.page * max(len(self.labels), 1) + side.label

    def groups(self, page: int | None = None) -> Groups:
        """The objects grouped by page and label, of all pages or of one, without crowds."""
        on_page = [page is None or side.page == page for side in (self.gt, self.pred)]
        gt_rows = np.flatnonzero(on_page[0] & ~self.gt.crowd)
        pred_rows = np.flatnonzero(on_page[1] & np.ones(len(self.pred), bool))
        keys = self.keys(self.gt)[gt_rows], self.keys(self.pred)[pred_rows]
        groups = group_regions(*keys, self.pred.scores[pred_rows])
        return groups._replace(gt_order=gt_rows[groups.gt_order], pred_order=pred_rows[groups.pred_order])

    def iou_of(self, gt_rows: Positions, pred_rows: Positions) -> Floats:
        return pair_overlaps(self.overlaps, gt_rows, pred_rows)

    def names_of(self, side: Instances, rows: Positions) -> dict[str, NDArray[np.object_]]:
        """The columns page and label of objects."""
        pages, labels = np.array(self.pages.names, object), np.array(self.labels, object)
        return {"page": pages[side.page[rows]], "label": labels[side.label[rows]]}


def joint_pairs(objects: PairedObjects, page: int | None = None) -> pd.DataFrame:
    """All pairs of a gt and a pred with the same page and label, by page, label, descending score, and order of gt."""
    import pandas as pd

    groups = objects.groups(page)
    group_of_pred = np.repeat(np.arange(groups.pred_start.size), groups.pred_stop - groups.pred_start)
    partners = (groups.gt_stop - groups.gt_start)[group_of_pred]
    if partners.sum() > MOST_PAIRS:
        problem = f"{partners.sum():,} pairs of objects, at most {MOST_PAIRS:,} are listed"
        raise InputError("", "joint pairs", problem, "Ask for one page, or use the ranked pairs.")
    pred = np.repeat(groups.pred_order, partners)
    nth_partner = np.arange(pred.size) - np.repeat(np.cumsum(partners) - partners, partners)
    gt = groups.gt_order[np.repeat(groups.gt_start[group_of_pred], partners) + nth_partner]
    numbers = {"gt": objects.gt.row[gt], "pred": objects.pred.row[pred], "score": objects.pred.scores[pred]}
    return pd.DataFrame(objects.names_of(objects.pred, pred) | numbers | {"iou": objects.iou_of(gt, pred)})


def ranked_pairs(objects: PairedObjects, iou: float, pairing: str) -> pd.DataFrame:
    """One row per prediction (tp or fp), and one per gt that is in no tp (fn); by page and label, predictions first."""
    import pandas as pd

    check_choice("pairing", pairing, PAIRINGS)
    groups = objects.groups()
    pred = groups.pred_order
    found = _partners(objects, groups, iou, pairing)[pred].astype(np.int64)
    overlap = np.full(pred.size, np.nan)
    overlap[found >= 0] = objects.iou_of(found[found >= 0], pred[found >= 0])
    right = overlap >= min(iou, HIGHEST_THRESHOLD)  # nan is not
    missed = ~objects.gt.crowd
    missed[found[right]] = False
    fn = np.flatnonzero(missed)
    order = np.argsort(np.concatenate([objects.keys(objects.pred)[pred], objects.keys(objects.gt)[fn]]), kind="stable")
    parts = objects.names_of(objects.pred, pred), objects.names_of(objects.gt, fn)
    taken = np.where(found >= 0, objects.gt.row[found], NONE) if len(objects.gt) else np.full(pred.size, NONE)
    nothing = np.full(fn.size, np.nan)
    columns = {
        **{name: np.concatenate([part[name] for part in parts]) for name in ("page", "label")},
        "gt": _whole_numbers(np.concatenate([taken, objects.gt.row[fn]])[order]),
        "pred": _whole_numbers(np.concatenate([objects.pred.row[pred], np.full(fn.size, NONE)])[order]),
        "score": np.concatenate([objects.pred.scores[pred], nothing]),
        "iou": np.concatenate([overlap, nothing]),
        "outcome": np.array(OUTCOMES, object)[np.concatenate([np.where(right, TP, FP), np.full(fn.size, FN)])],
    }
    return pd.DataFrame({name: one[order] if isinstance(one, np.ndarray) else one for name, one in columns.items()})


def _partners(objects: PairedObjects, groups: Groups, iou: float, pairing: str) -> NDArray[np.int32]:
    """int32[pred]: the gt that each pred takes, or -1."""
    gt, pred = objects.gt, objects.pred
    if pairing == "ranked":
        return match_in_turn(groups, objects.overlaps, objects.keys(gt), objects.keys(pred))
    label = np.where(gt.crowd, NONE, gt.label)  # which no pred has
    sides = GtObjects(label, gt.crowd, np.zeros(len(gt), np.int64)), PredObjects(pred.label, np.zeros_like(pred.label))
    return match_greedily(groups, objects.overlaps, *sides, rules_at(np.array([float(iou)]))).gt


def _whole_numbers(rows: Positions) -> pd.api.extensions.ExtensionArray:
    """Row numbers as integers that may be missing."""
    import pandas as pd

    return pd.arrays.IntegerArray(rows.astype(np.int64), rows == NONE)
