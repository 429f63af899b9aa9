"""All figures of the screen: valid JSON, transparent paper, and names that stay text."""

import json

import pytest

import layoutcm as lcm
from layoutcm.drawing.palette import DARK, LIGHT
from layoutcm.drawing.screen import charts
from layoutcm.drawing.screen.charts import plotly_text
from layoutcm.metrics.confusion import Confusion
from support import hostile

HOSTILE = [*hostile.SCREEN, "a&amp;b", "$a$ and $b$"]


def hostile_confusion():
    n = len(HOSTILE)
    gt = [[HOSTILE[i]] for i in range(n) for _ in range(2)]
    pred = [[HOSTILE[(i + k) % n]] for i in range(n) for k in range(2)]
    return lcm.label_sets_confusion(gt, pred, HOSTILE)


def all_figures(confusion, theme):
    yield charts.class_bars(confusion, theme, background=True)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_figure_is_json_with_a_transparent_paper(small, theme):
    different = lcm.label_sets_confusion(["a", "b"], ["b", "b"], "ab")
    different = Confusion(different.labels, "matrix", different.values, different.values, different.pred_pixels, False)
    empty = lcm.label_sets_confusion([], [], "ab")
    for confusion in (small, different, empty):
        for figure in all_figures(confusion, theme):
            assert json.loads(figure.to_json())["layout"]["paper_bgcolor"] == "rgba(0,0,0,0)"


def texts(value):
    """All strings in a figure's JSON."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    return [value] if isinstance(value, str) else []


def test_hostile_names_are_text_in_every_figure():
    confusion = hostile_confusion()
    for figure in all_figures(confusion, LIGHT):
        shown = json.loads(figure.to_json())
        for text in texts(shown["data"]) + texts(shown["layout"]):
            assert "<img" not in text and "</script" not in text and "$" not in text, text
        # Plotly replaces %{x} only in templates, and no figure uses one.
        assert not [one for one in shown["data"] if "hovertemplate" in one or "texttemplate" in one]


def test_plotly_text_is_escaped():
    assert plotly_text("<b>x</b> & $x$") == "&lt;b&gt;x&lt;/b&gt; &amp; &#36;x&#36;"
    assert plotly_text("نص 😀 =1+1") == "نص 😀 =1+1"
