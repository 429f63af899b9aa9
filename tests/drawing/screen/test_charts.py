"""Charts of classes and scores, and the labels that they show."""

import numpy as np
import pytest

from layoutcm.drawing.palette import LIGHT
from layoutcm.drawing.screen import charts
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.matrix_views import largest_confusions, select


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
    assert f1.error_x.array[0] == "n/a" and f1.error_x.array[1] == pytest.approx(0.125)
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


def test_showing_only_some_labels_changes_no_number(small):
    chosen = select(small, ["b"])
    assert chosen == ([0, 2], [0, 2])
    bars = charts.class_bars(small, LIGHT, background=True, selection=chosen)
    assert list(bars.layout.yaxis.ticktext) == ["b", "Background"]
    assert largest_confusions(small) and not largest_confusions(small, selection=chosen)


def test_a_side_without_a_chosen_label_is_shown_completely(small):
    block = Confusion(
        ["Background", "a", "b", "c"], "matrix", small.values, small.values, small.pred_pixels, diagonal=False,
        sides=((0, 1), (0, 2, 3)),
    )  # fmt: skip
    assert select(block, ["a"], unused=True) == ([0, 1], [0, 2, 3])
    assert select(block, ["c"], unused=True) == ([0, 1], [0, 3])
    assert select(block) == ([0, 1], [0, 2])
