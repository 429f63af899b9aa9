"""Every page of the dashboard, empty and loaded, run by Streamlit's own test runner."""

import json
import re
from functools import cache, partial

import pytest

from layoutcm import __version__
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.tables.interval_texts import resampling_text
from layoutcm.ui.errors import class_scores
from layoutcm.ui.shared import lit_pages, sidebar, top_bar
from layoutcm.ui.state.choices import DEFAULTS
from layoutcm.wording import percent_brief
from support.app_runner import (
    choose,
    coco,
    drop,
    held_background,
    in_popover,
    matrices,
    on_data,
    opened,
    opened_once,
    opened_unmapped,
    problems,
    texts,
    uploaded,
)
from support.hostile import SCREEN
from support.matrix_page import views_of
from support.paths import SAMPLE

PAGES = ["data", "models", "errors", "page", "ground_truth", "measures", "method"]


FILES = [(name, (SAMPLE / name).read_bytes()) for name in ("gt.json", "model-a.json")]
VISITORS = {
    "nothing is loaded": opened,
    "model a": partial(opened, load="sample", pred="0"),
    "model b": partial(opened, load="sample", pred="1"),
    "model c": partial(opened, load="sample", pred="2"),
    "no truth": partial(opened, load="sample", truth="False"),
    "uploads": partial(uploaded, *FILES),
}


@cache
def visitor_of(name):
    """One visitor for all tests that only go from page to page."""
    return VISITORS[name]()


@pytest.mark.parametrize("visitor", VISITORS)
@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_shown(page, visitor):
    app = visitor_of(visitor).switch_page(f"pages/{page}.py").run()
    assert not app.exception and not problems(app), texts(app)
    if page not in ("data", "method"):
        assert ("Nothing to show yet" in texts(app)) == (visitor == "nothing is loaded")
    if page not in ("data", "method", "models") and visitor.startswith("model"):
        assert f"v{__version__}" in texts(app)


def test_one_click_on_the_sample():
    app = opened()
    next(button for button in app.button if button.label == "Try the sample").click().run()
    assert not app.exception and [one.value for one in app.title] == ["Models"]
    assert "60 pages" in texts(on_data(app)) and "947 regions" in texts(app)


def test_the_mapping_of_the_sample_is_for_model_b_only():
    app = opened(load="sample")
    assert app.selectbox(key="bar_pred").options == ["model-a.json", "model-b.csv", "model-c.json"]
    assert "Taxonomy: same" in texts(app) and "The mapping of" not in texts(app)
    app.selectbox(key="bar_pred").set_value(1).run()
    assert "Taxonomy: mapped" in texts(app)
    app.session_state["mapping_open"] = True
    app.run()
    next(button for button in app.button if button.label == "Remove it").click().run()
    assert "Taxonomy: different" in texts(app)
    app.selectbox(key="bar_pred").set_value(2).run()
    assert "Taxonomy: same" in texts(app) and "The mapping of" not in texts(app)


@pytest.mark.parametrize("method", ["matrix", "tensor"])
def test_classes_have_the_numbers_of_the_api(method, sample):
    app = opened_once("errors", load="sample", method=method)
    shown = app.dataframe[0].value.set_index("label")
    expected = sample.confusion(method=method).classes().set_index("label").loc[shown.index]
    for name in ("f1", "precision", "recall", "iou", "gt_pixels", "pred_pixels"):
        assert shown[name].to_numpy() == pytest.approx(expected[name].to_numpy())
    assert shown["f1"].is_monotonic_increasing and not app.metric
    found = sample.bootstrap(method=method)
    assert f"{resampling_text(found.resampling)}." in texts(app)
    chart = json.loads(app.get("plotly_chart")[0].proto.spec)
    bars = next(one for one in chart["data"] if one["name"] == "F1")
    low = found.scores["f1"][sample.labels.index(chart["layout"]["yaxis"]["ticktext"][0])][1]
    assert bars["x"][0] - bars["error_x"]["arrayminus"][0] == pytest.approx(low)


def test_on_a_large_set_intervals_are_made_in_the_background(monkeypatch):
    monkeypatch.setattr(class_scores, "MOST_PAGES", 5)
    finish = held_background(monkeypatch)
    app = opened("errors", load="sample", method="tensor", rounding="nearest")  # not kept yet
    assert not app.exception and "by the jackknife" not in texts(app) and "Computing intervals …" in texts(app)
    finish()
    app.run()
    assert not app.exception and "by the jackknife" in texts(app) and "Computing intervals …" not in texts(app)


