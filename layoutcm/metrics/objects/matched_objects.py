"""Scores of objects: boxes and masks instead of pixels.

AP and AR by COCO's rules, AP by two other rules, precision, recall and F1 at one IoU, the object confusion matrix.
All come from one matcher (`match_greedily`) and are computed on first use. Predictions are ordered by descending score,
then by page (in the order of gt's ids) and position in the file; predictions without a score come last. A crowd region
is not an object: it is neither found nor missed, and predictions on it are not counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.errors import InputError, check_choice, short_repr
from layoutcm.layouts.model import GT, PRED, Floats, Pages, Positions
from layoutcm.metrics.levels import page_position
from layoutcm.metrics.objects import average_precision as rules
from layoutcm.metrics.objects import ranked_pairs as pairs
from layoutcm.metrics.objects.instances import Instances, instances_of, why_no_ap
from layoutcm.metrics.objects.matching import (
    HIT,
    LEFT_OUT,
    Groups,
    GtObjects,
    Overlaps,
    PredObjects,
    group_regions,
    match_greedily,
)
from layoutcm.metrics.objects.object_confusion import ObjectConfusion, object_confusion
from layoutcm.metrics.objects.overlaps import crowded_note, overlaps_of
from layoutcm.metrics.scores import SCORES, ratio

if TYPE_CHECKING:
    import pandas as pd

NO_LIMIT = 2**62
MATCHINGS_KEPT = 4


def _coco_number(name: str, meaning: str) -> property:
    """One of COCO's twelve numbers as an attribute."""

    def value(objects: Objects) -> float | None:
        return None if objects.why_no_ap else objects.summary[name]

    return property(value, doc=f"{meaning} None if there is no AP (`why_no_ap`), nan without gt.")


