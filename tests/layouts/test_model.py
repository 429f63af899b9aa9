"""Columns of pages and regions: choosing and joining rows keeps everything that belongs to a row."""

import numpy as np

from layoutcm.alignment.align import join_pages
from layoutcm.layouts.model import Pages, Regions, concatenate_pages, concatenate_regions


def pages(*names, **attributes):
    sizes = np.arange(1.0, len(names) + 1)
    numbers = np.arange(len(names), dtype=np.int32)
    return Pages(names, sizes, sizes * 10, tuple(f"doc {name}" for name in names), numbers, attributes)


def regions(count, ignore=None):
    rows = np.arange(count, dtype=np.int32)
    return Regions(rows, rows, np.zeros((count, 4)), np.full(count, np.nan), ignore=ignore)


def test_pages_are_taken_in_the_given_order():
    taken = pages("a", "b", "c", kind=("x", "", "z")).take([2, 0])
    assert taken.names == ("c", "a") and taken.documents == ("doc c", "doc a")
    assert taken.widths.tolist() == [3, 1] and taken.heights.tolist() == [30, 10] and taken.numbers.tolist() == [2, 0]
    assert taken.attributes == {"kind": ("z", "x")}


def test_joined_pages_have_the_attributes_of_all_parts():
    joined = concatenate_pages([pages("a", kind=("x",)), pages("b", "c", year=("1", "2"))])
    assert joined.names == ("a", "b", "c")
    assert joined.attributes == {"kind": ("x", "", ""), "year": ("", "1", "2")}


def test_aligned_pages_have_the_attributes_of_gt_and_what_only_pred_says():
    gt = pages("a", "b", kind=("x", ""))
    pred = pages("b", "c", kind=("p", "q"), year=("1", "2"))
    joined = join_pages(gt, pred, (np.array([0, 1, -1]), np.array([-1, 0, 1])))
    assert joined.names == ("a", "b", "c")
    assert joined.attributes == {"kind": ("x", "p", "q"), "year": ("", "1", "2")}


def test_what_is_not_judged_is_kept_with_its_region():
    marked = regions(3, np.array([True, False, True]))
    assert marked.take(np.array([False, True, True])).ignored.tolist() == [False, True]
    assert regions(2).ignored.tolist() == [False, False]
    assert concatenate_regions([regions(1), marked]).ignored.tolist() == [False, True, False, True]
    assert concatenate_regions([regions(1), regions(2)]).ignore is None
