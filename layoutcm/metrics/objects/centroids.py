"""Match regions by their centres: a pred region matches a gt region if the two centres are near each other.

Near means that the distance is below the tolerance in x and in y. One-to-one matching takes the largest possible
matching. Without it, as in the published method, a region may match several others: precision is the share of pred
regions near any gt region, recall the share of gt regions near any pred region. It is nan if the side has no regions.

In all groups of the compiled functions, `gt_order` must be sorted from left to right: only near gt are visited.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.compiled import compiled_for_many, compiled_part, inlined
from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import GT, PRED, Floats, Positions
from layoutcm.lazy import pd
from layoutcm.metrics.objects.instances import Instances, Sides
from layoutcm.metrics.objects.matching import Groups, group_regions, sort_groups, stable_order
from layoutcm.metrics.objects.overlaps import left_out_note
from layoutcm.metrics.scores import harmonic, ratio
from layoutcm.wording import score_text

CENTROID_TOLERANCE = (20.0, 20.0)
# Of pairs whose centres are near in x. A page of 10,000 words has about 2 million.
MOST_ON_A_PAGE, MOST_PAIRS, MORE_PER_PAGE = 4_000_000, 8_000_000, 10_000

MOST_LISTED = 20_000_000  # pairs of plain boxes, if a box may match several others

Tolerance = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Centroids:
    """The regions of two layouts, matched by their centres.

    Attributes
    ----------
    precision, recall : float
    tolerance : (dx, dy)
    one_to_one : bool
    """

    tolerance: Tolerance
    one_to_one: bool
    centres: tuple[Floats, Floats]  # of gt and of pred: [regions, x y]
    pairs: Positions  # [pairs, gt pred]: positions in `centres`
    columns: Callable[[Positions, Positions], dict[str, Any]]  # (gt, pred) positions -> columns of `matches`
    comparable: bool = True  # False if class-aware and the labels of the two sides differ
    left_out: tuple[str, ...] = ()  # pages with so many regions near each other that they are not compared

    def __repr__(self) -> str:
        precision, recall = score_text(self.precision), score_text(self.recall)
        return f"<Centroids precision {precision}, recall {recall}, tolerance {self.tolerance}>"

    @property
    def note(self) -> str:
        """A sentence about the pages that are left out; "" if there are none."""
        reason = f"more than {MOST_ON_A_PAGE:,} pairs are near each other on a page, or far more in all"
        return left_out_note("centroids", self.left_out, reason)

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

    Parameters
    ----------
    gt_boxes, pred_boxes : array [boxes, 4]
        Two opposite corners x, y, x, y in any order, not x, y, width, height.
    tolerance : (dx, dy)
        Both distances of two centres must be below it.
    one_to_one : bool
        As many pairs as possible; False: a box may match several.

    Returns
    -------
    Centroids

    Examples
    --------
    >>> import layoutcm as lcm
    >>> pred = [[1, 2, 2, 1], [4.5, 2.5, 2, 1], [6, 6, 8, 4]]
    >>> k = lcm.centroid_match([[1, 4, 3, 3], [5, 2, 8, 1]], pred, tolerance=(2, 2))
    >>> round(k.precision, 3), k.recall
    (0.333, 0.5)
    """
    gt, pred = _centres(gt_boxes, "gt_boxes"), _centres(pred_boxes, "pred_boxes")
    groups = _groups_from_left((gt, pred), (np.zeros(len(gt), np.int64), np.zeros(len(pred), np.int64)))
    near = int(near_in_x(groups, gt, pred, _check_tolerance(tolerance)).sum())
    if near > MOST_LISTED and not one_to_one:
        problem = f"{near:,} pairs of boxes may be near each other, at most {MOST_LISTED:,} are listed"
        raise InputError("", "centroids", problem, "Match one to one, or use a smaller tolerance.")
    pairs = _matching_pairs(groups, (gt, pred), _check_tolerance(tolerance), one_to_one)
    return Centroids(
        _check_tolerance(tolerance), one_to_one, (gt, pred), pairs, lambda gt, pred: {"gt": gt, "pred": pred}
    )


def centroids_of(
    alignment: Alignment, sides: Sides, tolerance: Tolerance, one_to_one: bool, class_aware: bool
) -> Centroids:
    """Match the regions of two layouts page by page; if class-aware, only with equal labels. Crowds are left out."""
    return centroids_in_ways(alignment, sides, tolerance, [one_to_one], class_aware)[0]


