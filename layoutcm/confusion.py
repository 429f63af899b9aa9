"""Confusion matrices and what is read off them: recall, precision, F1, class values, averages, the 2x2 view.

All matrices are float64[gt, pred]. Undefined is decided in `ratio` alone: where a denominator is 0 the value is nan.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from layoutcm.counts import PairCounts, pack_sets
from layoutcm.errors import InputError, shown
from layoutcm.model import BACKGROUND, Floats, LabelSpace

if TYPE_CHECKING:
    import pandas as pd

GT_AXIS, PRED_AXIS = 0, 1
CONTENT = "Content"
METHODS = ("matrix", "tensor")
AVERAGES = ("micro", "macro", "weighted")
SCORES = ("precision", "recall", "f1")


@dataclass(frozen=True, eq=False)
class Confusion:
    """A multi-label confusion matrix with its readings.

    `recall_mass` and `precision_mass` are one array with method `matrix` and two with `tensor`.
    """

    labels: list[str]
    method: str
    recall_mass: Floats
    precision_mass: Floats
    pred_pixels: Floats
    diagonal: bool = True
    has_background: bool = True
    recipe: str = ""
    rows: tuple[int, ...] = field(default=())
    columns: tuple[int, ...] = field(default=())

    def __repr__(self) -> str:
        return f"<Confusion {self.method} of {len(self.labels)} labels, {self.values.sum():,.0f} label pixels>"

    @property
    def values(self) -> Floats:
        """float64[gt, pred]: pixels; with `tensor`, the mass that recall is read from."""
        return self.recall_mass

    @cached_property
    def gt_pixels(self) -> Floats:
        """float64[labels]: pixels that carry the label in gt; the rows sum to it."""
        return self.recall_mass.sum(axis=PRED_AXIS)

    @cached_property
    def recall(self) -> Floats:
        """float64[gt, pred]: the share of gt label i that is read as j."""
        return ratio(self.recall_mass, self.recall_mass.sum(axis=PRED_AXIS, keepdims=True))

    @cached_property
    def precision(self) -> Floats:
        """float64[gt, pred]: the share of pred label j that is i in gt."""
        return ratio(self.precision_mass, self.precision_mass.sum(axis=GT_AXIS, keepdims=True))

    @cached_property
    def f1(self) -> Floats:
        """float64[gt, pred]: harmonic mean of recall and precision."""
        return harmonic(self.recall, self.precision)

    def class_values(self) -> dict[str, Floats]:
        """The columns of the class table; one value a label. nan throughout where the diagonal has no meaning."""
        hit = np.diag(self.recall_mass)
        row, column = self.gt_pixels, self.precision_mass.sum(axis=GT_AXIS)
        values = {
            "gt_pixels": row,
            "pred_pixels": self.pred_pixels,
            **class_scores(hit, row, column),
        }
        if not self.diagonal:
            values |= {name: np.full(len(self.labels), np.nan) for name in (*SCORES, "iou")}
        return values

    def classes(self) -> pd.DataFrame:
        """One row a label: label, gt_pixels, pred_pixels, precision, recall, f1, iou."""
        import pandas as pd

        return pd.DataFrame({"label": list(self.labels), **self.class_values()})

    def average(self, kind: str = "macro", background: bool = False) -> dict[str, float]:
        """Precision, recall and F1 over the classes: micro, macro, or weighted by gt's pixels."""
        if not self.diagonal:
            check_average(kind)
            return dict.fromkeys(SCORES, float("nan"))
        skip = 1 if self.has_background and not background else 0
        hit = np.diag(self.recall_mass)
        return mean_scores(hit[skip:], self.gt_pixels[skip:], self.precision_mass.sum(axis=GT_AXIS)[skip:], kind)

    @property
    def accuracy(self) -> float:
        """The share of all gt label pixels, Background's too, that is right; nan where no diagonal has a meaning."""
        return accuracy(self.recall_mass) if self.diagonal else float("nan")

    def collapse(self) -> Confusion:
        """Background against everything else: a Confusion over ["Background", "Content"]."""
        if not self.has_background:
            raise InputError("", "collapse", "a matrix without Background has nothing to collapse against", "Name one.")
        recall_mass = collapsed(self.recall_mass)
        same = self.precision_mass is self.recall_mass
        pred_pixels = np.array([self.pred_pixels[0], self.pred_pixels[1:].sum()])
        precision_mass = recall_mass if same else collapsed(self.precision_mass)
        labels = [self.labels[0], CONTENT]
        return Confusion(labels, self.method, recall_mass, precision_mass, pred_pixels, recipe=self.recipe)

    def drawing_only(self, labels: Collection[str]) -> Confusion:
        """The same numbers, of which only these labels and Background are drawn; all where none of a side is named."""
        sides = (self.rows or range(len(self.labels)), self.columns or range(len(self.labels)))
        named = [tuple(i for i in side if self.labels[i] in labels and i >= self.has_background) for side in sides]
        first = (0,) if self.has_background else ()
        rows, columns = (first + kept if kept else tuple(side) for kept, side in zip(named, sides))
        return replace(self, rows=rows, columns=columns)

    @cached_property
    def drawn(self) -> tuple[list[int], list[int]]:
        """Rows and columns worth drawing: labels in use; for different taxonomies only the block gt x pred."""
        used = (self.gt_pixels > 0) | (self.pred_pixels > 0)
        rows = [i for i in self.rows or range(len(self.labels)) if used[i] or i == 0]
        columns = [j for j in self.columns or range(len(self.labels)) if used[j] or j == 0]
        return rows, columns


