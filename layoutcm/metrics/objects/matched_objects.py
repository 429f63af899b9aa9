"""Scores of objects: boxes and masks instead of pixels.

AP and AR by COCO's rules, AP by two other rules, precision, recall and F1 at one IoU, the object confusion matrix. They
come from one matcher (`match_greedily`) and are computed on first use. Predictions are ordered by descending score,
then by the name of the page (in gt) and the position on it; predictions without a score come last. A crowd region
is not an object: it is neither found nor missed, and predictions on it are not counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.alignment.min_scores import MinScore
from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.errors import InputError, check_choice, short_repr
from layoutcm.layouts.model import GT, PRED, Floats, Pages, Positions
from layoutcm.lazy import pd
from layoutcm.metrics.levels import page_position
from layoutcm.metrics.objects import average_precision as rules
from layoutcm.metrics.objects import matching
from layoutcm.metrics.objects import ranked_pairs as pairs
from layoutcm.metrics.objects.average_precision import DETECTION_LIMITS
from layoutcm.metrics.objects.instances import (
    Instances,
    Sides,
    on_pages,
    page_ranks,
    pages_with_many_runs,
    why_no_ap,
    with_masks,
)
from layoutcm.metrics.objects.overlaps import crowded_note, full_note, overlaps_of
from layoutcm.metrics.objects.ranked_pairs import ObjectConfusion, object_confusion, panoptic_columns
from layoutcm.metrics.scores import SCORES, ratio
from layoutcm.pixels.counting import map_chunks

MATCHINGS_KEPT = 4


def _coco_number(name: str, meaning: str) -> property:
    """One of COCO's twelve numbers as an attribute."""

    def value(objects: Objects) -> float | None:
        return None if objects.why_no_ap else objects.summary[name]

    return property(value, doc=f"{meaning} None if there is no AP (`why_no_ap`), nan without gt.")


