"""Average precision (AP) of ranked predictions, by three rules for the area under the precision-recall curve.

`coco` takes the envelope of precision at 101 recalls, `voc` the whole area under the envelope, `sum` the area without
an envelope. A label without gt has no AP (nan) and is left out of means.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import Floats
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


def precision_recall(hits: Hits, gt: int) -> tuple[Floats, Floats]:
    """float64[pred] each: precision and recall after each prediction of a ranking; `gt` is the number of gt objects."""
    found = np.cumsum(hits)
    return found / np.arange(1, len(hits) + 1), ratio(found, gt)


def envelope(precision: Floats) -> Floats:
    """float64[pred]: the highest precision at this recall or a higher one."""
    return np.maximum.accumulate(precision[::-1])[::-1]


def coco_ap(hits: Hits, gt: int) -> float:
    """Mean of the envelope at 101 recalls from 0 to 1, with 0 at recalls that are not reached."""
    if not gt:
        return float("nan")
    precision, recall = precision_recall(hits, gt)
    positions = np.searchsorted(recall, RECALLS, side="left")
    return float(np.append(envelope(precision), 0.0)[positions].mean())


def voc_ap(hits: Hits, gt: int) -> float:
    """The area under the envelope at all points."""
    precision, recall = precision_recall(hits, gt)
    return float((np.diff(recall, prepend=0.0) * envelope(precision)).sum()) if gt else float("nan")


def sum_ap(hits: Hits, gt: int) -> float:
    """Sum of (R_x - R_{x-1}) P_x, without an envelope."""
    precision, recall = precision_recall(hits, gt)
    return float((np.diff(recall, prepend=0.0) * precision).sum()) if gt else float("nan")


RULES: dict[str, Callable[[Hits, int], float]] = {"coco": coco_ap, "sum": sum_ap, "voc": voc_ap}


def mean_of_defined(values: ArrayLike) -> float:
    """Mean of the values that are not nan; nan if there are none."""
    values = np.asarray(values, float)
    return float(ratio(np.nansum(values), np.isfinite(values).sum()))


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
        raise InputError(
            "", "iou", f"{short_repr(iou)} is not an IoU", "Use a number above 0 and at most 1, such as 0.5."
        )
