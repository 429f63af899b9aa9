"""Texts about objects: errors, the reasons why there is no AP, and what Python shows of an object."""

from functools import partial

import numpy as np
import pytest

import layoutcm as lcm
from support.layouts import build

nan = float("nan")
PAGE = {"p": (50, 50)}
LABELS = [f"label {i}" for i in range(14)]
LAYOUT = build(PAGE, [("p", label, 0, 0, 5, 5, 0.5) for label in LABELS])
OBJECTS = lcm.compare(LAYOUT, LAYOUT).objects()
NOT_BOXES = "must be rows of four finite numbers. Give [[x, y, x, y], ...]."
NO_BOXES = "are not boxes. Give rows of four numbers."
IOU_METHODS = [OBJECTS.ap_at, OBJECTS.scores_at, OBJECTS.class_scores_at, OBJECTS.confusion_at, OBJECTS.curves,
               partial(OBJECTS.curve, "label 0")]  # fmt: skip
NO_IOU = "is not an IoU. Use a number above 0 and at most 1, such as 0.5."
NO_TOLERANCE = "is not a pair of distances above 0. Use (dx, dy), such as (20, 20)."
ADVICE = "Panoptic quality, and precision, recall and F1 at one IoU, need no scores."
SOME_SCORES = f"predicted regions have no score, and to rank them would be a guess. {ADVICE}"


@pytest.mark.parametrize(("call", "message"), [
    *((lambda given=given: lcm.centroid_match([], [], given), f"tolerance: {given!r} {NO_TOLERANCE}")
      for given in [(0, 5), (5, 0), (5, -1), (nan, 1), (1,), 5, "ab", None]),
    *((lambda given=given: lcm.centroid_match([], given), f"pred_boxes: {given!r} {NO_BOXES}")
      for given in [[["a"] * 4], [[1], [2, 3]]]),
    *((lambda given=given: lcm.centroid_match(given, []), f"gt_boxes: boxes of shape {shape}, {NOT_BOXES}")
      for given, shape in [([[1, 2, 3]], (1, 3)), ([1, 2, 3, 4], (4,)), ([[0, 0, 1, nan]], (1, 4))]),
    (lambda: lcm.centroid_match([["a"] * 4], []), f"gt_boxes: [['a', 'a', 'a', 'a']] {NO_BOXES}"),
    (lambda: lcm.centroid_match([], [1, 2, 3, 4]), f"pred_boxes: boxes of shape (4,), {NOT_BOXES}"),
    *((lambda ask=ask, iou=iou: ask(iou), f"iou: {iou!r} {NO_IOU}")
      for iou in [0, -0.5, 1.01, nan, "0.5", None, True] for ask in IOU_METHODS),
    (lambda: OBJECTS.ap_at(0.5, "pascal"), "rule: 'pascal' is not known. Use one of coco, sum, voc."),
    # The first twelve labels are named.
    (lambda: OBJECTS.curve("Label 0", 0.5),
     f"label: there is no label 'Label 0'. Labels: {', '.join(map(repr, LABELS[:12]))}."),
])  # fmt: skip
def test_errors(call, message):
    with pytest.raises(lcm.InputError) as caught:
        call()
    assert (caught.value.file, str(caught.value)) == ("", message)


@pytest.mark.parametrize("iou", [1, 0.01, np.float32(0.5), np.int64(1)])
def test_numbers_that_are_an_iou(iou):
    assert OBJECTS.scores_at(iou) == {"precision": 1, "recall": 1, "f1": 1}


@pytest.mark.parametrize(("rows", "min_score", "reason"), [
    ([("a", 0.9), ("a", 0.4)], None, ""),
    ([], None, ""),
    ([("a",), ("a",)], None,
     f"The prediction has no scores, and without them AP would depend on the order in the file. {ADVICE}"),
    ([("a", 0.2), ("a",), ("a", 0.4)], 0.5,
     "All predicted regions with a score are below the minimum score of 0.5, and without scores AP would depend "
     f"on the order in the file. {ADVICE}"),
    ([("a", 0.9), ("a",), ("a", 0.4)], None, f"1 of 3 {SOME_SCORES}"),
    # A region below the score threshold is not counted.
    ([("a", 0.9), ("a",), ("a", 0.4)], 0.5, f"1 of 2 {SOME_SCORES}"),
    ([("a",)] * 1200 + [("a", 0.9)], None, f"1,200 of 1,201 {SOME_SCORES}"),
    ([("b", 0.9)], None,
     "The two sides have different labels, so no prediction can be right for its label, and AP has no meaning. "
     "Map labels to each other, or look at the object confusion matrix and the class-blind scores."),
])  # fmt: skip
def test_the_reason_why_there_is_no_ap(rows, min_score, reason):
    gt = build(PAGE, [("p", "a", 0, 0, 5, 5)])
    pred = build(PAGE, [("p", label, 0, 0, 5, 5, *score) for label, *score in rows], [rows[0][0] if rows else "a"])
    assert lcm.compare(gt, pred, min_score=min_score).objects().why_no_ap == reason


def test_what_python_shows():
    assert repr(OBJECTS) == "<Objects 14 gt, 14 pred, box>"
    many = build(PAGE, [("p", "a", 0, 0, 5, 5)] * 1200)
    assert repr(lcm.compare(many, LAYOUT).objects()) == "<Objects 1,200 gt, 14 pred, box>"
    found = lcm.centroid_match([[0, 0, 2, 2], [9, 9, 9, 9]], [[1, 1, 2, 2]] * 3, (5, 7.5))
    assert repr(found) == "<Centroids precision 0.333, recall 0.500, tolerance (5.0, 7.5)>"


def test_scores_only_on_pages_that_are_left_out():
    """The only scored region is on page q, which gt does not have."""
    gt = build({"p": (10, 10)}, [("p", "a", 0, 0, 5, 5)])
    pred = build({"p": (10, 10), "q": (10, 10)}, [("p", "a", 0, 0, 5, 5), ("q", "a", 0, 0, 5, 5, 0.5)])
    reason = lcm.compare(gt, pred, missing_pages="ignore").objects().why_no_ap
    assert reason.startswith("All predicted regions with a score are on pages that are not compared, and without")
