"""The figures of objects in a row of a leaderboard."""

from __future__ import annotations

import math
from typing import NamedTuple

from layoutcm.metrics.objects.average_precision import HEADLINE_IOU
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.metrics.objects.panoptic import mean_qualities

NO_INTERVALS = "Figures of objects have no intervals: they are not sums over documents."
NO_QUALITY = "The two sides have different labels, so that there is no panoptic quality."


class ObjectFigures(NamedTuple):
    """mAP, F1 at IoU 0.50 and panoptic quality of one prediction; nan where there is none.

    `f1` is that of objects with the right label; if the labels of the two sides differ, whatever the label.
    """

    ap: float
    f1: float
    pq: float
    why_no_ap: str
    why_none: str = ""  # of all figures

    @property
    def why_no_pq(self) -> str:
        return self.why_none or (NO_QUALITY if math.isnan(self.pq) else "")


def no_object_figures(why: str) -> ObjectFigures:
    return ObjectFigures(math.nan, math.nan, math.nan, why, why)


def object_figures(objects: Objects) -> ObjectFigures:
    quality = mean_qualities(objects.panoptic())["pq"]
    f1 = objects.scores_at(HEADLINE_IOU, objects.space.shared)["f1"]
    return ObjectFigures(objects.summary["AP"], f1, quality, objects.why_no_ap)
