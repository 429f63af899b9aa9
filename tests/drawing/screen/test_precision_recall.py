"""The plane of precision and recall: its points and the places of their names."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.drawing.palette import LIGHT
from layoutcm.drawing.screen import precision_recall
from support.plotly_traces import trace


def test_plane_has_recall_on_x_and_precision_on_y(small):
    classes = trace(precision_recall.precision_recall_plane(small, LIGHT), "classes")
    assert list(classes.customdata) == [1, 2]
    assert list(classes.x) == pytest.approx([0.9, 1]) and list(classes.y) == pytest.approx([1, 0.8])


def test_names_of_equal_points_do_not_overlap():
    same = np.full(9, 0.5)
    places = precision_recall.name_places(same, same, ["name"] * 9, [20.0] * 9)
    free = [place for place in places if place]
    assert len(free) == len(set(free)) == 4


def test_names_without_space_are_in_the_list_with_a_line_to_their_point():
    labels = [f"class {i:02}" for i in range(40)]
    m = lcm.label_sets_confusion([[label] for label in labels], [[label] for label in labels], labels)
    figure = precision_recall.precision_recall_plane(m, LIGHT)
    leaders = [one for one in figure.data if one.name == "leader"]
    next_to_points = [text for text in trace(figure, "classes").text if text]
    assert {text.strip() for text in next_to_points} | {one.text[1].strip() for one in leaders} <= set(labels)
    assert len(leaders) == precision_recall.MOST_NAMES_IN_LIST  # the others have only a hover text
    assert all((one.x[0], one.y[0]) == (1, 1) for one in leaders)
    heights = sorted(one.y[1] for one in leaders)
    assert min(np.diff(heights)) >= precision_recall.TOP * precision_recall.LINE / precision_recall.PLANE_HEIGHT - 1e-9
    assert heights[0] >= 0 and heights[-1] <= precision_recall.TOP


def test_spread_apart_moves_only_values_that_are_too_close():
    assert precision_recall.spread_apart(np.array([0.2, 0.9, 0.5]), 0.1, 1.0) == pytest.approx([0.2, 0.9, 0.5])
    assert precision_recall.spread_apart(np.array([0.5, 0.5, 0.9]), 0.1, 1.0) == pytest.approx([0.55, 0.45, 0.9])
    assert precision_recall.spread_apart(np.array([1.0, 1.0, 0.95]), 0.1, 1.0) == pytest.approx([1.0, 0.9, 0.8])
    assert precision_recall.spread_apart(np.array([0.0, 0.0]), 0.1, 1.0) == pytest.approx([0.1, 0.0])
    assert precision_recall.spread_apart(np.array([]), 0.1, 1.0) == []
