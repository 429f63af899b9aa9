"""Threshold curves and reliability diagrams on paper: the drawn numbers, and texts that stay on the sheet."""

import re
import xml.etree.ElementTree as ET

import matplotlib
import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection

import layoutcm as lcm
from layoutcm.drawing.paper import printing
from layoutcm.drawing.paper.score_charts import HIGHEST, LEFT, TOP, reliability_figure, threshold_curve_figure
from support import hostile
from support.layouts import build

PAGE = {"p": (10, 10)}


@pytest.fixture
def curves():
    """gt has 50 pixels of a. Of 40, 20 and 10 pixels with the scores 0.9, 0.5 and 0.2, 40, 10 and none are right."""
    gt = build(PAGE, [("p", "a", 0, 0, 10, 5)], ["a", "b"])
    rows = [("p", "a", 0, 0, 10, 4, 0.9), ("p", "a", 0, 4, 10, 6, 0.5), ("p", "a", 0, 6, 10, 7, 0.2)]
    return lcm.compare(gt, build(PAGE, rows, ["a", "b"])).score_curves()


def from_sheet(points, width):
    """Points of the sheet as numbers of the axes, both from 0 to 1."""
    size = printing.COLUMN_WIDTHS[width] - LEFT - 10
    return [(round((x - LEFT) / size, 6), round(1 - (y - TOP) / HIGHEST, 6)) for x, y in points]


def texts_of(figure):
    svg = printing.figure_bytes(figure, "svg")
    return [element.text for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("width", ["one", "two"])
def test_a_threshold_curve_has_steps_and_its_best_point(curves, width):
    figure = threshold_curve_figure(curves, "a", width=width)
    drawn = [from_sheet(zip(*line.get_data()), width) for line in figure.axes[0].lines]
    # A value holds from the threshold before it up to its own.
    low, middle = 50 / 70, 50 / 60
    steps = [(0, low), (0, low), (0.2, low), (0.2, middle), (0.5, middle), (0.5, 1), (0.9, 1)]
    np.testing.assert_allclose(drawn[0], steps, atol=1e-5)
    (f1,) = (line for line in drawn if (0.9, pytest.approx(80 / 90, abs=1e-5)) in line)
    assert (0.5, pytest.approx(100 / 110, abs=1e-5)) in f1
    assert drawn[-1] == [(0.5, pytest.approx(100 / 110, abs=1e-5))]  # the marker
    assert [x for x, _ in drawn[-2]] == [0.5, 0.5]
    shown = texts_of(figure)
    assert {"a", "best threshold 0.5: F1 0.909", "precision", "recall", "F1", "score threshold"} <= set(shown)
    assert [text for text in shown if re.fullmatch(r"0\.\d+|1", text)] == ["0.25", "0.5", "0.75", "1"]


def test_all_labels_and_a_label_without_scores(curves):
    assert "all labels" in texts_of(threshold_curve_figure(curves))
    empty = threshold_curve_figure(curves, "b")
    assert not [text for text in texts_of(empty) if text.startswith("best")]
    assert "ECE –" in texts_of(reliability_figure(curves, "b"))


def test_a_reliability_diagram_has_shares_and_mean_scores(curves):
    figure = reliability_figure(curves, "a", recipe="gt:a|pred:b")
    parts = figure.axes[0].collections
    bars = next(one for one in parts if isinstance(one, PolyCollection) and len(one.get_paths()) == 3)
    corners = [from_sheet(path.vertices[:4], "one") for path in bars.get_paths()]
    assert corners == [
        [(0.1, 0), (0.2, 0), (0.2, 0), (0.1, 0)],
        [(0.4, 0), (0.5, 0), (0.5, 0.5), (0.4, 0.5)],
        [(0.8, 0), (0.9, 0), (0.9, 1), (0.8, 1)],
    ]
    means = next(one for one in parts if isinstance(one, LineCollection) and len(one.get_segments()) == 3)
    lines = [from_sheet(segment, "one") for segment in means.get_segments()]
    assert lines == [[(0.1, 0.2), (0.2, 0.2)], [(0.4, 0.5), (0.5, 0.5)], [(0.8, 0.9), (0.9, 0.9)]]
    shown = texts_of(figure)
    assert "ECE 0.086" in shown and [text for text in shown if text in ("10", "20", "40")] == ["10", "20", "40"]
    assert shown[-1] == "gt:a|pred:b" and "gt:a|pred:b" not in texts_of(reliability_figure(curves, "a", caption=False))


@pytest.mark.parametrize("width", ["one", "two"])
def test_texts_stay_on_the_sheet(width):
    long = "a label with a name that is much too long for any figure " * 3
    gt = build(PAGE, [("p", long, 0, 0, 10, 5)])
    s = lcm.compare(gt, build(PAGE, [("p", long, 0, 0, 10, 4, 0.123456)])).score_curves()
    for figure in (threshold_curve_figure(s, long, width=width), reliability_figure(s, long, width=width)):
        wide, high = figure.get_size_inches() * 72
        with printing.paper_style():
            canvas = matplotlib.backends.backend_agg.FigureCanvasAgg(figure)
            figure.set_dpi(72)
            boxes = [text.get_window_extent(canvas.get_renderer()) for text in figure.axes[0].texts]
        assert all(box.x0 > -1 and box.x1 < wide + 1 and box.y0 > -1 and box.y1 < high + 1 for box in boxes)
        first, second = sorted(boxes, key=lambda box: -box.y0)[:2]  # the two texts above the plot
        assert max(first.x0, second.x0) > min(first.x1, second.x1)


def test_hostile_labels_are_text_and_files_are_equal():
    s = hostile.compared().score_curves()
    label = next(label for label in hostile.LABELS if "$" in label)
    assert label in texts_of(threshold_curve_figure(s, label, width="two"))
    once, again = (printing.figure_bytes(reliability_figure(s, label), "svg") for _ in range(2))
    assert once == again
    assert np.isfinite(threshold_curve_figure(s, label).get_size_inches()).all()
