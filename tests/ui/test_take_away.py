"""Take it away: every view offers what it shows, in the state in which it is shown; the whole report."""

import html
import io
import json
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.tables.written_forms import csv_text, with_joined_ends
from layoutcm.ui.shared.take_away import NOTHING_HERE, figure_file
from layoutcm.wording import difference_text, score_text
from support.app_runner import choose, coco, model_row, opened, opened_once, problems, take_away, texts, uploaded
from support.hostile import SCREEN
from support.paths import SAMPLE

LOOK = {"width": None, "caption": True}
MEASURES = {
    "objects": ["Object matrix: objects", "Precision over recall", "Objects by label, at IoU 0.50",
                "Objects, all numbers"],
    "families": ["Labels in and out of families", "Family Text: recall", "Matrix in families: recall"],
    "soft": ["Soft scores"],
    "calibration": ["Reliability of Footnote", "ROC of Footnote", "ROC AUC and ECE of labels"],
    "centroids": ["Regions matched by their centres"],
}  # fmt: skip


def offered(app):
    """{title: offer} of the page."""
    assert not app.exception and not problems(app), texts(app)
    return {one.title: one for many in app.session_state["offers"].values() for one in many}


def csv_of(offer):
    return pd.read_csv(io.StringIO(csv_text(offer.table())))


def downloads(app):
    return [element.label for element in app.get("download_button")]


def test_errors_offers_its_matrix_in_the_chosen_state(sample):
    state = {"view": "precision", "labels": '["Table", "Text"]', "level": "document", "document": "paper-2.pdf"}
    found = offered(opened_once("errors", load="sample", method="tensor", **state))
    assert list(found) == ["Matrix: precision", "Classes", "Pages"]
    one = found["Matrix: precision"]
    assert one.file == "precision-model-a-paper-2-Table+Text-tensor"
    confusion = sample.confusion(document="paper-2.pdf", method="tensor")
    table = csv_of(one)
    assert table.iloc[:, 0].tolist() == ["Background", "Text", "other (9 labels)"]  # the document has no Table
    text = confusion.labels.index("Text")
    assert table["Text"][1] == pytest.approx(confusion.precision[text, text])
    assert figure_file(one, "pdf", LOOK).startswith(b"%PDF")
    assert figure_file(found["Classes"], "pdf", LOOK).startswith(b"%PDF")
    assert csv_of(found["Classes"])["label"].tolist() == ["Text", "Background"]  # without Table, the lowest F1 first
    assert csv_of(found["Pages"])["page"].tolist() == ["paper-2_p1.png", "paper-2_p2.png"]


def test_errors_offers_the_pages_behind_a_cell_and_the_two_by_two(sample):
    found = offered(opened_once("errors", load="sample", gt_label="Caption", pred_label="Text"))
    behind = csv_of(found["Pages behind Caption read as Text"])
    assert behind["pixels"].tolist() == sample.pages_behind("Caption", "Text")["pixels"].tolist()
    small = offered(opened_once("errors", load="sample", grouping="2x2"))["2x2: recall"]
    assert small.file == "2x2-recall-model-a" and len(csv_of(small)) == 2


def test_errors_offers_two_predictions_side_by_side_or_their_difference(sample):
    mapping = SAMPLE / "mapping.yaml"
    other = lcm.compare(lcm.read(SAMPLE / "gt.json"), lcm.read(SAMPLE / "model-b.csv"), mapping=mapping)
    own, second = sample.confusion().recall, other.confusion().recall
    beside = offered(opened_once("errors", load="sample", other="1"))["Matrices side by side: recall"]
    table = csv_of(beside)
    assert beside.file == "recall-model-a-beside-model-b"
    assert table["model"].unique().tolist() == ["A: model-a.json", "B: model-b.csv"]
    np.testing.assert_allclose(table.iloc[:, 2:].to_numpy(), np.concatenate([own, second]))
    assert figure_file(beside, "pdf", LOOK).startswith(b"%PDF")
    link = {"other": "1", "beside": "difference"}
    minus = offered(opened_once("errors", load="sample", **link))["Difference: recall, model-b minus model-a"]
    assert minus.file == "difference-recall-model-b-minus-model-a"
    np.testing.assert_allclose(csv_of(minus).iloc[:, 1:].to_numpy(), second - own)
    assert figure_file(minus, "svg", LOOK).startswith(b"<?xml")


