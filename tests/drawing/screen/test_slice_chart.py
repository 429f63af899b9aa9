"""The chart of slices draws F1, the ends of intervals and verdicts."""

import json

import pytest

from layoutcm.drawing.palette import DARK, LIGHT
from layoutcm.drawing.screen.charts import slices_figure
from support.slice_pages import slices_with_known_numbers


def test_dots_are_f1_and_whiskers_end_where_intervals_do():
    figure = slices_figure(slices_with_known_numbers(), LIGHT)
    (dots,) = figure.data
    assert list(dots.x) == [0.5, 0.75, 0.875, None]
    assert list(dots.error_x.array) == [pytest.approx(0.25), "n/a", pytest.approx(0.025), "n/a"]
    assert list(dots.error_x.arrayminus) == [pytest.approx(0.1), "n/a", pytest.approx(0.075), "n/a"]
    assert list(figure.layout.yaxis.ticktext) == ["&lt;b&gt;x&lt;/b&gt;", *figure.layout.yaxis.ticktext[1:]]
    assert "micro F1, without Background" in figure.layout.title.text


def test_verdicts_are_colours_and_text():
    (dots,) = slices_figure(slices_with_known_numbers(), LIGHT).data
    fills, lines = dots.marker.color, dots.marker.line.color
    assert fills[1] == fills[3] == LIGHT.background  # no verdict: not filled
    assert fills[0] == lines[0] != fills[2] == lines[2] == lines[1]
    assert "F1 0.500 (0.400 – 0.750)<br>-0.250 against the rest<br>worse<br>12 pages, 8 documents" in dots.hovertext[0]
    assert "F1 0.750<br>+0.125 against the rest<br>too few documents<br>3 pages" in dots.hovertext[1]


def test_slices_of_all_attributes_have_their_names():
    figure = slices_figure(slices_with_known_numbers(None), DARK)
    assert list(figure.data[0].customdata) == ["kind: <b>x</b>", "size: $y$", "kind: better", "kind: empty"]
    assert "Slices that explain most of the error" in figure.layout.title.text
    json.loads(figure.to_json())
