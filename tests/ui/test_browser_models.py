"""The pages Models and Ground truth, and the matrix, in a real browser."""

import io
import random

import pandas as pd
import pytest
from playwright.sync_api import expect

import layoutcm as lcm
from layoutcm.tables.leaderboard_tables import best_sentence
from layoutcm.wording import score_text
from support.app_runner import coco
from support.browser import cell_centre, settle, shown, tab, upload, visit, wait_for_link
from support.comparisons import compare_all_of_sample, compare_sample
from support.matrix_page import KNOWN_LABELS
from support.paths import ROOT, SAMPLE

WATCH = ROOT / "tests" / "support" / "watch_shifts.js"
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
        opened.add_init_script(path=WATCH)
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
    settle(page)
    page.locator(".st-key-differ_page").click(position={"x": 18, "y": 38 + 17})  # the box at the left of the first row
    wait_for_link(page, "/page", f"page={board.pages()['page'][0]}")


@pytest.mark.long
def test_a_prediction_opens_its_errors(page, address):
    open_models(page, address)
    page.get_by_role("button", name="Errors of model-c.json").click()
    wait_for_link(page, "/errors", "pred=2")
    assert "Largest confusions" in shown(page)


@pytest.fixture(scope="module")
def errors():
    gt = lcm.read(SAMPLE / "gt.json")
    mapping = {"model-b.csv": SAMPLE / "mapping.yaml"}
    read = lambda name: lcm.compare(gt, lcm.read(SAMPLE / name, like=gt), mapping=mapping.get(name))
    return lcm.label_errors([read(name) for name in ("model-a.json", "model-b.csv", "model-c.json")])


def wait_for_candidate(page, errors, row):
    """The change is shown beside the page and its number; candidates next to each other differ in one of them."""
    record = errors.iloc[row]
    page.get_by_text(f"page {record['page']}").wait_for()
    page.get_by_text(f", evidence {score_text(record['evidence'])}").first.wait_for()
    settle(page)


def press(page, key, errors, row):
    page.keyboard.press(key)
    wait_for_candidate(page, errors, row)


def table_scroll(page):
    return page.locator(".st-key-candidate_table .dvn-scroller").evaluate("scroller => scroller.scrollTop")


def test_accept_and_dismiss_by_keyboard_and_take_the_file(page, address, errors, tmp_path):
    visit(page, f"{address}/ground_truth?load=sample")
    wait_for_candidate(page, errors, 0)
    picture = page.locator("[data-testid=stHtml] img").first
    natural = picture.evaluate("image => [image.naturalWidth, image.naturalHeight, image.alt]")
    assert natural == [800, 600, f"Table is missing, on a part of page {errors['page'][0]}"]
    press(page, "a", errors, 1)
    press(page, "n", errors, 2)
    press(page, "d", errors, 3)
    press(page, "a", errors, 4)
    page.get_by_text("2 accepted, 1 dismissed of 68 candidates.").wait_for()
    press(page, "u", errors, 3)  # undone, and shown again
    page.get_by_text("1 accepted, 1 dismissed of 68 candidates.").wait_for()
    press(page, "p", errors, 2)
    page.get_by_text("not dismissed (67)").click()
    settle(page)
    with page.expect_download() as taken:
        page.get_by_role("button", name="CSV", exact=True).click()
    assert taken.value.suggested_filename == "label-errors.csv"
    lcm.write_label_errors(errors.drop(index=2), lcm.read(SAMPLE / "gt.json"), tmp_path / "wanted.csv")
    with open(taken.value.path(), "rb") as file:
        content = file.read()
    assert content == (tmp_path / "wanted.csv").read_bytes() and len(pd.read_csv(io.BytesIO(content))) == 67
    page.get_by_role("button", name="Open the page").click()
    wait_for_link(page, "/page", f"page={errors['page'][2]}")
    page.get_by_role("link", name="Ground truth").click()
    wait_for_candidate(page, errors, 2)
    assert "1 accepted, 1 dismissed of 68 candidates." in shown(page)


def test_a_click_on_a_cell_shows_its_candidate_and_the_table_follows_the_keys(page, address, errors):
    visit(page, f"{address}/ground_truth?load=sample")
    wait_for_candidate(page, errors, 0)
    table = page.locator(".st-key-candidate_table [data-testid=stDataFrame]")
    table.click(position={"x": 320, "y": 38 + 35 * 12.5})
    wait_for_candidate(page, errors, 12)
    assert table_scroll(page) == 0
    for row in (13, 14, 15, 16):
        press(page, "n", errors, row)
    assert table_scroll(page) > 0
    table.click(position={"x": 16, "y": 38 + 35 * 2.5})  # the box at the left of a row
    settle(page)
    row = round(table_scroll(page) / 35) + 2
    wait_for_candidate(page, errors, row)


