"""Average precision from ranked hits: precision and recall down the ranking, and three rules for the area under them.

`coco` reads precision at 101 recalls, `voc` integrates its envelope, `sum` takes the plain steps. A label without gt
has no AP (nan) and is left out of means.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from layoutcm.layouts.model import Floats
from layoutcm.metrics.scores import ratio

IOUS = np.linspace(0.5, 0.95, 10)
HEADLINE_IOU = 0.5  # where no other is asked for
RECALLS = np.linspace(0.0, 1.0, 101)
AREA_RANGES = {"": (0, 1e5**2), "small": (0, 32**2), "medium": (32**2, 96**2), "large": (96**2, 1e5**2)}
DETECTION_LIMITS = (1, 10, 100)  # predictions of one label on one page that count
SUMMARY = (
    *("AP", "AP50", "AP75", "APsmall", "APmedium", "APlarge"),
    *("AR1", "AR10", "AR100", "ARsmall", "ARmedium", "ARlarge"),
)

Hits = NDArray[np.bool_]


def precision_recall(hits: Hits, gt: int) -> tuple[Floats, Floats]:
    """float64[pred] each: after the first prediction of a ranking, the second ...; `gt` is how many can be found."""
    found = np.cumsum(hits)
    return found / np.arange(1, len(hits) + 1), ratio(found, gt)


def envelope(precision: Floats) -> Floats:
    """The best precision at this recall or a higher one."""
    return np.maximum.accumulate(precision[::-1])[::-1]


def coco_ap(hits: Hits, gt: int) -> float:
    """Mean of the envelope at 101 recalls from 0 to 1, 0 where the recall is not reached."""
    if not gt:
        return float("nan")
    precision, recall = precision_recall(hits, gt)
    at = np.searchsorted(recall, RECALLS, side="left")
    return float(np.append(envelope(precision), 0.0)[at].mean())


def voc_ap(hits: Hits, gt: int) -> float:
    """The area under the envelope, all points."""
    precision, recall = precision_recall(hits, gt)
    return float((np.diff(recall, prepend=0.0) * envelope(precision)).sum()) if gt else float("nan")


def sum_ap(hits: Hits, gt: int) -> float:
    """Sum of (R_x - R_{x-1}) P_x, no envelope."""
    precision, recall = precision_recall(hits, gt)
    return float((np.diff(recall, prepend=0.0) * precision).sum()) if gt else float("nan")


RULES: dict[str, Callable[[Hits, int], float]] = {"coco": coco_ap, "sum": sum_ap, "voc": voc_ap}


def mean_of_defined(values: ArrayLike) -> float:
    """Mean of what is not n/a; nan where nothing is left."""
    values = np.asarray(values, float)
    return float(ratio(np.nansum(values), np.isfinite(values).sum()))


def coco_summary(ap: Floats, ar: Floats) -> dict[str, float]:
    """COCO's twelve numbers from float64[areas, ious, labels] and float64[areas, most, ious, labels]."""
    everything, small, medium, large = range(len(AREA_RANGES))
    ious = IOUS.round(2).tolist()
    values = [ap[everything], ap[everything, ious.index(0.5)], ap[everything, ious.index(0.75)]]
    values += [ap[small], ap[medium], ap[large]]
    values += [*ar[everything], ar[small, -1], ar[medium, -1], ar[large, -1]]
    return dict(zip(SUMMARY, map(mean_of_defined, values)))
