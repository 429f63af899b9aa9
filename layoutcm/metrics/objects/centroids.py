"""Match regions by their centres: a pred region matches a gt region if the two centres are near each other.

Near means that the distance is below the tolerance in x and in y. One-to-one matching takes the largest possible
matching. Without it, as in the published method, a region may match several others: precision is the share of pred
regions near any gt region, recall the share of gt regions near any pred region. It is nan if the side has no regions.
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
from layoutcm.metrics.objects.matching import group_regions, match_largest, near_pairs, order_from_left
from layoutcm.metrics.scores import harmonic, ratio
from layoutcm.wording import score_text

if TYPE_CHECKING:
    import pandas as pd

CENTROID_TOLERANCE = (20.0, 20.0)
# Pairs that are listed if a region may match several: 320 MB, and more than sets of millions of regions have.
MOST_PAIRS = 20_000_000

Tolerance = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Centroids:
    """The regions of two layouts, matched by their centres."""

    tolerance: Tolerance
    one_to_one: bool
    centres: tuple[Floats, Floats]  # of gt and of pred: [regions, x y]
    pairs: Positions  # [pairs, gt pred]: positions in `centres`
    columns: Callable[[Positions, Positions], dict[str, Any]]  # (gt, pred) positions -> columns of `matches`
    comparable: bool = True  # False if class-aware and the labels of the two sides differ

    def __repr__(self) -> str:
        precision, recall = score_text(self.precision), score_text(self.recall)
        return f"<Centroids precision {precision}, recall {recall}, tolerance {self.tolerance}>"

    @cached_property
    def matched(self) -> tuple[int, int]:
        """The number of gt regions and of pred regions with a match."""
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
        """Harmonic mean of precision and recall; 0 if only one side has regions, nan if neither has."""
        return float(harmonic(self.recall, self.precision))

    def _share(self, side: int) -> float:
        return float(ratio(self.matched[side], len(self.centres[side]))) if self.comparable else float("nan")

    @cached_property
    def matches(self) -> pd.DataFrame:
        """One row per match: gt and pred (row numbers of the regions), page and labels if known, dx, dy (pred - gt)."""
        import pandas as pd

        gt, pred = self.pairs[:, GT], self.pairs[:, PRED]
        return pd.DataFrame(self.columns(gt, pred) | {"dx": self.distances[:, 0], "dy": self.distances[:, 1]})

    @cached_property
    def distances(self) -> Floats:
        """float64[pairs, x y]: pred centre minus gt centre."""
        return self.centres[PRED][self.pairs[:, PRED]] - self.centres[GT][self.pairs[:, GT]]


def centroid_match(
    gt_boxes: ArrayLike, pred_boxes: ArrayLike, tolerance: Tolerance = CENTROID_TOLERANCE, one_to_one: bool = True
) -> Centroids:
    """Match plain boxes of one page by their centres, without labels.

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
    tolerance: Tolerance,
    one_to_one: bool,
    class_aware: bool,
    pages: Positions | None,
) -> Centroids:
    """Match the regions of two layouts page by page; if class-aware, only with equal labels. Crowds are left out."""
    tolerance, space = _check_tolerance(tolerance), alignment.space
    gt, pred = instances_of(alignment, min_score, pages, masks=False)
    rows = (np.flatnonzero(~gt.crowd), np.arange(len(pred)))
    centres = (gt.centres[rows[GT]], pred.centres)
    keys = [side.page * len(space.labels) + side.label if class_aware else side.page for side in (gt, pred)]
    comparable = space.shared or not class_aware
    pairs = np.empty((0, 2), np.int64)
    if comparable:
        pairs = _matching_pairs(centres, (keys[GT][rows[GT]], keys[PRED]), tolerance, one_to_one)
    page_names, labels = np.array(alignment.pages.names, object), np.array(space.labels[1:], object)

    def columns(gt_rows: Positions, pred_rows: Positions) -> dict[str, Any]:
        objects = rows[GT][gt_rows]
        return {
            "page": page_names[gt.page[objects]],
            "gt": gt.row[objects],
            "pred": pred.row[pred_rows],
            "gt_label": labels[gt.label[objects]],
            "pred_label": labels[pred.label[pred_rows]],
        }

    return Centroids(tolerance, one_to_one, centres, pairs, columns, comparable)


def _matching_pairs(
    centres: tuple[Floats, Floats], keys: tuple[Positions, Positions], tolerance: Tolerance, one_to_one: bool
) -> Positions:
    """int64[pairs, gt pred]: the matches between regions with equal keys."""
    groups = group_regions(*keys)
    groups = groups._replace(gt_order=order_from_left(groups, centres[GT]))
    if one_to_one:
        gt_of = match_largest(groups, *centres, tolerance)
        pred = np.flatnonzero(gt_of >= 0)
        return np.stack([gt_of[pred], pred], axis=1)
    none = np.empty((0, 2), np.int64)
    count = near_pairs(groups, *centres, tolerance, none)
    if count > MOST_PAIRS:
        problem = f"{count:,} pairs of regions are near each other, at most {MOST_PAIRS:,} are listed"
        raise InputError("", "centroids", problem, "Match one to one, or use a smaller tolerance.")
    pairs = np.empty((count, 2), np.int64)
    near_pairs(groups, *centres, tolerance, pairs)
    return pairs[np.lexsort((pairs[:, GT], pairs[:, PRED]))]  # by pred, then gt; not in the order of the search


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
