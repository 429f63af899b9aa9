"""Saving and opening sessions in the dashboard: dropped, from the command line, from the data folder, by a link."""

import json

from layoutcm.ui.files.input_file import input_from_bytes, input_from_path
from layoutcm.ui.files.session_files import SessionContents, write_session
from support.app_runner import choose, coco, drop, on_data, opened, opened_once, problems, take_away, texts
from support.image_files import png
from support.paths import SAMPLE

BOXES = [(i % 2, [1 + 8 * i, 1 + 3 * i, 7, 2 + i]) for i in range(6)]
GT = coco(["a", "b"], BOXES)
FLIPPED = coco(["x", "y"], [(label, [x, 40 - y - h, w, h]) for label, (x, y, w, h) in BOXES])


def a_session(**more):
    """A session of two predictions; the second is flipped, has other labels, and is shown with the cell a, b."""
    gt, pred, flipped = (
        input_from_bytes(name, data) for name, data in (("gt.json", GT), ("pred.json", GT), ("flipped.json", FLIPPED))
    )
    contents = SessionContents(
        gt,
        (pred, flipped),
        (None, None),
        mapping={"preds": {"1": {"x": "a", "y": "b"}}},
        repairs=("1=flip-y",),
        choices={"pred": "1", "gt_label": "a", "pred_label": "b", "labels": '["a"]', "level": "page"},
        decisions={"p1": "accepted"},
    )
    return write_session(SessionContents(**(vars(contents) | more)))


def dropped(data, name="mine.layoutcm", app=None):
    app = drop(app or opened(), (name, data))
    assert not app.exception
    return on_data(app)


def assert_restored(app):
    """One step has brought back files, roles, mapping, repairs and choices."""
    assert not app.exception and not problems(app), texts(app)
    shown = texts(app)
    assert shown.count("**Prediction**") == 2 and "flipped.json" in shown and "pred.json" in shown
    assert "Taxonomy: mapped" in shown and "Repaired: flip the y axis" in shown
    now = app.session_state["choices"]
    assert (now.pred, now.gt_label, now.pred_label, now.labels, now.level) == (1, "a", "b", ("a",), "page")
    assert list(app.session_state["decisions"].values()) == [{"p1": "accepted"}]


def test_a_session_is_opened_as_soon_as_it_is_dropped():
    app = drop(opened(), ("mine.layoutcm", a_session()))
    assert [one.value for one in app.title] == ["Models"]  # without a click
    assert_restored(on_data(app))
    assert app.file_uploader(key="drop_1_0").value == []
    app.run()
    assert_restored(app)


def test_a_renamed_session_is_opened_too():
    assert_restored(dropped(a_session(), name="mine.layoutcm.zip"))


def test_a_session_replaces_what_was_loaded():
    app = opened(load="sample", gt_label="Caption", pred_label="Text", min_score="0.5")
    assert_restored(dropped(a_session(), app=app))
    assert app.session_state["choices"].min_score == 0 and "load" not in app.query_params
    assert json.loads(app.query_params["mapping"]) == {"preds": {"1": {"x": "a", "y": "b"}}}


def test_page_images_of_a_session_are_shown():
    from layoutcm.drawing.page_images import ImageFile, images_from_files

    pictures = images_from_files([ImageFile("p1.png", "1", png())]).pictures
    app = dropped(a_session(pictures=pictures))
    assert "1 page of 1 have one" in texts(app)


def test_a_damaged_session_is_named_and_changes_nothing():
    """What else can be wrong with a session: `test_hostile_sessions`."""
    app = opened(load="sample", gt_label="Caption", pred_label="Text")
    before, shown = app.session_state["loaded"], app.session_state["choices"]
    dropped(a_session()[:-30], app=app)
    (error,) = problems(app)
    assert error.value.replace("\\", "").startswith("mine.layoutcm") and "this zip" in error.value
    assert app.session_state["loaded"] == before and app.session_state["choices"] == shown
    assert "947 regions" in texts(app)
    app.run()
    assert len(problems(app)) == 1  # as long as the file is in the zone


def test_a_session_of_a_newer_version_is_refused_by_name(monkeypatch):
    from layoutcm.ui.files import session_files

    monkeypatch.setattr(session_files, "VERSION", 2)
    data = a_session()
    monkeypatch.undo()
    app = dropped(data)
    assert "written by a newer version of layoutcm" in problems(app)[0].value and "loaded" not in app.session_state


