"""Which prediction is matched with which gt region, and panoptic quality: small examples, and plain loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.metrics.objects.matching import best_first, group_regions, sort_groups, stable_order
from support.generated_pages import LABELS, layouts, page
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


PAGES = {"p": (100, 100), "q": (100, 100)}
COLUMNS = ["label", "tp", "fp", "fn", "sq", "rq", "pq"]


def strip(page, label, first, stop, *score):
    """A box of height 10 from x = first to x = stop; strips of one page overlap by their widths."""
    return (page, label, first, 0, stop, 10, *score)


def panoptic(gt, pred, labels="abc", **options):
    return lcm.compare(build(PAGES, gt, labels), build(PAGES, pred, labels), **options).objects().panoptic()


def test_the_worked_page_of_the_documentation():
    """a is found with IoU 8/10 and 6/10 and missed once, b is only invented, c does not occur."""
    gt = [strip("p", "a", 0, 10), strip("p", "a", 10, 20), strip("p", "a", 50, 60)]
    pred = [strip("p", "a", 0, 8), strip("p", "a", 10, 16), strip("p", "b", 50, 60)]
    table = panoptic(gt, pred)
    assert list(table) == COLUMNS and table[["tp", "fp", "fn"]].dtypes.tolist() == [np.dtype("int64")] * 3
    expected = [
        ["a", 2, 0, 1, 0.7, 0.8, 0.56], ["b", 0, 1, 0, 0, 0, 0], ["c", 0, 0, 0, np.nan, np.nan, np.nan],
        ["mean", 2, 1, 1, 0.35, 0.4, 0.28],
    ]  # fmt: skip
    for row, wanted in zip(table.itertuples(index=False), expected, strict=True):
        assert row[0] == wanted[0] and row[1:] == pytest.approx(wanted[1:], abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    ("gt", "pred", "expected"),
    [
        # An IoU of one half is no pair.
        ([(0, 10)], [(0, 5)], [0, 1, 1, 0]),
        ([(0, 10)], [(0, 5.01)], [1, 0, 0, 0.501]),
        # The largest IoU is taken first, whatever the scores.
        ([(0, 10)], [(0, 8, 0.9), (0, 9, 0.1)], [1, 1, 0, 0.9]),
        # All four pairs have an IoU of 8/12; the first gt and the first pred leave the second ones a pair.
        ([(0, 10), (4, 14)], [(2, 12), (2, 12)], [2, 0, 0, 8 / 12]),
    ],
)
def test_pairs_of_one_label(gt, pred, expected):
    table = panoptic(*([strip("p", "a", *row) for row in rows] for rows in (gt, pred)), "a")
    for row in table[["tp", "fp", "fn", "sq"]].values.tolist():  # of the label, and the mean
        assert row == pytest.approx(expected)


def test_one_page_and_a_minimum_score():
    gt = [strip("p", "a", 0, 10), strip("q", "a", 0, 10)]
    pred = [strip("p", "a", 0, 10, 0.4), strip("q", "a", 0, 10, 0.9)]
    assert panoptic(gt, pred, "a", min_score=0.5).iloc[0].tolist()[1:4] == [1, 0, 1]
    c = lcm.compare(build(PAGES, gt, "a"), build(PAGES, pred, "a"))
    assert c.objects(page="p").panoptic()["tp"].tolist() == [1, 1]


def test_without_objects_the_mean_is_undefined():
    table = panoptic([], [], "a")
    assert table.iloc[1].tolist()[1:4] == [0, 0, 0] and np.isnan(table.iloc[1].tolist()[4:]).all()


def test_the_table_can_be_changed_without_changing_the_next_one():
    objects = lcm.compare(*[build(PAGES, [strip("p", "a", 0, 10)])] * 2).objects()
    table = objects.panoptic()
    table.loc[0, "tp"] = 7
    assert objects.panoptic()["tp"].tolist() == [1, 1]


def plain_panoptic(pages, label):
    """(tp, fp, fn, sum of IoU) of a label: the largest IoU of all free regions is taken, again and again."""
    tp, fp, fn, total = 0, 0, 0, 0
    for gt, pred in pages:
        gt, pred = ([box for box in side if box[0] == label] for side in (gt, pred))
        while True:
            pairs = [(-box_iou(g[1:], r[1:]), i, k) for i, g in enumerate(gt) for k, r in enumerate(pred)]
            if not pairs or -min(pairs)[0] <= 0.5:
                break
            iou, i, k = min(pairs)
            gt, pred = gt[:i] + gt[i + 1 :], pred[:k] + pred[k + 1 :]
            tp, total = tp + 1, total - iou
        fp, fn = fp + len(pred), fn + len(gt)
    return tp, fp, fn, total


shift = st.tuples(*[st.sampled_from([-1, -0.25, 0, 0, 0.25])] * 4)


@settings(max_examples=150, deadline=None)
@given(st.lists(page, min_size=1, max_size=3), st.lists(shift, min_size=8, max_size=8))
def test_generated_pages_equal_greedy_matching_by_a_loop(pages, shifts):
    """Pred has boxes of its own and those of gt with moved edges, so that many IoUs are above 1/2."""
    ordered = lambda label, x0, y0, x1, y1: (label, min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
    moved = lambda box, by: ordered(box[0], *(v + d for v, d in zip(box[1:], by)))
    filled = lambda rows: [row for row in rows if row[3] > row[1] and row[4] > row[2]]
    pages = [
        (size, filled([ordered(*b) for b in gt]), filled([moved(b, by) for b, by in zip(gt, shifts)] + pred))
        for size, gt, pred in ((size, gt, [ordered(*b) for b in pred]) for size, gt, pred in pages)
    ]
    table = lcm.compare(*layouts(pages), taxonomy="same").objects().panoptic()
    qualities = []
    for label, row in zip(LABELS, table.itertuples(index=False)):
        tp, fp, fn, total = plain_panoptic([one[1:] for one in pages], label)
        assert row[:4] == (label, tp, fp, fn)
        if tp + fp + fn:
            rq, sq = tp / (tp + fp / 2 + fn / 2), total / tp if tp else 0
            qualities.append([sq, rq, sq * rq])
            assert row[4:] == pytest.approx(qualities[-1], abs=1e-9)
        else:
            assert np.isnan(row[4:]).all()
    if qualities:
        assert table.iloc[-1].tolist()[4:] == pytest.approx(np.mean(qualities, axis=0).tolist(), abs=1e-9)
