"""The page Measures: calibration, objects, soft scores, centroids, families, ranked pairs; without a truth."""

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest

from layoutcm.ui.measures import object_tables
from support.app_runner import choose, coco, figures, metrics, opened, opened_once, table_with, texts, uploaded


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
    assert not app.exception and not app.error, texts(app)
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
    assert not app.exception and not app.error, texts(app)
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
    monkeypatch.setattr(object_tables, "ROWS_SHOWN", 2)
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
