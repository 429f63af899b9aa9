"""Cards of dropped files, and the mapping that is suggested for other labels."""

import json
from dataclasses import replace

import pytest

import layoutcm as lcm
from layoutcm.tables.matrix_views import summary_sentence
from layoutcm.ui.data.drop_zone import missing_text
from layoutcm.ui.files.file_roles import group_files, make_cards
from layoutcm.ui.files.repairs_and_mapping import LONGEST_MAPPING, fits_into_address, mapping_to_text
from support.app_runner import button, coco, drop, on_data, opened, opened_unmapped, opened_with, problems, texts
from support.dropped_files import dropped_files
from support.paths import SAMPLE

PAGE = coco(["a", "b"], [(0, [0, 0, 20, 20]), (1, [20, 0, 20, 20])])
SCORED = PAGE.replace(b'"bbox"', b'"score": 0.5, "bbox"')
RESULTS = b'[{"image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "score": 0.5}]'


def sample(*names):
    return [(name, (SAMPLE / name).read_bytes()) for name in names]


def cards(app):
    """The titles of the cards, as a person reads them."""
    titles = [one.label.replace("\\", "") for one in app.expander if one.label.startswith("**")]
    return [" ".join(title.replace("*", "").replace("&ensp;", "").replace(":gray", "").split()) for title in titles]


def page_shown(app):
    (title,) = app.title
    return title.value


def test_each_file_becomes_a_card_with_its_numbers_and_the_app_goes_on_once():
    app = opened()
    drop(app, *sample("model-a.json", "attributes.csv", "gt.json", "families.yaml"))
    assert page_shown(app) == "Models" and not app.exception
    assert cards(on_data(app)) == [
        "Ground truth gt.json [COCO annotations, 60 pages, 947 regions, 11 labels in use, without scores]",
        "Prediction model-a.json [COCO results list, 60 pages, 939 regions, 11 labels in use, with scores]",
        "Families families.yaml [4 families, 11 labels: applied]",
        "Page attributes attributes.csv [doc_category, columns, quality, year, of 60 pages: applied]",
    ]
    assert "All is well: 60 pages, 1 prediction compared." in texts(app)
    assert "quality: digital" in texts(app) and not any(one.proto.expanded for one in app.expander)
    drop(app, *sample("model-c.json"))
    assert page_shown(app) == "Data" and "2 predictions compared" in texts(app)  # it goes on only the first time
    assert json.loads(app.query_params["families"])["Headings"] == ["Title", "Section-header"]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([("gt.json", PAGE)], "A ground truth is here. Drop a prediction to compare it with."),
        ([("pred.json", PAGE)], "A prediction is here. Drop a ground truth to compare it with"),
        (
            [("a.json", RESULTS), ("b.json", RESULTS)],
            "2 predictions are here. Drop a ground truth to compare them with",
        ),
        ([("map.yaml", b"pred: {x: a}")], "Drop a ground truth and a prediction: none of these files is a layout"),
    ],
)
def test_what_is_missing(files, words):
    assert words in missing_text(make_cards(group_files(dropped_files(*files)), {}), truth=True)


def test_what_is_missing_is_said():
    app = drop(opened(), ("pred.json", PAGE))
    assert "A prediction is here. Drop a ground truth to compare it with" in texts(app)
    assert page_shown(app) == "Data" and len(cards(app)) == 1
    assert not problems(app) and "a reload forgets them" in texts(app)


def test_a_broken_ground_truth_alone_gives_its_error_and_the_other_cards_stay():
    app = drop(opened(), ("gt.json", PAGE[:-30]))
    (error,) = problems(app)
    assert "gt.json, line 1" in error.value.replace("\\", "") and "cut off" in error.value
    assert "A ground truth is here" in texts(app)
    drop(app, ("results.json", RESULTS), ("map.yaml", b"pred: {x: a}"))
    assert len(problems(app)) == 1 and page_shown(app) == "Data"
    assert [title.split(" [")[0] for title in cards(app)] == [
        "Ground truth gt.json", "Prediction results.json", "Mapping map.yaml"
    ]  # fmt: skip
    app.button(key="remove_1").click().run()
    drop(app, ("truth.json", PAGE))
    assert not problems(app)
    assert "Prediction results.json [COCO results list, 1 page, 1 region" in " ".join(cards(on_data(app)))


def test_a_role_can_be_changed_and_there_is_one_ground_truth():
    app = on_data(drop(opened(), ("a.json", PAGE), ("b.json", PAGE)))
    assert [one.split(".")[0] for one in cards(app)] == ["Ground truth a", "Prediction b"]
    app.selectbox(key="role_2").set_value("gt").run()
    assert [one.split(".")[0] for one in cards(app)] == ["Ground truth b", "Prediction a"]
    assert app.session_state["loaded"].gt.name == "b.json"
    app.selectbox(key="role_1").set_value("unused").run()
    assert "Not used a.json" in cards(app) and "Drop a prediction" in texts(app)
    assert app.session_state["loaded"] is None


