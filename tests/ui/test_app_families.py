"""The Families page of the dashboard, empty and loaded, and what a visitor can do there."""

import json

import pytest

from layoutcm import __version__
from layoutcm.metrics.family_trees import FamilyTree
from layoutcm.ui.measures.families import as_yaml
from layoutcm.ui.state.family_choice import as_text, from_text, rows_of, tree_of
from support.app_runner import coco, drop, matrices, opened, opened_unmapped, texts, upload
from support.hostile import SCREEN

OWN = {"Text": {"Headings": ["Title", "Section-header"], "Body": ["Text", "Caption"]}, "Floats": ["Picture", "Table"]}


def metrics(app):
    return {metric.label: metric.value for metric in app.metric}


def test_the_page_is_friendly_when_nothing_is_loaded():
    app = opened("measures", measure="families")
    assert not app.exception and not app.error and "Nothing to show yet" in texts(app)


@pytest.mark.parametrize("same_labels", [True, False])
def test_the_page_shows_the_sample(same_labels, monkeypatch):
    app = (
        opened("measures", measure="families", load="sample")
        if same_labels
        else opened_unmapped(monkeypatch, "measures", measure="families")
    )
    assert not app.exception and not app.error, texts(app)
    name = "doclaynet" if same_labels else "mixed"
    assert f"families:{name}|depth:1|sample:pixel|count:by side|v{__version__}" in texts(app)
    assert set(metrics(app)) == {"Right", "In the family", "Out of the family"}
    assert (metrics(app)["Right"] != "n/a") == same_labels  # where labels differ from gt's, nothing can be right
    best_first = ["DocLayNet", "docling", "Labels of several tools"]
    if not same_labels:
        best_first.reverse()
    assert app.selectbox(key="bar_families").options == [*best_first, "Every label alone"]


def test_choices_change_the_numbers_and_the_link():
    app = opened("measures", measure="families", load="sample")
    before = metrics(app)
    app.selectbox(key="bar_family_depth").set_value(2).run()
    deeper = metrics(app)
    # in smaller families fewer mistakes stay inside
    assert deeper["Right"] == before["Right"] and deeper["In the family"] != before["In the family"]
    app.selectbox(key="bar_family_count").set_value("gold")
    app.segmented_control(key="bar_family_sample").set_value("page")
    app.segmented_control(key="bar_family_given").set_value("pred")
    app.segmented_control(key="bar_matrix_depth").set_value(2)
    app.multiselect(key="open_families").set_value(["Body"])
    app.run()
    assert not app.exception and not app.error, texts(app)
    assert "depth:2|sample:page|count:gold" in texts(app) and "depth:2|expanded:Body" in texts(app)
    parameters = {name: value if isinstance(value, str) else value[0] for name, value in app.query_params.items()}
    again = opened("measures", **parameters)
    assert "depth:2|sample:page|count:gold" in texts(again) and "depth:2|expanded:Body" in texts(again)
    assert "the prediction's labels on pages" in texts(again) and metrics(again) == metrics(app)


def test_own_families_are_kept_in_the_link():
    app = opened("measures", measure="families", load="sample", families=json.dumps(OWN))
    assert not app.exception and app.selectbox(key="bar_families").options[-1] == "Your own"
    assert "families:2 given" in texts(app) and "5 labels are in no family" in texts(app)
    app.segmented_control(key="bar_matrix_depth").set_value(0).run()
    assert not app.exception and "depth:0" in texts(app)
    app.selectbox(key="bar_families").set_value("alone").run()
    assert not app.exception and "No families yet" in texts(app) and metrics(app)["In the family"] == "0 %"


@pytest.mark.parametrize("families", ['{"OOF":["Text"]}', "[" * 5000, "5"])
def test_nonsense_in_a_link_is_ignored(families):
    choices = {"family_depth": "99", "matrix_depth": "-1", "expanded": "[[1", "family": "no such", "family_view": "x"}
    app = opened("measures", measure="families", load="sample", families=families, **choices)
    assert not app.exception and not app.error and "families:doclaynet|depth:1" in texts(app)


def test_families_are_read_from_a_file():
    app = drop(opened(load="sample", measure="families"), ("mine.yaml", b"Words: [Text, Caption]\nRest: [Nix]"))
    app.switch_page("pages/measures.py").run()
    assert not app.exception and not app.error and "families:2 given" in texts(app)
    assert "1 label is named by the families and used by neither side" in texts(app)


def test_a_level_and_hostile_names():
    app = opened("measures", measure="families", load="sample", level="document", document="paper-1.pdf")
    assert not app.exception and "in document paper-1.pdf" in texts(app)
    boxes = [(i, [0, 5 * i, 50, 5]) for i in range(6)]
    gt, pred = ((name, coco(SCREEN, boxes), "application/json") for name in ("gt.json", "pred.json"))
    app = upload(opened(measure="families"), gt, pred)
    app.switch_page("pages/measures.py").run()
    assert (
        not app.exception
        and "100\u00a0% of the ground truth's labelled pixels in the whole set are right." in texts(app)
    )


def test_labels_can_be_ordered_by_family_elsewhere():
    app = opened("errors", load="sample", order="by family")
    assert not app.exception and not app.error
    assert matrices(app)[0]["column_names"][:4] == ["Background", "Title", "Section-header", "Text"]


def test_the_editor_and_the_link_keep_the_tree():
    tree = FamilyTree("", {"a": ("Text", "Body"), "b": ("Text",), "x": ("A / B",)})
    rows = rows_of(tree, ["b", "a", "c", "x"])
    assert rows == [
        {"label": "a", "family": "Text / Body"}, {"label": "b", "family": "Text"}, {"label": "x", "family": "A/B"},
        {"label": "c", "family": ""},
    ]  # fmt: skip
    assert tree_of(rows).paths == {"a": ("Text", "Body"), "b": ("Text",), "x": ("A/B",)}
    assert tree_of([{"label": "a", "family": None}, {"label": "b", "family": " / "}]).paths == {}
    assert from_text(as_text(tree)).paths == tree.paths
    assert as_yaml(FamilyTree("", {"مرحبا": ("😀",)})) == "😀: [مرحبا]\n"
