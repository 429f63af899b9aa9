"""Screen figures: they show the counted numbers, and names are escaped."""

import json

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm import wording
from layoutcm.drawing import palette
from layoutcm.drawing.palette import DARK, LIGHT
from layoutcm.drawing.screen import charts, matrix, page_overlay, precision_recall
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.matrix_views import VIEWS
from layoutcm.tables.result_json import largest_confusions
from layoutcm.wording import percent

HOSTILE = ["<b>x</b>", "$x$", "=1+1", "😀", "نص", "%{x}", "a&amp;b", "$a$ and $b$"]


@pytest.fixture
def small():
    """Background, a, b, c: 9 of 10 pixels of a are right and 1 is read as b; all 4 of b are right; c does not occur."""
    return lcm.label_sets_confusion(["a", "a", "b", ""], ["a", "b", "b", ""], "abc", weights=[9, 1, 4, 50])


def hostile_confusion():
    n = len(HOSTILE)
    gt = [[HOSTILE[i]] for i in range(n) for _ in range(2)]
    pred = [[HOSTILE[(i + k) % n]] for i in range(n) for k in range(2)]
    return lcm.label_sets_confusion(gt, pred, HOSTILE)


def many(n):
    labels = [f"a label with the long number {i}" for i in range(n - 1)]
    return lcm.label_sets_confusion([[label] for label in labels], [[label] for label in labels], labels)


def trace(figure, name):
    return next(one for one in figure.data if one.name == name)


def shown(figure, name):
    """{(row, column): z} of the cells in a layer."""
    z = np.array(trace(figure, name).z, float)
    return {(int(i), int(j)): z[i, j] for i, j in zip(*np.nonzero(np.isfinite(z)))}


def all_figures(confusion, theme):
    rows, columns = confusion.visible
    box = {
        "side": "gt",
        "label": "a",
        "colour": "#0072b2",
        "x0": 1,
        "y0": 2,
        "x1": 3,
        "y1": 5,
        "score": 0.5,
        "number": 0,
    }
    yield from (matrix.matrix_figure(confusion, v, rows=rows, columns=columns, theme=theme) for v in VIEWS)
    yield matrix.matrix_figure(confusion, "pixels", rows=rows, columns=columns, theme=theme, log=True, title="$t$")
    yield charts.collapsed_figure(confusion, "recall", theme)
    yield charts.class_bars(confusion, theme, background=True)
    yield precision_recall.precision_recall_plane(confusion, theme)
    yield charts.read_as_figure(confusion, 1, theme)
    yield charts.distribution_figure([0, 0.5, 1, float("nan")], "F1", theme)
    yield page_overlay.page_overlay(10, 20, [box], theme)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_figure_is_json_with_a_transparent_paper(small, theme):
    different = lcm.label_sets_confusion(["a", "b"], ["b", "b"], "ab")
    different = Confusion(different.labels, "matrix", different.values, different.values, different.pred_pixels, False)
    empty = lcm.label_sets_confusion([], [], "ab")
    for confusion in (small, different, empty):
        for figure in all_figures(confusion, theme):
            assert json.loads(figure.to_json())["layout"]["paper_bgcolor"] == "rgba(0,0,0,0)"


def test_diagonal_in_one_layer_and_errors_in_the_other(small):
    figure = matrix.matrix_figure(small, "recall", rows=[0, 1, 2, 3], columns=[0, 1, 2, 3], theme=LIGHT)
    assert shown(figure, "hit") == pytest.approx({(0, 0): 1, (1, 1): 0.9, (2, 2): 1})
    assert shown(figure, "miss") == pytest.approx({(1, 2): 0.1})
    hit, miss = trace(figure, "hit"), trace(figure, "miss")
    assert (hit.zmin, hit.zmax) == (0, 1)
    assert (miss.zmin, miss.zmax) == pytest.approx((0, 0.1))


def test_rows_and_columns_have_the_given_order(small):
    figure = matrix.matrix_figure(small, "pixels", rows=[2, 1], columns=[1, 2, 0], theme=LIGHT)
    assert shown(figure, "hit") == {(0, 1): 4, (1, 0): 9}
    assert shown(figure, "miss") == {(1, 1): 1}
    assert list(figure.layout.yaxis.ticktext) == ["b", "a"]
    assert list(figure.layout.xaxis.ticktext) == ["a", "b", "Background"]
    assert figure.layout.yaxis.range == (1.5, -0.5)  # the first row is on top


def test_without_a_diagonal_nothing_is_an_error(small):
    taxonomies = Confusion(small.labels, "matrix", small.values, small.values, small.pred_pixels, diagonal=False)
    figure = matrix.matrix_figure(taxonomies, "pixels", rows=[1, 2], columns=[1, 2], theme=LIGHT)
    assert shown(figure, "hit") == {(0, 0): 9, (0, 1): 1, (1, 1): 4}
    assert shown(figure, "miss") == {}


