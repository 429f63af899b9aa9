"""Parts of the dashboard that need no page: warm-up, data folder, charts, dropped files, repairs, page maps."""

import ast
import json

import pandas as pd
import pytest
import streamlit as st

import layoutcm as lcm
from layoutcm.drawing.screen.charts import CONFIG
from layoutcm.layouts.repairs import REPAIRS, is_repair
from layoutcm.ui.data import file_cards
from layoutcm.ui.files import comparisons, page_pictures
from layoutcm.ui.files.comparisons import ComparisonRequest, layouts_of
from layoutcm.ui.files.input_file import input_from_bytes, input_from_path
from layoutcm.ui.files.link_targets import data_files
from layoutcm.ui.shared import data_tables, warm_up
from support.image_files import png
from support.paths import ROOT


def test_the_warm_up_runs():
    warm_up._compare_and_draw()


def test_a_folder_of_images_has_limits_by_its_size(tmp_path, monkeypatch):
    (tmp_path / "a.png").write_bytes(png())
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "b.png").write_bytes(png())
    given = {}
    monkeypatch.setattr(page_pictures, "run_guarded", lambda *_, **named: given.update(named) or ())
    page_pictures.images_of_folder.make(str(tmp_path))
    assert given == {"file": tmp_path.name, "size": 2 * len(png())}


def test_files_of_the_data_folder_cannot_leave_it(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "gt.json").write_text("{}")
    (tmp_path / "secret.json").write_text("{}")
    (folder / "link.json").symlink_to(tmp_path / "secret.json")
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"data": str(folder)}))
    labels = folder / "runs" / "labels"
    labels.mkdir(parents=True)
    for name in ("p1.txt", "p2.txt", "p1.png", "p1.pdf"):
        (labels / name).write_text("")
    assert list(data_files()) == ["runs/", "runs/labels/", "gt.json", "runs/labels/p1.txt", "runs/labels/p2.txt"]
    monkeypatch.setattr("layoutcm.ui.files.link_targets.FILES_OFFERED", 1)
    st.cache_data.clear()
    assert list(data_files()) == ["runs/", "runs/labels/", "gt.json"]
    before = input_from_path(labels)
    assert before.name == "labels" and before.size == 0
    (labels / "p2.txt").write_text("0 .5 .5 .5 .5")
    assert input_from_path(labels).digest != before.digest
    assert input_from_path(folder / "gt.json").source == ("gt.json", b"{}")  # messages must not show the path
    monkeypatch.setenv("LAYOUTCM_APP", "{}")
    assert data_files() == {}


def test_every_chart_can_be_saved_as_an_image():
    root = ROOT
    calls = [
        call
        for path in [*root.glob("pages/*.py"), *root.glob("layoutcm/ui/**/*.py")]
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and getattr(call.func, "attr", "") == "plotly_chart"
        and path.name != "dashboard.py"  # a hidden chart that only loads the library
    ]
    configs = {ast.unparse(word.value) for call in calls for word in call.keywords if word.arg == "config"}
    assert len(calls) >= 5 and configs and all(config.startswith("CONFIG") for config in configs)
    assert all(any(word.arg == "config" for word in call.keywords) for call in calls)
    assert "toImage" not in CONFIG["modeBarButtonsToRemove"] and CONFIG["toImageButtonOptions"]["format"] == "svg"


@pytest.mark.parametrize(("repair", "words"), [
    ("flip-y", "flip the y axis"),
    ("unit:1000,flip-y", "read coordinates as 0 to 1000 over the page and flip the y axis"),
    ("scale:2.08333", "multiply coordinates by 2.08333"),
    ("xywh", "read boxes as x, y, width, height"),
    ("xyxy", "read boxes as corners"),
    ("pages:-1", "move page numbers by \u22121"),
    ("images:1", "move regions by +1 page in the order of the file"),
    ("ids:1", "move category ids by +1"),
])  # fmt: skip
def test_repairs_in_words(repair, words):
    assert is_repair(repair) and file_cards.repair_in_words(repair) == words
    assert not is_repair(repair + ",") and not is_repair("rm -rf") and not is_repair("")


