"""What figures of score curves show, for screen and paper alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec import UnsetType

from layoutcm.diagnosis.score_areas import best_of
from layoutcm.diagnosis.score_curves import ALL_LABELS, BINS, ScoreCurves
from layoutcm.results.measures import SCORES
from layoutcm.results.types import Reliability, ThresholdCurve
from layoutcm.wording import score_text, threshold_text

if TYPE_CHECKING:
    import pandas as pd


class ThresholdPoints(NamedTuple):
    """A threshold curve: rows of (threshold, precision, recall, f1), ascending, and its best threshold and F1.

    A row holds from the threshold before it up to its own; the first row is at threshold 0. `best` are nan if the label
    has no scores.
    """

    title: str
    rows: pd.DataFrame
    best_threshold: float
    best_f1: float

    @property
    def best_text(self) -> str:
        """'best threshold 0.5: F1 0.909'; "" without scores."""
        if np.isnan(self.best_threshold):
            return ""
        return f"best threshold {threshold_text(self.best_threshold)}: F1 {score_text(self.best_f1)}"


def threshold_points(curves: ScoreCurves, label: str | None, most: int) -> ThresholdPoints:
    """At most `most` rows of a curve, with its first, its last and its best one; without a label, of all labels."""
    import pandas as pd

    table = curves.curve(label)
    if not len(table):
        return ThresholdPoints(label or ALL_LABELS, table, np.nan, np.nan)
    f1 = table["f1"].to_numpy()
    best = best_of(f1)
    kept = np.linspace(0, f1.size - 1, min(f1.size, most - 2)).round().astype(int)
    rows = table.iloc[np.union1d(kept, [best])]
    rows = pd.concat([rows[:1].assign(threshold=0.0), rows], ignore_index=True)
    return ThresholdPoints(label or ALL_LABELS, rows, float(table["threshold"].iloc[best]), float(f1[best]))


def points_of(title: str, curve: ThresholdCurve | UnsetType | None) -> ThresholdPoints:
    """The points of a curve that a result has; it was thinned out when the result was made."""
    import pandas as pd

    if not curve:
        return ThresholdPoints(title, pd.DataFrame(columns=["threshold", *SCORES], dtype=float), np.nan, np.nan)
    rows = pd.DataFrame({name: np.array(curve[name], float) for name in ("threshold", *SCORES)})
    rows = pd.concat([rows[:1].assign(threshold=0.0), rows], ignore_index=True)
    return ThresholdPoints(title, rows, curve["best_threshold"], curve["best_f1"])


def reliability_of(bins: Reliability | UnsetType | None) -> pd.DataFrame:
    """The table of `ScoreCurves.reliability`, from the bins that a result has."""
    import pandas as pd

    assert bins
    columns = {name: np.array(bins[name], float) for name in ("pixels", "mean_score", "share_in_gt")}
    return pd.DataFrame({"above": BINS[:-1], "up_to": BINS[1:], **columns})


def roc_points(curves: ScoreCurves, label: str, most: int) -> pd.DataFrame:
    """At most `most` rows of `ScoreCurves.roc`, with its first and its last one."""
    table = curves.roc(label)
    kept = np.linspace(0, len(table) - 1, min(len(table), most)).round().astype(int)
    return table.iloc[np.unique(kept)]
