"""Averages over classes by scikit-learn."""

from __future__ import annotations

import numpy as np

from layoutcm.verification.drawn_pixels import BACKGROUND
from layoutcm.verification.plain_scores import AVERAGES, NAN, SCORES, Masses, Pairs, column_sums, row_sums


def sklearn_averages(pairs: Pairs, masses: Masses, method: str, background: bool) -> dict[str, dict[str, float]]:
    """{average: {score: value}} without or with Background.

    The samples of method `matrix` are the cells of the matrix with their values as weights. Those of `tensor`, whose
    recall and precision are the true ones, are the label sets with their pixels as weights.
    """
    gt, pred = row_sums(masses.recall), column_sums(masses.precision)
    first = BACKGROUND if background else BACKGROUND + 1
    used = [label for label in range(first, len(gt)) if gt[label] > 0 or pred[label] > 0]
    truth, prediction, weights = _cells(masses) if method == "matrix" else _label_sets(pairs, len(gt))
    averages = {kind: dict.fromkeys(SCORES, NAN) for kind in AVERAGES}
    for kind in AVERAGES if used else ():
        if kind != "weighted" or any(gt[label] > 0 for label in used):
            averages[kind] = _one_average(truth, prediction, weights, used, kind)
    return averages


def _one_average(
    truth: np.ndarray, prediction: np.ndarray, weights: np.ndarray, used: list[int], kind: str
) -> dict[str, float]:
    from sklearn.metrics import precision_recall_fscore_support

    # A value that does not exist counts 0 in a mean; `micro` is not a mean.
    missing = NAN if kind == "micro" else 0.0
    *scores, _ = precision_recall_fscore_support(
        truth, prediction, labels=used, average=kind, sample_weight=weights, zero_division=missing
    )
    return dict(zip(SCORES, map(float, scores)))


def _cells(masses: Masses) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, column and value of every cell that is not 0."""
    matrix = np.array(masses.recall)
    rows, columns = np.nonzero(matrix)
    return rows, columns, matrix[rows, columns]


def _label_sets(pairs: Pairs, labels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """int[pairs, labels] each: 1 for the labels of gt and of pred; float64[pairs]: pixels."""
    # One more column than labels: scikit-learn does not accept a single one.
    sides = [np.zeros((len(pairs), labels + 1), int) for _ in range(2)]
    for k, pair in enumerate(pairs):
        for members, indicator in zip(pair, sides):
            indicator[k, list(members)] = 1
    return sides[0], sides[1], np.array(list(pairs.values()))
