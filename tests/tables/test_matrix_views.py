"""Views of a matrix: chosen and folded labels."""

from dataclasses import replace

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.drawing.matrix_layers import cell_colour, correct_cells, matrix_layers
from layoutcm.drawing.palette import LIGHT
from layoutcm.drawing.web.matrix_data import matrix_data
from layoutcm.errors import InputError
from layoutcm.results.vocabulary import WITH_TRUTH, WITHOUT_TRUTH
from layoutcm.tables.label_folding import JOINED, MOST_DRAWN, drawn_matrix, fold_others
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
from layoutcm.tables.tables import matrix_table
from support.comparisons import different_labels, three_pages
from support.layouts import build

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
    cells = [("a", "b", 4.0, 0.5), ("b", "a", 4.0, 1.0), ("Background", "b", 2.0, 2 / 14)]
    assert largest_confusions(confusion) == cells and largest_confusions(confusion, 1) == cells[:1]
    assert largest_confusions(confusion, selection=Selection([0, 2], [1, 2])) == cells[1:]


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


N = 400


def layout_of(prefix, seed, labels=N):
    draws = np.random.default_rng(seed)
    names = [f"{prefix}{i}" for i in range(labels)]
    corners = draws.integers(0, 400, (labels, 2))
    sizes = draws.integers(3, 60, (labels, 2))
    rows = [("p", name, *low, *(low + size)) for name, low, size in zip(names, corners.tolist(), sizes)]
    return build({"p": (500, 500)}, [(p, n, x0, y0, int(x1), int(y1)) for p, n, x0, y0, x1, y1 in rows], names)


@pytest.fixture(scope="module", params=["matrix", "tensor", "different"])
def confusion(request):
    other = "b" if request.param == "different" else "a"
    method = "tensor" if request.param == "tensor" else "matrix"
    return lcm.compare(layout_of("a", 1), layout_of(other, 2)).confusion(method=method)


@pytest.mark.parametrize("chosen", ["all", "in use", "some"])
def test_cells_of_joined_labels_are_sums_of_cells(confusion, chosen):
    selection = every_label(confusion) if chosen == "all" else select(confusion)
    if chosen == "some":
        selection = Selection(selection.rows[: MOST_DRAWN + 50], selection.columns[: MOST_DRAWN + 50])
    drawn = drawn_matrix(confusion, selection)
    assert drawn.joined and max(map(len, drawn.selection)) == MOST_DRAWN
    for mass, whole in (
        (drawn.confusion.recall_mass, confusion.recall_mass),
        (drawn.confusion.precision_mass, confusion.precision_mass),
    ):
        assert mass.sum() == pytest.approx(whole.sum())
        # The last row and column shown are the joined labels: those of the selection that are not drawn themselves.
        rows, columns = (
            [[drawn.positions[k]] if drawn.positions[k] != JOINED else None for k in side] for side in drawn.selection
        )
        for side, places in zip(selection, (rows, columns)):
            assert places[-1] is None and places.count(None) == 1
            places[-1] = [i for i in side if [i] not in places]
        expected = [[whole[np.ix_(row, column)].sum() for column in columns] for row in rows]
        np.testing.assert_allclose(mass[np.ix_(*drawn.selection)], expected)


def test_shares_of_labels_that_are_drawn_stay_the_same(confusion):
    drawn = drawn_matrix(confusion, select(confusion))
    kept = [(new, old) for new, old in enumerate(drawn.positions) if old != JOINED]
    new, old = np.array(kept).T
    for view in ("recall", "precision", "f1"):
        shown, whole = getattr(drawn.confusion, view), getattr(confusion, view)
        np.testing.assert_allclose(shown[np.ix_(new, new)], whole[np.ix_(old, old)])
    sizes = confusion.gt_pixels + confusion.pred_pixels
    joined = sorted({*select(confusion).rows} - {*old.tolist()})
    assert sizes[joined].max() <= sizes[[i for i in old if i in select(confusion).rows and i]].min()
    other = drawn.confusion.labels[drawn.selection.rows[-1]]
    assert other == f"other ({len(joined)} labels)"


