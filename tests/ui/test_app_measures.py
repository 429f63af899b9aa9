"""The page Measures: calibration, objects, soft scores, centroids, families, ranked pairs; without a truth."""

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest

from layoutcm import __version__
from layoutcm.metrics.family_trees import FamilyTree
from layoutcm.ui.measures import object_tables
from layoutcm.ui.measures.families import as_yaml
from layoutcm.ui.shared import data_tables
from layoutcm.ui.state.family_choice import as_text, from_text, rows_of, tree_of
from support.app_runner import (
    choose,
    coco,
    drop,
    figures,
    matrices,
    metrics,
    opened,
    opened_once,
    opened_unmapped,
    problems,
    table_with,
    texts,
    uploaded,
)
from support.hostile import SCREEN


def test_calibration_shows_the_worst_labels_and_the_charts_of_one(sample):
    app, curves = opened("measures", load="sample", measure="calibration"), sample.score_curves()
    ece, auc = curves.ece, curves.roc_auc
    assert metrics(app) == {
        "Largest ECE": f"{max(ece.values()):.3f}", "Median ECE": f"{np.median(list(ece.values())):.3f}",
        "Lowest ROC AUC": f"{min(auc.values()):.3f}", "Median ROC AUC": f"{np.median(list(auc.values())):.3f}",
    }  # fmt: skip
    assert "Footnote: its scores are farthest" in texts(app) and max(ece, key=ece.get) == "Footnote"
    shown = table_with(app, "roc_auc").set_index("label")
    assert shown["ece"].to_dict() == ece and shown["roc_auc"].to_dict() == auc
    app.selectbox(key="measures_curve_label").set_value("Table").run()
    reliability, roc = figures(app)
    wanted = curves.reliability("Table")
    assert reliability["data"][0]["y"] == wanted["share_in_gt"].dropna().tolist()
    assert f"ROC AUC {auc['Table']:.3f}" in roc["layout"]["title"]["text"]
    x, y = (np.array(roc["data"][0][axis]) for axis in "xy")
    assert np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2) == pytest.approx(auc["Table"], abs=1e-9)


