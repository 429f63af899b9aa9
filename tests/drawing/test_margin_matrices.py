"""Matrices of objects and families with their margins, checked on label sets that can be counted by hand."""

import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.drawing.line_charts import label_points
from layoutcm.drawing.margin_matrices import chart_rows, family_as_confusion, family_selection, object_as_confusion
from layoutcm.drawing.palette import LIGHT
from layoutcm.drawing.screen import charts as screen
from layoutcm.layouts.model import GT, PRED
from layoutcm.results.vocabulary import WITH_TRUTH
from layoutcm.tables.matrix_views import Selection
from layoutcm.ui.measures.object_tables import matched_share_table, object_cell_name
from layoutcm.ui.screen_text import words_of

WORDS = words_of(WITH_TRUTH)
HEADER = "page,width,height,label,x0,y0,x1,y1,score\n"
# on p the first a is found, the second missed, <b> is read as a, and $x$ is invented; on q a is missed
GT_ROWS = "p,90,90,a,0,0,10,10,\np,90,90,a,0,20,10,30,\np,90,90,<b>,0,40,10,50,\nq,90,90,a,0,0,10,10,\n"
PRED_ROWS = "p,90,90,a,0,0,10,10,.9\np,90,90,a,0,40,10,50,.8\np,90,90,$x$,60,60,80,80,.7\nq,90,90,<b>,50,50,60,60,.6\n"
FAMILIES = {"F<b>": ["$a$", "b"], "G": ["c"], "H": ["never"]}


def layout(name, rows, scores=True):
    lines = rows.splitlines() if scores else [row.rpartition(",")[0] + "," for row in rows.splitlines()]
    return lcm.read((f"{name}.csv", (HEADER + "\n".join(lines)).encode()))


@pytest.fixture
def objects():
    return lcm.compare(layout("gt", GT_ROWS), layout("pred", PRED_ROWS), taxonomy="same").objects()


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


def test_without_a_ranking_a_label_is_a_point():
    c = lcm.compare(layout("gt", GT_ROWS), layout("pred", PRED_ROWS, scores=False), taxonomy="same")
    table = c.objects().class_scores_at(0.5)
    figure = screen.draw(label_points(table, c.objects().labels), LIGHT)
    # $x$ has no gt, so no recall; one of three a is found, and one of two predictions of a is right
    assert {one.name: (one.x[0], one.y[0]) for one in figure.data} == {"a": (1 / 3, 0.5), "&lt;b&gt;": (0, 0)}


def test_curves_equals_curve_for_each_label(objects):
    for label, curve in objects.curves(0.5).items():
        pd.testing.assert_frame_equal(curve, objects.curve(label, 0.5))


@pytest.fixture
def counted():
    # $a$ is right once and read as b once; c is missed once and invented once
    gt, pred = [{"$a$"}, {"$a$"}, {"c"}, {"alone"}], [{"$a$"}, {"b"}, set(), {"alone", "c"}]
    return lcm.label_sets_families(gt, pred, FAMILIES)


def test_labels_are_grouped_by_family(counted):
    assert [(row.name, row.values is None) for row in chart_rows(counted, GT)] == [
        ("F<b>", True), ("$a$", False), ("G", True), ("c", False), ("alone", False),
    ]  # fmt: skip
    assert [row.name for row in chart_rows(counted, PRED)] == ["F<b>", "$a$", "b", "G", "c", "alone"]


def test_a_family_matrix_has_an_out_of_family_margin(counted):
    confusion, (rows, columns) = family_as_confusion(counted.all_matrices[0])
    assert [confusion.labels[i] for i in rows] == ["$a$", "b", "out of family"] and rows == columns
    assert confusion.values.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 0]] and confusion.diagonal
    assert confusion.recall[0].tolist() == [0.5, 0.5, 0] and confusion.precision[0, 1] == 1
    # Shares of gt have no out-of-family row, shares of pred no out-of-family column.
    assert family_selection(Selection(rows, columns), "recall") == ([0, 1], [0, 1, 2])
    assert family_selection(Selection(rows, columns), "precision") == ([0, 1, 2], [0, 1])


def test_a_family_whose_sides_share_no_label_has_no_diagonal(two_pages):
    gt, _ = two_pages
    c = lcm.compare(gt, gt, mapping={"pred": {name: name.upper() for name in gt.labels}})
    text = c.families({"Text": ["title", "TITLE", "paragraph", "PARAGRAPH"]}).all_matrices[1]
    confusion, (rows, columns) = family_as_confusion(text)
    assert not confusion.diagonal
    assert [confusion.labels[i] for i in rows] == ["title", "paragraph", "out of family"]
    assert [confusion.labels[j] for j in columns] == ["TITLE", "PARAGRAPH", "out of family"]