def test_few_labels_are_not_changed():
    confusion = lcm.compare(layout_of("a", 1, 20), layout_of("a", 2, 20)).confusion()
    drawn = drawn_matrix(confusion, select(confusion))
    assert drawn.confusion is confusion and drawn.selection == select(confusion) and not drawn.joined


def test_figures_and_tables_have_the_joined_label(confusion):
    selection = select(confusion)
    largest = confusion.own_labels[0][1]
    data = matrix_data(confusion, "recall", selection)
    assert len(data["rows"]) == len(data["columns"]) == MOST_DRAWN and data["rows"][-1] == data["columns"][-1] == JOINED
    assert data["row_names"][-1].startswith("other (") and largest >= 0
    for view in ("pixels", "recall"):
        table = matrix_table(confusion, view, selection).data
        assert table.shape == (MOST_DRAWN, MOST_DRAWN + 1) and table.columns[-1].startswith("other (")
    whole = matrix_table(confusion, "pixels").data.iloc[:, 1:].to_numpy()
    assert whole.sum() == pytest.approx(confusion.values.sum())


def test_the_diagonal_of_joined_labels_has_no_colour(confusion):
    drawn = drawn_matrix(confusion, select(confusion))
    hit, miss = matrix_layers(drawn.confusion, "pixels", drawn.selection, LIGHT, log=False)
    value = drawn.confusion.values[drawn.selection.rows[-1], drawn.selection.columns[-1]]
    if not confusion.diagonal:  # nothing is correct or wrong
        assert hit.z[-1, -1] == value
        return
    assert value > 0 and cell_colour([hit, miss], MOST_DRAWN - 1, MOST_DRAWN - 1) is None
    others = ~np.eye(MOST_DRAWN, dtype=bool)
    others[-1, -1] = True
    assert (np.isnan(hit.z) == (others | (drawn.confusion.values[np.ix_(*drawn.selection)] == 0))).all()
    assert not correct_cells(drawn.confusion, drawn.selection)[-1, -1]


def test_more_labels_than_can_be_compared_are_refused_with_files_and_numbers():
    gt, pred = (build({"p": (9, 9)}, [], [f"{side} {i}" for i in range(1001)]) for side in ("gt", "pred"))
    with pytest.raises(InputError, match=r"2,002 labels, 1,001 in gt and 1,001 in pred; at most 2,000 .* map several"):
        lcm.compare(gt, pred, taxonomy="different")
    assert len(lcm.compare(gt, gt).labels) == 1002


def test_chosen_labels_keep_their_numbers_and_the_others_become_one(sample):
    whole, folded = sample.confusion(), fold_others(sample.confusion(), ["Table"])
    assert folded.labels == ["Background", "Table", "other (10 labels)"] and folded.joined == (2,)
    i = whole.labels.index("Table")
    for name in ("precision", "recall", "f1", "gt_pixels", "pred_pixels"):
        assert folded.class_values()[name][1] == pytest.approx(whole.class_values()[name][i])
    others = [k for k in range(1, len(whole.labels)) if k != i]
    assert folded.values[1].tolist() == [whole.values[i, 0], whole.values[i, i], whole.values[i, others].sum()]
    assert folded.values[2, 2] == pytest.approx(whole.values[np.ix_(others, others)].sum())
    assert folded.values.sum() == pytest.approx(whole.values.sum())


def test_nothing_is_folded_without_a_chosen_label_or_for_a_single_other():
    small = lcm.label_sets_confusion(["a", "b"], ["a", "a"], "ab")
    assert fold_others(small, []) is small and fold_others(small, ["no such"]) is small
    assert fold_others(small, ["a"]).labels == small.labels


def test_with_different_taxonomies_each_side_folds_its_own(sample):
    block = replace(sample.confusion(), diagonal=False, sides=((0, 1, 2, 3), (0, *range(4, 12))))
    folded = fold_others(block, [block.labels[1], block.labels[4]])
    assert folded.labels[:3] == ["Background", block.labels[1], block.labels[4]]
    assert folded.labels[3:] == ["other (2 labels)", "other (7 labels)"]
    assert folded.sides == ((0, 1, 3), (0, 2, 4)) and folded.joined == ()
    # A side without any of the labels keeps its own.
    assert fold_others(block, [block.labels[1]]).labels[2:-1] == block.labels[4:]
