"""The Models page in a real browser: the answer without a click, the best threshold with two, no jumps."""

import pytest
from playwright.sync_api import expect

from layoutcm.tables.leaderboard_tables import best_sentence
from layoutcm.wording import score_text
from support.browser import settle, shown, tab, visit, wait_for_link
from support.sample_comparisons import compare_all_of_sample, compare_sample

# Layout shifts of the page since the table of predictions was first drawn.
WATCH = """
window.shifts = []; window.drawn = 0;
new MutationObserver(() => {
  if (!window.drawn && document.querySelector(".models-table")) window.drawn = performance.now();
}).observe(document, {childList: true, subtree: true});
new PerformanceObserver(list => window.shifts.push(...list.getEntries().map(e => [e.startTime, e.value])))
  .observe({type: "layout-shift", buffered: true});
"""
SHIFTED = "window.shifts.filter(([start]) => start > window.drawn).reduce((sum, [, value]) => sum + value, 0)"
MOST_SHIFT = 0.05


@pytest.fixture(scope="module")
def board():
    import layoutcm as lcm

    return lcm.leaderboard(compare_all_of_sample())


@pytest.fixture(
    params=[pytest.param((1400, "light"), id="wide"), pytest.param((900, "dark"), id="narrow", marks=pytest.mark.long)]
)
def page(request, browser):
    width, scheme = request.param
    look = {"viewport": {"width": width, "height": 1000}, "color_scheme": scheme}
    with browser.new_context(**look) as context, tab(context) as opened:
        opened.add_init_script(WATCH)
        yield opened


def open_models(page, address):
    visit(page, f"{address}/?load=sample")
    page.get_by_role("button", name="Go on to Models").click()
    page.locator(".models-table").wait_for()
    page.locator(".st-key-model_slices .main-svg").first.wait_for()
    settle(page)


def test_the_answer_is_the_first_screen_and_nothing_jumps(page, address, board):
    open_models(page, address)
    answer = page.get_by_text("has the highest macro F1 of 3 predictions")
    expect(answer).to_be_in_viewport()
    words = best_sentence(board).split(": ")[1]  # the names differ
    assert words.startswith("no difference shown") and words in answer.inner_text()
    table = page.locator(".models-table")
    expect(table).to_be_in_viewport()
    for name, row in board.table.set_index("model").iterrows():
        file = {"a": "model-a.json", "b": "model-b.csv", "c": "model-c.json"}[name]
        cells = table.locator("tbody").get_by_role("row", name=file).inner_text()
        assert score_text(row["macro_f1"]) in cells and row["verdict"] in cells
    assert page.evaluate(SHIFTED) < MOST_SHIFT


def test_the_best_threshold_is_applied_by_one_click(page, address):
    open_models(page, address)
    page.get_by_role("button", name="Apply 0.4736 to all labels").click()
    wait_for_link(page, "min_score=0.4736")
    expected = score_text(compare_sample(min_score=0.4736).confusion().average("macro")["f1"])
    expect(page.locator(".models-table tbody").get_by_role("row", name="model-a.json")).to_contain_text(expected)
    expect(page.get_by_role("button", name="Remove the threshold 0.4736")).to_be_visible()


@pytest.mark.long
def test_a_click_opens_the_page_on_which_they_differ_most(page, address, board):
    open_models(page, address)
    grid = page.locator(".st-key-differ_page")
    grid.scroll_into_view_if_needed()
    settle(page)
    box = grid.bounding_box()
    page.mouse.click(box["x"] + 18, box["y"] + 38 + 17)  # the box at the left end of the first row
    wait_for_link(page, "/page", f"page={board.pages()['page'][0]}")


@pytest.mark.long
def test_a_prediction_opens_its_errors(page, address):
    open_models(page, address)
    page.get_by_role("button", name="Errors of model-c.json").click()
    wait_for_link(page, "/errors", "pred=2")
    assert "Largest confusions" in shown(page)