def ratio(part: ArrayLike, whole: ArrayLike) -> Floats:
    """part / whole, nan where whole is 0."""
    part, whole = np.broadcast_arrays(np.asarray(part, float), np.asarray(whole, float))
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole != 0)


def harmonic(recall: ArrayLike, precision: ArrayLike) -> Floats:
    """Harmonic mean; 0 where only one of the two exists, nan where neither does."""
    recall, precision = np.asarray(recall, float), np.asarray(precision, float)
    neither = np.isnan(recall) & np.isnan(precision)
    r, p = np.nan_to_num(recall), np.nan_to_num(precision)
    return np.where(neither, np.nan, np.nan_to_num(ratio(2 * r * p, r + p)))


def class_scores(hit: Floats, gt: Floats, pred: Floats) -> dict[str, Floats]:
    """Precision, recall, F1 and IoU from diagonals, row sums and column sums of any shape."""
    precision, recall = ratio(hit, pred), ratio(hit, gt)
    f1 = harmonic(recall, precision)
    return {"precision": precision, "recall": recall, "f1": f1, "iou": ratio(hit, gt + pred - hit)}


def collapsed(mass: Floats) -> Floats:
    """float64[..., 2, 2] from float64[..., gt, pred]: sums over all labels but Background."""
    out = np.empty((*mass.shape[:-2], 2, 2))
    out[..., 0, 0] = mass[..., 0, 0]
    out[..., 0, 1] = mass[..., 0, 1:].sum(axis=-1)
    out[..., 1, 0] = mass[..., 1:, 0].sum(axis=-1)
    out[..., 1, 1] = mass[..., 1:, 1:].sum(axis=(-2, -1))
    return out


def check_average(kind: str) -> None:
    if kind not in AVERAGES:
        raise InputError("", "average", f"{shown(kind)} is not known", f"Use one of {', '.join(AVERAGES)}.")


def mean_scores(hit: Floats, gt: Floats, pred: Floats, kind: str) -> dict[str, float]:
    """Precision, recall and F1 of one matrix; the arrays are float64[labels]."""
    values = stacked_mean_scores(hit[None], gt[None], pred[None], kind)
    return {name: float(values[name][0]) for name in SCORES}


def stacked_mean_scores(hit: Floats, gt: Floats, pred: Floats, kind: str) -> dict[str, Floats]:
    """The averages of many matrices at once; the arrays are float64[matrices, labels].

    Absent classes are left out; a present class whose value is n/a counts 0, as in scikit-learn.
    """
    check_average(kind)
    if kind == "micro":
        hits = hit.sum(axis=1)
        recall, precision = ratio(hits, gt.sum(axis=1)), ratio(hits, pred.sum(axis=1))
        return {"precision": precision, "recall": recall, "f1": harmonic(recall, precision)}
    recall, precision = ratio(hit, gt), ratio(hit, pred)
    present = (gt > 0) | (pred > 0)
    weights = np.where(present, gt if kind == "weighted" else 1.0, 0.0)
    total = weights.sum(axis=1)
    by_class = {"precision": precision, "recall": recall, "f1": harmonic(recall, precision)}
    return {name: ratio((np.nan_to_num(values) * weights).sum(axis=1), total) for name, values in by_class.items()}


def averages(matrix: ArrayLike, kind: str) -> dict[str, float]:
    """Precision, recall and F1 of any square confusion matrix, rows gt and columns pred, no Background rule."""
    values = _square(matrix)
    return mean_scores(np.diag(values), values.sum(axis=PRED_AXIS), values.sum(axis=GT_AXIS), kind)


def accuracy(matrix: ArrayLike) -> float:
    """The share of any square confusion matrix that lies on its diagonal; nan when there is nothing in it."""
    values = _square(matrix)
    return float(ratio(np.trace(values), values.sum()))


def _square(matrix: ArrayLike) -> Floats:
    values = _numbers_of(matrix, "matrix")
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise InputError("", "matrix", f"the shape is {values.shape}, must be square", "Give float64[gt, pred].")
    if not ((values >= 0) & np.isfinite(values)).all():
        raise InputError("", "matrix", "all values must be finite and 0 or more", "Give counts, not shares with n/a.")
    return values


@dataclass(frozen=True, eq=False)
class Stack:
    """Many matrices: float64[groups, gt, pred] masses (one, twice, with `matrix`), float64[groups, pred] pixels."""

    recall_mass: Floats
    precision_mass: Floats
    pred_pixels: Floats


