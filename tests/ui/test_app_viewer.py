"""The page Page: the viewer's data and the pictures of pages."""

import asyncio
import http.client
import io
import json
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from PIL import Image

from layoutcm.ui.files import page_pictures
from layoutcm.ui.server import pictures, visitors
from layoutcm.ui.server.pictures import PictureStore
from layoutcm.ui.shared import sidebar
from support.app_runner import opened, opened_once, opened_with, problems, texts
from support.browser import tab, visit
from support.coco_files import coco, image, region
from support.hostile_shapes import make_dense_page
from support.servers import PATIENCE, wait_until


def viewer_data(app):
    """The data of the page viewer."""
    (viewer,) = (one for one in app.get("bidi_component") if one.proto.component_name.endswith("lcm-viewer"))
    return json.loads(viewer.proto.json)


def masks(app):
    return [pane["mask"] for pane in viewer_data(app)["panes"]]


def test_the_chosen_cell_is_lit_and_a_mask_has_its_own_canvas():
    link = {"load": "sample", "page": "report-1_p3.png"}
    app = opened_once("page", **link, gt_label="Table", pred_label="Picture")
    data = viewer_data(app)
    assert masks(app) == ["cell"]
    lit = sum(p["pixels"] * sum(add[2] for add in p["adds"] if add[:2] == data["cell"]) for p in data["pairs"])
    assert lit == 67_262 and (data["width"], data["height"]) == (850, 1100)
    assert masks(opened_once("page", **link)) == [""]
    assert masks(opened_once("page", **link, mask="pred")) == ["", "pred"]
    assert masks(opened_once("page", **link, mask="cell")) == [""]  # no cell is chosen


def picked(app, **values):
    """What the viewer reports; the test runner does not call the callback, so the test stores what it stores."""
    app.session_state["viewer_picked"] = values | {"page": app.session_state["choices"].page}
    return texts(app.run())


def test_what_was_clicked_is_written_below_the_page(sample):
    app = opened("page", load="sample", page="report-1_p3.png")
    data = viewer_data(app)
    side, label, x0, y0, x1, y1, score, number = next(box for box in data["boxes"] if box[0] == 1)
    text = picked(app, kind="region", side=side, number=number)
    where = f"x {x0:g} to {x1:g}, y {y0:g} to {y1:g}"
    assert f"model-a.json, region {number}: {data['labels'][label]}, {where}, score {score:.3f}" in text
    pair = next(k for k, pair in enumerate(data["pairs"]) if pair["pixels"] == 67_262)
    said = picked(app, kind="pair", pair=pair)
    assert "Ground truth: Table, model-a.json: Picture: other labels, 67\u202f262 px" in said
    assert "Table, model" not in picked(app, kind="pair", pair=len(data["pairs"]))


def test_the_pages_behind_the_cell_are_a_filmstrip(sample):
    app = opened_once("page", load="sample", page="report-1_p3.png", gt_label="Table", pred_label="Picture")
    strip = next(json.loads(one.proto.json) for one in app.get("bidi_component") if '"current"' in one.proto.json)
    behind = sample.pages_behind("Table", "Picture")
    assert [[page, pixels] for page, pixels, _ in strip["pages"]] == [
        [page, round(pixels)] for page, pixels in zip(behind["page"][:8], behind["pixels"][:8])
    ]
    assert strip["current"] == "report-1_p3.png" in behind["page"].tolist()


def test_without_a_truth_the_page_has_the_words_of_agreement():
    app = opened_once("page", load="sample", truth="False", mask="difference")
    kinds = [name for name, _, _ in viewer_data(app)["kinds"]]
    assert kinds[2:4] == ["only in A", "only in B"] and "causes" not in viewer_data(app)["offered"]
    names = {name for table in app.dataframe for name in table.value}
    assert not names & {"precision", "recall", "f1", "gt"}


def test_layers_are_computed_when_they_are_asked_for():
    app = opened("page", load="sample", page="report-1_p3.png")
    data = viewer_data(app)
    assert data["sides"] == ["Ground truth", "model-a.json", "model-b.csv", "model-c.json"]
    assert data["offered"] == ["side-2", "side-3", "causes", "centres"] and {box[0] for box in data["boxes"]} == {0, 1}
    app.session_state["viewer_wanted"] = ("pred-2", "causes", "centres")
    data = viewer_data(app.run())
    assert data["offered"] == ["side-2"] and {box[0] for box in data["boxes"]} == {0, 1, 3}
    assert data["causes"]["x"][-1] == 850 and len(data["centres"]) > 3
    by_link = viewer_data(opened_once("page", load="sample", page="report-1_p3.png", mask="causes"))
    assert by_link["causes"] == data["causes"] and by_link["panes"][1]["mask"] == "causes"


