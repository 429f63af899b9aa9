"""Score curves: precision, recall and F1 of each label over the score threshold, ROC AUC, and calibration.

Everything is exact and at pixel level, from sums of pixels by label and score (`pixels_by_score`). Background is not
counted as a label. If only some regions have a score, the others have 1; scores up to 0.001 outside 0..1 count as 0 or
1.

What a chosen threshold is worth is computed on documents that were not used to choose it. Every document is held out
once: the threshold with the largest F1 is chosen on the other documents and applied to it. All regions stay if no
threshold is better there. F1 is computed from the sums over all held-out documents. More than `MOST_GROUPS` documents
are held out in so many groups.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment, side_label
from layoutcm.alignment.min_scores import MinScore
from layoutcm.diagnosis import pixels_by_score
from layoutcm.diagnosis.pixels_by_score import NOTHING, ScoreAreas, ScoreCounts
from layoutcm.errors import check_choice
from layoutcm.layouts.model import GT, PRED, Floats, Positions
from layoutcm.lazy import pd
from layoutcm.metrics.levels import Levels
from layoutcm.metrics.scores import ratio
from layoutcm.pixels.counting import map_chunks
from layoutcm.pixels.pair_counts import PairCounts

ALL_LABELS = "all labels"  # the last row of `gains`
BINS = np.arange(11) / 10  # the edges of the bins of the reliability table


@dataclass(frozen=True, eq=False)
class ScoreCurves:
    """The pixels of every label by score.

    All values are nan if labels differ, or if no region on the compared pages has a score, or one has a score outside
    0..1; those of a label are nan if no region of it has a score.
    """

    labels: tuple[str, ...]  # without Background
    rows: ScoreAreas | None  # sorted by label
    not_in_gt: Floats  # [labels]: pixels that do not carry the label in gt
    document_of_page: NDArray[np.int64]
    documents: int
    threads: int | None = None
    why_none: str = ""  # a sentence if there are no curves

    def __repr__(self) -> str:
        return f"<ScoreCurves {len(self.labels)} labels, {self.documents:,} documents>"

    def curve(self, label: str | None = None) -> pd.DataFrame:
        """One row per score above 0 that some pixel has: threshold, precision, recall, f1; ascending.

        Without a label, pixels are summed over all labels.
        """
        counts = self._counts(label)
        if counts is None:
            return pd.DataFrame(columns=["threshold", "precision", "recall", "f1"], dtype=float)
        columns = {"precision": ratio(counts.tp, counts.pred), "recall": ratio(counts.tp, counts.gt), "f1": counts.f1}
        return pd.DataFrame({"threshold": counts.scores, **columns})

    def best(self) -> pd.DataFrame:
        """The threshold with the largest F1 of each label, the highest of equal ones: label, threshold, f1."""
        found = [_best(counts) for counts in self._by_label]
        return pd.DataFrame({"label": self.labels, **{name: [one[name] for one in found] for name in _best(None)}})

    @property
    def best_overall(self) -> dict[str, float]:
        """One threshold for all labels: threshold and f1, with pixels summed over labels."""
        return _best(self._overall)

    @property
    def is_cross_validated(self) -> bool:
        """Whether gains are measured on documents that were not used to choose the threshold."""
        return self.documents >= FEWEST_DOCUMENTS

    def gains(self) -> pd.DataFrame:
        """What the best thresholds gain: label, threshold, f1, present_f1, held_out_f1, gain; last row "all labels".

        `f1` is on the pages that the threshold was chosen on, `present_f1` that of all regions, and `held_out_f1` is on
        documents that were held out (nan below 6 documents). The gain is that of `held_out_f1`, or else of `f1`. If no
        threshold is better than all regions, the threshold is nan and `f1` is `present_f1`.
        """
        table = pd.DataFrame([*self.best().to_dict("records"), {"label": ALL_LABELS, **self.best_overall}])
        counts = [*self._counts_of_labels, self._overall]
        table["present_f1"] = [np.nan if one is None else one.present_f1 for one in counts]
        useless = [not is_better(f1, now) for f1, now in zip(table["f1"], table["present_f1"])]  # nan is not better
        table.loc[useless, "threshold"] = np.nan
        table.loc[useless, "f1"] = table["present_f1"]
        table["held_out_f1"] = self._held_out
        table["gain"] = (table["held_out_f1"] if self.is_cross_validated else table["f1"]) - table["present_f1"]
        return table

    @cached_property
    def _held_out(self) -> list[float]:
        """F1 on held-out documents, of each label and overall."""
        n, rows = len(self.labels) + 1, self.rows
        if rows is None or not self.is_cross_validated:
            return [np.nan] * n
        group = groups_of_documents(self.document_of_page)[rows.page]
        ends = self._ends

        def value(k: int) -> float:
            part = slice(None) if k == len(self.labels) else slice(*ends[k : k + 2])
            if k < len(self.labels) and self._by_label[k] is None:
                all_regions = self._counts_of_labels[k]
                # Of a label that is only missed, F1 is 0 at any threshold.
                return 0.0 if all_regions is not None and all_regions.present_f1 == 0 else float("nan")
            return held_out_f1(rows.take(part), group[part])

        return list(map_chunks(value, range(n), self.threads))

    @cached_property
    def roc_auc(self) -> dict[str, float]:
        """{label: the probability that a random pixel of the label in gt has a higher score than one without it}."""
        return {label: _roc_auc(*one) for label, one in zip(self.labels, zip(self._by_label, self.not_in_gt.tolist()))}

    def roc(self, label: str) -> pd.DataFrame:
        """One row per threshold, from none to all pixels: threshold, false_positives, true_positives (as shares).

        False positives are a share of the pixels that do not carry the label in gt, true positives of those that do.
        The first threshold is inf. Pixels without the label have score 0. Empty where `roc_auc` is nan.
        """
        counts, not_in_gt = self._counts(label), float(self.not_in_gt[self.labels.index(label)])
        columns = ["threshold", "false_positives", "true_positives"]
        if counts is None or not counts.gt or not not_in_gt:
            return pd.DataFrame(columns=columns, dtype=float)
        wrong = (counts.pred - counts.tp)[::-1] / not_in_gt
        points = [np.inf, *counts.scores[::-1], 0.0], [0.0, *wrong, 1.0], [0.0, *counts.tp[::-1] / counts.gt, 1.0]
        return pd.DataFrame(dict(zip(columns, points)))

    @cached_property
    def ece(self) -> dict[str, float]:
        """{label: expected calibration error: mean distance of score and share, weighted by the pixels of a bin}."""
        errors = {}
        for label in self.labels:
            pixels, score, share = self.reliability(label)[["pixels", "mean_score", "share_in_gt"]].to_numpy(float).T
            errors[label] = float(ratio(np.nansum(pixels * np.abs(score - share)), pixels.sum()))
        return errors

    def reliability(self, label: str) -> pd.DataFrame:
        """One row per tenth of the scores: above, up_to, pixels, mean_score, share_in_gt."""
        counts = self._counts(label)
        edges = {"above": BINS[:-1], "up_to": BINS[1:]}
        if counts is None:
            return pd.DataFrame(edges | dict.fromkeys(("pixels", "mean_score", "share_in_gt"), np.nan))
        tenth, pixels = np.searchsorted(BINS, counts.scores) - 1, counts.in_gt + counts.not_in_gt
        total, scores, in_gt = (
            np.bincount(tenth, values, BINS.size - 1) for values in (pixels, pixels * counts.scores, counts.in_gt)
        )
        shares = {"mean_score": ratio(scores, total), "share_in_gt": ratio(in_gt, total)}
        return pd.DataFrame(edges | {"pixels": total} | shares)

    def _counts(self, label: str | None) -> ScoreCounts | None:
        if label is None:
            return self._overall
        check_choice("label", label, self.labels)
        return self._by_label[self.labels.index(label)]

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """int64[labels + 1]: the first row of each label, and the end."""
        rows = self.rows
        assert rows is not None
        return np.searchsorted(rows.label, np.arange(len(self.labels) + 1))

    @cached_property
    def _by_label(self) -> Sequence[ScoreCounts | None]:
        rows = self.rows
        if rows is None:
            return [None] * len(self.labels)
        scored = rows.labels_with_scores(len(self.labels))
        return [counts if has else None for counts, has in zip(self._counts_of_labels, scored.tolist())]

    @cached_property
    def _counts_of_labels(self) -> Sequence[ScoreCounts | None]:
        """The counts of all labels, also of those without scores."""
        rows = self.rows
        if rows is None:
            return [None] * len(self.labels)
        of_label = lambda k: pixels_by_score.count_scores(rows.take(slice(*self._ends[k : k + 2])))
        return list(map_chunks(of_label, range(len(self.labels)), self.threads))

    @cached_property
    def _overall(self) -> ScoreCounts | None:
        return None if self.rows is None else pixels_by_score.count_scores(self.rows)


def score_curves_of(
    alignment: Alignment, levels: Levels, rounding: str, min_score: MinScore, threads: int | None
) -> ScoreCurves:
    """The score curves of all pages."""
    rows = pixels_by_score.score_areas(alignment, rounding, min_score, threads)
    documents = levels.document_of_page, len(levels.documents)
    return curves_from(alignment, rows, pixels_without_labels(levels.counts, alignment), *documents, threads)


def curves_from(alignment: Alignment, rows: ScoreAreas | None, *more: Any) -> ScoreCurves:
    """The curves from rows of pixels, or none and the reason; `more` are the other fields."""
    labels, why = alignment.space.labels[1:], ""
    if not alignment.space.shared:
        why = "The two sides have different labels, which a mapping would make comparable."
    elif not alignment.layouts[PRED].has_scores:
        why = "The prediction has no scores."
    elif rows is None:
        why = "Some scores are not in 0..1, which makes them no probabilities."
    elif not rows.labels_with_scores(len(labels)).any():
        why = "No region that is compared has a score."
    curves = ScoreCurves(labels, None if why else rows, *more)
    return replace(curves, why_none=why)


def pixels_without_labels(counts: PairCounts, alignment: Alignment) -> Floats:
    """float64[labels without Background]: the pixels of gt that do not have the label."""
    own = [side_label(alignment, GT, label) for label in alignment.space.labels[1:]]
    return np.array([counts.pixels[~counts.has(GT, label)].sum() for label in own], float)


def _best(counts: ScoreCounts | None) -> dict[str, float]:
    """The best threshold and its F1; nan if no pixel has a score."""
    if counts is None or not counts.scores.size:
        return {"threshold": float("nan"), "f1": float("nan")}
    f1 = counts.f1
    best = pixels_by_score.best_of(f1)
    return {"threshold": float(counts.scores[best]), "f1": float(f1[best])}


def _roc_auc(counts: ScoreCounts | None, not_in_gt: float) -> float:
    """Pixels without a score have 0; ties count half. nan if all pixels carry the label, or none.

    The pairs in the wrong order are counted, so if there are none, the result is exactly 1.
    """
    if counts is None or not counts.gt or not not_in_gt:
        return float("nan")
    at_zero = max(not_in_gt - float(counts.not_in_gt.sum()), 0.0)
    above = pixels_by_score.at_least(counts.not_in_gt) - counts.not_in_gt
    wrong = float((counts.in_gt * (above + counts.not_in_gt / 2)).sum())
    wrong += counts.missed * (float(counts.not_in_gt.sum()) + at_zero / 2)
    return max(1 - wrong / (counts.gt * not_in_gt), 0.0)


FEWEST_DOCUMENTS = 6  # with fewer, nothing is held out
MOST_GROUPS = 100
ROUNDING_ERROR = 1e-12  # of F1 and of its bound


def groups_of_documents(documents: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[pages]: the group in which each page is held out, from the number of its document."""
    return documents % MOST_GROUPS


