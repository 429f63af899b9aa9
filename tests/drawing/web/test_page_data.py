"""The data that pages of the dashboard and of reports get: matrices and pages."""

import json
import re

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.diagnosis.page_tiles import AGREEMENT, NOT_JUDGED
from layoutcm.drawing import web
from layoutcm.drawing.label_order import MOST_UNGROUPED, groups_of_labels
from layoutcm.drawing.page_raster import LIGHTING
from layoutcm.drawing.palette import DARK, LIGHT, NOT_JUDGED_COLOUR, label_colours
from layoutcm.drawing.web import page_data
from layoutcm.drawing.web.matrix_data import MatrixLook, difference_data, matrix_data
from layoutcm.metrics.family_trees import check_tree
from layoutcm.tables.label_folding import JOINED, MOST_DRAWN
from layoutcm.tables.matrix_views import VIEWS, Selection, every_label, select, view_values
from support.layouts import build
from support.matrix_page import known_differences, views_of


@pytest.fixture
def compared(two_pages):
    return lcm.compare(*two_pages)


def areas(runs, x, y):
    """{number in the runs: pixels}."""
    found = {}
    for r, row in enumerate(runs):
        column = 0
        for length, number in zip(row[::2], row[1::2]):
            pixels = (x[column + length] - x[column]) * (y[r + 1] - y[r])
            found[number] = found.get(number, 0) + pixels
            column += length
        assert column == len(x) - 1
    return found


def test_tiles_have_the_pixels_of_their_pairs(compared):
    data = page_data.tile_data(compared.page_tiles("p1"))
    assert areas(data["runs"], data["x"], data["y"]) == {k: pair["pixels"] for k, pair in enumerate(data["pairs"])}
    assert sum(pair["pixels"] for pair in data["pairs"]) == 400
    kinds = {}
    for pair in data["pairs"]:
        kinds[AGREEMENT[pair["kind"]]] = kinds.get(AGREEMENT[pair["kind"]], 0) + pair["pixels"]
    # The title and the paragraph are right; the list is read as paragraph, the picture as table, half of it as both.
    assert kinds == {"same labels": 160, "other labels": 240}


def test_words_are_the_bits_of_the_labels_of_a_side(compared):
    data, labels = page_data.tile_data(compared.page_tiles("p1")), page_data.label_data(compared)
    names = lambda pair, side: [labels["labels"][labels["bits"][side][bit]] for bit in pair["words"][side]]
    found = {(*names(pair, 0), "|", *names(pair, 1)): pair for pair in data["pairs"]}
    both = found["picture", "|", "picture", "table"]
    assert both["words"] == [[4], [4, 5]] and both["pixels"] == 80
    picture, table = (compared.labels.index(name) for name in ("picture", "table"))
    assert sorted(both["adds"]) == [[picture, picture, 0.5], [picture, table, 0.5]]
    assert page_data.set_bits(0b110) == [1, 2] and page_data.set_bits(1 << 70) == [70]


def test_regions_have_their_number_label_box_and_score(compared):
    labels = page_data.label_data(compared)["labels"]
    boxes = page_data.region_data(compared, "p1", labels, {"gt": 0, "pred": 1})
    place = labels.index
    assert boxes[0] == [0, place("title"), 0, 0, 20, 4, None, 1]
    assert boxes[-1] == [1, place("picture"), 10, 4, 20, 12, 0.5, 5] and len(boxes) == 9
    assert [box[0] for box in page_data.region_data(compared, "p1", labels, {"pred": 3})] == [3] * 5


def test_labels_of_another_prediction_come_after_the_own_ones(compared, two_pages):
    gt, _ = two_pages
    other = lcm.compare(gt, build({"p1": (20, 20)}, [("p1", "stamp", 1, 1, 5, 5), ("p1", "table", 5, 5, 9, 9)]))
    data = page_data.label_data(compared, other.labels[1:])
    assert data["labels"] == [*compared.labels, "stamp", NOT_JUDGED] and data["colours"][-1] == NOT_JUDGED_COLOUR
    colours = label_colours(compared.labels[1:])
    assert data["colours"][1 : len(compared.labels)] == [colours[label] for label in compared.labels[1:]]
    boxes = page_data.region_data(other, "p1", data["labels"], {"pred": 2})
    assert [data["labels"][box[1]] for box in boxes] == ["stamp", "table"]


