"""A wrong page size of pred: the factor is found exactly, and what a repair leaves is reported."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.alignment.likely_mistakes import agreed_scale
from support.generated_book import layout
from support.layouts import build

GT_SIZE = (1000, 1400)
GT = [
    ("a", "Title", 100, 100, 900, 200), ("a", "Text", 100, 300, 900, 700), ("a", "Table", 100, 800, 500, 1200),
    ("b", "Title", 100, 100, 500, 150), ("b", "Text", 100, 200, 900, 600), ("b", "Picture", 200, 700, 800, 1300),
    ("c", "Text", 100, 100, 900, 1300),
]  # fmt: skip


def rows(factor=1.0, moved=()):
    """The rows of gt in another scale; those at the given positions lie elsewhere."""
    return [
        (page, label, *(factor * (v + 90 * (i in moved and k % 2)) for k, v in enumerate(box)))
        for i, (page, label, *box) in enumerate(GT)
    ]


def scored(pred_size, pred_rows, repair=""):
    gt = build(dict.fromkeys("abc", GT_SIZE), GT)
    pred = build(dict.fromkeys("abc", pred_size), pred_rows)
    return lcm.compare(gt, lcm.repair(pred, repair) if repair else pred)


def found_size(comparison):
    return [finding for finding in comparison.findings if finding.code == "wrong-page-size"]


def test_gt_size_wins_over_a_named_resolution_that_finds_fewer_regions():
    (finding,) = found_size(scored((1240, 1754), rows()))
    assert finding.message.startswith(
        "The page size of pred, 1240 x 1754, may be wrong, because its coordinates fit that of gt, 1000 x 1400: "
        "with this reading, 100 % of gt's regions"
    )
    assert float(finding.repair.removeprefix("scale:")) == pytest.approx(1.246, abs=0.01)
    assert not found_size(scored((1240, 1754), rows(), finding.repair))


def test_what_a_wrong_repair_leaves_is_reported_with_the_repairs_so_far():
    comparison = scored((1240, 1754), rows(moved=[1]), "scale:1.33333")
    (finding,) = found_size(comparison)
    assert "6 of 7 regions of gt have a counterpart" in finding.message
    assert f"--fix scale:1.33333,{finding.repair}" in finding.hint


def test_the_factor_is_exact_although_some_regions_lie_elsewhere():
    (finding,) = found_size(scored(GT_SIZE, rows(0.84, moved=[1, 6])))
    assert finding.repair == "scale:1.19048"
    assert "fit pages of about 840 x 1176" in finding.message
    assert not found_size(scored(GT_SIZE, rows(0.84), finding.repair))


@pytest.mark.parametrize("noise", [0, 4, 30])
def test_no_factor_is_reported_for_boxes_that_are_only_inexact(noise):
    rng = np.random.default_rng(7)
    pred = layout(lambda boxes: boxes + rng.normal(0, noise, boxes.shape))
    assert not found_size(lcm.compare(layout(), pred))


def test_boxes_without_area_or_partner_have_no_factor():
    boxes = np.array([[0.0, 0.0, 0.0, 5.0]])
    pairs = np.array([[0, 0]])
    assert agreed_scale(boxes, boxes, pairs) is None
    assert agreed_scale(boxes, boxes, pairs[:0]) is None
