"""A result of parts in a real browser: from Data to one page, with the numbers of a comparison in memory."""

import pytest

from layoutcm.wording import score_text, thin_spaced
from support.browser import settle, shown, visit, wait_for_link
from support.parts import result_of_sample
from support.paths import SAMPLE
from support.servers import server


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    result = result_of_sample(tmp_path_factory.mktemp("result"), "model-a.json", why=True)
    with server([result], images=SAMPLE / "images") as running:
        yield running


def test_from_the_result_to_one_of_its_pages(page, address, sample):
    visit(page, address)
    assert "Result of 3 parts" in shown(page) and "60 pages, 939 regions, 11 labels, with scores" in shown(page)
    page.get_by_role("button", name="Go on to Models").click()
    row = page.locator(".models-table tbody tr").first
    row.get_by_text("n/a").first.wait_for()  # objects come last
    value, low, high, *_ = sample.bootstrap().figures["macro_f1"]
    assert all(score_text(number) in row.inner_text() for number in (value, low, high))
    settle(page)
    page.get_by_role("button", name="Errors of model-a").click()
    page.locator(".lcm-matrix table").first.wait_for()
    settle(page)
    worst = sample.page_table()
    rows = page.locator("table").last
    assert rows.get_by_text(worst["page"][0]).first.is_visible() and score_text(worst["f1"][0]) in rows.inner_text()
    page.locator(".lcm-matrix table tbody tr").nth(10).locator("td").first.click()  # Text read as Background
    thumbnail = page.locator(".st-key-clicked .thumbnails img").first
    thumbnail.wait_for()
    settle(page)
    behind, panel = sample.pages_behind("Text", "Background"), page.locator(".st-key-clicked").inner_text()
    assert f"{thin_spaced(behind['pixels'].sum())} px on {len(behind)} of 60 pages" in panel
    slack = sample.causes().values[0][sample.cell("Text", "Background")]
    assert f"slack {100 * slack / behind['pixels'].sum():.1f}" in panel.replace("\u00a0", " ")
    page.wait_for_function("one => one.complete && one.naturalWidth > 99", arg=thumbnail.element_handle())
    page.locator(".st-key-clicked .thumbnails button").first.click()
    wait_for_link(page, "/page", f"page={behind['page'][0]}")
    packed = page.get_by_text("Packed words").locator("xpath=..")
    packed.wait_for()
    pairs = sample.counts(page=behind["page"][0]).table()
    assert thin_spaced(pairs["pixels"][0]) in packed.inner_text()
