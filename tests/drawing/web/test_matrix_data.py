"""The data of a matrix for its script: masses and totals give the numbers of the API; groups, joined labels, JSON."""

import json

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.drawing.label_order import MOST_UNGROUPED, groups_of_labels
from layoutcm.drawing.palette import DARK, LIGHT
from layoutcm.drawing.web.matrix_data import MatrixLook, difference_data, matrix_data
from layoutcm.metrics.family_trees import check_tree
from layoutcm.tables.label_folding import JOINED, MOST_DRAWN
from layoutcm.tables.matrix_views import VIEWS, Selection, every_label, select, view_values
from support.matrix_values import known_differences, views_of


def confusion_of(n, seed=0, method="matrix"):
    """Pixels with one or two of n labels on each side, at random."""
    generator = np.random.default_rng(seed)
    labels = [f"l{i}" for i in range(n)]
    sets = [[labels[k] for k in generator.integers(n, size=generator.integers(3))] for _ in range(2 * 6 * n)]
    return lcm.label_sets_confusion(sets[::2], sets[1::2], labels, method=method)


@pytest.mark.parametrize("method", ["matrix", "tensor"])
def test_masses_and_totals_give_the_views_of_the_api(method):
    m = confusion_of(7, method=method)
    shown = Selection([3, 1, 0, 7], [2, 1, 5])
    data = json.loads(json.dumps(matrix_data(m, "recall", shown), allow_nan=False))
    assert (data["models"][0]["precision_mass"] is None) == (method == "matrix")
    for view in VIEWS:
        np.testing.assert_allclose(views_of(data)[view], view_values(m, view)[np.ix_(*shown)], rtol=1e-15)
    assert data["rows"] == [3, 1, 0, 7] and data["columns"] == [2, 1, 5]
    assert data["row_names"] == ["l2", "l0", "Background", "l6"] and data["column_names"] == ["l1", "l0", "l4"]


def test_the_look_is_part_of_the_data(small):
    look = MatrixLook(DARK, True, "pages", True, True, (1, 2), (3,), False)
    data = matrix_data(small, "f1", every_label(small), look)
    wanted = {"theme": "dark", "log": True, "unit": "pages", "clickable": True, "headers": True, "chosen": [1, 2]}
    assert data | wanted | {"margins": [3], "bars": False, "view": "f1", "diagonal": True} == data
    assert data["sides"] == ["Ground truth", "Prediction"]
    assert data["themes"]["dark"]["miss"] == DARK.miss and data["themes"]["light"]["diverging"] == LIGHT.diverging
    plain = matrix_data(small, "f1", every_label(small))
    assert plain["chosen"] is None and not plain["clickable"] and plain["theme"] == "light"


def test_two_layouts_without_a_truth_are_a_and_b(two_pages):
    m = lcm.compare(*two_pages, truth=False).confusion()
    assert matrix_data(m, "recall", select(m))["sides"] == ["A", "B"]


def test_whole_numbers_are_written_without_a_point():
    m = lcm.label_sets_confusion([["a"], ["a"]], [["a", "b"], ["a"]], "ab", weights=[3, 4])
    mass = matrix_data(m, "pixels", every_label(m))["models"][0]["mass"]
    assert json.dumps(mass) == "[[0, 0, 0], [0, 5.5, 1.5], [0, 0, 0]]"


def test_several_models_have_the_rows_and_columns_of_the_selection():
    a, b = confusion_of(5, 1), confusion_of(5, 2)
    data = matrix_data({"<x>": a, "y": b}, "recall", every_label(a))
    assert [model["name"] for model in data["models"]] == ["<x>", "y"]
    for n, m in enumerate((a, b)):
        np.testing.assert_allclose(views_of(data, n)["f1"], m.f1, rtol=1e-15)


def test_joined_labels_have_no_position():
    m = confusion_of(100)
    data = matrix_data({"a": m, "b": confusion_of(100, 3)}, "pixels", every_label(m))
    assert len(data["rows"]) == len(data["columns"]) == MOST_DRAWN and data["rows"][-1] == JOINED
    assert data["row_names"][-1] == "other (22 labels)" and data["rows"].count(JOINED) == 1
    assert np.sum(data["models"][0]["mass"]) == pytest.approx(m.values.sum())


def test_families_of_two_or_more_labels_are_groups(small):
    families = {"a": "F", "b": "F", "c": "alone", "Background": "unused"}
    data = matrix_data(small, "recall", Selection([0, 2, 3, 1], [1, 2]), families=families)
    assert data["groups"] == [{"name": "F", "rows": [1, 3], "columns": [0, 1]}]
    assert matrix_data(small, "recall", every_label(small))["groups"] == []


def test_only_large_matrices_are_grouped():
    tree = check_tree({"F": {"inner": ["a"], "G": ["b"]}}, "")
    large = Selection(list(range(MOST_UNGROUPED + 1)), [0])
    assert groups_of_labels(tree, large) == {"a": "F", "b": "F"}
    assert groups_of_labels(None, large) == {}
    assert groups_of_labels(tree, Selection(list(range(MOST_UNGROUPED)), [0])) == {}


def test_a_difference_without_an_interval_beyond_zero_is_noise():
    values, nan = np.array([[0.1, -0.2, 0.3, np.nan]]), np.nan
    low, high = np.array([[0.05, -0.3, -0.1, nan]]), np.array([[0.2, -0.1, 0.7, nan]])
    found = difference_data(known_differences(values, low, high))
    assert found["level"] == 0.95
    assert found["verdicts"] == [["better", "better", "no difference shown", None]]
    assert found["values"] == [[0.1, -0.2, 0.3, None]] and found["low"][0][3] is None
    json.dumps(found, allow_nan=False)
