"""The matrix rule on small examples, its scores against scikit-learn, and content, which counts each pixel once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

import layoutcm as lcm
from layoutcm.metrics.scores import AVERAGES
from support.layouts import build

nan = float("nan")
PUBLISHED_GT = ["AB", "BC", "D", "ABCD", "BC", "BC", "BD"]
PUBLISHED_PRED = ["AB", "ABC", "AD", "BCD", "B", "AB", "AC"]


def test_published_example():
    m = lcm.label_sets_confusion(PUBLISHED_GT, PUBLISHED_PRED, "ABCD", background=None)
    expected = [[1, 1 / 3, 1 / 3, 1 / 3], [5 / 6, 14 / 3, 1 / 2, 0], [4 / 3, 1, 5 / 3, 0], [1, 0, 1 / 2, 3 / 2]]
    np.testing.assert_allclose(m.values, expected, atol=1e-12)
    np.testing.assert_allclose(np.diag(m.precision), [0.24, 0.7778, 0.5556, 0.8182], atol=5e-5)
    np.testing.assert_allclose(np.diag(m.recall), [0.5, 0.7778, 0.4167, 0.5], atol=5e-5)
    assert m.labels == ["A", "B", "C", "D"]


@pytest.mark.parametrize(
    ("gt", "pred", "expected"),
    [
        # labels Background, a, b, c; one pixel; the four cases of the rule, with and without Background
        ("a", "a", {("a", "a"): 1}),
        ("ab", "ab", {("a", "a"): 1, ("b", "b"): 1}),
        ("a", "ab", {("a", "a"): 1 / 2, ("a", "b"): 1 / 2}),
        ("ab", "abc", {("a", "a"): 2 / 3, ("b", "b"): 2 / 3, ("a", "c"): 1 / 3, ("b", "c"): 1 / 3}),
        ("ab", "a", {("a", "a"): 1, ("b", "a"): 1}),
        ("abc", "ab", {("a", "a"): 1, ("b", "b"): 1, ("c", "a"): 1 / 2, ("c", "b"): 1 / 2}),
        ("ab", "bc", {("b", "b"): 1, ("a", "c"): 1}),
        ("a", "bc", {("a", "b"): 1 / 2, ("a", "c"): 1 / 2}),
        ("", "ab", {("Background", "a"): 1 / 2, ("Background", "b"): 1 / 2}),
        ("ab", "", {("a", "Background"): 1, ("b", "Background"): 1}),
        ("", "", {("Background", "Background"): 1}),
    ],
)
def test_one_pixel(gt, pred, expected):
    m = lcm.label_sets_confusion([gt], [pred], "abc")
    found = {(m.labels[i], m.labels[j]): m.values[i, j] for i, j in zip(*np.nonzero(m.values))}
    assert found == pytest.approx(expected)


def test_tensor_gives_true_recall_and_precision():
    # one pixel {a} predicted as {a, b}, one {b} as {b}: a is always found, b is right in one of two predictions
    m = lcm.label_sets_confusion(["a", "b"], ["ab", "b"], "ab", method="tensor")
    np.testing.assert_allclose(np.diag(m.recall)[1:], [1, 1])
    np.testing.assert_allclose(np.diag(m.precision)[1:], [1, 1 / 2])
    np.testing.assert_allclose(np.diag(m.f1)[1:], [1, 2 / 3])
    assert m.average("micro") == pytest.approx({"precision": 2 / 3, "recall": 1, "f1": 0.8})


@pytest.mark.parametrize(
    ("gt", "pred", "weights", "expected"),
    [
        (["a", "b"], ["b", "b"], [3, 2], [[0, 0, 0], [0, 0, 3], [0, 0, 2]]),
        (["a", "b"], ["a", "a"], [2, 0], [[0, 0, 0], [0, 2, 0], [0, 0, 0]]),
    ],
)
def test_samples_count_with_their_weights(gt, pred, weights, expected):
    assert lcm.label_sets_confusion(gt, pred, "ab", weights=weights).values.tolist() == expected


def test_undefined_values_are_nan():
    m = lcm.label_sets_confusion(["a"], ["b"], "abc")
    np.testing.assert_array_equal(m.recall, [[nan] * 4, [0, 0, 1, 0], [nan] * 4, [nan] * 4])
    np.testing.assert_array_equal(m.precision[:, 2], [0, 1, 0, 0])
    assert np.isnan(m.precision[:, [0, 1, 3]]).all()
    # F1 is defined if recall or precision is
    np.testing.assert_array_equal(m.f1, [[nan, nan, 0, nan], [0, 0, 1, 0], [nan, nan, 0, nan], [nan, nan, 0, nan]])
    assert m.average("macro") == {"precision": 0, "recall": 0, "f1": 0}


def test_a_matrix_without_samples():
    m = lcm.label_sets_confusion([], [], "ab")
    assert np.isnan(m.recall).all() and np.isnan(m.f1).all()
    for kind in AVERAGES:
        assert all(np.isnan(v) for v in m.average(kind).values())
    assert np.isnan(m.collapse().precision).all()
    assert m.classes()["f1"].isna().all()


@pytest.mark.parametrize("kind", AVERAGES)
def test_averages_agree_with_scikit_learn(kind):
    rng = np.random.default_rng(1)
    for _ in range(50):
        y_true, y_pred = rng.integers(0, 6, 40), rng.integers(0, 6, 40) * rng.integers(0, 2, 40)
        present = np.union1d(y_true, y_pred)
        matrix = np.zeros((6, 6))
        np.add.at(matrix, (y_true, y_pred), 1)
        theirs = precision_recall_fscore_support(y_true, y_pred, labels=present, average=kind, zero_division=0)
        ours = lcm.averages(matrix, kind)
        np.testing.assert_allclose([ours["precision"], ours["recall"], ours["f1"]], theirs[:3], atol=1e-12)


def test_accuracy_agrees_with_scikit_learn():
    rng = np.random.default_rng(2)
    for n in (1, 7, 40):
        y_true, y_pred = rng.integers(0, 6, n), rng.integers(0, 6, n) * rng.integers(0, 2, n)
        matrix = np.zeros((8, 8), int)  # classes 6 and 7 are on neither side
        np.add.at(matrix, (y_true, y_pred), 1)
        assert lcm.accuracy(matrix) == pytest.approx(accuracy_score(y_true, y_pred))
        assert lcm.averages(matrix, "micro")["f1"] == pytest.approx(accuracy_score(y_true, y_pred))
    assert lcm.accuracy([[5, 1, 0], [2, 6, 2], [0, 1, 3]]) == 14 / 20 and lcm.accuracy([[0, 1], [3, 0]]) == 0
    assert np.isnan(lcm.accuracy(np.zeros((3, 3)))) and np.isnan(lcm.accuracy(np.zeros((0, 0))))


@pytest.mark.parametrize("kind", AVERAGES)
def test_tensor_averages_are_scikit_learns_multilabel_scores(kind):
    rng = np.random.default_rng(3)
    names = np.array(list("abcde"))
    for _ in range(20):
        y_true, y_pred = rng.random((30, 5)) < 0.3, rng.random((30, 5)) < [0.3, 0.3, 0.3, 0.3, 0]
        y_true[:, 3] = y_pred[:, 3] = False  # d is on neither side; e is never predicted
        sets = [[names[row] for row in side] for side in (y_true, y_pred)]
        ours = lcm.label_sets_confusion(*sets, "abcde", method="tensor").average(kind)
        theirs = precision_recall_fscore_support(y_true, y_pred, labels=[0, 1, 2, 4], average=kind, zero_division=0)
        assert [ours["precision"], ours["recall"], ours["f1"]] == pytest.approx(list(theirs[:3]))


def test_collapsing_a_tensor_sums_each_mass_separately():
    """Pixel 1: a predicted as a and b. Pixel 2: Background predicted as a. Two of the three pred labels are on content
    (the correct one and the extra one), and all content is found.
    """
    content = lcm.label_sets_confusion(["a", ""], ["ab", "a"], "ab", method="tensor").collapse()
    assert content.recall_mass.tolist() == [[0, 1], [0, 1]] and content.precision_mass.tolist() == [[0, 1], [0, 2]]
    values = {name: column[1] for name, column in content.class_values().items()}
    assert values["recall"] == 1 and values["precision"] == pytest.approx(2 / 3)
    assert values["f1"] == pytest.approx(0.8) and values["iou"] == pytest.approx(2 / 3)
    assert content.precision[1, 1] == values["precision"] and content.f1[1, 1] == values["f1"]


def test_collapse_sums_blocks():
    content = lcm.label_sets_confusion(["", "a", "b", "b", "ab"], ["a", "a", "", "a", "b"], "ab").collapse()
    assert content.labels == ["Background", "Content"] and content.values.tolist() == [[0, 1], [1, 4]]


def test_class_table_counts_pixels_even_where_columns_do_not():
    # {a} predicted as {a, b} twice: a and b are on two pred pixels each; the columns of the matrix sum to half of that
    m = lcm.label_sets_confusion(["a", "a"], ["ab", "ab"], "ab")
    table = m.classes().set_index("label")
    assert table.columns.tolist() == ["gt_pixels", "pred_pixels", "precision", "recall", "f1", "iou"]
    assert table.loc["a", ["gt_pixels", "pred_pixels"]].tolist() == [2, 2]
    assert table.loc["b", ["gt_pixels", "pred_pixels"]].tolist() == [0, 2]
    assert m.values.sum(axis=0).tolist() == [0, 1, 1]


def test_a_matrix_without_background():
    """One pixel {a} predicted as {a, b}, one {b} as {b}, counted twice."""
    both = {
        method: lcm.label_sets_confusion(["a", "b"], ["ab", "b"], "ab", [1, 2], background=None, method=method)
        for method in ("matrix", "tensor")
    }
    matrix, tensor = both["matrix"], both["tensor"]
    assert matrix.values.tolist() == [[0.5, 0.5], [0, 2]] and matrix.precision_mass is matrix.recall_mass
    assert tensor.recall_mass.tolist() == [[1, 0], [0, 2]] and tensor.precision_mass.tolist() == [[1, 1], [0, 2]]
    for method, m in both.items():
        assert (m.labels, m.method, m.has_background, m.recipe) == (["a", "b"], method, False, "")
        assert m.pred_pixels.tolist() == [1, 3] and m.gt_pixels.tolist() == [1, 2]
    # There is no first label to leave out of averages.
    assert matrix.average("micro") == matrix.average("micro", background=True)
    assert matrix.average("micro")["recall"] == pytest.approx(2.5 / 3) and matrix.accuracy == pytest.approx(2.5 / 3)


@pytest.mark.parametrize("count", [63, 64, 70, 130])
def test_sets_of_many_labels(count):
    """The first and the last label are predicted as the last and the middle one, so only the last is found."""
    labels = [f"label {i}" for i in range(count)]
    first, middle, last = labels[0], labels[count // 2], labels[-1]
    m = lcm.label_sets_confusion([{first, last}, {middle}], [{last, middle}, set()], labels)
    found = {(m.labels[i], m.labels[j]): m.values[i, j] for i, j in zip(*np.nonzero(m.values))}
    assert found == {(last, last): 1, (first, middle): 1, (middle, "Background"): 1}
    assert dict(zip(m.labels, m.pred_pixels))[last] == 1 and m.pred_pixels.sum() == 3


def test_another_name_for_background():
    m = lcm.label_sets_confusion([["Other", "a"], [], ["b"]], [["a"], ["Other"], ["Other"]], "aabb", background="Other")
    assert (m.labels, m.has_background, m.sides, m.recipe) == (["Other", "a", "b"], True, None, "")
    assert m.values.tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 0]]
    assert m.collapse().labels == ["Other", "Content"]


def test_both_masses_of_method_matrix_are_the_same_array():
    m = lcm.label_sets_confusion(["a", ""], ["ab", "a"], "ab")
    for one in (m, m.collapse()):
        assert one.precision_mass is one.recall_mass and one.method == "matrix"
    assert m.pred_pixels.tolist() == [0, 2, 1] and m.collapse().pred_pixels.tolist() == [0, 3]
    tensor = lcm.label_sets_confusion(["a", ""], ["ab", "a"], "ab", method="tensor")
    assert tensor.collapse().method == "tensor"


def test_averages_with_and_without_background():
    # 6 of 8 Background pixels and 1 of 2 pixels of a are correct
    m = lcm.label_sets_confusion(["", "", "a", "a"], ["", "a", "", "a"], "a", weights=[6, 2, 1, 1])
    assert m.values.tolist() == [[6, 2], [1, 1]] and m.accuracy == 0.7
    without = {"precision": 1 / 3, "recall": 1 / 2, "f1": 2 / 5}
    assert m.average() == m.average("macro", False) == m.average("micro") == pytest.approx(without)
    assert m.average(background=True) == pytest.approx(
        {"precision": (6 / 7 + 1 / 3) / 2, "recall": (3 / 4 + 1 / 2) / 2, "f1": (12 / 15 + 2 / 5) / 2}
    )


def test_with_different_labels_the_diagonal_has_no_scores():
    page = {"p": (10, 10)}
    gt = build(page, [("p", "a", 0, 0, 10, 5)], ["never used", "a"])
    m = lcm.compare(gt, build(page, [("p", "b", 0, 0, 10, 4)])).confusion()
    assert m.labels == ["Background", "never used", "a", "b"] and m.diagonal is False
    assert m.own_labels == ([0, 1, 2], [0, 3]) and m.visible == ([0, 2], [0, 3])
    table = m.classes()
    assert table["gt_pixels"].tolist() == [50, 0, 50, 0] and table["pred_pixels"].tolist() == [60, 0, 0, 40]
    assert all(np.isnan(m.class_values()[name]).all() for name in ("precision", "recall", "f1", "iou"))
    assert np.isnan(m.accuracy) and list(m.average("macro")) == ["precision", "recall", "f1"]
    assert np.isnan(list(m.average("macro").values())).all()
    with pytest.raises(lcm.InputError, match="average: 'median' is not known"):
        m.average("median")
    # Background and Content are on both sides, so the 2x2 matrix has scores.
    assert m.collapse().classes()["f1"].tolist() == pytest.approx([100 / 110, 80 / 90])
    assert m.collapse().recipe == m.recipe != ""


def test_labels_on_one_side_only_are_visible():
    m = lcm.label_sets_confusion(["a"], ["b"], "abc")
    assert m.own_labels == ([0, 1, 2, 3], [0, 1, 2, 3]) and m.visible == ([0, 1, 2], [0, 1, 2])


def test_what_python_shows():
    m = lcm.label_sets_confusion(["a"], ["b"], "ab", weights=[1234.4], method="tensor")
    assert repr(m) == "<Confusion tensor of 3 labels, 1,234 label pixels>"


SIZE = 8
corner = st.integers(0, SIZE)
content_box = st.tuples(st.sampled_from("abc"), corner, corner, corner, corner)


def layout_of(boxes):
    return build({"p_1": (SIZE, SIZE)}, [("p_1", *one) for one in boxes], "abc")


def label_maps(boxes):
    """{label: bool[y, x]}, from the boxes alone."""
    maps = {label: np.zeros((SIZE, SIZE), bool) for label in "abc"}
    for label, x0, y0, x1, y1 in boxes:
        maps[label][y0:y1, x0:x1] = True
    return maps


@given(st.lists(content_box, max_size=5), st.lists(content_box, max_size=5))
@settings(max_examples=80, deadline=None)
def test_content_and_right_labels_of_all_pixels(gt, pred):
    c, maps = lcm.compare(layout_of(gt), layout_of(pred), taxonomy="same"), [label_maps(gt), label_maps(pred)]
    is_gt, is_pred = (np.any(list(side.values()), axis=0) for side in maps)
    both = (is_gt & is_pred).sum()
    expected = {
        "precision": (both, is_pred.sum()),
        "recall": (both, is_gt.sum()),
        "f1": (2 * both, (is_gt.sum() + is_pred.sum())),
    }
    for method in ("matrix", "tensor"):
        m = c.confusion(method=method)
        assert m.content() == pytest.approx({k: a / b if b else np.nan for k, (a, b) in expected.items()}, nan_ok=True)
        labels = sum(maps[0][label].sum() for label in "abc")
        right = sum((maps[0][label] & maps[1][label]).sum() for label in "abc")
        assert m.right == pytest.approx(right / labels if labels else np.nan, nan_ok=True)
    assert c.content(page="p_1") == pytest.approx(c.content(), nan_ok=True)
    assert m.right == pytest.approx(m.average("micro")["recall"], nan_ok=True)  # of method tensor


def test_a_pixel_with_two_labels_counts_once():
    """gt has a on all 4 pixels; pred has a on 2 of them, one of them with b, and b alone on a third."""
    gt = build({"p": (4, 1)}, [("p", "a", 0, 0, 4, 1)], "ab")
    pred = build({"p": (4, 1)}, [("p", "a", 0, 0, 2, 1), ("p", "b", 1, 0, 3, 1)], "ab")
    c = lcm.compare(gt, pred)
    assert c.content() == {"precision": 1, "recall": 0.75, "f1": pytest.approx(6 / 7)}
    assert c.confusion().right == 0.5  # a is found on two of four pixels
    assert c.confusion().average("micro")["recall"] == pytest.approx((1 + 1 / 2) / 4)  # the matrix divides a pixel


def test_content_without_pages_labels_or_background():
    empty = build({}, [])
    assert np.isnan(list(lcm.compare(empty, empty).content().values())).all()
    different = lcm.compare(layout_of([("a", 0, 0, 8, 8)]), build({"p_1": (8, 8)}, [("p_1", "z", 0, 0, 4, 8)]))
    assert different.content()["recall"] == 0.5 and np.isnan(different.confusion().right)
    m = lcm.label_sets_confusion(["a"], ["b"], "ab", background=None)
    assert np.isnan(m.content()["f1"])


def test_f1_by_tensor_is_not_defined_where_precision_or_recall_is_not():
    """gt has a, pred has b: a has no precision and b no recall; by `matrix`, F1 is 2 x 0 / (gt + pred)."""
    gt, pred = (build({"p": (4, 4)}, [("p", label, 0, 0, 4, 4)], "ab") for label in "ab")
    c = lcm.compare(gt, pred)
    f1 = {method: c.confusion(method=method).class_values()["f1"].tolist() for method in ("matrix", "tensor")}
    np.testing.assert_array_equal(f1["matrix"], [nan, 0, 0])
    np.testing.assert_array_equal(f1["tensor"], [nan, nan, nan])
    cells = c.confusion(method="tensor").f1
    np.testing.assert_array_equal(cells[1:, 1:], [[nan, 1], [nan, nan]])


@pytest.mark.parametrize(("method", "expected"), [("matrix", 0), ("tensor", nan)])
def test_micro_f1_of_an_empty_prediction(method, expected):
    """There is no precision, so by `tensor` there is no F1, at any level, in intervals, slices and differences."""
    pages = {f"p{i}": (4, 4) for i in range(6)}
    gt = build(pages, [(page, "a", 0, 0, 4, 4) for page in pages])
    c = lcm.compare(gt, build(pages, [], "a"))
    intervals = c.bootstrap(method=method)
    found = [c.average("micro", method=method)["f1"], c.page_table(method)["micro_f1"][0]]
    found += [intervals.figures["micro_f1"][0], intervals.scores["f1"][1, 0]]
    found += [c.slices("regions", "micro_f1", method=method)["micro_f1"].iloc[0]]
    np.testing.assert_array_equal(found, expected)
    assert c.average("macro", method=method)["f1"] == 0  # the label is there, and counts 0 in a mean
