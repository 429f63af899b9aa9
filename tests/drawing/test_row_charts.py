"""Charts with rows on the screen and on paper: bars and dots have the numbers of the tables."""

import json

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

import layoutcm as lcm
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.drawing.charts import Part, RowChart, plotly_text
from layoutcm.drawing.palette import CAUSE_COLOURS, DARK, LIGHT
from layoutcm.drawing.paper import charts as paper
from layoutcm.drawing.paper import figure_style
from layoutcm.drawing.row_charts import cause_bars, class_bars, family_bars, model_cause_bars, score_bars, slice_dots
from layoutcm.drawing.screen import charts as screen
from layoutcm.layouts.model import GT
from layoutcm.metrics.confusion import Confusion
from layoutcm.models.leaderboard import cause_row
from layoutcm.report.report_files import REPORT_FILES
from layoutcm.tables.matrix_views import largest_confusions, select
from layoutcm.tables.slice_tables import SliceTable
from support import hostile
from support.comparisons import different_labels
from support.drawn_figures import drawn_texts, text_boxes
from support.layouts import build

SIZES = {"p": (100, 100)}
HALVES = [("p", "a", 0, 0, 50, 100), ("p", "b", 50, 0, 100, 100)]


def shown_names(chart):
    return list(screen.draw(chart, LIGHT).layout.yaxis.ticktext)


def test_class_bars_have_whiskers_to_the_ends_of_their_intervals(small):
    values = small.class_values()
    ends = {
        score: np.stack([values[score] - 0.25, values[score] + 0.125], axis=1)
        for score in ("precision", "recall", "f1")
    }
    ends["f1"][1] = np.nan  # label a
    figure = screen.draw(class_bars(small, intervals=ends), LIGHT)
    assert figure.layout.yaxis.ticktext[0] == "a"
    for trace in figure.data[:2]:
        assert list(trace.error_x.array) == pytest.approx([0.125] * len(trace.x))
        assert list(trace.error_x.arrayminus) == pytest.approx([0.25] * len(trace.x))
    f1 = figure.data[2]
    assert f1.error_x.array[0] == "n/a" and f1.error_x.array[1] == pytest.approx(0.125)
    recall = values["recall"][1]
    assert f"recall {recall:.4f} ({recall - 0.25:.3f} – {recall + 0.125:.3f})" in f1.hovertext[0]
    assert all(trace.error_x.array is None for trace in screen.draw(class_bars(small), LIGHT).data)


def test_whiskers_on_paper_are_at_the_ends_of_the_interval():
    m = lcm.label_sets_confusion(["a", "a"], ["a", "b"], ["a", "b"], weights=[1, 1])
    chart = class_bars(m, intervals={"recall": [[0, 1], [0.25, 0.75], [np.nan, np.nan]]})
    axes = paper.draw(chart).axes[0]
    segments = [segment for part in axes.collections for segment in part.get_segments()]
    assert axes.get_xlim() == (0, 1) and len(segments) == 2  # a dark line on a white one
    for segment in segments:
        assert segment[:, 0].tolist() == [0.25, 0.75]


def test_class_bars_by_size_with_background_last(small):
    figure = screen.draw(class_bars(small, background=True), LIGHT)
    assert list(figure.layout.yaxis.ticktext) == ["a", "b", "Background"]
    assert {one.name: list(one.x) for one in figure.data} == {
        "precision": pytest.approx([1, 0.8, 1]),
        "recall": pytest.approx([0.9, 1, 1]),
        "F1": pytest.approx([18 / 19, 8 / 9, 1]),
    }
    assert shown_names(class_bars(small, most=1)) == ["a"]
    assert shown_names(class_bars(small, most=2, background=True)) == ["a", "Background"]


def test_showing_only_some_labels_changes_no_number(small):
    chosen = select(small, ["b"])
    assert chosen == ([0, 2], [0, 2])
    assert shown_names(class_bars(small, background=True, selection=chosen)) == ["b", "Background"]
    assert largest_confusions(small) and not largest_confusions(small, selection=chosen)


def test_a_side_without_a_chosen_label_is_shown_completely(small):
    block = Confusion(
        ["Background", "a", "b", "c"], "matrix", small.values, small.values, small.pred_pixels, diagonal=False,
        sides=((0, 1), (0, 2, 3)),
    )  # fmt: skip
    assert select(block, ["a"], unused=True) == ([0, 1], [0, 2, 3])
    assert select(block, ["c"], unused=True) == ([0, 1], [0, 3])
    assert select(block) == ([0, 1], [0, 2])


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_figure_is_json_with_a_transparent_paper(small, theme):
    for confusion in (small, lcm.label_sets_confusion([], [], "ab")):
        figure = screen.draw(class_bars(confusion, background=True), theme)
        assert json.loads(figure.to_json())["layout"]["paper_bgcolor"] == "rgba(0,0,0,0)"


