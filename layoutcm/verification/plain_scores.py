"""The matrix of a page and its scores from pairs of label sets, in plain Python, as docs/method.md defines them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from layoutcm.verification.drawn_pixels import BACKGROUND, LabelSet, Pair

Matrix = list[list[float]]  # [gt][pred]
Pairs = Mapping[Pair, float]  # pixels of each pair of label sets
Shares = Iterator[tuple[int, int, float]]  # row, column, what one pixel adds
SCORES = ("precision", "recall", "f1")
AVERAGES = ("micro", "macro", "weighted")
NAN = float("nan")


class Masses(NamedTuple):
    """The matrix from which recall is computed, and that for precision; the same one with method `matrix`."""

    recall: Matrix
    precision: Matrix


class ClassCounts(NamedTuple):
    """The correct part of a label, or of several labels together, and how much gt and pred have."""

    hit: float
    gt: float
    pred: float
    two_masses: bool = False  # method tensor, by which F1 exists only where precision and recall do


def masses_of(pairs: Pairs, labels: int, method: str) -> Masses:
    if method == "matrix":
        matrix = _sum(pairs, labels, four_cases)
        return Masses(matrix, matrix)
    return Masses(_sum(pairs, labels, tensor_recall), _sum(pairs, labels, tensor_precision))


def _sum(pairs: Pairs, labels: int, rule: Callable[[LabelSet, LabelSet], Shares]) -> Matrix:
    matrix = [[0.0] * labels for _ in range(labels)]
    for (gt, pred), pixels in pairs.items():
        for i, j, share in rule(gt, pred):
            matrix[i][j] += share * pixels
    return matrix


def four_cases(gt: LabelSet, pred: LabelSet) -> Shares:
    """What a pixel adds to the matrix: the table in docs/method.md, line by line."""
    if gt == pred:
        yield from ((i, i, 1.0) for i in gt)
    elif pred > gt:
        yield from ((i, i, len(gt) / len(pred)) for i in gt)
        yield from ((i, j, 1 / len(pred)) for i in gt for j in pred - gt)
    elif gt > pred:
        yield from ((i, i, 1.0) for i in pred)
        yield from ((i, j, 1 / len(pred)) for i in gt - pred for j in pred)
    else:
        yield from ((i, i, 1.0) for i in gt & pred)
        yield from ((i, j, 1 / len(pred - gt)) for i in gt - pred for j in pred - gt)


def tensor_recall(gt: LabelSet, pred: LabelSet) -> Shares:
    yield from ((i, i, 1.0) for i in gt & pred)
    yield from ((i, j, 1 / len(pred)) for i in gt - pred for j in pred)


def tensor_precision(gt: LabelSet, pred: LabelSet) -> Shares:
    yield from ((i, i, 1.0) for i in gt & pred)
    yield from ((i, j, 1 / len(gt)) for i in gt for j in pred - gt)


def divide(part: float, whole: float) -> float:
    """The quotient; nan if there is nothing to divide by."""
    return part / whole if whole else NAN


def row_sums(matrix: Matrix) -> list[float]:
    return [sum(row) for row in matrix]


def column_sums(matrix: Matrix) -> list[float]:
    return [sum(column) for column in zip(*matrix)]


def cell_scores(masses: Masses, method: str) -> dict[str, Matrix]:
    """Recall, precision and F1 of every cell."""
    gt, pred, labels = row_sums(masses.recall), column_sums(masses.precision), range(len(masses.recall))
    recall = [[divide(masses.recall[i][j], gt[i]) for j in labels] for i in labels]
    precision = [[divide(masses.precision[i][j], pred[j]) for j in labels] for i in labels]
    if method == "matrix":
        f1 = [[divide(2 * masses.recall[i][j], gt[i] + pred[j]) for j in labels] for i in labels]
    else:
        f1 = [[harmonic_mean(recall[i][j], precision[i][j]) for j in labels] for i in labels]
    return {"recall": recall, "precision": precision, "f1": f1}


def harmonic_mean(one: float, other: float) -> float:
    """The harmonic mean; nan if one of the values does not exist."""
    if math.isnan(one) or math.isnan(other):
        return NAN
    return 2 * one * other / (one + other) if one + other else 0.0


def class_counts(masses: Masses) -> list[ClassCounts]:
    gt, pred, two = row_sums(masses.recall), column_sums(masses.precision), masses.recall is not masses.precision
    return [ClassCounts(masses.recall[i][i], gt[i], pred[i], two) for i in range(len(gt))]


def scores_of(of: ClassCounts) -> dict[str, float]:
    return {
        "precision": divide(of.hit, of.pred),
        "recall": divide(of.hit, of.gt),
        "f1": NAN if of.two_masses and not (of.gt and of.pred) else divide(2 * of.hit, of.gt + of.pred),
        "iou": divide(of.hit, of.gt + of.pred - of.hit),
    }


def averages(classes: Sequence[ClassCounts], kind: str) -> dict[str, float]:
    """Precision, recall and F1 over the labels that a side uses; a value that does not exist counts 0 in a mean."""
    used = [one for one in classes if one.gt > 0 or one.pred > 0]
    if kind == "micro":
        hit, gt, pred = (sum(one[k] for one in used) for k in range(3))
        scores = scores_of(ClassCounts(hit, gt, pred, any(one.two_masses for one in used)))
        return {name: scores[name] for name in SCORES}
    weights = [one.gt if kind == "weighted" else 1.0 for one in used]
    means = {}
    for name in SCORES:
        values = [scores_of(one)[name] for one in used]
        total = sum(weight * value for weight, value in zip(weights, values) if not math.isnan(value))
        means[name] = divide(total, sum(weights))
    return means


def carried_pixels(pairs: Pairs, labels: int) -> tuple[list[float], list[float]]:
    """For gt and for pred: the pixels that carry each label."""
    counts = [0.0] * labels, [0.0] * labels
    for pair, pixels in pairs.items():
        for side, members in enumerate(pair):
            for label in members:
                counts[side][label] += pixels
    return counts


def content_scores(pairs: Pairs) -> dict[str, float]:
    """Precision, recall and F1 of the pixels with any label; every pixel counts once."""
    hit = gt_content = pred_content = 0.0
    for (gt, pred), pixels in pairs.items():
        gt_content += pixels * (BACKGROUND not in gt)
        pred_content += pixels * (BACKGROUND not in pred)
        hit += pixels * (BACKGROUND not in gt and BACKGROUND not in pred)
    scores = scores_of(ClassCounts(hit, gt_content, pred_content))
    return {name: scores[name] for name in SCORES}