@dataclass(frozen=True, eq=False)
class Objects:
    """The matched objects of two layouts.

    Attributes
    ----------
    ap, ap50, ap75, ap_small, ap_medium, ap_large : float or None
        None without scores; nan if there is nothing to compute it from.
    ar, ar1, ar10, ar100, ar_small, ar_medium, ar_large : float or None
    why_no_ap : str
        Why there is no AP; "" if there is one.
    labels : list of str
    left_out : names of pages with so many overlapping objects, or so long outlines, that they are not compared
    note : str
        A sentence about them.
    """

    space: LabelSpace
    sides: tuple[Instances, Instances]
    overlaps: matching.Overlaps
    why_no_ap: str
    pages: Pages
    left_out: tuple[str, ...] = ()
    full: tuple[str, ...] = ()  # those of them whose outlines are too long
    threads: int | None = None  # all cores if None

    def __repr__(self) -> str:
        gt, pred = self.sides
        return f"<Objects {len(gt):,} gt, {len(pred):,} pred, {self.shapes}>"

    @property
    def note(self) -> str:
        crowded = tuple(name for name in self.left_out if name not in set(self.full))
        return " ".join(filter(None, (crowded_note(crowded), full_note(self.full))))

    @property
    def labels(self) -> list[str]:
        return list(self.space.labels[1:])

    @property
    def shapes(self) -> str:
        """The shapes that IoU is computed on: box or mask."""
        return "mask" if any(side.masks for side in self.sides) else "box"

    ap = _coco_number("AP", "COCO's AP, the mean over labels and IoU .50:.05:.95.")
    ap50 = _coco_number("AP50", "AP at IoU .50 only.")
    ap75 = _coco_number("AP75", "AP at IoU .75 only.")
    ap_small = _coco_number("APsmall", "AP of objects with an area up to 32 x 32.")
    ap_medium = _coco_number("APmedium", "AP of objects with an area from 32 x 32 to 96 x 96.")
    ap_large = _coco_number("APlarge", "AP of objects with an area from 96 x 96.")
    ar1 = _coco_number("AR1", "COCO's AR with at most 1 prediction per page and label.")
    ar10 = _coco_number("AR10", "AR with at most 10 predictions per page and label.")
    ar100 = ar = _coco_number("AR100", "AR with at most 100 predictions per page and label.")
    ar_small = _coco_number("ARsmall", "AR of objects with an area up to 32 x 32.")
    ar_medium = _coco_number("ARmedium", "AR of objects with an area from 32 x 32 to 96 x 96.")
    ar_large = _coco_number("ARlarge", "AR of objects with an area from 96 x 96.")

    @cached_property
    def summary(self) -> dict[str, float]:
        """COCO's twelve numbers in COCO's order; nan if undefined."""
        if self.why_no_ap:
            return dict.fromkeys(rules.SUMMARY, float("nan"))
        return rules.coco_summary(*self._coco)

    @cached_property
    def per_class(self) -> pd.DataFrame:
        """One row per label: label, gt, pred, ap, ap50, ap75, ar; crowds are not counted."""
        return pd.DataFrame(self.per_class_columns())

    def per_class_columns(self) -> dict[str, Any]:
        """The columns of `per_class`."""
        values = dict.fromkeys(("ap", "ap50", "ap75", "ar"), np.full(len(self.labels), np.nan))
        if not self.why_no_ap:
            (ap, *_), (ar, *_) = self._coco  # for objects of all sizes
            ious = rules.IOUS.round(2).tolist()
            values = {"ap": ap.mean(axis=0), "ap50": ap[ious.index(0.5)], "ap75": ap[ious.index(0.75)]}
            values["ar"] = ar[-1].mean(axis=0)
        return {"label": self.labels, "gt": self.gt_counts, "pred": self.pred_counts, **values}

    @cached_property
    def gt_counts(self) -> Positions:
        """int64[labels]: gt objects, without crowds."""
        gt = self.sides[GT]
        return np.bincount(gt.label[~gt.crowd], minlength=len(self.labels))

    @cached_property
    def pred_counts(self) -> Positions:
        return np.bincount(self.sides[PRED].label, minlength=len(self.labels))

    @cached_property
    def _coco(self) -> tuple[Floats, Floats]:
        """AP, float64[areas, ious, labels], and AR, float64[areas, limits, ious, labels]."""
        at = matching.rules_at(rules.IOUS, len(rules.AREA_RANGES), most=rules.DETECTION_LIMITS[-1])
        gt, pred = self.sides
        ignored, outside = rules.columns_outside(gt.areas), rules.columns_outside(pred.areas)
        match = self._matched(at, ignored, outside)
        in_range = (~ignored >> len(rules.IOUS) * nth & ~gt.crowd for nth in range(len(rules.AREA_RANGES)))
        gt_counts = [np.bincount(gt.label, some, len(self.labels)) for some in in_range]
        work = lambda label: self._label_ap_and_ar(label, match, [int(some[label]) for some in gt_counts])
        areas, ious = len(rules.AREA_RANGES), len(rules.IOUS)
        ap = np.empty((areas, ious, len(self.labels)))
        ar = np.empty((areas, len(rules.DETECTION_LIMITS), ious, len(self.labels)))
        for label, found in enumerate(map_chunks(work, range(len(self.labels)), self.threads)):
            ap[..., label], ar[..., label] = found
        return ap, ar

    def _label_ap_and_ar(self, label: int, match: matching.Matching, gt_counts: Sequence[int]) -> tuple[Floats, Floats]:
        """AP, float64[areas, ious], and AR, float64[areas, limits, ious], of one label."""
        rows, ious = self._rankings[label], len(rules.IOUS)
        exceeded = np.searchsorted(rules.DETECTION_LIMITS, match.rank[rows], side="right")
        ranked = match.hit[rows], match.left_out[rows], exceeded
        ap = np.full((len(gt_counts), ious), np.nan)
        ar = np.full((len(gt_counts), len(rules.DETECTION_LIMITS), ious), np.nan)
        for nth in np.flatnonzero(gt_counts).tolist():
            needed = rules.hits_needed(gt_counts[nth])
            for t in range(ious):
                precision, hits = rules.envelope_at_recalls(*ranked, nth * ious + t, needed)
                ap[nth, t], ar[nth, :, t] = precision.mean(), np.cumsum(hits[:-1]) / gt_counts[nth]
        return ap, ar

    @cached_property
    def _rankings(self) -> list[Positions]:
        """For each label, its predictions, best first."""
        pred = self.sides[PRED]
        by_page = matching.stable_order(page_ranks(self.pages.names, pred.page))
        order, values = matching.stable_order(pred.label, by_page), matching.best_first(pred.scores)
        starts = np.searchsorted(pred.label[order], np.arange(len(self.labels) + 1))

        def ranking(label: int) -> Positions:
            rows = order[starts[label] : starts[label + 1]]
            return rows[np.argsort(values[rows], kind="stable")]

        return list(map_chunks(ranking, range(len(self.labels)), self.threads))

    @cached_property
    def _by_page(self) -> matching.Groups:
        """The objects grouped by page."""
        gt, pred = self.sides
        return matching.group_regions(gt.page, pred.page, pred.scores)

    def _matched(
        self, at: matching.Rules, ignored: Positions | int = 0, outside: Positions | int = 0
    ) -> matching.Matching:
        """The matching by some rules; `ignored` gt and pred `outside` are given by columns."""
        gt, pred = self.sides
        ignored = np.where(gt.crowd, at.reached[-1], ignored)
        outside = np.broadcast_to(np.int64(outside), len(pred)).copy()
        sides = matching.GtObjects(gt.label, gt.crowd, ignored), matching.PredObjects(pred.label, outside)
        return matching.match_greedily(self._by_page, self.overlaps, *sides, at)

    def _matched_at(self, iou: float, class_aware: bool, most: int = matching.NO_LIMIT) -> matching.Matching:
        """The matching at one IoU. The last few are cached, also for another limit, if no page reaches either."""
        rules.check_iou(iou)
        for (*key, limit), found in self._cached_matchings.copy().items():
            if key == [iou, class_aware] and (limit == most or found.rank.max(initial=-1) < min(limit, most)):
                return found
        at = matching.rules_at(np.array([float(iou)]), class_aware=class_aware, most=most)
        found = self._cached_matchings[float(iou), class_aware, most] = self._matched(at)
        for old in list(self._cached_matchings)[:-MATCHINGS_KEPT]:
            self._cached_matchings.pop(old, None)
        return found

    @cached_property
    def _cached_matchings(self) -> dict[tuple[float, bool, int], matching.Matching]:
        return {}

    def ap_at(self, iou: float, rule: str = "coco") -> dict[str, float]:
        """{label: AP} at one IoU, by the rule coco (101 points), sum (no envelope) or voc (all points of the envelope).

        All three use the same ranking of at most 100 predictions per page and label; nan if undefined.
        """
        rules.check_iou(iou)
        check_choice("rule", rule, rules.RULES)
        return self.ap_by_rule(iou, [rule])[rule]

    def ap_by_rule(self, iou: float, chosen: Sequence[str]) -> dict[str, dict[str, float]]:
        """{rule: {label: AP}} at one IoU, by several rules from one ranking."""
        if self.why_no_ap:
            return {rule: dict.fromkeys(self.labels, float("nan")) for rule in chosen}

        ranked = [hits for _, hits in self._ranked_hits(range(len(self.labels)), iou)]
        values = lambda label: [rules.RULES[rule](ranked[label], int(self.gt_counts[label])) for rule in chosen]
        found = map_chunks(values, range(len(self.labels)), self.threads)
        return {rule: dict(zip(self.labels, of_rule)) for rule, of_rule in zip(chosen, zip(*found))}

    def _ranked_hits(self, labels: Iterable[int], iou: float) -> Iterator[tuple[Positions, NDArray[np.bool_]]]:
        """int64[pred] and bool[pred]: the predictions of labels that count, best first, and whether they are hits."""
        match = self._matched_at(iou, True, rules.DETECTION_LIMITS[-1])
        for label in labels:
            rows = self._rankings[label]
            rows = rows[match.left_out[rows] == 0]
            yield rows, match.hit[rows] > 0

    def curve(self, label: str, iou: float) -> pd.DataFrame:
        """One row per prediction of the label, best first: score, precision, recall; empty if there is no AP."""
        rules.check_iou(iou)
        if label not in self.labels:
            known = ", ".join(map(short_repr, self.labels[:12]))
            raise InputError("", "label", f"there is no label {short_repr(label)}", f"Labels: {known}.")
        return next(self._curves([label], iou))

    def curves(self, iou: float) -> dict[str, pd.DataFrame]:
        """{label: curve} of all labels, from one matching."""
        rules.check_iou(iou)
        return dict(zip(self.labels, self._curves(self.labels, iou)))

    def _curves(self, labels: Iterable[str], iou: float) -> Iterator[pd.DataFrame]:
        return map(pd.DataFrame, self.curve_columns(labels, iou))

    def curve_columns(self, labels: Iterable[str], iou: float) -> Iterator[dict[str, Floats]]:
        """The columns of the curve of each of these labels."""
        for k in map(self.labels.index, labels):
            rows, hits = np.empty(0, np.int64), np.empty(0, bool)
            if not self.why_no_ap:
                rows, hits = next(self._ranked_hits([k], iou))
            precision, recall = rules.precision_recall(hits, int(self.gt_counts[k]))
            yield {"score": self.sides[PRED].scores[rows], "precision": precision, "recall": recall}

    def scores_at(self, iou: float, class_aware: bool = True) -> dict[str, float]:
        """Precision, recall and F1 over all objects at one IoU. All predictions count; scores are not needed.

        If class-aware, a prediction matches only its own label; nan if the two sides have different labels.
        """
        found, gt, pred = self._found_at(iou, class_aware)
        return {name: float(values) for name, values in _scores(found.sum(), gt.sum(), pred.sum()).items()}

    def counts_at(self, iou: float, class_aware: bool = True) -> dict[str, float]:
        """True positives, false positives and false negatives at one IoU: tp, fp, fn; nan where `scores_at` is nan."""
        counts = _counts(*self._found_at(iou, class_aware))
        return {name: float("nan") if np.isnan(n.sum()) else int(n.sum()) for name, n in counts.items()}

    def class_scores_at(self, iou: float) -> pd.DataFrame:
        """One row per label at one IoU: label, gt, pred, found (the same as tp), tp, fp, fn, precision, recall, f1."""
        return pd.DataFrame(self.class_columns_at(iou))

    def class_columns_at(self, iou: float) -> dict[str, Any]:
        """The columns of `class_scores_at`."""
        found, gt, pred = self._found_at(iou, True)
        columns = {"label": self.labels, "gt": gt, "pred": pred, "found": found}
        return columns | _counts(found, gt, pred) | _scores(found, gt, pred)

    def panoptic(self) -> pd.DataFrame:
        """Panoptic quality by label, without scores: label, tp, fp, fn, sq, rq, pq; last row "mean" (counts: sums)."""
        return pd.DataFrame(self.panoptic_columns)

    @cached_property
    def panoptic_columns(self) -> dict[str, list[Any]]:
        return panoptic_columns(self._paired, self.space.shared)

    @property
    def headline(self) -> str | None:
        """The main figure of objects: "ap", or "pq" without AP; None if the sides have different labels."""
        return ("pq" if self.why_no_ap else "ap") if self.space.shared else None

    def joint_pairs(self, page: str | None = None) -> pd.DataFrame:
        """All pairs of a gt and a pred with the same page and label: page, label, gt, pred, score, iou, which may be 0.

        `gt` and `pred` are row numbers in the regions of the two layouts. Crowds are left out.
        """
        return pairs.joint_pairs(self._paired, None if page is None else page_position(self.pages, page))

    def ranked_pairs(self, iou: float = rules.HEADLINE_IOU, pairing: str = "coco") -> pd.DataFrame:
        """The pairs that predictions form, by descending score: page, label, gt, pred, score, iou, outcome.

        `pairing` is "coco" or "ranked" (see the module `ranked_pairs`). The outcome of a prediction is "tp" or "fp";
        each gt that is in no tp has a row "fn". Empty if the two sides have different labels.
        """
        rules.check_iou(iou)
        table = pairs.ranked_pairs(self._paired, iou, pairing)
        return table if self.space.shared else table.iloc[:0]

    @property
    def _paired(self) -> pairs.PairedObjects:
        return pairs.PairedObjects(*self.sides, self.overlaps, self.pages, self.labels)

    def _found_at(self, iou: float, class_aware: bool) -> tuple[NDArray[np.number], Positions, Positions]:
        """[labels] each: hits (nan if the sides have different labels), gt objects, and predictions that count."""
        rules.check_iou(iou)
        if class_aware and not self.space.shared:
            return np.full(len(self.labels), np.nan), self.gt_counts, self.pred_counts
        match = self._matched_at(iou, class_aware)
        label, n = self.sides[PRED].label, len(self.labels)
        found, counted = (np.bincount(label[chosen], minlength=n) for chosen in (match.hit > 0, match.left_out == 0))
        return found, self.gt_counts, counted

    def confusion_at(self, iou: float) -> pd.DataFrame:
        """int64[gt labels + invented, pred labels + missed]: objects by label, matched without regard to labels.

        If several gt objects overlap a prediction equally, one with the label of the prediction is preferred.
        """
        return self.object_confusion_at(iou).table()

    def object_confusion_at(self, iou: float) -> ObjectConfusion:
        """The object confusion matrix at one IoU with one row per object."""
        rules.check_iou(iou)
        return object_confusion(self.space, *self.sides, self._matched_at(iou, class_aware=False))


