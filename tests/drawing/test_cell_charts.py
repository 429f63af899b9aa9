"""Charts of cells, matrices with margins, the order of labels, and the palette."""

import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.drawing import palette
from layoutcm.drawing.cell_charts import model_classes, model_differences
from layoutcm.drawing.label_order import families_or_similar, order_labels, similar_groups, worst_labels
from layoutcm.drawing.line_charts import label_points
from layoutcm.drawing.margin_matrices import chart_rows, family_as_confusion, family_selection, object_as_confusion
from layoutcm.drawing.palette import DARK, LIGHT
from layoutcm.drawing.paper import charts as on_paper
from layoutcm.drawing.screen import charts as on_screen
from layoutcm.drawing.screen import charts as screen
from layoutcm.layouts.model import GT, PRED
from layoutcm.metrics.family_trees import FamilyTree
from layoutcm.results.types import BoardClass
from layoutcm.results.vocabulary import WITH_TRUTH
from layoutcm.tables import leaderboard_tables
from layoutcm.tables.leaderboard_tables import ClassGrid, class_grid, classes_in_use
from layoutcm.tables.matrix_views import Selection, select
from layoutcm.ui.measures.object_tables import matched_share_table, object_cell_name
from layoutcm.ui.screen_text import words_of
from support.comparisons import compare_all_of_sample
from support.drawn_figures import contrast, drawn_texts, trace
from support.layouts import build


@pytest.fixture(scope="module")
def board():
    return lcm.leaderboard(compare_all_of_sample())


def row(f1, difference=float("nan"), verdict=None):
    ends = {"f1_low": f1 - 0.1, "f1_high": f1 + 0.05, "difference_low": difference - 0.1, "difference_high": difference}
    found = {"f1": f1, "difference": difference, "verdict": verdict, "p": None, "label": "", "model": "", "remark": ""}
    return BoardClass(**found, **ends)


@pytest.fixture
def grid():
    """Two classes of two predictions: y is better in a; b does not occur in x, and y finds nothing of it."""
    rows = {("a", "y"): row(0.896, 0.196, "better"), ("a", "x"): row(0.7, verdict="baseline")}
    rows |= {("b", "y"): row(0.0, verdict="no difference shown"), ("b", "x"): row(float("nan"), verdict="baseline")}
    values = np.array([[0.896, 0.7], [0, np.nan]])
    return ClassGrid(["a", "b"], ["y", "x"], "x", values, [["▲", ""], ["", ""]], rows, ["recipe of y", "recipe of x"])


def test_the_grid_has_the_numbers_and_marks_of_the_leaderboard(board):
    grid = class_grid(board.shown)
    assert grid.models == board.models == ["c", "a", "b"] and "Background" not in grid.labels
    table = board.classes.set_index(["label", "model"])
    for i, label in enumerate(grid.labels):
        for j, model in enumerate(grid.models):
            found = table.loc[(label, model)]
            assert grid.values[i, j] == found["f1"]
            assert grid.marks[i][j] == {"better": "▲", "worse": "▼"}.get(found["verdict"], "")
    assert any("▼" in marks for marks in grid.marks)


def test_of_too_many_labels_the_largest_are_drawn(board, monkeypatch):
    monkeypatch.setattr(leaderboard_tables, "MOST_DRAWN", 3)
    pixels = board.comparisons["a"].confusion().classes().set_index("label")["gt_pixels"].drop("Background")
    largest = set(pixels.sort_values().index[-3:])
    assert class_grid(board.shown).labels == [label for label in classes_in_use(board.shown) if label in largest]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_on_the_screen(grid, theme):
    figure = on_screen.draw(model_classes(grid), theme)
    colours = trace(figure, "hit")
    np.testing.assert_array_equal(np.array(colours.z, float), [[0.896, 0.7], [np.nan, np.nan]])  # 0 is not coloured
    assert (colours.zmin, colours.zmax) == (0, 1)
    numbers = trace(figure, "numbers")
    assert list(zip(numbers.y, numbers.x, numbers.text)) == [
        *((0, 0, "90 ▲"), (0, 1, "70"), (1, 0, "0"), (1, 1, "·")),
    ]
    cells = trace(figure, "cells")
    assert [list(one) for one in cells.customdata] == [["a", "y"], ["a", "x"], ["b", "y"], ["b", "x"]]
    assert cells.hovertext[0] == (
        "<b>a</b><br>y<br>F1 0.8960 (0.796 – 0.946)<br>minus x: +0.1960 (+0.096 to +0.196)<br>better"
    )
    assert cells.hovertext[1] == "<b>a</b><br>x<br>F1 0.7000 (0.600 – 0.750)"
    assert cells.hovertext[3] == "<b>b</b><br>x<br>F1 –"
    assert list(figure.layout.xaxis.ticktext) == ["y", "x"] and list(figure.layout.yaxis.ticktext) == ["a", "b"]
    outline = figure.layout.shapes[0]
    assert (outline.x0, outline.x1) == (0.5, 1.5)  # the baseline