def test_models_offers_its_tables_and_charts():
    found = offered(opened_once("models", load="sample"))
    assert set(found) == {
        "Leaderboard", "Classes x predictions", "Score threshold, all labels", "Causes of errors", "Slices",
        "Pages on which the predictions differ most",
    }  # fmt: skip
    board = csv_of(found["Leaderboard"])
    assert set(board["model"]) == {"model-a.json", "model-b.csv", "model-c.json"}
    assert csv_of(found["Causes of errors"])["cause"].tolist()[:2] == ["slack", "label"]
    for title in ("Classes x predictions", "Score threshold, all labels", "Causes of errors", "Slices"):
        assert figure_file(found[title], "svg", LOOK).startswith(b"<?xml")
    other = offered(opened_once("models", load="sample", model_values="difference"))
    minus = other["Classes x predictions, differences from model-a.json"]
    values = csv_of(minus).set_index("label")["difference: model-c.json"]
    f1 = csv_of(found["Classes x predictions"]).set_index("label")
    expected = (f1["f1: model-c.json"] - f1["f1: model-a.json"])[values.index]
    np.testing.assert_allclose(values, expected)
    assert minus.file == "model_classes-minus-model-a.json" and figure_file(minus, "svg", LOOK)


def test_the_leaderboard_has_the_columns_intervals_and_words_of_the_screen():
    app = opened_once("models", load="sample")
    board = offered(app)["Leaderboard"].table()
    of = lambda title: [title, f"{title}, low", f"{title}, high"]
    pixels = [*of("micro F1"), *of("macro F1"), *of("content F1")]
    tested = [*of("difference"), "p", "verdict", "remark"]
    assert board.headings() == ["model", *pixels, "AP", "panoptic quality", "object F1", *tested]
    joined = lambda title: [title, f"interval of {title}"]
    text = with_joined_ends(board)
    assert text.headings()[1:7] == [*joined("micro F1"), *joined("macro F1"), *joined("content F1")]
    board = replace(text, data=text.data.set_axis(text.headings(), axis=1))
    for _, row in board.data.iterrows():
        shown = model_row(app, row["model"])
        ap = "n/a" if np.isnan(row["AP"]) else score_text(row["AP"])
        assert f"<td>{ap}" in shown
        assert f"<td>{score_text(row['panoptic quality'])}</td>" in shown
        for title in ("micro F1", "macro F1", "content F1"):
            ends = row[f"interval of {title}"].text()
            assert f'<td>{score_text(row[title])}<small class="ends">{ends}</small>' in shown
        if row["verdict"] == "baseline":
            continue
        assert f"<td>{difference_text(row['difference'])}, " in shown
        assert f'<small class="ends">{row["interval of the difference"].text()}</small>' in shown
        assert f"<small>p {html.escape(score_text(row['p']))}" in shown
        assert row["verdict"] in shown
        assert row["remark"] in shown


def test_classes_have_the_intervals_of_the_bars(sample):
    app = opened_once("errors", load="sample")
    table = csv_of(offered(app)["Classes"]).set_index("label")
    found = sample.bootstrap().class_rows
    shown = next(one.value for one in app.dataframe if "iou" in one.value).set_index("label")
    assert sorted(table.index) == sorted(shown.index)
    for label in table.index:
        row = found[label, "f1"]
        ends = [row[end] for end in ("value", "low", "high")]
        assert table.loc[label, ["f1", "f1_low", "f1_high"]].tolist() == pytest.approx(ends, nan_ok=True)
        assert shown.loc[label, "f1"] == pytest.approx(table.loc[label, "f1"], nan_ok=True)


