"""The dashboard in a real browser: uploads, clicks, deep links, two visitors, light and dark."""

import re

import pytest

import layoutcm as lcm
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.wording import percent_brief, thin_spaced
from support.app_runner import coco
from support.browser import cell_centre, settle, shown, tab, upload, visit, wait_for_link
from support.hostile import SCREEN
from support.paths import SAMPLE
from support.servers import server


def test_sample_cell_pages_and_lit_pixels(page, address, sample):
    visit(page, address)
    page.get_by_role("button", name="Try the sample").click()
    wait_for_link(page, "/models", "load=sample")
    page.get_by_role("link", name="Errors").click()
    page.wait_for_selector(".lcm-matrix table")
    settle(page)
    labels = list(sample.confusion().labels)
    row, column, n = labels.index("Caption"), labels.index("Text"), len(labels)
    page.mouse.click(*cell_centre(page, row, column, n, n))
    page.get_by_text("Caption read as Text").first.wait_for()
    wait_for_link(page, "gt_label=Caption", "pred_label=Text")
    behind = sample.pages_behind("Caption", "Text")
    assert f"{thin_spaced(behind.pixels.sum())} px on {len(behind)} of 60 pages" in shown(page)
    row, column = sample.cell("Caption", "Text")
    label = sample.causes().values[CAUSES.index("label"), row, column] / behind.pixels.sum()
    assert f"label {percent_brief(label)} %" in shown(page).replace("\u00a0", " ")
    pictures = page.locator(".thumbnails img")
    pictures.nth(3).wait_for()
    heights = "all => Promise.all(all.map((image) => image.decode().then(() => image.naturalHeight)))"
    assert pictures.evaluate_all(heights) == [420] * 6
    page.get_by_role("button", name="Open page").first.click()
    page.get_by_text("This page's matrix").wait_for()
    settle(page)
    worst = behind["page"].iloc[0]
    wait_for_link(page, "/page", f"page={worst}")
    assert f"Caption / Text: {thin_spaced(behind.pixels.iloc[0])} px" in page.locator(".viewer-legend").inner_text()
    page.get_by_role("button", name="Back to the cell").click()
    page.wait_for_url("**/errors?**")
    page.get_by_role("heading", name="Caption read as Text").wait_for()


@pytest.mark.long
def test_back_and_forward_bring_earlier_views_back(page, address):
    visit(page, f"{address}/errors?load=sample&gt_label=Caption&pred_label=Text")
    page.get_by_role("heading", name="Caption read as Text").wait_for()
    page.wait_for_selector(".lcm-matrix table")
    labels = ["Background", *lcm.read(SAMPLE / "gt.json").labels]
    page.mouse.click(*cell_centre(page, labels.index("List-item"), labels.index("Text"), 12, 12))
    wait_for_link(page, "gt_label=List-item")
    page.get_by_role("button", name="Open page").first.click()
    wait_for_link(page, "/page", "page=paper-1_p4.png")
    page.go_back()
    page.get_by_role("heading", name="List-item read as Text").wait_for()
    settle(page)
    page.go_back()
    page.get_by_role("heading", name="Caption read as Text").wait_for()
    page.go_forward()
    page.get_by_role("heading", name="List-item read as Text").wait_for()


def test_a_row_of_all_pages_opens_its_page(page, address, sample):
    visit(page, f"{address}/errors?load=sample&gt_label=Caption&pred_label=Text")
    page.get_by_text("All 9 pages").click()
    table = page.locator(".st-key-clicked [data-testid=stDataFrame]")
    table.wait_for()
    settle(page)
    table.click(position={"x": 18, "y": 35 + 35 + 17})  # the check box at the left of the second row
    behind = sample.pages_behind("Caption", "Text")
    wait_for_link(page, "/page", f"page={behind['page'].iloc[1]}")


def test_deep_links_on_a_fresh_server(browser):
    # A new context: nothing in the cache either.
    with server() as fresh, browser.new_context() as context, tab(context) as page:
        visit(page, f"{fresh}/page?load=sample&page=report-1_p3.png&gt_label=Table&pred_label=Picture")
        page.get_by_text("This page's matrix").wait_for()
        assert f"Table / Picture: {thin_spaced(67_262)} px" in page.locator(".viewer-legend").inner_text()
        # The start page has a second address, and addresses of earlier versions lead to where their parts are now.
        moved = {"data": "947 regions", "matrices": "Rows are the ground truth", "families": "Inside a family"}
        for address, words in moved.items():
            visit(page, f"{fresh}/{address}?load=sample&pred=2")
            page.get_by_text(words).first.wait_for()
            wait_for_link(page, "load=sample", "pred=2")
            assert page.get_by_role("dialog").count() == 0


def test_hostile_names_show_as_typed(page, address, tmp_path):
    gt, pred, problems = tmp_path / "gt.json", tmp_path / "pred.json", []
    gt.write_bytes(coco(SCREEN, [(i, [0, 5 * i, 50, 5]) for i in range(6)]))
    pred.write_bytes(coco(SCREEN, [(i, [0, 5 * i, 40, 5]) for i in (1, 0, 2, 3, 4, 5)]))
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.on("pageerror", lambda error: problems.append(str(error)))
    visit(page, address)
    upload(page, str(gt), str(pred))
    page.get_by_role("link", name="Errors").click()
    page.wait_for_selector(".lcm-matrix table")
    settle(page)
    seen = shown(page).replace("\u2068", "").replace("\u2069", "")  # marks around text from right to left
    for name in SCREEN:
        assert f"{name} read as Background" in seen
    page.get_by_role("link", name="Errors").click()
    page.get_by_role("heading", name="Errors").wait_for()
    settle(page)
    names = page.locator(".lcm-matrix table th.row").all_text_contents()
    assert names[2:] == SCREEN[1:] and names[1].startswith("<img src=x")
    page.mouse.click(*cell_centre(page, 1, 2, 7, 7))
    page.get_by_role("heading", name=f"{SCREEN[0]} read as {SCREEN[1]}").wait_for()
    assert not problems and page.locator(".lcm-matrix img").count() == 0


