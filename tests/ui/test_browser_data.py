"""The page Data in a real browser: files dropped in any order find their roles; swapping, errors, the mapping."""

import re

import pytest
from playwright.sync_api import expect

from support.app_runner import coco
from support.browser import drop, settle, shown, visit, wait_for_link
from support.image_files import png
from support.paths import SAMPLE

BOXES = [(0, [0, 0, 20, 20]), (1, [20, 0, 20, 20])]
PAGE = coco(["a", "b"], BOXES)


def file(name, data):
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


def cards(page):
    """The first line of every card."""
    return page.locator("[class*=st-key-card_] summary").all_inner_texts()


def heading(page, name):
    return page.get_by_role("heading", name=name, exact=True)


def test_three_files_in_any_order_lead_to_models_and_can_be_swapped(page, address):
    visit(page, address)
    given = [file("model.json", PAGE), file("p1.png", png((50, 40))), file("truth.json", PAGE)]
    drop(page, *given, answer=heading(page, "Models"))  # without a click
    settle(page)
    page.get_by_role("link", name="Data", exact=True).click()
    page.get_by_text("1 page, 1 prediction compared").wait_for()
    settle(page)
    found = [re.search(r"(Ground truth|Prediction|Page images or PDF)\s+(\S+)", text).groups() for text in cards(page)]
    assert found == [("Ground truth", "truth.json"), ("Prediction", "model.json"), ("Page images or PDF", "p1.png")]
    assert page.locator("[class*=st-key-card_] details[open]").count() == 0  # a line each
    page.get_by_role("button", name="Swap ground truth and prediction").click()
    page.get_by_text("seem to be swapped (the names of the files say so)").wait_for()
    settle(page)
    assert re.search(r"Ground truth\s+model.json", cards(page)[0])
    page.get_by_role("button", name="Swap ground truth and prediction").click()
    page.get_by_text("1 page, 1 prediction compared").wait_for()


def test_a_broken_file_keeps_the_page_until_another_replaces_it(page, address):
    visit(page, address)
    drop(page, file("gt.json", PAGE[:-30]))
    page.get_by_text("gt.json, line 1").wait_for()
    assert "cut off" in shown(page) and "A ground truth is here" in shown(page)
    settle(page)
    page.get_by_role("button", name="Remove").click()
    page.get_by_text("Nothing leaves this machine").wait_for()
    settle(page, 500)
    drop(page, file("gt.json", PAGE))
    settle(page, 500)
    drop(page, file("pred.json", PAGE), answer=heading(page, "Models"))


@pytest.mark.long
def test_other_labels_are_mapped_by_one_click(page, address):
    visit(page, address)
    accept = page.get_by_role("button", name="Accept this mapping")
    drop(page, SAMPLE / "model-b.csv", SAMPLE / "gt.json", answer=accept)
    settle(page, 500)
    assert "1 prediction has labels to map" in shown(page) and heading(page, "Data").is_visible()
    accept.click()  # the one click
    wait_for_link(page, "mapping=")
    expect(accept).to_have_count(0)
    page.get_by_text("60 pages, 1 prediction compared, with 1 warning below.").wait_for()
    page.get_by_role("button", name="Go on to Models").click()
    heading(page, "Models").wait_for()
