"""Content counts each pixel once, whatever the number of its labels and the method."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from support.layouts import build

SIZE = 8
corner = st.integers(0, SIZE)
box = st.tuples(st.sampled_from("abc"), corner, corner, corner, corner)


def layout(boxes):
    return build({"p_1": (SIZE, SIZE)}, [("p_1", *one) for one in boxes], "abc")


def label_maps(boxes):
    """{label: bool[y, x]}, from the boxes alone."""
    maps = {label: np.zeros((SIZE, SIZE), bool) for label in "abc"}
    for label, x0, y0, x1, y1 in boxes:
        maps[label][y0:y1, x0:x1] = True
    return maps


@given(st.lists(box, max_size=5), st.lists(box, max_size=5))
@settings(max_examples=80, deadline=None)
def test_content_and_right_labels_of_all_pixels(gt, pred):
    c, maps = lcm.compare(layout(gt), layout(pred), taxonomy="same"), [label_maps(gt), label_maps(pred)]
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
    different = lcm.compare(layout([("a", 0, 0, 8, 8)]), build({"p_1": (8, 8)}, [("p_1", "z", 0, 0, 4, 8)]))
    assert different.content()["recall"] == 0.5 and np.isnan(different.confusion().right)
    m = lcm.label_sets_confusion(["a"], ["b"], "ab", background=None)
    assert np.isnan(m.content()["f1"])
