"""Shares of families are shares of label pixels, unless pairs are asked for."""

import pytest

import layoutcm as lcm
from layoutcm.layouts.model import GT, PRED
from support.layouts import build


def test_shares_are_shares_of_pixels():
    """gt has A everywhere; pred has A on the left half, and B and C together on the right half."""
    gt = build({"p": (10, 10)}, [("p", "A", 0, 0, 10, 10)], "ABC")
    pred = build({"p": (10, 10)}, [("p", "A", 0, 0, 5, 10), ("p", "B", 5, 0, 10, 10), ("p", "C", 5, 0, 10, 10)], "ABC")
    c = lcm.compare(gt, pred)
    f = c.families({"F": ["A", "B", "C"]})
    assert f.shares(GT) == {"identity": 0.5, "in_family": 0.5, "oof": 0}
    assert f.given_gt().set_index("label").loc["A", ["identity", "total"]].tolist() == [0.5, 100]
    # 150 label pixels of pred: 50 of A are right, 50 of B and 50 of C are in the family.
    assert f.shares(PRED) == pytest.approx({"identity": 1 / 3, "in_family": 2 / 3, "oof": 0})
    assert f.matrices["F"].loc["A"].tolist() == [50, 50, 50, 0]  # the pairs
    assert c.families({"F": ["A", "B", "C"]}, count="pairs").shares(GT)["identity"] == pytest.approx(1 / 3)
    assert "count:by side" in f.recipe
