"""The start page: uploads of all kinds, the messages about them, and wrong uploads."""

import json

import pytest

import layoutcm as lcm
from layoutcm.alignment.taxonomy import parse_mapping
from layoutcm.ui.files.file_facts import PAGE_MAP, facts_of
from layoutcm.ui.files.input_file import input_from_bytes, read_page_map
from layoutcm.ui.files.page_pictures import images_of_uploads
from support.app_runner import button, coco, drop, on_data, opened, problems, texts
from support.image_files import pdf, png, zipped
from support.paths import ROOT

PAGE = coco(["a", "b"], [(0, [0, 0, 20, 20]), (1, [20, 0, 20, 20])])
SWAPPED = coco(["a", "b"], [(1, [0, 0, 20, 20]), (0, [20, 0, 20, 20])])
OTHER_NAMES = coco(["x", "y"], [(0, [0, 0, 20, 20]), (1, [20, 0, 20, 20])])


def start(gt=PAGE, preds=(("pred.json", PAGE),), others=()):
    """The page Data after dropping files."""
    app = opened()
    drop(app, *([("gt.json", gt)] if isinstance(gt, bytes) else gt), *preds, *others)
    assert not app.exception
    return on_data(app)


def card(app, name):
    """The title of the card of a file."""
    (title,) = [one.label.replace("\\", "") for one in app.expander if name in one.label.replace("\\", "")]
    return title


def go(app, page):
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception and not problems(app), texts(app)
    return app


def pictures(app):
    """The number of pictures that the page viewer has of its page: a small one and a large one, or none."""
    components = go(app, "page").get("bidi_component")
    (viewer,) = (one for one in components if one.proto.component_name.endswith("lcm-viewer"))
    images = json.loads(viewer.proto.json)["images"] or {}
    return sum(address.startswith("data:image/jpeg;base64,") for address in images.values())


NUMBERED = PAGE.replace(b"p1.png", b"report_p2.png")


@pytest.mark.parametrize(
    ("layout", "name", "data", "found"),
    [
        (PAGE, "p1.png", png(), True),
        (PAGE, "scans.zip", zipped(**{"deep/p1.jpg": png(), "notes.txt": b"no"}), True),
        (PAGE, "p1.webp", png(), True),
        (PAGE, "other.png", png(), False),
        (NUMBERED, "report.pdf", pdf(), True),
        (NUMBERED, "other.pdf", pdf(), False),
    ],
    ids=["image", "zip", "another suffix", "image of another page", "PDF by page number", "PDF of another document"],
)
def test_the_images_of_a_page_come_from_images_zips_and_pdfs(layout, name, data, found):
    compared = lcm.compare(*[lcm.read(("gt.json", layout))] * 2)
    images = images_of_uploads([input_from_bytes(name, data)])
    assert bool(images.by_page(compared)) == found


def test_dropped_images_are_shown_until_they_are_removed():
    app = start(others=[("p1.png", png())])
    assert pictures(app) > 0
    on_data(app).button(key="remove_3").click().run()
    assert "page image" not in texts(app) and pictures(app) == 0


def test_an_image_without_a_page_is_reported():
    app = start(others=[("p1.png", png()), ("<b>x.png", png()), ("y.pdf", pdf())])
    assert "1 page of 1 have one" in texts(app) and "2 page images belong to no page (first: <b>x.png)" in texts(app)


def test_a_file_that_cannot_be_used_says_why_on_its_card_and_the_comparison_still_works():
    wrong = {"p1.docx": b"x", "p1.pdf": b"no pdf", "p1.zip": b"PK\x03\x04"}
    app = start(others=wrong.items())
    errors = [error.value.replace("\\", "") for error in problems(app)]
    assert {name: sum(name in error for error in errors) for name in wrong} == dict.fromkeys(wrong, 1)
    assert len(problems(app)) == 3 and "Taxonomy: same" in texts(app) and "3 files cannot be used" in texts(app)


def test_the_sidebar_chooses_one_of_several_predictions():
    app = start(preds=[("first.json", PAGE), ("second.json", SWAPPED)])
    assert app.selectbox(key="bar_pred").options == ["first.json", "second.json"]
    app.selectbox(key="bar_pred").set_value(1).run()
    found = "finds 100 % of content pixels of the whole set; 0 % of the ground truth's label pixels have the right"
    assert found in texts(go(app, "errors"))


def test_a_broken_prediction_does_not_affect_the_others():
    app = start(preds=[("good.json", PAGE), ("broken.json", PAGE[:-30])])
    app.selectbox(key="bar_pred").set_value(1).run()
    assert any("broken" in error.value for error in problems(app))
    app.selectbox(key="bar_pred").set_value(0).run()
    assert card(app, "good.json").endswith("1 page, 2 regions, 2 labels in use, without scores]")
    assert card(app, "broken.json").endswith(":gray[cannot be used]")
    go(app, "errors")


