"""Where predictions contradict the ground truth, and how strong the evidence is, as arrays.

The evidence is the probability that gt is wrong, by Bayes' rule. Before predictions are looked at, one region in a
hundred is wrong in each of the four ways. Every prediction then multiplies the odds: by how much more often it has what
it has there if gt is wrong in this way than if gt is right. These rates are counted first. Labels are numbers in one
list of the labels of all predictions; pages and regions are those of gt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.diagnosis.paired_regions import BoxPages, pair_all
from layoutcm.diagnosis.pairing_kernel import NO_PARTNER
from layoutcm.layouts.model import X0, X1, Y0, Y1, Floats, Positions

NONE = -1  # no region, no label
JEFFREYS = 0.5  # added to every count: what was not seen yet is not impossible
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
        """How often regions of a label have an outcome; `is_own`: without the region itself, which was also counted."""
        own, outcomes = float(is_own), self.gt.labels + 1  # Background is not an outcome
        seen, total = self._counts[label, outcome] - own, self._counts.sum(axis=1)[label] - own
        return (seen + JEFFREYS) / (total + JEFFREYS * outcomes)

    def absence_rate(self, label: Positions) -> Floats:
        """How often regions of a label have no partner."""
        missed, other = (self.rate(label, np.full_like(label, outcome)) for outcome in (self.missed, self.other))
        return missed + other

    def invention_rate(self, label: Positions) -> Floats:
        """The number of free regions of a label for every region of gt, without the region itself."""
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

    The scores are divided into ten parts by rank, so only their order matters.
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


KINDS = ("label", "missing", "spurious", "box")
LABEL, MISSING, SPURIOUS, WRONG_BOX = range(len(KINDS))
PRIOR = 0.01  # the share of regions that are wrong in one of these ways, before predictions are looked at
ROUNDING = 1e-9  # evidence this close to the prior is the prior


class Candidates(NamedTuple):
    """Probable errors of gt. Labels and evidence of the predictions are [candidates, predictions]."""

    kind: Positions
    page: Positions
    row: Positions  # of the gt region, NONE if it is missing
    suggested: Positions  # a label, NONE to remove the region
    evidence: Floats
    boxes: Floats  # of the suggestion, nan to remove the region
    model_label: Positions
    model_evidence: Floats


def all_candidates(gt: GtRegions, models: Sequence[Model], threads: int | None) -> Candidates:
    """The candidates with evidence above the prior, the strongest first; ties in the order of pages and regions.

    A region is a candidate once, of the kind with the strongest evidence.
    """
    parts = [
        wrong_labels(gt, models),
        missing_regions(gt, models, threads),
        spurious_regions(gt, models),
        wrong_boxes(gt, models),
    ]
    joined = Candidates(*(np.concatenate(columns) for columns in zip(*parts)))
    order = np.lexsort((joined.row, joined.kind, joined.page, -joined.evidence))
    order = order[joined.evidence[order] > PRIOR + ROUNDING]
    rows = joined.row[order]
    _, first = np.unique(rows, return_index=True)
    is_first = rows == NONE
    is_first[first] = True
    return Candidates(*(column[order[is_first]] for column in joined))


def wrong_labels(gt: GtRegions, models: Sequence[Model]) -> Candidates:
    """Regions whose partner has another label in some prediction."""
    outcome = np.stack([model.outcome for model in models], axis=1)
    is_other = (outcome < gt.labels) & (outcome != gt.label[:, None])
    rows = np.flatnonzero(gt.judged & is_other.any(axis=1))
    outcome, own, options = outcome[rows], gt.label[rows], np.where(is_other, outcome, NONE)[rows]
    log_ratio = np.stack([model.log_ratio[rows] for model in models], axis=1)
    before = _rates(models, own, outcome, is_own=True)

    def factors(label: Positions) -> Floats:
        scored = np.where(outcome == label[:, None], log_ratio, np.where(outcome == own[:, None], -log_ratio, 0))
        return _rates(models, label, outcome) - before + scored

    frequent = np.log(gt.counts + JEFFREYS)
    alone = np.log(np.maximum(gt.counts - 1, 0) + JEFFREYS)[own]
    prior = lambda label: _log_ratio(PRIOR) - np.log(max(gt.labels - 2, 1)) + frequent[label] - alone
    label, odds, parts = _best_label(options, factors, prior)
    said = np.where(outcome < gt.labels, outcome, NONE)
    return _of_regions(LABEL, gt, rows, label, _probability(odds), gt.boxes[rows], said, parts)


def missing_regions(gt: GtRegions, models: Sequence[Model], threads: int | None) -> Candidates:
    """Places where predictions have regions and gt has none."""
    page, members = group_regions([model.free for model in models], len(gt.used_pages), threads)
    there = members != NONE
    said = _of_members([model.free.label for model in models], members, NONE)
    log_ratio = _of_members([model.free.log_ratio for model in models], members, 0.0)
    boxes = _of_members([model.free.boxes for model in models], members, np.nan)
    silence = np.array([model.silence_rate for model in models])
    invented = np.stack([model.invention_rate(said[:, k]) for k, model in enumerate(models)], axis=1)
    before = np.log(np.where(there, invented, silence))

    def factors(label: Positions) -> Floats:
        seen = _rates(models, label, np.where(there, said, 0))
        unseen = np.log(np.stack([model.absence_rate(label) for model in models], axis=1))
        return np.where(there, seen, unseen) - before + log_ratio  # no region, no score: log_ratio is 0

    total = gt.counts.sum() + JEFFREYS * gt.labels
    prior = lambda label: np.log(PRIOR) + np.log((gt.counts[label] + JEFFREYS) / total)
    label, odds, parts = _best_label(said, factors, prior)
    none, kind = np.full(len(page), NONE), np.full(len(page), MISSING)
    return Candidates(kind, page, none, label, _probability(odds), _median(boxes), said, parts)


def spurious_regions(gt: GtRegions, models: Sequence[Model]) -> Candidates:
    """Regions that no prediction has."""
    missed = np.all([model.outcome == model.missed for model in models], axis=0)
    rows = np.flatnonzero(gt.judged & missed)
    outcome = np.stack([model.outcome[rows] for model in models], axis=1)
    silence = np.log([model.silence_rate for model in models])
    factors = silence - _rates(models, gt.label[rows], outcome, is_own=True)
    prior = _log_ratio(PRIOR)
    nothing, boxes = np.full(outcome.shape, NONE), np.full((rows.size, 4), np.nan)
    evidence = _probability(prior + factors.sum(axis=1))
    return _of_regions(SPURIOUS, gt, rows, nothing[:, 0], evidence, boxes, nothing, _probability(prior + factors))


def wrong_boxes(gt: GtRegions, models: Sequence[Model]) -> Candidates:
    """Regions that predictions have with the same label, and whose borders they put at the same other place."""
    has = np.stack([model.outcome == gt.label for model in models], axis=1) & gt.judged[:, None]
    rows = np.flatnonzero(has.any(axis=1))
    has, own = has[rows], gt.label[rows]
    boxes = np.stack([model.boxes[rows] for model in models], axis=1)
    boxes[~has] = np.nan
    median = _median(boxes)
    factors = np.zeros(has.shape)
    for k, model in enumerate(models):
        on, label = has[:, k], own[has[:, k]]
        with_gt, with_median = (box_iou(one[on], boxes[on, k]) for one in (gt.boxes[rows], median))
        right, wrong = (model.iou_rate(label, iou, with_gt) for iou in (with_gt, with_median))
        factors[on, k] = np.log(wrong / right)
    prior = _log_ratio(PRIOR) - np.log(IOU_PARTS)  # the IoU of a wrong box with the right one is in any part
    said = np.where(has, own[:, None], NONE)
    evidence = _probability(prior + factors.sum(axis=1))
    return _of_regions(WRONG_BOX, gt, rows, own, evidence, median, said, _probability(prior + factors))


def _of_regions(kind: int, gt: GtRegions, rows: Positions, *columns: NDArray) -> Candidates:
    return Candidates(np.full(rows.size, kind), gt.page[rows], rows, *columns)


def _median(boxes: Floats) -> Floats:
    """float64[regions, x0 y0 x1 y1]: the median of the boxes of all predictions; nan is left out."""
    if boxes.shape[1] == 1 or not len(boxes):
        return boxes[:, 0]
    return np.nanmedian(boxes, axis=1)


def _rates(models: Sequence[Model], label: Positions, outcome: Positions, is_own: bool = False) -> Floats:
    """float64[regions, predictions]: the log of how often a label has the outcome in each."""
    return np.log(np.stack([model.rate(label, outcome[:, k], is_own) for k, model in enumerate(models)], axis=1))


def _best_label(
    options: Positions, factors: Callable[[Positions], Floats], prior: Callable[[Positions], Floats]
) -> tuple[Positions, Floats, Floats]:
    """The option with the largest odds (of equals, the first label), its log odds, and the evidence of each prediction.

    `options` are the labels of the predictions, `factors` the logs of what each multiplies the odds by for a label.
    """
    n = len(options)
    best, odds, parts = np.full(n, NONE), np.full(n, -np.inf), np.zeros(options.shape)
    for label in options.T:
        used = np.maximum(label, 0)
        own, start = factors(used), prior(used)
        total = np.where(label == NONE, -np.inf, start + own.sum(axis=1))
        better = (total > odds) | ((total == odds) & (label < best) & (label != NONE))
        best, odds = np.where(better, label, best), np.where(better, total, odds)
        parts = np.where(better[:, None], _probability(start[:, None] + own), parts)
    return best, odds, parts


def _log_ratio(probability: float) -> float:
    return float(np.log(probability / (1 - probability)))


def _probability(log_ratio: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(log_ratio, -700, 700)))


def _of_members(columns: Sequence[NDArray], members: Positions, otherwise: float) -> NDArray:
    """[groups, predictions, ...]: the value of each member of a group, `otherwise` if a prediction has none."""
    found = []
    for column, at in zip(columns, members.T):
        values = np.full((len(at), *column.shape[1:]), otherwise, column.dtype)
        values[at != NONE] = column[at[at != NONE]]
        found.append(values)
    return np.stack(found, axis=1)


def group_regions(free: Sequence[FreeRegions], pages: int, threads: int | None) -> tuple[Positions, Positions]:
    """The page of each group of regions at the same place, and int64[groups, predictions]: its members.

    Predictions are added one after the other: their regions are paired with the first region of each group, like
    regions of pred with those of gt. A region without a partner begins a new group.
    """
    page, label, boxes = free[0].page, free[0].label, free[0].boxes
    members = np.full((len(page), len(free)), NONE)
    members[:, 0] = np.arange(len(page))
    for k, own in enumerate(free[1:], 1):
        n = len(page)
        partner = _partners((page, label, boxes), (own.page, own.label, own.boxes), pages, threads)
        has = np.flatnonzero(partner != NO_PARTNER)
        members[has, k] = partner[has]
        new = np.setdiff1d(np.arange(len(own.page)), partner[has])
        page, label = np.concatenate([page, own.page[new]]), np.concatenate([label, own.label[new]])
        boxes = np.concatenate([boxes, own.boxes[new]])
        members = np.concatenate([members, np.full((len(new), len(free)), NONE)])
        members[n:, k] = new
    return page, members


def _partners(
    first: tuple[Positions, Positions, Floats],
    second: tuple[Positions, Positions, Floats],
    pages: int,
    threads: int | None,
) -> Positions:
    """int64[first]: the partner of each in `second`; both are columns of page, label and box."""
    n = len(first[0])
    page, label, boxes = (np.concatenate(columns) for columns in zip(first, second))
    order = np.lexsort((np.arange(len(page)), page))
    offsets = np.searchsorted(page[order], np.arange(pages + 1))
    n_first = np.bincount(first[0], minlength=pages)
    places = int(label.max(initial=0)) + 1
    found = pair_all(BoxPages(np.zeros((pages, 2)), offsets, boxes[order], label[order], n_first, places), threads)
    partner = np.full(len(page), NO_PARTNER)
    has = found.partner != NO_PARTNER
    partner[order[has]] = order[found.partner[has]] - n
    return partner[:n]
