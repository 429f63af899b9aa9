"""The matrix on the screen: cells, numbers, ticks, hover texts and colour bars."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.drawing.palette import LIGHT
from layoutcm.drawing.screen import charts, matrix
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.matrix_views import Selection
from support.plotly_traces import trace


def many(n):
    labels = [f"a label with the long number {i}" for i in range(n - 1)]
    return lcm.label_sets_confusion([[label] for label in labels], [[label] for label in labels], labels)


def shown(figure, name):
    """{(row, column): z} of the cells in a layer."""
    z = np.array(trace(figure, name).z, float)
    return {(int(i), int(j)): z[i, j] for i, j in zip(*np.nonzero(np.isfinite(z)))}


def test_diagonal_in_one_layer_and_errors_in_the_other(small):
    figure = matrix.matrix_figure(small, "recall", selection=Selection([0, 1, 2, 3], [0, 1, 2, 3]), theme=LIGHT)
    assert shown(figure, "hit") == pytest.approx({(0, 0): 1, (1, 1): 0.9, (2, 2): 1})
    assert shown(figure, "miss") == pytest.approx({(1, 2): 0.1})
    hit, miss = trace(figure, "hit"), trace(figure, "miss")
    assert (hit.zmin, hit.zmax) == (0, 1)
    assert (miss.zmin, miss.zmax) == pytest.approx((0, 0.1))


def test_rows_and_columns_have_the_given_order(small):
    figure = matrix.matrix_figure(small, "pixels", selection=Selection([2, 1], [1, 2, 0]), theme=LIGHT)
    assert shown(figure, "hit") == {(0, 1): 4, (1, 0): 9}
    assert shown(figure, "miss") == {(1, 1): 1}
    assert list(figure.layout.yaxis.ticktext) == ["b", "a"]
    assert list(figure.layout.xaxis.ticktext) == ["a", "b", "Background"]
    assert figure.layout.yaxis.range == (1.5, -0.5)  # the first row is on top


def test_without_a_diagonal_nothing_is_an_error(small):
    taxonomies = Confusion(small.labels, "matrix", small.values, small.values, small.pred_pixels, diagonal=False)
    figure = matrix.matrix_figure(taxonomies, "pixels", selection=Selection([1, 2], [1, 2]), theme=LIGHT)
    assert shown(figure, "hit") == {(0, 0): 9, (0, 1): 1, (1, 1): 4}
    assert shown(figure, "miss") == {}


def test_log_scale_keeps_small_errors_and_has_a_floor():
    m = lcm.label_sets_confusion(["a", "a", "b"], ["b", "", "a"], "ab", weights=[1000, 10, 0.001])
    figure = matrix.matrix_figure(m, "pixels", selection=Selection([0, 1, 2], [0, 1, 2]), theme=LIGHT, log=True)
    assert shown(figure, "miss") == pytest.approx({(1, 2): 3, (1, 0): 1, (2, 1): -1})
    assert (trace(figure, "miss").zmin, trace(figure, "miss").zmax) == pytest.approx((-1, 3))


def test_undefined_is_a_dot_and_zero_is_not_drawn(small):
    figure = matrix.matrix_figure(small, "recall", selection=Selection([0, 1, 2, 3], [0, 1, 2, 3]), theme=LIGHT)
    numbers = trace(figure, "numbers")
    found = {(y, x): text for x, y, text in zip(numbers.x, numbers.y, numbers.text)}
    dots = {(3, j): "·" for j in range(4)}
    assert found == {(0, 0): "100", (1, 1): "90", (1, 2): "10", (2, 2): "100"} | dots


def test_the_point_of_every_cell_has_its_positions(small):
    rows, columns = [2, 0, 1], [1, 2]
    cells = trace(matrix.matrix_figure(small, "recall", selection=Selection(rows, columns), theme=LIGHT), "cells")
    places = {(y, x): list(data) for x, y, data in zip(cells.x, cells.y, cells.customdata)}
    assert places == {(y, x): [rows[y], columns[x]] for y in range(3) for x in range(2)}
    assert cells.opacity == 0
    hover = dict(zip(map(tuple, cells.customdata), cells.hovertext))[1, 2]
    assert hover.split("<br>") == [
        "gt <b>a</b>",
        "pred <b>b</b>",
        "recall 0.100000",
        "10.0 % of gt a",
        "20.0 % of pred b",
        "1 px",
    ]


def test_selected_cell_is_outlined_where_it_is_drawn(small):
    figure = matrix.matrix_figure(small, selection=Selection([2, 1], [1, 2]), theme=LIGHT, selected=(1, 2))
    (shape,) = figure.layout.shapes
    assert (shape.x0, shape.x1, shape.y0, shape.y1) == (0.5, 1.5, 0.5, 1.5)
    hidden = matrix.matrix_figure(small, selection=Selection([2, 1], [1, 2]), theme=LIGHT, selected=(0, 0))
    assert not hidden.layout.shapes


@pytest.mark.parametrize("n", [40, 74])
def test_many_labels_have_distinct_ticks_and_enough_space(n):
    confusion = many(n)
    everything = list(range(n))
    figure = matrix.matrix_figure(confusion, selection=Selection(everything, everything), theme=LIGHT)
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert len(axis.ticktext) == n and list(axis.tickvals) == everything
        assert len(set(axis.ticktext)) == n  # shortened, but different
    margin = figure.layout.margin
    assert (figure.layout.height - margin.t - margin.b) / n >= 15
    assert 15 > figure.layout.yaxis.tickfont.size >= 8
    assert set(trace(figure, "numbers").text) == {"·"}  # the empty Background row; numbers do not fit


def test_unknown_view_is_refused(small):
    with pytest.raises(lcm.InputError, match="view: 'iou' is not known"):
        matrix.matrix_figure(small, "iou", selection=Selection([0], [0]), theme=LIGHT)


def test_plotly_text_is_escaped():
    assert matrix.plotly_text("<b>x</b> & $x$") == "&lt;b&gt;x&lt;/b&gt; &amp; &#36;x&#36;"
    assert matrix.plotly_text("نص 😀 =1+1") == "نص 😀 =1+1"


def test_colour_bars_stay_under_the_matrix(small):
    figure = matrix.matrix_figure(small, selection=Selection([0, 1, 2], [0, 1, 2]), theme=LIGHT)
    hit, miss = (trace(figure, name).colorbar for name in ("hit", "miss"))
    assert (hit.x, hit.xanchor, miss.x, miss.xanchor) == (0, "left", 1, "right")
    assert hit.lenmode == miss.lenmode == "fraction" and hit.len + miss.len < 1
    assert not any(one.showscale for one in charts.collapsed_figure(small, "recall", LIGHT).data[:2])
