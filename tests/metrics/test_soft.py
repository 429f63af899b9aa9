"""Soft scores of arrays: against scikit-learn for values 0 and 1, wrong arguments, and torch gradients."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import fbeta_score, precision_score, recall_score

import layoutcm as lcm

AVERAGES = ["micro", "macro", "samples", None]
NAMES = ["precision", "recall", "f_beta", "dice"]

shape = st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 3))
hard = shape.flatmap(lambda n: st.tuples(*(arrays(float, n, elements=st.sampled_from([0.0, 1.0])) for _ in "gp")))


@given(hard, st.sampled_from([0.5, 1.0, 2.0]))
@settings(max_examples=40, deadline=None)
def test_scores_of_0_and_1_are_those_of_scikit_learn(sides, beta):
    n, classes, pixels = sides[0].shape
    flat = [side.transpose(0, 2, 1).reshape(n * pixels, classes) for side in sides]  # samples are pixels
    whole = [side.reshape(n, classes * pixels) for side in sides]  # samples are pages
    for average in AVERAGES:
        found = lcm.soft_scores(*sides, average=average, beta=beta)
        gt, pred = whole if average == "samples" else flat
        # Add a second column, because scikit-learn treats a single column as binary.
        if gt.shape[1] == 1:
            gt, pred = (np.hstack([side, side * 0]) for side in (gt, pred))
        kinds = {"average": average, "zero_division": 0, "labels": list(range(classes))}
        kinds = kinds if average == "macro" or average is None else {**kinds, "labels": None}
        assert found["precision"] == pytest.approx(precision_score(gt, pred, **kinds))
        assert found["recall"] == pytest.approx(recall_score(gt, pred, **kinds))
        assert found["f_beta"] == pytest.approx(fbeta_score(gt, pred, beta=beta, **kinds))
        if beta == 1:
            assert found["dice"] == pytest.approx(found["f_beta"])  # 0 and 1 are their own squares


def test_plain_arrays_of_any_kind():
    soft = lcm.soft_scores([[1, 0], [1, 1]], [[0.5, 0.5], [1.0, 0.0]], "micro")
    assert soft == {"precision": 0.75, "recall": 0.5, "f_beta": 0.6, "dice": pytest.approx(3 / 4.5)}
    truth = np.array([[True, False], [True, True]])
    assert lcm.soft_scores(truth, truth) == dict.fromkeys(NAMES, 1.0)
    # the sum of 400 x 400 values of 1 is too large for half precision
    half = np.ones((1, 1, 400, 400), np.float16)
    assert lcm.soft_scores(half, half)["f_beta"] == 1
    empty = np.zeros((0, 3))
    for average in ("micro", "macro", "samples"):
        assert lcm.soft_scores(empty, empty, average) == dict.fromkeys(NAMES, 0.0)
    tiny = np.full((1, 1), 1e-4)
    assert lcm.soft_scores(tiny, tiny, eps=0.01)["precision"] == pytest.approx(1e-8 / 0.01)
    assert lcm.soft_scores(tiny, tiny, beta=0)["f_beta"] == lcm.soft_scores(tiny, tiny)["precision"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (([[1, 2]], [[0, 1]]), "y_true: the value 2"),
        (([[1.0]], [[float("nan")]]), "y_pred: the value nan"),
        (([[1, 0]], [[1, 0, 1]]), r"\(1, 2\) and \(1, 3\)"),
        (([1, 0], [1, 0]), "samples, classes"),
        (([[1, 0], [1]], [[1, 0], [1]]), "lists of equal length"),
        (("ab", "cd"), "str and str"),
        ((np.array([["a"]]), np.array([["b"]])), "are not numbers in 0..1"),
        (([[1]], [[1]], "weighted"), "'weighted' is not known"),
        (([[1]], [[1]], "macro", -1), "beta: -1"),
        (([[1]], [[1]], "macro", 1.0, 0.0), "eps: 0.0"),
    ],
)
def test_wrong_arguments_are_named(arguments, named):
    with pytest.raises(lcm.InputError, match=named):
        lcm.soft_scores(*arguments)


def test_torch_gives_the_same_scores_and_correct_gradients():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(2)
    sides = rng.random((2, 3, 4, 2)), rng.random((2, 3, 4, 2))
    sides[0][:, 2] = sides[1][:, 2] = 0  # a class on neither side
    gt, pred = map(torch.tensor, sides)
    for average in AVERAGES:
        ours, theirs = lcm.soft_scores(*sides, average, 2.0), lcm.soft_scores(gt, pred, average, 2.0)
        for name in NAMES:
            np.testing.assert_allclose(theirs[name].numpy(), ours[name], rtol=1e-12)
    inner = [values.clone().mul(0.8).add(0.1).requires_grad_() for values in (gt, pred)]
    for average in AVERAGES:
        assert torch.autograd.gradcheck(
            lambda t, p, average=average: tuple(lcm.soft_scores(t, p, average).values()), inner
        )
    logits = torch.zeros(1, 2, 3, requires_grad=True)
    (1 - lcm.soft_scores(torch.zeros(1, 2, 3, dtype=torch.bool), torch.sigmoid(logits))["dice"]).backward()
    assert torch.isfinite(logits.grad).all()
    nothing = torch.zeros(1, 1, 2, requires_grad=True)
    lcm.soft_scores(nothing.detach(), nothing)["f_beta"].backward()
    assert torch.isfinite(nothing.grad).all()
    half = torch.ones(1, 1, 400, 400, dtype=torch.float16)
    assert lcm.soft_scores(half, half)["f_beta"] == 1
    with pytest.raises(lcm.InputError, match="one library"):
        lcm.soft_scores(gt, sides[1])


def test_a_few_gradient_steps_raise_the_score():
    torch = pytest.importorskip("torch")
    truth = torch.zeros(1, 2, 6, 6)
    truth[0, 0, :3] = truth[0, 1, 3:] = 1
    logits = torch.zeros(1, 2, 6, 6, requires_grad=True)
    found = []
    for _ in range(20):
        score = lcm.soft_scores(truth, torch.sigmoid(logits))["f_beta"]
        score.backward()
        found.append(score.item())
        with torch.no_grad():
            logits += 50 * logits.grad
            logits.grad.zero_()
    assert found == sorted(found) and found[-1] > 0.85
