"""Scores of small matrices, counted by hand, for one matrix and for several at once."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.metrics.scores import Margins, class_scores, harmonic, margins, mean_scores, ratio

nan = float("nan")
MATRIX = np.array([[5.0, 1, 0], [2, 6, 2], [0, 1, 3]])  # row sums 6, 10, 4; column sums 7, 8, 5
EMPTY = np.zeros((3, 3))


def rounded(scores):
    return {name: np.round(values, 6).tolist() for name, values in scores.items()}


@pytest.mark.parametrize(
    ("function", "given", "expected"),
    [
        # A ratio is undefined only where the whole is 0.
        (ratio, ([1, 0, 3, 0], [2, 5, 0, 0]), [0.5, 0, nan, nan]),
        (ratio, (1, [4, 0]), [0.25, nan]),
        (ratio, ([[1], [2]], [4, 8]), [[0.25, 0.125], [0.5, 0.25]]),
        (harmonic, ([1, 0.5, 0.25, 0], [0.5, 0.5, 0.75, 1]), [2 / 3, 0.5, 0.375, 0]),
        (harmonic, ([nan, 0, nan, 0, 1], [nan, nan, 0, 0, 1]), [nan, 0, 0, 0, 1]),
    ],
)
def test_ratios_and_harmonic_means(function, given, expected):
    np.testing.assert_allclose(function(*given), expected, rtol=1e-15)


def test_margins_of_one_mass_and_of_two():
    found = margins(MATRIX, MATRIX.T)
    assert [part.tolist() for part in found.parts()] == [[5, 6, 3], [5, 6, 3], [6, 10, 4], [6, 10, 4]]
    rest = margins(MATRIX, MATRIX).without_first(1)
    assert [part.tolist() for part in rest.parts()] == [[6, 3], [6, 3], [10, 4], [8, 5]]
    stacked = margins(np.stack([MATRIX, EMPTY]), np.stack([EMPTY, MATRIX]))
    assert stacked.recall_hit.tolist() == [[5, 6, 3], [0, 0, 0]] and stacked.gt.tolist() == [[6, 10, 4], [0, 0, 0]]
    assert stacked.precision_hit.tolist() == [[0, 0, 0], [5, 6, 3]] and stacked.pred.tolist() == [[0, 0, 0], [7, 8, 5]]


def test_scores_of_each_label():
    assert rounded(class_scores(margins(MATRIX, MATRIX))) == rounded(
        {
            "precision": [5 / 7, 6 / 8, 3 / 5],
            "recall": [5 / 6, 6 / 10, 3 / 4],
            "f1": [10 / 13, 12 / 18, 6 / 9],  # 2 hits / (gt + pred)
            "iou": [5 / 8, 6 / 12, 3 / 6],  # hits / (gt + pred - hits)
        }
    )


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("micro", (14 / 20, 14 / 20, 14 / 20)),
        ("macro", ((5 / 7 + 3 / 4 + 3 / 5) / 3, (5 / 6 + 3 / 5 + 3 / 4) / 3, (10 / 13 + 2 / 3 + 2 / 3) / 3)),
        ("weighted", ((30 / 7 + 7.5 + 2.4) / 20, (5 + 6 + 3) / 20, (60 / 13 + 20 / 3 + 8 / 3) / 20)),
    ],
)
def test_means_of_several_matrices_at_once(kind, expected):
    found = mean_scores(margins(np.stack([MATRIX, EMPTY]), np.stack([MATRIX, EMPTY])), kind)
    assert list(found) == ["precision", "recall", "f1"]
    np.testing.assert_allclose(np.stack(list(found.values())).T, [expected, [nan, nan, nan]])
    assert lcm.averages(MATRIX, kind) == pytest.approx(dict(zip(found, expected)))


def test_a_label_on_one_side_counts_and_a_label_on_neither_side_does_not():
    # a is found on 1 of 2 pixels; b is only in gt, c only in pred, d on neither side
    of = Margins(*(np.array(part, float) for part in ([1, 0, 0, 0], [1, 0, 0, 0], [2, 2, 0, 0], [1, 0, 4, 0])))
    found = {kind: mean_scores(of, kind) for kind in ("micro", "macro", "weighted")}
    assert rounded(found["micro"]) == rounded({"precision": 1 / 5, "recall": 1 / 4, "f1": 2 / 9})
    assert rounded(found["macro"]) == rounded({"precision": 1 / 3, "recall": 0.5 / 3, "f1": 2 / 9})
    assert rounded(found["weighted"]) == rounded({"precision": 1 / 2, "recall": 0.5 / 2, "f1": 1 / 3})


@pytest.mark.parametrize(
    ("matrix", "precision", "recall"),
    [([[2, 0], [0.5, 0]], 0.8 / 2, 1 / 2), ([[2, 0.5], [0, 0]], 1 / 2, 0.8 / 2)],
    ids=["only in gt", "only in pred"],
)
def test_a_label_on_half_a_pixel_counts_as_much_as_others_in_a_macro_average(matrix, precision, recall):
    assert lcm.averages(matrix, "macro") == pytest.approx({"precision": precision, "recall": recall, "f1": 4 / 9})
