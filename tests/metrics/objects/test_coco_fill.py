"""Polygons are filled as pycocotools fills them, bit for bit."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools import mask as coco_mask

from layoutcm.metrics.objects.coco_fill import ring_runs

WIDTH, HEIGHT = 30, 23
coordinate = st.one_of(st.integers(-30, 80).map(lambda n: n / 2), st.floats(-40, 60), st.floats(10, 10.9))


def filled(runs):
    values = np.arange(runs.size) % 2 == 1
    return np.repeat(values, runs).reshape(WIDTH, HEIGHT).T


@given(points=st.lists(st.tuples(coordinate, coordinate), min_size=3, max_size=30))
@settings(max_examples=500, deadline=None)
def test_a_polygon_is_filled_as_by_pycocotools(points):
    ring = np.array(points)
    runs = ring_runs(ring, WIDTH, HEIGHT)
    assert runs.sum() == WIDTH * HEIGHT and (runs >= 0).all()
    expected = coco_mask.decode(coco_mask.frPyObjects([ring.ravel().tolist()], HEIGHT, WIDTH)[0])
    np.testing.assert_array_equal(filled(runs), expected > 0)


def test_the_memory_is_that_of_the_page():
    """300,000 long edges: 10^9 steps if each one was stored."""
    ring = np.random.default_rng(1).uniform(0, [500, 600], (300_000, 2))
    runs = ring_runs(ring, 500, 600)
    assert runs.sum() == 500 * 600 and runs.nbytes < 10e6