def many_labels(tmp_path, n):
    """A COCO file with n labels, most of them of no known family."""
    labels = [*KNOWN_LABELS[:9], *(f"label {i:02d}" for i in range(n - 9))]
    path = tmp_path / "many.json"
    path.write_bytes(coco(labels, [(i, [0.5 * (i % 10), 0.5 * i, 20, 0.5]) for i in range(n)]))
    return labels, str(path)


@pytest.mark.long
def test_random_cells_of_74_labels_are_the_chosen_ones(page, address, tmp_path):
    """Python gets the cell that was clicked; the places of more cells are tested without a server."""
    labels, path = many_labels(tmp_path, 74)
    visit(page, address)
    upload(page, path, path)
    page.get_by_role("link", name="Errors").click()
    page.get_by_role("radio", name="Labels", exact=True).click()  # it opens in groups
    page.locator(".st-key-error_matrix td[data-cell]").nth(75**2 - 1).wait_for()
    settle(page)
    names = ["Background", *labels]
    generator = random.Random(74)
    for row, column in [(generator.randrange(75), generator.randrange(75)) for _ in range(4)]:
        wanted = f"{names[row]} {'found as' if row == column else 'read as'} {names[column]}"
        page.mouse.click(*cell_centre(page, row, column, 75, 75))
        page.get_by_role("heading", name=wanted, exact=True).wait_for()
        settle(page)
        selected = page.locator(".lcm-matrix table [aria-selected=true]")
        assert selected.get_attribute("data-cell") == f"{row}-{column}"


@pytest.mark.long
def test_a_cell_is_chosen_by_keyboard(page, address):
    visit(page, f"{address}/errors?load=sample&gt_label=Caption&pred_label=Caption")
    page.wait_for_selector(".lcm-matrix table")
    page.locator(".lcm-matrix table [aria-selected=true]").focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    page.get_by_role("heading", name="Footnote found as Footnote").wait_for()
    settle(page)
    page.keyboard.press("ArrowRight")  # the focus is still there
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Footnote read as Formula").wait_for()
    wait_for_link(page, "gt_label=Footnote", "pred_label=Formula")


def test_a_label_that_is_clicked_is_shown_and_is_the_chosen_class(page, address, sample):
    visit(page, f"{address}/errors?load=sample&gt_label=Caption&pred_label=Text")
    page.wait_for_selector(".lcm-matrix table")
    page.locator(".lcm-matrix table th.row button", has_text="Table").click()
    page.get_by_role("heading", name="Table", exact=True).wait_for()
    wait_for_link(page, "class=Table")
    assert "gt_label" not in page.url
    value = sample.confusion().classes().set_index("label").loc["Table"]
    assert f"Precision {value.precision:.3f}, Recall {value.recall:.3f}, F1 {value.f1:.3f}" in shown(page)
    page.locator(".lcm-matrix table th.column button", has_text="Picture").click()
    wait_for_link(page, "class=Picture")
    page.get_by_role("heading", name="Picture", exact=True).wait_for()


def test_large_matrices_open_in_groups_that_the_link_keeps(page, address, tmp_path):
    labels = KNOWN_LABELS
    path = tmp_path / "many.json"
    path.write_bytes(coco(labels, [(i, [0, i, 20, 1]) for i in range(len(labels))]))
    visit(page, address)
    upload(page, str(path), str(path))
    page.get_by_role("link", name="Errors").click()
    page.wait_for_selector(".lcm-matrix table")
    settle(page)
    groups = page.locator(".groups button[data-group]")
    count = groups.count()
    assert count > 2 and page.locator(".lcm-matrix table th.row").count() < len(labels)
    name = groups.first.get_attribute("data-group")
    groups.first.click()
    wait_for_link(page, "open_groups=", name)
    assert groups.first.get_attribute("aria-expanded") == "true"
    assert groups.nth(1).get_attribute("aria-expanded") == "false"
    page.get_by_role("button", name="Open all groups").click()
    settle(page)
    assert page.locator(".lcm-matrix table th.row").count() == len(labels) + 1
