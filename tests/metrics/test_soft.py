"""Soft scores of arrays: against scikit-learn for values 0 and 1, wrong arguments, and torch gradients."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import fbeta_score, precision_score, recall_score

import layoutcm as lcm
from support.reading import fails

AVERAGES = ["micro", "macro", "weighted", "samples", None]
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
        kinds = kinds if average in ("macro", "weighted", None) else {**kinds, "labels": None}
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
    for average in ("micro", "macro", "weighted", "samples"):
        assert lcm.soft_scores(empty, empty, average) == dict.fromkeys(NAMES, 0.0)
    tiny = np.full((1, 1), 1e-4)
    assert lcm.soft_scores(tiny, tiny, eps=0.01)["precision"] == pytest.approx(1e-8 / 0.01)
    assert lcm.soft_scores(tiny, tiny, beta=0)["f_beta"] == lcm.soft_scores(tiny, tiny)["precision"]


def test_dice_with_beta_and_weights_by_hand():
    """Sums of the first class: both 0.5, gt 1, pred 0.5, squares 1 and 0.25; of the second: 1, 3, 1, 3, 1."""
    gt, pred = [[1, 1], [0, 1], [0, 1]], [[0.5, 1], [0, 0], [0, 0]]
    by_class = lcm.soft_scores(gt, pred, None, beta=2)
    assert by_class["dice"].tolist() == pytest.approx([5 * 0.5 / (4 * 1 + 0.25), 5 * 1 / (4 * 3 + 1)])
    weighted = lcm.soft_scores(gt, pred, "weighted", beta=2)
    assert weighted["recall"] == pytest.approx((1 * 0.5 + 3 * (1 / 3)) / 4)
    assert weighted["dice"] == pytest.approx((1 * (2.5 / 4.25) + 3 * (5 / 13)) / 4)


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "samples"])
def test_averages_of_numpy_arrays_are_plain_floats(average):
    found = lcm.soft_scores(np.ones((2, 3), np.float32), np.ones((2, 3), np.float32), average)
    assert {name: type(value) for name, value in found.items()} == dict.fromkeys(NAMES, float)


def test_scores_of_two_classes_and_two_samples_by_hand():
    gt = [[[1, 1], [0, 0]], [[1, 1], [1, 0]]]
    pred = [[[0.5, 0.5], [0.5, 0.5]], [[0.5, 0.5], [0, 0]]]
    # class 0: 2 of 4 and 2, squares 4 and 1; class 1: 0 of 1 and 1
    by_class = lcm.soft_scores(gt, pred, None)
    assert {name: values.tolist() for name, values in by_class.items()} == {
        "precision": [1, 0], "recall": [0.5, 0], "f_beta": [4 / 6, 0], "dice": [4 / 5, 0],
    }  # fmt: skip
    # sample 0: 1 of 2 and 2, squares 2 and 1; sample 1: 1 of 3 and 1, squares 3 and 0.5
    by_sample = {"precision": [1 / 2, 1], "recall": [1 / 2, 1 / 3], "f_beta": [2 / 4, 2 / 4], "dice": [2 / 3, 2 / 3.5]}
    means = {name: pytest.approx(np.mean(pair)) for name, pair in by_sample.items()}
    assert lcm.soft_scores(gt, pred, "samples") == means
    assert lcm.soft_scores(gt, pred) == pytest.approx({"precision": 0.5, "recall": 0.25, "f_beta": 1 / 3, "dice": 0.4})
    # together: 2 of 5 and 3, squares 5 and 1.5; beta 2 weights recall by 4
    micro = {"precision": 2 / 3, "recall": 2 / 5, "f_beta": 5 * 2 / (4 * 5 + 3), "dice": 5 * 2 / (4 * 5 + 1.5)}
    assert lcm.soft_scores(gt, pred, "micro", 2) == pytest.approx(micro)


@pytest.mark.parametrize(("gt", "pred", "result"), [
    ("float16", "float16", "float32"), ("float16", "float32", "float32"), ("float32", "float32", "float32"),
    ("bool", "float32", "float32"), ("int64", "float16", "float32"), ("float32", "float64", "float64"),
    ("float64", "float16", "float64"), ("bool", "int8", "float64"),
])  # fmt: skip
def test_the_floating_type_of_the_scores(gt, pred, result):
    found = lcm.soft_scores(np.ones((1, 2), gt), np.ones((1, 2), pred), None)
    assert {name: (values.dtype, *values.tolist()) for name, values in found.items()} == dict.fromkeys(
        NAMES, (np.dtype(result), 1, 1)
    )


def test_scores_may_be_outside_the_unit_interval_by_a_thousandth():
    assert lcm.soft_scores([[1.001]], [[1.0]])["recall"] == 1
    assert lcm.soft_scores([[1.0]], [[-0.001]])["recall"] == pytest.approx(-0.001)
    for wrong in (1.0011, -0.0011):
        fails(f"^y_true: the value {wrong} is outside 0..1\\.", lcm.soft_scores, [[wrong]], [[1.0]])


LIBRARY = "Give two numpy arrays or two torch tensors."
SHAPES = "Both must be [samples, classes, ...] and equal."
RANGE = "Use a sigmoid or softmax, or rescale."
ONE = np.ones((1, 1))


@pytest.mark.parametrize(("arguments", "place", "problem", "hint"), [
    (([[1, 2]], [[0, 1]]), "y_true", "the value 2 is outside 0..1", RANGE),
    (([[1, 0]], [[-0.5, 3]]), "y_pred", "the value -0.5 is outside 0..1", RANGE),
    (([[1.0]], [[float("nan")]]), "y_pred", "the value nan is outside 0..1", RANGE),
    (([[1, 0]], [[1, 0, 1]]), "y_true, y_pred", "the shapes are (1, 2) and (1, 3)", SHAPES),
    (([1, 0], [1, 0]), "y_true, y_pred", "the shapes are (2,) and (2,)", SHAPES),
    (("ab", "cd"), "y_true, y_pred", "str and str are not arrays of one library", LIBRARY),
    (("ab", ONE), "y_true, y_pred", "str and ndarray are not arrays of one library", LIBRARY),
    ((ONE, "ab"), "y_true, y_pred", "ndarray and str are not arrays of one library", LIBRARY),
    ((np.array([["a"]]), np.array([["b"]])), "y_true, y_pred", "values of type <U1 are not numbers in 0..1",
     "Convert them to float."),
    ((ONE, ONE * 1j), "y_true, y_pred", "values of type complex128 are not numbers in 0..1",
     "Convert them to float."),
    ((ONE, ONE, "mean"), "average", "'mean' is not known",
     "Use one of micro, macro, weighted, samples, or None for each class."),
    ((ONE, ONE, "macro", -1), "beta", "-1 is not a number of 0 or more", "Leave out beta to use the default."),
    ((ONE, ONE, "macro", float("inf")), "beta", "inf is not a number of 0 or more",
     "Leave out beta to use the default."),
    ((ONE, ONE, "macro", "x"), "beta", "'x' is not a number of 0 or more", "Leave out beta to use the default."),
    ((ONE, ONE, "macro", 1.0, 0.0), "eps", "0.0 is not a number above 0", "Leave out eps to use the default."),
    ((ONE, ONE, "macro", 1.0, float("nan")), "eps", "nan is not a number above 0",
     "Leave out eps to use the default."),
])  # fmt: skip
def test_wrong_arguments_are_named(arguments, place, problem, hint):
    with pytest.raises(lcm.InputError) as caught:
        lcm.soft_scores(*arguments)
    assert caught.value.args == ("", place, problem, hint)


@pytest.mark.parametrize("place", ["y_true", "y_pred"])
def test_lists_of_different_lengths_are_named(place):
    sides = {"y_true": [[1, 0], [1, 0]], "y_pred": [[1, 0], [1, 0]], place: [[1, 0], [1]]}
    # numpy's own explanation follows the colon
    message = rf"^{place}: these lists do not form an array: .*inhomogeneous.*\. Give lists of equal length\.$"
    with pytest.raises(lcm.InputError, match=message) as caught:
        lcm.soft_scores(**sides)
    assert (caught.value.file, caught.value.place) == ("", place)


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
    fails("one library", lcm.soft_scores, gt, sides[1])


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