def test_all_files_of_the_command_line_are_loaded(monkeypatch):
    files = [str(ROOT / "sample_data" / name) for name in ("gt.json", "model-a.json", "model-b.csv")]
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"files": files}))
    app = opened()
    assert app.selectbox(key="bar_pred").options == ["model-a.json", "model-b.csv"]
    assert "939 regions" in texts(app) and app.query_params["load"] == "start"


def test_the_files_of_the_data_folder(monkeypatch, tmp_path):
    for name, data in (("gt.json", PAGE), ("one.json", PAGE), ("two.json", SWAPPED)):
        (tmp_path / name).write_bytes(data)
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"data": str(tmp_path)}))
    app = opened()
    app.selectbox(key="folder_gt").set_value("gt.json")
    app.multiselect(key="folder_preds").set_value(["one.json", "two.json"]).run()
    button(app, "Compare these").click().run()
    assert "two.json" in texts(on_data(app)) and app.query_params["load"] == "gt.json|one.json|two.json"


MAPPING = b"pred: {x: a, y: b}"


def test_a_dropped_mapping_is_applied_at_once_and_removed_with_its_card():
    app = start(preds=[("pred.json", OTHER_NAMES)])
    assert "Taxonomy: different" in texts(app)
    drop(app, ("map.yaml", MAPPING))
    assert "Taxonomy: mapped" in texts(app) and "2 labels renamed: applied" in card(app, "map.yaml")
    assert not button(app, "Accept this mapping")
    app.button(key="remove_3").click().run()
    assert "Taxonomy: different" in texts(app)


@pytest.mark.parametrize(
    ("name", "data"),
    [("map.yaml", b"{"), ("map.json", b"[1, 2]"), ("map.yaml", b"pred: {x: [a]}"), ("map.yaml", b"\xff")],
)
def test_a_wrong_mapping_is_refused_by_name(name, data):
    with pytest.raises(lcm.InputError) as caught:
        parse_mapping(name, data)
    assert caught.value.file == name


def test_a_wrong_mapping_is_named_and_changes_nothing():
    app = start(preds=[("pred.json", OTHER_NAMES)], others=[("map.yaml", b"pred: {x: [a]}")])
    assert ["map.yaml" in error.value.replace("\\", "") for error in problems(app)] == [True]
    assert "Taxonomy: different" in texts(app)


def test_equal_names_are_matched_by_one_click():
    app = start(
        gt=coco(["Page header"], [(0, [0, 0, 9, 9])]), preds=[("p.json", coco(["page-header"], [(0, [0, 0, 9, 9])]))]
    )
    assert "Taxonomy: different" in texts(app)
    app.toggle(key="match_names").set_value(True).run()
    assert "Taxonomy: mapped" in texts(app) and "Labels: equal names are matched" in texts(app)


def test_a_file_without_page_sizes_asks_for_them():
    table = b"page,label,x0,y0,x1,y1\np1,a,0,0,5,5\n"
    app = start(table, [("pred.csv", table)])
    assert any("size" in error.value for error in problems(app))
    for wrong in ("ten by ten", "²x5"):
        app.text_input(key="sizes").set_value(wrong).run()
        assert any("Write width x height" in error.value for error in problems(app))
    app.text_input(key="sizes").set_value("10 x 20").run()
    assert not problems(app) and "1 page," in texts(app)


def test_start_over_forgets_everything():
    for app in (start(), opened(load="sample")):
        button(app, "Start over").click().run()
        assert not app.exception and "regions" not in texts(app) and "load" not in app.query_params
        assert app.file_uploader(key="drop_1_0").value == []


YOLO = [("p1.txt", b"0 .25 .2 .1 .2\n1 .6 .3 .2 .1"), ("p2.txt", b"1 .2 .2 .2 .3"), ("data.yaml", b"names: [a, b]")]
SCANS = [("p1.png", png((200, 100))), ("p2.jpg", png((400, 300)))]


def test_several_label_files_and_their_images_are_one_layout():
    app = start([*YOLO, *SCANS], YOLO)
    assert not problems(app), texts(app)
    assert texts(app).count("YOLO labels, 2 pages, 3 regions, 2 labels in use") == 2
    assert pictures(app) > 0  # the images provide the sizes and are also the page images


