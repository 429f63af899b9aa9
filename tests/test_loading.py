"""The start page: what can be dropped on it, what it says about it, and what happens when it is wrong."""

import json

import pytest
from test_app_pages import ROOT, coco, in_the_repository, opened, texts
from test_ui_parts import pdf, png, zipped

__all__ = ["in_the_repository"]  # a fixture that every test here uses

PAGE = coco(["a", "b"], [(0, [0, 0, 20, 20]), (1, [20, 0, 20, 20])])
SWAPPED = coco(["a", "b"], [(1, [0, 0, 20, 20]), (0, [20, 0, 20, 20])])
OTHER_NAMES = coco(["x", "y"], [(0, [0, 0, 20, 20]), (1, [20, 0, 20, 20])])


def file(name, data):
    return (name, data, "application/octet-stream")


def start(gt=PAGE, preds=(("pred.json", PAGE),), images=()):
    app = opened()
    app.file_uploader(key="upload_gt").set_value(file("gt.json", gt))
    app.file_uploader(key="upload_preds").set_value([file(*pred) for pred in preds])
    if images:
        app.file_uploader(key="upload_images").set_value([file(*image) for image in images])
    app.run()
    assert not app.exception
    return app


def go(app, page):
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception and not app.error, texts(app)
    return app


def pictures(app):
    """How many pictures the page viewer draws its page on."""
    charts = go(app, "viewer").get("plotly_chart")
    return sum(len(json.loads(chart.proto.spec)["layout"].get("images", [])) for chart in charts)


@pytest.mark.parametrize(
    ("name", "data", "found"),
    [
        ("p1.png", png(), True),
        ("scans.zip", zipped(**{"deep/p1.jpg": png(), "notes.txt": b"no"}), True),
        ("p1.pdf", pdf(), False),
        ("other.png", png(), False),
    ],
    ids=["image", "zip", "pdf of another document", "image of another page"],
)
def test_pictures_come_from_images_and_zips(name, data, found):
    assert (pictures(start(images=[(name, data)])) > 0) == found


def test_pictures_come_from_a_pdf_by_page_number():
    numbered = PAGE.replace(b"p1.png", b"report_p2.png")
    assert pictures(start(numbered, [("pred.json", numbered)], [("report.pdf", pdf())])) > 0


@pytest.mark.parametrize(("name", "data"), [("p1.docx", b"x"), ("p1.pdf", b"no pdf"), ("p1.zip", b"PK no zip")])
def test_a_wrong_picture_is_named_and_the_comparison_goes_on(name, data):
    app = start(images=[(name, data)])
    assert [name in error.value.replace("\\", "") for error in app.error] == [True]
    assert "Taxonomy: same" in texts(app)


def test_pictures_that_are_taken_away_are_gone():
    app = start(images=[("p1.png", png())])
    app.file_uploader(key="upload_images").set_value([])
    app.run()
    assert pictures(app) == 0


def test_several_predictions_and_the_bar_to_choose_one():
    app = start(preds=[("first.json", PAGE), ("second.json", SWAPPED)])
    assert "Also here: second.json" in texts(app)
    assert app.sidebar.selectbox(key="bar_pred").options == ["first.json", "second.json"]
    app.sidebar.selectbox(key="bar_pred").set_value(1).run()
    assert "Prediction** second.json" in texts(app) and "Also here: first.json" in texts(app)
    assert "pred:second" in texts(app)
    assert "finds 100 % of content pixels of the whole set and labels 0 % of them rightly" in texts(go(app, "overview"))


def test_one_broken_prediction_does_not_take_the_others_away():
    app = start(preds=[("good.json", PAGE), ("broken.json", PAGE[:-30])])
    app.sidebar.selectbox(key="bar_pred").set_value(1).run()
    assert any("broken" in error.value for error in app.error)
    app.sidebar.selectbox(key="bar_pred").set_value(0).run()
    assert not app.error and "pred:good" in texts(app)


def test_the_files_of_the_command_line_are_all_there(monkeypatch):
    files = [str(ROOT / "sample_data" / name) for name in ("gt.json", "model-a.json", "model-b.csv")]
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"files": files}))
    app = opened()
    assert app.sidebar.selectbox(key="bar_pred").options == ["model-a.json", "model-b.csv"]
    assert "266 regions" in texts(app) and app.query_params["load"] == "start"


def test_the_files_of_the_data_folder(monkeypatch, tmp_path):
    for name, data in (("gt.json", PAGE), ("one.json", PAGE), ("two.json", SWAPPED)):
        (tmp_path / name).write_bytes(data)
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"data": str(tmp_path)}))
    app = opened()
    app.selectbox(key="folder_gt").set_value("gt.json")
    app.multiselect(key="folder_preds").set_value(["one.json", "two.json"]).run()
    next(button for button in app.button if button.label == "Compare these").click().run()
    assert "pred:one" in texts(app) and app.query_params["load"] == "gt.json|one.json|two.json"


MAPPING = b"pred: {x: a, y: b}"


def with_mapping(name, data):
    app = start(preds=[("pred.json", OTHER_NAMES)])
    assert "Taxonomy: different" in texts(app)
    app.session_state["mapping_open"] = True
    app.run()
    app.file_uploader(key="mapping_file").set_value(file(name, data))
    return app.run()


def test_an_uploaded_mapping_is_used_and_removed():
    app = with_mapping("map.yaml", MAPPING)
    assert "Taxonomy: mapped" in texts(app) and "labels:2|method" in texts(app)
    next(button for button in app.button if button.label == "Remove it").click().run()
    assert "Taxonomy: different" in texts(app)


@pytest.mark.parametrize(
    ("name", "data"),
    [("map.yaml", b"{"), ("map.json", b"[1, 2]"), ("map.yaml", b"pred: {x: [a]}"), ("map.yaml", b"\xff")],
)
def test_a_wrong_mapping_is_named_and_changes_nothing(name, data):
    app = with_mapping(name, data)
    assert not app.exception and any(name in error.value.replace("\\", "") for error in app.error)
    assert "Taxonomy: different" in texts(app)


def test_equal_names_are_matched_by_one_click():
    app = start(
        gt=coco(["Page header"], [(0, [0, 0, 9, 9])]), preds=[("p.json", coco(["page-header"], [(0, [0, 0, 9, 9])]))]
    )
    assert "Taxonomy: different" in texts(app)
    app.toggle(key="match_names").set_value(True).run()
    assert "Taxonomy: mapped" in texts(app) and "taxonomy:match-names" in texts(app)


def test_a_file_without_page_sizes_asks_for_them():
    table = b"page,label,x0,y0,x1,y1\np1,a,0,0,5,5\n"
    app = start(table, [("pred.csv", table)])
    assert any("size" in error.value for error in app.error)
    app.text_input(key="sizes").set_value("ten by ten").run()
    assert any("Write width x height" in error.value for error in app.error)
    app.text_input(key="sizes").set_value("10 x 20").run()
    assert not app.error and "1 page," in texts(app)


def test_start_over_forgets_everything():
    app = start()
    next(button for button in app.button if button.label == "Start over").click().run()
    assert not app.exception and "regions" not in texts(app)
    assert app.file_uploader(key="upload_gt_1").value is None
