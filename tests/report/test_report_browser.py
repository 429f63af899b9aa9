"""The HTML report in a real browser, opened from disk: matrix, pages, viewer, keys, screen readers."""

import layoutcm as lcm
from layoutcm import wording
from support import hostile
from support.layouts import build
from support.matrix_page import KNOWN_LABELS, serious_violations


def test_a_click_on_a_cell_shows_its_pages(opened):
    page = opened(hostile.compared(), scheme="dark", families={"<i>of three": hostile.LABELS[:3]})
    assert "Click a cell" in page.inner_text("#cell")
    page.click("[data-cell='1-2']")
    assert page.url.endswith("#cell-1-2")
    assert page.locator("#all-labels [aria-selected=true]").get_attribute("data-cell") == "1-2"
    text = page.inner_text("#cell")
    # 30 x 10 of the 400 pixels of the first label are read as the second.
    assert f"{hostile.LABELS[0]} read as {hostile.LABELS[1]}" in text
    assert "75.0 % of Ground truth" in text and "300 px on 1 of 1 pages" in text and hostile.PAGE in text
    assert page.locator("#cell canvas").count() == 1
    lit = page.evaluate(
        "() => { const c = document.querySelector('#cell canvas'), p = c.getContext('2d');"
        "const at = (x, y) => [...p.getImageData(x * c.width, y * c.height, 1, 1).data].slice(0, 3);"
        "return [at(0.4, 0.045), at(0.9, 0.045), at(0.4, 0.125)]; }"
    )
    assert lit[0][0] > 200 and lit[0][1] < 110 and lit[1] == lit[2] == [250, 250, 250]
    assert page.locator("#objects table").count() == 2 and "There is no AP" in page.inner_text("#objects")
    families = page.inner_text("#families")
    # One matrix for the family of three, one for each other label and one for Background.
    assert page.locator("#families [role=grid]").count() == 2 + len(hostile.LABELS) - 3
    assert "Family <i>of three" in families and "out of family" in families
    page.keyboard.press("ArrowLeft")  # the cell that was clicked has the focus
    assert "found as" in page.inner_text("#cell h3") and page.url.endswith("#cell-1-1")
    tip = page.inner_text("#all-labels .tip")
    assert f"Ground truth {hostile.LABELS[0]}" in tip and "Recall 0.000000" in tip and "0 px" in tip
    page.click("#confusions button >> nth=0")
    text = page.inner_text("body")
    assert all(label in text for label in hostile.LABELS)
    page.locator("#cell canvas").first.click()
    page.wait_for_selector("#large .viewer[data-ready=none]")
    legend = page.locator("#large .viewer-legend").inner_text()
    assert [label for label in hostile.LABELS if label not in legend] == []


def test_numbers_are_written_as_everywhere_else(opened, folder):
    page = opened(folder)
    shares = [0, 1e-90, 1e-9, 4e-6, 1e-5, 0.0005, 0.000996, 0.04949, 0.0995, 0.1025, 0.1035, 0.1075, 0.25, 0.9949,
              0.995, 0.9996, 1, *(k / 997 for k in range(0, 997, 13))]  # fmt: skip
    pixels = [0, 0.004, 0.01, 0.125, 1 / 3, 0.5, 1, 1.5, 2.04, 2.25, 2.35, 9.949, 9.95, 10.5, 11.5, 999.4, 999.5, 1250,
              1350, 9949, 9950, 34_500, 12_345.125, 999_499, 999_500, 1.25e6, 7e9, 3e12, 5e15]  # fmt: skip
    uses = {"percent": shares, "percent_brief": shares, "pixels_brief": pixels, "thin_spaced": pixels}
    for name, values in uses.items():
        written = page.evaluate(f"values => values.map({name})", values)
        assert written == [getattr(wording, name)(value) for value in values], name
    assert page.evaluate("percent(null)") == wording.MISSING
    levels = [0.005, 0.01, 0.07, 0.3, 0.95, 0.999, 1 / 3, 1]
    assert page.evaluate("values => values.map((v) => plain_percent(v))", levels) == list(
        map(wording.plain_percent, levels)
    )
    both_signs = [*shares, *(-share for share in shares)]
    written = page.evaluate("values => values.map((value) => score_text(value, 4))", both_signs)
    assert written == [wording.score_text(value, 4) for value in both_signs]


