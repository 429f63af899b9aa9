"""The plain matrix and scores by the examples of docs/method.md."""

import math

import numpy as np
import pytest

from layoutcm.verification import plain_scores as plain
from layoutcm.verification.recount import sklearn_averages

GT = ["1100", "0110", "0001", "1111", "0110", "0110", "0101"]
PRED = ["1100", "1110", "1001", "0111", "0100", "1100", "1010"]


def pairs_of(gt, pred):
    pairs = {}
    for samples in zip(gt, pred):
        pair = tuple(frozenset(i for i, bit in enumerate(sample) if bit == "1") for sample in samples)
        pairs[pair] = pairs.get(pair, 0) + 1
    return pairs


def as_pairs(matrix):
    """Pairs of single labels, whose matrix is the given one."""
    return {
        (frozenset([i]), frozenset([j])): float(value) for i, row in enumerate(matrix) for j, value in enumerate(row)
    }


def test_the_four_cases_give_the_published_matrix():
    masses = plain.masses_of(pairs_of(GT, PRED), 4, "matrix")
    expected = [[1, 1 / 3, 1 / 3, 1 / 3], [5 / 6, 14 / 3, 1 / 2, 0], [4 / 3, 1, 5 / 3, 0], [1, 0, 1 / 2, 3 / 2]]
    np.testing.assert_allclose(masses.recall, expected)
    scores = [plain.scores_of(one) for one in plain.class_counts(masses)]
    assert [one["precision"] for one in scores] == pytest.approx([0.24, 0.7778, 0.5556, 0.8182], abs=1e-4)
    assert [one["recall"] for one in scores] == pytest.approx([0.5, 0.7778, 0.4167, 0.5], abs=1e-4)


def test_the_tensor_gives_true_recall_and_precision():
    masses = plain.masses_of(pairs_of(GT, PRED), 4, "tensor")
    # B: in gt of six samples, in pred of five, in both of five.
    assert plain.class_counts(masses)[1] == pytest.approx((5, 6, 5))
    assert plain.row_sums(masses.recall) == pytest.approx([2, 6, 4, 3])
    assert plain.column_sums(masses.precision) == pytest.approx([5, 5, 3, 2])


def test_a_class_of_one_side_counts_0_and_one_of_no_side_is_left_out():
    # Label 1 is right on 3 pixels, label 2 is only in gt, label 3 in neither.
    pairs = as_pairs([[0, 0, 0, 0], [0, 3, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]])
    classes = plain.class_counts(plain.masses_of(pairs, 4, "matrix"))[1:]
    assert plain.averages(classes, "macro") == pytest.approx({"precision": 0.5, "recall": 0.5, "f1": 0.5})
    assert plain.averages(classes, "weighted") == pytest.approx({"precision": 0.75, "recall": 0.75, "f1": 0.75})
    assert plain.averages(classes, "micro") == pytest.approx({"precision": 1, "recall": 0.75, "f1": 6 / 7})


def test_values_that_do_not_exist_are_nan():
    masses = plain.masses_of(as_pairs([[0, 4], [0, 0]]), 2, "matrix")
    scores = plain.cell_scores(masses, "matrix")
    assert scores["recall"][0] == [0, 1] and all(map(math.isnan, scores["recall"][1]))
    assert math.isnan(scores["precision"][0][0]) and scores["f1"][0] == [0, 1]
    assert math.isnan(plain.averages([], "macro")["f1"])
    assert math.isnan(plain.harmonic_mean(plain.NAN, plain.NAN)) and plain.harmonic_mean(plain.NAN, 1) == 0


def test_content_counts_each_pixel_once():
    both, nothing = frozenset([1, 2]), frozenset([0])
    scores = plain.content_scores(
        {(both, both): 3.0, (both, nothing): 1.0, (nothing, both): 2.0, (nothing, nothing): 9}
    )
    assert scores == pytest.approx({"precision": 3 / 5, "recall": 3 / 4, "f1": 6 / 9})
    assert plain.carried_pixels({(both, nothing): 4.0}, 3) == ([0, 4, 4], [4, 0, 0])


@pytest.mark.parametrize("method", ["matrix", "tensor"])
@pytest.mark.parametrize("background", [False, True])
def test_scikit_learn_gives_the_same_averages(method, background):
    pytest.importorskip("sklearn")
    matrices = [[0, 4], [0, 0]], [[0, 0], [4, 0]], [[5]], [[5, 1, 0], [2, 6, 2], [0, 1, 3]]
    for pairs in (pairs_of(GT, PRED), *map(as_pairs, matrices), {}):
        labels = max((label for pair in pairs for side in pair for label in side), default=0) + 1
        masses = plain.masses_of(pairs, labels, method)
        classes = plain.class_counts(masses)[0 if background else 1 :]
        for kind, scores in sklearn_averages(pairs, masses, method, background).items():
            assert scores == pytest.approx(plain.averages(classes, kind), nan_ok=True)
