"""F1 of classes and predictions: the figures on the screen and on paper show the numbers of the leaderboard."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.drawing.cell_charts import model_classes, model_differences
from layoutcm.drawing.palette import DARK, LIGHT
from layoutcm.drawing.paper import charts as on_paper
from layoutcm.drawing.screen import charts as on_screen
from layoutcm.results.types import BoardClass
from layoutcm.tables import leaderboard_tables
from layoutcm.tables.leaderboard_tables import ClassGrid, class_grid, classes_in_use
from support.paper_texts import drawn_texts
from support.plotly_traces import trace
from support.sample_comparisons import compare_all_of_sample


@pytest.fixture(scope="module")
def board():
    return lcm.leaderboard(compare_all_of_sample())


def row(f1, difference=float("nan"), verdict=None):
    ends = {"f1_low": f1 - 0.1, "f1_high": f1 + 0.05, "difference_low": difference - 0.1, "difference_high": difference}
    found = {"f1": f1, "difference": difference, "verdict": verdict, "p": None, "label": "", "model": "", "remark": ""}
    return BoardClass(**found, **ends)


@pytest.fixture
def grid():
    """Two classes of two predictions: y is better in a; b does not occur in x, and y finds nothing of it."""
    rows = {("a", "y"): row(0.896, 0.196, "better"), ("a", "x"): row(0.7, verdict="baseline")}
    rows |= {("b", "y"): row(0.0, verdict="no difference shown"), ("b", "x"): row(float("nan"), verdict="baseline")}
    values = np.array([[0.896, 0.7], [0, np.nan]])
    return ClassGrid(["a", "b"], ["y", "x"], "x", values, [["▲", ""], ["", ""]], rows, ["recipe of y", "recipe of x"])


def test_the_grid_has_the_numbers_and_marks_of_the_leaderboard(board):
    grid = class_grid(board.shown)
    assert grid.models == board.models == ["c", "a", "b"] and "Background" not in grid.labels
    table = board.classes.set_index(["label", "model"])
    for i, label in enumerate(grid.labels):
        for j, model in enumerate(grid.models):
            found = table.loc[(label, model)]
            assert grid.values[i, j] == found["f1"]
            assert grid.marks[i][j] == {"better": "▲", "worse": "▼"}.get(found["verdict"], "")
    assert any("▼" in marks for marks in grid.marks)


def test_of_too_many_labels_the_largest_are_drawn(board, monkeypatch):
    monkeypatch.setattr(leaderboard_tables, "MOST_DRAWN", 3)
    pixels = board.comparisons["a"].confusion().classes().set_index("label")["gt_pixels"].drop("Background")
    largest = set(pixels.sort_values().index[-3:])
    assert class_grid(board.shown).labels == [label for label in classes_in_use(board.shown) if label in largest]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_on_the_screen(grid, theme):
    figure = on_screen.draw(model_classes(grid), theme)
    colours = trace(figure, "hit")
    np.testing.assert_array_equal(np.array(colours.z, float), [[0.896, 0.7], [np.nan, np.nan]])  # 0 is not coloured
    assert (colours.zmin, colours.zmax) == (0, 1)
    numbers = trace(figure, "numbers")
    assert list(zip(numbers.y, numbers.x, numbers.text)) == [
        *((0, 0, "90 ▲"), (0, 1, "70"), (1, 0, "0"), (1, 1, "·")),
    ]
    cells = trace(figure, "cells")
    assert [list(one) for one in cells.customdata] == [["a", "y"], ["a", "x"], ["b", "y"], ["b", "x"]]
    assert cells.hovertext[0] == (
        "<b>a</b><br>y<br>F1 0.8960 (0.796 – 0.946)<br>minus x: +0.1960 (+0.096 to +0.196)<br>better"
    )
    assert cells.hovertext[1] == "<b>a</b><br>x<br>F1 0.7000 (0.600 – 0.750)"
    assert cells.hovertext[3] == "<b>b</b><br>x<br>F1 –"
    assert list(figure.layout.xaxis.ticktext) == ["y", "x"] and list(figure.layout.yaxis.ticktext) == ["a", "b"]
    outline = figure.layout.shapes[0]
    assert (outline.x0, outline.x1) == (0.5, 1.5)  # the baseline


def test_on_paper(grid):
    texts = drawn_texts(on_paper.draw(model_classes(grid)))
    for text in ("a", "b", "y", "x", "class", "prediction", "90 ▲", "70", "0", "F1", "0", "50 %", "100 %"):
        assert text in texts
    assert texts.index("90 ▲") < texts.index("70")
    assert texts[-3:] == ["▲ better and ▼ worse than x, by the corrected test", "recipe of y", "recipe of x"]
    assert "recipe of y" not in drawn_texts(on_paper.draw(model_classes(grid), width="two", caption=False))


def test_differences_on_paper(grid):
    texts = drawn_texts(on_paper.draw(model_differences(grid), caption=False))
    assert {"a", "b", "y", "+20 ▲", "F1 better than x", "≥ 50 %", "no difference shown"} <= set(texts)
    assert "worse" not in texts  # no cell has this colour


def test_both_figures_show_the_same_numbers(board):
    grid = class_grid(board.shown)
    texts = drawn_texts(on_paper.draw(model_classes(grid), caption=False))
    shown = list(trace(on_screen.draw(model_classes(grid), LIGHT), "numbers").text)
    first = texts.index(shown[0])
    assert texts[first : first + len(shown)] == shown and len(shown) == 33


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_differences_on_the_screen(grid, theme):
    figure = on_screen.draw(model_differences(grid), theme)
    better, worse, noise = (np.array(trace(figure, name).z, float) for name in ("hit", "miss", "noise"))
    np.testing.assert_array_equal(better, [[0.196], [np.nan]])  # x is the baseline and has no column
    assert np.isnan(worse).all() and np.isnan(noise).all()  # b has no difference
    assert list(trace(figure, "numbers").text) == ["+20 ▲", "·"]
    assert trace(figure, "hit").zmax == trace(figure, "miss").zmax == 0.5
    values = on_screen.draw(model_classes(grid), theme)
    assert figure.layout.height == values.layout.height == on_screen.cell_chart_height(grid.labels, grid.models)


def test_differences_of_the_leaderboard_are_grey_unless_they_are_shown(board):
    figure = on_screen.draw(model_differences(class_grid(board.shown)), LIGHT)
    rows, grid = board.class_rows, class_grid(board.shown)
    worse, noise = (np.array(trace(figure, name).z, float) for name in ("miss", "noise"))
    for i, label in enumerate(grid.labels):
        for k, model in enumerate(["c", "b"]):
            row = rows[label, model]
            assert (worse[i, k] == -row["difference"]) == (row["verdict"] == "worse")
            assert (noise[i, k] == 0) == (row["verdict"] not in ("better", "worse"))
