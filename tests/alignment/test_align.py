"""Two layouts on common pages: page names, missing pages, and another page size."""

import numpy as np

import layoutcm as lcm
from support.finding_codes import codes
from support.layouts import build

ONE = {"p": (10, 10)}


def test_page_names_match_without_folder_and_suffix_if_unique():
    gt = build({"img/a.png": (10, 10), "x/b.png": (10, 10), "y/b.png": (10, 10)}, [])
    pred = build({"a": (10, 10), "b": (10, 10)}, [])
    c = lcm.compare(gt, pred)
    assert c.pages == ["img/a.png", "x/b.png", "y/b.png", "b"]
    assert codes(c.alignment.findings) == {"page-matched-by-stem": 1, "page-only-in-gt": 2, "page-only-in-pred": 1}


def test_missing_pages_count_as_errors_on_both_sides():
    gt = build({"a": (10, 10), "b": (10, 10)}, [("a", "x", 0, 0, 10, 1), ("b", "x", 0, 0, 10, 2)])
    pred = build({"a": (10, 10), "c": (5, 4)}, [("a", "x", 0, 0, 10, 1), ("c", "x", 0, 0, 5, 4)])
    penalised = lcm.compare(gt, pred)
    assert penalised.pages == ["a", "b", "c"]
    np.testing.assert_array_equal(penalised.confusion().values, [[170, 20], [20, 10]])
    assert codes(penalised.findings) == {"page-only-in-gt": 1, "page-only-in-pred": 1}
    ignored = lcm.compare(gt, pred, missing_pages="ignore")
    assert ignored.pages == ["a"]
    np.testing.assert_array_equal(ignored.confusion().values, [[90, 0], [0, 10]])


def test_another_page_size_is_scaled():
    gt = build(ONE, [("p", "x", 0, 0, 10, 5)])
    pred = build({"p": (100, 20)}, [("p", "x", 0, 0, 100, 10)])
    c = lcm.compare(gt, pred)
    np.testing.assert_array_equal(c.confusion().values, [[50, 0], [0, 50]])
    assert codes(c.findings) == {"scaled-page": 1}
