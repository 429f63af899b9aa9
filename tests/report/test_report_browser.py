"""The HTML report in a real browser, opened from disk: clicks work and nothing is fetched."""

import pytest

from layoutcm.report import report_files
from support import hostile
from support.browser import chromium


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


def test_a_click_on_a_cell_shows_its_pages(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(report_files, "figure_names", lambda *_: [])
    c = hostile.compared()
    place = c.write_report(tmp_path / "r", families={"<i>of three": hostile.LABELS[:3]})
    page = browser.new_page(color_scheme="dark")
    errors, fetched = [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("dialog", lambda dialog: errors.append(dialog.message))
    page.on("request", lambda request: fetched.append(request.url))
    page.goto((place / "report.html").as_uri())
    assert "Click a cell" in page.inner_text("#cell")
    page.click("[data-cell='1-2']")
    text = page.inner_text("#cell")
    # 30 x 10 of the 400 pixels of the first label are read as the second.
    assert f"{hostile.LABELS[0]} read as {hostile.LABELS[1]}" in text
    assert "75.0 % of gt" in text and "300 px on 1 of 1 pages" in text and hostile.PAGE in text
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
    assert page.locator("#families svg").count() == 2 + len(hostile.LABELS) - 3
    assert "Family <i>of three" in families and "out of family" in families
    page.focus("#heatmap")
    page.keyboard.press("ArrowLeft")
    assert "found as" in page.inner_text("#cell h3")
    page.click("#confusions button >> nth=0")
    text = page.inner_text("body")
    assert all(label in text for label in hostile.LABELS)
    assert not errors and [url for url in fetched if not url.startswith(("file:", "data:"))] == []