def test_log_scale_keeps_small_errors_and_has_a_floor():
    m = lcm.label_sets_confusion(["a", "a", "b"], ["b", "", "a"], "ab", weights=[1000, 10, 0.001])
    figure = matrix.matrix_figure(m, "pixels", rows=[0, 1, 2], columns=[0, 1, 2], theme=LIGHT, log=True)
    assert shown(figure, "miss") == pytest.approx({(1, 2): 3, (1, 0): 1, (2, 1): -1})
    assert (trace(figure, "miss").zmin, trace(figure, "miss").zmax) == pytest.approx((-1, 3))


def test_undefined_is_a_dot_and_zero_is_not_drawn(small):
    figure = matrix.matrix_figure(small, "recall", rows=[0, 1, 2, 3], columns=[0, 1, 2, 3], theme=LIGHT)
    numbers = trace(figure, "numbers")
    found = {(y, x): text for x, y, text in zip(numbers.x, numbers.y, numbers.text)}
    dots = {(3, j): "·" for j in range(4)}
    assert found == {(0, 0): "100", (1, 1): "90", (1, 2): "10", (2, 2): "100"} | dots


def test_the_point_of_every_cell_has_its_positions(small):
    rows, columns = [2, 0, 1], [1, 2]
    cells = trace(matrix.matrix_figure(small, "recall", rows=rows, columns=columns, theme=LIGHT), "cells")
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
    figure = matrix.matrix_figure(small, rows=[2, 1], columns=[1, 2], theme=LIGHT, selected=(1, 2))
    (shape,) = figure.layout.shapes
    assert (shape.x0, shape.x1, shape.y0, shape.y1) == (0.5, 1.5, 0.5, 1.5)
    hidden = matrix.matrix_figure(small, rows=[2, 1], columns=[1, 2], theme=LIGHT, selected=(0, 0))
    assert not hidden.layout.shapes


@pytest.mark.parametrize("n", [40, 74])
def test_many_labels_have_distinct_ticks_and_enough_space(n):
    confusion = many(n)
    everything = list(range(n))
    figure = matrix.matrix_figure(confusion, rows=everything, columns=everything, theme=LIGHT)
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert len(axis.ticktext) == n and list(axis.tickvals) == everything
        assert len(set(axis.ticktext)) == n  # shortened, but different
    margin = figure.layout.margin
    assert (figure.layout.height - margin.t - margin.b) / n >= 15
    assert 15 > figure.layout.yaxis.tickfont.size >= 8
    assert set(trace(figure, "numbers").text) == {"·"}  # the empty Background row; numbers do not fit


def test_unknown_view_is_refused(small):
    with pytest.raises(lcm.InputError, match="view: 'iou' is not known"):
        matrix.matrix_figure(small, "iou", rows=[0], columns=[0], theme=LIGHT)


def test_plotly_text_is_escaped():
    assert matrix.plotly_text("<b>x</b> & $x$") == "&lt;b&gt;x&lt;/b&gt; &amp; &#36;x&#36;"
    assert matrix.plotly_text("نص 😀 =1+1") == "نص 😀 =1+1"


