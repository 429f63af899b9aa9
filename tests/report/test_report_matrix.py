"""The matrix of the offline report in a real browser: clicks, keys, screen readers."""

import random

import layoutcm as lcm
from support.layouts import build
from support.matrix_page import serious_violations
from support.matrix_values import KNOWN_LABELS


def strips(labels):
    """A page with a strip for each label; in pred, the right half of a strip has the label of the next one."""
    n, size = len(labels), {"p": (40, 10 * len(labels))}
    gt = [("p", label, 0, 10 * i, 40, 10 * i + 10) for i, label in enumerate(labels)]
    pred = [("p", label, 0, 10 * i, 20, 10 * i + 10) for i, label in enumerate(labels)]
    pred += [("p", labels[(i + 1) % n], 20, 10 * i, 40, 10 * i + 10) for i in range(n)]
    return lcm.compare(build(size, gt, labels), build(size, pred, labels))


def test_random_cells_of_74_labels_are_the_chosen_ones(opened):
    names = ["Background", *(f"label {i}" for i in range(1, 75))]
    page = opened(strips(names[1:]))
    generator = random.Random(74)
    for row, column in [(generator.randrange(75), generator.randrange(75)) for _ in range(5)]:
        page.locator(f"#all-labels [data-cell='{row}-{column}']").click()  # at its centre, with the pointer
        verb = "found as" if row == column else "read as"
        assert page.inner_text("#cell h3 >> nth=0") == f"{names[row]} {verb} {names[column]}"
        assert page.url.endswith(f"#cell-{row}-{column}")
        assert page.locator("[aria-selected=true]").get_attribute("data-cell") == f"{row}-{column}"


def test_every_cell_is_reached_by_keyboard_and_chosen_on_the_way(opened):
    names = ["Background", "a", "b", "c"]
    page = opened(strips(names[1:]), "#cell-1-1")
    page.locator("[aria-selected=true]").focus()
    page.keyboard.press("Control+Home")
    found = []
    for _ in names:
        for _ in names:
            found.append(page.inner_text("#cell h3 >> nth=0"))
            said = page.evaluate("document.activeElement.getAttribute('aria-label')")
            assert said.startswith(f"Ground truth {found[-1].split()[0]}, Prediction {found[-1].split()[-1]}, Recall ")
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Home")
        page.keyboard.press("ArrowDown")
    assert found == [f"{gt} {'found' if gt == pred else 'read'} as {pred}" for gt in names for pred in names]
    page.click("#views button:text-is('2x2')")
    assert page.locator("#collapsed table").count() == 4 and not page.is_visible("#all-labels")
    page.click("#views button:text-is('Log')")
    page.click("#views button:text-is('Pixels')")
    assert page.is_visible("#all-labels") and page.inner_text("#all-labels [data-cell='1-2']") == "200"


def test_axe_finds_nothing_serious_in_the_matrix(opened):
    page = opened(strips(KNOWN_LABELS), "#cell-3-3", "dark")
    assert serious_violations(page, "#heatmap") == []
    page.click("text=Open all groups")
    assert serious_violations(page, "#heatmap", ["<td", "<th"]) == []
    page.click("#views button:text-is('2x2')")
    assert serious_violations(page, "#collapsed") == []
