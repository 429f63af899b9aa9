"""Recall, precision, F1, IoU and averages, for one matrix or many at once; content against Background.

Undefined values are nan. Only `ratio` decides this: a value is undefined if its denominator is 0. A pixel is content if
it carries any label; content counts each pixel once, and the method of the matrix plays no part in it. Which averages
are shown is in `results.measures`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.errors import InputError, check_choice
from layoutcm.layouts.model import GT, PRED, Floats
from layoutcm.pixels.pair_counts import PairCounts
from layoutcm.results.measures import AVERAGES as AVERAGES
from layoutcm.results.measures import SCORES as SCORES


@dataclass(frozen=True, eq=False)
class Margins:
    """float64[..., labels] each: the diagonals and sums of a matrix, from which all its scores are computed.

    There are two diagonals, because method `tensor` has one mass for recall and one for precision. They are equal for
    the labels, but not after the labels are summed up to Content.
    """

    recall_hit: Floats  # diagonal of the mass for recall
    precision_hit: Floats  # diagonal of the mass for precision
    gt: Floats  # row sums of the mass for recall
    pred: Floats  # column sums of the mass for precision
    two_masses: bool = field(default=False, kw_only=True)  # method `tensor`

    def parts(self) -> tuple[Floats, Floats, Floats, Floats]:
        return self.recall_hit, self.precision_hit, self.gt, self.pred

    def changed(self, change: Callable[[Floats], Floats]) -> Margins:
        return Margins(*map(change, self.parts()), two_masses=self.two_masses)

    def without_first(self, labels: int) -> Margins:
        return self.changed(lambda part: part[..., labels:])


def margins(recall_mass: Floats, precision_mass: Floats) -> Margins:
    """The margins of float64[..., gt, pred] masses."""
    recall_hit, precision_hit = (np.diagonal(mass, axis1=-2, axis2=-1) for mass in (recall_mass, precision_mass))
    columns = np.einsum("...ij->...j", precision_mass)  # many small sums over rows take `sum` three times as long
    two_masses = precision_mass is not recall_mass
    return Margins(recall_hit, precision_hit, recall_mass.sum(axis=-1), columns, two_masses=two_masses)


def ratio(part: ArrayLike, whole: ArrayLike) -> Floats:
    """part / whole; nan where whole is 0."""
    part, whole = np.asarray(part, float), np.asarray(whole, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.asarray(part / whole)
    np.putmask(shares, np.broadcast_to(whole == 0, shares.shape), np.nan)  # much faster than dividing only the others
    return shares


def harmonic(recall: ArrayLike, precision: ArrayLike, two_masses: bool = False) -> Floats:
    """Harmonic mean; nan where both are nan, and where one is nan 0, or nan with method `tensor` (`two_masses`).

    With one mass, F1 is 2 x the cell / (its row + its column), which is 0 if one of the sums is 0.
    """
    recall, precision = np.asarray(recall, float), np.asarray(precision, float)
    missing = np.isnan(recall), np.isnan(precision)
    neither = missing[0] | missing[1] if two_masses else missing[0] & missing[1]
    r, p = _zero_for_nan(recall), _zero_for_nan(precision)
    mean = np.asarray(_zero_for_nan(ratio(2 * r * p, r + p)))
    np.putmask(mean, neither, np.nan)
    return mean


def _zero_for_nan(values: Floats) -> Floats:
    """Scores, which are 0 or more, with 0 where they are nan."""
    return np.fmax(values, 0.0)  # of a number and nan, the number; much faster than nan_to_num


def recall_matrix(mass: Floats) -> Floats:
    """float64[..., gt, pred] from the mass for recall: the share of gt label i that is predicted as j."""
    return ratio(mass, mass.sum(axis=-1, keepdims=True))


def precision_matrix(mass: Floats) -> Floats:
    """float64[..., gt, pred] from the mass for precision: the share of pred label j that is i in gt."""
    return ratio(mass, mass.sum(axis=-2, keepdims=True))


def class_scores(of: Margins) -> dict[str, Floats]:
    """float64[..., labels]: precision, recall, F1 and IoU of each label."""
    scores = _three_scores(of)
    # IoU = hit / (gt + pred - hit), written in terms of F1, so it also works with two different diagonals.
    f1 = harmonic(scores["recall"], scores["precision"]) if of.two_masses else scores["f1"]
    return {**scores, "iou": f1 / (2 - f1)}


def _three_scores(of: Margins) -> dict[str, Floats]:
    recall, precision = ratio(of.recall_hit, of.gt), ratio(of.precision_hit, of.pred)
    return {"precision": precision, "recall": recall, "f1": harmonic(recall, precision, of.two_masses)}


def class_columns(of: Margins, pred_pixels: Floats) -> dict[str, Floats]:
    """float64[..., labels] for each number of the class table."""
    return {"gt_pixels": of.gt, "pred_pixels": pred_pixels, **class_scores(of)}


def check_average(kind: str) -> None:
    check_choice("average", kind, AVERAGES)


def mean_scores(of: Margins, kind: str) -> dict[str, Floats]:
    """float64[...]: precision, recall and F1 averaged over the labels.

    Labels on neither side are left out; an undefined score of another label counts as 0, as in scikit-learn.
    """
    check_average(kind)
    if kind == "micro":
        summed = of.changed(lambda part: part.sum(axis=-1, keepdims=True))
        return {name: values[..., 0] for name, values in _three_scores(summed).items()}
    present = (of.gt > 0) | (of.pred > 0)
    weights = np.where(present, of.gt if kind == "weighted" else 1.0, 0.0)
    total = weights.sum(axis=-1)
    sums = {name: (_zero_for_nan(values) * weights).sum(axis=-1) for name, values in _three_scores(of).items()}
    return {name: ratio(sums[name], total) for name in SCORES}


def averages(matrix: ArrayLike, kind: str) -> dict[str, float]:
    """Precision, recall and F1 of any square confusion matrix; no label is treated as Background.

    Parameters
    ----------
    matrix : array, float64[gt, pred]
    kind : {"micro", "macro", "weighted"}

    Returns
    -------
    dict
        {"precision", "recall", "f1"}

    Examples
    --------
    >>> import layoutcm as lcm
    >>> {name: round(value, 6) for name, value in lcm.averages([[5, 1, 0], [2, 6, 2], [0, 1, 3]], "macro").items()}
    {'precision': 0.688095, 'recall': 0.727778, 'f1': 0.700855}
    """
    values = _square(matrix)
    return {name: float(value) for name, value in mean_scores(margins(values, values), kind).items()}


def accuracy(matrix: ArrayLike) -> float:
    """The share of any square confusion matrix that is on its diagonal; nan if the matrix is all 0.

    Parameters
    ----------
    matrix : array, float64[gt, pred]

    Returns
    -------
    float

    Examples
    --------
    >>> import layoutcm as lcm
    >>> lcm.accuracy([[5, 1, 0], [2, 6, 2], [0, 1, 3]])
    0.7
    """
    values = _square(matrix)
    return float(ratio(np.trace(values), values.sum()))


def _square(matrix: ArrayLike) -> Floats:
    values = numbers_of(matrix, "matrix")
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise InputError("", "matrix", f"the shape is {values.shape}, must be square", "Give float64[gt, pred].")
    if not ((values >= 0) & np.isfinite(values)).all():
        raise InputError("", "matrix", "all values must be finite and 0 or more", "Give counts, not shares with n/a.")
    return values


def numbers_of(values: ArrayLike, place: str) -> Floats:
    try:
        return np.asarray(values, float)
    except (TypeError, ValueError) as error:
        raise InputError("", place, f"these are not numbers: {error}", "Give an array of numbers.") from None


BACKGROUND_BIT = 0


def content_pixels(counts: PairCounts, group: NDArray[np.integer], groups: int) -> Floats:
    """float64[groups, 3]: the pixels that are content on both sides, in gt, and in pred; `group` is int[rows]."""
    gt, pred = (~counts.has(side, BACKGROUND_BIT) for side in (GT, PRED))
    kinds = (counts.pixels * kind for kind in (gt & pred, gt, pred))
    return np.stack([np.bincount(group, kind, minlength=groups) for kind in kinds], axis=1).astype(float)


def content_scores(pixels: Floats) -> dict[str, Floats]:
    """float64[...] each: precision, recall and F1 of content from float64[..., 3]."""
    both, gt, pred = np.moveaxis(pixels, -1, 0)
    scores = class_scores(Margins(both, both, gt, pred))
    return {name: scores[name] for name in SCORES}


def right_shares(counts: PairCounts, space: LabelSpace, group: NDArray[np.integer], groups: int) -> Floats:
    """float64[groups]: of the label pixels of gt, the share whose label pred has at that pixel, too.

    It is nan if the labels differ. `group` is int[rows].
    """
    if not space.shared:
        return np.full(groups, np.nan)
    gt, pred = np.split(counts.placed(space.gt_positions, space.pred_positions), 2, axis=1)
    pixels = counts.pixels * ~counts.has(GT, BACKGROUND_BIT)
    labels, right = (_set_sizes(words) * pixels for words in (gt, gt & pred))
    return ratio(np.bincount(group, right, minlength=groups), np.bincount(group, labels, minlength=groups))


def _set_sizes(words: NDArray[np.uint64]) -> NDArray[np.unsignedinteger]:
    """uint[rows]: the number of labels in each set; summing over a single word would take most of the time."""
    sizes = np.bitwise_count(words)
    return sizes[:, 0] if words.shape[1] == 1 else sizes.sum(axis=1)


@dataclass(frozen=True, eq=False)
class PixelSums:
    """Two facts about the pixels of a matrix that the matrix does not show."""

    content_pixels: Floats  # [3]: content on both sides, in gt, and in pred
    right: float  # share of the label pixels of gt


@dataclass(frozen=True, eq=False)
class CountedPixels:
    """`PixelSums` that are computed from pair counts when they are first used."""

    counts: PairCounts
    space: LabelSpace

    @cached_property
    def content_pixels(self) -> Floats:
        return content_pixels(self.counts, self._one_group, 1)[0]

    @cached_property
    def right(self) -> float:
        return float(right_shares(self.counts, self.space, self._one_group, 1)[0])

    @property
    def _one_group(self) -> NDArray[np.int64]:
        return np.zeros(len(self.counts), np.int64)
