"""Counting by rows gives the same pairs as a loop over pixels, as the sweep, and in any size of strips."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.errors import InputError
from layoutcm.layouts.shapes import Outline, RunMask
from layoutcm.pixels import grid, raster
from layoutcm.pixels.shape_fill import GridShape, shape_on_grid
from layoutcm.verification.drawn_pixels import inside_mask, inside_polygon
from support.generated_pages import LABELS, layouts, page
from support.layouts import build, with_shapes
from support.pixel_loop import pixel_sets
from support.reading import fails

WIDTH, HEIGHT = 14, 11
point = st.tuples(st.integers(-4, 36), st.integers(-4, 30)).map(lambda p: (p[0] / 2, p[1] / 2))
outline = st.lists(st.lists(point, min_size=3, max_size=7), min_size=1, max_size=2).map(
    lambda rings: Outline(tuple(np.array(ring, float) for ring in rings))
)


@st.composite
def run_mask(draw):
    height, width = draw(st.integers(1, 12)), draw(st.integers(1, 9))
    cuts = sorted(draw(st.lists(st.integers(0, height * width), max_size=8)))
    return RunMask(height, width, np.diff([0, *cuts, height * width]))


box = st.tuples(*[st.integers(-2, 30).map(lambda n: n / 2)] * 4).filter(lambda b: b[0] < b[2] and b[1] < b[3])
side = st.lists(st.tuples(st.sampled_from("abc"), st.one_of(box, outline, run_mask())), max_size=5)


def shaped_layout(regions):
    boxes = [(label, *(what if isinstance(what, tuple) else (0, 0, WIDTH, HEIGHT))) for label, what in regions]
    layout = build({"p": (WIDTH, HEIGHT)}, [("p", *row) for row in boxes], list("abc"))
    shapes = {i: what for i, (_, what) in enumerate(regions) if not isinstance(what, tuple)}
    return with_shapes(layout, shapes)


def drawn(regions, rounding):
    """{(x, y): labels}, drawn pixel by pixel."""
    boxes = [(label, *what) for label, what in regions if isinstance(what, tuple)]
    sets = {pixel: labels - {"Background"} for pixel, labels in pixel_sets(boxes, WIDTH, HEIGHT, rounding).items()}
    for label, what in regions:
        parts = []
        if isinstance(what, Outline):
            parts = [inside_polygon(ring.tolist(), range(HEIGHT), range(WIDTH)) for ring in what.rings]
        elif isinstance(what, RunMask):
            parts = [inside_mask(what, range(HEIGHT), range(WIDTH), (WIDTH, HEIGHT))]
        for y, x in (place for part in parts for place in np.argwhere(part).tolist()):
            sets[x, y] = sets[x, y] | {label}
    return sets


def expected_pairs(gt, pred, rounding):
    gt_sets, pred_sets = drawn(gt, rounding), drawn(pred, rounding)
    name = lambda labels: " + ".join(sorted(labels)) or "Background"
    return Counter((name(gt_sets[pixel]), name(pred_sets[pixel])) for pixel in gt_sets)


@pytest.mark.parametrize("rounding", ["outer", "nearest"])
@given(gt=side, pred=side, strip=st.sampled_from([1, 40, 1 << 22]))
@settings(max_examples=150, deadline=None)
def test_outlines_masks_and_boxes_are_counted_as_by_a_loop_over_pixels(rounding, gt, pred, strip):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(raster, "STRIP_TILES", strip)
        c = lcm.compare(shaped_layout(gt), shaped_layout(pred), rounding=rounding)
        found = {(row.gt_set, row.pred_set): row.pixels for row in c.counts().table().itertuples()}
        assert found == expected_pairs(gt, pred, rounding)
        tiles = c.page_tiles("p")
    np.testing.assert_array_equal(tiles.pairs.words, c.counts().merged().words)
    np.testing.assert_array_equal(tiles.pairs.pixels, c.counts().merged().pixels)


@given(gt=side, pred=side)
@settings(max_examples=60, deadline=None)
def test_exact_areas_are_those_of_a_grid_of_half_pixels(gt, pred):
    """All edges of boxes are multiples of half a pixel, so every quarter of a pixel has one pair."""
    c = lcm.compare(shaped_layout(gt), shaped_layout(pred), rounding="exact")
    expected = Counter()
    for half_x in range(2 * WIDTH):
        for half_y in range(2 * HEIGHT):
            sets = [quarter_set(regions, half_x, half_y) for regions in (gt, pred)]
            expected[tuple(" + ".join(sorted(labels)) or "Background" for labels in sets)] += 0.25
    assert {(row.gt_set, row.pred_set): row.pixels for row in c.counts().table().itertuples()} == expected


def quarter_set(regions, half_x, half_y):
    found = set()
    for label, what in regions:
        x, y = half_x // 2, half_y // 2
        if isinstance(what, tuple):
            inside = what[0] <= half_x / 2 < what[2] and what[1] <= half_y / 2 < what[3]
        elif isinstance(what, Outline):
            inside = any(inside_polygon(ring.tolist(), [y], [x]).any() for ring in what.rings)
        else:
            inside = inside_mask(what, [y], [x], (WIDTH, HEIGHT)).any()
        found |= {label} if inside else set()
    return found


@pytest.mark.parametrize("rounding", ["outer", "nearest", "exact"])
@pytest.mark.parametrize("n", [5, 74])
@given(generated=page)
@settings(max_examples=40, deadline=None)
def test_boxes_are_counted_by_rows_as_by_the_sweep(rounding, n, generated):
    labels = [*LABELS, *(f"unused {i}" for i in range(n - 5))]
    swept = lcm.compare(*layouts([generated], labels), rounding=rounding).counts().merged()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grid, "MOST_SWEEP_BOXES", -1)
        by_rows = lcm.compare(*layouts([generated], labels), rounding=rounding).counts().merged()
    np.testing.assert_array_equal(by_rows.words, swept.words)
    np.testing.assert_allclose(by_rows.pixels, swept.pixels, rtol=1e-12)


def test_pages_with_and_without_outlines_stay_in_order():
    triangle = Outline((np.array([[0, 0], [8, 0], [0, 8]], float),))
    regions = [(f"p{i}", "a", 0, 0, 8, 8) for i in range(6)]
    gt = build({f"p{i}": (10, 10) for i in range(6)}, regions)
    counts = lcm.compare(with_shapes(gt, dict.fromkeys((1, 2, 5), triangle)), gt).counts()
    assert counts.page.tolist() == sorted(counts.page.tolist())
    covered = [counts.of_pages([i]).pixels[counts.of_pages([i]).has(0, 1)].sum() for i in range(6)]
    assert covered == [64, 28, 28, 64, 64, 28]


def test_more_sets_than_the_first_buffer_holds(monkeypatch):
    """200 labels on a diagonal: every tile of the page has another set."""
    names = [f"l{i}" for i in range(200)]
    regions = [("p", name, i, 0, 2 * i + 3, i + 2) for i, name in enumerate(names)]
    gt, pred = build({"p": (420, 220)}, regions, names), build({"p": (420, 220)}, regions[::3], names)
    swept = lcm.compare(gt, pred).counts().merged()
    assert len(swept) > 512
    monkeypatch.setattr(grid, "MOST_SWEEP_BOXES", 0)
    by_rows = lcm.compare(gt, pred).counts().merged()
    np.testing.assert_array_equal(by_rows.words, swept.words)
    np.testing.assert_array_equal(by_rows.pixels, swept.pixels)


def test_outlines_that_would_take_minutes_are_refused():
    high = Outline((np.array([[0, 0], [1, 0], [0, 1]], float) * [1 << 13, 1 << 15],))
    rows = [(f"p{i}", "a", 0, 0, 1 << 13, 1 << 15) for i in range(1200)]
    pages = {f"p{i}": (1 << 13, 1 << 15) for i in range(1200)}
    layout = with_shapes(build(pages, rows), dict.fromkeys(range(1200), high))
    fails(r"7,200 points of outlines.* at least .* steps to be filled. .*shapes='box'", lcm.compare, layout, layout)


def test_columns_that_an_outline_crosses_count_as_steps():
    """A zigzag of 10,000 points over a page of 99,000 columns: few rows are crossed, but 10^9 columns a side."""
    ends = np.where(np.arange(10_000) % 2, 99_000.0, 0.0)
    ring = Outline((np.stack([ends, np.arange(10_000) / 5], axis=1),))
    shape = shape_on_grid(ring, 0, 1.0, np.array([99_000.0, 2700]), np.array([99_000.0, 2700]))
    limit = raster.StepLimit([ring, ring])
    limit.add_shape(0, shape)
    fails(r"20,000 points of outlines .* steps to be filled", limit.add_shape, 0, shape)


def test_an_outline_of_thousands_of_points_on_a_600_dpi_page_is_far_from_the_limit():
    angles = np.linspace(0, 2 * np.pi, 20_000)
    radius = 2000 + 400 * np.cos(300 * angles)  # a ragged edge
    ring = Outline((2450 + np.stack([radius * np.cos(angles), radius * np.sin(angles)], axis=1),))
    shape = shape_on_grid(ring, 0, 1.0, np.array([4960.0, 7016]), np.array([4960.0, 7016]))
    assert shape.steps < raster.MOST_STEPS / 1000


def test_labels_in_every_row_count_as_steps(monkeypatch):
    """Boxes of 100 labels below each other: each label is in few rows, but has its bits in all of them."""
    triangle = Outline((np.array([[0, 0], [400, 0], [0, 400]], float),))
    rows = [("p", f"l{i}", 0, 4 * i, 400, 4 * i + 4) for i in range(100)]
    layout = with_shapes(build({"p": (400, 400)}, rows), {0: triangle})
    for name, value in (("STEPS_PER_PAGE", 0), ("STEPS_PER_POINT", 0), ("MOST_STEPS", 30_000)):
        monkeypatch.setattr(raster, name, value)
    fails("steps to be filled", lcm.compare, layout, layout)
    monkeypatch.setattr(raster, "MOST_STEPS", 40_000)
    lcm.compare(layout, layout)


def test_many_large_boxes_of_one_page_are_refused():
    """Each of 70,000 boxes covers a quarter of 19 x 10^9 tiles; the page has more boxes than the sweep takes."""
    start = np.arange(70_000) / 70_000 * 400
    rows = [("p", "a", a, a, a + 500, a + 500) for a in start.tolist()]
    layout = build({"p": (1000, 1000)}, rows)
    with pytest.raises(InputError, match=r"boxes of a page .* steps to be filled\. Check the page sizes and boxes"):
        lcm.compare(layout, layout, rounding="exact")


def test_many_small_boxes_of_one_page_are_counted():
    rows = [("p", "a", x, y, x + 1, y + 1) for x in range(270) for y in range(270)]
    layout = build({"p": (300, 300)}, rows)
    assert lcm.compare(layout, layout).confusion().values.tolist() == [[90_000 - 72_900, 0], [0, 72_900]]


def test_what_every_strip_repeats_is_counted(monkeypatch):
    """With one row a strip, an outline of many points is looked at 500 times; the limit allows 256."""
    angles = np.linspace(0, 2 * np.pi, 4000)
    circle = Outline((250 + 240 * np.stack([np.cos(angles), np.sin(angles)], axis=1),))
    layout = with_shapes(build({"p": (500, 500)}, [("p", "a", 0, 0, 500, 500)]), {0: circle})
    for name, value in (("MOST_STEPS", 0), ("STEPS_PER_PAGE", 0), ("STEPS_PER_POINT", 256)):
        monkeypatch.setattr(raster, name, value)
    lcm.compare(layout, layout)
    monkeypatch.setattr(raster, "STRIP_TILES", 1)
    fails("steps to be filled", lcm.compare, layout, layout)


def test_a_large_outline_that_both_sides_have_is_filled_once(monkeypatch):
    rings = [np.array([[0, 0], [8, 0], [0, 8]], float), np.array([[1, 1], [9, 1], [9, 9]], float)]
    layout = build({"p": (10, 10)}, [("p", "a", 0, 0, 10, 10)])
    gt, same, other = (with_shapes(layout, {0: Outline((ring,))}) for ring in (rings[0], rings[0].copy(), rings[1]))
    expected = [lcm.compare(gt, pred).counts().table().to_dict("list") for pred in (same, other)]
    filled, spans = [], GridShape.spans
    monkeypatch.setattr(GridShape, "spans", lambda shape, *rows: filled.append(shape) or spans(shape, *rows))
    monkeypatch.setattr(raster, "MANY_STEPS", 0)
    assert lcm.compare(gt, same).counts().table().to_dict("list") == expected[0] and len(filled) == 1
    assert lcm.compare(gt, other).counts().table().to_dict("list") == expected[1] and len(filled) == 3


def test_a_mask_is_decoded_once_for_all_strips_of_a_page(monkeypatch):
    mask = RunMask(40, 30, np.array([100, 900, 200]))
    layout = with_shapes(build({"p": (30, 40)}, [("p", "a", 0, 0, 30, 40)]), {0: mask})
    calls, decoded = [], GridShape.decoded
    monkeypatch.setattr(GridShape, "decoded", lambda shape: calls.append(shape) or decoded(shape))
    monkeypatch.setattr(raster, "STRIP_TILES", 1)
    assert lcm.compare(layout, layout).confusion().values.tolist() == [[300, 0], [0, 900]]
    assert len(calls) == 2


def test_large_pages_that_are_covered_by_outlines_of_few_points_are_not_refused():
    """80,000 pages of A4 at 300 dpi, each with four points: 2 x 10^10 steps."""
    limit = raster.StepLimit()
    ring = Outline((np.array([[0, 0], [2480, 0], [2480, 3508], [0, 3508]], float),))
    shape = shape_on_grid(ring, 0, 1.0, np.array([2480.0, 3508]), np.array([2480.0, 3508]))
    for number in range(80_000):
        limit.add_shape(number, shape)
    assert limit.steps > 2 * raster.MOST_STEPS


def test_a_row_of_too_many_words_is_refused():
    tiles = raster.tile_grid(np.array([9.0, 9.0]), np.empty((0, 4)), np.empty(0, np.int32), np.empty(0), [])
    fails("too many labels", tiles.strips, raster.MOST_ROW_WORDS + 1)
