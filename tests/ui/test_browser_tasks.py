"""Tasks in a real browser, counted in clicks or by keyboard alone; files to take away; axe-core on whole pages."""

import io

import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe

from layoutcm.drawing.paper.figure_style import figure_bytes
from layoutcm.drawing.paper.matrix import matrix_figure
from layoutcm.models.differences import comparison_of_pages
from layoutcm.tables.matrix_views import select
from layoutcm.ui.shared.page_shell import PAGES
from layoutcm.wording import thin_spaced
from support.browser import drop, settle, shown, tab, visit, wait_for_link
from support.paths import SAMPLE


class Clicks:
    """Clicks that are counted."""

    def __init__(self, page):
        self.page, self.count = page, 0

    def __call__(self, locator):
        self.count += 1
        locator.click()
        settle(self.page)

    def download(self, locator):
        with self.page.expect_download() as taken:
            self(locator)
        return taken.value


def test_why_a_label_is_bad_with_its_pixels_takes_two_clicks(page, address, sample):
    visit(page, f"{address}/errors?load=sample")
    page.wait_for_selector(".lcm-matrix table")
    before = page.locator(".st-key-class_table, [data-testid=stDataFrame]").first.bounding_box()["y"]
    click = Clicks(page)
    click(page.locator(".lcm-matrix table th.row button", has_text="List-item"))
    picture = page.locator(".st-key-clicked .thumbnails img").first
    page.wait_for_function("one => one.complete && one.naturalWidth > 99", arg=picture.element_handle())
    panel = page.locator(".st-key-clicked").inner_text().replace("\u00a0", " ")
    value = sample.confusion().classes().set_index("label").loc["List-item"]
    i = sample.labels.index("List-item")
    mass = sample.confusion().values
    wrong = mass[i].sum() + mass[:, i].sum() - 2 * mass[i, i]
    assert f"F1 {value.f1:.3f}" in panel and f"{thin_spaced(wrong)} px wrong" in panel and "slack " in panel
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
    page.locator(".lcm-matrix table [aria-selected=true]").focus()
    go_to(page, f"Open page {sample.pages_behind('Caption', 'Text')['page'][0]}", most=12)
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


MOST_STEPS = 120  # of the Tab key, to reach anything on a page


# The label or the text of the element with the focus, also inside of a component; "" if it cannot be pressed.
FOCUSED = """() => {
  let focused = document.activeElement;
  while (focused.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  if (!focused.matches("a, button, input, td, summary")) return "";
  return (focused.getAttribute("aria-label") || focused.textContent || "").trim();
}"""


def go_to(page, words, key="Tab", most=MOST_STEPS):
    """Press a key until the element with this label or text has the focus."""
    seen = []
    for _ in range(most):
        page.keyboard.press(key)
        seen.append(page.evaluate(FOCUSED)[:60])
        if words in seen[-1]:
            return
    raise AssertionError(f"{words!r} is not reached by the key {key}: {seen}")