def test_the_page_says_where_the_cap_of_ap_acts():
    app = opened_once("measures", load="sample")
    assert "No page has more, so all predictions count." in texts(app)
    boxes = [(0, [k % 10, k // 10, 1, 1]) for k in range(104)]
    pred = [{"image_id": 1, "category_id": 1, "bbox": box, "score": 0.5} for _, box in boxes]
    gt = ("gt.json", coco(["a"], boxes[:3]))
    app = uploaded(gt, ("pred.json", json.dumps(pred).encode()), page="measures")
    assert "Here this leaves out 4 predictions (p1.png: 104 of a)." in texts(app)


@cache
def visitor_without_truth():
    """One visitor for the tests of all measures."""
    return opened("measures", load="sample", truth="False")


@pytest.mark.parametrize(
    ("measure", "numbers"),
    [
        ("objects", {"PQ": "0.720", "AP": "n/a", "Share of A": "0.857", "Share of B": "0.865"}),
        ("families", {"Same label": "93.8 %", "In the family": "2.12 %", "Out of the family": "4.11 %"}),
        ("soft", {"Soft F1": "n/a"}),
        ("calibration", {"Calibration error": "n/a"}),
        ("centroids", {"Share of A": "0.860", "Share of B": "0.867"}),
    ],
)
def test_without_a_truth_the_words_are_those_of_agreement(measure, numbers):
    app = visitor_without_truth()
    choose(app, measure=measure)
    app.run()
    assert metrics(app) | numbers == metrics(app)
    words = texts(app).lower().replace("needs a ground truth", "")
    for word in ("ground truth", "recall", "precision", "missed", "invented", "mistake"):
        assert word not in words, (word, words[words.index(word) - 60 :][:120])


def test_method_recounts_pages_of_the_loaded_files():
    assert "Load files to recount them here" in texts(opened_once("method"))
    app = opened("method", load="sample")
    app.number_input(key="verify_pages").set_value(3)
    app.button(key="verify").click().run()
    assert not app.exception and not problems(app), texts(app)
    assert "3 of 60 pages recounted (seed 0)" in app.success[0].value.replace("\\", "")
    rows = table_with(app, "agrees")
    assert set(rows["agrees"]) == {"yes"} and "COCO's twelve numbers" in set(rows["quantity"])
    assert rows.set_index("quantity")["numbers"]["pixels"] == 3
    app.selectbox(key="bar_pred").set_value(1).run()  # model B has no scores
    app.button(key="verify").click().run()
    assert app.success[0].value.replace("\\", "").endswith("AP and AR: not checked.")
    assert table_with(app, "agrees")["agrees"].tolist()[-1] == "not checked"


LABELS = ["a", "b"]


def table(app):
    return next(frame.value for frame in app.dataframe if "outcome" in frame.value)


@pytest.fixture
def app():
    """a is found once and missed once, b is invented."""
    gt = ("gt.json", coco(LABELS, [(0, [0, 0, 10, 10]), (0, [20, 0, 10, 10])]))
    pred = (
        "pred.json",
        coco(LABELS, [(0, [0, 0, 10, 9]), (1, [0, 20, 9, 9]), (0, [40, 30, 9, 9])]),
    )
    app = uploaded(gt, pred)
    app.session_state["ranked_pairs_open"] = True
    app.switch_page("pages/measures.py").run()
    assert not app.exception and not problems(app), texts(app)
    return app


def test_pairs_are_shown_with_their_counts(app):
    assert table(app)["outcome"].tolist() == ["tp", "fp", "fn", "fp"]
    assert table(app)["label"].tolist() == ["a", "a", "a", "b"]
    shown = texts(app).replace("\u00a0", " ").replace("\u202f", " ")
    assert "True positives: 1 of 3 predictions. False positives: 2. False negatives: 1 of 2 objects" in shown
    assert "pairing:coco" in texts(app) and "The first" not in texts(app)
    ranked, joint = app.session_state["offers"]["pairs"]
    assert ranked.file == "ranked_pairs-pred-coco"
    assert ranked.table().data["outcome"].tolist() == ["tp", "fp", "fn", "fp"]
    assert joint.title == "All pairs of one label" and len(joint.table().data) == 4  # two of gt x two of pred


def test_pairing_and_outcomes_can_be_chosen(app):
    app.segmented_control(key="bar_pairing").set_value("ranked")
    app.multiselect(key="bar_outcomes").set_value(["fp"]).run()
    assert not app.exception and "pairing:ranked" in texts(app)
    assert table(app)[["label", "gt"]].astype(object).values.tolist()[0] == ["a", 1]  # IoU 0, but nothing else is free
    assert table(app)["outcome"].tolist() == ["fp", "fp"]
    assert "ranked" in app.query_params["pairing"] and '["fp"]' in app.query_params["outcomes"]


def test_only_the_first_rows_are_shown(monkeypatch, app):
    monkeypatch.setattr(data_tables, "STYLED_ROWS", 2)
    app.run()
    assert len(table(app)) == 2 and "The first 2 of 4 rows; the file has all of them." in texts(app)


def test_nothing_is_made_while_it_is_closed_and_nonsense_is_ignored():
    closed = opened_once("measures", load="sample", pairing="best", outcomes='["nix"]')
    assert not closed.exception and not any("outcome" in frame.value for frame in closed.dataframe)


def test_without_common_labels_the_page_says_why():
    app = opened_once("measures", load="sample", taxonomy="different")
    assert not app.exception and "there are no pairs of one label" in texts(app)


def test_rows_are_chosen_by_label_and_outcome():
    pairs = pd.DataFrame({"label": ["a", "a", "b"], "outcome": ["tp", "fn", "fn"]})
    assert object_tables.chosen_pairs(pairs, (), ()).equals(pairs)
    assert object_tables.chosen_pairs(pairs, ("a",), ("fn",)).index.tolist() == [1]


def plain_texts(app):
    return texts(app).replace("\\_", "_").replace("**", "").replace("\u00a0", " ")


def link_of(app):
    return {name: value if isinstance(value, str) else value[0] for name, value in app.query_params.items()}


def test_with_scores_the_page_has_an_ap(sample):
    app = opened_once("measures", load="sample")
    assert not app.exception and not problems(app), plain_texts(app)
    o = sample.objects()
    assert metrics(app) | {"AP": f"{o.ap:.3f}", "AP75": f"{o.ap75:.3f}", "AR100": f"{o.ar:.3f}"} == metrics(app)
    assert metrics(app)["Recall"] == f"{o.scores_at(0.5)['recall']:.3f}"
    assert f"ARlarge {o.summary['ARlarge']:.3f}" in plain_texts(app)
    assert table_with(app, "ap75")["ap"].tolist() == o.per_class["ap"].tolist()
    assert "objects:box|iou:0.50|rule:coco" in plain_texts(app)
    assert "85.7 % of 947 objects in the ground truth are found" in plain_texts(app)
    assert [trace["name"].split()[0] for trace in figures(app)[0]["data"]][:2] == ["Text", "List-item"]
    centroids = opened_once("measures", load="sample", measure="centroids")
    assert metrics(centroids)["Recall"] == f"{sample.centroids().recall:.3f}"
    soft = opened_once("measures", load="sample", measure="soft")
    assert table_with(soft, "dice")["label"].tolist()[1] == "all, together (micro)"


def test_choices_of_objects_are_in_the_link():
    app = opened("measures", load="sample")
    app.slider(key="bar_iou").set_value(0.75)
    app.segmented_control(key="bar_ap_rule").set_value("sum")
    app.multiselect(key="bar_curves").set_value(["Table", "Title"])
    app.segmented_control(key="bar_object_view").set_value("recall")
    app.run()
    assert not app.exception and not problems(app), plain_texts(app)
    assert "iou:0.75|rule:sum" in plain_texts(app)
    assert [trace["name"].split()[0] for trace in figures(app)[0]["data"]] == ["Table", "Title"]
    again = opened("measures", **link_of(app))
    assert not again.exception and metrics(again) == metrics(app)
    assert "iou:0.75|rule:sum" in plain_texts(again)


def test_choices_of_centroids_are_in_the_link():
    app = opened("measures", load="sample", measure="centroids")
    app.number_input(key="bar_tolerance_x").set_value(5.0)
    app.toggle(key="bar_one_to_one").set_value(False)
    app.toggle(key="bar_class_aware").set_value(False)
    app.run()
    assert "centroids:5x20|one_to_one:False|class_aware:False" in plain_texts(app)
    again = opened("measures", **link_of(app))
    assert "class_aware:False" in plain_texts(again) and metrics(again) == metrics(app)


def test_the_pages_behind_a_cell():
    app = opened_once("measures", load="sample", gt_label="Caption", pred_label="Text")
    assert "Caption read as Text: 9 objects on 9 pages" in plain_texts(app)
    behind = table_with(app, "objects")
    assert behind["objects"].sum() == 9 and behind["page"][0] == "paper-1_p3.png"
    link = {"load": "sample", "gt_label": "List-item", "pred_label": "Background"}  # missed objects have no match
    assert "List-item missed: 19 objects on 9 pages" in plain_texts(opened_once("measures", **link))
    app = opened_once("measures", **link, level="document", document="paper-2.pdf")
    assert "In document paper-2.pdf" in plain_texts(app) and "List-item missed: 4 objects on 1 page" in plain_texts(app)
    assert table_with(app, "objects")["page"].tolist() == ["paper-2_p2.png"]


def test_where_labels_differ_the_page_shows_what_is_defined(monkeypatch):
    app = opened_unmapped(monkeypatch, "measures", gt_label="Text", pred_label="text")
    assert not app.exception and not problems(app), plain_texts(app)
    assert metrics(app)["AP"] == metrics(app)["PQ"] == "n/a"
    assert "The two sides have different labels, so no object has its label found" in plain_texts(app)
    assert "71.2 % of 947 objects in the ground truth are found, whatever their labels" in plain_texts(app)
    assert not figures(app) and len(matrices(app)) == 1 and "Text overlaps text: 325 objects" in plain_texts(app)
    assert table_with(app, "recall")["gt"].sum() == 947
    assert "so there are no soft scores" in plain_texts(opened_unmapped(monkeypatch, "measures", measure="soft"))
    assert "class_aware:False" in plain_texts(opened_unmapped(monkeypatch, "measures", measure="centroids"))


def test_without_scores_there_is_no_ap_but_precision_and_recall():
    gt = ("gt.json", coco(SCREEN, [(i, [0, 5 * i, 50, 5]) for i in range(6)]))
    pred = ("pred.json", coco(SCREEN, [(i, [0, 5 * i, 40, 5]) for i in range(5)]))
    app = uploaded(gt, pred, page="measures")
    assert not app.exception and not problems(app), plain_texts(app)
    assert metrics(app)["AP"] == "n/a" and "The prediction has no scores" in plain_texts(app)
    # Five of six labels are found with an IoU of 4/5.
    assert metrics(app)["PQ"] == "0.667"
    assert "how many objects have a partner (RQ 0.833) times how well these fit (SQ 0.667)" in plain_texts(app)
    assert list(table_with(app, "tp"))[:6] == ["label", "gt", "pred", "pq", "sq", "rq"]
    assert "83.3 % of 6 objects in the ground truth are found, with their label; 100 % of 5" in plain_texts(app)
    assert not {"ap", "ap50", "ar", "ap_at"} & set(table_with(app, "tp"))
    assert {*table_with(app, "tp")["label"]} == {*SCREEN}
    assert table_with(app, "tp")[["tp", "fp", "fn"]].sum().tolist() == [5, 0, 1]
    assert "TP 5 &ensp; FP 0 &ensp; FN 1" in plain_texts(app)
    assert "a label has no curve, but one point" in plain_texts(app) and "AP rule" not in plain_texts(app)
    (matrix,), (points,) = matrices(app), figures(app)
    assert matrix["row_names"][:2] == SCREEN[:2] and matrix["margins"] == [6, 7]
    assert points["data"][1]["name"] == "&lt;/script&gt;"
    choose(app, measure="soft")
    app.run()
    assert "The prediction has no scores, so there are no soft scores" in plain_texts(app)


@pytest.mark.parametrize("level", [{"level": "page", "page": "report-1_p3.png"}, {"labels": '["Table", "Text"]'}])
def test_a_page_and_a_label_filter(level):
    app = opened_once("measures", load="sample", **level)
    assert not app.exception and not problems(app), plain_texts(app)
    if "labels" in level:
        assert matrices(app)[0]["row_names"] == ["Table", "Text", "invented"]
        assert table_with(app, "tp")["label"].tolist() == ["Table", "Text"] and metrics(app)["AP"] == "0.539"


def test_nonsense_in_a_link_is_ignored():
    nonsense = {"iou": "7", "ap_rule": "best", "curves": '["nix"]', "tolerance_x": "nan", "object_view": "x"}
    app = opened_once("measures", load="sample", **nonsense)
    assert not app.exception and not problems(app)
    assert "iou:0.50|rule:coco" in plain_texts(app)
    app = opened_once("measures", load="sample", measure="centroids", **nonsense)
    assert "centroids:20x20" in plain_texts(app)


OWN = {"Text": {"Headings": ["Title", "Section-header"], "Body": ["Text", "Caption"]}, "Floats": ["Picture", "Table"]}


@pytest.mark.parametrize("same_labels", [True, False])
def test_the_page_shows_the_sample(same_labels, monkeypatch):
    app = (
        opened("measures", measure="families", load="sample")
        if same_labels
        else opened_unmapped(monkeypatch, "measures", measure="families")
    )
    assert not app.exception and not problems(app), texts(app)
    name = "doclaynet" if same_labels else "mixed"
    assert f"families:{name}|depth:1|sample:pixel|count:by side|v{__version__}" in texts(app)
    assert set(metrics(app)) == {"Right", "In the family", "Out of the family"}
    assert (metrics(app)["Right"] != "n/a") == same_labels  # where labels differ from gt's, nothing can be right
    best_first = ["DocLayNet", "docling", "Labels of several tools"]
    if not same_labels:
        best_first.reverse()
    assert app.selectbox(key="bar_families").options == [*best_first, "Every label alone"]


def test_choices_of_families_are_in_the_link():
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
    assert not app.exception and not problems(app), texts(app)
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


def test_nonsense_about_families_is_ignored():
    wrong = {"family_depth": "99", "matrix_depth": "-1", "expanded": "[[1", "family": "no such", "family_view": "x"}
    app = opened_once("measures", measure="families", load="sample", families='{"OOF":["Text"]}', **wrong)
    assert not app.exception and not problems(app) and "families:doclaynet|depth:1" in texts(app)


@pytest.mark.parametrize("text", ['{"OOF":["Text"]}', "[" * 5000, "5"])
def test_a_text_that_is_not_a_tree(text):
    assert from_text(text) is None


def test_families_are_read_from_a_file():
    app = drop(opened(load="sample", measure="families"), ("mine.yaml", b"Words: [Text, Caption]\nRest: [Nix]"))
    app.switch_page("pages/measures.py").run()
    assert not app.exception and not problems(app) and "families:2 given" in texts(app)
    assert "1 label is named by the families and used by neither side" in texts(app)


def test_a_level_and_hostile_names():
    app = opened("measures", measure="families", load="sample", level="document", document="paper-1.pdf")
    assert not app.exception and "in document paper-1.pdf" in texts(app)
    boxes = [(i, [0, 5 * i, 50, 5]) for i in range(6)]
    gt, pred = ((name, coco(SCREEN, boxes)) for name in ("gt.json", "pred.json"))
    app = drop(opened(measure="families"), gt, pred).switch_page("pages/measures.py").run()
    assert not app.exception
    assert "100\u00a0% of the ground truth's labelled pixels in the whole set are right." in texts(app)


def test_labels_can_be_ordered_by_family_elsewhere():
    app = opened_once("errors", load="sample", order="by family")
    assert not app.exception and not problems(app)
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
