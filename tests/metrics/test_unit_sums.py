"""What adds up over units, and the figures computed from it."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.metrics.scores import SCORES
from layoutcm.metrics.unit_sums import FIGURES, round_for_exact_sums, unit_sums
from support.layouts import build
from support.three_pages import three_pages


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