def texts(value):
    """All strings in a figure's JSON."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    return [value] if isinstance(value, str) else []


def test_hostile_names_are_text():
    names = [*hostile.SCREEN, "a&amp;b", "$a$ and $b$"]
    gt = [[name] for name in names for _ in range(2)]
    pred = [[names[(i + k) % len(names)]] for i in range(len(names)) for k in range(2)]
    shown = json.loads(screen.draw(class_bars(lcm.label_sets_confusion(gt, pred, names)), LIGHT).to_json())
    for text in texts(shown["data"]) + texts(shown["layout"]):
        assert "<img" not in text and "</script" not in text and "$" not in text, text
    # Plotly replaces %{x} only in templates, and no figure uses one.
    assert not [one for one in shown["data"] if "hovertemplate" in one or "texttemplate" in one]
    assert plotly_text("<b>x</b> & $x$") == "&lt;b&gt;x&lt;/b&gt; &amp; &#36;x&#36;"
    assert plotly_text("نص 😀 =1+1") == "نص 😀 =1+1"


def test_soft_scores_have_no_pixels_under_the_pointer():
    values = {score: np.array([0.5, np.nan]) for score in ("precision", "recall", "f1")}
    chart = score_bars(["<a>", "b"], values)
    assert chart.parts[0].hover[0] == "<b>&lt;a&gt;</b><br>precision 0.5000<br>recall 0.5000<br>F1 0.5000"
    assert chart.numbers == ["50", "–"]


def test_different_labels_are_an_input_error():
    c = different_labels()
    for describe in (lambda: class_bars(c.confusion()), lambda: cause_bars(c.causes(), c.confusion())):
        with pytest.raises(lcm.InputError, match="different labels"):
            describe()


# A worse slice with an interval, one without, a better one, and an undefined one.
SLICES = [
    ("<b>x</b>", 12, 8, 0.5, 0.4, 0.75, -0.25, "worse"),
    ("$y$", 3, 2, 0.75, np.nan, np.nan, 0.125, "too few documents"),
    ("better", 20, 9, 0.875, 0.8, 0.9, 0.25, "better"),
    ("empty", 1, 1, np.nan, np.nan, np.nan, np.nan, None),
]


def slices_with_known_numbers(attribute="kind"):
    columns = ["value", "pages", "documents", "micro_f1", "low", "high", "difference", "verdict"]
    data = pd.DataFrame(SLICES, columns=columns).assign(figure="micro_f1")
    data["verdict"] = pd.Series([row[-1] for row in SLICES], dtype=object)
    if attribute is None:
        data.insert(0, "attribute", ["kind", "size", "kind", "kind"])
    return SliceTable(attribute, data, "micro_f1", "how", "gt:a|pred:b|v0", 0.625)


def test_slices_on_the_screen_are_dots_with_whiskers():
    figure = screen.draw(slice_dots(slices_with_known_numbers()), LIGHT)
    (dots,) = figure.data
    assert list(dots.x) == [0.5, 0.75, 0.875, None]
    assert list(dots.error_x.array) == [pytest.approx(0.25), "n/a", pytest.approx(0.025), "n/a"]
    assert list(dots.error_x.arrayminus) == [pytest.approx(0.1), "n/a", pytest.approx(0.075), "n/a"]
    assert list(figure.layout.yaxis.ticktext) == ["&lt;b&gt;x&lt;/b&gt;", *figure.layout.yaxis.ticktext[1:]]
    assert "micro F1, without Background" in figure.layout.title.text
    fills, lines = dots.marker.color, dots.marker.line.color
    assert fills[1] == fills[3] == LIGHT.background  # no verdict: not filled
    assert fills[0] == lines[0] != fills[2] == lines[2] == lines[1]
    assert "F1 0.500 (0.400 – 0.750)<br>-0.250 against the rest<br>worse<br>12 pages, 8 documents" in dots.hovertext[0]
    assert "F1 0.750<br>+0.125 against the rest<br>too few documents<br>3 pages" in dots.hovertext[1]


def test_slices_of_all_attributes_have_their_names():
    figure = screen.draw(slice_dots(slices_with_known_numbers(None)), DARK)
    assert list(figure.data[0].customdata) == ["kind: <b>x</b>", "size: $y$", "kind: better", "kind: empty"]
    assert "Slices that explain most of the error" in figure.layout.title.text
    json.loads(figure.to_json())


def test_slices_on_paper_are_drawn_at_their_numbers():
    figure = paper.draw(slice_dots(slices_with_known_numbers()))
    (axes,) = figure.axes
    assert axes.get_xlim() == (0.4, 1)  # the axis begins at the lowest end of an interval
    full, empty = ([*zip(*dots.get_data())] for dots in axes.lines if dots.get_marker() == "o")
    assert [dots.get_markerfacecolor() for dots in axes.lines if dots.get_marker() == "o"] == [paper.DOT, "white"]
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
    assert {"better or worse than the rest", "all pages, 0.625", "micro F1, without Background"} <= set(texts)


@pytest.mark.parametrize("width", ["one", "two"])
@pytest.mark.parametrize("attribute", ["kind", "a very long name of an attribute " * 5, None])
def test_texts_of_slices_stay_on_the_sheet(attribute, width):
    boxes = [box for _, box in text_boxes(paper.draw(slice_dots(slices_with_known_numbers(attribute)), width=width))]
    assert min(box.x0 for box in boxes) >= 0
    assert max(box.x1 for box in boxes) <= figure_style.COLUMN_WIDTHS[width] + 0.5


def test_figures_of_slices_belong_to_a_report():
    assert all(REPORT_FILES.fullmatch(f"figures/slices.{suffix}") for suffix in figure_style.FIGURE_FORMATS)


@pytest.fixture(scope="module")
def compared():
    """gt has 2,000 pixels of a: 40 are slack, 200 are read as b, 200 are missed. b is right on 100 of 300 pixels."""
    gt = [("a", 10, 10, 50, 50), ("a", 80, 0, 100, 10), ("a", 50, 80, 70, 90), ("b", 0, 90, 10, 100)]
    pred = [("a", 10, 10, 49, 50), ("b", 50, 80, 70, 90), ("b", 0, 90, 10, 100)]
    rows = [[("p", *box) for box in side] for side in (gt, pred)]
    return lcm.compare(*(build(SIZES, side, ["a", "b"]) for side in rows))


def drawn_bars(figure):
    """[(cause, length)] of each stacked bar that has parts, from top to bottom."""
    found = {}
    for patch in figure.axes[0].patches:
        if patch.get_alpha() != 0:  # invisible bars carry the numbers
            cause = CAUSES[CAUSE_COLOURS.index(to_hex(patch.get_facecolor()))]
            found.setdefault(round(patch.get_y(), 3), []).append((cause, patch.get_width()))
    return [found[y] for y in sorted(found)]


def test_bars_have_the_lengths_of_the_causes(compared):
    figure = paper.draw(cause_bars(compared.causes(), compared.confusion()))
    lost, extra = drawn_bars(figure)  # gt side of a; pred side of b; the others have no errors
    assert extra == [("label", pytest.approx(200 / 300))]
    assert lost == [
        (cause, pytest.approx(pixels / 2000)) for cause, pixels in (("slack", 40), ("label", 200), ("missed", 200))
    ]
    texts = drawn_texts(figure)
    # 440 of 2,000 pixels of gt are lost, 200 of 300 of pred are too much; a has none too much, b has lost none.
    assert [text.get_text() for text in figure.axes[0].texts] == ["22", "0", "0", "67"]
    # The legend has only causes that occur.
    assert [text for text in texts if text in CAUSES] == ["slack", "label", "missed"]
    assert {"a", "b", "gt", "pred", "0", "20", "40", "60"} <= set(texts)


def test_bars_add_up_to_what_recall_and_precision_lack(sample):
    confusion, causes = sample.confusion(), sample.causes()
    chart, classes = cause_bars(causes, confusion), confusion.classes().set_index("label")
    assert chart.names == classes.drop("Background")["gt_pixels"].sort_values(ascending=False).index.tolist()
    assert [part.title for part in chart.parts] == list(CAUSES)
    totals = np.sum([part.values for part in chart.parts], axis=0).reshape(-1, 2)
    np.testing.assert_allclose(totals, 1 - classes.loc[chart.names, ["recall", "precision"]])
    missed = next(part for part in chart.parts if part.title == "missed").values[2 * chart.names.index("Formula")]
    pixels = causes.by_label().set_index(["side", "class"]).loc[("gt", "Formula"), "missed"]
    assert missed == pytest.approx(pixels / classes.loc["Formula", "gt_pixels"])


def test_the_screen_draws_the_bars_of_a_label_below_each_other(compared):
    figure = screen.draw(cause_bars(compared.causes(), compared.confusion()), LIGHT)
    missed = next(trace for trace in figure.data if trace.name == "missed")
    assert list(missed.y) == [-0.22, 0.22, 0.78, 1.22] and missed.x[0] == pytest.approx(0.1)
    assert missed.hovertext[0] == "gt <b>a</b><br>missed: 10.0 %"


def test_many_labels_without_errors_are_drawn():
    names = [f"a rather long label {i}" for i in range(60)]
    layout = build(SIZES, [("p", name, i, i, i + 30, i + 20) for i, name in enumerate(names)], names)
    c = lcm.compare(layout, layout)
    figure = paper.draw(cause_bars(c.causes(), c.confusion()))
    assert drawn_bars(figure) == [] and figure.get_figheight() < 10
    assert figure_style.figure_bytes(figure, "pdf")[:4] == b"%PDF"


@pytest.mark.parametrize(("longest", "step"), [(0.01, 0.0025), (0.4, 0.1), (0.3, 0.1), (1.0, 0.25), (0.09, 0.025)])
def test_axes_have_round_steps(longest, step):
    (axes,) = paper.draw(RowChart("stack", ["a"], [Part("", "slack", np.array([longest]))], [""])).axes
    assert axes.get_xlim() == (0, longest)
    assert axes.get_xticks()[:3] == pytest.approx([0, step, 2 * step])


def test_one_bar_a_prediction_has_its_wrong_pixels(sample):
    """The second one has other labels, and therefore no causes."""
    causes = sample.causes()
    table = pd.DataFrame([cause_row("a", causes), cause_row("<b>other", different_labels().causes())])
    figure = screen.draw(model_cause_bars(table), DARK)
    assert list(figure.layout.yaxis.ticktext) == ["a", "&lt;b&gt;other"]
    assert figure.layout.height == screen.row_chart_height("stack", "pixels", 2)
    assert [trace.name for trace in figure.data] == list(CAUSES)
    confusion = sample.confusion()
    wrong = confusion.values.sum() - confusion.values.trace()
    assert sum(trace.x[0] for trace in figure.data) == pytest.approx(wrong)
    assert all(trace.x[1] is None for trace in figure.data)
    missed = next(trace for trace in figure.data if trace.name == "missed")
    pixels = causes.values[CAUSES.index("missed")].sum()
    assert missed.x[0] == pytest.approx(pixels) and f"missed: {100 * pixels / wrong:.1f} %" in missed.hovertext[0]


def test_bars_of_causes_and_families_on_paper_have_their_numbers():
    gt, wrong = build(SIZES, HALVES), build(SIZES, [("p", "b", *box[2:]) for box in HALVES])
    board = lcm.leaderboard({"good": lcm.compare(gt, gt), "poor": lcm.compare(gt, wrong)})
    texts = drawn_texts(paper.draw(model_cause_bars(board.causes(), "recipe")))
    assert {"good", "poor", "label", "recipe", "0", "5.0k"} <= set(texts), texts
    chart = family_bars(lcm.compare(gt, wrong).families({"Words": ["a", "b"]}), GT)
    once, again = (paper.draw(chart, width="one") for _ in range(2))
    assert {"Words", "a", "b", "out of family", "100"} <= set(drawn_texts(once))
    assert figure_style.figure_bytes(once, "pdf") == figure_style.figure_bytes(again, "pdf")


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_bars_of_families_add_up_and_names_are_escaped(theme):
    # $a$ is right once and read as b once; c is missed once and invented once
    gt, pred = [{"$a$"}, {"$a$"}, {"c"}, {"alone"}], [{"$a$"}, {"b"}, set(), {"alone", "c"}]
    counted = lcm.label_sets_families(gt, pred, {"F<b>": ["$a$", "b"], "G": ["c"], "H": ["never"]})
    figure = screen.draw(family_bars(counted, GT), theme)
    assert [trace.name for trace in figure.data] == ["right", "in family", "out of family"]
    np.testing.assert_allclose(np.sum([trace.x for trace in figure.data], axis=0), 1)
    assert [list(trace.x) for trace in figure.data] == [[0.5, 0, 1], [0.5, 0, 0], [0, 1, 0]]
    assert list(figure.layout.yaxis.ticktext)[:2] == ["<b>F&lt;b&gt;</b>", "&#36;a&#36;"]
    assert "mostly confused with b" in figure.data[0].hovertext[0]
    assert "mostly confused with out of family" in figure.data[0].hovertext[1]