def test_a_switch_makes_every_file_a_layout():
    app = opened()
    drop(app, *YOLO, *SCANS)
    assert "A ground truth is here. Drop a prediction" in texts(app)
    switch = app.toggle(key="one_layout_yolo")
    assert switch.value is True and switch.label == "The 2 files in YOLO labels are pages of one layout"
    switch.set_value(False).run()
    on_data(app)
    assert "1 page, 2 regions, 2 labels" in card(app, "p1.txt") and "1 page, 1 region, 1 label" in card(app, "p2.txt")


def test_predictions_of_one_format_can_be_parts_of_one():
    other = PAGE.replace(b"p1.png", b"p2.png")
    both = PAGE.replace(b'"images": [', b'"images": [{"id": 2, "width": 50, "height": 40, "file_name": "p2.png"}, ')
    app = start(both, [("pred-1.json", PAGE), ("pred-2.json", other)])
    app.toggle(key="one_layout_coco").set_value(True).run()
    assert "2 pages, 4 regions, 2 labels in use" in card(app, "pred-1 and 1 more")


def test_a_zip_is_a_layout_with_its_pictures():
    both = zipped(**dict(YOLO + SCANS))
    app = start([("labels.zip", both)], [("run.zip", zipped(**dict(YOLO)))])
    assert not problems(app) and texts(app).count("2 pages, 3 regions") == 2
    assert card(app, "labels.zip").startswith("**Ground truth**")
    assert pictures(app) > 0


def test_folders_and_zips_of_the_command_line_and_of_the_data_folder(monkeypatch, tmp_path):
    (tmp_path / "gt").mkdir()
    for name, data in YOLO + SCANS:
        (tmp_path / "gt" / name).write_bytes(data)
    (tmp_path / "run.zip").write_bytes(zipped(**dict(YOLO)))
    files = [str(tmp_path / name) for name in ("gt", "run.zip")]
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"files": files}))
    app = opened()
    assert not problems(app) and texts(app).count("2 pages, 3 regions") == 2 and "2 pages of 2 have one" in texts(app)
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"data": str(tmp_path)}))
    app = opened(load="gt/|run.zip")
    assert not problems(app) and texts(app).count("2 pages, 3 regions") == 2


BOXES = [(i % 2, [1 + 8 * i, 1 + 3 * i, 7, 2 + i]) for i in range(6)]
WIDTH, HEIGHT = 50, 40  # of the page that `coco` makes
UPRIGHT = coco(["a", "b"], BOXES)
FLIPPED = coco(["a", "b"], [(label, [x, HEIGHT - y - h, w, h]) for label, (x, y, w, h) in BOXES])
FLIP = "Repair: flip the y axis"


def test_a_flipped_prediction_is_found_repaired_by_a_click_and_undone():
    app = opened()
    drop(app, ("gt.json", UPRIGHT), ("good.json", UPRIGHT), ("flipped.json", FLIPPED))
    assert "1 file has a finding with a repair" in texts(app)  # so it stays on Data
    assert "The y axis of pred seems to point up" in texts(app) and "--fix" not in texts(app)
    button(app, FLIP).click().run()
    assert not app.exception and not problems(app) and "seems to point up" not in texts(app)
    assert "flipped.json: read with the repair flip-y" in texts(app) and "Repaired: flip the y axis" in texts(app)
    assert app.query_params["fixes"] == '["1=flip-y"]'
    app.selectbox(key="bar_pred").set_value(1).run()
    assert "100 % of the ground truth's label pixels have the right label" in texts(go(app, "errors"))
    button(on_data(app), "Undo").click().run()
    assert "seems to point up" in texts(app) and "Repaired" not in texts(app) and "fixes" not in app.query_params


def test_a_link_restores_repairs_but_only_of_its_own_files(monkeypatch, tmp_path):
    (tmp_path / "gt.json").write_bytes(UPRIGHT)
    (tmp_path / "pred.json").write_bytes(FLIPPED)
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"data": str(tmp_path)}))
    app = opened(load="gt.json|pred.json", fixes='["0=flip-y"]')
    assert "Repaired: flip the y axis" in texts(app)
    button(app, "Try the sample").click().run()
    assert "Repaired" not in texts(on_data(app)) and "947 regions" in texts(app)
    app = opened(load="gt.json|pred.json", fixes='["0=rm"]')  # what else is wrong: `test_address`
    assert not app.exception and not problems(app) and "Repaired" not in texts(app)
    app = opened(load="gt.json|pred.json", fixes='["0=scale:0"]')
    assert not app.exception and any("not above 0" in error.value.replace("\\", "") for error in problems(app))
    button(app, "Undo").click().run()
    assert not problems(app) and "seems to point up" in texts(app)