def test_a_link_restores_the_view():
    app = opened_once(
        "errors", load="sample", gt_label="Caption", pred_label="Text", view="precision", rounding="exact"
    )
    assert "Caption read as Text" in texts(app) and "rounding:exact" in texts(app)
    assert "9 of 60 pages" in texts(app)


def causes_shown(app):
    """The legend of the bar of causes; empty if there is none."""
    legends = [text.value for text in app.markdown if "foreground=#" in text.value]
    return legends[0].replace("\u00a0", " ") if legends else ""


def test_a_wrong_cell_says_what_it_consists_of(sample):
    cell_of = {"gt_label": "Background", "pred_label": "Text"}
    shown = causes_shown(opened_once("errors", load="sample", **cell_of))
    row, column = sample.cell("Background", "Text")
    found = dict(zip(CAUSES, sample.causes().values[:, row, column]))
    assert sum(found.values()) == pytest.approx(sample.confusion().values[row, column])
    for cause, pixels in found.items():
        assert (f" {cause} " in shown) == (pixels > 0)
    assert f"slack {percent_brief(found['slack'] / sum(found.values()))} %" in shown
    assert "missed" in causes_shown(opened_once("errors", load="sample", gt_label="Text", pred_label="Background"))
    assert " label " in causes_shown(opened_once("errors", load="sample", gt_label="Caption", pred_label="Text"))
    assert not causes_shown(opened_once("errors", load="sample", **cell_of, method="tensor"))


def test_causes_are_counted_on_the_worst_pages_and_the_page_says_so(monkeypatch):
    monkeypatch.setattr(lit_pages, "CAUSES_PAGES", 2)
    app = opened("errors", load="sample", gt_label="Caption", pred_label="Text")
    assert "Counted on the 2 pages with the most pixels of the cell, 28.4 % of it." in texts(app)


@pytest.mark.parametrize("labels", [("Caption", "Caption"), ("Title", "Table")])
def test_a_right_or_an_empty_cell_consists_of_nothing_wrong(labels):
    app = opened_once("errors", load="sample", gt_label=labels[0], pred_label=labels[1])
    assert not app.exception and not causes_shown(app)


def test_where_taxonomies_differ_no_cell_is_wrong(monkeypatch):
    app = opened_unmapped(monkeypatch, "errors", gt_label="Caption", pred_label="text")
    assert "Caption overlaps text" in texts(app) and not causes_shown(app)


def test_the_label_filter_folds_the_others_and_changes_no_number(sample):
    app = opened("errors", load="sample", labels='["Caption", "Text"]')
    data = matrices(app)[0]
    assert data["row_names"] == data["column_names"] == ["Background", "Caption", "Text", "other (9 labels)"]
    whole, labels = sample.confusion(), sample.labels
    i = labels.index("Caption")
    others = [k for k, label in enumerate(labels) if label not in ("Background", "Caption", "Text")]
    assert data["models"][0]["mass"][1][3] == pytest.approx(whole.values[i, others].sum())
    assert views_of(data)["recall"][1][2] == pytest.approx(whole.recall[i, labels.index("Text")])
    cells = [button.label for button in app.button if "px," in button.label]
    assert cells and all("Caption" in cell or "Text" in cell for cell in cells)
    assert any("Table read as Text" in cell for cell in cells)  # an error with the chosen label on one side
    assert list(app.dataframe[0].value["label"]) == ["Caption", "Text", "Background"]
    app.switch_page("pages/page.py").run()
    viewer = lambda: json.loads(app.get("bidi_component")[0].proto.json)
    assert [viewer()["labels"][label] for label in viewer()["shown"]] == ["Caption", "Text", "not judged"]
    assert matrices(app)[-1]["row_names"][-1].startswith("other (")
    in_popover(app.multiselect, "bar_labels").set_value([]).run()
    assert "labels" not in app.query_params
    assert viewer()["shown"] is None


