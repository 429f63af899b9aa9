"""The object confusion matrix: the labels of matched objects, and the pages that they are on.

The last row is `invented` (predictions without a match), the last column `missed` (gt without a match). Crowds and the
predictions on them are in no cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.layouts.model import GT, PRED, SIDES, Positions
from layoutcm.metrics.objects.instances import Instances

if TYPE_CHECKING:
    import pandas as pd

    from layoutcm.metrics.objects.matching import Matching

MISSED, INVENTED = "missed", "invented"


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
        import pandas as pd

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


def object_confusion(space: LabelSpace, gt: Instances, pred: Instances, match: Matching) -> ObjectConfusion:
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
