"""The matrix in a real browser: numbers, colours, groups, differences, clicks, keys and screen readers."""

import random
from itertools import pairwise

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.drawing.matrix_layers import cell_colour, matrix_layers
from layoutcm.drawing.palette import DARK, LIGHT, rgb, scale_colour
from layoutcm.drawing.web.matrix_data import MatrixLook, difference_data, matrix_data
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.label_folding import _join
from layoutcm.tables.matrix_views import VIEWS, Selection, every_label, view_values
from support import hostile
from support.matrix_page import cells, colour_of, computed, drawn, headers, known_differences, serious_violations

HOSTILE = [*hostile.SCREEN, "a" * 70]


def generated(n, seed=0, method="matrix"):
    """A matrix of n labels with Background, in which a third of the cells off the diagonal are empty."""
    generator = np.random.default_rng(seed)
    masses = generator.integers(0, 4000, (2, n, n)) * (generator.random((2, n, n)) < 0.65)
    masses[:, range(n), range(n)] += generator.integers(1000, 90_000, n)
    masses[:, 2, :] = masses[:, :, 3] = 0  # a label that gt does not have, and one that pred does not have
    recall_mass = masses[0].astype(float)
    precision_mass = recall_mass if method == "matrix" else masses[1].astype(float)
    labels = ["Background", *(f"label {i}" for i in range(1, n))]
    return Confusion(labels, method, recall_mass, precision_mass, precision_mass.sum(axis=0))


def clickable(m, **look):
    return matrix_data(m, "recall", every_label(m), MatrixLook(clickable=True, headers=True, **look))


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("diagonal", [True, False])
def test_a_cell_has_the_number_and_the_colour_of_the_paper_figure(browser, theme, diagonal):
    m = generated(9)
    m = Confusion(m.labels, "matrix", m.recall_mass, m.precision_mass, m.pred_pixels, diagonal=diagonal)
    shown = Selection([4, 0, 1, 2, 8, 3], [1, 0, 4, 3, 6, 8, 2])
    for view in VIEWS:
        for log in (False, True):
            with drawn(browser, matrix_data(m, view, shown, MatrixLook(theme, log))) as page:
                found = cells(page)
                np.testing.assert_array_equal(computed(page)[view], view_values(m, view)[np.ix_(*shown)])
            layers = matrix_layers(m, view, shown, theme, log)
            for i in range(6):
                for j in range(7):
                    colour = cell_colour(layers, i, j)
                    assert colour_of(found[i][j][1]) == (rgb(colour) if colour else None), (view, log, i, j)


def test_mistakes_of_half_a_label_and_more_have_the_last_colour(browser):
    m = lcm.label_sets_confusion(
        ["a", "a", "b", "b", "b"], ["b", "a", "a", "b", ""], "ab", weights=[60, 40, 25, 50, 25]
    )
    with drawn(browser, matrix_data(m, "recall", every_label(m))) as page:
        found, bars = cells(page), page.inner_text(".bars")
    assert colour_of(found[1][2][1]) == rgb(LIGHT.miss[-1][1])  # 60 %
    assert colour_of(found[2][1][1]) == rgb(scale_colour(LIGHT.miss, 0.5))  # 25 %
    assert "diagonal\n0\n100 %" in bars and "off the diagonal\n0\n≥ 50 %" in bars


def test_undefined_is_a_dot_and_zero_is_blank(browser, small):
    with drawn(browser, matrix_data(small, "recall", every_label(small))) as page:
        texts = [[text for text, _, _ in row] for row in cells(page)]
    assert texts == [["100", "", "", ""], ["", "90", "10", ""], ["", "", "100", ""], ["·", "·", "·", "·"]]


def test_a_cell_says_both_labels_and_all_numbers(browser, small):
    with drawn(browser, matrix_data(small, "recall", every_label(small))) as page:
        said = cells(page)[1][2][2]
        page.hover("[data-cell='1-2']")
        tip = page.inner_text(".tip").split("\n")
    lines = ["Ground truth a", "Prediction b", "recall 0.100000", "10.0 % of Ground truth a", "20.0 % of Prediction b"]
    assert tip == [*lines, "1 px"] and said == ", ".join(tip)