@pytest.mark.parametrize("repair", REPAIRS)
def test_every_repair_has_words(repair):
    assert file_cards.repair_in_words(repair.replace("N", "1").replace("F", "2"))


def test_a_repaired_gt_is_the_reference_layout_as_on_the_command_line():
    rows = [(k, 5 * k, 5 * k + 5) for k in range(3)]
    gt_data = b"page,label,x0,y0,x1,y1,width,height\n" + b"".join(b"d_%d,a,0,%d,9,%d,20,20\n" % row for row in rows)
    pred_data = b"page,label,x0,y0,x1,y1\n" + b"".join(b"d_%d,a,0,%d,9,%d\n" % (k + 1, *ys) for k, *ys in rows)
    given = [input_from_bytes("gt.csv", gt_data), input_from_bytes("pred.csv", pred_data)]
    gt, pred = layouts_of(ComparisonRequest(*given, gt_repairs=("pages:1",)))
    assert gt.page_columns.names == ("d_1", "d_2", "d_3") == pred.page_columns.names
    assert lcm.compare(gt, pred).average("micro")["f1"] == 1


def test_a_page_map_decides_which_page_provides_the_size_of_an_uploaded_page():
    gt = input_from_bytes("gt.csv", b"page,label,x0,y0,x1,y1,width,height\na,t,0,0,5,5,40,30\nb,t,0,0,5,5,50,60\n")
    pred = input_from_bytes("pred.csv", b"page,label,x0,y0,x1,y1\nz,t,0,0,5,5\nb,t,0,0,5,5\n")
    with pytest.raises(lcm.InputError, match="size of page 'z'"):
        comparisons.layouts_of(comparisons.ComparisonRequest(gt, pred))
    for text, width in (("a,z", 40.0), ("b,z\na,b", 50.0)):
        page_map = input_from_bytes("pages.csv", f"gt,pred\n{text}\n".encode())
        request = comparisons.ComparisonRequest(gt, pred, page_map=page_map)
        assert comparisons.layouts_of(request)[1].page_columns.widths[0] == width
        fixed = comparisons.layouts_of(
            comparisons.ComparisonRequest(gt, pred, pred_repairs=("flip-y",), page_map=page_map)
        )[1]
        assert fixed.page_columns.widths[0] == width
        assert comparisons.comparison_of(request, {}).pages[0] == "a"


def test_tables_show_0_and_1_only_where_they_are_exact():
    values = [0.99971, 1.0, 0.0002, 0.0, 0.5]
    table = pd.DataFrame({"page": list("abcde"), "f1": values, "recall": values, "share": values})
    short = data_tables._grid(table, data_tables.COLUMNS)
    texts = [[cell["display_value"] for cell in row if cell["type"] == "td"][1:]
             for row in short["data"]._translate(False, False)["body"]]  # fmt: skip
    shown = [("0.999", "99.9 %"), ("1.000", "100 %"), ("<0.001", "0.0200 %"), ("0.000", "0 %"), ("0.500", "50.0 %")]
    assert texts == [[score, score, share] for score, share in shown]
    for name in ("f1", "recall", "share"):
        kind = short["column_config"][name]["type_config"]
        assert (kind["type"], kind["format"]) == ("number", None)
        assert short["data"].data[name].tolist() == values
    bars = data_tables._grid(table[3:], data_tables.COLUMNS)["column_config"]["f1"]["type_config"]
    assert (bars["type"], bars["format"]) == ("progress", "%.3f")
    # The scores of long tables are rounded by the browser.
    rounded = [0.999, 1, 0.001, 0, 0.5]
    long = data_tables._grid(pd.concat([table] * 80), data_tables.COLUMNS)
    assert long["data"]["recall"].tolist()[:5] == rounded
    assert long["column_config"]["recall"]["type_config"]["format"] == "%.3f"