def test_on_paper(grid):
    texts = drawn_texts(on_paper.draw(model_classes(grid)))
    for text in ("a", "b", "y", "x", "class", "prediction", "90 ▲", "70", "0", "F1", "0", "50 %", "100 %"):
        assert text in texts
    assert texts.index("90 ▲") < texts.index("70")
    assert texts[-3:] == ["▲ better and ▼ worse than x, by the corrected test", "recipe of y", "recipe of x"]
    assert "recipe of y" not in drawn_texts(on_paper.draw(model_classes(grid), width="two", caption=False))


def test_differences_on_paper(grid):
    texts = drawn_texts(on_paper.draw(model_differences(grid), caption=False))
    assert {"a", "b", "y", "+20 ▲", "F1 better than x", "≥ 50 %", "no difference shown"} <= set(texts)
    assert "worse" not in texts  # no cell has this colour


def test_both_figures_show_the_same_numbers(board):
    grid = class_grid(board.shown)
    texts = drawn_texts(on_paper.draw(model_classes(grid), caption=False))
    shown = list(trace(on_screen.draw(model_classes(grid), LIGHT), "numbers").text)
    first = texts.index(shown[0])
    assert texts[first : first + len(shown)] == shown and len(shown) == 33


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_differences_on_the_screen(grid, theme):
    figure = on_screen.draw(model_differences(grid), theme)
    better, worse, noise = (np.array(trace(figure, name).z, float) for name in ("hit", "miss", "noise"))
    np.testing.assert_array_equal(better, [[0.196], [np.nan]])  # x is the baseline and has no column
    assert np.isnan(worse).all() and np.isnan(noise).all()  # b has no difference
    assert list(trace(figure, "numbers").text) == ["+20 ▲", "·"]
    assert trace(figure, "hit").zmax == trace(figure, "miss").zmax == 0.5
    values = on_screen.draw(model_classes(grid), theme)
    assert figure.layout.height == values.layout.height == on_screen.cell_chart_height(grid.labels, grid.models)


def test_differences_of_the_leaderboard_are_grey_unless_they_are_shown(board):
    figure = on_screen.draw(model_differences(class_grid(board.shown)), LIGHT)
    rows, grid = board.class_rows, class_grid(board.shown)
    worse, noise = (np.array(trace(figure, name).z, float) for name in ("miss", "noise"))
    for i, label in enumerate(grid.labels):
        for k, model in enumerate(["c", "b"]):
            row = rows[label, model]
            assert (worse[i, k] == -row["difference"]) == (row["verdict"] == "worse")
            assert (noise[i, k] == 0) == (row["verdict"] not in ("better", "worse"))


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


def test_orders_of_labels():
    gt, pred = ["b", "b", "c", "c", "a"], ["b", "c", "c", "c", "a"]
    m = lcm.label_sets_confusion(gt, pred, ["b", "unused", "c", "a"], weights=[5, 2, 9, 9, 1])
    names = lambda order, empty=False: [m.labels[i] for i in order_labels(m, select(m, unused=empty), order)[0]]
    assert names("as given") == ["Background", "b", "c", "a"]
    assert names("as given", empty=True) == ["Background", "b", "unused", "c", "a"]
    assert names("by size") == ["Background", "c", "b", "a"]
    assert names("by name") == ["Background", "a", "b", "c"]
    assert names("by similarity") == ["Background", "c", "b", "a"]
    rows, columns = order_labels(m, select(m), "by family", ["b", "a", "c"])
    assert [m.labels[i] for i in rows] == ["Background", "b", "a", "c"] and rows == columns
    rows, _ = order_labels(m, select(m, unused=True), "by family", ["c"])
    assert [m.labels[i] for i in rows] == ["Background", "c", "b", "unused", "a"]
    assert order_labels(m, select(m), "by family") == order_labels(m, select(m), "as given")


