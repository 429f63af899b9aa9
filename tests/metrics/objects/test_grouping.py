"""Regions are sorted into groups as by a plain sort."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layoutcm.metrics.objects.matching import best_first, group_regions, sort_groups, stable_order

nan = float("nan")


@pytest.mark.parametrize("scored", [True, False])
def test_groups_are_those_of_a_plain_sort(scored):
    """Regions keep the order of the file within their group; pred is sorted by descending score first."""
    rng = np.random.default_rng(0)
    gt, pred, scores = rng.integers(0, 5, 200), 2 * rng.integers(0, 4, 150), rng.integers(0, 3, 150) / 2
    groups = group_regions(gt, pred, scores if scored else None)
    place = lambda i: (-scores[i] if scored else 0, i)
    found = [
        (groups.gt_order[a:b].tolist(), groups.pred_order[c:d].tolist())
        for a, b, c, d in zip(groups.gt_start, groups.gt_stop, groups.pred_start, groups.pred_stop)
    ]
    assert found == [
        ([i for i in range(200) if gt[i] == key], sorted((i for i in range(150) if pred[i] == key), key=place))
        for key in (0, 2, 4, 6)
    ]


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 300), st.sampled_from([1, 9, 2**16, 2**40]))
def test_rows_with_equal_keys_stay_in_the_order_given(seed, n, highest):
    rng = np.random.default_rng(seed)
    key, order = rng.integers(0, highest, n), rng.permutation(n)
    assert stable_order(key).tolist() == sorted(range(n), key=lambda i: key[i])
    assert stable_order(key, order).tolist() == sorted(order.tolist(), key=lambda i: key[i])


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.lists(st.integers(0, 150), min_size=1, max_size=4), st.sampled_from([2, 1000]))
def test_groups_of_any_length_are_sorted_on_their_own(seed, sizes, values):
    """Equal values stay in their order, and rows between the groups where they are."""
    rng = np.random.default_rng(seed)
    stop = np.cumsum([size + 1 for size in sizes]) - 1  # one row after each group
    start, n = stop - sizes, int(stop[-1]) + 1
    value, order = rng.integers(0, values, n) / 7, rng.permutation(n)
    expected = order.tolist()
    for first, last in zip(start.tolist(), stop.tolist()):
        expected[first:last] = sorted(expected[first:last], key=lambda i: value[i])
    sort_groups(order, start, stop, value)
    assert order.tolist() == expected


def test_predictions_without_a_score_come_last():
    assert best_first(np.array([0.5, nan, -2.0])).tolist() == [-0.5, np.inf, 2]
    groups = group_regions(np.zeros(0, int), np.zeros(4, int), np.array([nan, 0.2, nan, 0.9]))
    assert groups.pred_order.tolist() == [3, 1, 0, 2]
