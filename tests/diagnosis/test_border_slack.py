"""The share of border slack in all errors, counted without compiled code, is that of the causes."""

import math

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.diagnosis import border_slack
from support.layouts import build
from support.sample_comparisons import compare_sample

PAGE = {"p": (100, 100)}


def shares(c):
    """The share counted quickly, and the one of the causes."""
    totals = c.causes().totals
    c.sources.causes.kept.clear()
    return c.border_slack(), totals["slack"] / sum(totals.values())


@pytest.mark.parametrize("rounding", ["outer", "exact"])
def test_the_sample_has_the_share_of_its_causes(rounding):
    quick, exact = shares(compare_sample(rounding=rounding))
    assert quick == pytest.approx(exact, abs=1e-12) and 0.2 < exact < 0.5


def test_a_page_that_one_can_count():
    box = ("p", "a", 10, 10, 50, 50)
    gt, pred = build(PAGE, [box]), build(PAGE, [("p", "a", 10, 10, 49, 50), ("p", "a", 90, 0, 94, 10)])
    # 40 pixels beside the border, and 40 in a region that is not there: gt has no `a` near it.
    assert lcm.compare(gt, pred).border_slack() == 40 / (40 + 40)


def test_pages_and_documents_have_their_own_share():
    c = compare_sample()
    page, document = c.pages[0], c.documents[-1]
    for level in ({"page": page}, {"document": document}):
        totals = c.causes(**level).totals
        assert c.border_slack(**level) == pytest.approx(totals["slack"] / sum(totals.values()))
    c.causes()  # from now on it is taken from the causes of all pages
    assert c.border_slack(page=page) == pytest.approx(compare_sample().border_slack(page=page))


@pytest.mark.parametrize("labels", [3, 15, 16, 70])
def test_pages_with_many_labels_and_pixels_that_are_not_judged(labels):
    rng = np.random.default_rng(labels)
    names = [f"n{i}" for i in range(labels)]
    start, size = rng.integers(0, 80, (labels, 2)), rng.integers(5, 20, (labels, 2))
    boxes = np.hstack([start, start + size])
    moved = boxes + rng.integers(-2, 3, boxes.shape).clip(-boxes, 100 - boxes)
    rows = [("p", name, *box) for name, box in zip(names, boxes)]
    gt = build(PAGE, [*rows, ("p", "skip", 0, 0, 40, 30)], [*names, "skip"])
    pred = build(PAGE, [("p", name, *box) for name, box in zip(names, moved)], names)
    quick, exact = shares(lcm.compare(gt, pred, mapping={"gt": {"skip": "Ignore"}}))
    assert quick == pytest.approx(exact, abs=1e-12) and quick > 0


def test_it_is_not_counted_where_that_would_take_long(monkeypatch):
    c = compare_sample()
    monkeypatch.setattr(border_slack, "MOST_PAGES", 2)
    assert c.border_slack() is None
    c = compare_sample()
    c.causes()  # counted anyway, so that it is known
    assert c.border_slack() > 0


def test_without_errors_or_with_different_labels_there_is_none():
    a, b = build(PAGE, [("p", "a", 0, 0, 9, 9)]), build(PAGE, [("p", "b", 0, 0, 9, 9)])
    assert math.isnan(lcm.compare(a, a).border_slack()) and math.isnan(lcm.compare(a, b).border_slack())
