"""Charts with lines on the screen and on paper: lines and marks are at their numbers, texts stay on the sheet."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.drawing import line_charts
from layoutcm.drawing.line_charts import (
    PAPER_POINTS,
    SCREEN_POINTS,
    curve_of,
    curve_points,
    forgiveness_lines,
    object_curves,
    points_of,
    recall_curves,
    reliability_bars,
    reliability_of,
    roc_curve,
    threshold_curve,
    threshold_points,
)
from layoutcm.drawing.palette import DARK, LIGHT
from layoutcm.drawing.paper import charts as paper
from layoutcm.drawing.paper import figure_style
from layoutcm.drawing.screen import charts as screen
from layoutcm.filling.result_parts import curves_part
from layoutcm.metrics.objects.average_precision import envelope_steps
from layoutcm.tables.why import FORGIVEN
from support import hostile
from support.comparisons import different_labels
from support.drawn_figures import drawn_texts, svg_texts, text_boxes, trace
from support.layouts import build

PAGE, LARGE = {"p": (10, 10)}, {"p": (100, 100)}


@pytest.fixture
def curves():
    """gt has 50 pixels of a. Of 40, 20 and 10 pixels with the scores 0.9, 0.5 and 0.2, 40, 10 and none are right."""
    gt = build(PAGE, [("p", "a", 0, 0, 10, 5)], ["a", "<b>"])
    rows = [("p", "a", 0, 0, 10, 4, 0.9), ("p", "a", 0, 4, 10, 6, 0.5), ("p", "a", 0, 6, 10, 7, 0.2)]
    return lcm.compare(gt, build(PAGE, rows, ["a", "<b>"])).score_curves()


def reliability(curves, label, recipe=""):
    return reliability_bars(curves.reliability(label), label, curves.ece[label], recipe=recipe)


def stored_points(curves, label):
    """The points of a label, or of all labels, as a result keeps them."""
    part = curves_part(curves)
    return points_of(label, next((row for row in part.classes if row.label == label), part.overall).curve)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_threshold_curve_has_all_scores_and_its_best_point(curves, theme):
    figure = screen.draw(threshold_curve(threshold_points(curves, "a")), theme)
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


def corners_of(line):
    """The corners of a line as it is drawn, with those of its steps."""
    line.recache(always=True)
    return [(float(x), float(y)) for x, y in line.get_path().vertices]


@pytest.mark.parametrize("width", ["one", "two"])
def test_a_threshold_curve_on_paper_has_steps_and_its_best_point(curves, width):
    figure = paper.draw(threshold_curve(stored_points(curves, "a")), width=width)
    drawn = [corners_of(line) for line in figure.axes[0].lines]
    # A value holds from the threshold before it up to its own.
    low, middle = 50 / 70, 50 / 60
    steps = [(0, low), (0, low), (0.2, low), (0.2, middle), (0.5, middle), (0.5, 1), (0.9, 1)]
    np.testing.assert_allclose(drawn[0], steps, atol=1e-5)
    (f1,) = (line for line in drawn if (0.9, pytest.approx(80 / 90, abs=1e-5)) in line)
    assert (0.5, pytest.approx(100 / 110, abs=1e-5)) in f1
    assert drawn[-2] == [(0.5, pytest.approx(100 / 110, abs=1e-5))]  # the marker
    assert [x for x, _ in drawn[-1]] == [0.5, 0.5]
    shown = svg_texts(figure)
    assert {"a", "best threshold 0.5: F1 0.909", "precision", "recall", "F1", "score threshold"} <= set(shown)
    assert [text for text in shown if re.fullmatch(r"0\.\d+|1", text)] == ["0.25", "0.5", "0.75", "1"]


def test_all_labels_together(curves):
    figure = screen.draw(threshold_curve(threshold_points(curves, None)), LIGHT)
    assert figure.layout.title.text == "all labels" and figure.data[3].x == (0.5,)
    assert "all labels" in svg_texts(paper.draw(threshold_curve(stored_points(curves, "all labels"))))


def test_a_label_without_scores_is_an_empty_figure(curves):
    for points in (threshold_points(curves, "<b>"), stored_points(curves, "<b>"), points_of("<b>", None)):
        chart = threshold_curve(points)
        figure = screen.draw(chart, LIGHT)
        assert not figure.data and not figure.layout.shapes and figure.layout.title.text == "&lt;b&gt;"
        assert json.loads(figure.to_json())["layout"]["paper_bgcolor"] == "rgba(0,0,0,0)"
        assert not [text for text in svg_texts(paper.draw(chart)) if text.startswith("best")]
    assert screen.draw(reliability(curves, "<b>"), LIGHT).layout.title.text == "&lt;b&gt;, ECE –"
    assert "ECE –" in svg_texts(paper.draw(reliability(curves, "<b>")))


def test_values_that_are_undefined_are_not_drawn():
    layouts = build(PAGE, [], ["a"]), build(PAGE, [("p", "a", 0, 0, 5, 5, 0.5)])
    found = threshold_points(lcm.compare(*layouts).score_curves(), "a")
    figure = screen.draw(threshold_curve(found), LIGHT)
    assert trace(figure, "recall").y == (None, None) and trace(figure, "precision").y == (0, 0)


def test_long_threshold_curves_keep_their_ends_and_their_best_point():
    rng = np.random.default_rng(2)
    rows = [("p", "a", 0, y, 10, y + 1, float(rng.random())) for y in range(3000)]
    gt = build({"p": (10, 3000)}, [row[:6] for row in rows if row[6] > 0.4321 or row[3] % 7 == 0])
    s = lcm.compare(gt, build({"p": (10, 3000)}, rows)).score_curves()
    points, whole = threshold_points(s, "a"), s.curve("a")
    assert len(points.rows) <= SCREEN_POINTS and points.rows["threshold"].is_monotonic_increasing
    assert points.rows["threshold"].iloc[[1, -1]].tolist() == whole["threshold"].iloc[[0, -1]].tolist()
    assert points.best_threshold == s.best()["threshold"][0] and points.best_f1 == whole["f1"].max()
    assert points.best_threshold in points.rows["threshold"].tolist()


def test_a_reliability_diagram_has_shares_and_mean_scores(curves):
    figure = screen.draw(reliability(curves, "a"), LIGHT)
    bars, means = figure.data
    assert bars.name == "share of pixels that gt labels so" and means.name == "mean score"
    assert bars.x == means.x == pytest.approx((0.15, 0.45, 0.85))
    assert bars.y == (0, 0.5, 1) and means.y == pytest.approx((0.2, 0.5, 0.9))
    assert bars.hovertext[1] == "scores above 0.4 up to 0.5<br>20 px<br>mean score 0.500<br>share in gt 50.0 %"
    assert figure.layout.title.text == "a, ECE 0.086"


def test_a_reliability_diagram_on_paper_has_bars_as_wide_as_the_scores(curves):
    row = next(row for row in curves_part(curves).classes if row.label == "a")
    figure = paper.draw(reliability_bars(reliability_of(row.reliability), "a", row.ece, recipe="gt:a|pred:b"))
    (axes,) = figure.axes
    bars = [(bar.get_x(), bar.get_x() + bar.get_width(), bar.get_height()) for bar in axes.patches]
    np.testing.assert_allclose(bars, [(0.1, 0.2, 0), (0.4, 0.5, 0.5), (0.8, 0.9, 1)], atol=1e-12)
    means = axes.collections[0].get_segments()
    np.testing.assert_allclose(
        means, [[(0.1, 0.2), (0.2, 0.2)], [(0.4, 0.5), (0.5, 0.5)], [(0.8, 0.9), (0.9, 0.9)]], atol=1e-7
    )
    shown = svg_texts(figure)
    assert "ECE 0.086" in shown and [text for text in shown if text in ("10", "20", "40")] == ["10", "20", "40"]
    assert shown[-1] == "gt:a|pred:b"
    assert "gt:a|pred:b" not in svg_texts(paper.draw(reliability(curves, "a", "gt:a|pred:b"), caption=False))


def test_roc_curves_have_the_diagonal_of_chance(curves):
    chart = roc_curve(curves, "a")
    line, chance = screen.draw(chart, LIGHT).data
    table = curves.roc("a")
    assert list(zip(line.x, line.y)) == list(zip(table["false_positives"], table["true_positives"]))
    assert chance.x == chance.y == (0, 1) and line.hovertext[-1].endswith("of the others")
    assert {f"ROC AUC {curves.roc_auc['a']:.3f}", "scores at random"} <= set(svg_texts(paper.draw(chart)))


@pytest.mark.parametrize("width", ["one", "two"])
def test_texts_stay_on_the_sheet(width):
    long = "a label with a name that is much too long for any figure " * 3
    gt = build(PAGE, [("p", long, 0, 0, 10, 5)])
    s = lcm.compare(gt, build(PAGE, [("p", long, 0, 0, 10, 4, 0.123456)])).score_curves()
    for chart in (threshold_curve(stored_points(s, long)), reliability(s, long)):
        figure = paper.draw(chart, width=width)
        wide, high = figure.get_size_inches() * 72
        boxes = [box for _, box in text_boxes(figure)]
        assert all(box.x0 > -1 and box.x1 < wide + 1 and box.y0 > -1 and box.y1 < high + 1 for box in boxes)
        first, second = sorted(boxes, key=lambda box: -box.y0)[:2]  # the two texts above the plot
        assert max(first.x0, second.x0) > min(first.x1, second.x1)


def test_hostile_labels_are_text_and_files_are_equal():
    s = hostile.compared().score_curves()
    label = next(label for label in hostile.LABELS if "$" in label)
    assert label in svg_texts(paper.draw(threshold_curve(points_of(label, None)), width="two"))
    once, again = (figure_style.figure_bytes(paper.draw(reliability(s, label)), "svg") for _ in range(2))
    assert once == again


def test_lines_of_forgiveness_go_through_the_scores(sample):
    table = sample.forgiveness()
    chart = forgiveness_lines(table, sample.recipe)
    on_screen = screen.draw(chart, DARK)
    assert [list(one.y) for one in on_screen.data] == [table[name].tolist() for name in FORGIVEN]
    assert on_screen.layout.xaxis.tickvals == tuple(table["tolerance"]) and on_screen.data[1].name == "macro F1"
    figure = paper.draw(chart)
    for line, name in zip(figure.axes[0].lines, ("micro_f1", "macro_f1", "content_f1"), strict=True):
        assert line.get_ydata() == pytest.approx(table[name].to_numpy())
        assert line.get_xdata() == pytest.approx(table["tolerance"].to_numpy())
    ticks = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert ticks == ["0", "0.25", "0.5", "1", "2"]
    assert figure.axes[0].get_ylim()[0] > 0
    with pytest.raises(lcm.InputError, match="different labels"):
        forgiveness_lines(different_labels().forgiveness())


def test_a_curve_follows_its_ap_rule():
    ranked = pd.DataFrame({"score": [0.9, 0.8, 0.7], "precision": [0.4, 0.5, 0.2], "recall": [0.1, 0.2, 0.3]})
    assert curve_points("a", 0.5, ranked, "sum").precision.tolist() == [0.4, 0.5, 0.2]
    assert curve_points("a", 0.5, ranked, "voc").precision.tolist() == [0.5, 0.5, 0.2]
    chart = recall_curves([curve_points("<b>", float("nan"), ranked, "coco")], ["a", "<b>"])
    (line,) = screen.draw(chart, LIGHT).data
    assert line.name == "&lt;b&gt; –" and "score 0.900 or more" in line.hovertext[0]


def test_long_curves_keep_their_ends_and_short_curves_all_points():
    n = 10 * SCREEN_POINTS
    ranked = pd.DataFrame({"score": np.linspace(1, 0, n), "precision": np.ones(n), "recall": np.linspace(0, 1, n)})
    curve = curve_points("a", 1.0, ranked, "coco")
    assert len(curve.recall) == SCREEN_POINTS and (curve.recall[0], curve.recall[-1]) == (0, 1)
    assert curve_points("a", 1.0, ranked.head(7), "coco").score.tolist() == ranked["score"].head(7).tolist()
    assert len(curve_points("a", 1.0, ranked.head(0), "coco").score) == 0
    curve = curve_of("a", {"precision": 1 - ranked["recall"] / 2, "recall": ranked["recall"]})
    assert len(curve.recall) == PAPER_POINTS and (curve.recall[-1], curve.precision[-1]) == (1, 0.5)


def test_object_curves_are_the_steps_under_which_coco_computes_the_area():
    boxes = [("p", "a", 0, 10 * k, 10, 10 * k + 8) for k in range(4)]
    gt = build(LARGE, [*boxes, ("p", "b", 50, 0, 60, 10)])
    # Ranking: hit, miss, hit, miss; two of four objects are not found. b is not predicted.
    wrong = [("p", "a", 50, 50 + 10 * k, 60, 58 + 10 * k, s) for k, s in enumerate((0.8, 0.6))]
    pred = build(LARGE, [(*boxes[0], 0.9), wrong[0], (*boxes[1], 0.7), wrong[1]], labels=["a", "b"])
    objects = lcm.compare(gt, pred).objects()
    steps = envelope_steps(objects.curve("a", 0.5))
    assert steps["recall"].tolist() == [0, 0.25, 0.25, 0.5]
    assert steps["precision"].tolist() == pytest.approx([1, 1, 2 / 3, 2 / 3])
    area = np.trapezoid(steps["precision"], steps["recall"])
    assert area == pytest.approx(objects.ap_at(0.5, "voc")["a"])
    shown = svg_texts(paper.draw(object_curves(objects)))
    assert f"a, AP {objects.ap_at(0.5)['a']:.3f}" in shown and "b, AP 0.000" in shown


def test_curves_are_drawn_for_the_most_frequent_labels(monkeypatch):
    monkeypatch.setattr(line_charts, "MOST_DRAWN", 7)
    boxes = [("p", f"l{i}", 5 * i, 5 * k, 5 * i + 4, 5 * k + 4) for i in range(9) for k in range(1 + (i > 1))]
    layout, scored = build(LARGE, boxes), build(LARGE, [(*box, 0.5) for box in boxes])
    drawn = drawn_texts(paper.draw(object_curves(lcm.compare(layout, scored).objects()), caption=False))
    assert {text for text in drawn if text.startswith("l")} == {f"l{i}" for i in range(2, 9)}