def test_one_name_on_two_sides_with_different_labels_has_two_positions():
    pages = {"p": (10, 10)}
    gt, pred = build(pages, [("p", "a", 0, 0, 5, 5)]), build(pages, [("p", "b", 0, 0, 5, 5)])
    c = lcm.compare(gt, pred, taxonomy="different")
    labels = page_data.label_data(c)
    boxes = page_data.region_data(c, "p", labels["labels"], {"gt": 0, "pred": 1})
    assert [box[1] for box in boxes] == [c.cell("a", "Background")[0], c.cell("Background", "b")[1]]
    assert page_data.cause_data(c, "p") is None


def test_each_tile_has_its_main_cause(compared):
    data = page_data.cause_data(compared, "p1")
    found = {
        CAUSES[number]: pixels for number, pixels in areas(data["runs"], data["x"], data["y"]).items() if number >= 0
    }
    totals = compared.causes(page="p1").totals
    assert sum(found.values()) == 240 and set(found) <= {cause for cause, pixels in totals.items() if pixels}
    whole = lcm.compare(
        build({"p": (100, 100)}, [("p", "a", 10, 10, 50, 50), ("p", "b", 60, 60, 90, 90)]),
        build({"p": (100, 100)}, [("p", "b", 10, 10, 50, 50)], ["a", "b"]),
    )
    data = page_data.cause_data(whole, "p")
    found = {number: pixels for number, pixels in areas(data["runs"], data["x"], data["y"]).items() if number >= 0}
    assert found == {CAUSES.index("label"): 1600, CAUSES.index("missed"): 900}


def test_matched_centres_are_pairs_of_points(compared):
    found = page_data.centre_data(compared, "p1", (3, 3))
    assert [10, 2, 10, 2] in found and all(abs(x0 - x1) < 3 and abs(y0 - y1) < 3 for x0, y0, x1, y1 in found)
    # The picture of pred is half as high as that of gt: its centre is 4 px higher.
    assert [15, 12, 15, 8] in page_data.centre_data(compared, "p1", (5, 5)) and [15, 12, 15, 8] not in found


def test_tile_runs_are_exact_and_coarser_only_above_the_limit(sample):
    tiles = sample.page_tiles(sample.pages[0])
    x, y, runs = page_data.tile_runs(tiles)
    spread = np.array([np.repeat(row[1::2], row[::2]) for row in runs])
    np.testing.assert_array_equal(spread, tiles.pair_of_tile)
    assert (x[-1], y[-1]) == (850, 1100)
    x, y, runs = page_data.tile_runs(tiles, 300)
    assert sum(len(row) for row in runs) / 2 <= 300 and (x[-1], y[-1]) == (850, 1100)
    causes = page_data.cause_data(sample, sample.pages[0], 100)
    assert sum(len(row) for row in causes["runs"]) / 2 <= 100 and causes["y"][-1] == 1100
    assert len(causes["y"]) == len(causes["runs"]) + 1


def test_the_script_lights_pixels_as_python_does(compared, browser):
    """For every pair of label sets and every cell: equal strengths, and none where a pixel adds nothing."""
    tiles, cells = compared.page_tiles("p1"), [(i, j) for i in range(6) for j in range(6)]
    data = page_data.page_for_viewer(compared, 0, "matrix", None) | page_data.label_data(compared)
    page = browser.new_page()
    page.set_content(f"<script>{web.script('text', *web.PARTS['viewer'])}</script>")
    found = page.evaluate(
        "([data, cells]) => { const model = page_model(data); return cells.map((cell) => data.pairs.map((_, pair) =>"
        " page_fill(null, model, { mask: 'cell', cell }, pair, { s: 1 })?.strength ?? 0)); }",
        [data, cells],
    )
    page.close()
    np.testing.assert_allclose(found, [LIGHTING.of_share(tiles.share_of(cell, "matrix")) for cell in cells])
    assert np.max(found) == LIGHTING.lit + LIGHTING.lit_by_share


def test_the_script_has_no_strength_of_its_own():
    assert re.findall(r"strength: \d|0\.45|globalAlpha = [^;]*mask[^;]*0\.\d", web.script("page_canvas")) == []


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
