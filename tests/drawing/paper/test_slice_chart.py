"""Slices on paper: the drawn places are those of the numbers, and texts stay on the sheet."""

import matplotlib
import numpy as np
import pytest

from layoutcm.drawing.paper import printing
from layoutcm.drawing.paper.slice_chart import DOT, slices_figure
from layoutcm.report.report_files import REPORT_FILES
from support.slice_pages import slices_with_known_numbers


def places(axes):
    """The positions of 0 and 1; the axis begins at 0.4, the lowest end of an interval."""
    grid = axes.collections[0].get_segments()
    first, last = grid[0][0][0], grid[-1][0][0]
    return last - (last - first) / 0.6, last


def test_dots_and_intervals_are_drawn_at_their_numbers():
    (axes,) = slices_figure(slices_with_known_numbers()).axes
    zero, one = places(axes)
    as_share = lambda x: (np.asarray(x, float) - zero) / (one - zero)
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert [float(as_share(dot.get_xdata())[0]) for dot in dots] == pytest.approx([0.5, 0.75, 0.875])
    assert [dot.get_markerfacecolor() for dot in dots] == [DOT, "white", DOT]
    spans = [segment for segment in axes.collections[1].get_segments() if segment[0][1] == segment[1][1]]
    np.testing.assert_allclose([as_share(span[:, 0]) for span in spans], [[0.4, 0.75], [0.8, 0.9]])
    (whole,) = [line for line in axes.lines if line.get_marker() != "o"]
    np.testing.assert_allclose(as_share(whole.get_xdata()), 0.625)
    heights = {float(dot.get_ydata()[0]) for dot in dots}
    assert {span[0][1] for span in spans} < heights
    texts = [text.get_text() for text in axes.texts]
    assert {"0.500", "0.750", "0.875", "–", "<b>x</b>", "$y$", "Slices by kind", "0.4", "0.55", "1"} <= set(texts)


@pytest.mark.parametrize("width", ["one", "two"])
@pytest.mark.parametrize("attribute", ["kind", "a very long name of an attribute " * 5, None])
def test_texts_stay_on_the_sheet(attribute, width):
    figure = slices_figure(slices_with_known_numbers(attribute), width=width)
    with printing.paper_style():
        figure.set_dpi(72)
        renderer = matplotlib.backends.backend_agg.FigureCanvasAgg(figure).get_renderer()
        boxes = [text.get_window_extent(renderer) for text in figure.axes[0].texts]
    assert min(box.x0 for box in boxes) >= 0
    assert max(box.x1 for box in boxes) <= printing.COLUMN_WIDTHS[width] + 0.5


def test_equal_figures_have_equal_bytes_and_belong_to_a_report():
    first, second = (printing.figure_bytes(slices_figure(slices_with_known_numbers()), "svg") for _ in range(2))
    assert first == second
    assert all(REPORT_FILES.fullmatch(f"figures/slices.{suffix}") for suffix in printing.FIGURE_FORMATS)