@dataclass(frozen=True, eq=False)
class Objects:
    """The matched objects of two layouts.

    `why_no_ap` explains why there is no AP; "" if there is one. `left_out` are the names of pages on which so many
    objects overlap that they are not compared; `note` is a sentence about them.
    """

    space: LabelSpace
    sides: tuple[Instances, Instances]
    overlaps: Overlaps
    why_no_ap: str
    pages: Pages
    left_out: tuple[str, ...] = ()

    def __repr__(self) -> str:
        gt, pred = self.sides
        return f"<Objects {len(gt):,} gt, {len(pred):,} pred, {self.shapes}>"

    @property
    def note(self) -> str:
        return crowded_note(self.left_out)

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
        import pandas as pd

        values = dict.fromkeys(("ap", "ap50", "ap75", "ar"), np.full(len(self.labels), np.nan))
        if not self.why_no_ap:
            (ap, *_), (ar, *_) = self._coco  # for objects of all sizes
            ious = rules.IOUS.round(2).tolist()
            values = {"ap": ap.mean(axis=0), "ap50": ap[ious.index(0.5)], "ap75": ap[ious.index(0.75)]}
            values["ar"] = ar[-1].mean(axis=0)
        return pd.DataFrame({"label": self.labels, "gt": self.gt_counts, "pred": self.pred_counts, **values})

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
        gt = self.sides[GT]
        ap = np.full((len(rules.AREA_RANGES), len(rules.IOUS), len(self.labels)), np.nan)
        ar = np.full((len(rules.AREA_RANGES), len(rules.DETECTION_LIMITS), len(rules.IOUS), len(self.labels)), np.nan)
        for a, (low, high) in enumerate(rules.AREA_RANGES.values()):
            ignored, outside = (((side.areas < low) | (side.areas > high)) for side in self.sides)
            _, kind = self._matched(rules.IOUS, True, rules.DETECTION_LIMITS[-1], ignored, outside)
            gt_counts = np.bincount(gt.label[~(gt.crowd | ignored)], minlength=len(self.labels))
            for label in np.flatnonzero(gt_counts).tolist():
                ap[a, :, label], ar[a, :, :, label] = self._label_ap_and_ar(label, kind, int(gt_counts[label]))
        return ap, ar

    def _label_ap_and_ar(self, label: int, kind: NDArray[np.int8], gt_count: int) -> tuple[Floats, Floats]:
        """AP, float64[ious], and AR, float64[limits, ious], of one label."""
        rows = self._ranking(label)
        ranked_kinds, rank = kind[rows].T.copy(), self._rank_on_page[rows]
        ap = [self._ranked_ap(kinds, gt_count, "coco") for kinds in ranked_kinds]
        found = [((ranked_kinds == HIT) & (rank < limit)).sum(axis=1) for limit in rules.DETECTION_LIMITS]
        return np.array(ap), np.array(found) / gt_count

    @staticmethod
    def _ranked_ap(kinds: NDArray[np.int8], gt_count: int, rule: str) -> float:
        return rules.RULES[rule](kinds[kinds != LEFT_OUT] == HIT, gt_count)

    @cached_property
    def _rankings(self) -> tuple[Positions, Positions]:
        """All predictions ordered by label, best first, and the start of each label in that order."""
        pred = self.sides[PRED]
        order = np.lexsort((pred.rank, -pred.scores, pred.label))
        return order, np.searchsorted(pred.label[order], np.arange(len(self.labels) + 1))

    def _ranking(self, label: int) -> Positions:
        order, starts = self._rankings
        return order[starts[label] : starts[label + 1]]

    @cached_property
    def _by_label(self) -> Groups:
        """The objects grouped by page and label."""
        gt, pred = (side.page * len(self.labels) + side.label for side in self.sides)
        return group_regions(gt, pred, self.sides[PRED].scores)

    @cached_property
    def _by_page(self) -> Groups:
        """The objects grouped by page."""
        gt, pred = self.sides
        return group_regions(gt.page, pred.page, pred.scores)

    @cached_property
    def _rank_on_page(self) -> Positions:
        """int64[pred]: the rank among the predictions of the same page and label; 0 for the best."""
        groups = self._by_label
        ranks = np.empty(len(self.sides[PRED]), np.int64)
        sizes = groups.pred_stop - groups.pred_start
        ranks[groups.pred_order] = np.arange(len(ranks)) - np.repeat(groups.pred_start, sizes)
        return ranks

    def _matched(
        self,
        ious: Floats,
        class_aware: bool,
        most: int = NO_LIMIT,
        ignored: NDArray[np.bool_] | None = None,
        outside: NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """int32[pred, ious] matched gt or -1, and int8[pred, ious] HIT, NOT_MATCHED or LEFT_OUT."""
        gt, pred = self.sides
        groups = self._by_label if class_aware else self._by_page
        ignored = gt.crowd if ignored is None else gt.crowd | ignored
        outside = np.zeros(len(pred), bool) if outside is None else outside
        gt_objects = GtObjects(gt.label, gt.crowd, ignored)
        pred_objects = PredObjects(pred.label, outside)
        return match_greedily(groups, self.overlaps, gt_objects, pred_objects, ious, most)

    def _matched_at(
        self, iou: float, class_aware: bool, most: int = NO_LIMIT
    ) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """int32[pred] and int8[pred] at one IoU. The last few are cached, because several scores use the same IoU."""
        rules.check_iou(iou)
        key = (float(iou), class_aware, most)
        found = self._cached_matchings.get(key)
        if found is None:
            match, kind = self._matched(np.array([float(iou)]), class_aware, most)
            found = self._cached_matchings[key] = match[:, 0], kind[:, 0]
            for old in list(self._cached_matchings)[:-MATCHINGS_KEPT]:
                self._cached_matchings.pop(old, None)
        return found

    @cached_property
    def _cached_matchings(self) -> dict[tuple[float, bool, int], tuple[NDArray[np.int32], NDArray[np.int8]]]:
        return {}

    def ap_at(self, iou: float, rule: str = "coco") -> dict[str, float]:
        """{label: AP} at one IoU, by the rule coco (101 points), sum (no envelope) or voc (all points of the envelope).

        All three use the same ranking of at most 100 predictions per page and label; nan if undefined.
        """
        rules.check_iou(iou)
        check_choice("rule", rule, rules.RULES)
        if self.why_no_ap:
            return dict.fromkeys(self.labels, float("nan"))
        _, kind = self._matched_at(iou, True, rules.DETECTION_LIMITS[-1])
        ranked_kinds = (kind[self._ranking(i)] for i in range(len(self.labels)))
        return {
            label: self._ranked_ap(kinds, int(gt_count), rule)
            for label, kinds, gt_count in zip(self.labels, ranked_kinds, self.gt_counts)
        }

    def curve(self, label: str, iou: float) -> pd.DataFrame:
        """One row per prediction of the label, best first: score, precision, recall; empty if there is no AP."""
        rules.check_iou(iou)
        if label not in self.labels:
            known = ", ".join(map(short_repr, self.labels[:12]))
            raise InputError("", "label", f"there is no label {short_repr(label)}", f"Labels: {known}.")
        return next(self._curves([self.labels.index(label)], iou))

    def curves(self, iou: float) -> dict[str, pd.DataFrame]:
        """{label: curve} of all labels, from one matching."""
        rules.check_iou(iou)
        return dict(zip(self.labels, self._curves(range(len(self.labels)), iou)))

    def _curves(self, labels: Iterable[int], iou: float) -> Iterator[pd.DataFrame]:
        import pandas as pd

        kind = None if self.why_no_ap else self._matched_at(iou, True, rules.DETECTION_LIMITS[-1])[1]
        for k in labels:
            rows, hits = np.empty(0, np.int64), np.empty(0, bool)
            if kind is not None:
                rows = self._ranking(k)
                rows = rows[kind[rows] != LEFT_OUT]
                hits = kind[rows] == HIT
            precision, recall = rules.precision_recall(hits, int(self.gt_counts[k]))
            yield pd.DataFrame({"score": self.sides[PRED].scores[rows], "precision": precision, "recall": recall})

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
        import pandas as pd

        found, gt, pred = self._found_at(iou, True)
        columns = {"label": self.labels, "gt": gt, "pred": pred, "found": found}
        return pd.DataFrame(columns | _counts(found, gt, pred) | _scores(found, gt, pred))

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
        _, kind = self._matched_at(iou, class_aware)
        label, n = self.sides[PRED].label, len(self.labels)
        found, counted = (np.bincount(label[chosen], minlength=n) for chosen in (kind == HIT, kind != LEFT_OUT))
        return found, self.gt_counts, counted

    def confusion_at(self, iou: float) -> pd.DataFrame:
        """int64[gt labels + invented, pred labels + missed]: objects by label, matched without regard to labels.

        If several gt objects overlap a prediction equally, one with the label of the prediction is preferred.
        """
        return self.object_confusion_at(iou).table()

    def object_confusion_at(self, iou: float) -> ObjectConfusion:
        """The object confusion matrix at one IoU with one row per object."""
        rules.check_iou(iou)
        return object_confusion(self.space, *self.sides, *self._matched_at(iou, class_aware=False))


def _counts(found: NDArray[np.number], gt: Positions, pred: Positions) -> dict[str, NDArray[np.number]]:
    return {"tp": found, "fp": pred - found, "fn": gt - found}


def _scores(found: ArrayLike, gt: ArrayLike, pred: ArrayLike) -> dict[str, Floats]:
    return dict(zip(SCORES, (ratio(found, pred), ratio(found, gt), ratio(np.multiply(2, found), np.add(gt, pred)))))


def objects_of(alignment: Alignment, min_score: float | None, pages: Positions | None = None) -> Objects:
    """The objects on all or some pages."""
    gt, pred = instances_of(alignment, min_score, pages)
    overlaps, crowded = overlaps_of(gt, pred)
    if crowded.size:
        gt, pred = gt.not_on(crowded), pred.not_on(crowded)
        overlaps, _ = overlaps_of(gt, pred)
    left_out = tuple(alignment.pages.names[page] for page in crowded.tolist())
    reason = why_no_ap(alignment, min_score)
    return Objects(alignment.space, (gt, pred), overlaps, reason, alignment.pages, left_out)
