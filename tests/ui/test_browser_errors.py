"""Errors in a real browser: two tasks counted in clicks, and all of it by keyboard."""

import pytest

from layoutcm.models.differences import comparison_of_pages
from layoutcm.wording import thin_spaced
from support.browser import settle, shown, visit, wait_for_link

FOCUSED_NAME = """() => {
  let e = document.activeElement;
  while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
  return e?.getAttribute("aria-label") ?? "";
}"""


class Clicks:
    """Clicks that are counted."""

    def __init__(self, page):
        self.page, self.count = page, 0

    def __call__(self, locator):
        self.count += 1
        locator.click()
        settle(self.page)


def test_why_a_label_is_bad_with_its_pixels_takes_two_clicks(page, address, sample):
    visit(page, f"{address}/errors?load=sample")
    page.wait_for_selector(".lcm-matrix table")
    before = page.locator(".st-key-class_table, [data-testid=stDataFrame]").first.bounding_box()["y"]
    click = Clicks(page)
    click(page.locator(".lcm-matrix table th.row button", has_text="List-item"))
    page.locator(".st-key-clicked .thumbnails img").first.wait_for()
    panel = page.locator(".st-key-clicked").inner_text().replace("\u00a0", " ")
    value = sample.confusion().classes().set_index("label").loc["List-item"]
    i = sample.labels.index("List-item")
    mass = sample.confusion().values
    wrong = mass[i].sum() + mass[:, i].sum() - 2 * mass[i, i]
    assert f"F1 {value.f1:.3f}" in panel and f"{thin_spaced(wrong)} px wrong" in panel and "slack " in panel
    assert (
        page.locator(".st-key-clicked .thumbnails img").first.evaluate("one => one.complete && one.naturalWidth") > 99
    )
    assert page.locator("[data-testid=stDataFrame]").first.bounding_box()["y"] == pytest.approx(before, abs=2)
    click(page.locator(".st-key-clicked .thumbnails button").first)
    wait_for_link(page, "/page", "page=paper-1_p4.png", "class=List-item")
    page.get_by_text("List-item / wrong: ").wait_for()  # its pixels are lit
    assert click.count == 2


def test_two_document_types_are_compared_in_three_clicks(page, address, sample):
    visit(page, f"{address}/?load=sample")
    click = Clicks(page)
    click(page.get_by_role("link", name="Errors"))
    page.get_by_role("button", name="invoice", exact=True).wait_for()
    click(page.get_by_role("button", name="invoice", exact=True))
    click(page.get_by_role("button", name="paper", exact=True))
    page.locator(".lcm-matrix .name", has_text="B: paper").wait_for()
    wait_for_link(page, "attribute=", "versus=")
    assert click.count == 3 and page.locator(".lcm-matrix table").count() == 2
    # A click in the second matrix shows its pages.
    page.locator(".lcm-matrix .model[data-model='1'] th.row button", has_text="Table").click()
    page.get_by_role("heading", name="Table", exact=True).wait_for()
    settle(page)
    category = sample.levels.pages.attributes["doc_category"]
    papers = comparison_of_pages(sample, [p for p, own in zip(sample.pages, category) if own == "paper"])
    value = papers.confusion().classes().set_index("label").loc["Table"]
    assert f"Recall {value.recall:.3f}" in page.locator(".st-key-clicked").inner_text()
    assert page.locator(".lcm-matrix .name").all_text_contents() == ["A: invoice", "B: paper"]
    wait_for_link(page, "attribute=doc_category%3Dpaper", "versus=doc_category%3Dinvoice")


@pytest.mark.long
def test_the_keyboard_reaches_the_matrix_the_thumbnails_and_the_list(page, address, sample):
    visit(page, f"{address}/errors?load=sample&gt_label=Caption&pred_label=Text")
    page.locator(".page-list tbody tr").first.wait_for()
    reached = []
    page.locator(".lcm-matrix table [aria-selected=true]").focus()
    for _ in range(12):
        page.keyboard.press("Tab")
        label = page.evaluate(FOCUSED_NAME)
        reached.append(label)
        if label.startswith("Open page"):
            break
    assert reached[-1].startswith(f"Open page {sample.pages_behind('Caption', 'Text')['page'][0]}")
    # Sorting by the keyboard, then opening a document by it.
    page.get_by_role("radio", name="Documents", exact=True).click()
    page.get_by_role("table", name="Documents").wait_for()
    settle(page)
    page.locator(".page-list [data-sort=document]").focus()
    page.keyboard.press("Enter")
    wait_for_link(page, "sorted_by=document")
    first = page.get_by_role("button", name="Show document").first
    first.focus()
    page.keyboard.press("Enter")
    wait_for_link(page, "level=document", f"document={min(sample.documents)}")
    assert f"document {min(sample.documents)}" in shown(page)
