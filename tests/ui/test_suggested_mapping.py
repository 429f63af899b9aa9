"""The mapping that the start page suggests: filled in, accepted by one click, in the address, edited and removed."""

import json

import layoutcm as lcm
from layoutcm.tables.matrix_views import summary_sentence
from layoutcm.ui.files.repairs_and_mapping import LONGEST_MAPPING, fits_into_address, mapping_to_text
from support.app_runner import button, coco, drop, opened, opened_unmapped, texts
from support.paths import SAMPLE

BOXES = [(0, [0, 0, 20, 20]), (1, [20, 0, 20, 20])]
GT = coco(["a", "b"], BOXES)
OTHER_NAMES = coco(["x", "y", "<b>z"], [*BOXES, (2, [0, 30, 10, 10])])


def start(*preds):
    app = opened()
    drop(app, ("gt.json", GT), *((f"{i}.json", data) for i, data in enumerate(preds)))
    assert not app.exception and not app.error
    return app


def mapping_in_address(app):
    return json.loads(app.query_params["mapping"])


def test_a_suggestion_changes_nothing_before_it_is_accepted(monkeypatch):
    app = opened_unmapped(monkeypatch)
    unmapped = lcm.compare(lcm.read(SAMPLE / "gt.json"), lcm.read(SAMPLE / "model-b.csv"))
    assert "12 labels of the prediction are not in the ground truth" in texts(app)
    assert "Taxonomy: different" in texts(app) and "mapping" not in app.query_params
    button(app, "Accept this mapping").click().run()
    assert not app.exception and not app.error
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
    assert "1 label of the prediction 3.json is not in the ground truth" in texts(
        app
    )  # only one of its labels is unknown
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
    assert not app.exception and not app.error and "Taxonomy: mapped" in texts(app)  # that of the sample


def test_a_long_mapping_is_held_for_the_session_only():
    names = {f"label number {i}": "Text" for i in range(LONGEST_MAPPING // 20)}
    text = mapping_to_text({"pred": names})
    assert not fits_into_address(text) and fits_into_address(mapping_to_text({"pred": {"x": "a"}}))
    app = start(OTHER_NAMES)
    drop(app, ("map.json", text.encode()))
    assert not app.exception and app.session_state["choices"].mapping == text and "mapping" not in app.query_params