def test_swapped_files_get_a_button_that_swaps_them(monkeypatch, tmp_path):
    for name, data in (("one.json", SCORED), ("two.json", PAGE)):
        (tmp_path / name).write_bytes(data)
    files = [str(tmp_path / name) for name in ("one.json", "two.json")]
    app = opened_with(monkeypatch, files)
    assert "seem to be swapped (the ground truth has scores, the prediction has none)" in texts(app)
    app.button(key="swap").click().run()
    assert [one.split(".")[0] for one in cards(app)] == ["Ground truth two", "Prediction one"]
    assert "swapped" not in texts(app)


def test_attributes_are_used_again_when_a_prediction_comes_back():
    app = on_data(drop(opened(), *sample("gt.json", "model-a.json", "attributes.csv")))
    assert app.session_state["loaded"].attributes is not None
    app.selectbox(key="role_2").set_value("unused").run()
    app.selectbox(key="role_2").set_value("pred").run()
    assert app.session_state["loaded"].attributes is not None


def test_other_files_are_opened_without_the_choices_of_the_former_ones():
    app = opened(load="sample", truth="False", has_label="Table")
    app.session_state["choices"] = replace(app.session_state["choices"], load="")
    next(one for one in app.button if one.label == "Try the sample").click().run()
    now = app.session_state["choices"]
    assert now.load == "sample" and now.truth and not now.has_label


def test_the_mapping_of_the_sample_moves_with_its_prediction():
    app = opened(load="sample")
    app.button(key="remove_2").click().run()  # model A
    mapped = json.loads(app.query_params["mapping"])["preds"]
    assert list(mapped) == ["0"] and mapped["0"]["figure"] == "Picture" and "813 regions" in texts(app)


def test_without_a_truth_the_sides_are_a_and_b():
    app = drop(opened(), ("model-1.json", PAGE), ("model-2.json", SCORED))
    assert "2 predictions are here" in texts(app)
    app.toggle(key="no_truth").set_value(True).run()
    assert not app.exception and app.session_state["choices"].truth is False
    shown = texts(on_data(app))
    assert [one.split(".")[0] for one in cards(app)] == ["A model-1", "B model-2"]
    assert "round truth" not in shown and app.button(key="swap").label == "Swap A and B"


def test_attributes_are_part_of_a_saved_session(monkeypatch):
    from layoutcm.ui.files.session_files import write_session
    from layoutcm.ui.shared import take_away

    taken = []
    collect = take_away.session.session_contents
    monkeypatch.setattr(take_away.session, "session_contents", lambda images: taken.append(collect(images)))
    monkeypatch.setattr(take_away, "session_file", lambda contents: b"")
    on_data(drop(opened(), *sample("gt.json", "model-a.json", "attributes.csv")))
    monkeypatch.undo()
    app = on_data(drop(opened(), ("mine.layoutcm", write_session(taken[-1]))))
    assert not problems(app) and "quality: digital" in texts(app) and "947 regions" in texts(app)


def test_wrong_attributes_are_named_and_change_nothing():
    app = drop(opened(), ("gt.json", PAGE), ("pred.json", PAGE), ("x.csv", b"page,kind\np1.png,a\np1.png,b\n"))
    (error,) = problems(app)
    assert "two rows with different values" in error.value and page_shown(app) == "Data"
    assert app.session_state["loaded"].attributes is None and "1 file cannot be used" in texts(app)


BOXES = [(0, [0, 0, 20, 20]), (1, [20, 0, 20, 20])]
GT = coco(["a", "b"], BOXES)
OTHER_NAMES = coco(["x", "y", "<b>z"], [*BOXES, (2, [0, 30, 10, 10])])


def start(*preds):
    app = opened()
    drop(app, ("gt.json", GT), *((f"{i}.json", data) for i, data in enumerate(preds)))
    assert not app.exception and not problems(app)
    return app


def mapping_in_address(app):
    return json.loads(app.query_params["mapping"])