def test_a_prediction_without_the_page_has_no_regions_and_does_no_harm(tmp_path, monkeypatch):
    files = [tmp_path / name for name in ("gt.json", "one.json", "two.json")]
    first, second = image(1), image(2) | {"file_name": "p2.png"}
    for file, images in zip(files, ([first], [first], [second])):
        file.write_text(json.dumps(coco(images, [region(images[0]["id"], 1)])))
    app = opened_with(monkeypatch, files, "page")
    app.session_state["viewer_wanted"] = ("pred-1",)
    data = viewer_data(app.run())
    assert not app.exception and not problems(app) and {box[0] for box in data["boxes"]} == {0, 1}
    assert data["offered"] == ["causes", "centres"]


def test_only_the_labels_of_the_sidebar_are_shown():
    app = opened_once("page", load="sample", page="report-1_p3.png", labels='["Table"]')
    data = viewer_data(app)
    assert [data["labels"][k] for k in data["shown"]] == ["Table", "not judged"]


def test_undefined_values_are_a_dash_in_tables():
    app = opened_once("page", load="sample", page="report-1_p3.png")
    classes = next(table for table in app.dataframe if "label" in table.value)
    assert classes.value["precision"].isna().any() and classes.proto.placeholder == "–"


def test_a_long_page_list_shows_only_the_nearest_pages(monkeypatch):
    monkeypatch.setattr(sidebar, "MOST_OPTIONS", 10)
    monkeypatch.setattr(sidebar, "NEAR_OPTIONS", 2)
    app = opened("page", load="sample", page="report-1_p3.png")
    names = [f"report-{page}.png" for page in ("1_p1", "1_p2", "1_p3", "1_p4", "2_p1")]
    for chosen in (2, 3):
        app.selectbox(key="viewer_page").set_value(names[chosen]).run()
        assert app.selectbox(key="viewer_page").options == names[chosen - 2 : chosen + 2]
        assert not app.exception and not problems(app)


def test_a_part_of_a_name_finds_the_name():
    names = ["Report_p1", "report_p2", "p2"]
    found = [sidebar.find_name(text, names) for text in ("p2", "RT_P2", "REPORT", "none")]
    assert found == ["p2", "report_p2", "Report_p1", None]


def test_next_and_previous_turn_the_page():
    app = opened("page", load="sample")
    first = app.selectbox(key="viewer_page").value
    button = lambda label: next(button for button in app.button if button.label == label)
    assert button("Previous").disabled
    button("Next").click().run()
    assert app.selectbox(key="viewer_page").value != first
    button("Previous").click().run()
    assert app.selectbox(key="viewer_page").value == first


def test_a_page_with_too_many_tiles_shows_a_sentence_and_its_numbers(tmp_path, monkeypatch):
    file = str(make_dense_page(tmp_path))
    app = opened_with(monkeypatch, [file, file], "page")
    assert len(problems(app)) == 1 and "a page: its regions divide it into 324,000,000 tiles" in texts(app)
    assert "This page's matrix" in texts(app)


def test_a_page_with_a_region_that_is_not_judged_is_shown(tmp_path, monkeypatch):
    gt = coco([image(1)], [region(1, 1), region(1, 1, bbox=[50, 0, 10, 10], iscrowd=1)])
    file = tmp_path / "gt.json"
    file.write_text(json.dumps(gt))
    app = opened_with(monkeypatch, [file, file], "page")
    data = viewer_data(app)
    assert not app.exception and not problems(app) and data["labels"][-1] == "not judged"
    assert [box[1] for box in data["boxes"] if box[0] == 0][1] == len(data["labels"]) - 1
    assert [pair["pixels"] for pair in data["pairs"] if pair["kind"] == 5] == [100]


def test_pages_can_be_shown_if_no_pixel_is_judged(tmp_path, monkeypatch):
    file = tmp_path / "gt.json"
    file.write_text(json.dumps(coco([image(1)], [region(1, 1, bbox=[0, 0, 100, 80], iscrowd=1)])))
    app = opened_with(monkeypatch, [file, file], "page")
    assert not app.exception and not problems(app)
    app.switch_page("pages/errors.py").run()
    assert not app.exception and not problems(app)


JPEG = b"\xff\xd8 a picture"


@pytest.fixture
def store(monkeypatch):
    """An empty store that a server answers for; everybody is here."""
    new = PictureStore(is_served=True)
    monkeypatch.setattr(pictures, "STORE", new)
    monkeypatch.setattr(visitors, "session_id", lambda: "a")
    monkeypatch.setattr(visitors, "is_here", lambda session: session == "a")
    return new


def ask(token):
    return asyncio.run(pictures.answer(SimpleNamespace(path_params={"token": token})))


