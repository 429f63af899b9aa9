"""The pairs of objects that overlap: a plain loop, many outlines, limits, and what is said about pages left out."""

import numpy as np
import pytest
from faster_coco_eval.core import mask
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import layoutcm as lcm
from layoutcm.filling.result_of import result_of
from layoutcm.metrics.objects import overlaps, ranked_pairs
from layoutcm.metrics.objects.matching import group_regions, match_in_turn, pair_overlaps
from layoutcm.metrics.objects.overlaps import (
    FEW_TESTS,
    Boxes,
    Limits,
    box_overlap,
    crowded_note,
    overlapping_boxes,
    overlaps_of,
)
from layoutcm.tables.tables import object_tables
from layoutcm.tables.terminal import object_summary
from support.hostile_shapes import make_many_polygons
from support.layouts import build

PLENTY = Limits(10**9, 10**9, 10**9, 10**9)


def boxes_of(rows, crowd=False, work=0):
    boxes = np.array(rows, float).reshape(-1, 4)
    return Boxes(boxes, np.full(len(boxes), crowd), np.full(len(boxes), work))


def random_boxes(rng, n, page, size):
    """Boxes on a grid of quarters, some of them without an area, so that borders touch."""
    return boxes_of(np.concatenate([rng.integers(0, page, (n, 2)), rng.integers(0, size, (n, 2))], axis=1) / 4)


def table_of(found, n_gt):
    """float64[pred, gt]: IoU, 0 where there is no pair."""
    table = np.zeros((len(found.start), n_gt))
    for pred, (start, stop) in enumerate(zip(found.start, found.stop)):
        assert (np.diff(found.gt[start:stop]) > 0).all()  # ascending, none twice
        table[pred, found.gt[start:stop]] = found.values[start:stop]
    return table


def table_by_loop(gt, pred, gt_page, pred_page):
    same_page = lambda i, j: pred_page[i] == gt_page[j]
    iou = lambda i, j: box_overlap(gt, j, pred, i) if same_page(i, j) else 0
    return [[iou(i, j) for j in range(len(gt.boxes))] for i in range(len(pred.boxes))]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 90), st.integers(0, 90), st.integers(1, 60), st.booleans())
def test_the_pairs_and_their_iou_are_those_of_a_plain_loop(seed, n_gt, n_pred, size, crowd):
    """Up to 90 x 90 boxes on one to three pages, so that pages are small enough for all pairs, or swept."""
    rng = np.random.default_rng(seed)
    gt, pred = (random_boxes(rng, n, rng.integers(1, 80, 2), size) for n in (n_gt, n_pred))
    gt = gt._replace(crowd=np.full(n_gt, crowd))
    pages = rng.integers(1, 4)
    gt_page, pred_page = rng.integers(0, pages, n_gt), rng.integers(0, pages, n_pred)
    found, crowded = overlapping_boxes(group_regions(gt_page, pred_page), gt, pred, PLENTY)
    assert not crowded.any() and (found.values > 0).all()
    assert table_of(found, n_gt).tolist() == table_by_loop(gt, pred, gt_page, pred_page)


def test_boxes_whose_area_is_too_small_for_a_float_do_not_overlap():
    one = boxes_of([[0, 0, 1e-200, 1e-200]])
    found, _ = overlapping_boxes(group_regions(np.zeros(1, int), np.zeros(1, int)), one, one, PLENTY)
    assert found.values.tolist() == []


def test_boxes_in_rows_or_columns_are_compared_with_their_neighbours_only():
    """400 boxes in a row overlap in y with all others, in x with one."""
    row = np.stack([np.arange(400) * 2, np.zeros(400), np.full(400, 1), np.full(400, 9)], axis=1)
    groups = group_regions(np.zeros(400, int), np.zeros(400, int))
    assert FEW_TESTS < 400 * 400
    for boxes in (row, row[:, [1, 0, 3, 2]]):
        one = boxes_of(boxes)
        found, crowded = overlapping_boxes(groups, one, one, PLENTY._replace(tests_on_a_page=400))
        assert not crowded.any()
        assert_array_equal(table_of(found, 400), np.eye(400))
        _, crowded = overlapping_boxes(groups, one, one, PLENTY._replace(tests_on_a_page=399))
        assert crowded.tolist() == [True]


@pytest.mark.parametrize("n", [3, 60])  # 60 x 60 are more than a few
def test_limits_of_a_page_and_of_all_pages(n):
    """Four pages; on each n equal boxes, on page 2 twice as many in gt."""
    gt_page, pred_page = np.repeat([0, 1, 2, 2, 3], n), np.repeat([0, 1, 2, 3], n)
    gt, pred = boxes_of([[0, 0, 5, 5]] * 5 * n, work=1), boxes_of([[0, 0, 5, 5]] * 4 * n, work=2)
    groups, one_page = group_regions(gt_page, pred_page), 4 * n * n
    crowded = lambda **limits: overlapping_boxes(groups, gt, pred, PLENTY._replace(**limits))[1].tolist()
    assert crowded(work_on_a_page=2 * one_page) == [False] * 4
    assert crowded(work_on_a_page=2 * one_page - 1) == [False, False, True, False]
    assert crowded(work=5 * one_page) == [False] * 4
    assert crowded(work=3 * one_page) == [False, False, True, False]  # what is left is enough for the last
    assert crowded(work=one_page) == [False, True, True, True]
    found, _ = overlapping_boxes(groups, gt, pred, PLENTY._replace(work=3 * one_page))
    assert len(found.values) == 3 * n * n and found.start[2 * n : 3 * n].tolist() == found.stop[2 * n : 3 * n].tolist()