def centroids_in_ways(
    alignment: Alignment, sides: Sides, tolerance: Tolerance, ways: Sequence[bool], class_aware: bool
) -> list[Centroids]:
    """Centroids matched in several ways, one to one or not; the regions are grouped once for all of them."""
    tolerance, space = _check_tolerance(tolerance), alignment.space
    comparable = space.shared or not class_aware
    gt, pred = sides
    gt = gt.take(np.flatnonzero(~gt.crowd)) if gt.crowd.any() else gt
    crowded = _crowded_pages(gt, pred, tolerance)
    gt, pred = gt.not_on(crowded), pred.not_on(crowded)
    keys = [side.page * len(space.labels) + side.label if class_aware else side.page for side in (gt, pred)]
    centres = gt.centres, pred.centres
    pairs = [np.empty((0, 2), np.int64) for _ in ways]
    if comparable:
        groups = _groups_from_left(centres, (keys[GT], keys[PRED]))
        pairs = [_matching_pairs(groups, centres, tolerance, one_to_one) for one_to_one in ways]

    def columns(gt_rows: Positions, pred_rows: Positions) -> dict[str, Any]:
        page_names, labels = np.array(alignment.pages.names, object), np.array(space.labels[1:], object)
        return {
            "page": page_names[gt.page[gt_rows]],
            "gt": gt.row[gt_rows],
            "pred": pred.row[pred_rows],
            "gt_label": labels[gt.label[gt_rows]],
            "pred_label": labels[pred.label[pred_rows]],
        }

    left_out = tuple(alignment.pages.names[page] for page in crowded.tolist())
    return [Centroids(tolerance, *way, columns, comparable, left_out) for way in zip(ways, repeat(centres), pairs)]


def _crowded_pages(gt: Instances, pred: Instances, tolerance: Tolerance) -> Positions:
    """The pages with too many pairs of regions near each other, and all pages after the limit for the set."""
    groups = group_regions(gt.page, pred.page)
    crowded = _too_many(groups.most_pairs)
    if crowded.any():  # only then, those near each other are counted
        groups = _groups_from_left((gt.centres, pred.centres), (gt.page, pred.page))
        crowded = _too_many(near_in_x(groups, gt.centres, pred.centres, tolerance))
    return pred.page[groups.pred_order[groups.pred_start[crowded]]]


def _too_many(pairs: Positions) -> NDArray[np.bool_]:
    """bool[pages]: whether a page has too many pairs, or all up to it have."""
    crowded = pairs > MOST_ON_A_PAGE
    return crowded | (np.cumsum(np.where(crowded, 0, pairs)) > MOST_PAIRS + MORE_PER_PAGE * pairs.size)


def _groups_from_left(centres: tuple[Floats, Floats], keys: tuple[Positions, Positions]) -> Groups:
    """The regions with equal keys, gt from left to right."""
    groups = group_regions(*keys)
    sort_groups(groups.gt_order, groups.gt_start, groups.gt_stop, centres[GT][:, 0].copy())
    return groups


def _matching_pairs(
    groups: Groups, centres: tuple[Floats, Floats], tolerance: Tolerance, one_to_one: bool
) -> Positions:
    """int64[pairs, gt pred]: the matches between regions of the same group."""
    if one_to_one:
        gt_of = match_largest(groups, *centres, tolerance)
        pred = np.flatnonzero(gt_of >= 0)
        return np.stack([gt_of[pred], pred], axis=1)
    pairs = np.empty((sum(map(len, centres)), 2), np.int64)  # enough, if no region has many near it
    found = near_pairs(groups, *centres, tolerance, pairs)
    if found > len(pairs):
        pairs = np.empty((found, 2), np.int64)
        near_pairs(groups, *centres, tolerance, pairs)
    pairs = pairs[:found]
    return pairs[stable_order(pairs[:, PRED], stable_order(pairs[:, GT]))]  # not in the order of the search


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


USELESS = -2  # instead of the number of a pred


@compiled_for_many(steps=lambda groups, *_: 5 * groups.pred_order.size)
def near_in_x(groups: Groups, gt_centres: Floats, pred_centres: Floats, tolerance: tuple[float, float]) -> Positions:
    """int64[groups]: the number of pairs whose centres are near in x, without visiting them."""
    found = np.zeros(groups.pred_start.size, np.int64)
    for k in range(groups.pred_start.size):
        for i in range(groups.pred_start[k], groups.pred_stop[k]):
            x = pred_centres[groups.pred_order[i], 0]
            found[k] += _left_of(groups, k, gt_centres, x + tolerance[0])
            found[k] -= _left_of(groups, k, gt_centres, x - tolerance[0])
    return found


