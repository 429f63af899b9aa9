"""Objects: worked examples, levels, options, values that need no scores, and texts about objects."""

from functools import partial

import numpy as np
import pytest

import layoutcm as lcm
from support.layouts import build
from support.reading import fails

PAGE = {"p": (100, 100)}


def ranked_predictions(label, *hits):
    """gt boxes in a row, and predictions of descending score; each hits one gt box or is far away."""
    n = sum(hits)
    gt = [("p", label, 10 * i, 0, 10 * i + 8, 8) for i in range(max(n, 4))]
    pred = [
        ("p", label, *((10 * sum(hits[:i]), 0, 10 * sum(hits[:i]) + 8, 8) if hit else (0, 50, 8, 58)), 1 - i / 100)
        for i, hit in enumerate(hits)
    ]
    return build(PAGE, gt), build(PAGE, pred)


def test_the_worked_example_of_the_three_rules():
    objects = lcm.compare(*ranked_predictions("a", 1, 0, 1, 1, 0)).objects()
    assert objects.ap_at(0.5, "sum") == {"a": pytest.approx(1 / 4 + 1 / 6 + 3 / 16)}
    assert objects.ap_at(0.5, "voc") == {"a": pytest.approx(0.625)}
    assert objects.ap_at(0.5) == objects.ap_at(0.5, "coco") == {"a": pytest.approx((26 + 50 * 0.75) / 101)}
    curve = objects.curve("a", 0.5)
    assert list(curve) == ["score", "precision", "recall"]
    assert curve["score"].tolist() == pytest.approx([1, 0.99, 0.98, 0.97, 0.96])
    assert curve["precision"].tolist() == pytest.approx([1, 1 / 2, 2 / 3, 3 / 4, 3 / 5])
    assert curve["recall"].tolist() == [0.25, 0.25, 0.5, 0.75, 0.75]


def test_the_two_page_example(two_pages):
    objects = lcm.compare(*two_pages).objects()
    assert (objects.ap, objects.ap50, objects.ap75) == (pytest.approx(0.43), pytest.approx(0.7), pytest.approx(0.5))
    assert objects.ar == objects.summary["AR100"] == pytest.approx(0.5)
    assert len(objects.summary) == 12 and np.isnan(objects.summary["APlarge"])
    table = objects.per_class
    assert list(table) == ["label", "gt", "pred", "ap", "ap50", "ap75", "ar"]
    assert table["gt"].tolist() == [1, 1, 1, 1, 1, 0] and table["pred"].tolist() == [1, 2, 0, 1, 2, 1]
    assert table["ap50"].tolist() == pytest.approx([1, 1, 0, 1, 0.5, np.nan], nan_ok=True)
    assert objects.scores_at(0.5) == {
        "precision": pytest.approx(4 / 7),
        "recall": pytest.approx(4 / 5),
        "f1": pytest.approx(8 / 12),
    }
    assert objects.scores_at(0.9)["recall"] == pytest.approx(1 / 5)


def test_objects_of_a_page_and_of_a_document(two_pages):
    comparison = lcm.compare(*two_pages, documents={"p1": "one", "p2": "two"})
    page = comparison.objects(page="p2")
    assert page.ap50 == 1 and page.scores_at(0.5)["precision"] == 0.5
    assert comparison.objects(document="two").summary == pytest.approx(page.summary, nan_ok=True)
    assert comparison.objects() is comparison.objects()
    fails("both are given", comparison.objects, page="p1", document="one")
    fails("no page", comparison.objects, page="p3")


def test_without_scores_only_ap_is_missing(two_pages):
    gt, _ = two_pages
    objects = lcm.compare(gt, gt).objects()
    assert objects.ap is objects.ap50 is objects.ap75 is objects.ar is None
    assert "no scores" in objects.why_no_ap
    assert np.isnan(list(objects.summary.values())).all() and objects.per_class["ap"].isna().all()
    assert set(objects.ap_at(0.5)) == set(gt.labels) and np.isnan(list(objects.ap_at(0.5).values())).all()
    assert objects.curve("title", 0.5).empty
    assert objects.scores_at(0.5) == {"precision": 1, "recall": 1, "f1": 1}
    matrix = objects.confusion_at(0.95).to_numpy()
    assert np.trace(matrix) == matrix.sum() == 5


def test_some_scores_are_not_enough(two_pages):
    gt, _ = two_pages
    mixed = build({"p1": (20, 20), "p2": (10, 10)}, [("p1", "title", 0, 0, 20, 4, 0.9), ("p2", "table", 0, 0, 10, 5)])
    comparison = lcm.compare(gt, mixed)
    assert comparison.objects().ap is None and "1 of 2 predicted regions" in comparison.objects().why_no_ap
    # The same at every level, even on a page with scores for all regions.
    assert comparison.objects(page="p1").ap is None
    assert comparison.objects().scores_at(0.5)["precision"] == 1


def test_ap_is_0_without_predictions_and_nan_without_gt(two_pages):
    gt, pred = two_pages
    no_regions = build({"p1": (20, 20), "p2": (10, 10)}, [], gt.labels)
    objects = lcm.compare(gt, no_regions).objects()
    assert objects.ap == 0 and objects.ar == 0 and objects.why_no_ap == ""
    assert objects.scores_at(0.5) == {"precision": pytest.approx(np.nan, nan_ok=True), "recall": 0, "f1": 0}
    assert objects.confusion_at(0.5)["missed"].sum() == 5
    no_gt = lcm.compare(no_regions, pred).objects()
    assert np.isnan(no_gt.ap) and np.isnan(no_gt.scores_at(0.5)["recall"])
    assert no_gt.confusion_at(0.5).loc["invented"].sum() == 7
    empty = lcm.compare(no_regions, no_regions).objects()
    assert np.isnan(list(empty.scores_at(0.5).values())).all() and empty.confusion_at(0.5).to_numpy().sum() == 0


