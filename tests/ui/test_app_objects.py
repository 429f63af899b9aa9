"""Objects, soft scores and centroids of Measures, empty and loaded, and their figures on Errors."""

import pytest

from support.app_runner import (
    choose,
    coco,
    figures,
    matrices,
    metrics,
    opened,
    opened_once,
    opened_unmapped,
    table_with,
    uploaded,
)
from support.app_runner import texts as typed_texts
from support.hostile import SCREEN


def texts(app):
    return typed_texts(app).replace("\\_", "_").replace("**", "").replace("\u00a0", " ")


def link_of(app):
    return {name: value if isinstance(value, str) else value[0] for name, value in app.query_params.items()}


def test_with_scores_the_page_has_an_ap(sample):
    app = opened_once("measures", load="sample")
    assert not app.exception and not app.error, texts(app)
    o = sample.objects()
    assert metrics(app) | {"AP": f"{o.ap:.3f}", "AP75": f"{o.ap75:.3f}", "AR100": f"{o.ar:.3f}"} == metrics(app)
    assert metrics(app)["Recall"] == f"{o.scores_at(0.5)['recall']:.3f}"
    assert f"ARlarge {o.summary['ARlarge']:.3f}" in texts(app)
    assert table_with(app, "ap75")["ap"].tolist() == o.per_class["ap"].tolist()
    assert "objects:box|iou:0.50|rule:coco" in texts(app)
    assert "85.7 % of 947 objects in the ground truth are found" in texts(app)
    assert [trace["name"].split()[0] for trace in figures(app)[0]["data"]][:2] == ["Text", "List-item"]
    centroids = opened_once("measures", load="sample", measure="centroids")
    assert metrics(centroids)["Recall"] == f"{sample.centroids().recall:.3f}"
    soft = opened_once("measures", load="sample", measure="soft")
    assert table_with(soft, "dice")["label"].tolist()[1] == "all, together (micro)"


def test_choices_change_the_numbers_and_the_link():
    app = opened("measures", load="sample")
    app.slider(key="bar_iou").set_value(0.75)
    app.segmented_control(key="bar_ap_rule").set_value("sum")
    app.multiselect(key="bar_curves").set_value(["Table", "Title"])
    app.segmented_control(key="bar_object_view").set_value("recall")
    app.run()
    assert not app.exception and not app.error, texts(app)
    assert "iou:0.75|rule:sum" in texts(app)
    assert [trace["name"].split()[0] for trace in figures(app)[0]["data"]] == ["Table", "Title"]
    again = opened("measures", **link_of(app))
    assert not again.exception and metrics(again) == metrics(app)
    assert "iou:0.75|rule:sum" in texts(again)


def test_choices_of_centroids_are_in_the_link():
    app = opened("measures", load="sample", measure="centroids")
    app.number_input(key="bar_tolerance_x").set_value(5.0)
    app.toggle(key="bar_one_to_one").set_value(False)
    app.toggle(key="bar_class_aware").set_value(False)
    app.run()
    assert "centroids:5x20|one_to_one:False|class_aware:False" in texts(app)
    again = opened("measures", **link_of(app))
    assert "class_aware:False" in texts(again) and metrics(again) == metrics(app)


def test_the_pages_behind_a_cell():
    app = opened_once("measures", load="sample", gt_label="Caption", pred_label="Text")
    assert "Caption read as Text: 9 objects on 9 pages" in texts(app)
    behind = table_with(app, "objects")
    assert behind["objects"].sum() == 9 and behind["page"][0] == "paper-1_p3.png"
    link = {"load": "sample", "gt_label": "List-item", "pred_label": "Background"}  # missed objects have no match
    assert "List-item missed: 19 objects on 9 pages" in texts(opened_once("measures", **link))
    app = opened_once("measures", **link, level="document", document="paper-2.pdf")
    assert "In document paper-2.pdf" in texts(app) and "List-item missed: 4 objects on 1 page" in texts(app)
    assert table_with(app, "objects")["page"].tolist() == ["paper-2_p2.png"]


def test_where_labels_differ_the_page_shows_what_is_defined(monkeypatch):
    app = opened_unmapped(monkeypatch, "measures", gt_label="Text", pred_label="text")
    assert not app.exception and not app.error, texts(app)
    assert metrics(app)["AP"] == metrics(app)["PQ"] == "n/a"
    assert "The two sides have different labels, so no object has its label found" in texts(app)
    assert "71.2 % of 947 objects in the ground truth are found, whatever their labels" in texts(app)
    assert not figures(app) and len(matrices(app)) == 1 and "Text overlaps text: 325 objects" in texts(app)
    assert table_with(app, "recall")["gt"].sum() == 947
    assert "so there are no soft scores" in texts(opened_unmapped(monkeypatch, "measures", measure="soft"))
    assert "class_aware:False" in texts(opened_unmapped(monkeypatch, "measures", measure="centroids"))


def test_without_scores_there_is_no_ap_but_precision_and_recall():
    gt = ("gt.json", coco(SCREEN, [(i, [0, 5 * i, 50, 5]) for i in range(6)]))
    pred = ("pred.json", coco(SCREEN, [(i, [0, 5 * i, 40, 5]) for i in range(5)]))
    app = uploaded(gt, pred, page="measures")
    assert not app.exception and not app.error, texts(app)
    assert metrics(app)["AP"] == "n/a" and "The prediction has no scores" in texts(app)
    # Five of six labels are found with an IoU of 4/5.
    assert metrics(app)["PQ"] == "0.667"
    assert "how many objects have a partner (RQ 0.833) times how well these fit (SQ 0.667)" in texts(app)
    assert list(table_with(app, "tp"))[:6] == ["label", "gt", "pred", "pq", "sq", "rq"]
    assert "83.3 % of 6 objects in the ground truth are found, with their label; 100 % of 5" in texts(app)
    assert not {"ap", "ap50", "ar", "ap_at"} & set(table_with(app, "tp"))
    assert {*table_with(app, "tp")["label"]} == {*SCREEN}
    assert table_with(app, "tp")[["tp", "fp", "fn"]].sum().tolist() == [5, 0, 1]
    assert "TP 5 &ensp; FP 0 &ensp; FN 1" in texts(app)
    assert "a label has no curve, but one point" in texts(app) and "AP rule" not in texts(app)
    (matrix,), (points,) = matrices(app), figures(app)
    assert matrix["row_names"][:2] == SCREEN[:2] and matrix["margins"] == [6, 7]
    assert points["data"][1]["name"] == "&lt;/script&gt;"
    choose(app, measure="soft")
    app.run()
    assert "The prediction has no scores, so there are no soft scores" in texts(app)


@pytest.mark.parametrize("level", [{"level": "page", "page": "report-1_p3.png"}, {"labels": '["Table", "Text"]'}])
def test_a_page_and_a_label_filter(level):
    app = opened_once("measures", load="sample", **level)
    assert not app.exception and not app.error, texts(app)
    if "labels" in level:
        assert matrices(app)[0]["row_names"] == ["Table", "Text", "invented"]
        assert table_with(app, "tp")["label"].tolist() == ["Table", "Text"] and metrics(app)["AP"] == "0.539"


def test_nonsense_in_a_link_is_ignored():
    nonsense = {"iou": "7", "ap_rule": "best", "curves": '["nix"]', "tolerance_x": "nan", "object_view": "x"}
    app = opened_once("measures", load="sample", **nonsense)
    assert not app.exception and not app.error
    assert "iou:0.50|rule:coco" in texts(app)
    app = opened_once("measures", load="sample", measure="centroids", **nonsense)
    assert "centroids:20x20" in texts(app)