@compiled_part
def _left_of(groups: Groups, k: int, gt_centres: Floats, x: float) -> int:
    """The position in `gt_order` of the first gt of group k that is not to the left of x."""
    first, last = groups.gt_start[k], groups.gt_stop[k]
    while first < last:
        middle = (first + last) // 2
        if gt_centres[groups.gt_order[middle], 0] < x:
            first = middle + 1
        else:
            last = middle
    return first


@compiled_for_many(steps=lambda groups, *_: 5 * groups.pred_order.size + int(groups.most_pairs.sum()))
def near_pairs(
    groups: Groups, gt_centres: Floats, pred_centres: Floats, tolerance: tuple[float, float], pairs: Positions
) -> int:
    """Write the (gt, pred) whose centres are near to int64[pairs, gt pred], as many as fit. Return the number found."""
    found = 0
    for k in range(groups.pred_start.size):
        for i in range(groups.pred_start[k], groups.pred_stop[k]):
            pred = groups.pred_order[i]
            for j in range(_leftmost(groups, k, gt_centres, pred_centres[pred], tolerance), groups.gt_stop[k]):
                gt = groups.gt_order[j]
                if gt_centres[gt, 0] - pred_centres[pred, 0] >= tolerance[0]:
                    break
                if abs(gt_centres[gt, 1] - pred_centres[pred, 1]) < tolerance[1]:
                    if found < len(pairs):
                        pairs[found, 0], pairs[found, 1] = gt, pred
                    found += 1
    return found


@inlined
def _leftmost(groups: Groups, k: int, gt_centres: Floats, pred: Floats, tolerance: tuple[float, float]) -> int:
    """The position in `gt_order` of the first gt of group k that is not too far to the left of pred."""
    first, last = groups.gt_start[k], groups.gt_stop[k]
    while first < last:
        middle = (first + last) // 2
        if pred[0] - gt_centres[groups.gt_order[middle], 0] >= tolerance[0]:
            first = middle + 1
        else:
            last = middle
    return first


@compiled_for_many(steps=lambda groups, *_: 5 * groups.pred_order.size + int(groups.most_pairs.sum()))
def match_largest(
    groups: Groups, gt_centres: Floats, pred_centres: Floats, tolerance: tuple[float, float]
) -> Positions:
    """int64[pred]: the gt of each pred or -1, in a largest one-to-one matching, found by augmenting paths.

    A breadth-first search starts at each pred in turn. It goes to the gt near a pred, and from a matched gt to its
    pred. A free gt ends the search; all pred on the path to it are then matched to the next gt of the path. If there is
    none, no later search can reach a free gt through those that were visited, so they are not visited again.
    """
    gt_of = np.full(len(pred_centres), -1)
    pred_of = np.full(len(gt_centres), -1)
    seen_by = np.full(len(gt_centres), -1)  # the pred at which the last search that visited this gt started
    reached_from = np.empty(len(gt_centres), np.int64)
    queue = np.empty(len(pred_centres), np.int64)
    for k in range(groups.pred_start.size):
        for i in range(groups.pred_start[k], groups.pred_stop[k]):
            root = groups.pred_order[i]
            queue[0], head, tail, free = root, 0, 1, -1
            while head < tail and free < 0:
                pred = queue[head]
                head += 1
                for j in range(_leftmost(groups, k, gt_centres, pred_centres[pred], tolerance), groups.gt_stop[k]):
                    gt = groups.gt_order[j]
                    if gt_centres[gt, 0] - pred_centres[pred, 0] >= tolerance[0]:
                        break
                    if seen_by[gt] in (root, USELESS) or abs(gt_centres[gt, 1] - pred_centres[pred, 1]) >= tolerance[1]:
                        continue
                    seen_by[gt], reached_from[gt] = root, pred
                    if pred_of[gt] < 0:
                        free = gt
                        break
                    queue[tail] = pred_of[gt]
                    tail += 1
            if free < 0:
                for visited in range(1, tail):
                    seen_by[gt_of[queue[visited]]] = USELESS
            while free >= 0:
                pred = reached_from[free]
                pred_of[free], gt_of[pred], free = pred, free, gt_of[pred]
    return gt_of
