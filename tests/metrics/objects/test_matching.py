"""Which prediction is matched with which gt region, and how regions are grouped: small examples, and plain loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.metrics.objects.matching import best_first, group_regions, sort_groups, stable_order
from support.layouts import box_iou, build

PAGE = {"p": (100, 100)}


def test_without_scores_predictions_are_matched_in_file_order():
    gt = build(PAGE, [("p", "a", 0, 0, 10, 10)])
    near, exact = ("p", "b", 0, 0, 10, 9), ("p", "a", 0, 0, 10, 10)
    for rows in ([near, exact], [exact, near]):
        matrix = lcm.compare(gt, build(PAGE, rows)).objects().confusion_at(0.5)
        assert matrix.loc["a", rows[0][1]] == 1 and matrix.loc["invented", rows[1][1]] == 1
    # A prediction with a score comes before those without one.
    matrix = lcm.compare(gt, build(PAGE, [near, (*exact, 0.1)])).objects().confusion_at(0.5)
    assert matrix.loc["a", "a"] == 1


def test_the_same_box_under_two_labels_is_found_under_both():
    rows = [("p", "a", 0, 0, 10, 10), ("p", "b", 0, 0, 10, 10), ("p", "c", 0, 0, 10, 10)]
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]):
        pred = build(PAGE, [rows[i] for i in order], ["a", "b", "c"])
        matrix = lcm.compare(build(PAGE, rows), pred).objects().confusion_at(0.5).to_numpy()
        assert matrix.tolist() == np.diag([1, 1, 1, 0]).tolist()


def matched_by_loop(gt, pred, iou, class_aware):
    """The matcher in plain Python: (gt, pred) pairs of rows (page, label, x0, y0, x1, y1[, score])."""
    pairs, taken = [], set()
    for p in sorted(range(len(pred)), key=lambda i: (-pred[i][6], i)):
        best = None
        for g in range(len(gt)):
            if g in taken or gt[g][0] != pred[p][0] or (class_aware and gt[g][1] != pred[p][1]):
                continue
            key = (box_iou(gt[g][2:6], pred[p][2:6]), gt[g][1] == pred[p][1], g)
            if key[0] >= iou and (best is None or key > best):
                best = key
        if best:
            taken.add(best[2])
            pairs.append((best[2], p))
    return pairs


def region(draw, pages, scored):
    x, y = draw(st.integers(0, 12)), draw(st.integers(0, 12))
    box = (x, y, x + draw(st.integers(1, 8)), y + draw(st.integers(1, 8)))
    row = (draw(st.sampled_from(pages)), draw(st.sampled_from("abc")), *box)
    return (*row, draw(st.sampled_from([0.2, 0.5, 0.9]))) if scored else row


@st.composite
def sides(draw):
    pages = ["p", "q"]
    gt = [region(draw, pages, False) for _ in range(draw(st.integers(0, 8)))]
    return gt, [region(draw, pages, True) for _ in range(draw(st.integers(0, 8)))]


@settings(max_examples=80, deadline=None)
@given(sides(), st.sampled_from([0.1, 0.3, 0.5, 1.0]))
def test_scores_and_matrix_at_one_iou_are_those_of_a_plain_loop(rows, iou):
    gt, pred = rows
    pages = {"p": (20, 20), "q": (20, 20)}
    objects = lcm.compare(build(pages, gt, "abc"), build(pages, pred, "abc")).objects()
    for class_aware in (True, False):
        hits = len(matched_by_loop(gt, pred, iou, class_aware))
        expected = [hits / len(pred) if pred else np.nan, hits / len(gt) if gt else np.nan]
        found = objects.scores_at(iou, class_aware)
        assert [found["precision"], found["recall"]] == pytest.approx(expected, nan_ok=True)
    table = np.zeros((4, 4), int)
    pairs = matched_by_loop(gt, pred, iou, class_aware=False)
    for g, p in pairs:
        table["abc".index(gt[g][1]), "abc".index(pred[p][1])] += 1
    for g in set(range(len(gt))) - {g for g, _ in pairs}:
        table["abc".index(gt[g][1]), 3] += 1
    for p in set(range(len(pred))) - {p for _, p in pairs}:
        table[3, "abc".index(pred[p][1])] += 1
    assert objects.confusion_at(iou).to_numpy().tolist() == table.tolist()
    classes = objects.class_scores_at(iou).set_index("label")
    hits = [gt[g][1] for g, _ in matched_by_loop(gt, pred, iou, class_aware=True)]
    assert classes["found"].to_dict() == {label: hits.count(label) for label in "abc"}


nan = float("nan")


@pytest.mark.parametrize("scored", [True, False])
def test_groups_are_those_of_a_plain_sort(scored):
    """Regions keep the order of the file within their group; pred is sorted by descending score first."""
    rng = np.random.default_rng(0)
    gt, pred, scores = rng.integers(0, 5, 200), 2 * rng.integers(0, 4, 150), rng.integers(0, 3, 150) / 2
    groups = group_regions(gt, pred, scores if scored else None)
    place = lambda i: (-scores[i] if scored else 0, i)
    found = [
        (groups.gt_order[a:b].tolist(), groups.pred_order[c:d].tolist())
        for a, b, c, d in zip(groups.gt_start, groups.gt_stop, groups.pred_start, groups.pred_stop)
    ]
    assert found == [
        ([i for i in range(200) if gt[i] == key], sorted((i for i in range(150) if pred[i] == key), key=place))
        for key in (0, 2, 4, 6)
    ]


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 300), st.sampled_from([1, 9, 2**16, 2**40]))
def test_rows_with_equal_keys_stay_in_the_order_given(seed, n, highest):
    rng = np.random.default_rng(seed)
    key, order = rng.integers(0, highest, n), rng.permutation(n)
    assert stable_order(key).tolist() == sorted(range(n), key=lambda i: key[i])
    assert stable_order(key, order).tolist() == sorted(order.tolist(), key=lambda i: key[i])


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.lists(st.integers(0, 150), min_size=1, max_size=4), st.sampled_from([2, 1000]))
def test_groups_of_any_length_are_sorted_on_their_own(seed, sizes, values):
    """Equal values stay in their order, and rows between the groups where they are."""
    rng = np.random.default_rng(seed)
    stop = np.cumsum([size + 1 for size in sizes]) - 1  # one row after each group
    start, n = stop - sizes, int(stop[-1]) + 1
    value, order = rng.integers(0, values, n) / 7, rng.permutation(n)
    expected = order.tolist()
    for first, last in zip(start.tolist(), stop.tolist()):
        expected[first:last] = sorted(expected[first:last], key=lambda i: value[i])
    sort_groups(order, start, stop, value)
    assert order.tolist() == expected


def test_predictions_without_a_score_come_last():
    assert best_first(np.array([0.5, nan, -2.0])).tolist() == [-0.5, np.inf, 2]
    groups = group_regions(np.zeros(0, int), np.zeros(4, int), np.array([nan, 0.2, nan, 0.9]))
    assert groups.pred_order.tolist() == [3, 1, 0, 2]
