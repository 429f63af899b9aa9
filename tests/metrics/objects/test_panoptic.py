"""Panoptic quality: pages that can be counted by hand, and greedy matching by a plain loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from support.generated_pages import LABELS, layouts, page
from support.layouts import box_iou, build

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