def test_a_ground_truth_in_fractions_is_repaired_on_its_own_side():
    small = coco(["a", "b"], [(label, [x / WIDTH, y / HEIGHT, w / WIDTH, h / HEIGHT]) for label, (x, y, w, h) in BOXES])
    app = start(small, [("pred.json", UPRIGHT)])
    button(app, "Repair: read coordinates as 0 to 1 over the page").click().run()
    assert app.query_params["fixes"] == '["gt=unit:1"]'
    assert "Repaired: read coordinates as 0 to 1 over the page" in texts(app)


def test_repairs_stay_with_their_file_when_another_is_dropped():
    app = start(UPRIGHT, [("flipped.json", FLIPPED)])
    button(app, FLIP).click().run()
    drop(app, ("good.json", UPRIGHT))
    assert app.query_params["fixes"] == '["0=flip-y"]'
    app.button(key="remove_2").click().run()
    assert "fixes" not in app.query_params and "Repaired" not in texts(app)


def test_equal_names_are_matched_from_the_finding_and_undone():
    gt, pred = (coco(names, [(0, [0, 0, 9, 9]), (1, [9, 9, 9, 9])]) for names in (["Title", "a"], ["title", "b"]))
    app = start(gt, [("p.json", pred)])
    button(app, "Match equal names").click().run()
    assert "Taxonomy: mapped" in texts(app) and "Labels: equal names are matched" in texts(app)
    button(app, "Undo").click().run()
    assert "Taxonomy: different" in texts(app) and button(app, "Match equal names")


OTHER_PAGE_NAME = PAGE.replace(b"p1.png", b"<b>scan*.png")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("m.csv", b"gt,pred\np1.png,<b>scan*.png\n"),
        ("m.yaml", b"p1: <b>scan*"),
        ("m.json", b'{"p1.png": "<b>scan*.png"}'),
    ],
)
def test_a_page_map_is_recognised_and_matches_pages(name, data):
    gt, pred = lcm.read(("gt.json", PAGE)), lcm.read(("pred.json", OTHER_PAGE_NAME))
    assert facts_of(name, data).kind == PAGE_MAP
    assert lcm.compare(gt, pred, pages=read_page_map(input_from_bytes(name, data))).pages == ["p1.png"]


@pytest.mark.parametrize(("name", "data"), [("m.json", b"[1]"), ("map.csv", b"\xff,1")])
def test_a_wrong_page_map_is_refused_by_name(name, data):
    with pytest.raises(lcm.InputError) as caught:
        read_page_map(input_from_bytes(name, data))
    assert caught.value.file == name


def test_a_page_map_is_applied_and_can_be_removed_and_a_wrong_one_changes_nothing():
    app = start(preds=[("pred.json", OTHER_PAGE_NAME)])
    assert "no page of pred is a page of gt" in texts(app)
    drop(app, ("m.csv", b"gt,pred\np1.png,<b>scan*.png\n"))
    assert "matched 1 by the page map" in texts(app) and "1 pair of pages: applied" in card(app, "m.csv")
    app.button(key="remove_3").click().run()
    assert "no page of pred is a page of gt" in texts(app)
    drop(app, ("wrong.csv", b"gt,pred\nnowhere,<b>scan*.png\n"))
    for _ in range(2):  # as long as the file is here
        assert sum("wrong.csv" in error.value.replace("\\", "") for error in problems(app)) == 1
        assert "no page of pred is a page of gt" in texts(app)
        app.run()


def test_without_a_common_page_data_shows_the_names_of_both_and_a_page_map_to_fill_in():
    app = opened()
    drop(app, ("gt.json", PAGE), ("pred.json", OTHER_PAGE_NAME))
    assert not app.exception and [one.value for one in app.title] == ["Data"]
    assert "no page of pred is a page of gt" in problems(app)[0].value
    assert app.dataframe[0].value.values.tolist() == [["p1.png", "<b>scan*.png"]]
    assert "Download a page map to fill in" in [one.label for one in app.get("download_button")]


def test_a_page_map_provides_page_sizes():
    without_sizes = b"page,label,x0,y0,x1,y1\nother,a,0,0,20,20\n"
    app = start(preds=[("pred.csv", without_sizes)])
    assert any("no page of pred is a page of gt" in error.value for error in problems(app))
    gt_page = lcm.read(("gt.json", PAGE)).page_columns.names[0]
    drop(app, ("map.csv", f"gt,pred\n{gt_page},other\n".encode()))
    assert not problems(app) and "matched 1 by the page map" in texts(app)


def test_the_hint_of_an_error_is_for_the_browser():
    app = opened()
    drop(app, ("gt.csv", b"page,label,x0,y0,x1,y1\np1,a,0,0,20,20\n"))
    shown = " ".join(error.value for error in problems(app)).replace("\\", "")
    assert "the size of page 'p1' is not known" in shown and "Write the page size on the page Data" in shown
    assert "--" not in shown and "sizes=" not in shown