def test_reports_with_causes_and_without_a_truth(opened, two_pages):
    page = opened(lcm.compare(*two_pages), why=True)
    assert page.locator("#why img").count() == 4 and page.locator("#why table").count() == 6
    assert page.evaluate("[...document.querySelectorAll('#why img')].every((image) => image.naturalWidth > 0)")
    assert "4.35 % of the wrong pixels are only border slack" in page.inner_text("#sentence")
    assert "Why" in page.inner_text("nav") and dead_links(page) == []
    assert "Duplicate: a second region" in page.inner_text("#method") and "Slices:" not in page.inner_text("#method")
    page = opened(lcm.compare(*two_pages, truth=False))
    assert "Why" not in page.inner_text("nav") and dead_links(page) == []
    page.click("[data-cell='3-2']")
    text = page.inner_text("body")
    assert "list_item in A, paragraph in B" in text and "100 % of A list_item" in text
    assert "Rows: A. Columns: B." in text and "Observed agreement" in text
    assert not any(word in text for word in ("recall", "Recall", "read as", "ground truth"))


def dead_links(page):
    """The links of the navigation to sections that the page does not have."""
    links = [link.get_attribute("href") for link in page.locator("nav a").all()]
    return [link for link in links if page.locator(link).count() != 1]


def test_one_prediction_has_no_buttons_to_compare_it_with_others(opened):
    """A rule of the style sheet on rows of buttons is stronger than the attribute `hidden`."""
    page = opened(hostile.compared())
    assert not page.locator("#others").is_visible() and page.locator("#views").is_visible()


def strips(labels):
    """A page with a strip for each label; in pred, the right half of a strip has the label of the next one."""
    n, size = len(labels), {"p": (40, 10 * len(labels))}
    gt = [("p", label, 0, 10 * i, 40, 10 * i + 10) for i, label in enumerate(labels)]
    pred = [("p", label, 0, 10 * i, 20, 10 * i + 10) for i, label in enumerate(labels)]
    pred += [("p", labels[(i + 1) % n], 20, 10 * i, 40, 10 * i + 10) for i in range(n)]
    return lcm.compare(build(size, gt, labels), build(size, pred, labels))


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


LABELS = hostile.SCREEN[:4]


def shifted(shift=0):
    rows = [("p", label, 10, 10 + 30 * k, 210 - shift, 35 + 30 * k) for k, label in enumerate(LABELS)]
    return build({"p": (300, 200)}, rows, LABELS)


def at(compared, *cell):
    """The part of an address that chooses a cell."""
    row, column = compared.cell(*cell)
    return f"#cell-{row}-{column}"


def test_the_dialog_is_the_whole_viewer(opened):
    c = lcm.compare(shifted(), shifted(50))
    page = opened(c, at(c, LABELS[0], "Background"), why=True)
    page.locator("#cell canvas").press("Enter")
    viewer = page.locator("#large .viewer")
    page.wait_for_selector("#large .viewer[data-ready=none]")
    assert viewer.locator("canvas").count() == 1 and "1\u202f250 px" in viewer.locator(".viewer-legend").inner_text()
    kinds = viewer.locator("select").first.locator("option").all_inner_texts()
    sides = ["Label sets of Ground truth", "Label sets of Prediction"]
    assert kinds == ["Regions only", "Difference", "Chosen cell", *sides, "Causes"]
    viewer.get_by_role("button", name="3 canvases").click()
    assert viewer.locator("canvas").count() == 3
    rows = viewer.locator(".viewer-words tr[data-pair]").all_inner_texts()
    assert len(rows) == 1 + 2 * 4 and any("0000 0010" in row and LABELS[0] in row for row in rows)
    viewer.locator("summary").click()
    viewer.locator(".viewer-list li").first.wait_for()  # the list is made when it is opened
    listed = viewer.locator(".viewer-list li").all_inner_texts()
    for number, label in enumerate(LABELS, start=1):
        assert f"Ground truth, region {number}: {label}, x 10 to 210" in listed[number - 1]
    assert len(listed) == 8 and page.locator("#large img").count() == 0
    page.keyboard.press("Escape")
    assert not page.locator("#large").is_visible()


def test_two_predictions_without_a_truth_are_a_and_b(opened):
    c = lcm.compare(shifted(), shifted(50), truth=False)
    page = opened(c, at(c, LABELS[0], "Background"))
    page.locator("#cell canvas").click()
    text = page.locator("#large .viewer").inner_text()
    assert "Label sets of A" in text and "Ground truth" not in text and "Prediction" not in text


def test_the_dialog_has_no_serious_accessibility_violation(opened):
    c = lcm.compare(shifted(), shifted(50))
    page = opened(c, at(c, LABELS[0], "Background"), "dark")
    page.locator("#cell canvas").click()
    page.locator("#large summary").click()
    page.locator("#large .viewer-words tr[data-pair]").first.click()
    assert serious_violations(page, "#large", ["<canvas"]) == []