def test_numbers_are_written_where_they_fit(browser):
    for n, width, written in ((16, 700, True), (24, 600, False), (24, 900, True), (40, 900, False), (40, 1200, True)):
        with drawn(browser, matrix_data(m := generated(n), "recall", every_label(m)), width) as page:
            assert (cells(page)[0][0][0] != "") == written, (n, width)
            page.set_viewport_size({"width": 1700, "height": 900})
            if n == 24:  # a wider window has room for numbers
                page.wait_for_function("document.querySelector('td[data-cell]').textContent !== ''")


@pytest.mark.parametrize("method", ["matrix", "tensor"])
def test_a_closed_group_sums_its_labels_and_divides_the_sums(browser, method):
    m = generated(9, method=method)
    families = {"label 1": "F", "label 5": "F", "label 3": "G", "label 4": "G", "label 6": "G", "label 7": "alone"}
    group_of = np.array([0, 1, 2, 3, 3, 1, 3, 4, 5])
    names = ["Background", "F", "label 2", "G", "label 7", "label 8"]
    summed = _join(m, group_of, names, len(names))
    data = matrix_data(m, "recall", every_label(m), families=families)
    with drawn(browser, data) as page:
        assert headers(page, "row") == headers(page, "column") == names
        for view in VIEWS:
            np.testing.assert_allclose(computed(page)[view], view_values(summed, view), rtol=1e-12)
        assert "includes confusions inside the group" in cells(page)[1][1][2]
        page.click("th.row button:has-text('F')")
        opened = ["Background", "label 1", "label 5", "label 2", "G", "label 7", "label 8"]
        assert headers(page, "row") == opened == headers(page, "column")
        np.testing.assert_allclose(computed(page)["pixels"][:3, :3], m.values[np.ix_([0, 1, 5], [0, 1, 5])])
        assert page.evaluate("sent.at(-1)")[1] == {"kind": "group", "group": "F", "open": ["F"], "n": 1}
        page.click("i.close")
        assert headers(page, "row") == names and page.evaluate("sent.at(-1)")[1]["open"] == []
        page.click("text=Open all groups")
        assert len(headers(page, "row")) == 9 and page.get_attribute("[data-group=G]", "aria-expanded") == "true"
        page.click("[data-group=G]")
        page.click("table tbody tr:nth-child(2) td:nth-child(6)")  # a cell of the closed group opens it
        assert len(headers(page, "row")) == 9 and page.evaluate("sent.at(-1)")[1]["kind"] == "group"


def test_the_chosen_cell_is_outlined_also_inside_a_closed_group(browser):
    m = generated(6)
    data = matrix_data(m, "recall", every_label(m), MatrixLook(chosen=(4, 1)), {"label 4": "F", "label 5": "F"})
    with drawn(browser, data) as page:
        chosen = page.locator("[aria-selected=true]")
        assert chosen.count() == 1 and chosen.get_attribute("aria-label").startswith(
            "Ground truth F, Prediction label 1"
        )
        page.click("[data-group=F]")
        assert chosen.get_attribute("data-cell") == "4-1"


@pytest.mark.parametrize("n", [11, 74])
def test_20_of_20_random_cells_are_the_ones_reported(browser, n):
    picked = [tuple(random.Random(n).sample(range(n), 2)) for _ in range(20)]
    with drawn(browser, clickable(generated(n)), width=1400) as page:
        for row, column in picked:
            box = page.locator(f"[data-cell='{row}-{column}']").bounding_box()
            if box["y"] + box["height"] > page.viewport_size["height"] or box["y"] < 0:
                page.locator(f"[data-cell='{row}-{column}']").scroll_into_view_if_needed()
                box = page.locator(f"[data-cell='{row}-{column}']").bounding_box()
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            assert page.locator("[aria-selected=true]").get_attribute("data-cell") == f"{row}-{column}"
        sent = page.evaluate("sent.map(([name, picked]) => [name, picked.kind, picked.row, picked.column, picked.n])")
    assert sent == [["picked", "cell", *cell, k + 1] for k, cell in enumerate(picked)]


