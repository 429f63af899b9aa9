"""Slices on paper: the drawn places are those of the numbers, and texts stay on the sheet."""

import numpy as np
import pytest

from layoutcm.drawing.paper import printing
from layoutcm.drawing.paper.slice_chart import DOT, slices_figure
from layoutcm.report.report_files import REPORT_FILES
from support.paper_texts import drawn_texts, text_boxes
from support.slice_pages import slices_with_known_numbers


def test_dots_and_intervals_are_drawn_at_their_numbers():
    figure = slices_figure(slices_with_known_numbers())
    (axes,) = figure.axes
    assert axes.get_xlim() == (0.4, 1)  # the axis begins at the lowest end of an interval
    full, empty = ([*zip(*dots.get_data())] for dots in axes.lines if dots.get_marker() == "o")
    assert [dots.get_markerfacecolor() for dots in axes.lines if dots.get_marker() == "o"] == [DOT, "white"]
    shown = sorted((row, value) for value, row in [*full, *empty] if value == value)
    assert [value for _, value in shown] == [0.5, 0.75, 0.875]
    assert [value for value, _ in full] == [0.5, 0.875]
    spans = axes.collections[-1].get_segments()
    np.testing.assert_allclose([span[:, 0] for span in spans], [[0.4, 0.75], [0.8, 0.9]])
    assert {row for span in spans for row in span[:, 1]} < {row for row, _ in shown}
    (whole,) = (line for line in axes.lines if line.get_linestyle() == "--")
    assert list(whole.get_xdata()) == [0.625, 0.625]
    texts = drawn_texts(figure)
    assert {"0.500", "0.750", "0.875", "–", "<b>x</b>", "$y$", "Slices by kind", "0.4", "0.55", "1"} <= set(texts)


@pytest.mark.parametrize("width", ["one", "two"])
@pytest.mark.parametrize("attribute", ["kind", "a very long name of an attribute " * 5, None])
def test_texts_stay_on_the_sheet(attribute, width):
    figure = slices_figure(slices_with_known_numbers(attribute), width=width)
    boxes = [box for _, box in text_boxes(figure)]
    assert min(box.x0 for box in boxes) >= 0
    assert max(box.x1 for box in boxes) <= printing.COLUMN_WIDTHS[width] + 0.5


def test_equal_figures_have_equal_bytes_and_belong_to_a_report():
    first, second = (printing.figure_bytes(slices_figure(slices_with_known_numbers()), "svg") for _ in range(2))
    assert first == second
    assert all(REPORT_FILES.fullmatch(f"figures/slices.{suffix}") for suffix in printing.FIGURE_FORMATS)
