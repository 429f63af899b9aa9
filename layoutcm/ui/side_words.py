"""The words for the two sides and for what one of them lacks: with a ground truth, or for A and B without one."""

from __future__ import annotations

from typing import NamedTuple

from layoutcm.comparison import Comparison
from layoutcm.metrics.objects.object_confusion import INVENTED, MISSED


class SideWords(NamedTuple):
    """How the sides are named in sentences and titles, and how their scores are called."""

    gt: str
    pred: str
    gt_title: str
    pred_title: str
    recall: str
    precision: str
    f1: str
    missed: str
    invented: str

    @property
    def of(self) -> tuple[str, str]:
        """The sides in sentences, gt first."""
        return self.gt, self.pred

    @property
    def titles(self) -> dict[str, str]:
        """{side: its title} for controls."""
        return {"gt": self.gt_title, "pred": self.pred_title}

    @property
    def scores(self) -> dict[str, str]:
        return {"precision": self.precision, "recall": self.recall, "f1": self.f1}


TRUTH = SideWords(
    "the ground truth", "the prediction", "Ground truth", "Prediction", "recall", "precision", "F1", MISSED, INVENTED
)
LETTERS = SideWords("A", "B", "A", "B", "share of A", "share of B", "of both (F1)", "only in A", "only in B")


def words_for(compared: Comparison) -> SideWords:
    return TRUTH if compared.has_truth else LETTERS