def test_page_and_ground_truth_offer_what_they_show(sample):
    found = offered(opened_once("page", load="sample", page="paper-1_p3.png", gt_label="Caption", pred_label="Text"))
    cell = "Pixels of Caption read as Text"
    assert list(found)[:3] == ["Page with both layouts", cell, "Packed words"]
    assert found["Page with both layouts"].file == "overlay-model-a-paper-1_p3"
    assert csv_of(found["Packed words"])["pixels"].sum() == sample.counts(page="paper-1_p3.png").total
    assert figure_file(found[cell], "png", LOOK).startswith(b"\x89PNG")
    found = offered(opened_once("ground_truth", load="sample"))
    assert list(found) == ["Candidates: all", "Agreement"] and len(csv_of(found["Candidates: all"])) > 10


@cache
def on_measures():
    """One visitor for the tests of all measures."""
    return opened("measures", load="sample")


@pytest.mark.parametrize("measure", MEASURES)
def test_measures_offers_what_it_shows(measure):
    choose(on_measures(), measure=measure)
    found = offered(on_measures().run())
    assert list(found) == MEASURES[measure]
    for one in found.values():
        assert one.draw is None or figure_file(one, "svg", LOOK).startswith(b"<?xml")
        assert one.table is None or len(csv_of(one)) > 1


def test_the_dialog_has_a_button_for_every_file_and_a_preview():
    app = take_away("errors", load="sample")
    keys = [button.proto.id.split("-")[-1] for button in app.get("download_button")]
    suffixes = ("png", "svg", "pdf", "csv", "tex", "md")
    assert [key for key in keys if key.endswith("_0")] == [f"take_{suffix}_0" for suffix in suffixes]
    assert len(app.get("image")) == 1
    app.selectbox(key="report_width").set_value("two").run()
    assert not app.exception and not problems(app) and len(app.get("image")) == 1
    method = opened("method", load="sample")
    method.button(key="take_away").click().run()
    assert NOTHING_HERE in texts(method) and downloads(method) == ["Save this session"]


def test_tables_mark_text_that_a_spreadsheet_would_compute():
    boxes = [(i, [0, 5 * i, 50, 5]) for i in range(6)]
    files = ((name, coco(SCREEN, boxes)) for name in ("gt.json", "pred.json"))
    app = uploaded(*files, page="errors")
    assert '"\'=1+1"' in csv_text(offered(app)["Classes"].table())


def test_the_report_is_of_all_predictions_and_is_downloaded_as_a_zip_or_file_by_file(quick):
    app = take_away(load="sample")
    app.button(key="make_report").click().run()
    assert not app.exception and not problems(app)
    assert any("Everything as a zip" in label for label in downloads(app))
    members = app.selectbox(key="report_member")
    assert members.value == "index.html" and app.session_state["report_made"][2] == "gt-predictions-report.zip"
    assert {f"{name}/report.html" for name in ("model-a", "model-b", "model-c")} <= set(members.options)
    choose(app, method="tensor")
    app.run()
    assert any(button.key == "make_report" for button in app.button)  # another method, another report


def test_with_one_prediction_the_report_is_of_this_one(monkeypatch):
    files = [str(SAMPLE / name) for name in ("gt.json", "model-a.json")]
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"files": files}))
    app = take_away(load="start")
    app.button(key="make_report").click().run()
    members = app.selectbox(key="report_member")
    assert members.value == "report.html" and app.session_state["report_made"][2] == "model-a-report.zip"


@pytest.mark.parametrize("link", [{}, {"other": "1"}, {"truth": "False"}])
@pytest.mark.parametrize("listed", ["page", "document"])
def test_files_of_errors_have_the_rows_columns_and_numbers_of_the_screen(link, listed):
    app = opened_once("errors", load="sample", listed=listed, **link)
    found = {one.file.split("-")[0]: one.table() for one in offered(app).values() if one.table}
    (shown,) = (one.value for one in app.dataframe if "label" in one.value)
    classes = found["classes" if "truth" not in link else "label_agreement"].data
    pd.testing.assert_frame_equal(
        classes.set_axis(shown.columns, axis=1).set_axis(shown.index), shown, check_dtype=False
    )
    rows = next(json.loads(one.proto.json) for one in app.get("bidi_component") if '"sorted"' in one.proto.json)
    table = found[f"{listed}s"]
    assert table.headings() == [column["title"] for column in rows["columns"]]
    assert table.data[listed].tolist()[:12] == [row["name"] for row in rows["rows"]]
