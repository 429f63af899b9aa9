"""Reviewing a ground truth in a real browser, by keyboard."""

import io

import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.wording import score_text
from support.browser import settle, shown, visit, wait_for_link
from support.paths import SAMPLE


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
    box = page.locator(".st-key-candidate_table [data-testid=stDataFrame]").bounding_box()
    page.mouse.click(box["x"] + 320, box["y"] + 38 + 35 * 12.5)
    wait_for_candidate(page, errors, 12)
    assert table_scroll(page) == 0
    for row in (13, 14, 15, 16):
        press(page, "n", errors, row)
    assert table_scroll(page) > 0
    page.mouse.click(box["x"] + 16, box["y"] + 38 + 35 * 2.5)  # the box at the left of a row
    settle(page)
    row = round(table_scroll(page) / 35) + 2
    wait_for_candidate(page, errors, row)
