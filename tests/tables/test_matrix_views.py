"""The views of a matrix, the selection of its labels, and its largest cells."""

import pytest

import layoutcm as lcm
from layoutcm.results.vocabulary import WITH_TRUTH, WITHOUT_TRUTH
from layoutcm.tables.matrix_views import (
    Selection,
    cell_name,
    cell_verb,
    every_label,
    largest_confusions,
    select,
    view_buttons,
    view_values,
)
from support.three_pages import different_labels, three_pages

# Without Background. The label d is not used.
SETS = lcm.label_sets_confusion(["a", "a", "b", "c"], ["a", "b", "c", "c"], "abcd", background=None)


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ({}, [0, 1, 2]),
        ({"unused": True}, [0, 1, 2, 3]),
        ({"labels": ["b"]}, [0, 2]),
        ({"labels": ["c"]}, [0]),
        ({"labels": ["c"], "unused": True}, [0, 3]),
        ({"labels": ["Background"]}, [0, 1, 2]),
        ({"labels": ["not a label"]}, [0, 1, 2]),
    ],
)
def test_selected_labels(options, rows):
    """Background, a, b, c; the label c is not used."""
    assert select(three_pages().confusion(), **options) == Selection(rows, rows)


@pytest.mark.parametrize(("labels", "rows"), [((), [0, 1, 2]), (["b"], [1]), (["a", "c"], [0, 2])])
def test_selected_labels_without_background(labels, rows):
    assert select(SETS, labels) == Selection(rows, rows)


@pytest.mark.parametrize("labels", [(), ["a"], ["x"], ["a", "x"]])
def test_each_side_has_its_own_labels_if_they_differ(labels):
    """Background, a, x: a side that has none of the labels keeps all its labels."""
    confusion = different_labels().confusion()
    assert select(confusion, labels) == ([0, 1], [0, 2])
    assert every_label(confusion) == ([0, 1, 2], [0, 1, 2])


def test_largest_confusions_are_sorted_by_pixels():
    gt, pred = "aaaaaaab", "aaabbbca"
    found = largest_confusions(lcm.label_sets_confusion(list(gt), list(pred), "abc"))
    assert found == [("a", "b", 3.0, 3 / 7), ("a", "c", 1.0, 1 / 7), ("b", "a", 1.0, 1.0)]


def test_largest_confusions_of_a_selection():
    confusion = three_pages().confusion()
    assert largest_confusions(confusion) == [
        ("a", "b", 4.0, 0.5),
        ("b", "a", 4.0, 1.0),
        ("Background", "b", 2.0, 2 / 14),
    ]
    assert largest_confusions(confusion, 1) == [("a", "b", 4.0, 0.5)]
    assert largest_confusions(confusion, selection=Selection([0, 2], [1, 2])) == [
        ("b", "a", 4.0, 1.0),
        ("Background", "b", 2.0, 2 / 14),
    ]


def test_ten_confusions_unless_another_number_is_given():
    confusion = lcm.label_sets_confusion(list("abcdefghijkl"), list("bcdefghijkla"), "abcdefghijkl")
    assert [cell[0] for cell in largest_confusions(confusion)] == list("abcdefghij")
    assert [cell[0] for cell in largest_confusions(confusion, 11)] == list("abcdefghijk")


def test_views():
    with_truth = {"recall": "Recall", "precision": "Precision", "f1": "F1", "pixels": "Pixels"}
    assert view_buttons(WITH_TRUTH) == with_truth
    shares = {"recall": "Share of A", "precision": "Share of B", "f1": "Both of A and B (F1)"}
    assert view_buttons(WITHOUT_TRUTH) == with_truth | shares
    assert {view: view_values(SETS, view)[:3, :3].round(3).tolist() for view in ("pixels", "recall", "precision")} == {
        "pixels": [[1, 1, 0], [0, 0, 1], [0, 0, 1]],
        "recall": [[0.5, 0.5, 0], [0, 0, 1], [0, 0, 1]],
        "precision": [[1, 1, 0], [0, 0, 0.5], [0, 0, 0.5]],
    }
    with pytest.raises(lcm.InputError) as caught:
        view_values(SETS, "recal")
    assert str(caught.value) == "view: 'recal' is not known. Use one of pixels, recall, precision, f1."


def test_the_word_between_the_labels_of_a_cell():
    assert [cell_verb(True, correct) for correct in (True, False)] == ["found as", "read as"]
    assert [cell_verb(False, correct) for correct in (True, False)] == ["overlaps", "overlaps"]


def test_the_name_of_a_cell():
    assert cell_name(WITH_TRUTH, "{a}", "b", diagonal=True) == "{a} read as b"
    assert cell_name(WITH_TRUTH, "a", "a", diagonal=True) == "a found as a"
    assert cell_name(WITH_TRUTH, "a", "a", diagonal=False) == "a overlaps a"
    assert cell_name(WITHOUT_TRUTH, "{a}", "b", diagonal=True, label_text=str.upper) == "{A} in A, B in B"