def test_different_taxonomies_are_ordered_side_by_side():
    gt = build({"p": (10, 10)}, [("p", "b", 0, 0, 5, 10), ("p", "a", 5, 0, 10, 10)])
    pred = build({"p": (10, 10)}, [("p", "z", 0, 0, 5, 10), ("p", "y", 5, 0, 10, 10)])
    m = lcm.compare(gt, pred).confusion()
    rows, columns = order_labels(m, select(m), "by name")
    assert [m.labels[i] for i in rows] == ["Background", "a", "b"]
    assert [m.labels[j] for j in columns] == ["Background", "y", "z"]
    assert order_labels(m, select(m, unused=True), "by similarity")[0][0] == 0 and np.isfinite(m.values).all()


def confused_pairs(n):
    """n labels; each is confused with the other one of its pair, except the last two."""
    names = [f"l{i:02d}" for i in range(n)]
    gt = [[name] for name in names for _ in range(2)]
    pred = [[names[i ^ k if i < n - 2 else i]] for i in range(n) for k in range(2)]
    return lcm.label_sets_confusion(gt, pred, names)


def test_labels_that_are_confused_are_one_group():
    m = confused_pairs(6)
    assert similar_groups(m, range(1, 7), 4) == {name: f"l{int(name[1:]) // 2 * 2:02d} and similar" for name in
                                                 ("l00", "l01", "l02", "l03")}  # fmt: skip
    # Those that are never confused are joined at the end only.
    assert len(set(similar_groups(m, range(1, 7), 3).values())) == 3 and len(similar_groups(m, range(1, 7), 3)) == 6


def test_families_are_kept_and_other_labels_are_grouped_if_they_are_many():
    m = confused_pairs(30)
    tree = FamilyTree("", {"l00": ("F",), "l01": ("F",)})
    groups = families_or_similar(tree, m)
    assert groups["l00"] == groups["l01"] == "F" and groups["l02"] == groups["l03"] == "l02 and similar"
    assert len(set(groups.values()) | {label for label in m.labels[1:] if label not in groups}) <= 19
    assert families_or_similar(tree, confused_pairs(8)) == {"l00": "F", "l01": "F"}


def test_the_worst_labels_and_what_they_are_read_as():
    m = lcm.label_sets_confusion(["a", "b", "b", "c", "c"], ["a", "b", "c", "a", "c"], "abcd", weights=[9, 5, 1, 8, 2])
    assert worst_labels(m, 1) == (["c"], ["a"])  # c: 2 of 10 found, 8 read as a
    assert worst_labels(m)[0] == ["c", "a", "b"] and worst_labels(m)[1] == []


def test_colours_depend_on_names():
    alone = palette.label_colours(["Text"])["Text"]
    assert palette.label_colours(["zebra", "Text", "Table"])["Text"] == alone
    colours = palette.label_colours(["Page-header", "page_header", "Background", "stamp"])
    assert colours["Page-header"] == colours["page_header"]
    assert colours["Background"] == palette.BACKGROUND_COLOUR
    assert colours["stamp"] == palette.label_colours(["stamp"])["stamp"]


def test_names_with_one_preferred_colour_get_two_colours_in_any_order():
    labels = ["picture", "figure", *(f"label {i}" for i in range(72))]
    colours = palette.label_colours(labels)
    assert len(set(colours.values())) == 74
    assert palette.label_colours(labels[::-1]) == colours
    assert all(len(colour) == 7 and colour[0] == "#" for colour in colours.values())
    assert colours["figure"] == palette.KNOWN_LABELS["figure"] != colours["picture"]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_scales_start_with_the_paper_colour(theme):
    for scale in (theme.hit, theme.miss):
        assert scale[0] == (0, theme.background) and scale[-1][0] == 1
        assert palette.scale_colour(scale, 0) == theme.background
        assert palette.scale_colour(scale, 1) == scale[-1][1]
    assert palette.scale_colour(theme.diverging, 0.5) == theme.background


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_numbers_are_readable_on_every_cell(theme):
    for scale in (theme.hit, theme.miss):
        for place in np.linspace(0, 1, 101):
            cell = palette.scale_colour(scale, place)
            assert contrast(cell, palette.text_colour_on(cell)) >= 4.2


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_lines_of_labels_are_seen_on_the_paper(theme):
    for colour in palette.label_colours([f"label {i}" for i in range(74)]).values():
        line = palette.line_colour(colour, theme)
        assert contrast(line, theme.background) >= 3
        assert line == colour or contrast(colour, theme.background) < 3
