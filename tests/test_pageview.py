"""One page looked at through its cells: the same pixels as the matrix, exactly."""

import numpy as np
import pytest
from conftest import build
from hypothesis import given, settings
from test_against_pixels import layouts, page

import layoutcm as lcm
from layoutcm.diagnosis.page_tiles import page_cells
from layoutcm.layouts.model import GT, PRED
from layoutcm.layouts.shapes import Outline


def areas(cells):
    return np.diff(cells.y_edges)[:, None] * np.diff(cells.x_edges)


@pytest.mark.parametrize("rounding", ["outer", "exact"])
@pytest.mark.parametrize("method", ["matrix", "tensor"])
@given(generated=page)
@settings(max_examples=20, deadline=None)
def test_lit_cells_add_up_to_the_matrix_cell(rounding, method, generated):
    c = lcm.compare(*layouts([generated]), rounding=rounding)
    m = c.confusion(method=method)
    cells = page_cells(c, "page 0")
    for i, gt_label in enumerate(m.labels):
        for j, pred_label in enumerate(m.labels):
            lit = cells.share_of(gt_label, pred_label, method)
            assert (lit * areas(cells)).sum() == pytest.approx(m.values[i, j])


@given(generated=page)
@settings(max_examples=30, deadline=None)
def test_pairs_of_cells_are_the_counts_of_the_page(generated):
    c = lcm.compare(*layouts([generated]))
    cells, merged = page_cells(c, "page 0"), c.counts().merged()
    np.testing.assert_array_equal(cells.pairs.words, merged.words)
    np.testing.assert_allclose(cells.pairs.pixels, merged.pixels)


@pytest.mark.parametrize("rounding", ["outer", "nearest", "exact"])
def test_a_page_looked_at_alone_is_the_page_that_was_counted(rounding):
    """Scaled, on one side only, with scores under the threshold, with an outline."""
    gt = build({"a": (30, 20), "only gt": (9, 9), "b": (10, 10)}, [
        ("b", "x", 1, 1, 7.3, 8.5), ("a", "y", 0.4, 2, 20, 11.5), ("only gt", "x", 2, 2, 5, 5), ("b", "y", 3, 0, 9, 4),
    ])  # fmt: skip
    pred = build({"b": (10, 10), "a": (45, 30), "only pred": (8, 6)}, [
        ("a", "y", 1, 3, 33, 17, 0.9), ("only pred", "x", 0, 0, 4.5, 6, 0.8), ("b", "x", 1, 1, 8, 8, 0.2),
        ("b", "y", 0, 0, 9, 9, 0.7), ("a", "x", 5, 5, 40, 28, 0.6),
    ])  # fmt: skip
    pred.region_columns.shapes[3] = Outline((np.array([[0, 0], [9, 0], [0, 9.0]]),))
    c = lcm.compare(gt, pred, rounding=rounding, min_score=0.5)
    assert c.pages == ["a", "only gt", "b", "only pred"]
    for name in c.pages:
        cells, counted = page_cells(c, name), c.counts(page=name).merged()
        np.testing.assert_array_equal(cells.pairs.words, counted.words)
        np.testing.assert_allclose(cells.pairs.pixels, counted.pixels)


def test_the_two_page_example(two_pages):
    c = lcm.compare(*two_pages)
    cells = page_cells(c, "p1")
    lit = cells.share_of("picture", "table")
    assert cells.rectangles(lit == 0.5).tolist() == [[10, 4, 20, 12]]
    assert cells.rectangles(lit == 1.0).tolist() == [[10, 12, 20, 20]]
    image = cells.spread(lit)
    assert image.shape == (20, 20) and image[5, 15] == 0.5 and image[15, 15] == 1 and image[5, 5] == 0
    pair = cells.pair_of_cell[tuple(np.argwhere(lit == 0.5)[0])]
    assert cells.set_names(GT, pair) == {"picture"} and cells.set_names(PRED, pair) == {"picture", "table"}
    assert (cells.word(GT, pair), cells.word(PRED, pair)) == (0b10000, 0b110000)
    kinds = cells.spread(cells.agreement())
    assert (kinds[0, 0], kinds[15, 0], kinds[15, 15]) == (1, 4, 4)
    second = page_cells(c, "p2").spread(page_cells(c, "p2").agreement())
    assert second[:, 0].tolist() == [1, 1, 1, 1, 2, 0, 3, 3, 0, 0]


def test_shrunk_images_keep_their_shape(two_pages):
    cells = page_cells(lcm.compare(*two_pages), "p1")
    assert cells.spread(cells.agreement(), 0.5).shape == (10, 10)
    assert cells.spread(cells.agreement(), 0.01).shape == (1, 1)