def test_predictions_that_were_left_out_are_named():
    broken = input_from_bytes("<b>.json", GT[:-20])
    gt = input_from_bytes("gt.json", GT)
    app = drop(opened(), ("mine.layoutcm", a_session(preds=(gt, broken), repairs=(), mapping={}, choices={})))
    assert "Not in this session, because it could not be read: <b>.json" in texts(app)


def with_settings(monkeypatch, **settings):
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps(settings))


def test_the_command_line_opens_a_session_and_a_reload_keeps_later_choices(monkeypatch, tmp_path):
    file = tmp_path / "mine.layoutcm"
    file.write_bytes(a_session())
    with_settings(monkeypatch, files=[str(file)])
    app = opened()
    assert_restored(app)
    assert app.query_params["load"] == "start"
    choose(app, gt_label="b", pred_label="b", level="set")
    app.run()
    again = opened(**dict(app.query_params))
    now = again.session_state["choices"]
    assert (now.gt_label, now.pred_label, now.level, now.fixes) == ("b", "b", "set", ("1=flip-y",))
    assert "Taxonomy: mapped" in texts(again) and not problems(again)


def test_the_data_folder_opens_a_session_in_one_step(monkeypatch, tmp_path):
    (tmp_path / "mine.layoutcm").write_bytes(a_session())
    (tmp_path / "gt.json").write_bytes(GT)
    with_settings(monkeypatch, data=str(tmp_path))
    app = opened()
    assert app.selectbox(key="folder_gt").options == ["gt.json"]
    app.selectbox(key="folder_session").set_value("mine.layoutcm").run()
    assert_restored(on_data(app))
    assert app.query_params["load"] == "mine.layoutcm"
    assert_restored(opened(load="mine.layoutcm"))


def test_a_damaged_session_of_the_data_folder_is_named(monkeypatch, tmp_path):
    (tmp_path / "mine.layoutcm").write_bytes(a_session()[:500])
    with_settings(monkeypatch, data=str(tmp_path))
    app = opened(load="mine.layoutcm")
    assert "mine.layoutcm: this zip has no list" in texts(app) and "loaded" not in app.session_state
    app.selectbox(key="folder_session").set_value("mine.layoutcm").run()
    assert "mine.layoutcm: this zip has no list" in texts(app) and "loaded" not in app.session_state


def test_the_session_can_be_saved_on_the_start_page_and_taken_away():
    for app, place in ((opened(load="sample"), ""), (take_away(load="sample"), "take_away")):
        assert "Save this session" in [one.label for one in app.get("download_button")]
        app.toggle(key=f"save_images{place}").set_value(True).run()
        assert not app.exception and not problems(app) and "page images take more" not in texts(app)
        assert "Save this session" in [one.label for one in app.get("download_button")]
    assert "Save this session" not in [one.label for one in opened_once().get("download_button")]


def test_images_that_are_too_large_to_be_opened_again_are_not_saved(monkeypatch):
    from layoutcm.ui.shared import take_away

    monkeypatch.setattr(take_away, "picture_bytes", lambda pictures: 1 << 40)
    app = opened(load="sample")
    app.toggle(key="save_images").set_value(True).run()
    assert "The page images take more than 1,024 MB" in texts(app)
    assert "Save this session" not in [one.label for one in app.get("download_button")]


def test_what_is_saved_is_what_is_shown(monkeypatch):
    from layoutcm.ui.shared import take_away

    taken = []
    collect = take_away.session.session_contents
    monkeypatch.setattr(take_away.session, "session_contents", lambda images: taken.append(collect(images)))
    monkeypatch.setattr(take_away, "session_file", lambda contents: b"")
    app = opened(load="sample", pred="1", gt_label="Caption", view="precision", families="doclaynet")
    (contents,) = taken[-1:]
    assert not app.exception and contents.gt == input_from_path(SAMPLE / "gt.json")
    assert [one.name for one in contents.preds] == ["model-a.json", "model-b.csv", "model-c.json"]
    assert contents.mapping["preds"]["1"]["figure"] == "Picture" and not contents.pictures
    assert contents.choices == {"pred": "1", "gt_label": "Caption", "view": "precision", "families": "doclaynet"}
