"""Sessions and suggested mappings in a real browser: a saved file brings everything back in one step."""

import io
import json
import zipfile

import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.wording import thin_spaced
from support.app_runner import coco
from support.browser import drop, settle, shown, upload, visit, wait_for_link
from support.paths import SAMPLE
from support.servers import server

CELL = "gt_label=Caption&pred_label=Text"


def matrix_of(page):
    """The recall matrix that the page Errors gives away."""
    page.get_by_role("link", name="Errors").click()
    page.get_by_role("heading", name="Errors").wait_for()
    settle(page, 600)
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
    settle(page, 500)
    file = saved(page, tmp_path, "mine.layoutcm")
    before = matrix_of(page)
    assert before.loc["Caption", "Text"] == pytest.approx(sample.confusion().recall[1, 10], rel=1e-12)
    page.get_by_role("link", name="Data").click()
    page.get_by_role("button", name="Start over").click()
    page.get_by_text("Nothing leaves this machine").wait_for()
    settle(page, 500)
    drop(page, file, answer=page.get_by_role("heading", name="Models"))  # the one step
    wait_for_link(page, "/models", "gt_label=Caption", "pred_label=Text")
    settle(page, 600)
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


@pytest.mark.long
def test_a_saved_session_opens_from_the_command_line(page, address, tmp_path):
    visit(page, f"{address}/?load=sample&pred=1&{CELL}")
    page.get_by_role("button", name="Save this session").wait_for()
    settle(page, 500)
    file = saved(page, tmp_path, "mine.layoutcm")
    with zipfile.ZipFile(io.BytesIO(file.read_bytes())) as archive:
        stored = json.loads(archive.read("session.json"))
    assert stored["choices"] == {"pred": "1", "gt_label": "Caption", "pred_label": "Text"}
    with server(files=[file]) as own:
        visit(page, own)
        wait_for_link(page, "load=start", "gt_label=Caption", "pred=1")
        assert "813 regions" in shown(page) and "model-b.csv" in shown(page)


def test_other_labels_are_mapped_by_one_click_and_a_reload_keeps_them(page, tmp_path):
    for name in ("gt.json", "model-b.csv"):
        (tmp_path / name).write_bytes((SAMPLE / name).read_bytes())
    gt, pred = (lcm.read(tmp_path / name) for name in ("gt.json", "model-b.csv"))
    mapped = lcm.compare(gt, pred, mapping=lcm.suggest_mapping(gt, pred).mapping)
    with server(data=tmp_path) as own:
        visit(page, f"{own}/?load=gt.json|model-b.csv")
        accept = page.get_by_role("button", name="Accept this mapping")
        accept.wait_for()
        settle(page, 500)
        assert "12 labels of the prediction are not in the ground truth" in shown(page).replace("\u2009", " ")
        accept.click()
        wait_for_link(page, "mapping=")
        page.get_by_text("60 pages, 1 prediction compared, with 1 warning below.").wait_for()
        settle(page)
        page.reload()
        page.get_by_text("60 pages, 1 prediction compared, with 1 warning below.").wait_for()
        settle(page)
        table = matrix_of(page)
    assert table.loc["Table", "Table"] == pytest.approx(
        mapped.confusion().recall[mapped.cell("Table", "Table")], rel=1e-12
    )


@pytest.mark.long
def test_a_damaged_session_is_named_and_the_loaded_files_stay(page, address, tmp_path):
    visit(page, address)
    file = tmp_path / "gt.json"
    file.write_bytes(coco(["a"], [(0, [0, 0, 20, 20])]))
    upload(page, str(file), str(file))
    wrong = {"name": "bad.layoutcm", "mimeType": "application/zip", "buffer": b"PK\x03\x04 no zip"}
    page.get_by_role("link", name="Data").click()
    page.get_by_text("1 region,").first.wait_for()
    settle(page, 500)
    drop(page, wrong, answer=page.get_by_text("bad.layoutcm: this zip").first)
    settle(page, 500)
    assert "1 file cannot be used" in shown(page) and shown(page).count("1 page, 1 region") == 2
