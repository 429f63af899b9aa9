"""The tasks of the dashboard with the keyboard alone, and what axe-core finds on whole pages."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from layoutcm.ui.shared.page_shell import PAGES
from support.browser import drop, settle, tab, visit, wait_for_link
from support.paths import SAMPLE

MOST_STEPS = 120  # of the Tab key, to reach anything on a page


@pytest.fixture
def reader(browser):
    with browser.new_context(viewport={"width": 1400, "height": 900}) as context, tab(context) as page:
        yield page


# The label or the text of the element with the focus, also inside of a component; "" if it cannot be pressed.
FOCUSED = """() => {
  let focused = document.activeElement;
  while (focused.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  if (!focused.matches("a, button, input, td, summary")) return "";
  return (focused.getAttribute("aria-label") || focused.textContent || "").trim();
}"""


def go_to(page, words, key="Tab"):
    """Press a key until the element with this label or text has the focus."""
    seen = []
    for _ in range(MOST_STEPS):
        page.keyboard.press(key)
        seen.append(page.evaluate(FOCUSED)[:60])
        if words in seen[-1]:
            return
    raise AssertionError(f"{words!r} is not reached by the key {key}: {seen}")


def test_a_label_its_pixels_and_the_words_of_a_page(reader, address):
    visit(reader, f"{address}/models?load=sample")
    reader.get_by_text("has the highest macro F1").first.wait_for()
    go_to(reader, "Errors")
    reader.keyboard.press("Enter")
    reader.wait_for_selector(".lcm-matrix table")
    settle(reader)
    go_to(reader, "Ground truth Background, Prediction Background")
    reader.keyboard.press("ArrowLeft")  # to the name of the row
    go_to(reader, "List-item", "ArrowDown")
    reader.keyboard.press("Enter")
    reader.get_by_role("heading", name="List-item", exact=True).wait_for()
    wait_for_link(reader, "class=List-item")
    go_to(reader, "Open page ")
    reader.keyboard.press("Enter")
    reader.get_by_text("Packed words").first.wait_for()
    reader.get_by_text("Pages behind the wrong pixels of List-item").wait_for()


@pytest.mark.long
def test_the_best_threshold_a_pdf_and_two_types(reader, address):
    visit(reader, f"{address}/models?load=sample")
    reader.get_by_role("button", name="Apply ").first.wait_for()
    go_to(reader, "Apply ")
    reader.keyboard.press("Enter")
    wait_for_link(reader, "min_score=")
    visit(reader, f"{address}/errors?load=sample")
    reader.wait_for_selector(".lcm-matrix table")
    go_to(reader, "invoice")  # the values of an attribute; the arrow keys go on
    reader.keyboard.press("Space")
    wait_for_link(reader, "attribute=doc_category")
    reader.keyboard.press("ArrowRight")
    reader.keyboard.press("Space")
    wait_for_link(reader, "versus=")
    go_to(reader, "Take it away")
    reader.keyboard.press("Enter")
    reader.locator(".st-key-take_row_0").wait_for()
    settle(reader)
    with reader.expect_download() as taken:
        go_to(reader, "PDF")
        reader.keyboard.press("Enter")
    assert taken.value.suggested_filename.endswith(".pdf")


def test_files_are_chosen_and_labels_mapped(reader, address):
    visit(reader, address)
    with reader.expect_file_chooser() as chooser:
        go_to(reader, "Upload")
        reader.keyboard.press("Enter")
    assert chooser.value.is_multiple()
    accept = reader.get_by_role("button", name="Accept this mapping")
    drop(reader, SAMPLE / "model-b.csv", SAMPLE / "gt.json", answer=accept)
    settle(reader)
    go_to(reader, "Accept this mapping")
    reader.keyboard.press("Enter")
    wait_for_link(reader, "mapping=")


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
