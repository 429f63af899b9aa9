"""Estimate the factor between the boxes of pred and those of gt from the pairs of regions that agree on one.

If a pair of regions is the same region in two scales, its right and lower edges, widths and heights all have the same
ratio. Other pairs rarely have, and each another one. So the ratio of most pairs is the factor, whatever a model missed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.layouts.model import GT, PRED, X0, X1, Y0, Y1, Floats

AGREEMENT = 0.02  # the ratios of one pair differ by at most so much
WINDOW = 0.01  # so do the pairs that are counted together, from the lowest to the highest


class Scale(NamedTuple):
    """A factor, and the number of gt's regions that have a counterpart with it, and with the factor 1."""

    factor: float
    regions: int
    as_they_are: int


def extents(boxes: Floats) -> Floats:
    """float64[regions, 4]: what grows with the scale: right edge, lower edge, width, height."""
    return np.stack([boxes[:, X1], boxes[:, Y1], boxes[:, X1] - boxes[:, X0], boxes[:, Y1] - boxes[:, Y0]], axis=1)


def agreed_scale(gt: Floats, pred: Floats, pairs: NDArray[np.int64]) -> Scale | None:
    """The factor that takes most boxes of pred to boxes of gt, both float64[regions, x0 y0 x1 y1].

    `pairs` is int64[pairs, gt pred]. None if no pair agrees on a factor.
    """
    above, below = extents(gt)[pairs[:, GT]], extents(pred)[pairs[:, PRED]]
    valid = ((above > 0) & (below > 0)).all(axis=1)
    ratios = np.log(above[valid] / below[valid])
    agree = np.ptp(ratios, axis=1) <= AGREEMENT
    votes, regions = ratios[agree].mean(axis=1), pairs[valid][agree, GT]
    if not votes.size:
        return None
    ordered = np.sort(votes)
    counts = np.searchsorted(ordered, ordered + WINDOW, side="right") - np.arange(votes.size)
    low = ordered[np.argmax(counts)]
    near = (votes >= low) & (votes <= low + WINDOW)
    unchanged = np.abs(votes) <= WINDOW
    factor = float(np.exp(np.median(votes[near])))
    return Scale(factor, len(np.unique(regions[near])), len(np.unique(regions[unchanged])))