@pytest.fixture
def crowded(monkeypatch):
    """Page p has four pairs that overlap, where three are the limit; page q has one."""
    monkeypatch.setattr(overlaps, "MOST_WORK_ON_A_PAGE", 3)
    pages = {"p": (9, 9), "q": (9, 9)}
    rows = [("p", "a", 0, 0, 5, 5)] * 2 + [("q", "a", 0, 0, 5, 5)]
    return lcm.compare(build(pages, rows), build(pages, [(*row, 0.5) for row in rows]))


def test_a_page_that_is_left_out_is_named_and_all_other_numbers_are_those_of_the_rest(crowded):
    objects = crowded.objects()
    assert objects.left_out == ("p",) and objects.counts_at(0.5) == {"tp": 1, "fp": 0, "fn": 0} and objects.ap == 1
    sentence = (
        "Left out of objects, because more than 3 pairs overlap on a page, or far more in all: page 'p'. "
        "Remove duplicates, or compare fewer regions."
    )
    result = result_of(crowded)
    assert object_summary(result).splitlines()[-1] == sentence
    assert [table.note for table in object_tables(result.objects)] == [sentence] * 2
    assert result.objects.pages_left_out == ["p"] and result.centroids.pages_left_out == []
    assert crowded.average("micro")["f1"] == 1 and crowded.centroids().matched == (3, 3)
    on_page = crowded.objects(page="p")
    assert on_page.left_out == ("p",) and np.isnan(on_page.scores_at(0.5)["f1"])
    assert crowded.objects(page="q").left_out == ()


def test_notes():
    assert crowded_note(()) == ""
    assert ": page 'p' and 2 more. Remove duplicates" in crowded_note(["p", "q", "r"])


def test_joint_pairs_are_listed_up_to_a_limit(monkeypatch):
    monkeypatch.setattr(ranked_pairs, "MOST_PAIRS", 4)
    layout = build({"p": (9, 9)}, [("p", "a", 0, 0, 5, 5)] * 2)
    assert len(lcm.compare(layout, layout).objects().joint_pairs()) == 4
    monkeypatch.setattr(ranked_pairs, "MOST_PAIRS", 3)
    with pytest.raises(lcm.InputError, match="joint pairs: 4 pairs of objects, at most 3 are listed"):
        lcm.compare(layout, layout).objects().joint_pairs()


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    """Polygons of 40 x 40 pixels on a page of 2000 x 3000."""
    path = make_many_polygons(tmp_path_factory.mktemp("polygons"), polygons=600, points=8)
    layout = lcm.read(path, shapes="polygon")
    return lcm.compare(layout, layout).objects()


def dense_ious(gt, pred):
    return np.asarray(mask.iou(list(pred.masks), list(gt.masks), [0] * len(gt)))


def test_the_pairs_that_are_kept_have_the_iou_of_coco_and_all_others_0(objects, monkeypatch):
    gt, pred = objects.sides
    expected = dense_ious(gt, pred)
    for at_a_time in (7, 2000):
        monkeypatch.setattr(overlaps, "PAIRS_AT_A_TIME", at_a_time)
        found, left_out = overlaps_of(gt, pred)
        assert not left_out.size
        counts = found.stop - found.start
        order = np.concatenate([np.arange(*ends) for ends in zip(found.start, found.stop)])
        spread = np.zeros_like(expected)
        spread[np.repeat(np.arange(len(pred)), counts), found.gt[order]] = found.values[order]
        np.testing.assert_array_equal(spread, expected)
        assert np.count_nonzero(expected) <= len(found.values) < expected.size / 50
    rows = np.random.default_rng(3).integers(0, len(gt), (2, 400))
    np.testing.assert_array_equal(pair_overlaps(found, *rows), expected[rows[1], rows[0]])
    groups = objects._by_page
    assert match_in_turn(groups, found, gt.page, pred.page).tolist() == in_turn(expected, groups.pred_order)


def in_turn(ious, order):
    """Each pred takes the free gt with the highest IoU, the first of equal ones."""
    free, match = np.ones(ious.shape[1], bool), [-1] * len(ious)
    for pred in order.tolist():
        if free.any():
            match[pred] = int(np.argmax(np.where(free, ious[pred], -1)))
            free[match[pred]] = False
    return match


def test_a_page_with_too_many_overlapping_outlines_is_left_out_of_objects_only(objects, tmp_path, monkeypatch):
    monkeypatch.setattr(overlaps, "MOST_WORK_ON_A_PAGE", 500)
    layout = lcm.read(make_many_polygons(tmp_path, polygons=600, points=8), shapes="polygon")
    c = lcm.compare(layout, layout)
    assert c.objects().left_out == ("p0.png",) and [len(side) for side in c.objects().sides] == [0, 0]
    assert c.objects().note.startswith("Left out of objects, because more than 500 pairs overlap on a page")
    assert c.average("micro")["f1"] == 1
