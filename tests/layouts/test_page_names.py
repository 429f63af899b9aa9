"""Page names: their parts, other page numbers, and a page found by a similar name."""

import pytest

from layoutcm.layouts.model import find_page
from layoutcm.layouts.page_names import base_name, normalised_stem, renumber, split_number, stem
from support.named_pages import pages_of


def test_parts_of_page_names():
    assert [base_name(name) for name in ("a", "x/a", "x\\a", "x/a/")] == ["a"] * 4
    assert [stem(name) for name in ("x/a.PNG", "a.b.pdf", ".png", "a.txt")] == ["a", "a.b", ".png", "a.txt"]
    assert normalised_stem(" A%20b__C.png") == "a_b_c"
    numbers = {
        "r_p12.png": ("r", 12), "r-page 007": ("r", 7), "x/3.png": ("", 3), "map1": ("map", 1), "r": ("", -1),
        "t20240131235959": ("t", -1),
    }  # fmt: skip
    assert {name: split_number(name) for name in numbers} == numbers


@pytest.mark.parametrize(("name", "by", "expected"), [
    ("report_p12.png", 1, "report_p13.png"),
    ("a/b/page-009.jp2", 1, "a/b/page-010.jp2"),
    ("scan_99", 1, "scan_100"),
    ("scan_0.tif", -1, None),
    ("cover.png", 1, None),
])  # fmt: skip
def test_renumber(name, by, expected):
    assert renumber(name, by) == expected


def test_find_page_by_a_similar_name():
    pages = pages_of("x/a.png", "y/b.png", "z/b.png", "Big One.tif")
    assert [find_page(name, pages) for name in ("x/a.png", "a.png", "a", "A.JPG", "big_one")] == [0, 0, 0, 0, 3]
    assert [find_page(name, pages) for name in ("b.png", "b", "c", "")] == [None] * 4