def held_out_f1(rows: ScoreAreas, group: NDArray[np.int64]) -> float:
    """F1 with thresholds chosen on all other groups; `group` has the group of each row. nan without pixels."""
    scores, number = np.unique(rows.score, return_inverse=True)
    number -= int(np.searchsorted(scores, 0, side="right"))  # below 0 for scores that are not thresholds
    n = int((scores > 0).sum())
    if not n:  # there is no threshold to choose: all regions stay
        present = HeldOut(rows, number).present
        return float(ratio(2 * present[0], rows.in_gt.sum() + present[1]))
    everything = Thresholds(rows.in_gt, rows.in_gt + rows.not_in_gt, number, n)
    order = np.argsort(number, kind="stable")
    order = order[np.argsort(group[order].astype(np.int16), kind="stable")]
    starts = np.searchsorted(group[order], np.arange(int(group.max()) + 2))
    gt, total = float(rows.in_gt.sum()), np.zeros(3)
    present = HeldOut(rows, number).present
    for first, stop in pairwise(starts.tolist()):
        own = HeldOut(rows.take(order[first:stop]), number[order[first:stop]])
        # gt is summed with the rest, so a perfect prediction has exactly 1.
        total += [*_at_chosen(everything, gt, own, present - own.present), own.rows.in_gt.sum()]
    return float(ratio(2 * total[0], total[2] + total[1]))


