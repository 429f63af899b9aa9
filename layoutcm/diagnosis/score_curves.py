"""Score curves: precision, recall and F1 of each label over the score threshold, ROC AUC, and calibration.

Everything is exact and at pixel level, from sums of pixels by label and score (`score_areas`). Background is no label
here. If only some regions have a score, the others have 1; scores up to 0.001 outside 0..1 count as 0 or 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.alignment.min_scores import MinScore
from layoutcm.diagnosis.held_out import FEWEST_DOCUMENTS, groups_of_documents, held_out_f1, is_better
from layoutcm.diagnosis.score_areas import ScoreAreas, ScoreCounts, best_of, count_scores, score_areas
from layoutcm.errors import check_choice
from layoutcm.layouts.model import GT, Floats
from layoutcm.metrics.levels import Levels
from layoutcm.metrics.scores import ratio
from layoutcm.pixels.counting import map_chunks

if TYPE_CHECKING:
    import pandas as pd

ALL_LABELS = "all labels"  # the last row of `gains`
BINS = np.arange(11) / 10  # the edges of the bins of the reliability table


@dataclass(frozen=True, eq=False)
class ScoreCurves:
    """The pixels of every label by score. All values are nan if labels differ, or without scores in 0..1."""

    labels: tuple[str, ...]  # without Background
    rows: ScoreAreas | None  # sorted by label
    not_in_gt: Floats  # [labels]: pixels that do not carry the label in gt
    document_of_page: NDArray[np.int64]
    documents: int
    threads: int | None = None

    def __repr__(self) -> str:
        return f"<ScoreCurves {len(self.labels)} labels, {self.documents:,} documents>"

    def curve(self, label: str | None = None) -> pd.DataFrame:
        """One row per score above 0 that some pixel has: threshold, precision, recall, f1; ascending.

        Without a label, pixels are summed over all labels.
        """
        import pandas as pd

        counts = self._counts(label)
        if counts is None:
            return pd.DataFrame(columns=["threshold", "precision", "recall", "f1"], dtype=float)
        columns = {"precision": ratio(counts.tp, counts.pred), "recall": ratio(counts.tp, counts.gt), "f1": counts.f1}
        return pd.DataFrame({"threshold": counts.scores, **columns})

    def best(self) -> pd.DataFrame:
        """The threshold with the largest F1 of each label, the highest of equal ones: label, threshold, f1."""
        import pandas as pd

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
        import pandas as pd

        table = pd.DataFrame([*self.best().to_dict("records"), {"label": ALL_LABELS, **self.best_overall}])
        counts = [*self._by_label, self._overall]
        table["present_f1"] = [np.nan if one is None else one.present_f1 for one in counts]
        useless = [f1 == f1 and not is_better(f1, now) for f1, now in zip(table["f1"], table["present_f1"])]
        table.loc[useless, ["threshold", "f1"]] = np.nan
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
        import pandas as pd

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
        tables = (self.reliability(label) for label in self.labels)
        return {label: _calibration_error(table) for label, table in zip(self.labels, tables)}

    def reliability(self, label: str) -> pd.DataFrame:
        """One row per tenth of the scores: above, up_to, pixels, mean_score, share_in_gt."""
        import pandas as pd

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
        of_label = lambda k: count_scores(rows.take(slice(*self._ends[k : k + 2])))
        return list(map_chunks(of_label, range(len(self.labels)), self.threads))

    @cached_property
    def _overall(self) -> ScoreCounts | None:
        return None if self.rows is None else count_scores(self.rows)


def score_curves_of(
    alignment: Alignment, levels: Levels, rounding: str, min_score: MinScore, threads: int | None
) -> ScoreCurves:
    """The score curves of all pages."""
    labels, counts = alignment.space.labels[1:], levels.counts
    not_in_gt = [
        float(counts.pixels[~counts.has(GT, alignment.side_label(GT, label))].sum()) for label in labels
    ]  # fmt: skip
    rows = score_areas(alignment, rounding, min_score, threads)
    documents = levels.document_of_page, len(levels.documents)
    return ScoreCurves(labels, rows, np.array(not_in_gt, float), *documents, threads)


def _best(counts: ScoreCounts | None) -> dict[str, float]:
    """The best threshold and its F1; nan if no pixel has a score."""
    if counts is None or not counts.scores.size:
        return {"threshold": float("nan"), "f1": float("nan")}
    f1 = counts.f1
    best = best_of(f1)
    return {"threshold": float(counts.scores[best]), "f1": float(f1[best])}


def _roc_auc(counts: ScoreCounts | None, not_in_gt: float) -> float:
    """Pixels without a score have 0; ties count half. nan if all pixels carry the label, or none."""
    if counts is None or not counts.gt or not not_in_gt:
        return float("nan")
    at_zero = max(not_in_gt - float(counts.not_in_gt.sum()), 0.0)
    below = at_zero + np.cumsum(counts.not_in_gt) - counts.not_in_gt
    tied_at_zero = (counts.gt - float(counts.in_gt.sum())) * at_zero / 2
    higher = float((counts.in_gt * (below + counts.not_in_gt / 2)).sum()) + tied_at_zero
    return higher / (counts.gt * not_in_gt)


def _calibration_error(table: pd.DataFrame) -> float:
    distance = (table["mean_score"] - table["share_in_gt"]).abs().to_numpy()
    pixels = table["pixels"].to_numpy()
    return float(ratio(np.nansum(pixels * distance), pixels.sum()))
