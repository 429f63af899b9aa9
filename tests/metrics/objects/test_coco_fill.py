"""Polygons are filled as pycocotools fills them, bit for bit."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools import mask as coco_mask

from layoutcm.metrics.objects.coco_fill import BLOCK_BITS, ring_runs

WIDTH, HEIGHT = 30, 23
coordinate = st.one_of(st.integers(-30, 80).map(lambda n: n / 2), st.floats(-40, 60), st.floats(10, 10.9))


def filled(runs, width=WIDTH, height=HEIGHT):
    values = np.arange(runs.size) % 2 == 1
    return np.repeat(values, runs).reshape(width, height).T


def by_pycocotools(ring, width=WIDTH, height=HEIGHT):
    return coco_mask.decode(coco_mask.frPyObjects([ring.ravel().tolist()], height, width)[0]) > 0


@given(points=st.lists(st.tuples(coordinate, coordinate), min_size=3, max_size=30))
@settings(max_examples=500, deadline=None)
def test_a_polygon_is_filled_as_by_pycocotools(points):
    ring = np.array(points)
    runs = ring_runs(ring, WIDTH, HEIGHT)
    assert runs.sum() == WIDTH * HEIGHT and (runs >= 0).all()
    np.testing.assert_array_equal(filled(runs), by_pycocotools(ring))


@given(seed=st.integers(0, 1000), scale=st.sampled_from([1, 40, 500]), digits=st.sampled_from([0, 1, 6]))
@settings(max_examples=20, deadline=None)
def test_pages_of_several_blocks_of_columns_are_filled_as_by_pycocotools(seed, scale, digits):
    """Flat edges, steep ones, and with the largest scale ones that are nearly vertical and end far outside."""
    width, height = 3_000, 2_000
    assert width * height > 2 * BLOCK_BITS
    points = np.random.default_rng(seed).uniform([-9, -9 * scale], [width + 9, height * scale], (6, 2))
    ring = np.concatenate([points, points[:3] + np.array([3, 20_000])]).round(digits)
    np.testing.assert_array_equal(
        filled(ring_runs(ring, width, height), width, height), by_pycocotools(ring, width, height)
    )


def test_the_memory_is_that_of_the_page():
    """300,000 long edges: 10^9 steps if each one was stored."""
    ring = np.random.default_rng(1).uniform(0, [500, 600], (300_000, 2))
    runs = ring_runs(ring, 500, 600)
    assert runs.sum() == 500 * 600 and runs.nbytes < 10e6
