"""The object confusion matrix, object by object: which label was found as which, and on which pages.

The last row is `invented` (predictions that met no gt), the last column `missed` (gt that no prediction met). Crowds,
and what lies on them, are in no cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.layouts.model import GT, PRED, Positions
from layoutcm.metrics.objects.instances import Instances

if TYPE_CHECKING:
    import pandas as pd

MISSED, INVENTED = "missed", "invented"


@dataclass(frozen=True, eq=False)
class ObjectConfusion:
    """One row an object, or a pair of objects that met: its place in the matrix, and its page."""

    space: LabelSpace
    gt: Positions  # place in the common list of labels, without Background; after the last label: invented
    pred: Positions  # likewise; after the last label: missed
    page: Positions  # aligned page

    @property
    def labels(self) -> list[str]:
        return list(self.space.labels[1:])

    @cached_property
    def counts(self) -> Positions:
        """int64[gt labels + invented, pred labels + missed], over the common list of labels."""
        n = len(self.labels) + 1
        return np.bincount(self.gt * n + self.pred, minlength=n * n).reshape(n, n)

    def own_labels(self, side: int) -> Positions:
        """All labels where both sides share them, else the side's own."""
        if self.space.shared:
            return np.arange(len(self.labels))
        return (self.space.gt_place, self.space.pred_place)[side][1:] - 1

    def frame(self) -> pd.DataFrame:
        """The same as a table with names."""
        import pandas as pd

        n = len(self.labels)
        rows, columns = (np.append(self.own_labels(side), n) for side in (GT, PRED))
        names = [*self.labels, ""]
        frame = pd.DataFrame(self.counts[np.ix_(rows, columns)])
        frame.index = pd.Index([*(names[i] for i in rows[:-1]), _margin_name(INVENTED, self.labels)], name="gt")
        frame.columns = pd.Index([*(names[j] for j in columns[:-1]), _margin_name(MISSED, self.labels)], name="pred")
        return frame

    def pages_behind(self, gt: int, pred: int) -> tuple[Positions, Positions]:
        """The pages with something in a cell, most first, and how much each has."""
        pages, objects = np.unique(self.page[(self.gt == gt) & (self.pred == pred)], return_counts=True)
        order = np.argsort(-objects, kind="stable")
        return pages[order], objects[order]


def _margin_name(margin: str, labels: list[str]) -> str:
    """The margin's name, told apart from a label of the same name."""
    return margin if margin not in labels else _margin_name(f"({margin})", labels)


def object_confusion(
    space: LabelSpace, gt: Instances, pred: Instances, match: NDArray[np.int32], kind: NDArray[np.int8]
) -> ObjectConfusion:
    """Cells from a class-blind matching: for each prediction which gt, and hit, invented or left out."""
    from layoutcm.metrics.objects.matching import HIT
    from layoutcm.metrics.objects.matching import NOT_MATCHED as IS_INVENTED

    hit, invented, missed = kind == HIT, kind == IS_INVENTED, ~gt.crowd
    found = match[hit]
    missed[found] = False
    nothing = len(space.labels) - 1
    return ObjectConfusion(
        space,
        np.concatenate([gt.label[found], np.full(invented.sum(), nothing), gt.label[missed]]),
        np.concatenate([pred.label[hit], pred.label[invented], np.full(missed.sum(), nothing)]),
        np.concatenate([pred.page[hit], pred.page[invented], gt.page[missed]]),
    )
