"""What figures of causes and forgiveness show: shares of each label by cause."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from layoutcm.diagnosis.causes import Causes
from layoutcm.layouts.model import Floats
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.scores import ratio
from layoutcm.tables.matrix_views import Selection, select

# The columns of forgiveness that are drawn, with their titles.
FORGIVEN = {"micro_f1": "micro F1", "macro_f1": "macro F1", "content_f1": "content F1 of the 2x2 matrix"}


class CauseShares(NamedTuple):
    """What is missing and too much in pred, as shares of the pixels of labels: float64[labels, causes] each."""

    labels: list[str]
    gt: Floats  # of the pixels of the label in gt: 1 - recall
    pred: Floats  # of those in pred: 1 - precision

    @property
    def occurring(self) -> list[int]:
        """The places of the causes that some label has."""
        return np.flatnonzero(np.nansum(np.concatenate([self.gt, self.pred]), axis=0) > 0).tolist()


def cause_shares(causes: Causes, confusion: Confusion, selection: Selection | None = None) -> CauseShares:
    """The shares of the labels in use without Background, the largest in gt first; `confusion` has method matrix."""
    positions = [i for i in (selection or select(confusion)).rows if i > 0]
    positions.sort(key=lambda i: -confusion.values[i].sum())
    lost, extra = (ratio(causes.values.sum(axis=2 - k).T, confusion.values.sum(axis=1 - k)[:, None]) for k in (0, 1))
    return CauseShares([confusion.labels[i] for i in positions], lost[positions], extra[positions])