def test_a_label_its_pixels_and_the_words_of_a_page(page, address):
    visit(page, f"{address}/models?load=sample")
    page.get_by_text("has the highest macro F1").first.wait_for()
    go_to(page, "Errors")
    page.keyboard.press("Enter")
    page.wait_for_selector(".lcm-matrix table")
    settle(page)
    go_to(page, "Ground truth Background, Prediction Background")
    page.keyboard.press("ArrowLeft")  # to the name of the row
    go_to(page, "List-item", "ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="List-item", exact=True).wait_for()
    wait_for_link(page, "class=List-item")
    go_to(page, "Open page ")
    page.keyboard.press("Enter")
    page.get_by_text("Packed words").first.wait_for()
    page.get_by_text("Pages behind the wrong pixels of List-item").wait_for()


@pytest.mark.long
def test_the_best_threshold_a_pdf_and_two_types(page, address):
    visit(page, f"{address}/models?load=sample")
    page.get_by_role("button", name="Apply ").first.wait_for()
    go_to(page, "Apply ")
    page.keyboard.press("Enter")
    wait_for_link(page, "min_score=")
    visit(page, f"{address}/errors?load=sample")
    page.wait_for_selector(".lcm-matrix table")
    go_to(page, "invoice")  # the values of an attribute; the arrow keys go on
    page.keyboard.press("Space")
    wait_for_link(page, "attribute=doc_category")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    wait_for_link(page, "versus=")
    go_to(page, "Take it away")
    page.keyboard.press("Enter")
    page.locator(".st-key-take_row_0").wait_for()
    settle(page)
    with page.expect_download() as taken:
        go_to(page, "PDF")
        page.keyboard.press("Enter")
    assert taken.value.suggested_filename.endswith(".pdf")


def test_files_are_chosen_and_labels_mapped(page, address):
    visit(page, address)
    with page.expect_file_chooser() as chooser:
        go_to(page, "Upload")
        page.keyboard.press("Enter")
    assert chooser.value.is_multiple()
    accept = page.get_by_role("button", name="Accept this mapping")
    drop(page, SAMPLE / "model-b.csv", SAMPLE / "gt.json", answer=accept)
    settle(page)
    go_to(page, "Accept this mapping")
    page.keyboard.press("Enter")
    wait_for_link(page, "mapping=")


@pytest.mark.parametrize(
    ("theme", "places"),
    [
        ("light", ("errors", "page")),
        pytest.param("light", tuple(PAGES), marks=pytest.mark.long),
        pytest.param("dark", tuple(PAGES), marks=pytest.mark.long),
    ],
)
def test_axe_finds_nothing_serious_on_any_page(browser, address, theme, places):
    """Whole pages, also the widgets of Streamlit, whose contrast the style corrects."""
    found = {}
    with (
        browser.new_context(viewport={"width": 1400, "height": 1000}, color_scheme=theme) as context,
        tab(context) as page,
    ):
        for name in places:
            visit(page, f"{address}/{'' if name == 'data' else name}?load=sample&gt_label=Caption&pred_label=Text")
            page.get_by_role("button", name="Take it away").wait_for()
            rules = Axe().run(page).response["violations"]
            found[name] = [
                (rule["id"], node["html"][:150])
                for rule in rules
                if rule["impact"] in ("serious", "critical")
                for node in rule["nodes"]
            ]
    assert {name: rules for name, rules in found.items() if rules} == {}


@pytest.fixture
def click(browser, address):
    with browser.new_context(viewport={"width": 1400, "height": 900}) as context, tab(context) as page:
        visit(page, f"{address}/errors?load=sample")
        page.wait_for_selector(".lcm-matrix table")
        yield Clicks(page)


def button(click, name, inside="body"):
    return click.page.locator(inside).get_by_role("button", name=name, exact=True).first


def test_the_recall_heatmap_is_a_pdf_after_two_clicks_and_its_table_after_one_more(click, sample):
    click(button(click, "Take it away"))
    first = ".st-key-take_row_0"
    click.page.locator(first).wait_for()
    pdf = click.download(button(click, "PDF", first))
    assert click.count == 2 and pdf.suggested_filename == "recall-model-a.pdf"
    confusion = sample.confusion()
    drawn = matrix_figure(confusion, "recall", selection=select(confusion), log=False)
    assert pdf.path().read_bytes() == figure_bytes(drawn, "pdf")
    table = click.download(button(click, "CSV", first))
    assert click.count == 3 and table.suggested_filename == "recall-model-a.csv"
    read = pd.read_csv(io.BytesIO(table.path().read_bytes()), index_col=0)
    assert read.loc["Caption", "Text"] == pytest.approx(confusion.recall[1, 10], rel=1e-12)


def test_a_view_that_was_chosen_in_a_part_of_the_page_is_the_one_that_is_taken(click):
    click.page.get_by_role("radio", name="Precision", exact=True).click()
    settle(click.page)
    click(button(click, "Take it away"))
    click.page.locator(".st-key-take_row_0").get_by_text("Matrix: precision").wait_for()
    assert click.download(button(click, "SVG", ".st-key-take_row_0")).suggested_filename == "precision-model-a.svg"
