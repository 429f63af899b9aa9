"""The page Data in a real browser: dropped files, mappings, refused uploads, saved sessions."""

import re
import zipfile

import pandas as pd
import pytest
from playwright.sync_api import expect

import layoutcm as lcm
from layoutcm.ui.server.request_checks import TOO_LARGE
from layoutcm.wording import thin_spaced
from support.app_runner import coco
from support.browser import drop, settle, shown, visit, wait_for_link
from support.image_files import png
from support.paths import SAMPLE
from support.servers import server

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


CELL = "gt_label=Caption&pred_label=Text"


def matrix_of(page):
    """The recall matrix that the page Errors gives away."""
    page.get_by_role("link", name="Errors").click()
    page.get_by_role("heading", name="Errors").wait_for()
    settle(page)
    page.get_by_role("button", name="Take it away").click()
    dialog = page.get_by_role("dialog")
    with page.expect_download() as taken:
        dialog.get_by_role("button", name="CSV", exact=True).first.click()
    dialog.get_by_role("button", name="Close").click()
    settle(page)
    return pd.read_csv(taken.value.path(), index_col=0)


def saved(page, folder, name):
    with page.expect_download() as taken:
        page.get_by_role("button", name="Save this session").click()
    assert taken.value.suggested_filename == "gt.layoutcm"
    taken.value.save_as(folder / name)
    return folder / name


def test_a_saved_session_brings_back_matrix_cell_and_images_in_one_step(page, address, tmp_path, sample):
    visit(page, f"{address}/?load=sample&{CELL}")
    page.get_by_role("button", name="Save this session").wait_for()
    page.get_by_text("With page images").click()
    settle(page)
    file = saved(page, tmp_path, "mine.layoutcm")
    before = matrix_of(page)
    assert before.loc["Caption", "Text"] == pytest.approx(sample.confusion().recall[1, 10], rel=1e-12)
    page.get_by_role("link", name="Data").click()
    page.get_by_role("button", name="Start over").click()
    page.get_by_text("Nothing leaves this machine").wait_for()
    settle(page)
    drop(page, file, answer=page.get_by_role("heading", name="Models"))  # the one step
    wait_for_link(page, "/models", "gt_label=Caption", "pred_label=Text")
    page.get_by_role("link", name="Data").click()
    page.get_by_text("947 regions").wait_for()
    page.get_by_text("How pages and labels").click()
    page.get_by_text("60 pages of 60 have one").wait_for()
    assert "model-b.csv" in shown(page) and "model-c.json" in shown(page)
    assert "load=" not in page.url and file.name not in shown(page)
    after = matrix_of(page)
    assert after.equals(before)
    behind = sample.pages_behind("Caption", "Text")
    page.get_by_role("heading", name="Caption read as Text").wait_for()
    assert f"{thin_spaced(behind.pixels.sum())} px on {len(behind)} of 60 pages" in shown(page)
    with zipfile.ZipFile(file) as archive:
        assert sum(name.startswith("images/") for name in archive.namelist()) == 60


def test_other_labels_are_mapped_by_one_click_and_a_reload_keeps_them(page, tmp_path):
    for name in ("gt.json", "model-b.csv"):
        (tmp_path / name).write_bytes((SAMPLE / name).read_bytes())
    gt, pred = (lcm.read(tmp_path / name) for name in ("gt.json", "model-b.csv"))
    mapped = lcm.compare(gt, pred, mapping=lcm.suggest_mapping(gt, pred).mapping)
    with server(data=tmp_path) as own:
        visit(page, f"{own}/?load=gt.json|model-b.csv")
        accept = page.get_by_role("button", name="Accept this mapping")
        accept.wait_for()
        assert "12 labels of the prediction are not in the ground truth" in shown(page).replace("\u2009", " ")
        accept.click()
        wait_for_link(page, "mapping=")
        page.get_by_text("60 pages, 1 prediction compared, with 1 warning below.").wait_for()
        page.reload()
        page.get_by_text("60 pages, 1 prediction compared, with 1 warning below.").wait_for()
        settle(page)
        table = matrix_of(page)
    assert table.loc["Table", "Table"] == pytest.approx(
        mapped.confusion().recall[mapped.cell("Table", "Table")], rel=1e-12
    )


# A server whose visitors may have 1 MB each.
SMALL_SERVER = """
import sys
from layoutcm.ui.server import settings
settings.LOCAL = settings.Limits(upload=settings.GB, visitor=settings.MB, all_visitors=settings.GB, reading=settings.GB)
from layoutcm.cli.main import main
main(["app", sys.argv[1]])
"""


def test_the_page_says_why_an_upload_was_refused(page):
    large = {"name": "large.csv", "mimeType": "text/csv", "buffer": bytes(5 << 20)}
    with server(program=("-c", SMALL_SERVER)) as address:
        visit(page, address)
        drop(page, SAMPLE / "model-b.csv")
        settle(page)
        drop(page, large, answer=page.get_by_text(TOO_LARGE))
        settle(page)
        expect(page.locator("[class*=st-key-card_]").get_by_text("model-b.csv").first).to_be_visible()
