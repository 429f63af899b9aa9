"""Two matrices on one sheet, differences of classes, stacked bars: what they draw, and that they take all widths."""

import pytest

import layoutcm as lcm
from layoutcm.drawing.paper import matrix, stacked_bars
from layoutcm.drawing.paper.printing import COLUMN_WIDTHS, figure_bytes
from layoutcm.tables.matrix_views import Selection, select, view_title
from layoutcm.tables.tables import difference_table, pair_table
from support.layouts import build
from support.paper_texts import drawn_texts

PAGES = {"p": (100, 100)}
GT = [("p", "a", 0, 0, 50, 100), ("p", "b", 50, 0, 100, 100)]


@pytest.fixture
def pair():
    """a is half b in the first prediction, and right in the second."""
    gt = build(PAGES, GT)
    first = build(PAGES, [("p", "a", 0, 0, 25, 100), ("p", "b", 25, 0, 100, 100)])
    return {name: lcm.compare(gt, pred).confusion() for name, pred in (("one", first), ("two", gt))}


def test_two_matrices_are_beside_or_below_each_other(pair):
    shown = select(pair["one"])
    figures = {
        width: matrix.pair_figure(pair, "recall", selection=shown, width=width, caption=False)
        for width in (None, "one", "two")
    }
    for width, figure in figures.items():
        assert {"one", "two"} <= set(drawn_texts(figure)) and drawn_texts(figure).count("50") == 2
        assert figure.get_figwidth() * 72 == COLUMN_WIDTHS["one" if width == "one" else "two"]
    assert figures["one"].get_figheight() > 1.5 * figures["two"].get_figheight() / 2
    table = pair_table(pair, "recall", shown).data
    assert table.loc[table["gt"] == "a", ["model", "a", "b"]].values.tolist() == [["one", 0.5, 0.5], ["two", 1, 0]]


def test_a_difference_has_only_the_selected_labels(pair):
    rows = Selection([1], [1, 2])
    figure = matrix.difference_figure(*pair.values(), "recall", selection=rows)
    assert {"+50", "−50"} <= set(drawn_texts(figure))
    table = difference_table(*pair.values(), "recall", rows, ("one", "two"))
    assert table.data.values.tolist() == [["a", 0.5, -0.5]] and table.title.endswith("two minus one")


def test_without_a_truth_views_are_shares_of_a_and_b():
    gt = build(PAGES, GT)
    confusion = lcm.compare(gt, gt, truth=False).confusion()
    assert [view_title(view, confusion) for view in ("pixels", "recall")] == ["pixels", "share of A"]
    assert "share of A, diagonal" in drawn_texts(matrix.matrix_figure(confusion, "recall"))


def test_bars_of_causes_and_families_have_their_numbers():
    gt, wrong = build(PAGES, GT), build(PAGES, [("p", "b", 0, 0, 50, 100), ("p", "b", 50, 0, 100, 100)])
    board = lcm.leaderboard({"good": lcm.compare(gt, gt), "poor": lcm.compare(gt, wrong)})
    figure = stacked_bars.model_cause_bars(board.causes(), recipe="recipe")
    assert {"good", "poor", "label", "recipe", "0", "5.0k"} <= set(drawn_texts(figure)), drawn_texts(figure)
    families = lcm.compare(gt, wrong).families({"Words": ["a", "b"]})
    figure = stacked_bars.family_bars(families, 0, width="one")
    assert {"Words", "a", "b", "out of family", "100"} <= set(drawn_texts(figure))
    assert figure_bytes(figure, "pdf") == figure_bytes(stacked_bars.family_bars(families, 0, width="one"), "pdf")
