"""One page looked at through its cells: the same pixels as the matrix, exactly."""

import numpy as np
import pytest
from hypothesis import given, settings
from test_against_pixels import layouts, page

import layoutcm as lcm
from layoutcm.model import GT, PRED
from layoutcm.pageview import page_cells


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
