"""Threshold curves and reliability diagrams on the screen."""

import json

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.drawing.palette import DARK, LIGHT
from layoutcm.drawing.score_points import threshold_points
from layoutcm.drawing.screen.object_charts import MOST_POINTS, reliability_figure, threshold_curve_figure
from support.layouts import build
from support.plotly_traces import trace

PAGE = {"p": (10, 10)}


@pytest.fixture
def curves():
    """gt has 50 pixels of a. Of 40, 20 and 10 pixels with the scores 0.9, 0.5 and 0.2, 40, 10 and none are right."""
    gt = build(PAGE, [("p", "a", 0, 0, 10, 5)], ["a", "<b>"])
    rows = [("p", "a", 0, 0, 10, 4, 0.9), ("p", "a", 0, 4, 10, 6, 0.5), ("p", "a", 0, 6, 10, 7, 0.2)]
    return lcm.compare(gt, build(PAGE, rows, ["a", "<b>"])).score_curves()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_threshold_curve_has_all_scores_and_its_best_point(curves, theme):
    figure = threshold_curve_figure(curves, "a", theme)
    assert [one.name for one in figure.data] == ["precision", "recall", "F1", "best threshold 0.5: F1 0.909"]
    drawn = {one.name: list(zip(one.x, one.y)) for one in figure.data}
    # Below the lowest score, all regions stay.
    assert drawn["precision"] == [(0, 50 / 70), (0.2, 50 / 70), (0.5, 50 / 60), (0.9, 1)]
    assert drawn["recall"] == [(0, 1), (0.2, 1), (0.5, 1), (0.9, 0.8)]
    f1 = [[0, 100 / 120], [0.2, 100 / 120], [0.5, 100 / 110], [0.9, 80 / 90]]
    np.testing.assert_allclose(drawn["F1"], f1)
    assert figure.data[3].x == (0.5,) and figure.data[3].y == (pytest.approx(100 / 110),)
    assert {one.line.shape for one in figure.data[:3]} == {"vh"}
    assert figure.data[2].hovertext[2] == "score 0.500 or more<br>F1 0.9091"
    assert figure.layout.shapes[0].x0 == 0.5 and figure.layout.title.text == "a"


def test_all_labels_together(curves):
    figure = threshold_curve_figure(curves, None, LIGHT)
    assert figure.layout.title.text == "all labels" and figure.data[3].x == (0.5,)


def test_a_label_without_scores_is_an_empty_figure(curves):
    figure = threshold_curve_figure(curves, "<b>", LIGHT)
    assert not figure.data and not figure.layout.shapes and figure.layout.title.text == "&lt;b&gt;"
    assert json.loads(figure.to_json())["layout"]["paper_bgcolor"] == "rgba(0,0,0,0)"
    assert reliability_figure(curves, "<b>", LIGHT).layout.title.text == "&lt;b&gt;, ECE –"


def test_values_that_are_undefined_are_not_drawn():
    layouts = build(PAGE, [], ["a"]), build(PAGE, [("p", "a", 0, 0, 5, 5, 0.5)])
    figure = threshold_curve_figure(lcm.compare(*layouts).score_curves(), "a", LIGHT)
    assert trace(figure, "recall").y == (None, None) and trace(figure, "precision").y == (0, 0)


def test_long_curves_keep_their_ends_and_their_best_point():
    rng = np.random.default_rng(2)
    rows = [("p", "a", 0, y, 10, y + 1, float(rng.random())) for y in range(3000)]
    gt = build({"p": (10, 3000)}, [row[:6] for row in rows if row[6] > 0.4321 or row[3] % 7 == 0])
    s = lcm.compare(gt, build({"p": (10, 3000)}, rows)).score_curves()
    points, whole = threshold_points(s, "a", MOST_POINTS), s.curve("a")
    assert len(points.rows) <= MOST_POINTS and points.rows["threshold"].is_monotonic_increasing
    assert points.rows["threshold"].iloc[[1, -1]].tolist() == whole["threshold"].iloc[[0, -1]].tolist()
    assert points.best_threshold == s.best()["threshold"][0] and points.best_f1 == whole["f1"].max()
    assert points.best_threshold in points.rows["threshold"].tolist()


def test_a_reliability_diagram_has_shares_and_mean_scores(curves):
    figure = reliability_figure(curves, "a", LIGHT)
    bars, means = figure.data
    assert bars.name == "share of pixels that gt labels so" and means.name == "mean score"
    assert bars.x == means.x == pytest.approx((0.15, 0.45, 0.85))
    assert bars.y == (0, 0.5, 1) and means.y == pytest.approx((0.2, 0.5, 0.9))
    assert bars.hovertext[1] == "scores above 0.4 up to 0.5<br>20 px<br>mean score 0.500<br>share in gt 50.0 %"
    assert figure.layout.title.text == "a, ECE 0.086"
