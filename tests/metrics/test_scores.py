"""Scores of small matrices, figures of what adds up over units, and the four cases of the matrix and the causes."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.diagnosis.border_slack import _slack_shares
from layoutcm.diagnosis.cause_kernel import CAUSES, PageRegionsOnTiles, add_causes_of_tile
from layoutcm.metrics.contributions import MATRIX, add_pairs, wrong_cells
from layoutcm.metrics.scores import SCORES, Margins, class_scores, harmonic, margins, mean_scores, ratio
from layoutcm.metrics.unit_sums import FIGURES, round_for_exact_sums, unit_sums
from support.comparisons import three_pages
from support.layouts import build
from support.pixel_loop import contribution

nan = float("nan")
COUNTS = np.array([[5.0, 1, 0], [2, 6, 2], [0, 1, 3]])  # row sums 6, 10, 4; column sums 7, 8, 5
EMPTY = np.zeros((3, 3))


def rounded(scores):
    return {name: np.round(values, 6).tolist() for name, values in scores.items()}


@pytest.mark.parametrize(
    ("function", "given", "expected"),
    [
        # A ratio is undefined only where the whole is 0.
        (ratio, ([1, 0, 3, 0], [2, 5, 0, 0]), [0.5, 0, nan, nan]),
        (ratio, (1, [4, 0]), [0.25, nan]),
        (ratio, ([[1], [2]], [4, 8]), [[0.25, 0.125], [0.5, 0.25]]),
        (harmonic, ([1, 0.5, 0.25, 0], [0.5, 0.5, 0.75, 1]), [2 / 3, 0.5, 0.375, 0]),
        (harmonic, ([nan, 0, nan, 0, 1], [nan, nan, 0, 0, 1]), [nan, 0, 0, 0, 1]),
        (harmonic, ([nan, 0, nan, 0, 1], [nan, nan, 0, 0, 1], True), [nan, nan, nan, 0, 1]),
    ],
)
def test_ratios_and_harmonic_means(function, given, expected):
    np.testing.assert_allclose(function(*given), expected, rtol=1e-15)


def test_margins_of_one_mass_and_of_two():
    found = margins(COUNTS, COUNTS.T)
    assert [part.tolist() for part in found.parts()] == [[5, 6, 3], [5, 6, 3], [6, 10, 4], [6, 10, 4]]
    rest = margins(COUNTS, COUNTS).without_first(1)
    assert [part.tolist() for part in rest.parts()] == [[6, 3], [6, 3], [10, 4], [8, 5]]
    stacked = margins(np.stack([COUNTS, EMPTY]), np.stack([EMPTY, COUNTS]))
    assert stacked.recall_hit.tolist() == [[5, 6, 3], [0, 0, 0]] and stacked.gt.tolist() == [[6, 10, 4], [0, 0, 0]]
    assert stacked.precision_hit.tolist() == [[0, 0, 0], [5, 6, 3]] and stacked.pred.tolist() == [[0, 0, 0], [7, 8, 5]]


def test_scores_of_each_label():
    assert rounded(class_scores(margins(COUNTS, COUNTS))) == rounded(
        {
            "precision": [5 / 7, 6 / 8, 3 / 5],
            "recall": [5 / 6, 6 / 10, 3 / 4],
            "f1": [10 / 13, 12 / 18, 6 / 9],  # 2 hits / (gt + pred)
            "iou": [5 / 8, 6 / 12, 3 / 6],  # hits / (gt + pred - hits)
        }
    )


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("micro", (14 / 20, 14 / 20, 14 / 20)),
        ("macro", ((5 / 7 + 3 / 4 + 3 / 5) / 3, (5 / 6 + 3 / 5 + 3 / 4) / 3, (10 / 13 + 2 / 3 + 2 / 3) / 3)),
        ("weighted", ((30 / 7 + 7.5 + 2.4) / 20, (5 + 6 + 3) / 20, (60 / 13 + 20 / 3 + 8 / 3) / 20)),
    ],
)
def test_means_of_several_matrices_at_once(kind, expected):
    found = mean_scores(margins(np.stack([COUNTS, EMPTY]), np.stack([COUNTS, EMPTY])), kind)
    assert list(found) == ["precision", "recall", "f1"]
    np.testing.assert_allclose(np.stack(list(found.values())).T, [expected, [nan, nan, nan]])
    assert lcm.averages(COUNTS, kind) == pytest.approx(dict(zip(found, expected)))


def test_a_label_on_one_side_counts_and_a_label_on_neither_side_does_not():
    # a is found on 1 of 2 pixels; b is only in gt, c only in pred, d on neither side
    of = Margins(*(np.array(part, float) for part in ([1, 0, 0, 0], [1, 0, 0, 0], [2, 2, 0, 0], [1, 0, 4, 0])))
    found = {kind: mean_scores(of, kind) for kind in ("micro", "macro", "weighted")}
    assert rounded(found["micro"]) == rounded({"precision": 1 / 5, "recall": 1 / 4, "f1": 2 / 9})
    assert rounded(found["macro"]) == rounded({"precision": 1 / 3, "recall": 0.5 / 3, "f1": 2 / 9})
    assert rounded(found["weighted"]) == rounded({"precision": 1 / 2, "recall": 0.5 / 2, "f1": 1 / 3})


@pytest.mark.parametrize(
    ("matrix", "precision", "recall"),
    [([[2, 0], [0.5, 0]], 0.8 / 2, 1 / 2), ([[2, 0.5], [0, 0]], 1 / 2, 0.8 / 2)],
    ids=["only in gt", "only in pred"],
)
def test_a_label_on_half_a_pixel_counts_as_much_as_others_in_a_macro_average(matrix, precision, recall):
    assert lcm.averages(matrix, "macro") == pytest.approx({"precision": precision, "recall": recall, "f1": 4 / 9})


def test_sums_of_two_documents():
    """Document A has 8 pixels of a, half of them found; document B has 4 of b, taken for a, and 2 invented of b."""
    sums = unit_sums(three_pages().levels, "matrix")
    assert (sums.unit, sums.names, sums.labels) == ("document", ["A", "B"], ["Background", "a", "b", "c"])
    assert sums.parts["gt"].tolist() == [[8, 8, 0, 0], [6, 0, 4, 0]]
    assert sums.parts["pred"].tolist() == [[8, 4, 4, 0], [4, 4, 2, 0]]
    assert sums.parts["recall_hit"].tolist() == sums.parts["precision_hit"].tolist() == [[8, 4, 0, 0], [4, 0, 0, 0]]
    assert sums.parts["content"].tolist() == [[8, 8, 8], [4, 4, 6]]
    found = dict(zip(FIGURES, sums.results(sums.rows.sum(axis=0)[None])[0]))
    assert found["micro_recall"] == pytest.approx(4 / 12) and found["content_f1"] == pytest.approx(24 / 26)


def test_sizes_are_the_pixels_pages_or_documents_behind_a_result():
    sums = unit_sums(three_pages().levels, "matrix")
    sizes = dict(zip(FIGURES, sums.sizes().T.tolist()))
    assert sizes["micro_f1"] == [16, 10] and sizes["micro_f1_with_background"] == [32, 20]
    assert sizes["macro_f1_over_pages"] == [1, 2] and sizes["macro_f1_over_documents"] == [1, 1]
    assert sizes["content_recall"] == [16, 10]
    precision, recall, f1, iou = sums.sizes()[:, len(FIGURES) :].reshape(2, 4, 4).transpose(1, 2, 0).tolist()
    assert precision[1:] == [[4, 4], [4, 2], [0, 0]] and recall[1:] == [[8, 0], [0, 4], [0, 0]]
    assert f1 == iou == [[16, 10], [12, 4], [4, 6], [0, 0]]


def test_a_class_that_is_not_drawn_counts_with_its_value_in_the_set():
    """Without document B, macro recall is that of a alone, or the mean of a (4/8) and b of the whole set (0)."""
    sums = unit_sums(three_pages().levels, "matrix")
    whole, only_a = sums.rows.sum(axis=0), sums.rows[:1]
    place = FIGURES.index("macro_precision")
    drawn, of_set = (sums.results(only_a, given)[0, place] for given in (None, whole))
    assert drawn == pytest.approx((4 / 4 + 0) / 2)  # A has pred pixels of b
    no_b = sums.with_labels(["Background", "a", "c"])
    assert no_b.results(no_b.rows[:1])[0, place] == 1
    recall = FIGURES.index("macro_recall")
    pages = {"x": (2, 2), "y": (2, 2)}
    gt = build(pages, [("x", "a", 0, 0, 2, 2), ("y", "b", 0, 0, 2, 2)], "ab")
    pred = build(pages, [("x", "a", 0, 0, 2, 2), ("y", "b", 0, 0, 2, 1)], "ab")
    sums = unit_sums(lcm.compare(gt, pred, documents={"x": "x", "y": "y"}).levels, "matrix")
    only_x, whole = sums.rows[:1], sums.rows.sum(axis=0)
    assert sums.results(only_x)[0, recall] == 1
    assert sums.results(only_x, whole)[0, recall] == pytest.approx((1 + 1 / 2) / 2)
    assert of_set == drawn


def test_labels_and_units_can_be_put_into_another_order():
    sums = unit_sums(three_pages().levels, "matrix")
    moved = sums.in_order(["B", "A"]).with_labels(["Background", "new", "b", "a"])
    assert moved.parts["gt"].tolist() == [[6, 0, 4, 0], [8, 0, 0, 8]]
    averages = [FIGURES.index(f"{kind}_{s}") for kind in ("micro", "macro", "weighted") for s in SCORES]
    totals = [one.results(one.rows.sum(axis=0)[None])[0, averages] for one in (sums, moved)]
    np.testing.assert_allclose(*totals)


def test_rounded_sums_do_not_depend_on_the_order():
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.random(5000) / 3, 1e6 * rng.random(5000), np.zeros(5000), rng.integers(0, 9, 5000)])
    grid = round_for_exact_sums(rows)
    np.testing.assert_allclose(grid, rows, rtol=0, atol=1e-11 * rows.max(axis=0).max())
    np.testing.assert_array_equal(grid[:, 2:], rows[:, 2:])
    order = rng.permutation(5000)
    one_by_one = np.zeros(4)
    for row in grid[order]:
        one_by_one += row
    np.testing.assert_array_equal(one_by_one, grid.sum(axis=0))
    np.testing.assert_array_equal(one_by_one, np.ones(5000) @ grid)


def test_sums_are_rounded_to_52_bits_of_the_largest_sum():
    # Three units: the sums are at most 1, so the values are multiples of 2**-51.
    found = round_for_exact_sums(np.array([[1 / 3, 5.0], [1 / 3, 0.0], [1 / 7, 7.0]]))
    assert found[:, 0].tolist() == [round(share * 2**51) / 2**51 for share in (1 / 3, 1 / 3, 1 / 7)]
    assert found[:, 1].tolist() == [5, 0, 7]


@pytest.mark.parametrize("method", ["matrix", "tensor"])
def test_content_is_the_same_in_the_matrix_in_tables_and_in_intervals(sample, method):
    c = sample
    for table, level in ((c.page_table(method), "page"), (c.document_table(method), "document")):
        for row in table.itertuples():
            content = c.content(**{level: getattr(row, level)})
            shown = [row.content_precision, row.content_recall, row.content_f1]
            assert shown == pytest.approx([content[score] for score in SCORES], rel=1e-12)
    content, resamples = c.content(), c.bootstrap(5, method=method).figures
    assert c.confusion(method=method).content() == content
    for score in SCORES:
        assert resamples[f"content_{score}"][0] == pytest.approx(content[score], rel=1e-12)


LABELS = 5
RNG = np.random.default_rng(7)
PAIRS = [tuple(RNG.integers(1, 2**LABELS, 2).tolist()) for _ in range(300)]


def labels_of(word):
    return {label for label in range(LABELS) if word >> label & 1}


def expected(gt, pred):
    """float64[gt, pred]: what a pixel with these label sets adds."""
    found = np.zeros((LABELS, LABELS))
    for cell, value in contribution(labels_of(gt), labels_of(pred)).items():
        found[cell] = value
    return found


def without_diagonal(matrix):
    return matrix * (1 - np.eye(LABELS))


@pytest.mark.parametrize("add", [add_pairs, add_pairs.run_in_python])
def test_matrix(add):
    words, shape = np.array(PAIRS, np.uint64), (len(PAIRS), LABELS)
    found = np.zeros((*shape, LABELS))
    add(words, None, np.ones(len(words)), np.arange(len(words)), MATRIX, found, np.zeros(shape))
    np.testing.assert_allclose(found, [expected(*pair) for pair in PAIRS], atol=1e-15)


def test_causes():
    """One tile of one pixel, with a region for each label of each side."""
    for gt, pred in PAIRS:
        if gt == pred:
            continue
        totals = np.zeros((len(CAUSES), LABELS, LABELS))
        add_causes_of_tile(one_pixel(gt, pred), 0, 0, LABELS, *nothing_paired(), None, totals)
        np.testing.assert_allclose(totals.sum(axis=0), without_diagonal(expected(gt, pred)), atol=1e-15)


def one_pixel(gt, pred):
    edges, labels = np.array([0.0, 1.0]), np.array([*range(LABELS), *range(LABELS)])
    over, sets = np.array([[[gt | pred << LABELS]]], np.uint64), np.array([[[[gt]]], [[[pred]]]], np.uint64)
    return PageRegionsOnTiles(edges, edges, LABELS, labels, over, sets, 0.0)


def nothing_paired():
    """The overlaps, partners and statuses of the regions of `one_pixel`; which cause it is does not matter here."""
    n = 2 * LABELS
    return np.ones((n, n)), np.full(n, -1), np.zeros(n, np.int64)


def test_quick_slack():
    """Every label is near, so each wrong pixel is slack as a whole."""
    pairs = [pair for pair in PAIRS if pair[0] != pair[1]]
    gt, pred = np.array(pairs, np.uint64).T[:, None]
    near = np.full_like(gt, 2**LABELS - 1)
    wrong = [without_diagonal(expected(*pair)).sum() for pair in pairs]
    np.testing.assert_allclose(_slack_shares(gt, pred, near, near), wrong, atol=1e-15)


@pytest.mark.parametrize(
    ("sizes", "cells"),
    [
        ((2, 0, 0), (False, True, 2)),  # equal sets: no row is left, so no cell
        ((2, 0, 1), (True, False, 3)),  # pred has more: hits share with extra labels
        ((2, 1, 0), (False, True, 2)),  # gt has more: missed labels are divided over the hits
        ((2, 1, 3), (False, False, 3)),  # otherwise: missed labels are divided over the extra ones
    ],
)
def test_numbers_and_arrays_have_the_same_cases(sizes, cells):
    assert wrong_cells(*sizes) == cells
    assert [one.tolist() for one in wrong_cells(*(np.array([size, size]) for size in sizes))] == [[c, c] for c in cells]