def test_with_different_labels_there_is_a_matrix_but_no_ap():
    gt = build(PAGE, [("p", "text", 0, 0, 10, 10), ("p", "figure", 20, 20, 40, 40)])
    pred = build(PAGE, [("p", "Absatz", 0, 0, 10, 10, 0.9), ("p", "Bild", 60, 60, 70, 70, 0.8)])
    comparison = lcm.compare(gt, pred)
    objects = comparison.objects()
    assert comparison.taxonomy == "different" and objects.ap is None and "different labels" in objects.why_no_ap
    assert np.isnan(list(objects.scores_at(0.5).values())).all()
    assert objects.class_scores_at(0.5)["f1"].isna().all()
    assert objects.scores_at(0.5, class_aware=False) == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    matrix = objects.confusion_at(0.5)
    assert matrix.to_numpy().tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert list(matrix.index) == ["text", "figure", "invented"] and list(matrix) == ["Absatz", "Bild", "missed"]
    mapped = lcm.compare(gt, pred, mapping={"pred": {"Absatz": "text", "Bild": "figure"}}).objects()
    assert mapped.ap50 == 0.5 and mapped.scores_at(0.5)["precision"] == 0.5


def test_objects_use_score_threshold_missing_pages_and_scale():
    gt = build({"p": (100, 100), "q": (50, 50)}, [("p", "a", 0, 0, 40, 40), ("q", "a", 0, 0, 10, 10)])
    pred = build(
        {"p": (200, 50), "r": (10, 10)},
        [("p", "a", 0, 0, 80, 20, 0.6), ("p", "a", 100, 0, 180, 20, 0.3), ("r", "a", 0, 0, 5, 5, 0.9)],
    )
    scores = lambda **options: lcm.compare(gt, pred, **options).objects().scores_at(0.99)
    assert scores() == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert scores(missing_pages="penalise-both")["precision"] == pytest.approx(1 / 3)
    assert scores(min_score=0.5)["precision"] == 1
    assert scores(missing_pages="ignore") == {"precision": 0.5, "recall": 1, "f1": pytest.approx(2 / 3)}
    assert scores(missing_pages="ignore", min_score=0.5) == {"precision": 1, "recall": 1, "f1": 1}


def test_values_are_computed_on_first_use(two_pages):
    objects = lcm.compare(*two_pages).objects()
    objects.scores_at(0.5), objects.confusion_at(0.5), objects.curve("title", 0.5)
    assert not {"_coco", "summary"} & set(vars(objects))


@pytest.mark.parametrize("first", ["ap_at", "scores_at"])
@pytest.mark.parametrize(("found_last", "ap"), [(100, 1 / 100), (101, 0)])
def test_only_ap_has_a_limit_of_predictions_whatever_is_computed_first(first, found_last, ap):
    """All predictions but the one at position `found_last` are wrong; AP takes the best 100 of a page."""
    gt = build(PAGE, [("p", "a", 0, 0, 10, 10)])
    boxes = [(0, 0, 10, 10) if n == found_last else (50, 50, 60, 60) for n in range(1, 102)]
    pred = build(PAGE, [("p", "a", *box, 1 - n / 200) for n, box in enumerate(boxes)])
    objects = lcm.compare(gt, pred).objects()
    getattr(objects, first)(0.5)
    assert objects.ap_at(0.5) == {"a": pytest.approx(ap)}
    assert objects.scores_at(0.5)["recall"] == 1 and objects.counts_at(0.5)["fp"] == 100


def test_all_rules_at_once_are_the_rules_one_by_one(two_pages):
    objects = lcm.compare(*two_pages).objects()
    at_once = objects.ap_by_rule(0.5, ["voc", "sum"])
    assert list(at_once) == ["voc", "sum"]
    for rule, values in at_once.items():
        np.testing.assert_equal(values, objects.ap_at(0.5, rule))


nan = float("nan")
SMALL = {"p": (50, 50)}
LABELS = [f"label {i}" for i in range(14)]
LAYOUT = build(SMALL, [("p", label, 0, 0, 5, 5, 0.5) for label in LABELS])
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
    gt = build(SMALL, [("p", "a", 0, 0, 5, 5)])
    pred = build(SMALL, [("p", label, 0, 0, 5, 5, *score) for label, *score in rows], [rows[0][0] if rows else "a"])
    assert lcm.compare(gt, pred, min_score=min_score).objects().why_no_ap == reason


def test_what_python_shows():
    assert repr(OBJECTS) == "<Objects 14 gt, 14 pred, box>"
    many = build(SMALL, [("p", "a", 0, 0, 5, 5)] * 1200)
    assert repr(lcm.compare(many, LAYOUT).objects()) == "<Objects 1,200 gt, 14 pred, box>"
    found = lcm.centroid_match([[0, 0, 2, 2], [9, 9, 9, 9]], [[1, 1, 2, 2]] * 3, (5, 7.5))
    assert repr(found) == "<Centroids precision 0.333, recall 0.500, tolerance (5.0, 7.5)>"


def test_scores_only_on_pages_that_are_left_out():
    """The only scored region is on page q, which gt does not have."""
    gt = build({"p": (10, 10)}, [("p", "a", 0, 0, 5, 5)])
    pred = build({"p": (10, 10), "q": (10, 10)}, [("p", "a", 0, 0, 5, 5), ("q", "a", 0, 0, 5, 5, 0.5)])
    reason = lcm.compare(gt, pred, missing_pages="ignore").objects().why_no_ap
    assert reason.startswith("All predicted regions with a score are on pages that are not compared, and without")
