"""Pairs of objects of the same label on the same page: those that ranked predictions form, and their quality.

Predictions are taken by descending score; those with equal scores in the order of the page's rows, then those without.
Pairing `coco`: each takes the free gt with the highest IoU at or above the threshold (the last of equal ones). Pairing
`ranked`: each takes the free gt with the highest IoU, even if it is 0 (the first of equal ones), and is right if that
IoU is at or above the threshold. Crowds take no part, and every other object counts once: tp + fp = predictions,
tp + fn = gt. A prediction on a crowd is therefore an fp here, while AP and the scores at one IoU leave it out.

Panoptic quality says how many objects are found, and how well the found ones fit. A gt and a pred of the same label and
page with an IoU above 1/2 may be a pair. Pairs are formed one to one, the largest IoU first; equal ones in the order of
gt, then of pred. Scores play no part, and crowds take no part either.

The object confusion matrix has the labels of matched objects, and the pages that they are on. The last row is
`invented` (predictions without a match), the last column `missed` (gt without a match). Crowds and the predictions on
them are in no cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.compiled import compiled_for_many
from layoutcm.errors import InputError, check_choice
from layoutcm.layouts.model import GT, PRED, SIDES, Floats, Pages, Positions
from layoutcm.lazy import pd
from layoutcm.metrics.objects import matching
from layoutcm.metrics.objects.average_precision import mean_of_defined
from layoutcm.metrics.objects.instances import Instances
from layoutcm.metrics.scores import ratio
from layoutcm.results.vocabulary import WITH_TRUTH

PAIRINGS = ("coco", "ranked")
OUTCOMES = ("tp", "fp", "fn")
TP, FP, FN = range(3)
MOST_PAIRS = 20_000_000  # joint pairs, which take about a gigabyte
NONE = -1  # the row number of no object


class PairedObjects(NamedTuple):
    """The objects of both sides, their overlaps, and the names of pages and labels."""

    gt: Instances
    pred: Instances
    overlaps: matching.Overlaps
    pages: Pages
    labels: Sequence[str]

    def keys(self, side: Instances) -> Positions:
        """int64[objects]: a number for each page and label, ascending by page, then by label."""
        return side.page * max(len(self.labels), 1) + side.label

    def groups(self, page: int | None = None) -> matching.Groups:
        """The objects grouped by page and label, of all pages or of one, without crowds."""
        on_page = [page is None or side.page == page for side in (self.gt, self.pred)]
        gt_rows = np.flatnonzero(on_page[0] & ~self.gt.crowd)
        pred_rows = np.flatnonzero(on_page[1] & np.ones(len(self.pred), bool))
        keys = self.keys(self.gt)[gt_rows], self.keys(self.pred)[pred_rows]
        groups = matching.group_regions(*keys, self.pred.scores[pred_rows])
        return groups._replace(gt_order=gt_rows[groups.gt_order], pred_order=pred_rows[groups.pred_order])

    def iou_of(self, gt_rows: Positions, pred_rows: Positions) -> Floats:
        return matching.pair_overlaps(self.overlaps, gt_rows, pred_rows)

    def names_of(self, side: Instances, rows: Positions) -> dict[str, NDArray[np.object_]]:
        """The columns page and label of objects."""
        pages, labels = np.array(self.pages.names, object), np.array(self.labels, object)
        return {"page": pages[side.page[rows]], "label": labels[side.label[rows]]}


def joint_pairs(objects: PairedObjects, page: int | None = None) -> pd.DataFrame:
    """All pairs of a gt and a pred with the same page and label, by page, label, descending score, and order of gt."""
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
    check_choice("pairing", pairing, PAIRINGS)
    groups = objects.groups()
    pred = groups.pred_order
    found = _partners(objects, groups, iou, pairing)[pred].astype(np.int64)
    overlap = np.full(pred.size, np.nan)
    overlap[found >= 0] = objects.iou_of(found[found >= 0], pred[found >= 0])
    right = overlap >= min(iou, matching.HIGHEST_THRESHOLD)  # nan is not
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


def _partners(objects: PairedObjects, groups: matching.Groups, iou: float, pairing: str) -> NDArray[np.int32]:
    """int32[pred]: the gt that each pred takes, or -1."""
    gt, pred = objects.gt, objects.pred
    if pairing == "ranked":
        return matching.match_in_turn(groups, objects.overlaps, objects.keys(gt), objects.keys(pred))
    label = np.where(gt.crowd, NONE, gt.label)  # which no pred has
    sides = (
        matching.GtObjects(label, gt.crowd, np.zeros(len(gt), np.int64)),
        matching.PredObjects(pred.label, np.zeros_like(pred.label)),
    )
    return matching.match_greedily(groups, objects.overlaps, *sides, matching.rules_at(np.array([float(iou)]))).gt


def _whole_numbers(rows: Positions) -> pd.api.extensions.ExtensionArray:
    """Row numbers as integers that may be missing."""
    return pd.arrays.IntegerArray(rows.astype(np.int64), rows == NONE)


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


def _pairs_found(gt: Instances, pred: Instances, overlaps: matching.Overlaps) -> tuple[Positions, Floats]:
    """The label and the IoU of every pair."""
    at = np.flatnonzero(overlaps.values > SMALLEST_IOU)
    by_start = matching.stable_order(overlaps.start)  # in which the pairs of a pred follow those of the one before
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


MISSED, INVENTED = WITH_TRUTH.only_in


@dataclass(frozen=True, eq=False)
class ObjectConfusion:
    """One row per matched pair and per unmatched object: its cell in the matrix and its page."""

    space: LabelSpace
    gt: Positions  # position in the common list of labels, without Background; len(labels) = invented
    pred: Positions  # position in the same list; len(labels) = missed
    page: Positions  # aligned page

    @property
    def labels(self) -> list[str]:
        return list(self.space.labels[1:])

    @cached_property
    def counts(self) -> Positions:
        """int64[gt labels + invented, pred labels + missed], for the common list of labels."""
        n = len(self.labels) + 1
        return np.bincount(self.gt * n + self.pred, minlength=n * n).reshape(n, n)

    def own_labels(self, side: int) -> Positions:
        """int64[labels]: positions of the side's labels; all labels if both sides use the same list."""
        if self.space.shared:
            return np.arange(len(self.labels))
        return (self.space.gt_positions, self.space.pred_positions)[side][1:] - 1

    def table(self) -> pd.DataFrame:
        """`counts` as a table with the labels of each side."""
        gt, pred = (pd.Index(self.names(side), name=SIDES[side]) for side in (GT, PRED))
        return pd.DataFrame(self.own_counts, gt, pred)

    def names(self, side: int) -> list[str]:
        """The labels of a side, and the name of the last row or column."""
        return [*(self.labels[i] for i in self.own_labels(side)), _margin_name((INVENTED, MISSED)[side], self.labels)]

    @property
    def own_counts(self) -> Positions:
        """int64[gt labels + invented, pred labels + missed], for the labels of each side."""
        return self.counts[np.ix_(*(np.append(self.own_labels(side), len(self.labels)) for side in (GT, PRED)))]

    def pages_behind(self, gt: int, pred: int) -> tuple[Positions, Positions]:
        """int64[pages] each: the pages with objects in a cell and their numbers of objects, in descending order."""
        pages, objects = np.unique(self.page[(self.gt == gt) & (self.pred == pred)], return_counts=True)
        order = np.argsort(-objects, kind="stable")
        return pages[order], objects[order]


def _margin_name(margin: str, labels: list[str]) -> str:
    """The margin's name, in parentheses if a label has the same name."""
    return margin if margin not in labels else _margin_name(f"({margin})", labels)


def object_confusion(space: LabelSpace, gt: Instances, pred: Instances, match: matching.Matching) -> ObjectConfusion:
    """The object confusion matrix of a matching that ignores labels."""
    hit, invented, missed = match.hit > 0, (match.hit | match.left_out) == 0, ~gt.crowd
    found = match.gt[hit]
    missed[found] = False
    nothing = len(space.labels) - 1
    return ObjectConfusion(
        space,
        np.concatenate([gt.label[found], np.full(invented.sum(), nothing), gt.label[missed]]),
        np.concatenate([pred.label[hit], pred.label[invented], np.full(missed.sum(), nothing)]),
        np.concatenate([pred.page[hit], pred.page[invented], gt.page[missed]]),
    )