def _counts(found: NDArray[np.number], gt: Positions, pred: Positions) -> dict[str, NDArray[np.number]]:
    return {"tp": found, "fp": pred - found, "fn": gt - found}


def _scores(found: ArrayLike, gt: ArrayLike, pred: ArrayLike) -> dict[str, Floats]:
    return dict(zip(SCORES, (ratio(found, pred), ratio(found, gt), ratio(np.multiply(2, found), np.add(gt, pred)))))


def objects_of(
    alignment: Alignment, min_score: MinScore, sides: Sides, pages: Positions | None, threads: int | None
) -> Objects:
    """The objects of both sides, `sides`, on all or some pages."""
    reason = why_no_ap(alignment, min_score, sides[PRED])
    gt, pred = on_pages(sides, pages)
    full = pages_with_many_runs(alignment, (gt, pred))
    sides = with_masks(alignment, (gt.not_on(full), pred.not_on(full)))
    overlaps, crowded = overlaps_of(*sides)
    if crowded.size:
        sides = sides[GT].not_on(crowded), sides[PRED].not_on(crowded)
        overlaps, _ = overlaps_of(*sides)
    names = alignment.pages.names
    left_out, too_full = (tuple(names[page] for page in some.tolist()) for some in (np.union1d(crowded, full), full))
    return Objects(alignment.space, sides, overlaps, reason, alignment.pages, left_out, too_full, threads)


CAP = DETECTION_LIMITS[-1]


def over_cap(objects: Objects) -> pd.DataFrame:
    """The pages and labels with more predictions than count, the most first: page, label, pred, not_counted."""
    pred, labels = objects.sides[PRED], len(objects.labels)
    groups, counts = np.unique(pred.page * labels + pred.label, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    over = order[counts[order] > CAP]
    pages, names = np.divmod(groups[over], labels)
    return pd.DataFrame(
        {
            "page": [objects.pages.names[page] for page in pages.tolist()],
            "label": [objects.labels[label] for label in names.tolist()],
            "pred": counts[over],
            "not_counted": counts[over] - CAP,
        }
    )