def test_joined_labels_cannot_be_chosen(browser):
    data = clickable(generated(90))
    with drawn(browser, data, width=1600) as page:
        page.locator("[data-cell='-1--1']").click()
        page.locator("tbody th").last.click()
        assert page.evaluate("sent") == [] and page.locator("[aria-selected=true]").count() == 0
        assert page.locator("[data-cell='-1--1']").get_attribute("aria-label").endswith("among the joined labels")
        assert page.locator("[data-cell='-1--1']").get_attribute("style") is None  # partly right: not coloured


def test_headers_report_their_label(browser, small):
    with drawn(browser, clickable(small)) as page:
        page.locator("th.row button").nth(2).click()
        page.locator("th.column button").nth(1).click()
        found = page.evaluate("sent.map((one) => one[1])")
    assert found == [{"kind": "row", "row": 2, "model": 0, "n": 1}, {"kind": "column", "column": 1, "model": 0, "n": 2}]
    with drawn(browser, matrix_data(small, "recall", every_label(small))) as page:  # not clickable
        assert page.locator("th button").count() == 0
        page.click("[data-cell='1-2']")
        assert page.evaluate("sent") == []


@pytest.mark.parametrize("n", [4, 12])
def test_every_cell_and_header_is_reached_and_read_by_keyboard(browser, n):
    m = generated(n)
    with drawn(browser, clickable(m)) as page:
        said = [[label for _, _, label in row] for row in cells(page)]
        page.keyboard.press("Tab")
        focused = "document.activeElement.getAttribute('aria-label')"
        read = []
        for i in range(n):
            row = [page.evaluate(focused)]
            for _ in range(n - 1):
                page.keyboard.press("ArrowRight")
                row.append(page.evaluate(focused))
            read.append(row)
            assert page.inner_text(".tip").replace("\n", ", ") == row[-1]  # the tooltip follows the focus
            page.keyboard.press("Home")
            if i < n - 1:
                page.keyboard.press("ArrowDown")
        assert read == said
        for gt, pred, row in ((i, j, said[i][j]) for i in range(n) for j in range(n)):
            assert row.startswith(f"Ground truth {m.labels[gt]}, Prediction {m.labels[pred]}, recall ")
        page.keyboard.press("ArrowLeft")
        assert page.evaluate(focused) == f"Ground truth {m.labels[-1]}"
        page.keyboard.press("Enter")
        page.keyboard.press("Control+Home")
        page.keyboard.press("ArrowUp")
        assert page.evaluate(focused) == "Prediction Background"
        page.keyboard.press("Space")
        page.keyboard.press("Control+End")
        page.keyboard.press("Enter")
        sent = [one[1]["kind"] for one in page.evaluate("sent")]
        assert sent == ["row", "column", "cell"] and page.evaluate("sent[2][1].row") == n - 1
        assert page.evaluate("document.querySelectorAll('table [tabindex=\"0\"]').length") == 1
        page.keyboard.press("PageUp")
        assert page.evaluate(focused) == said[max(n - 11, 0)][n - 1]
        page.keyboard.press("Tab")
        assert not page.evaluate("document.activeElement.closest('table')")


def test_a_matrix_of_74_labels_is_walked_by_keyboard(browser):
    m, last = generated(74), 73
    focused = "document.activeElement.getAttribute('aria-label')"

    def said(key, row, column):
        page.keyboard.press(key)
        wanted = f"Ground truth {m.labels[row]}, Prediction {m.labels[column]}, recall "
        assert page.evaluate(focused).startswith(wanted), key

    with drawn(browser, clickable(m), width=1400) as page:
        said("Tab", 0, 0)
        for column in range(1, last + 1):
            said("ArrowRight", 0, column)
        for row in range(1, last + 1):
            said("ArrowDown", row, last)
        page.keyboard.press("Enter")
        said("Home", last, 0)
        said("ArrowUp", last - 1, 0)
        said("End", last - 1, last)
        page.keyboard.press("Enter")
        said("ArrowLeft", last - 1, last - 1)
        said("Control+Home", 0, 0)
        page.keyboard.press("Enter")
        said("Control+End", last, last)
        sent = page.evaluate("sent.map(([name, picked]) => [name, picked.kind, picked.row, picked.column])")
    cells_chosen = [(last, last), (last - 1, last), (0, 0)]
    assert sent == [["picked", "cell", *cell] for cell in cells_chosen]