def texts(value):
    """All strings in a figure's JSON."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    return [value] if isinstance(value, str) else []


def test_hostile_names_are_text_in_every_figure():
    confusion = hostile_confusion()
    boxes = [
        {
            "side": "pred",
            "label": name,
            "colour": "#0072b2",
            "x0": 0,
            "y0": 0,
            "x1": 1,
            "y1": 1,
            "score": None,
            "number": i,
        }
        for i, name in enumerate(HOSTILE)
    ]
    found = [
        *all_figures(confusion, LIGHT),
        *(charts.read_as_figure(confusion, i, LIGHT) for i in range(len(HOSTILE))),
    ]
    found.append(page_overlay.page_overlay(10, 10, boxes, LIGHT))
    for figure in found:
        shown = json.loads(figure.to_json())
        for text in texts(shown["data"]) + texts(shown["layout"]):
            assert "<b>x</b>" not in text and "$" not in text, text
        # Plotly replaces %{x} only in templates, and no figure uses one.
        assert not [one for one in shown["data"] if "hovertemplate" in one or "texttemplate" in one]
    figure = matrix.matrix_figure(confusion, rows=[1], columns=[1, 6, 7], theme=LIGHT)
    assert list(figure.layout.xaxis.ticktext) == ["&lt;b&gt;x&lt;/b&gt;", "%{x}", "a&amp;amp;b"]
    assert found[-1].data[0].name == "pred: &lt;b&gt;x&lt;/b&gt;"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.004, "<0.01"),
        (1 / 3, "0.33"),
        (0.5, "0.5"),
        (9.5, "9.5"),
        (10.4, "10"),
        (812, "812"),
        (999.7, "1.0k"),
        (1234, "1.2k"),
        (34_000, "34k"),
        (999_600, "1.0M"),
        (1.2e6, "1.2M"),
    ],
)
def test_brief_pixels(value, text):
    assert wording.pixels_brief(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(1, "100"), (0.99996, "99.9"), (0.4123, "41"), (0.0327, "3.3"), (0.0042, "0.4"), (0.0002, "<0.1"), (0.0996, "10")],
)
def test_per_cent_in_cells(value, text):
    assert wording.percent_brief(value) == text


def test_class_bars_have_whiskers_to_the_ends_of_their_intervals(small):
    values = small.class_values()
    ends = {
        score: np.stack([values[score] - 0.25, values[score] + 0.125], axis=1)
        for score in ("precision", "recall", "f1")
    }
    ends["f1"][1] = np.nan  # label a
    figure = charts.class_bars(small, LIGHT, intervals=ends)
    assert figure.layout.yaxis.ticktext[0] == "a"
    for trace in figure.data[:2]:
        assert list(trace.error_x.array) == pytest.approx([0.125] * len(trace.x))
        assert list(trace.error_x.arrayminus) == pytest.approx([0.25] * len(trace.x))
    f1 = figure.data[2]
    assert f1.error_x.array[0] is None and f1.error_x.array[1] == pytest.approx(0.125)
    recall = values["recall"][1]
    assert f"recall {recall:.4f} ({recall - 0.25:.3f} – {recall + 0.125:.3f})" in f1.hovertext[0]
    assert all(trace.error_x.array is None for trace in charts.class_bars(small, LIGHT).data)


def test_class_bars_by_size_with_background_last(small):
    figure = charts.class_bars(small, LIGHT, background=True)
    assert list(figure.layout.yaxis.ticktext) == ["a", "b", "Background"]
    assert {one.name: list(one.x) for one in figure.data} == {
        "precision": pytest.approx([1, 0.8, 1]),
        "recall": pytest.approx([0.9, 1, 1]),
        "F1": pytest.approx([18 / 19, 8 / 9, 1]),
    }
    assert list(charts.class_bars(small, LIGHT, most=1).layout.yaxis.ticktext) == ["a"]
    assert list(charts.class_bars(small, LIGHT, most=2, background=True).layout.yaxis.ticktext) == ["a", "Background"]


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


def test_read_as_figure_has_the_diagonal_first():
    m = lcm.label_sets_confusion(["a", "a", "a", "b"], ["a", "b", "", "a"], "ab", weights=[1, 3, 2, 4])
    figure = charts.read_as_figure(m, 1, LIGHT)
    row, column = figure.data
    assert list(row.customdata) == [1, 2, 0] and list(row.x) == pytest.approx([1 / 6, 3 / 6, 2 / 6])
    assert list(column.customdata) == [1, 2] and list(column.x) == pytest.approx([1 / 5, 4 / 5])
    assert row.marker.color[0] != row.marker.color[1] == row.marker.color[2]


def test_read_as_figure_has_one_half_for_different_taxonomies(small):
    taxonomies = Confusion(small.labels, "matrix", small.values, small.values, small.pred_pixels, diagonal=False)
    assert len(charts.read_as_figure(taxonomies, 1, LIGHT).data) == 1
    assert len(charts.read_as_figure(taxonomies, 0, LIGHT).data) == 2


def test_showing_only_some_labels_changes_no_number(small):
    chosen = small.showing_only(["b"])
    assert chosen.visible == ([0, 2], [0, 2]) and chosen.values is small.values
    assert list(charts.class_bars(chosen, LIGHT, background=True).layout.yaxis.ticktext) == ["b", "Background"]
    row, _ = charts.read_as_figure(small.showing_only(["a"]), 1, LIGHT).data
    assert list(row.customdata) == [1] and list(row.x) == pytest.approx([0.9])
    assert chosen.average("macro") == small.average("macro")
    assert largest_confusions(small) and not largest_confusions(chosen)


def test_a_side_without_a_chosen_label_is_shown_completely(small):
    block = Confusion(
        ["Background", "a", "b", "c"], "matrix", small.values, small.values, small.pred_pixels, diagonal=False,
        rows=(0, 1), columns=(0, 2, 3),
    )  # fmt: skip
    assert (block.showing_only(["a"]).rows, block.showing_only(["a"]).columns) == ((0, 1), (0, 2, 3))
    assert (block.showing_only(["c"]).rows, block.showing_only(["c"]).columns) == ((0, 1), (0, 3))


def test_colour_bars_stay_under_the_matrix(small):
    figure = matrix.matrix_figure(small, rows=[0, 1, 2], columns=[0, 1, 2], theme=LIGHT)
    hit, miss = (trace(figure, name).colorbar for name in ("hit", "miss"))
    assert (hit.x, hit.xanchor, miss.x, miss.xanchor) == (0, "left", 1, "right")
    assert hit.lenmode == miss.lenmode == "fraction" and hit.len + miss.len < 1
    assert not any(one.showscale for one in charts.collapsed_figure(small, "recall", LIGHT).data[:2])


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.43612, "43.6 %"), (0.0523, "5.23 %"), (1, "100 %"), (0.99996, "100 %"), (0.005, "0.500 %"), (0, "0 %"),
     (0.09996, "10.0 %"), (1e-9, "<0.001 %"), (float("nan"), "–")],
)  # fmt: skip
def test_shares_have_three_significant_digits(value, text):
    assert percent(value) == text


def test_distribution_includes_the_score_one_and_leaves_out_undefined():
    figure = charts.distribution_figure([0, 0.26, 0.3, 1, 1, float("nan")], "F1", LIGHT, bins=4)
    assert list(figure.data[0].y) == [1, 2, 0, 2]
    assert figure.layout.title.text == "F1 (1 n/a)"


def test_one_overlay_trace_for_each_side_and_label():
    def box(side, label, number, *edges):
        values = dict(zip(("x0", "y0", "x1", "y1"), edges))
        return {"side": side, "label": label, "colour": "#009e73", "score": None, "number": number, **values}

    boxes = [box("pred", "a", 0, 0, 0, 10, 4), box("gt", "a", 0, 1, 2, 11, 6), box("gt", "a", 1, 0, 8, 20, 9)]
    figure = page_overlay.page_overlay(20, 30, boxes, LIGHT, image="data:image/png;base64,x", zoom=(1, 2, 3, 4))
    gt, pred = figure.data
    assert (gt.name, pred.name) == ("gt: a", "pred: a")
    assert gt.x == (1, 11, 11, 1, 1, None, 5.5, None, 0, 20, 20, 0, 0, None, 9, None)
    assert gt.y == (2, 2, 6, 6, 2, None, 4, None, 8, 8, 9, 9, 8, None, 8.5, None)
    assert gt.line.dash is None and pred.line.dash
    assert gt.customdata[6] == ["gt", 0] and gt.customdata[14] == ["gt", 1]
    assert figure.layout.xaxis.range == (1, 3) and figure.layout.yaxis.range == (4, 2)
    (image,) = figure.layout.images
    assert (image.x, image.y, image.sizex, image.sizey) == (0, 0, 20, 30)


def test_colours_depend_on_names():
    alone = palette.label_colours(["Text"])["Text"]
    assert palette.label_colours(["zebra", "Text", "Table"])["Text"] == alone
    colours = palette.label_colours(["Page-header", "page_header", "Background", "stamp"])
    assert colours["Page-header"] == colours["page_header"]
    assert colours["Background"] == palette.BACKGROUND_COLOUR
    assert colours["stamp"] == palette.label_colours(["stamp"])["stamp"]


def test_names_with_one_preferred_colour_get_two_colours_in_any_order():
    labels = ["picture", "figure", *(f"label {i}" for i in range(72))]
    colours = palette.label_colours(labels)
    assert len(set(colours.values())) == 74
    assert palette.label_colours(labels[::-1]) == colours
    assert all(len(colour) == 7 and colour[0] == "#" for colour in colours.values())
    assert colours["figure"] == palette.KNOWN_LABELS["figure"] != colours["picture"]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_scales_start_with_the_paper_colour(theme):
    for scale in (theme.hit, theme.miss):
        assert scale[0] == (0, theme.background) and scale[-1][0] == 1
        assert palette.scale_colour(scale, 0) == theme.background
        assert palette.scale_colour(scale, 1) == scale[-1][1]
    assert palette.scale_colour(theme.diverging, 0.5) == theme.background


def contrast(one, other):
    """WCAG 2 contrast of two '#rrggbb'."""

    def luminance(colour):
        linear = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in linear]
        return sum(weight * v for weight, v in zip((0.2126, 0.7152, 0.0722), linear))

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_numbers_are_readable_on_every_cell(theme):
    for scale in (theme.hit, theme.miss):
        for place in np.linspace(0, 1, 101):
            cell = palette.scale_colour(scale, place)
            assert contrast(cell, palette.text_colour_on(cell)) >= 4.2
