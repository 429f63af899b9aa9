"""The Page viewer of the dashboard: masks, and turning pages."""

import json

from layoutcm.ui import sidebar
from support.app_runner import opened, texts
from support.coco_files import coco, image, region
from support.hostile_server import make_dense_page


def mask_shown(app):
    return next(button.key for button in app.button if "mask_" in str(button.key) and button.proto.type == "primary")


def test_the_mask_is_the_chosen_cell_until_another_mask_is_chosen():
    link = {"load": "sample", "page": "report-1_p3.png"}
    app = opened("viewer", **link, gt_label="Table", pred_label="Picture")
    assert mask_shown(app) == "mask_cell" and "Table read as Picture: 67\u202f262 px" in texts(app)
    app.button(key="mask_gt").click().run()
    assert mask_shown(app) == "mask_gt" and app.query_params["mask"] == "gt"
    assert mask_shown(opened("viewer", **link)) == "mask_difference"
    assert mask_shown(opened("viewer", **link, mask="pred")) == "mask_pred"
    assert mask_shown(opened("viewer", **link, mask="cell")) == "mask_difference"  # no cell is chosen


def test_undefined_values_are_a_dash_in_tables():
    app = opened("viewer", load="sample", page="report-1_p3.png")
    classes = next(table for table in app.dataframe if "label" in table.value)
    assert classes.value["precision"].isna().any() and classes.proto.placeholder == "–"


def test_a_long_page_list_shows_only_the_nearest_pages(monkeypatch):
    monkeypatch.setattr(sidebar, "MOST_OPTIONS", 10)
    monkeypatch.setattr(sidebar, "NEAR_OPTIONS", 2)
    app = opened("viewer", load="sample", page="report-1_p3.png")
    names = [f"report-{page}.png" for page in ("1_p1", "1_p2", "1_p3", "1_p4", "2_p1")]
    for chosen in (2, 3):
        app.selectbox(key="viewer_page").set_value(names[chosen]).run()
        assert app.selectbox(key="viewer_page").options == names[chosen - 2 : chosen + 2]
        assert not app.exception and not app.error


def test_a_part_of_a_name_finds_the_name():
    names = ["Report_p1", "report_p2", "p2"]
    assert [sidebar.find_name(text, names) for text in ("p2", "RT_P2", "REPORT", "none")] == [
        "p2",
        "report_p2",
        "Report_p1",
        None,
    ]


def test_next_and_previous_turn_the_page():
    app = opened("viewer", load="sample")
    first = app.selectbox(key="viewer_page").value
    button = lambda label: next(button for button in app.button if button.label == label)
    assert button("Previous").disabled
    button("Next").click().run()
    assert app.selectbox(key="viewer_page").value != first
    button("Previous").click().run()
    assert app.selectbox(key="viewer_page").value == first


def test_a_page_with_too_many_tiles_shows_a_sentence_and_its_numbers(tmp_path, monkeypatch):
    file = str(make_dense_page(tmp_path))
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"files": [file, file]}))
    app = opened("viewer", load="start")
    assert len(app.error) == 1 and "a page: its regions divide it into 324,000,000 tiles" in texts(app)
    assert "This page's matrix" in texts(app)


def test_a_page_with_a_region_that_is_not_judged_is_shown(tmp_path, monkeypatch):
    gt = coco([image(1)], [region(1, 1), region(1, 1, bbox=[50, 0, 10, 10], iscrowd=1)])
    file = tmp_path / "gt.json"
    file.write_text(json.dumps(gt))
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"files": [str(file), str(file)]}))
    app = opened("viewer", load="start")
    assert not app.exception and not app.error and "not\xa0judged" in texts(app)


def test_pages_can_be_shown_if_no_pixel_is_judged(tmp_path, monkeypatch):
    file = tmp_path / "gt.json"
    file.write_text(json.dumps(coco([image(1)], [region(1, 1, bbox=[0, 0, 100, 80], iscrowd=1)])))
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"files": [str(file), str(file)]}))
    for page in ("documents", "viewer", "overview"):
        app = opened(page, load="start")
        assert not app.exception and not app.error
