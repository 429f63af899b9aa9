"""Pages with many outlines: only pairs whose boxes meet are compared, and too many of them are refused."""

import numpy as np
import pytest
from faster_coco_eval.core import mask

import layoutcm as lcm
from layoutcm.metrics.objects import overlaps
from layoutcm.metrics.objects.matching import match_in_turn, pair_overlaps
from layoutcm.metrics.objects.overlaps import overlaps_of
from support.hostile_shapes import make_many_polygons


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
