"""The tiles of one page count exactly the same pixels as the matrix."""

import numpy as np
import pytest
from hypothesis import given, settings

import layoutcm as lcm
from layoutcm.layouts.model import GT, PRED
from layoutcm.layouts.shapes import Outline
from layoutcm.pixels import counting
from support.generated_pages import layouts, page
from support.layouts import build


def areas(tiles):
    return np.diff(tiles.y_edges)[:, None] * np.diff(tiles.x_edges)


@pytest.mark.parametrize("rounding", ["outer", "exact"])
@pytest.mark.parametrize("method", ["matrix", "tensor"])
@given(generated=page)
@settings(max_examples=20, deadline=None)
def test_shares_of_tiles_add_up_to_the_matrix_cell(rounding, method, generated):
    c = lcm.compare(*layouts([generated]), rounding=rounding)
    m = c.confusion(method=method)
    tiles = c.page_tiles("page 0")
    for i in range(len(m.labels)):
        for j in range(len(m.labels)):
            shares = tiles.share_of((i, j), method)
            assert (shares[tiles.pair_of_tile] * areas(tiles)).sum() == pytest.approx(m.values[i, j])


@pytest.mark.parametrize("rounding", ["outer", "nearest", "exact"])
def test_tiles_of_unusual_pages_are_equal_to_their_pair_counts(rounding):
    """Scaled pages, pages on one side only, scores below the threshold, an outline."""
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
        tiles, counted = c.page_tiles(name), c.counts(page=name).merged()
        np.testing.assert_array_equal(tiles.pairs.words, counted.words)
        np.testing.assert_allclose(tiles.pairs.pixels, counted.pixels)


def test_the_two_page_example(two_pages):
    c = lcm.compare(*two_pages)
    tiles = c.page_tiles("p1")
    shares = tiles.share_of(c.cell("picture", "table"))
    assert tiles.rectangles(shares == 0.5).tolist() == [[10, 4, 20, 12]]
    assert tiles.rectangles(shares == 1.0).tolist() == [[10, 12, 20, 20]]
    image = tiles.spread(shares)
    assert image.shape == (20, 20) and image[5, 15] == 0.5 and image[15, 15] == 1 and image[5, 5] == 0
    (pair,) = np.flatnonzero(shares == 0.5)
    assert tiles.set_names(GT, pair) == {"picture"} and tiles.set_names(PRED, pair) == {"picture", "table"}
    assert (tiles.word(GT, pair), tiles.word(PRED, pair)) == (0b10000, 0b110000)
    kinds = tiles.spread(tiles.agreement())
    assert (kinds[0, 0], kinds[15, 0], kinds[15, 15]) == (1, 4, 4)
    second = c.page_tiles("p2").spread(c.page_tiles("p2").agreement())
    assert second[:, 0].tolist() == [1, 1, 1, 1, 2, 0, 3, 3, 0, 0]


def test_scaled_images_have_at_least_one_pixel(two_pages):
    tiles = lcm.compare(*two_pages).page_tiles("p1")
    assert tiles.spread(tiles.agreement(), 0.5).shape == (10, 10)
    assert tiles.spread(tiles.agreement(), 0.01).shape == (1, 1)


def test_a_page_with_too_many_tiles_is_refused_before_they_are_made(monkeypatch):
    rows = [f"p,1000000,1000000,a,{x},{x},{x + 7},{x + 7}" for x in range(0, 99_000, 11)]
    layout = lcm.read(("a.csv", "\n".join(["page,width,height,label,x0,y0,x1,y1", *rows]).encode()))
    c = lcm.compare(layout, layout)
    monkeypatch.setattr(counting, "count_tiles", None)
    with pytest.raises(lcm.InputError, match="a page: its regions divide it into 324,000,000 tiles"):
        c.page_tiles("p")
    assert c.average("micro")["f1"] == 1