def is_better(f1: float, present_f1: float) -> bool:
    """Whether a threshold with this F1 is better than all regions."""
    return f1 > present_f1 * (1 + ROUNDING_ERROR)


class Thresholds:
    """float64[thresholds]: pixels in gt and pred and all pixels of pred at or above each, and the rows at it."""

    def __init__(self, in_gt: Floats, pred: Floats, number: Positions, n: int) -> None:
        scored = number >= 0
        by_score = (np.bincount(number[scored], area[scored], n).astype(float) for area in (in_gt, pred))
        self.tp, self.pred = map(pixels_by_score.at_least, by_score)
        self.rows = np.bincount(number[scored], minlength=n)


class HeldOut(NamedTuple):
    """The rows of a group, and the number of the threshold of each, ascending."""

    rows: ScoreAreas
    number: Positions

    def at(self, thresholds: Positions) -> tuple[Floats, Floats]:
        """Pixels in gt and pred, and in pred, at or above some thresholds."""
        first = np.searchsorted(self.number, thresholds)
        in_gt, not_in_gt = (
            np.append(pixels_by_score.at_least(area), 0.0)[first] for area in (self.rows.in_gt, self.rows.not_in_gt)
        )
        return in_gt, in_gt + not_in_gt

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
    own_rows = np.diff([np.searchsorted(own.number, candidates, side=side) for side in ("left", "right")], axis=0)[0]
    candidates = candidates[everything.rows[candidates] > own_rows]
    if not candidates.size:  # the others have no scores: all regions stay
        return own.present
    tp, sizes = of_others(candidates)
    f1 = ratio(2 * tp, sizes)
    best = pixels_by_score.best_of(f1)
    if not is_better(float(f1[best]), float(ratio(2 * others_present[0], gt_of_others + others_present[1]))):
        return own.present
    return np.concatenate(own.at(candidates[best : best + 1]))


def _candidates(of_others: Callable[[Positions], tuple[Floats, Floats]], n: int) -> Positions:
    """int64[candidates]: all thresholds that may have the largest F1, ascending.

    Both sums fall with the threshold, so in a block of thresholds F1 is at most that of the larger true positives,
    at its first one, and the smaller size, at its last one.
    """
    block = isqrt(n)
    starts = np.arange(0, n, block)
    (tp, size), (_, smallest) = of_others(starts), of_others(np.minimum(starts + block, n) - 1)
    reached = np.nan_to_num(ratio(2 * tp, size)).max()
    possible = starts[2 * tp >= reached * smallest * (1 - ROUNDING_ERROR)]
    members = (possible[:, None] + np.arange(block)).ravel()
    return members[members < n]
