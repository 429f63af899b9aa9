"""The matrix of the offline report in a real browser: clicks, keys, groups, screen readers, labels as typed."""

import random

import pytest

import layoutcm as lcm
from layoutcm.report import report_files
from support.browser import chromium
from support.layouts import build
from support.matrix_page import serious_violations

HOSTILE = ["<img src=x onerror=alert(1)>", "</script>", "مرحبا", "😀"]
KNOWN = ["Title", "Section-header", "Text", "List-item", "Table", "Picture", "Caption", "Formula", "Footnote",
         "Page-header", "Page-footer", "Paragraph", "Heading", "Figure", "Equation", "List", "Header", "Footer",
         "Reference", "Code", "Document-title", "Table-caption"]  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture
def opened(browser, tmp_path, monkeypatch):
    """A function that writes the report of a comparison and opens it; nothing may be requested or go wrong."""
    monkeypatch.setattr(report_files, "figure_names", lambda *_: [])
    problems, pages = [], []

    def open_report(compared, scheme="light", part=""):
        place = compared.write_report(tmp_path / "r") / "report.html"
        page = browser.new_page(color_scheme=scheme, viewport={"width": 1400, "height": 900})
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.on("request", lambda request: None if request.url.startswith("file:") else problems.append(request.url))
        page.goto(place.as_uri() + part)
        pages.append(page)
        return page

    yield open_report
    for page in pages:
        page.close()
    assert not [problem for problem in problems if not problem.startswith("data:")]


def strips(labels, shift=0):
    """A page with a strip for each label; in pred, the right half of a strip has the label of the next one."""
    n, size = len(labels), {"p": (40, 10 * len(labels))}
    gt = [("p", label, 0, 10 * i, 40, 10 * i + 10) for i, label in enumerate(labels)]
    pred = [("p", label, 0, 10 * i, 20, 10 * i + 10) for i, label in enumerate(labels)]
    pred += [("p", labels[(i + 1) % n], 20, 10 * i, 40, 10 * i + 10) for i in range(n)]
    return lcm.compare(build(size, gt, labels), build(size, pred, labels))


@pytest.mark.parametrize("n", [11, 74])
def test_20_of_20_random_cells_are_the_chosen_ones(opened, n):
    names = ["Background", *(f"label {i}" for i in range(1, n + 1))]
    page = opened(strips(names[1:]))
    generator = random.Random(n)
    for row, column in [(generator.randrange(n + 1), generator.randrange(n + 1)) for _ in range(20)]:
        page.locator(f"#all-labels [data-cell='{row}-{column}']").click()  # at its centre, with the pointer
        verb = "found as" if row == column else "read as"
        assert page.inner_text("#cell h3 >> nth=0") == f"{names[row]} {verb} {names[column]}"
        assert page.url.endswith(f"#cell-{row}-{column}")
        assert page.locator("[aria-selected=true]").get_attribute("data-cell") == f"{row}-{column}"


def test_every_cell_is_reached_by_keyboard_and_chosen_on_the_way(opened):
    names = ["Background", "a", "b", "c"]
    page = opened(strips(names[1:]), part="#cell-1-1")
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


def test_large_matrices_open_in_groups(opened):
    page = opened(strips(KNOWN), part="#cell-3-4")
    assert page.locator("#all-labels th.row").count() < len(KNOWN)
    assert page.locator("#all-labels [aria-selected=true]").count() == 1  # the group of the chosen cell
    page.click("text=Open all groups")
    assert page.locator("#all-labels th.row").count() == len(KNOWN) + 1
    assert page.locator("#all-labels [aria-selected=true]").get_attribute("data-cell") == "3-4"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_the_matrix(opened, scheme):
    page = opened(strips(KNOWN), scheme, "#cell-3-3")
    assert serious_violations(page, "#heatmap") == []
    page.click("text=Open all groups")
    assert serious_violations(page, "#heatmap") == []
    page.click("#views button:text-is('2x2')")
    assert serious_violations(page, "#collapsed") == []


def test_labels_appear_as_typed(opened):
    page = opened(strips(HOSTILE))
    names = page.locator("#all-labels th.row").all_text_contents()
    assert names[2:] == HOSTILE[1:] and names[1].startswith("<img src=x onerr")
    page.hover("#all-labels [data-cell='1-2']")
    assert f"Ground truth {HOSTILE[0]}\nPrediction {HOSTILE[1]}" in page.inner_text("#all-labels .tip")
    assert page.locator("#heatmap img, #heatmap script").count() == 0