def test_choices_of_the_bar_change_the_numbers(page, address):
    visit(page, f"{address}/errors?load=sample")
    page.wait_for_selector(".lcm-matrix table")
    for label, value, expected in (
        ("Prediction", "model-b.csv", "pred:model-b"),
        ("Method", "tensor", "method:tensor"),
    ):
        if label == "Method":
            page.get_by_role("button", name="Settings").click()
        page.get_by_role("combobox", name=label).click()
        page.get_by_role("option", name=value).click()
        page.get_by_text(expected).first.wait_for()
        settle(page)
    wait_for_link(page, "pred=1", "method=tensor")
    page.get_by_role("link", name="Errors").click()
    page.get_by_role("radio", name="Precision").click()
    page.wait_for_url("**view=precision**")
    settle(page)
    page.reload()
    settle(page)
    page.get_by_text("pred:model-b").first.wait_for()
    assert "method:tensor" in shown(page) and page.get_by_role("radio", name="Precision").is_checked()


def test_two_visitors_do_not_see_each_other(browser, context, address, tmp_path):
    with browser.fresh_context() as other, tab(context) as first, tab(other) as second:
        pages = [first, second]
        for i, page in enumerate(pages):
            path = tmp_path / f"secret-{i}.json"
            path.write_bytes(coco([f"label of visitor {i}"], [(0, [0, 0, 10, 10 + i])]))
            visit(page, address)
            upload(page, str(path), str(path))
        for i, page in enumerate(pages):
            page.get_by_role("link", name="Errors").click()
            page.wait_for_selector(".lcm-matrix table")
            settle(page)
            body = page.locator("body").inner_text()
            assert f"secret-{i}.json" in body and f"secret-{1 - i}" not in body and f"visitor {1 - i}" not in body


def test_keys_turn_pages(page, address):
    visit(page, f"{address}/page?load=sample&page=report-1_p3.png")
    page.wait_for_selector(".viewer[data-ready=full]")
    for key, part in (("ArrowRight", "page=report-1_p4.png"), ("ArrowLeft", "page=report-1_p3.png")):
        page.keyboard.press(key)
        wait_for_link(page, part)
    # In an input field the keys are no shortcuts.
    page.get_by_role("combobox", name="Page", exact=True).click()
    page.keyboard.type("1")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    settle(page)
    assert "page=report-1_p3.png" in page.url


def test_a_chip_that_was_removed_does_not_come_back_with_the_closed_popover(browser, address):
    """The browser holds the values of widgets in a closed popover, and sends them with the next click."""
    with browser.new_context(viewport={"width": 1400, "height": 900}) as context, tab(context) as page:
        visit(page, f"{address}/errors?load=sample&min_score=0.5")
        page.get_by_role("button", name="Filter").click()
        page.get_by_text("Score threshold").first.wait_for()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="score ≥ 0.5").click()
        page.get_by_role("button", name="score ≥ 0.5").wait_for(state="detached")
        page.get_by_role("radio", name="Precision", exact=True).click()
        wait_for_link(page, "view=precision")
        page.get_by_role("link", name="Measures", exact=True).click()
        wait_for_link(page, "/measures", "view=precision")
        assert "min_score" not in page.url and page.get_by_role("button", name="score ≥").count() == 0


def test_the_label_filter_is_in_the_link(page, address):
    visit(page, f"{address}/errors?load=sample")
    page.wait_for_selector(".lcm-matrix table")
    for label in ("Caption", "Text"):
        page.get_by_role("button", name="Filter").click()
        # Typed, because the list scrolls to an option before a click, and on a busy machine the click can miss it.
        page.get_by_role("combobox", name="Labels").fill(label)
        page.get_by_role("option", name=label, exact=True).wait_for()
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        wait_for_link(page, "labels=", label)
    page.reload()
    page.wait_for_selector(".lcm-matrix table")
    settle(page)
    rows = page.locator(".lcm-matrix table th.row")
    assert rows.all_text_contents() == ["Background", "Caption", "Text", "other (9 labels)"]
    page.mouse.click(*cell_centre(page, 1, 2, 4, 4))
    page.get_by_text("Caption read as Text").first.wait_for()


PAGES = ["Models", "Errors", "Page", "Ground truth", "Measures", "Method", "Data"]


@pytest.mark.parametrize(("scheme", "width"), [("dark", 1280), pytest.param("light", 1000, marks=pytest.mark.long)])
@pytest.mark.long
def test_pages_fit_in_both_themes_and_on_narrow_screens(browser, address, scheme, width):
    size = {"width": width, "height": 900}
    with browser.new_context(viewport=size, color_scheme=scheme) as context, tab(context) as page:
        visit(page, f"{address}/?load=sample")
        for name in PAGES:
            page.get_by_role("link", name=name, exact=True).click()
            settle(page)
            ground = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
            assert (sum(map(int, re.findall(r"\d+", ground)[:3])) < 200) == (scheme == "dark")
            main = "document.querySelector('[data-testid=stMain]')"
            assert page.evaluate(f"{main}.scrollWidth - {main}.clientWidth") <= 0, name
            for wrong in ("stException", "stAlertContentError"):
                assert page.locator(f"[data-testid={wrong}]").count() == 0, name
            cut = page.evaluate(
                "[...document.querySelectorAll('[data-testid=stMain] .stButton p, [data-testid=stMetricLabel] p')]"
                ".filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.innerText)"
            )
            assert not cut, name