def test_names_of_74_labels_do_not_overlap(browser):
    with drawn(browser, clickable(generated(74)), width=1400) as page:
        boxes = page.evaluate(
            "[...document.querySelectorAll('th.row span')].map((one) => one.getBoundingClientRect())"
            ".map((box) => [box.top, box.height])"
        )
    assert len(boxes) == 74
    assert min(b - a for (a, _), (b, _) in pairwise(boxes)) >= 0.85 * max(height for _, height in boxes) > 0


def test_new_data_keep_the_focus(browser, small):
    with drawn(browser, clickable(small)) as page:
        page.focus("[data-cell='2-1']")
        page.evaluate("show_matrix(root, { ...data, chosen: [2, 1] }, () => {})")
        focused = "document.activeElement.dataset.cell"
        assert page.evaluate(focused) == "2-1"
        page.evaluate("show_matrix(root, { ...data, view: 'precision', theme: 'dark' }, () => {})")
        assert page.evaluate(focused) == "2-1" and page.locator(".lcm-matrix.dark").count() == 1


def test_keys_of_the_matrix_are_no_shortcuts_of_the_page(browser, small):
    with drawn(browser, clickable(small)) as page:
        page.evaluate("document.body.addEventListener('keydown', (event) => sent.push(event.key))")
        page.focus("[data-cell='1-1']")
        for key in ("ArrowRight", "ArrowLeft", "x"):
            page.keyboard.press(key)
        assert page.evaluate("sent") == ["x"]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_axe_finds_nothing_serious(browser, theme):
    m = generated(24)
    families = {f"label {i}": f"family {i // 5}" for i in range(1, 20)}
    everything = every_label(m)
    look = MatrixLook(theme, clickable=True, headers=True, chosen=(2, 3))
    whole = generated(12)
    noisy = np.where(np.arange(144).reshape(12, 12) % 3, 1.0, -1.0)
    difference = matrix_data({"x": whole, "y": generated(12, 1)}, "recall", every_label(whole), look)
    values = whole.recall - generated(12, 1).recall
    difference["difference"] = difference_data(known_differences(values, noisy * 0.1, np.ones((12, 12))))
    for data in (
        matrix_data(whole, "recall", every_label(whole), look),
        matrix_data(m, "pixels", everything, look, families),
        matrix_data({"x": whole, "y": generated(12, 1)}, "f1", every_label(whole), look),
        difference,
    ):
        with drawn(browser, data) as page:
            page.hover("[data-cell] >> nth=3")
            assert serious_violations(page, "#matrix") == []


def test_hostile_labels_appear_as_typed(browser):
    m = lcm.label_sets_confusion([[name] for name in HOSTILE], [[name] for name in reversed(HOSTILE)], HOSTILE)
    data = matrix_data(
        {"<b>x</b>": m, "</script><script>alert(2)</script>": m}, "recall", every_label(m),
        MatrixLook(clickable=True, headers=True), {HOSTILE[0]: "<i>F</i>", HOSTILE[1]: "<i>F</i>"},
    )  # fmt: skip
    with drawn(browser, data) as page:
        assert "<b>x</b>" in page.inner_text("#matrix") and "<i>F</i> (2)" in page.inner_text(".groups")
        page.click(".groups [data-group]")
        shown = headers(page, "row")
        assert shown[2:7] == HOSTILE[1:6] and shown[1].startswith("<img") and shown[7].startswith("aaaa")
        labels = page.evaluate("[...document.querySelectorAll('th.row button')].map((one) => one.ariaLabel)")
        assert labels[1:8] == [f"Ground truth {name}" for name in HOSTILE]
        page.hover("[data-cell='1-6']")
        assert HOSTILE[0] in page.inner_text(".tip") and page.locator("#matrix img, #matrix script").count() == 0


