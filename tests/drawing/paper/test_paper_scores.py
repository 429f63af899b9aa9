"""Threshold curves and reliability diagrams on paper: the drawn numbers, and texts that stay on the sheet."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.drawing.paper import printing
from layoutcm.drawing.paper.score_charts import reliability_figure, threshold_curve_figure
from layoutcm.drawing.score_points import points_of, reliability_of
from layoutcm.filling.result_parts import curves_part
from support import hostile
from support.layouts import build
from support.paper_texts import text_boxes

PAGE = {"p": (10, 10)}


def scored(c):
    return curves_part(c.score_curves())


def points(curves, label):
    row = next((row for row in curves.classes if row.label == label), curves.overall)
    return points_of(label, row.curve)


def reliability(curves, label, **look):
    row = next(row for row in curves.classes if row.label == label)
    return reliability_figure(reliability_of(row.reliability), label, row.ece, **look)


@pytest.fixture
def curves():
    """gt has 50 pixels of a. Of 40, 20 and 10 pixels with the scores 0.9, 0.5 and 0.2, 40, 10 and none are right."""
    gt = build(PAGE, [("p", "a", 0, 0, 10, 5)], ["a", "b"])
    rows = [("p", "a", 0, 0, 10, 4, 0.9), ("p", "a", 0, 4, 10, 6, 0.5), ("p", "a", 0, 6, 10, 7, 0.2)]
    return scored(lcm.compare(gt, build(PAGE, rows, ["a", "b"])))


def corners_of(line):
    """The corners of a line as it is drawn, with those of its steps."""
    line.recache(always=True)
    return [(float(x), float(y)) for x, y in line.get_path().vertices]


def texts_of(figure):
    svg = printing.figure_bytes(figure, "svg")
    return [element.text for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("width", ["one", "two"])
def test_a_threshold_curve_has_steps_and_its_best_point(curves, width):
    figure = threshold_curve_figure(points(curves, "a"), width=width)
    drawn = [corners_of(line) for line in figure.axes[0].lines]
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
    assert "all labels" in texts_of(threshold_curve_figure(points(curves, "all labels")))
    empty = threshold_curve_figure(points(curves, "b"))
    assert not [text for text in texts_of(empty) if text.startswith("best")]
    assert "ECE –" in texts_of(reliability(curves, "b"))


def test_a_reliability_diagram_has_shares_and_mean_scores(curves):
    figure = reliability(curves, "a", recipe="gt:a|pred:b")
    (axes,) = figure.axes
    bars = [(bar.get_x(), bar.get_x() + bar.get_width(), bar.get_height()) for bar in axes.patches]
    np.testing.assert_allclose(bars, [(0.1, 0.2, 0), (0.4, 0.5, 0.5), (0.8, 0.9, 1)], atol=1e-12)
    means = axes.collections[0].get_segments()
    np.testing.assert_allclose(
        means, [[(0.1, 0.2), (0.2, 0.2)], [(0.4, 0.5), (0.5, 0.5)], [(0.8, 0.9), (0.9, 0.9)]], atol=1e-7
    )
    shown = texts_of(figure)
    assert "ECE 0.086" in shown and [text for text in shown if text in ("10", "20", "40")] == ["10", "20", "40"]
    assert shown[-1] == "gt:a|pred:b" and "gt:a|pred:b" not in texts_of(reliability(curves, "a", caption=False))


@pytest.mark.parametrize("width", ["one", "two"])
def test_texts_stay_on_the_sheet(width):
    long = "a label with a name that is much too long for any figure " * 3
    gt = build(PAGE, [("p", long, 0, 0, 10, 5)])
    s = scored(lcm.compare(gt, build(PAGE, [("p", long, 0, 0, 10, 4, 0.123456)])))
    for figure in (threshold_curve_figure(points(s, long), width=width), reliability(s, long, width=width)):
        wide, high = figure.get_size_inches() * 72
        boxes = [box for _, box in text_boxes(figure)]
        assert all(box.x0 > -1 and box.x1 < wide + 1 and box.y0 > -1 and box.y1 < high + 1 for box in boxes)
        first, second = sorted(boxes, key=lambda box: -box.y0)[:2]  # the two texts above the plot
        assert max(first.x0, second.x0) > min(first.x1, second.x1)


def test_hostile_labels_are_text_and_files_are_equal():
    s = hostile.compared().score_curves()
    label = next(label for label in hostile.LABELS if "$" in label)
    assert label in texts_of(threshold_curve_figure(points_of(label, None), width="two"))
    draw = lambda: reliability_figure(s.reliability(label), label, s.ece[label])
    once, again = (printing.figure_bytes(draw(), "svg") for _ in range(2))
    assert once == again
    assert np.isfinite(threshold_curve_figure(points_of(label, None)).get_size_inches()).all()