def test_a_suggestion_changes_nothing_before_it_is_accepted(monkeypatch):
    app = opened_unmapped(monkeypatch)
    unmapped = lcm.compare(lcm.read(SAMPLE / "gt.json"), lcm.read(SAMPLE / "model-b.csv"))
    assert "12 labels of the prediction are not in the ground truth" in texts(app)
    assert "Taxonomy: different" in texts(app) and "mapping" not in app.query_params
    button(app, "Accept this mapping").click().run()
    assert not app.exception and not problems(app)
    suggested = lcm.suggest_mapping(lcm.read(SAMPLE / "gt.json"), lcm.read(SAMPLE / "model-b.csv")).mapping
    mapped = lcm.compare(lcm.read(SAMPLE / "gt.json"), lcm.read(SAMPLE / "model-b.csv"), mapping=suggested)
    assert "Taxonomy: mapped" in texts(app) and button(app, "Accept this mapping") is None
    shown = texts(app.switch_page("pages/errors.py").run()).replace("\\", "")
    assert mapped.recipe in shown and mapped.recipe != unmapped.recipe
    sentence = summary_sentence(mapped.confusion(), "**model-b.csv**", "the whole set", mapped.border_slack())
    assert sentence in shown and "label pixels have the right label" in sentence
    assert mapping_in_address(app) == {"preds": {"0": suggested["pred"]}}


def test_a_reload_keeps_the_accepted_mapping(monkeypatch):
    app = opened_unmapped(monkeypatch)
    button(app, "Accept this mapping").click().run()
    again = opened(**dict(app.query_params))
    assert "Taxonomy: mapped" in texts(again) and mapping_in_address(again) == mapping_in_address(app)


def test_labels_without_a_partner_are_named():
    app = start(OTHER_NAMES)
    assert "3 labels of the prediction are not in the ground truth" in texts(app)
    assert "Without a good partner, kept as they are: <b>z" in texts(app)
    button(app, "Accept this mapping").click().run()
    assert mapping_in_address(app) == {"preds": {"0": {"x": "a", "y": "b"}}}
    app.session_state["mapping_open"] = True
    app.run()
    button(app, "Remove it").click().run()
    assert app.query_params["mapping"] == "{}" and button(app, "Accept this mapping") is not None


def test_one_click_is_enough_for_all_predictions_with_these_labels():
    swapped = coco(["x", "y", "<b>z"], [(1, [0, 0, 20, 20])])
    third = coco(["u", "b"], [(0, [0, 0, 20, 20]), (1, [20, 0, 20, 20])])
    app = start(OTHER_NAMES, GT, swapped, third)
    button(app, "Accept this mapping").click().run()
    names = {"x": "a", "y": "b"}
    assert mapping_in_address(app) == {"preds": {"0": names, "2": names}}
    assert "1 label of the prediction 3.json is not in the ground truth" in texts(app)  # only one is unknown
    button(app, "Accept this mapping").click().run()
    assert mapping_in_address(app) == {"preds": {"0": names, "2": names, "3": {"u": "a"}}}


def test_a_mapping_moves_with_its_prediction():
    app = start(OTHER_NAMES)
    button(app, "Accept this mapping").click().run()
    drop(app, ("1.json", GT.replace(b"p1", b"p2")), ("2.json", OTHER_NAMES.replace(b"20", b"21")))
    assert mapping_in_address(app) == {"preds": {"0": {"x": "a", "y": "b"}}}
    button(app, "Accept this mapping").click().run()
    app.button(key="remove_2").click().run()  # the first prediction
    assert mapping_in_address(app) == {"preds": {"1": {"x": "a", "y": "b"}}}


def test_the_mapping_of_the_sample_can_be_removed_and_suggested_again():
    app = opened(load="sample", pred="1", mapping="{}")
    assert "Taxonomy: different" in texts(app)
    button(app, "Accept this mapping").click().run()
    assert "Taxonomy: mapped" in texts(app) and list(mapping_in_address(app)["preds"]) == ["1"]


def test_a_mapping_file_may_have_mappings_of_single_predictions():
    app = start(OTHER_NAMES, GT)
    data = b"gt: {a: A}\npreds: {'0': {x: A, y: b}, other: {x: b}}"
    drop(app, ("map.yaml", data))
    assert mapping_in_address(app) == {"gt": {"a": "A"}, "preds": {"0": {"x": "A", "y": "b"}}}


def test_a_wrong_mapping_in_an_address_is_ignored():
    app = opened(load="sample", pred="1", mapping='{"pred":')
    assert not app.exception and not problems(app) and "Taxonomy: mapped" in texts(app)  # that of the sample


def test_a_long_mapping_is_held_for_the_session_only():
    names = {f"label number {i}": "Text" for i in range(LONGEST_MAPPING // 20)}
    text = mapping_to_text({"pred": names})
    assert not fits_into_address(text) and fits_into_address(mapping_to_text({"pred": {"x": "a"}}))
    app = start(OTHER_NAMES)
    drop(app, ("map.json", text.encode()))
    assert not app.exception and app.session_state["choices"].mapping == text and "mapping" not in app.query_params