def test_labels_of_a_link_may_contain_any_character():
    gt = ("gt.json", coco(SCREEN, [(i, [0, 5 * i, 50, 5]) for i in range(6)]))
    app = uploaded(gt, gt)
    app.multiselect(key="bar_labels").set_value(SCREEN[:2]).run()
    assert not app.exception and json.loads(app.query_params["labels"]) == SCREEN[:2]


def test_a_document_and_a_page_count_their_own_pages():
    cell = {"load": "sample", "gt_label": "Caption", "pred_label": "Text"}
    assert "2 of 4 pages" in texts(opened_once("errors", **cell, level="document", document="paper-1.pdf"))
    assert "1 of 1 page" in texts(opened_once("errors", **cell, level="page", page="paper-1_p3.png"))


def test_nonsense_in_a_link_is_ignored():
    """What is nonsense: `test_address`; what the files do not have is known only when they are loaded."""
    unknown = {"pred": "99", "gt_label": "no such", "pred_label": "x", "labels": '["no such"]'}
    wrong = dict.fromkeys(("curves", "fixes", "mapping", "families", "expanded"), "[" * 5000)
    app = opened_once("errors", load="sample", view="zzz", min_score="abc", mask="?", **unknown, **wrong)
    assert not app.exception and not problems(app)
    assert "Click a cell" in texts(app) and len(matrices(app)[0]["row_names"]) == 12


def test_a_link_to_files_that_are_not_here_says_so():
    app = opened_once(load="gone.json|other.json")
    assert "not here: gone.json, other.json" in texts(app)


def test_equal_files_of_two_visitors_keep_their_own_names():
    data = coco(["a"], [(0, [0, 0, 50, 5])])
    for name in ("mine", "yours"):
        given = [(f"{name}-{side}.json", data) for side in ("gt", "pred")]
        app = uploaded(*given, page="errors")
        assert f"gt:{name}-gt|pred:{name}-pred" in texts(app)


def test_back_restores_choices_of_the_loaded_files_only():
    data = {name: coco(["a"], [(0, [0, y, 50, 5])]) for name, y in (("one", 0), ("two", 9))}
    app = opened()
    drop(app, ("gt.json", data["one"]))
    for name in data:
        drop(on_data(app), (f"{name}.json", data[name]))
        if name == "two":
            on_data(app).button(key="remove_2").click().run()
        app.switch_page("pages/errors.py").run()
        in_popover(app.selectbox, "bar_rounding").set_value("exact").run()
        assert "rounding" in app.query_params and f"pred:{name}|" in texts(app)
        in_popover(app.selectbox, "bar_method").set_value("tensor").run()
        app.query_params.clear()
        app.query_params["rounding"] = "exact"
        app.run()  # as the browser's Back does
        assert "method:matrix" in texts(app) and "rounding:exact" in texts(app)
        app.query_params.clear()
        app.query_params["fixes"] = '["0=flip-y"]'  # not an address of this session
        app.run()
        assert "flip-y" not in texts(app)
        app.selectbox(key="bar_rounding").set_value("outer").run()


def test_a_cell_is_not_opened_in_the_2x2_view():
    app = opened_once("models", load="sample", grouping="2x2", pred="0")
    assert app.session_state["choices"].grouping == "2x2"
    app = opened("errors", load="sample")
    choose(app, grouping="2x2")
    next(button for button in app.button if "Table read as Text" in button.label).click().run()
    assert app.session_state["choices"].grouping == ""


def test_uploading_two_files_compares_them():
    gt = ("gt.json", coco(SCREEN, [(i, [0, 5 * i, 50, 5]) for i in range(6)]))
    pred = ("pred.json", coco(SCREEN, [(i, [0, 5 * i, 40, 5]) for i in range(6)]))
    app = uploaded(gt, pred)
    assert not app.exception and not problems(app), texts(app)
    assert "6 regions" in texts(app)
    app.switch_page("pages/errors.py").run()
    buttons = [button.label for button in app.button]
    assert not app.exception
    assert any(r"\</script\>" in label for label in buttons) and any(r"\$x\^2\$ \*a\*" in label for label in buttons)


def test_a_wrong_upload_gets_a_message_and_the_app_still_works():
    good = coco(["a"], [(0, [0, 0, 10, 10])])
    app = uploaded(("gt.json", good), ("bad.json", good[:-20]))
    assert not app.exception
    assert any("bad" in error.value and "cut off" in error.value for error in problems(app))
    app.button(key="remove_2").click().run()
    assert "A ground truth is here. Drop a prediction to compare it with." in texts(app)
    on_data(drop(app, ("pred.json", good)))
    assert not app.exception and not problems(app) and "Taxonomy: same" in texts(app)


