"""Centroids: a predicted region matches where its centre lies near enough to that of one in gt.

Near is strictly below the tolerance in x and in y. One to one, the largest matching is taken; otherwise, as published,
many predictions may match one region: precision is the share of predictions near any gt, recall the share of gt near
any prediction. A side without regions has no precision or no recall (nan).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from layoutcm.alignment.align import Alignment
from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import GT, PRED, Floats, Positions
from layoutcm.metrics.objects.instances import instances_of
from layoutcm.metrics.objects.matching import group_regions, match_most, near_pairs, order_from_left
from layoutcm.metrics.scores import harmonic, ratio

if TYPE_CHECKING:
    import pandas as pd

TOLERANCE = (20.0, 20.0)

Tolerance = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Centroids:
    """Which centres meet: `pairs` is int64[pairs, gt pred] into the two sides' centres, float64[regions, x y]."""

    tolerance: Tolerance
    one_to_one: bool
    centres: tuple[Floats, Floats]
    pairs: Positions
    columns: Callable[[Positions, Positions], dict[str, Any]]  # what `matches` says of the pairs' gt and pred
    comparable: bool = True  # False: class-aware, but the two sides' labels differ

    def __repr__(self) -> str:
        return f"<Centroids precision {self.precision:.3f}, recall {self.recall:.3f}, tolerance {self.tolerance}>"

    @cached_property
    def matched(self) -> tuple[int, int]:
        """How many regions of gt and of pred have a match."""
        gt, pred = (np.bincount(self.pairs[:, side]) for side in (GT, PRED))
        return int((gt > 0).sum()), int((pred > 0).sum())

    @property
    def precision(self) -> float:
        return self._share(PRED)

    @property
    def recall(self) -> float:
        return self._share(GT)

    @property
    def f1(self) -> float:
        """Harmonic mean; 0 where only one side has regions, nan where neither has."""
        return float(harmonic(self.recall, self.precision))

    def _share(self, side: int) -> float:
        return float(ratio(self.matched[side], len(self.centres[side]))) if self.comparable else float("nan")

    @cached_property
    def matches(self) -> pd.DataFrame:
        """One row a match: gt and pred (rows of the regions), page and labels where known, dx, dy (pred minus gt)."""
        import pandas as pd

        gt, pred = self.pairs[:, GT], self.pairs[:, PRED]
        return pd.DataFrame(self.columns(gt, pred) | {"dx": self.distances[:, 0], "dy": self.distances[:, 1]})

    @cached_property
    def distances(self) -> Floats:
        """float64[pairs, x y]: from the centre in gt to that in pred."""
        return self.centres[PRED][self.pairs[:, PRED]] - self.centres[GT][self.pairs[:, GT]]


def centroid_match(
    gt_boxes: ArrayLike, pred_boxes: ArrayLike, tolerance: Tolerance = TOLERANCE, one_to_one: bool = True
) -> Centroids:
    """Match plain boxes of one page by their centres, class-blind.

    A box is two opposite corners x, y, x, y in any order, not x, y, width, height. `tolerance` is (dx, dy).
    """
    gt, pred = _centres(gt_boxes, "gt_boxes"), _centres(pred_boxes, "pred_boxes")
    keys = (np.zeros(len(gt), np.int64), np.zeros(len(pred), np.int64))
    pairs = _matching_pairs((gt, pred), keys, _check_tolerance(tolerance), one_to_one)
    return Centroids(
        _check_tolerance(tolerance), one_to_one, (gt, pred), pairs, lambda gt, pred: {"gt": gt, "pred": pred}
    )


def centroids_of(
    alignment: Alignment,
    min_score: float | None,
    tolerance: Tolerance = TOLERANCE,
    one_to_one: bool = True,
    class_aware: bool = True,
    pages: Positions | None = None,
) -> Centroids:
    """Match the regions of two layouts page by page; class-aware, only those of one label. Crowds are left out."""
    tolerance, space = _check_tolerance(tolerance), alignment.space
    gt, pred = instances_of(alignment, min_score, pages, masks=False)
    rows = (np.flatnonzero(~gt.crowd), np.arange(len(pred)))
    centres = (gt.centres[rows[GT]], pred.centres)
    keys = [side.page * len(space.labels) + side.label if class_aware else side.page for side in (gt, pred)]
    comparable = space.shared or not class_aware
    pairs = np.empty((0, 2), np.int64)
    if comparable:
        pairs = _matching_pairs(centres, (keys[GT][rows[GT]], keys[PRED]), tolerance, one_to_one)
    pages_of, labels = np.array(alignment.pages.names, object), np.array(space.labels[1:], object)

    def columns(gt_rows: Positions, pred_rows: Positions) -> dict[str, Any]:
        at = rows[GT][gt_rows]
        return {
            "page": pages_of[gt.page[at]],
            "gt": gt.row[at],
            "pred": pred.row[pred_rows],
            "gt_label": labels[gt.label[at]],
            "pred_label": labels[pred.label[pred_rows]],
        }

    return Centroids(tolerance, one_to_one, centres, pairs, columns, comparable)


def _matching_pairs(
    centres: tuple[Floats, Floats], keys: tuple[Positions, Positions], tolerance: Tolerance, one_to_one: bool
) -> Positions:
    """int64[pairs, gt pred]: the matches among regions of equal key."""
    groups = group_regions(*keys)
    groups = groups._replace(gt_order=order_from_left(groups, centres[GT]))
    if one_to_one:
        gt_of = match_most(groups, *centres, tolerance)
        pred = np.flatnonzero(gt_of >= 0)
        return np.stack([gt_of[pred], pred], axis=1)
    none = np.empty((0, 2), np.int64)
    pairs = np.empty((near_pairs(groups, *centres, tolerance, none), 2), np.int64)
    near_pairs(groups, *centres, tolerance, pairs)
    return pairs[np.lexsort((pairs[:, GT], pairs[:, PRED]))]  # by pred, then gt: how they were searched does not show


def _centres(boxes: ArrayLike, name: str) -> Floats:
    try:
        corners = np.asarray(boxes, float)
    except (TypeError, ValueError):
        raise InputError("", name, f"{short_repr(boxes)} are not boxes", "Give rows of four numbers.") from None
    corners = corners.reshape(0, 4) if not corners.size else corners
    if corners.ndim != 2 or corners.shape[1] != 4 or not np.isfinite(corners).all():
        problem = f"boxes of shape {corners.shape}, must be rows of four finite numbers"
        raise InputError("", name, problem, "Give [[x, y, x, y], ...].")
    return (corners[:, :2] + corners[:, 2:]) / 2


def _check_tolerance(tolerance: Tolerance) -> Tolerance:
    try:
        dx, dy = (float(side) for side in tolerance)
    except (TypeError, ValueError):
        dx = dy = math.nan
    if not (dx > 0 and dy > 0):
        problem = f"{short_repr(tolerance)} is not a pair of distances above 0"
        raise InputError("", "tolerance", problem, "Use (dx, dy), such as (20, 20).")
    return dx, dy