def test_a_picture_is_made_once_and_answered_with_its_own_headers(store):
    made = []
    address = pictures.picture_address("k", lambda: made.append(1) or JPEG)
    assert pictures.picture_address("k", lambda: b"another") == address
    token = address.removeprefix("/page-image/")
    assert len(token) == 32 and not made
    for _ in range(2):
        answer = ask(token)
        assert (answer.status_code, answer.body, answer.media_type) == (200, JPEG, "image/jpeg")
        assert answer.headers["cache-control"] == "private, max-age=3600"
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert made == [1]


def test_a_wrong_token_or_a_visitor_who_left_gets_nothing(store, monkeypatch):
    token = pictures.picture_address("k", lambda: JPEG).removeprefix("/page-image/")
    assert ask(token).status_code == 200 and ask(token[:-1]).status_code == 404 and ask("").status_code == 404
    monkeypatch.setattr(visitors, "is_here", lambda _: False)
    assert ask(token).status_code == 404
    monkeypatch.setattr(visitors, "is_here", lambda _: True)
    pictures.forget_pictures()
    assert ask(token).status_code == 404 and not store.pictures and not store.tokens


def test_the_large_picture_has_twice_the_pixels_of_the_page_within_limits(monkeypatch):
    monkeypatch.setattr(page_pictures, "_address", lambda _, side: side)
    sides = {longer: page_pictures.page_image_addresses(object(), longer) for longer in (1, 1100, 1500.4, 3301, 9000)}
    assert [one["full"] for one in sides.values()] == [2400, 2400, 3001, 6600, 6600]
    assert {one["small"] for one in sides.values()} == {900} and page_pictures.page_image_addresses(None, 1100) is None


def test_a_broken_picture_is_not_found(store):
    for key, make in (("none", lambda: None), ("error", lambda: 1 // 0)):
        token = pictures.picture_address(key, make).removeprefix("/page-image/")
        assert ask(token).status_code == 404


def test_two_visitors_have_different_tokens(store, monkeypatch):
    own = pictures.picture_address("k", lambda: JPEG)
    monkeypatch.setattr(visitors, "session_id", lambda: "b")
    assert pictures.picture_address("k", lambda: JPEG) != own
    store.drop_session("b")
    assert [one.session for one in store.pictures.values()] == ["a"]


def test_held_pictures_are_limited_in_number_and_bytes(store, monkeypatch):
    monkeypatch.setattr(pictures, "MOST_TOKENS", 3)
    monkeypatch.setattr(pictures, "MOST_BYTES", 250)
    made = []
    for k in range(5):
        address = pictures.picture_address(str(k), lambda k=k: made.append(k) or bytes(100))
        assert ask(address.removeprefix("/page-image/")).status_code == 200
    pictures.picture_address("4", lambda: b"")
    assert len(store.pictures) == 3 and sum(one.size for one in store.pictures.values()) <= 250
    first = next(iter(store.pictures))
    assert ask(first).status_code == 200 and made == [0, 1, 2, 3, 4, 2]  # made again, because its bytes were dropped


def test_without_a_server_a_picture_is_in_its_address(store):
    store.is_served = False
    assert pictures.picture_address("k", lambda: b"abc") == "data:image/jpeg;base64,YWJj"
    assert pictures.picture_address("k", lambda: None) is None


def test_who_is_forgotten_and_who_is_here(monkeypatch):
    monkeypatch.setattr(visitors, "_visitors", {"a": visitors.Visitor(), "b": visitors.Visitor(left_at=1.0)})
    monkeypatch.setattr(visitors.runtime, "get_instance", lambda: SimpleNamespace(is_active_session=lambda _: True))
    assert [visitors.is_here(session) for session in "abc"] == [True, False, False]
    assert pictures.STORE.drop_session in visitors._when_forgotten


def status(address, path, **headers):
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=PATIENCE)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_the_route_of_a_running_server(browser, address):
    with browser.new_context() as context, tab(context) as page:
        visit(page, f"{address}/page?load=sample&page=report-1_p3.png")
        page.wait_for_selector(".viewer[data-ready=full]")
        images = page.evaluate(
            "performance.getEntriesByType('resource').map((e) => new URL(e.name).pathname)"
            ".filter((path) => path.startsWith('/page-image/'))"
        )
        assert len(images) == 2
        sizes = []
        for path in images:
            code, data = status(address, path)
            assert code == 200
            sizes.append(max(Image.open(io.BytesIO(data)).size))
            assert status(address, path, Host="evil.example")[0] == 400
            assert status(address, path, Origin="http://evil.example")[0] == 403
            assert status(address, path[:-2])[0] == 404
        assert sorted(sizes) == [900, 1100]
    gone = lambda: [status(address, path)[0] for path in images] == [404, 404]
    wait_until(gone, "the server to notice that the connection has ended")