def test_choices_of_the_sidebar_hold_on_other_pages():
    app = opened(load="sample")
    app.selectbox(key="bar_method").set_value("tensor").run()
    app.selectbox(key="bar_level").set_value("document").run()
    app.switch_page("pages/errors.py").run()
    assert not app.exception and "document paper-1.pdf" in texts(app) and "method:tensor" in texts(app)


def test_large_files_are_named_before_they_are_read_and_only_once(monkeypatch):
    names, real = [], sidebar.layouts_of

    def layouts_of(request, before_read):
        return real(request, lambda given: (names.append(given.name), before_read(given)))

    monkeypatch.setattr(sidebar, "LARGE_BYTES", 0)
    monkeypatch.setattr(sidebar, "layouts_of", layouts_of)
    app = opened(load="sample")
    app.run()
    assert names == ["gt.json", "model-a.json"] and "947 regions" in texts(app)
    app.selectbox(key="bar_pred").set_value(1).run()
    assert names[2:] == ["gt.json", "model-b.csv"] and not app.exception


CHIPS = {
    "level": ("page", {"page": "paper-1_p3.png"}, "on Errors, Measures: page paper-1_p3.png"),
    "labels": ('["Caption", "Text", "Table", "Title"]', {}, "labels: Caption, Text, Table and 1 more (not on Models)"),
    "attribute": ("doc_category=letter", {}, "on Errors: doc_category letter"),
    "versus": ("doc_category=paper", {}, "on Errors against: doc_category paper"),
    "has_label": ("Table", {}, "on Errors: pages with Table"),
    "cause": ("label", {}, "on Errors: pages with the cause label"),
    "min_score": ("0.5", {}, "score ≥ 0.5"),
    "label_scores": ('["0.68=Table"]', {}, "score of Table ≥ 0.68"),
    "truth": ("False", {}, "no truth: A and B"),
    "mapping": ("{}", {}, "label mapping of the files not used"),
    "fixes": ('["0=flip-y"]', {}, "repair of model-a.json: flip-y"),
    "families": ("doclaynet", {}, "families: DocLayNet"),
    "method": ("tensor", {}, "method: tensor"),
    "rounding": ("exact", {}, "rounding: exact"),
    "missing_pages": ("ignore", {}, "missing pages: ignore"),
    "taxonomy": ("same", {}, "taxonomy: same"),
}


def chips_of(app):
    return {re.sub(r"\\(.)", r"\1", one.label): one for one in app.button if str(one.key).startswith("chip_")}


def test_every_choice_in_force_is_a_chip_that_removes_it():
    assert set(CHIPS) == set(top_bar.CHIPS)
    more = {name: value for _, others, _ in CHIPS.values() for name, value in others.items()}
    app = opened("method", load="sample", **{name: value for name, (value, *_) in CHIPS.items()}, **more)
    assert not app.exception and list(chips_of(app)) == [text for *_, text in CHIPS.values()]
    for name, (*_, text) in CHIPS.items():
        if name != "versus":  # goes with the attribute
            chips_of(app)[text].click().run()
        assert not app.exception and text not in chips_of(app), name
        assert getattr(app.session_state["choices"], name) == getattr(DEFAULTS, name)
    assert not chips_of(app)


def test_a_threshold_of_a_label_that_the_files_lack_is_a_message_and_a_chip():
    app = opened("errors", load="sample", label_scores='["0.5=Nix"]')
    assert not app.exception and any("Nix" in error.value for error in problems(app))
    chips_of(app)["score of Nix ≥ 0.5"].click().run()
    assert not app.exception and not problems(app) and len(matrices(app)[0]["row_names"]) == 12


def test_the_bar_says_what_a_reload_loses():
    assert "lost on reload" not in texts(opened_once(load="sample"))
    gt = ("gt.json", coco(["a"], [(0, [0, 0, 50, 5])]))
    app = uploaded(gt, gt)
    assert "Uploaded files are lost on reload: save the session." in texts(app)
    assert any(one.key == "save_sessionbar" for one in app.get("download_button"))
