"""Confusion matrices and their values: recall, precision, F1, class values, averages, the 2x2 matrix.

All matrices are float64[gt, pred].
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from layoutcm import html_parts
from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import BACKGROUND, SIDES, Floats
from layoutcm.lazy import pd
from layoutcm.metrics import scores
from layoutcm.metrics.matrix_blocks import group_matrices
from layoutcm.metrics.scores import SCORES, CountedPixels, Margins, PixelSums
from layoutcm.pixels.pair_counts import PairCounts, pack_sets
from layoutcm.results.vocabulary import BY_SIDES, Vocabulary
from layoutcm.wording import MISSING, percent_brief, pixels_in_full, score_text

CONTENT = "Content"
MOST_COLUMNS = 16
MOST_CLASSES = 12
CLASS_HEADINGS = ("label", "gt pixels", "pred pixels", "precision", "recall", "F1")


@dataclass(frozen=True, eq=False)
class Confusion:
    """A multi-label confusion matrix and the values computed from it.

    Recall is computed from `recall_mass`, precision from `precision_mass`. They are the same array with method `matrix`
    and two arrays with `tensor`. `sides` has the positions of the gt labels and of the pred labels; None if both sides
    have all labels.
    """

    labels: list[str]
    method: str
    recall_mass: Floats
    precision_mass: Floats
    pred_pixels: Floats
    diagonal: bool = True
    has_background: bool = True
    recipe: str = ""
    sides: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    source: CountedPixels | PixelSums | None = None  # for what the matrix does not show: content and right labels
    side_names: tuple[str, ...] = SIDES  # of rows and of columns, in figures and tables
    joined: tuple[int, ...] = ()  # labels that stand for several: their diagonal also has confusions among these

    def __repr__(self) -> str:
        return f"<Confusion {self.method} of {len(self.labels)} labels, {self.values.sum():,.0f} label pixels>"

    def _repr_html_(self) -> str:
        """The matrix of recall; of many labels, the values of the largest."""
        if max(map(len, self.visible)) > MOST_COLUMNS:
            return html_parts.block(repr(self)[1:-1], class_html(self.labels, self.class_values()))
        shown = matrix_html(self.labels, self.recall, self.visible, self.diagonal)
        return html_parts.block(repr(self)[1:-1], shown, html_parts.note(self.recipe))

    @property
    def vocabulary(self) -> Vocabulary:
        """The words for rows and columns."""
        return BY_SIDES[self.side_names]

    @property
    def values(self) -> Floats:
        """float64[gt, pred]: pixels; with `tensor`, the mass for recall."""
        return self.recall_mass

    @cached_property
    def gt_pixels(self) -> Floats:
        """float64[labels]: pixels that carry the label in gt, which are the sums of the rows."""
        return self.margins.gt

    @cached_property
    def recall(self) -> Floats:
        """float64[gt, pred]: the share of gt label i that is predicted as j."""
        return scores.recall_matrix(self.recall_mass)

    @cached_property
    def precision(self) -> Floats:
        """float64[gt, pred]: the share of pred label j that is i in gt."""
        return scores.precision_matrix(self.precision_mass)

    @cached_property
    def f1(self) -> Floats:
        """float64[gt, pred]: harmonic mean of recall and precision."""
        return scores.harmonic(self.recall, self.precision, self.margins.two_masses)

    def class_values(self) -> dict[str, Floats]:
        """float64[labels] for each column of the class table; the scores are nan if the diagonal has no meaning."""
        columns = scores.class_columns(self.margins, self.pred_pixels)
        if not self.diagonal:
            columns |= {name: np.full(len(self.labels), np.nan) for name in (*SCORES, "iou")}
        return columns

    @cached_property
    def margins(self) -> Margins:
        return scores.margins(self.recall_mass, self.precision_mass)

    def classes(self) -> pd.DataFrame:
        """One row per label: label, gt_pixels, pred_pixels, precision, recall, f1, iou."""
        return pd.DataFrame(self.class_table())

    def class_table(self) -> dict[str, list[str] | Floats]:
        """The columns of `classes`."""
        return {"label": list(self.labels), **self.class_values()}

    def average(self, kind: str = "macro", background: bool = False) -> dict[str, float]:
        """Precision, recall and F1 over the labels: micro, macro, or weighted by gt pixels."""
        if not self.diagonal:
            scores.check_average(kind)
            return dict.fromkeys(SCORES, float("nan"))
        skip = 1 if self.has_background and not background else 0
        return {
            name: float(value) for name, value in scores.mean_scores(self.margins.without_first(skip), kind).items()
        }

    @property
    def accuracy(self) -> float:
        """The correct share of all gt label pixels, with Background; nan if the diagonal has no meaning."""
        return scores.accuracy(self.recall_mass) if self.diagonal else float("nan")

    @cached_property
    def content_pixels(self) -> Floats:
        """float64[3]: the pixels that are content on both sides, in gt, and in pred; nan if they are not known."""
        return np.full(3, np.nan) if self.source is None else self.source.content_pixels

    def content(self) -> dict[str, float]:
        """Precision, recall and F1 of content against Background; each pixel counts once, whatever its labels."""
        return {name: float(value) for name, value in scores.content_scores(self.content_pixels).items()}

    @cached_property
    def right(self) -> float:
        """The share of the label pixels of gt whose label pred has at that pixel, too; nan if it is not known."""
        return float("nan") if self.source is None else self.source.right

    def collapse(self) -> Confusion:
        """Background against all other labels, counted in label pixels: a Confusion over ["Background", "Content"]."""
        if not self.has_background:
            raise InputError("", "collapse", "the matrix has no Background", "Give a background label.")
        pred_pixels = np.array([self.pred_pixels[0], self.pred_pixels[1:].sum()])
        masses, labels = _changed_masses(self, collapse_mass), [self.labels[0], CONTENT]
        return Confusion(labels, self.method, *masses, pred_pixels, recipe=self.recipe, side_names=self.side_names)

    @property
    def own_labels(self) -> tuple[list[int], list[int]]:
        """The positions of the labels that gt can have, and of those that pred can have."""
        every = range(len(self.labels))
        gt, pred = self.sides or (every, every)
        return list(gt), list(pred)

    @cached_property
    def visible(self) -> tuple[list[int], list[int]]:
        """The positions of the gt labels and of the pred labels that are in use, and of the first label."""
        used = (self.gt_pixels > 0) | (self.pred_pixels > 0)
        gt, pred = ([i for i in side if used[i] or i == 0] for side in self.own_labels)
        return gt, pred

    @property
    def drawn(self) -> tuple[list[int], list[int]]:
        """Deprecated; use `visible`."""
        warnings.warn("Confusion.drawn is called Confusion.visible now", DeprecationWarning, stacklevel=2)
        return self.visible


def matrix_html(labels: Sequence[str], recall: Floats, shown: tuple[list[int], list[int]], diagonal: bool) -> str:
    """Recall in percent, float64[gt, pred], of the labels in use; blank is zero."""
    rows, columns = shown
    cells = [[labels[i], *(_share_text(recall[i, j]) for j in columns)] for i in rows]
    shade = lambda r, c: html_parts.colour(recall[rows[r], columns[c - 1]], diagonal and rows[r] == columns[c - 1])
    return html_parts.table(["gt \\ pred, %", *(labels[j] for j in columns)], cells, shade=shade)


def class_html(labels: Sequence[str], values: dict[str, Floats]) -> str:
    """The labels with most pixels: pixels and scores."""
    order = np.argsort(-(values["gt_pixels"] + values["pred_pixels"]), kind="stable")[:MOST_CLASSES].tolist()
    names = ("precision", "recall", "f1")
    rows = [
        [
            labels[i],
            *(pixels_in_full(values[name][i]) for name in ("gt_pixels", "pred_pixels")),
            *(score_text(values[name][i]) for name in names),
        ]
        for i in order
    ]
    return html_parts.table(CLASS_HEADINGS, rows) + html_parts.note(html_parts.more(len(labels) - len(rows), "label"))


def _share_text(share: float) -> str:
    if np.isnan(share):
        return MISSING
    return percent_brief(share) if share else ""


def _changed_masses(confusion: Confusion, change: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """Both masses of a matrix, changed; one array stays one array."""
    recall_mass = change(confusion.recall_mass)
    one_mass = confusion.precision_mass is confusion.recall_mass
    return recall_mass, recall_mass if one_mass else change(confusion.precision_mass)


def collapse_mass(mass: Floats) -> Floats:
    """float64[..., 2, 2] from float64[..., gt, pred]: all labels but Background summed up to Content."""
    out = np.empty((*mass.shape[:-2], 2, 2))
    out[..., 0, 0] = mass[..., 0, 0]
    out[..., 0, 1] = mass[..., 0, 1:].sum(axis=-1)
    out[..., 1, 0] = mass[..., 1:, 0].sum(axis=-1)
    out[..., 1, 1] = mass[..., 1:, 1:].sum(axis=(-2, -1))
    return out


def confusion_of(counts: PairCounts, space: LabelSpace, method: str, recipe: str = "") -> Confusion:
    """The confusion matrix of all rows of `counts` together."""
    matrices = group_matrices(counts, space, np.zeros(1, np.int64), 1, method)
    recall_mass = matrices.recall_mass[0]
    one_mass = matrices.precision_mass is matrices.recall_mass
    return Confusion(
        list(space.labels),
        method,
        recall_mass,
        recall_mass if one_mass else matrices.precision_mass[0],
        matrices.pred_pixels[0],
        diagonal=space.shared,
        recipe=recipe,
        sides=None if space.shared else (_label_positions(space.gt_positions), _label_positions(space.pred_positions)),
        source=CountedPixels(counts, space),
    )


def _label_positions(positions: NDArray[np.integer]) -> tuple[int, ...]:
    """Each position once: labels that are counted as their family have the same position."""
    return tuple(np.unique(positions).tolist())


def label_sets_confusion(
    gt_sets: Sequence[Iterable[str]],
    pred_sets: Sequence[Iterable[str]],
    labels: Sequence[str],
    weights: ArrayLike | None = None,
    background: str | None = BACKGROUND,
    method: str = "matrix",
) -> Confusion:
    """The multi-label confusion matrix of plain label sets, one pair per sample.

    Parameters
    ----------
    gt_sets, pred_sets : sequence of sets of str
        The labels of every sample; an empty set is `background`.
    labels : sequence of str
    weights : array, optional
        How much each sample counts; 1 unless given.
    background : str or None
        None: there is no Background row, and every sample needs a label on both sides.
    method : {"matrix", "tensor"}

    Returns
    -------
    Confusion

    Examples
    --------
    >>> import layoutcm as lcm
    >>> m = lcm.label_sets_confusion([{"A"}, {"A", "B"}, set()], [{"A", "B"}, {"A", "B"}, {"B"}], ["A", "B"])
    >>> m.labels
    ['Background', 'A', 'B']
    >>> m.values.tolist()
    [[0.0, 0.0, 1.0], [0.0, 1.5, 0.5], [0.0, 0.0, 1.0]]
    """
    names = list(dict.fromkeys(label for label in labels if label != background))
    sets = [
        [_label_numbers(s, names, background, side, i) for i, s in enumerate(given)]
        for side, given in (("gt_sets", gt_sets), ("pred_sets", pred_sets))
    ]
    pixels = sample_weights(len(sets[0]), len(sets[1]), weights)
    words = np.concatenate([pack_sets(side, len(names)) for side in sets], axis=1)
    counts = PairCounts((tuple(names), tuple(names)), np.zeros(len(pixels), np.int32), words, pixels)
    place = np.arange(len(names) + 1)
    confusion = confusion_of(counts, LabelSpace((background or BACKGROUND, *names), place, place), method)
    return confusion if background is not None else _without_background(confusion)


def sample_weights(gt_samples: int, pred_samples: int, weights: ArrayLike | None) -> Floats:
    """float64[samples]: the weight of each pair of sets; 1 if no weights are given."""
    if gt_samples != pred_samples:
        problem = f"{gt_samples} and {pred_samples} samples"
        raise InputError("", "gt_sets, pred_sets", problem, "Give one gt set and one pred set per sample.")
    checked = np.ones(gt_samples) if weights is None else scores.numbers_of(weights, "weights")
    if checked.shape != (gt_samples,) or not ((checked >= 0) & np.isfinite(checked)).all():
        problem = f"must be {gt_samples} finite numbers of 0 or more, one per sample"
        raise InputError("", "weights", problem, "Correct the weights.")
    return checked


def _label_numbers(
    labels: Iterable[str], names: list[str], background: str | None, side: str, sample: int
) -> list[int]:
    place = f"{side}[{sample}]"
    if not isinstance(labels, Iterable):
        raise InputError("", place, f"{short_repr(labels)} is not a set of labels", "Give a set of names.")
    members = [label for label in labels if label != background]
    unknown = [label for label in members if label not in names]
    if unknown:
        raise InputError("", place, f"the label {short_repr(unknown[0])} is not in labels", "Add it there.")
    if not members and background is None:
        raise InputError("", place, "the set is empty and there is no background", "Name a background.")
    return [names.index(label) + 1 for label in members] or [0]


def _without_background(confusion: Confusion) -> Confusion:
    masses, pred_pixels = _changed_masses(confusion, lambda mass: mass[1:, 1:]), confusion.pred_pixels[1:]
    return Confusion(confusion.labels[1:], confusion.method, *masses, pred_pixels, has_background=False)
