"""Average precision (AP) of ranked predictions, by three rules for the area under the precision-recall curve.

`coco` takes the envelope of precision at 101 recalls, `voc` the whole area under the envelope, `sum` the area without
an envelope. A label without gt has no AP (nan) and is left out of means.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from layoutcm.compiled import compiled_for_many
from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import Floats, Positions
from layoutcm.metrics.scores import ratio

IOUS = np.linspace(0.5, 0.95, 10)
HEADLINE_IOU = 0.5  # the default
RECALLS = np.linspace(0.0, 1.0, 101)
AREA_RANGES = {"": (0, 1e5**2), "small": (0, 32**2), "medium": (32**2, 96**2), "large": (96**2, 1e5**2)}
DETECTION_LIMITS = (1, 10, 100)  # the most predictions that count, per page and label
SUMMARY = (
    *("AP", "AP50", "AP75", "APsmall", "APmedium", "APlarge"),
    *("AR1", "AR10", "AR100", "ARsmall", "ARmedium", "ARlarge"),
)

Hits = NDArray[np.bool_]


def columns_outside(areas: Floats) -> Positions:
    """int64[objects]: a bit for each range of areas and each of IOUS, set if the area is not in the range."""
    columns, n = np.zeros(len(areas), np.int64), len(IOUS)
    for nth, (low, high) in enumerate(AREA_RANGES.values()):
        columns |= ((areas < low) | (areas > high)) * (((1 << n) - 1) << n * nth)
    return columns


def precision_recall(hits: Hits, gt: int) -> tuple[Floats, Floats]:
    """float64[pred] each: precision and recall after each prediction of a ranking; `gt` is the number of gt objects."""
    found = np.cumsum(hits)
    return found / np.arange(1, len(hits) + 1), ratio(found, gt)


def envelope(precision: Floats) -> Floats:
    """float64[pred]: the highest precision at this recall or a higher one."""
    return np.maximum.accumulate(precision[::-1])[::-1]


def envelope_steps(curve: Any) -> dict[str, Floats]:
    """{"recall", "precision": float64[points]}: the envelope of a table with these columns, as steps from recall 0."""
    recall, first = np.unique(np.asarray(curve["recall"]), return_index=True)
    best, found = envelope(np.asarray(curve["precision"]))[first], recall > 0
    edges = np.concatenate([[0.0], np.repeat(recall[found], 2)[:-1]]) if found.any() else np.empty(0)
    return {"recall": edges, "precision": np.repeat(best[found], 2)}


def coco_ap(hits: Hits, gt: int) -> float:
    """Mean of the envelope at 101 recalls from 0 to 1, with 0 at recalls that are not reached."""
    if not gt:
        return float("nan")
    nothing = np.zeros(len(hits), np.int64)
    return float(envelope_at_recalls(hits.astype(np.int64), nothing, nothing, 0, hits_needed(gt))[0].mean())


def hits_needed(gt: int) -> Positions:
    """int64[recalls]: the fewest hits, at least 1, with which each recall is reached, as computed with floats."""
    needed = np.ceil(RECALLS * gt)
    needed -= (needed - 1) / gt >= RECALLS
    needed += needed / gt < RECALLS
    return np.maximum(needed, 1).astype(np.int64)


@compiled_for_many(steps=lambda hit, *_: 50 + hit.size)
def envelope_at_recalls(
    hit: Positions, left_out: Positions, limits_exceeded: Positions, column: int, needed: Positions
) -> tuple[Floats, Positions]:
    """float64[recalls]: the envelope at the hits needed, 0 if there are fewer; int64[limits + 1]: numbers of hits.

    The columns are the predictions of a ranking; `hit` and `left_out` have one bit for each way of matching. The hits
    are counted by the number of detection limits that the prediction exceeds on its page.
    """
    counted, found, hits = 0, 0, np.zeros(len(DETECTION_LIMITS) + 1, np.int64)
    counted_at = np.empty(hit.size + 1, np.int32)  # the number of predictions that count, up to each hit
    for i in range(hit.size):
        is_hit = hit[i] >> column & 1
        counted += 1 - (left_out[i] >> column & 1)
        counted_at[found] = counted
        found += is_hit
        hits[limits_exceeded[i]] += is_hit
    precision, k = np.zeros(needed.size), needed.size - 1
    while k >= 0 and needed[k] > found:
        k -= 1
    best_found, best_counted = 0, 1  # fractions are compared by integers, which are exact
    for n in range(found, 0, -1):
        if n * best_counted > best_found * counted_at[n - 1]:
            best_found, best_counted = n, counted_at[n - 1]
        while k >= 0 and needed[k] == n:
            precision[k] = best_found / best_counted
            k -= 1
    return precision, hits


def voc_ap(hits: Hits, gt: int) -> float:
    """The area under the envelope at all points."""
    return _sum_at_hits(envelope(precision_recall(hits, gt)[0]), hits, gt)


def sum_ap(hits: Hits, gt: int) -> float:
    """Sum of (R_x - R_{x-1}) P_x, without an envelope."""
    return _sum_at_hits(precision_recall(hits, gt)[0], hits, gt)


def _sum_at_hits(precision: Floats, hits: Hits, gt: int) -> float:
    """The sum of (R_x - R_{x-1}) P_x: recall grows by 1 / gt at each hit, so a perfect ranking has exactly 1."""
    return float(ratio(precision[hits].sum(), gt))


RULES: dict[str, Callable[[Hits, int], float]] = {"coco": coco_ap, "sum": sum_ap, "voc": voc_ap}


def mean_of_defined(values: ArrayLike) -> float:
    """Mean of the values that are not nan; nan if there are none."""
    values = np.asarray(values, float)
    defined = values[np.isfinite(values)]
    return float(ratio(math.fsum(defined.tolist()), defined.size))  # the same in any order of labels


def coco_summary(ap: Floats, ar: Floats) -> dict[str, float]:
    """COCO's twelve numbers from AP, float64[areas, ious, labels], and AR, float64[areas, limits, ious, labels]."""
    everything, small, medium, large = range(len(AREA_RANGES))
    ious = IOUS.round(2).tolist()
    values = [ap[everything], ap[everything, ious.index(0.5)], ap[everything, ious.index(0.75)]]
    values += [ap[small], ap[medium], ap[large]]
    values += [*ar[everything], ar[small, -1], ar[medium, -1], ar[large, -1]]
    return dict(zip(SUMMARY, map(mean_of_defined, values)))


def check_iou(iou: float) -> None:
    if isinstance(iou, bool) or not isinstance(iou, int | float | np.number) or not 0 < iou <= 1:
        problem = f"{short_repr(iou)} is not an IoU"
        raise InputError("", "iou", problem, "Use a number above 0 and at most 1, such as 0.5.")
