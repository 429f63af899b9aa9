"""Causes and forgiveness on the screen: bars and lines have the numbers of the tables."""

import json

import pandas as pd
import pytest

from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.drawing.palette import DARK, LIGHT
from layoutcm.drawing.screen.stacked_bars import cause_bars, forgiveness_figure, model_cause_bars
from layoutcm.models.leaderboard import cause_row
from layoutcm.tables.why import FORGIVEN
from support.three_pages import different_labels


def test_bars_add_up_to_what_recall_and_precision_lack(sample):
    confusion, causes = sample.confusion(), sample.causes()
    figure = cause_bars(causes, confusion, LIGHT)
    classes = confusion.classes().set_index("label")
    labels = list(figure.layout.yaxis.ticktext)
    assert labels == classes.drop("Background")["gt_pixels"].sort_values(ascending=False).index.tolist()
    for axis, score in (("x", "recall"), ("x2", "precision")):
        parts = [trace for trace in figure.data if trace.xaxis == axis]
        assert [trace.name for trace in parts] == list(CAUSES)
        for k, label in enumerate(labels):
            assert sum(trace.x[k] for trace in parts) == pytest.approx(1 - classes.loc[label, score])
    table = causes.by_label().set_index(["side", "class"])
    missed = next(trace for trace in figure.data if trace.name == "missed" and trace.xaxis == "x")
    share = table.loc[("gt", "Formula"), "missed"] / classes.loc["Formula", "gt_pixels"]
    assert missed.x[labels.index("Formula")] == pytest.approx(share)
    assert missed.hovertext[labels.index("Formula")] == f"<b>Formula</b><br>missed: {100 * share:.1f} %"


def test_lines_have_the_scores(sample):
    table = sample.forgiveness()
    figure = forgiveness_figure(table, DARK)
    for trace, name in zip(figure.data, ("micro_f1", "macro_f1", "content_f1")):
        assert list(trace.x) == table["tolerance"].tolist() and list(trace.y) == table[name].tolist()
        assert trace.name == FORGIVEN[name]
    assert figure.data[1].hovertext[2] == f"macro F1, 0.5 %: {table['macro_f1'][2]:.3f}"


def test_undefined_values_are_not_drawn():
    c = different_labels()
    for figure in (cause_bars(c.causes(), c.confusion(), LIGHT), forgiveness_figure(c.forgiveness(), LIGHT)):
        assert json.loads(figure.to_json())["layout"]["paper_bgcolor"] == "rgba(0,0,0,0)"
        assert not any(value for trace in figure.data for value in (trace.y if trace.type == "scatter" else trace.x))


def test_one_bar_a_prediction_has_its_wrong_pixels(sample):
    """The second one has other labels, and therefore no causes."""
    causes = sample.causes()
    table = pd.DataFrame([cause_row("a", causes), cause_row("<b>other", different_labels().causes())])
    figure = model_cause_bars(table, DARK)
    assert list(figure.layout.yaxis.ticktext) == ["a", "&lt;b&gt;other"]
    assert [trace.name for trace in figure.data] == list(CAUSES)
    confusion = sample.confusion()
    wrong = confusion.values.sum() - confusion.values.trace()
    assert sum(trace.x[0] for trace in figure.data) == pytest.approx(wrong)
    assert all(trace.x[1] is None for trace in figure.data)
    missed = next(trace for trace in figure.data if trace.name == "missed")
    pixels = causes.values[CAUSES.index("missed")].sum()
    assert missed.x[0] == pytest.approx(pixels) and f"missed: {100 * pixels / wrong:.1f} %" in missed.hovertext[0]
