"""Charts of families, checked on label sets that can be counted by hand."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.drawing.margin_matrices import chart_rows, family_as_confusion, family_selection
from layoutcm.drawing.palette import DARK, LIGHT
from layoutcm.drawing.screen.stacked_bars import family_bars
from layoutcm.layouts.model import GT, PRED
from layoutcm.tables.matrix_views import Selection

FAMILIES = {"F<b>": ["$a$", "b"], "G": ["c"], "H": ["never"]}


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


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_bars_add_up_and_names_are_escaped(counted, theme):
    figure = family_bars(counted, GT, theme)
    assert [trace.name for trace in figure.data] == ["right", "in family", "out of family"]
    np.testing.assert_allclose(np.sum([trace.x for trace in figure.data], axis=0), 1)
    assert [list(trace.x) for trace in figure.data] == [[0.5, 0, 1], [0.5, 0, 0], [0, 1, 0]]
    assert list(figure.layout.yaxis.ticktext)[:2] == ["<b>F&lt;b&gt;</b>", "&#36;a&#36;"]
    assert "mostly confused with b" in figure.data[0].hovertext[0]
    assert "mostly confused with out of family" in figure.data[0].hovertext[1]


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
