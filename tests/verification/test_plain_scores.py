"""The recount: pixels of a page by literal numbers, the plain matrix and scores by the examples of docs/method.md."""

import math

import numpy as np
import pytest

from layoutcm.layouts.shapes import Outline, RunMask
from layoutcm.verification import drawn_pixels
from layoutcm.verification import plain_scores as plain
from layoutcm.verification.drawn_pixels import Page, Region, count_pairs, inside_mask, inside_polygon, page_grid
from layoutcm.verification.recount import sklearn_averages

GT = ["1100", "0110", "0001", "1111", "0110", "0110", "0101"]
PRED = ["1100", "1110", "1001", "0111", "0100", "1100", "1010"]


def pairs_of(gt, pred):
    pairs = {}
    for samples in zip(gt, pred):
        pair = tuple(frozenset(i for i, bit in enumerate(sample) if bit == "1") for sample in samples)
        pairs[pair] = pairs.get(pair, 0) + 1
    return pairs


def as_pairs(matrix):
    """Pairs of single labels, whose matrix is the given one."""
    return {
        (frozenset([i]), frozenset([j])): float(value) for i, row in enumerate(matrix) for j, value in enumerate(row)
    }


def test_the_four_cases_give_the_published_matrix():
    masses = plain.masses_of(pairs_of(GT, PRED), 4, "matrix")
    expected = [[1, 1 / 3, 1 / 3, 1 / 3], [5 / 6, 14 / 3, 1 / 2, 0], [4 / 3, 1, 5 / 3, 0], [1, 0, 1 / 2, 3 / 2]]
    np.testing.assert_allclose(masses.recall, expected)
    scores = [plain.scores_of(one) for one in plain.class_counts(masses)]
    assert [one["precision"] for one in scores] == pytest.approx([0.24, 0.7778, 0.5556, 0.8182], abs=1e-4)
    assert [one["recall"] for one in scores] == pytest.approx([0.5, 0.7778, 0.4167, 0.5], abs=1e-4)


def test_the_tensor_gives_true_recall_and_precision():
    masses = plain.masses_of(pairs_of(GT, PRED), 4, "tensor")
    # B: in gt of six samples, in pred of five, in both of five.
    assert plain.class_counts(masses)[1][:3] == pytest.approx((5, 6, 5))
    assert plain.row_sums(masses.recall) == pytest.approx([2, 6, 4, 3])
    assert plain.column_sums(masses.precision) == pytest.approx([5, 5, 3, 2])


def test_a_class_of_one_side_counts_0_and_one_of_no_side_is_left_out():
    # Label 1 is right on 3 pixels, label 2 is only in gt, label 3 in neither.
    pairs = as_pairs([[0, 0, 0, 0], [0, 3, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]])
    classes = plain.class_counts(plain.masses_of(pairs, 4, "matrix"))[1:]
    assert plain.averages(classes, "macro") == pytest.approx({"precision": 0.5, "recall": 0.5, "f1": 0.5})
    assert plain.averages(classes, "weighted") == pytest.approx({"precision": 0.75, "recall": 0.75, "f1": 0.75})
    assert plain.averages(classes, "micro") == pytest.approx({"precision": 1, "recall": 0.75, "f1": 6 / 7})


def test_values_that_do_not_exist_are_nan():
    masses = plain.masses_of(as_pairs([[0, 4], [0, 0]]), 2, "matrix")
    scores = plain.cell_scores(masses, "matrix")
    assert scores["recall"][0] == [0, 1] and all(map(math.isnan, scores["recall"][1]))
    assert math.isnan(scores["precision"][0][0]) and scores["f1"][0] == [0, 1]
    assert math.isnan(plain.averages([], "macro")["f1"])
    assert math.isnan(plain.harmonic_mean(plain.NAN, plain.NAN)) and math.isnan(plain.harmonic_mean(plain.NAN, 1))


def test_content_counts_each_pixel_once():
    both, nothing = frozenset([1, 2]), frozenset([0])
    scores = plain.content_scores(
        {(both, both): 3.0, (both, nothing): 1.0, (nothing, both): 2.0, (nothing, nothing): 9}
    )
    assert scores == pytest.approx({"precision": 3 / 5, "recall": 3 / 4, "f1": 6 / 9})
    assert plain.carried_pixels({(both, nothing): 4.0}, 3) == ([0, 4, 4], [4, 0, 0])


@pytest.mark.parametrize("method", ["matrix", "tensor"])
@pytest.mark.parametrize("background", [False, True])
def test_scikit_learn_gives_the_same_averages(method, background):
    pytest.importorskip("sklearn")
    matrices = [[0, 4], [0, 0]], [[0, 0], [4, 0]], [[5]], [[5, 1, 0], [2, 6, 2], [0, 1, 3]]
    for pairs in (pairs_of(GT, PRED), *map(as_pairs, matrices), {}):
        labels = max((label for pair in pairs for side in pair for label in side), default=0) + 1
        masses = plain.masses_of(pairs, labels, method)
        classes = plain.class_counts(masses)[0 if background else 1 :]
        for kind, scores in sklearn_averages(pairs, masses, method, background).items():
            assert scores == pytest.approx(plain.averages(classes, kind), nan_ok=True)


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