def test_two_matrices_have_one_scale_and_say_which_is_meant(browser):
    a, b = generated(6), generated(6, 1)
    data = matrix_data({"a": a, "b": b}, "pixels", every_label(a), MatrixLook(clickable=True))
    with drawn(browser, data, width=1400) as page:
        tops = [box.bounding_box()["y"] for box in page.locator("table").all()]
        assert len(tops) == 2 and tops[0] == tops[1]  # side by side
        largest = max(one.values[i, i] for one in (a, b) for i in range(6))
        for n, m in enumerate((a, b)):
            for i in range(6):
                if m.values[i, i]:
                    colour = scale_colour(LIGHT.hit, m.values[i, i] / largest)
                    assert colour_of(cells(page, n)[i][i][1]) == rgb(colour)
        page.locator("[data-model='1'] [data-cell='1-4']").click()
        assert page.evaluate("sent[0][1].model") == 1 and page.locator("[aria-selected=true]").count() == 2
        assert cells(page, 1)[1][4][2].startswith("b, Ground truth label 1, Prediction label 4")


def test_a_difference_is_better_worse_or_noise(browser):
    """On the diagonal more is better, off it less; 20 points and more have the last colour."""
    labels = ["Background", "a", "b"]
    a, b = (
        Confusion(labels, "matrix", mass, mass, mass.sum(axis=0))
        for mass in (
            np.array([[50.0, 50, 0], [0, 90, 10], [40, 0, 60]]),
            np.array([[30.0, 70, 0], [0, 85, 15], [5, 0, 95]]),
        )
    )
    data = matrix_data({"own": a, "other": b}, "recall", every_label(a), MatrixLook(clickable=True))
    values = a.recall - b.recall
    low, high = values - 0.01, values + 0.01
    low[1, 1], high[1, 1] = -0.01, 0.11  # includes 0
    low[2, 2] = high[2, 2] = np.nan
    data["difference"] = difference_data(known_differences(values, low, high))
    with drawn(browser, data) as page:
        found = cells(page)
        classes = [
            [one.get_attribute("class") for one in row.locator("td").all()] for row in page.locator("tbody tr").all()
        ]
        assert page.locator("table").count() == 1
        bars = page.inner_text(".bars")
        assert page.inner_text(".model .name") == "own minus other. Blue: better."
    data["difference"]["order"] = [1, 0]
    with drawn(browser, data) as page:
        assert page.inner_text(".model .name") == "other minus own. Blue: better."
    assert [[text for text, _, _ in row] for row in found] == [
        ["+20", "−20", ""],
        ["", "+5.0", "−5.0"],
        ["+35", "", "−35"],
    ]
    assert classes == [["better", "better", None], [None, "noise", "better"], ["worse", None, "noise"]]
    blue, red = rgb(LIGHT.diverging[-1][1]), rgb(LIGHT.diverging[0][1])
    assert colour_of(found[0][0][1]) == colour_of(found[0][1][1]) == blue and colour_of(found[2][0][1]) == red
    quarter = scale_colour(LIGHT.diverging, 0.5 + 0.5 * (0.15 + 0.85 * 0.05 / 0.2))
    np.testing.assert_allclose(colour_of(found[1][2][1]), rgb(quarter), atol=1)  # Python rounds a half to even
    assert "difference −5.00 % points" in found[1][2][2] and found[1][2][2].endswith("better")
    assert "own: 0.900000, other: 0.850000" in found[1][1][2] and found[1][1][2].endswith("no difference shown")
    assert "worse to better" in bars and "no difference shown" in bars and "≥ 20 % points" in bars
    # The verdicts decide, whatever the numbers are; without verdicts, the sign has a colour and nothing is better.
    for verdicts in (np.full((3, 3), "worse").tolist(), None):
        data["difference"]["verdicts"] = verdicts
        with drawn(browser, data) as page:
            found, bars = cells(page), page.inner_text(".bars")
            assert page.locator("td.better").count() == 0 and page.locator("td.worse").count() == (6 if verdicts else 0)
        colours = [colour_of(found[i][j][1]) for i, j in ((0, 0), (0, 1), (2, 0), (2, 2))]
        assert colours == ([red] * 4 if verdicts else [blue, red, blue, red])
    assert "less to more" in bars and "no difference shown" not in bars and "better" not in found[0][0][2]
