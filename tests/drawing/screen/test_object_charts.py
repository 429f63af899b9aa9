"""Charts of objects and the matrix behind them, checked on objects that can be counted by hand."""

import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.drawing.margin_matrices import object_as_confusion
from layoutcm.drawing.palette import LIGHT
from layoutcm.drawing.screen.object_charts import CURVE_POINTS, curve_points, curves_figure, points_figure
from layoutcm.results.vocabulary import WITH_TRUTH
from layoutcm.ui.measures.object_tables import matched_share_table, object_cell_name
from layoutcm.ui.screen_text import words_of

WORDS = words_of(WITH_TRUTH)
HEADER = "page,width,height,label,x0,y0,x1,y1,score\n"
# on p the first a is found, the second missed, <b> is read as a, and $x$ is invented; on q a is missed
GT = "p,90,90,a,0,0,10,10,\np,90,90,a,0,20,10,30,\np,90,90,<b>,0,40,10,50,\nq,90,90,a,0,0,10,10,\n"
PRED = "p,90,90,a,0,0,10,10,.9\np,90,90,a,0,40,10,50,.8\np,90,90,$x$,60,60,80,80,.7\nq,90,90,<b>,50,50,60,60,.6\n"


def layout(name, rows, scores=True):
    lines = rows.splitlines() if scores else [row.rpartition(",")[0] + "," for row in rows.splitlines()]
    return lcm.read((f"{name}.csv", (HEADER + "\n".join(lines)).encode()))


@pytest.fixture
def objects():
    return lcm.compare(layout("gt", GT), layout("pred", PRED), taxonomy="same").objects()


def test_every_object_is_in_one_cell_and_has_its_page(objects):
    found = objects.object_confusion_at(0.5)
    a, b, x = (found.labels.index(label) for label in ("a", "<b>", "$x$"))
    last = len(found.labels)
    counted = {(a, a): 1, (b, a): 1, (a, last): 2, (last, x): 1, (last, b): 1}
    assert {(i, j): n for (i, j), n in np.ndenumerate(found.counts) if n} == counted
    assert [column.tolist() for column in found.pages_behind(a, last)] == [[0, 1], [1, 1]]
    assert [column.tolist() for column in found.pages_behind(last, b)] == [[1], [1]]
    assert [column.tolist() for column in found.pages_behind(x, x)] == [[], []]
    assert found.table().equals(objects.confusion_at(0.5))
    assert object_cell_name(found, (b, a), WORDS) == "<b> read as a"
    assert [object_cell_name(found, cell, WORDS) for cell in ((a, last), (last, x))] == ["a missed", "$x$ invented"]


def test_pages_with_the_most_come_first():
    gt = "p,90,90,a,0,0,10,10,\n" + "".join(f"q,90,90,a,{20 * i},0,{20 * i + 10},10,\n" for i in range(3))
    found = (
        lcm.compare(layout("gt", gt), layout("pred", "p,90,90,a,50,50,60,60,.5\n")).objects().object_confusion_at(0.5)
    )
    assert [column.tolist() for column in found.pages_behind(0, 1)] == [[1, 0], [3, 1]]


def test_the_matrix_has_margins(objects):
    found = objects.object_confusion_at(0.5)
    confusion, (rows, columns) = object_as_confusion(found)
    assert {confusion.labels[i] for i in rows} == {"a", "<b>", "$x$", "invented"} and rows[-1] == len(found.labels)
    assert [confusion.labels[j] for j in columns[-1:]] == ["missed"] and columns[-1] == len(found.labels) + 1
    a = found.labels.index("a")
    assert confusion.values[a, columns[-1]] == 2 == found.counts[a, len(found.labels)]
    assert confusion.recall[a, columns[-1]] == 2 / 3 and confusion.precision[a, columns[-1]] == 1


def test_the_matrix_can_be_limited_to_some_labels(objects):
    confusion, (rows, columns) = object_as_confusion(objects.object_confusion_at(0.5), only=("a",))
    assert [confusion.labels[i] for i in rows] == ["a", "invented"]
    assert [confusion.labels[j] for j in columns] == ["a", "missed"]


def test_sides_with_different_labels_have_a_block_and_no_diagonal(two_pages):
    gt, _ = two_pages
    c = lcm.compare(gt, gt, mapping={"pred": {name: name.upper() for name in gt.labels}})
    found = c.objects().object_confusion_at(0.5)
    confusion, (rows, columns) = object_as_confusion(found)
    assert not confusion.diagonal
    assert all(confusion.labels[i].islower() for i in rows)
    assert all(confusion.labels[j].isupper() for j in columns[:-1])
    table = matched_share_table(found, 0)
    assert list(table) == ["label", "gt", "found", "recall"] and (table["recall"] == 1).all()
    table = matched_share_table(found, 1)
    assert list(table) == ["label", "pred", "found", "precision"] and (table["found"] == table["pred"]).all()
    first = found.labels[rows[0]], found.labels[columns[0]]
    assert object_cell_name(found, (rows[0], columns[0]), WORDS) == "{} overlaps {}".format(*first)


def test_a_curve_follows_its_ap_rule(objects):
    ranked = pd.DataFrame({"score": [0.9, 0.8, 0.7], "precision": [0.4, 0.5, 0.2], "recall": [0.1, 0.2, 0.3]})
    assert curve_points("a", 0.5, ranked, "sum").precision.tolist() == [0.4, 0.5, 0.2]
    assert curve_points("a", 0.5, ranked, "voc").precision.tolist() == [0.5, 0.5, 0.2]
    figure = curves_figure([curve_points("<b>", float("nan"), ranked, "coco")], ["a", "<b>"], LIGHT)
    assert figure.data[0].name == "&lt;b&gt; –" and "score 0.900 or more" in figure.data[0].hovertext[0]


def test_long_curves_keep_their_ends_and_short_curves_all_points():
    n = 10 * CURVE_POINTS
    ranked = pd.DataFrame({"score": np.linspace(1, 0, n), "precision": np.ones(n), "recall": np.linspace(0, 1, n)})
    curve = curve_points("a", 1.0, ranked, "coco")
    assert len(curve.recall) == CURVE_POINTS and (curve.recall[0], curve.recall[-1]) == (0, 1)
    assert curve_points("a", 1.0, ranked.head(7), "coco").score.tolist() == ranked["score"].head(7).tolist()
    assert len(curve_points("a", 1.0, ranked.head(0), "coco").score) == 0


def test_without_a_ranking_a_label_is_a_point():
    c = lcm.compare(layout("gt", GT), layout("pred", PRED, scores=False), taxonomy="same")
    table = c.objects().class_scores_at(0.5)
    figure = points_figure(table, c.objects().labels, LIGHT)
    # $x$ has no gt, so no recall; one of three a is found, and one of two predictions of a is right
    assert {trace.name: (trace.x[0], trace.y[0]) for trace in figure.data} == {"a": (1 / 3, 0.5), "&lt;b&gt;": (0, 0)}


def test_curves_equals_curve_for_each_label(objects):
    for label, curve in objects.curves(0.5).items():
        pd.testing.assert_frame_equal(curve, objects.curve(label, 0.5))
