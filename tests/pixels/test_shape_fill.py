"""Masks and outlines: the pixels that they cover, and pair counts computed from pixel masks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools import mask as coco_mask

import layoutcm as lcm
from layoutcm.layouts.shapes import Outline, RunMask
from layoutcm.pixels.grid import SideBoxes, to_grid
from layoutcm.pixels.shape_fill import shape_on_grid
from support.coco_files import coco, image, read_coco, region
from support.layouts import build, with_shapes


def covered(shape, width, height, own=None, strip=None):
    """bool[height, width]: the pixels of a shape, from the spans of strips of rows."""
    mask, frame = np.zeros((height, width), int), np.array([width, height], float)
    on_grid = shape_on_grid(shape, 0, 1.0, frame if own is None else np.array(own, float), frame)
    for first in range(0, height, strip or height):
        for spans in on_grid.spans(first, min(first + (strip or height), height)):
            for row, left, right in spans.tolist():
                assert left < right
                mask[row, left:right] += 1
    assert mask.max(initial=0) <= 1 or len(getattr(shape, "rings", [])) > 1
    return mask > 0


def inside(x, y, ring):
    """Even-odd rule for one point: count the edges that a ray to the left crosses."""
    crossings = 0
    for (xa, ya), (xb, yb) in zip(ring, np.roll(ring, -1, axis=0)):
        if (ya <= y < yb or yb <= y < ya) and xa + (y - ya) * (xb - xa) / (yb - ya) <= x:
            crossings += 1
    return crossings % 2 == 1


# Shifted off the grid, so that no pixel centre is exactly on an edge, where the two methods may round differently.
point = st.tuples(st.integers(-10, 70), st.integers(-10, 70)).map(lambda p: (p[0] / 5 + 0.0131, p[1] / 5 + 0.0173))


@given(points=st.lists(point, min_size=3, max_size=8))
@settings(max_examples=200, deadline=None)
def test_a_polygon_covers_the_pixels_whose_centre_is_inside(points):
    ring = np.array(points)
    expected = [[inside(x + 0.5, y + 0.5, ring) for x in range(12)] for y in range(11)]
    np.testing.assert_array_equal(covered(Outline((ring,)), 12, 11), expected)
    np.testing.assert_array_equal(covered(Outline((ring,)), 12, 11, strip=3), expected)


def sorted_crossings(ring, width, height):
    """bool[height, width]: the crossings of every row, sorted; each pair of them bounds a span."""
    mask = np.zeros((height, width), bool)
    (xa, ya), (xb, yb) = ring.T, np.roll(ring, -1, axis=0).T
    for row in range(height):
        y = row + 0.5
        crosses = (np.minimum(ya, yb) <= y) & (y < np.maximum(ya, yb))
        slope = (xb - xa)[crosses] / (yb - ya)[crosses]
        x = np.sort(xa[crosses] + (y - ya[crosses]) * slope)
        columns = np.clip(np.ceil(x - 0.5), 0, width).astype(int)
        for left, right in zip(columns[0::2], columns[1::2]):
            mask[row, left:right] = True
    return mask


coordinate = st.one_of(
    st.integers(-20, 120).map(lambda n: n / 2),  # often exactly on a pixel centre
    st.floats(-1e3, 1e3),
    st.sampled_from([-1e9, 1e9]),
)


@given(
    points=st.lists(st.tuples(coordinate, coordinate), min_size=3, max_size=40),
    narrow=st.sampled_from([1.0, 0.01, 1e-9]),
    strip=st.sampled_from([None, 1, 7]),
)
@settings(max_examples=400, deadline=None)
def test_polygons_that_cross_themselves_are_filled_as_by_sorting_crossings(points, narrow, strip):
    ring = np.array(points) * [narrow, 1] + [9.5 if narrow < 1 else 0, 0]  # narrow polygons have steep edges
    np.testing.assert_array_equal(covered(Outline((ring,)), 70, 60, strip=strip), sorted_crossings(ring, 70, 60))


@pytest.mark.parametrize("height", [600, 1100])  # more rows than are filled at a time
def test_a_polygon_of_many_points_is_filled_as_by_sorting_crossings(height):
    draws = np.random.default_rng(height)
    for ring in (
        draws.uniform(-20, [220, height + 20], (400, 2)),
        np.cumsum(draws.normal(0, 6, (3000, 2)), axis=0) + np.array([100, height / 2]),
        np.stack([np.arange(900) / 5, np.where(np.arange(900) % 2, 3, height - 3)], axis=1),
    ):
        np.testing.assert_array_equal(covered(Outline((ring,)), 200, height), sorted_crossings(ring, 200, height))


def test_parts_of_an_outline_are_joined():
    rings = (np.array([[0, 0], [4, 0], [4, 4], [0, 4]], float), np.array([[2, 2], [6, 2], [6, 6], [2, 6]], float))
    assert covered(Outline(rings), 8, 8).sum() == 16 + 16 - 4


@given(bits=st.lists(st.booleans(), min_size=1, max_size=60), height=st.integers(1, 7))
@settings(max_examples=100, deadline=None)
def test_a_run_length_mask_is_its_pixels(bits, height):
    columns = -(-len(bits) // height)
    flat = np.array(bits + [False] * (columns * height - len(bits)))
    pixels = flat.reshape(columns, height).T
    runs = [0] if flat[0] else []
    runs += [int(n) for n in np.diff(np.flatnonzero(np.concatenate([[True], flat[1:] != flat[:-1], [True]])))]
    np.testing.assert_array_equal(covered(RunMask(height, columns, np.array(runs)), columns, height), pixels)


def test_a_mask_of_another_size_is_sampled_at_pixel_centres():
    quarter = RunMask(2, 2, np.array([0, 1, 3]))
    np.testing.assert_array_equal(covered(quarter, 4, 4, (2, 2)), np.pad(np.ones((2, 2), bool), (0, 2)))


@pytest.mark.parametrize("rounding", ["outer", "nearest", "exact"])
def test_an_outline_counts_pixels_in_every_rounding(rounding):
    triangle = np.array([[0, 0], [8, 0], [0, 8]], float)
    gt = with_shapes(build({"p": (10, 10)}, [("p", "a", 0, 0, 8, 8)]), {0: Outline((triangle,))})
    pred = build({"p": (10, 10)}, [("p", "a", 0, 0, 10, 10)])
    m = lcm.compare(gt, pred, rounding=rounding).confusion()
    # pixels whose centre has x + y < 8; centres on the diagonal x + y = 8 are on the edge and do not count
    expected = sum(x + 0.5 + y + 0.5 < 8 for x in range(10) for y in range(10))
    assert m.values.tolist() == [[0, 100 - expected], [0, expected]]


def test_polygons_from_a_file_agree_with_pycocotools():
    polygon = [3.2, 2.1, 17.9, 4.4, 15.3, 16.8, 6.1, 13.7]
    rle = coco_mask.frPyObjects([polygon], 20, 24)[0]
    segmentation = {"size": [20, 24], "counts": rle["counts"].decode()}
    content = coco([image(width=24, height=20)], [region(bbox=[3, 2, 15, 15], segmentation=segmentation)])
    layout = read_coco(content, shapes="polygon")
    np.testing.assert_array_equal(covered(layout.region_columns.shapes[0], 24, 20), coco_mask.decode(rle) > 0)
    assert not read_coco(content).region_columns.shapes


def test_boxes_are_clipped_before_they_are_rounded():
    boxes = np.array([[2.5, 2.5, 2.5, 2.5], [-3.0, -3, -1, -1], [9.6, 9.6, 12, 12], [0.4, 0.4, 0.6, 0.6]])
    frame = np.array([[10.0, 10.0]])
    side = SideBoxes(np.zeros(4, np.int32), np.zeros(4, np.int32), boxes, frame, np.ones(4))
    nothing = SideBoxes(np.empty(0, np.int32), np.empty(0, np.int32), np.empty((0, 4)), frame, np.empty(0))
    grid = to_grid(side, nothing, (1, 1), frame, "outer")
    areas = np.prod(grid.boxes[:, 2:] - grid.boxes[:, :2], axis=1)
    assert areas.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("rounding", ["outer", "nearest", "exact"])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_scaled_pages_are_scaled_exactly(rounding, data):
    """Edges that are whole numbers before and after scaling stay exact for all page sizes."""
    own, frame, part = (data.draw(st.integers(1, 40)) for _ in range(3))
    edge = data.draw(st.integers(0, own * part))
    width, height = own * part * frame, 7
    gt = build({"p": (width, height)}, [("p", "a", 0, 0, edge * frame, height)] if edge else [], ["a"])
    pred = build({"p": (own * part, height)}, [("p", "a", 0, 0, edge, height)] if edge else [], ["a"])
    for pair in ((gt, pred), (pred, gt)):
        m = lcm.compare(*pair, rounding=rounding).confusion()
        assert m.values[0, 1] == m.values[1, 0] == 0


def test_a_scaled_outline_covers_whole_pixels():
    triangle = np.array([[0, 0], [10, 0], [0, 10]], float)
    gt = build({"p": (49, 49)}, [("p", "a", 0, 0, 49, 49)])
    pred = with_shapes(build({"p": (10, 10)}, [("p", "a", 0, 0, 10, 10)]), {0: Outline((triangle,))})
    expected = sum(x + 0.5 + y + 0.5 < 49 for x in range(49) for y in range(49))
    for rounding in ("outer", "nearest", "exact"):
        assert lcm.compare(gt, pred, rounding=rounding).confusion().values[1, 1] == expected


def test_a_scaled_mask_is_sampled_at_exact_centres():
    column = np.zeros((14, 1), bool)
    column[7] = True  # the centre of row 4 of 9 is 4.5 * 14 / 9 = 7 exactly
    mask = RunMask(14, 1, np.array([7, 1, 6]))
    assert np.flatnonzero(covered(mask, 1, 9)[:, 0]).tolist() == [4]