def stack(counts: PairCounts, space: LabelSpace, group: NDArray[np.integer], groups: int, method: str) -> Stack:
    """One matrix for each group of rows; `group` is int[rows], or int[1] for all of them together."""
    from layoutcm import contributions

    check_method(method)
    rules = [contributions.MATRIX] if method == "matrix" else [contributions.RECALL, contributions.PRECISION]
    words, group = counts.placed(space.gt_place, space.pred_place), np.ascontiguousarray(group, np.int64)
    size, masses, many_words = len(space.labels), [], None if words.shape[1] == 2 else words.shape[1] // 2
    for rule in rules:
        out, pred_pixels = np.zeros((groups, size, size)), np.zeros((groups, size))
        contributions.add_pairs(words, many_words, counts.pixels, group, rule, out, pred_pixels)
        masses.append(out)
    return Stack(masses[0], masses[-1], pred_pixels)


def check_method(method: str) -> None:
    if method not in METHODS:
        raise InputError("", "method", f"{shown(method)} is not known", f"Use one of {', '.join(METHODS)}.")


def confusion_of(counts: PairCounts, space: LabelSpace, method: str = "matrix", recipe: str = "") -> Confusion:
    """The confusion matrix of all rows of `counts` together."""
    one = stack(counts, space, np.zeros(1, np.int64), 1, method)
    recall_mass = one.recall_mass[0]
    same = one.precision_mass is one.recall_mass
    return Confusion(
        list(space.labels),
        method,
        recall_mass,
        recall_mass if same else one.precision_mass[0],
        one.pred_pixels[0],
        diagonal=space.shared,
        recipe=recipe,
        # Several labels may stand in one place, when they are shown as their family.
        rows=() if space.shared else tuple(np.unique(space.gt_place).tolist()),
        columns=() if space.shared else tuple(np.unique(space.pred_place).tolist()),
    )


def label_sets_confusion(
    gt_sets: Sequence[Iterable[str]],
    pred_sets: Sequence[Iterable[str]],
    labels: Sequence[str],
    weights: ArrayLike | None = None,
    background: str | None = BACKGROUND,
    method: str = "matrix",
) -> Confusion:
    """The same matrix for plain label sets, one pair a sample; an empty set is `background`.

    With `background=None` there is no Background row, and every sample needs a label on both sides.
    """
    names = list(dict.fromkeys(label for label in labels if label != background))
    sets = [
        [_numbers(s, names, background, side, i) for i, s in enumerate(given)]
        for side, given in (("gt_sets", gt_sets), ("pred_sets", pred_sets))
    ]
    pixels = sample_weights(len(sets[0]), len(sets[1]), weights)
    words = np.concatenate([pack_sets(side, len(names)) for side in sets], axis=1)
    counts = PairCounts((tuple(names), tuple(names)), np.zeros(len(pixels), np.int32), words, pixels)
    place = np.arange(len(names) + 1)
    confusion = confusion_of(counts, LabelSpace((background or BACKGROUND, *names), place, place), method)
    return confusion if background is not None else _without_background(confusion)


def sample_weights(gt_samples: int, pred_samples: int, weights: ArrayLike | None) -> Floats:
    """float64[samples]: what each pair of sets counts; 1 unless weights are given."""
    if gt_samples != pred_samples:
        problem = f"{gt_samples} and {pred_samples} samples"
        raise InputError("", "gt_sets, pred_sets", problem, "Give a pair of sets a sample.")
    checked = np.ones(gt_samples) if weights is None else _numbers_of(weights, "weights")
    if checked.shape != (gt_samples,) or not ((checked >= 0) & np.isfinite(checked)).all():
        problem = f"must be {gt_samples} finite numbers of 0 or more, one a sample"
        raise InputError("", "weights", problem, "Repair them.")
    return checked


def _numbers_of(values: ArrayLike, place: str) -> Floats:
    try:
        return np.asarray(values, float)
    except (TypeError, ValueError) as error:
        raise InputError("", place, f"these are not numbers: {error}", "Give an array of numbers.") from None


def _numbers(labels: Iterable[str], names: list[str], background: str | None, side: str, sample: int) -> list[int]:
    if not isinstance(labels, Iterable):
        raise InputError("", f"{side}[{sample}]", f"{shown(labels)} is not a set of labels", "Give a set of names.")
    members = [label for label in labels if label != background]
    unknown = [label for label in members if label not in names]
    if unknown:
        raise InputError("", f"{side}[{sample}]", f"the label {shown(unknown[0])} is not in labels", "Add it there.")
    if not members and background is None:
        raise InputError("", f"{side}[{sample}]", "the set is empty and there is no background", "Name a background.")
    return [names.index(label) + 1 for label in members] or [0]


def _without_background(confusion: Confusion) -> Confusion:
    recall_mass = confusion.recall_mass[1:, 1:]
    same = confusion.precision_mass is confusion.recall_mass
    return Confusion(
        confusion.labels[1:],
        confusion.method,
        recall_mass,
        recall_mass if same else confusion.precision_mass[1:, 1:],
        confusion.pred_pixels[1:],
        has_background=False,
    )
