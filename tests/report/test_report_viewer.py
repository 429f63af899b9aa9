"""The page viewer in the HTML report, opened from disk: layers, words, hostile labels, keyboard, accessibility."""

import pytest
from axe_playwright_python.sync_playwright import Axe

import layoutcm as lcm
from layoutcm.report import report_files
from support import hostile
from support.browser import chromium
from support.layouts import build

LABELS = ["<img src=x onerror=alert(1)>", "</script>", "عنوان رئيسي", "😀 emoji"]


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture
def opened(browser, tmp_path, monkeypatch):
    """Write a report and open it at a cell; at the end, there were no errors and no requests."""
    monkeypatch.setattr(report_files, "figure_names", lambda *_: [])
    pages, errors, fetched = [], [], []

    def open_report(compared, cell, **options):
        scheme = options.pop("color_scheme", "light")
        place = compared.write_report(tmp_path / f"report {len(pages)}", **options)
        page = browser.new_page(color_scheme=scheme, viewport={"width": 1400, "height": 900})
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("dialog", lambda dialog: errors.append(dialog.message))
        page.on("request", lambda request: fetched.append(request.url))
        page.goto((place / "report.html").as_uri() + f"#cell-{cell[0]}-{cell[1]}")
        page.wait_for_selector("#cell canvas")
        pages.append(page)
        return page

    yield open_report
    for page in pages:
        page.close()
    assert not errors and [url for url in fetched if not url.startswith(("file:", "data:"))] == []


def strips(count, shift=0):
    rows = [("p", label, 10, 10 + 30 * k, 210 - shift, 35 + 30 * k) for k, label in enumerate(LABELS[:count])]
    return build({"p": (300, 200)}, rows, LABELS)


def test_the_dialog_is_the_whole_viewer(opened):
    c = lcm.compare(strips(4), strips(4, 50))
    page = opened(c, c.cell(LABELS[0], "Background"), why=True)
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
    c = lcm.compare(strips(4), strips(4, 50), truth=False)
    page = opened(c, c.cell(LABELS[0], "Background"))
    page.locator("#cell canvas").click()
    text = page.locator("#large .viewer").inner_text()
    assert "Label sets of A" in text and "Ground truth" not in text and "Prediction" not in text


def test_labels_of_the_other_formats_are_text_in_the_viewer(opened):
    c = hostile.compared()
    page = opened(c, (1, 2))
    page.locator("#cell canvas").click()
    page.wait_for_selector("#large .viewer[data-ready=none]")
    legend = page.locator("#large .viewer-legend").inner_text()
    assert all(label in legend for label in hostile.LABELS)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_dialog_has_no_serious_accessibility_violation(opened, scheme):
    c = lcm.compare(strips(4), strips(4, 50))
    page = opened(c, c.cell(LABELS[0], "Background"), color_scheme=scheme)
    page.locator("#cell canvas").click()
    page.locator("#large summary").click()
    page.locator("#large .viewer-words tr[data-pair]").first.click()
    found = Axe().run(page, context="#large").response
    serious = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
    assert [(one["id"], one["nodes"][0]["html"]) for one in serious] == []
    assert "<canvas" in str([node["html"] for one in found["passes"] for node in one["nodes"]])
