"""Causes and forgiveness on paper: the lengths of bars and the points of lines are the numbers."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

import layoutcm as lcm
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.drawing.palette import CAUSE_COLOURS
from layoutcm.drawing.paper import cause_charts, stacked_bars
from layoutcm.drawing.paper.printing import figure_bytes
from support.layouts import build
from support.paper_texts import drawn_texts
from support.three_pages import different_labels

SIZES = {"p": (100, 100)}


@pytest.fixture(scope="module")
def compared():
    """gt has 2,000 pixels of a: 40 are slack, 200 are read as b, 200 are missed. b is right on 100 of 300 pixels."""
    gt = [("a", 10, 10, 50, 50), ("a", 80, 0, 100, 10), ("a", 50, 80, 70, 90), ("b", 0, 90, 10, 100)]
    pred = [("a", 10, 10, 49, 50), ("b", 50, 80, 70, 90), ("b", 0, 90, 10, 100)]
    rows = [[("p", *box) for box in side] for side in (gt, pred)]
    return lcm.compare(*(build(SIZES, side, ["a", "b"]) for side in rows))


def bars(figure):
    """[(cause, length)] of each stacked bar that has parts, from top to bottom."""
    found = {}
    for patch in figure.axes[0].patches:
        if patch.get_alpha() != 0:  # invisible bars carry the numbers
            cause = CAUSES[CAUSE_COLOURS.index(to_hex(patch.get_facecolor()))]
            found.setdefault(round(patch.get_y(), 3), []).append((cause, patch.get_width()))
    return [found[y] for y in sorted(found)]


def test_bars_have_the_lengths_of_the_causes(compared):
    figure = cause_charts.cause_bars(compared.causes(), compared.confusion())
    lost, extra = bars(figure)  # gt side of a; pred side of b; the others have no errors
    assert extra == [("label", pytest.approx(200 / 300))]
    assert lost == [
        (cause, pytest.approx(pixels / 2000)) for cause, pixels in (("slack", 40), ("label", 200), ("missed", 200))
    ]
    texts = drawn_texts(figure)
    # 440 of 2,000 pixels of gt are lost, 200 of 300 of pred are too much; a has none too much, b has lost none.
    assert [text.get_text() for text in figure.axes[0].texts] == ["22", "0", "0", "67"]
    assert {"0", "20", "40", "60"} <= set(texts)
    # The legend has only causes that occur.
    assert [text for text in texts if text in CAUSES] == ["slack", "label", "missed"]
    assert {"a", "b", "gt", "pred"} <= set(texts)


def test_lines_go_through_the_scores(compared):
    table = compared.forgiveness()
    figure = cause_charts.forgiveness_figure(table, recipe=compared.recipe)
    for line, name in zip(figure.axes[0].lines, ("micro_f1", "macro_f1", "content_f1"), strict=True):
        assert line.get_ydata() == pytest.approx(table[name].to_numpy())
        assert line.get_xdata() == pytest.approx(table["tolerance"].to_numpy())
    texts = drawn_texts(figure)
    assert [text for text in texts if text in ("0", "0.25", "0.5", "1", "2")] == ["0", "0.25", "0.5", "1", "2"]


def test_many_labels_and_perfect_predictions_are_drawn():
    names = [f"a rather long label {i}" for i in range(60)]
    rows = [("p", name, i, i, i + 30, i + 20) for i, name in enumerate(names)]
    layout = build(SIZES, rows, names)
    c = lcm.compare(layout, layout)
    figure = cause_charts.cause_bars(c.causes(), c.confusion())
    assert bars(figure) == [] and figure.get_figheight() < 10 and figure_bytes(figure, "pdf")[:4] == b"%PDF"
    assert cause_charts.forgiveness_figure(c.forgiveness()).axes


def test_different_labels_are_an_input_error():
    c = different_labels()
    with pytest.raises(lcm.InputError, match="different labels"):
        cause_charts.cause_bars(c.causes(), c.confusion())
    with pytest.raises(lcm.InputError, match="different labels"):
        cause_charts.forgiveness_figure(c.forgiveness())


@pytest.mark.parametrize(("longest", "step"), [(0.01, 0.0025), (0.4, 0.1), (0.3, 0.1), (1.0, 0.25), (0.09, 0.025)])
def test_axes_have_round_steps(longest, step):
    stacks = stacked_bars.Stacks(np.zeros(1), np.array([[longest]]), [""])
    _, axes, _ = stacked_bars.draw_stacks(["a"], stacks, {"part": {}}, stacked_bars.Axis("", str), "", None)
    assert axes.get_xlim() == (0, longest)
    assert axes.get_xticks()[:3] == pytest.approx([0, step, 2 * step])
