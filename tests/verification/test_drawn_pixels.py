"""The recount of a page by literal numbers that can be counted by hand."""

import math

import numpy as np
import pytest

from layoutcm.layouts.shapes import Outline, RunMask
from layoutcm.verification import drawn_pixels
from layoutcm.verification.drawn_pixels import Page, Region, count_pairs, inside_mask, inside_polygon, page_grid

EMPTY, A, B, BOTH = (frozenset(labels) for labels in ([0], [1], [2], [1, 2]))


def region(label, *box, shape=None):
    return Region(0, label, box, shape, math.nan)


def drawn(mask):
    """The rows of a mask as text."""
    return ["".join(".#"[int(pixel)] for pixel in row) for row in mask]


@pytest.fixture
def page():
    """6 x 4 pixels. gt has A on the left four columns and B on the lower two rows of them; pred has A one row up.

    ::

        gt  A A A A . .      pred  . . . . . .
            A A A A . .            . . . . . .
            AB AB AB AB . .        A A A A A A
            AB AB AB AB . .        A A A A A A
    """
    gt = [region(1, 0, 0, 4, 4), region(2, 0, 2, 4, 4)]
    return Page((6.0, 4.0), (gt, [region(1, 0, 2, 6, 9)]))


def test_a_page_that_can_be_counted_by_hand(page):
    expected = {(A, EMPTY): 8, (EMPTY, EMPTY): 4, (BOTH, A): 8, (EMPTY, A): 4}
    for rounding in ("outer", "nearest", "exact"):
        assert count_pairs(page, rounding) == expected


@pytest.mark.parametrize("pixels", [1, 7, 13])
def test_strips_do_not_change_the_counts(page, pixels, monkeypatch):
    whole = count_pairs(page, "outer")
    monkeypatch.setattr(drawn_pixels, "STRIP_PIXELS", pixels)
    assert count_pairs(page, "outer") == whole


@pytest.mark.parametrize(
    ("rounding", "covered", "pixels"),
    [
        ("outer", 3 * 4, 4 * 5),  # columns 0 to 2 and rows 0 to 3 of 4 x 5 pixels
        ("nearest", 2 * 3, 3 * 5),  # 0.5 to 1 and 2.6 to 3; 0.9 to 1 and 3.5 to 4
        ("exact", 2.1 * 2.6, 3.4 * 5),
    ],
)
def test_each_rounding_by_its_definition(rounding, covered, pixels):
    page = Page((3.4, 5.0), ([region(1, 0.5, 0.9, 2.6, 3.5)], []))
    counts = count_pairs(page, rounding)
    assert counts[A, EMPTY] == pytest.approx(covered)
    assert sum(counts.values()) == pytest.approx(pixels)


OUTSIDE = [region(1, 4.0, 0, 9, 4), region(1, -3, -3, 0, 0), region(1, 2.5, 2.5, 2.5, 3)]
MANY = range(1, 131)


@pytest.mark.parametrize(
    ("size", "gt", "roundings", "expected"),
    [
        ((4.0, 4.0), OUTSIDE, ("outer", "nearest", "exact"), {(EMPTY, EMPTY): 16}),
        ((0.3, 5.0), [region(1, 0, 0, 0.3, 5)], ("nearest",), {}),
        ((1.0, 1.0), [region(label, 0, 0, 1, 1) for label in MANY], ("outer",), {(frozenset(MANY), EMPTY): 1}),
    ],
    ids=["boxes are clipped before they are rounded", "a page without pixels", "many labels on one pixel"],
)
def test_unusual_pages(size, gt, roundings, expected):
    for rounding in roundings:
        assert count_pairs(Page(size, (gt, [])), rounding) == expected


@pytest.mark.parametrize(("points", "expected"), [
    # The centres on the long edge of the triangle are not inside: its right side is outside.
    ([[0, 0], [5, 0], [0, 5]], ["####..", "###...", "##....", "#.....", "......", "......"]),
    # A polygon that crosses itself is empty where it is covered twice.
    ([[0, 0], [4, 0], [4, 4], [0, 4], [0, 0], [1, 1], [3, 1], [3, 3], [1, 3], [1, 1]],
     ["####", "#..#", "#..#", "####"]),
])  # fmt: skip
def test_a_polygon_covers_the_pixels_whose_centre_is_inside(points, expected):
    assert drawn(inside_polygon(points, range(len(expected)), range(len(expected)))) == expected


def test_an_outline_is_the_union_of_its_polygons_and_covers_whole_pixels_with_every_rounding():
    squares = [np.array([[0, 0], [2, 0], [2, 2], [0, 2]], float), np.array([[1, 1], [3, 1], [3, 3], [1, 3]], float)]
    outline = region(1, 0, 0, 3, 3, shape=Outline(tuple(squares)))
    page = Page((3.5, 4.0), ([outline], [region(2, 0.25, 0, 1.25, 4)]))
    assert sum(v for (gt, _), v in count_pairs(page, "outer").items() if gt == A) == 7
    counts = count_pairs(page, "exact")
    assert counts[A, B] == pytest.approx(0.75 * 2 + 0.25 * 3) and counts[A, EMPTY] == pytest.approx(7 - 2.25)
    assert sum(counts.values()) == pytest.approx(14)


def test_a_mask_of_half_the_resolution_covers_four_pixels_with_each_of_its_own():
    mask = RunMask(2, 2, np.array([1, 2, 1]))  # column by column: lower left and upper right
    assert drawn(inside_mask(mask, range(4), range(4), (4.0, 4.0))) == ["..##", "..##", "##..", "##.."]
    assert drawn(inside_mask(mask, [3, 0], [0, 0, 3], (4.0, 4.0))) == ["##.", "..#"]


def test_exact_needs_no_more_rectangles_than_edges():
    page = Page((10_000.0, 14_000.0), ([region(1, 5, 5, 9_000, 9_000)], []))
    assert page_grid(page, "exact").pixels == 9 and page_grid(page, "outer").pixels == 140_000_000
