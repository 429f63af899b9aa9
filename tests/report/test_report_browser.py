"""The HTML report in a real browser, opened from disk: clicks work and nothing is fetched."""

import layoutcm as lcm
from layoutcm import wording
from support import hostile


def test_a_click_on_a_cell_shows_its_pages(opened):
    page = opened(hostile.compared(), scheme="dark", families={"<i>of three": hostile.LABELS[:3]})
    assert "Click a cell" in page.inner_text("#cell")
    page.click("[data-cell='1-2']")
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
