"""Tables of objects, written out in full: the object confusion matrix, its pages, curves, class scores, and AP."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.metrics.objects.average_precision import (
    RECALLS,
    coco_ap,
    envelope,
    hits_needed,
    mean_of_defined,
    precision_recall,
    sum_ap,
    voc_ap,
)
from layoutcm.metrics.objects.matched_objects import CAP, over_cap
from layoutcm.metrics.objects.matching import match_greedily
from support.layouts import build

nan = float("nan")
PAGES = {"p": (100, 100), "q": (100, 100), "r": (100, 100)}
FAR = (80, 80, 90, 90)


def in_row(page, label, *positions):
    """Boxes of 10 x 10 beside each other."""
    return [(page, label, 10 * i, 0, 10 * i + 10, 10) for i in positions]


@pytest.fixture
def objects():
    """a is found twice on p, called b on q (twice) and on r (twice), missed on r; b is invented on q."""
    gt = [*in_row("p", "a", 0, 1), *in_row("q", "a", 0, 1), *in_row("r", "a", 0, 1, 2), *in_row("p", "b", 5)]
    pred = [*in_row("p", "a", 0, 1), *in_row("q", "b", 0, 1), *in_row("r", "b", 0, 1), ("q", "b", *FAR)]
    return lcm.compare(build(PAGES, gt, "ab"), build(PAGES, [(*row, 0.5) for row in pred], "ab")).objects()


def test_the_object_confusion_matrix(objects):
    table = objects.confusion_at(0.5)
    assert table.to_numpy().tolist() == [[2, 4, 1], [0, 0, 1], [0, 1, 0]]
    assert table.index.tolist() == ["a", "b", "invented"] and table.columns.tolist() == ["a", "b", "missed"]
    assert (table.index.name, table.columns.name) == ("gt", "pred")


def test_pages_behind_a_cell_of_the_object_confusion_matrix(objects):
    found = objects.object_confusion_at(0.5)
    behind = lambda gt, pred: [column.tolist() for column in found.pages_behind(gt, pred)]
    assert (behind(0, 0), behind(0, 1)) == ([[0], [2]], [[1, 2], [2, 2]])
    assert (behind(0, 2), behind(1, 2), behind(2, 1)) == ([[2], [1]], [[0], [1]], [[1], [1]])
    assert behind(1, 1) == [[], []]
    assert found.labels == ["a", "b"] and found.own_labels(0).tolist() == found.own_labels(1).tolist() == [0, 1]


def test_the_page_with_most_objects_comes_first_and_equal_pages_in_the_order_of_the_file():
    pages = {f"page {i}": (100, 100) for i in range(40)}
    rows = [row for i, page in enumerate(pages) for row in in_row(page, "a", *range(1 + i % 2))]
    found = lcm.compare(build(pages, rows), build(pages, rows)).objects().object_confusion_at(0.5)
    order, counts = found.pages_behind(0, 0)
    assert order.tolist() == [*range(1, 40, 2), *range(0, 40, 2)] and counts.tolist() == [2] * 20 + [1] * 20


def test_labels_called_missed_and_invented_are_not_mixed_up_with_the_margins():
    labels = ["missed", "invented", "(invented)"]
    layout = build(PAGES, [("p", label, 0, 10 * i, 9, 10 * i + 9) for i, label in enumerate(labels)])
    table = lcm.compare(layout, layout).objects().confusion_at(0.5)
    assert table.index.tolist() == [*labels, "((invented))"] and table.columns.tolist() == [*labels, "(missed)"]


def test_the_margins_avoid_the_labels_of_the_other_side():
    gt, pred = build(PAGES, [("p", "missed", 0, 0, 9, 9)]), build(PAGES, [("p", "b", 0, 0, 9, 9)])
    found = lcm.compare(gt, pred).objects().object_confusion_at(0.5)
    assert [found.own_labels(side).tolist() for side in (0, 1)] == [[0], [1]]
    table = found.table()
    assert table.index.tolist() == ["missed", "invented"] and table.columns.tolist() == ["b", "(missed)"]
    assert table.to_numpy().tolist() == [[1, 0], [0, 0]]


def test_class_scores_at_one_iou(objects):
    table = objects.class_scores_at(0.5)
    assert list(table) == ["label", "gt", "pred", "found", "tp", "fp", "fn", "precision", "recall", "f1"]
    assert table.values.tolist() == [["a", 7, 2, 2, 2, 0, 5, 1, 2 / 7, 4 / 9], ["b", 1, 5, 0, 0, 5, 1, 0, 0, 0]]
    assert objects.counts_at(0.5) == {"tp": 2, "fp": 5, "fn": 6}
    assert objects.counts_at(0.5, class_aware=False) == {"tp": 6, "fp": 1, "fn": 2}
    assert objects.scores_at(0.5) == {"precision": 2 / 7, "recall": 2 / 8, "f1": 4 / 15}
    assert objects.scores_at(0.5, class_aware=False) == {"precision": 6 / 7, "recall": 6 / 8, "f1": 12 / 15}


def test_the_last_four_matchings_are_kept(objects, monkeypatch):
    ious = []
    counted = lambda *given: (ious.append(float(given[-1].thresholds[0])), match_greedily(*given))[1]
    monkeypatch.setattr("layoutcm.metrics.objects.matching.match_greedily", counted)
    for iou in (0.5, 0.6, 0.7, 0.8, 0.5, 0.8):
        objects.scores_at(iou)
    objects.class_scores_at(0.5)  # uses the same matching
    assert ious == [0.5, 0.6, 0.7, 0.8]
    for iou in (0.9, 0.6, 0.5):  # 0.5 is the oldest, so 0.9 replaces it
        objects.scores_at(iou)
    assert ious == [0.5, 0.6, 0.7, 0.8, 0.9, 0.5]


def test_curves_of_all_labels(objects):
    curves = objects.curves(0.5)
    assert list(curves) == ["a", "b"]
    assert curves["a"].values.tolist() == [[0.5, 1, 1 / 7], [0.5, 1, 2 / 7]]
    assert curves["b"].values.tolist() == [[0.5, 0, 0]] * 5
    for label, curve in curves.items():
        assert list(curve) == ["score", "precision", "recall"]
        assert curve.values.tolist() == objects.curve(label, 0.5).values.tolist()


def test_curves_are_empty_without_scores():
    layout = build(PAGES, in_row("p", "a", 0))
    curve = lcm.compare(layout, layout).objects().curves(0.5)["a"]
    assert curve.empty and curve.dtypes.tolist() == [np.dtype(float)] * 3


def test_a_curve_matches_only_its_own_label_and_the_best_100_predictions_of_a_page():
    gt = build(PAGES, [("p", "a", 0, 0, 10, 10), ("p", "b", 0, 0, 10, 10)])
    pred = build(PAGES, [("p", "a", *FAR, 0.9)] * 105 + [("p", "b", 0, 0, 10, 10, 0.8)] * 2, "ab")
    objects = lcm.compare(gt, pred).objects()
    assert len(objects.curve("a", 0.5)) == 100
    assert objects.curve("b", 0.5)[["precision", "recall"]].values.tolist() == [[1, 1], [0.5, 1]]
    assert objects.class_scores_at(0.5)["pred"].tolist() == [105, 2]


@pytest.mark.parametrize(
    ("hits", "gt", "coco", "by_sum", "voc"),
    [
        ([1, 1], 2, 1, 1, 1),
        ([0, 0], 2, 0, 0, 0),
        ([], 2, 0, 0, 0),
        ([], 0, nan, nan, nan),
        ([0], 0, nan, nan, nan),
        # Precision is 0 and 1/2, recall 0 and 1: the envelope is 1/2 everywhere.
        ([0, 1], 1, 0.5, 0.5, 0.5),
        # Of two gt only one is found: recall 0.5 is reached by 51 of the 101 recalls.
        ([0, 1], 2, 0.5 * 51 / 101, 0.25, 0.25),
        # the worked example of the three rules
        ([1, 0, 1, 1, 0], 4, (26 + 50 * 0.75) / 101, 1 / 4 + 1 / 6 + 3 / 16, 0.625),
    ],
)
def test_ap_of_short_rankings(hits, gt, coco, by_sum, voc):
    found = [rule(np.array(hits, bool), gt) for rule in (coco_ap, sum_ap, voc_ap)]
    assert found == pytest.approx([coco, by_sum, voc], rel=0, abs=1e-15, nan_ok=True)


def test_the_hits_needed_for_each_recall_are_those_of_a_search():
    for gt in [*range(1, 400), 12345, 1_000_003]:
        recall = np.arange(1, gt + 1) / gt
        assert hits_needed(gt).tolist() == (np.searchsorted(recall, RECALLS) + 1).tolist()


def test_ap_by_integers_is_that_of_the_curve():
    rng = np.random.default_rng(5)
    for n, share in [(1, 1), (7, 0.5), (300, 0.9), (300, 0.1), (2000, 0.6)]:
        hits = rng.random(n) < share
        for gt in (int(hits.sum()) + 1, 2 * n):
            precision, recall = precision_recall(hits, gt)
            at = np.searchsorted(recall, RECALLS)
            assert coco_ap(hits, gt) == np.append(envelope(precision), 0)[at].mean()


def test_precision_and_recall_after_each_prediction():
    precision, recall = precision_recall(np.array([True, False, True]), 4)
    assert precision.tolist() == [1, 1 / 2, 2 / 3] and recall.tolist() == [1 / 4, 1 / 4, 2 / 4]
    np.testing.assert_array_equal(precision_recall(np.array([False]), 0), [[0], [nan]])


def test_undefined_values_are_left_out_of_means():
    assert mean_of_defined([1, nan, 0.5]) == 0.75 and np.isnan(mean_of_defined([nan])) and np.isnan(mean_of_defined([]))


TWO_PAGES = {"p": (100, 100), "q": (100, 100)}


def test_pages_and_labels_with_more_predictions_than_count():
    boxes = lambda page, label, n: [(page, label, k % 10, k // 10, k % 10 + 1, k // 10 + 1, 0.5) for k in range(n)]
    gt = build(TWO_PAGES, [("p", "a", 0, 0, 5, 5), ("q", "b", 0, 0, 5, 5)], ["a", "b"])
    pred = build(TWO_PAGES, [*boxes("p", "a", 100), *boxes("p", "b", 103), *boxes("q", "a", 101)], ["a", "b"])
    found = over_cap(lcm.compare(gt, pred).objects())
    assert CAP == 100
    assert found.values.tolist() == [["p", "b", 103, 3], ["q", "a", 101, 1]]
    assert over_cap(lcm.compare(gt, gt).objects()).empty
