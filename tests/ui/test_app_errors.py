"""Errors: all numbers are those of the API for the chosen pages and sides."""

import json
from dataclasses import replace

import numpy as np
import pytest
import streamlit as st

import layoutcm as lcm
from layoutcm.models.cell_differences import cell_differences
from layoutcm.models.differences import comparison_of_pages, difference, difference_of_pages
from layoutcm.ui.errors import error_matrix
from layoutcm.ui.shared import top_bar
from layoutcm.wording import score_text, thin_spaced
from support.app_runner import choose, matrices, opened, opened_once, opened_unmapped, opened_with, problems, texts
from support.matrix_page import views_of
from support.paths import SAMPLE

TRUTH_WORDS = ("truth", "recall", "precision", "missed", "invented", "error", "wrong")


def of_category(compared, value):
    pages = [p for p, own in zip(compared.pages, compared.levels.pages.attributes["doc_category"]) if own == value]
    return comparison_of_pages(compared, pages)


def page_list(app):
    return next(json.loads(one.proto.json) for one in app.get("bidi_component") if '"sorted"' in one.proto.json)


def model_b():
    gt, b = (lcm.read(SAMPLE / name) for name in ("gt.json", "model-b.csv"))
    return lcm.compare(gt, b, mapping=SAMPLE / "mapping.yaml")


def test_the_matrix_has_the_numbers_of_the_api(sample):
    (data,) = matrices(opened_once("errors", load="sample"))
    np.testing.assert_array_equal(views_of(data)["recall"], sample.confusion().recall)
    assert data["clickable"] and data["headers"] and data["groups"] == []
    (data,) = matrices(opened_once("errors", load="sample", grouping="2x2", view="precision"))
    small = sample.confusion().collapse()
    assert data["view"] == "precision" and data["row_names"] == small.labels and not data["clickable"]
    np.testing.assert_array_equal(views_of(data)["precision"], small.precision)
    (data,) = matrices(opened_once("errors", load="sample", grouping="families"))
    assert {"Text", "Section-header"} <= {data["row_names"][k] for group in data["groups"] for k in group["rows"]}


def test_objects_are_those_at_the_chosen_iou(sample):
    app = opened_once("errors", load="sample", counted="objects", iou="0.75", gt_label="Caption", pred_label="Text")
    (data,) = matrices(app)
    expected = sample.objects().confusion_at(0.75)
    assert data["row_names"][-1] == "invented" and data["column_names"][-1] == "missed" and data["unit"] == "objects"
    i, j = data["row_names"].index("Caption"), data["column_names"].index("Text")
    assert data["models"][0]["mass"][i][j] == expected.loc["Caption", "Text"]
    assert data["models"][0]["mass"][i][-1] == expected.loc["Caption", "missed"]
    count = int(expected.loc["Caption", "Text"])
    assert f"{count} objects on " in texts(app) or f"{count} object on " in texts(app)


def test_a_facet_chooses_pages_and_every_number_is_theirs(sample):
    letters = of_category(sample, "letter")
    app = opened_once("errors", load="sample", attribute="doc_category=letter", **{"class": "Text"})
    (data,) = matrices(app)
    place = [letters.labels.index(label) for label in data["row_names"]]
    np.testing.assert_array_equal(views_of(data)["recall"], letters.confusion().recall[np.ix_(place, place)])
    shown = app.dataframe[0].value.set_index("label")
    expected = letters.confusion().classes().set_index("label").loc[shown.index]
    assert shown["f1"].to_numpy() == pytest.approx(expected["f1"].to_numpy(), nan_ok=True)
    rows = page_list(app)["rows"]
    assert [row["name"] for row in rows] == letters.page_table()["page"].tolist()
    assert rows[0]["cells"][2] == score_text(letters.page_table()["f1"][0])
    value = letters.confusion().classes().set_index("label").loc["Text"]
    assert f"Precision {value.precision:.3f}, Recall {value.recall:.3f}, F1 {value.f1:.3f}" in texts(app)
    assert "of 8 pages" in texts(app) and "chosen:pages with doc_category letter" in texts(app)


@pytest.mark.parametrize("facet", ["has_label", "cause"])
def test_pages_with_a_label_or_a_cause(facet, sample):
    if facet == "has_label":
        pages = [p for p in sample.pages if (m := sample.confusion(page=p)).gt_pixels[3] + m.pred_pixels[3] > 0]
        app = opened_once("errors", load="sample", has_label=sample.labels[3])
    else:
        pages = [page for page in sample.pages if sample.causes(page=page).totals["merge"] > 0]
        app = opened_once("errors", load="sample", cause="merge", gt_label="Text", pred_label="List-item")
        behind = comparison_of_pages(sample, pages).pages_behind("Text", "List-item")
        assert f"px on {len(behind)} of {len(pages)} pages" in texts(app)
    (data,) = matrices(app)
    assert 0 < len(pages) < 60
    total = comparison_of_pages(sample, pages).confusion().values.sum()
    assert np.sum(data["models"][0]["mass"]) == pytest.approx(total)


def test_no_page_is_said(sample):
    app = opened_once("errors", load="sample", attribute="doc_category=letter", has_label="Formula")
    assert not app.exception
    assert "No page is chosen by: pages with doc_category letter, pages with Formula." in texts(app)
    assert app.query_params["has_label"] == "Formula"  # the run went on to its end
    nonsense = opened_once("errors", load="sample", attribute="a=b", has_label="?", cause="?", versus="document=x")
    assert not nonsense.exception and "of 60 pages" in texts(nonsense) and len(matrices(nonsense)[0]["models"]) == 1


def test_two_document_types_are_two_sides(sample):
    app = opened("errors", load="sample", attribute="doc_category=paper", versus="doc_category=invoice")
    (data,) = matrices(app)
    first, second = of_category(sample, "invoice"), of_category(sample, "paper")  # in the order of their names
    assert [model["name"] for model in data["models"]] == ["A: invoice", "B: paper"]
    for model, side in zip(data["models"], (first, second)):
        assert np.sum(model["mass"]) == pytest.approx(side.confusion().values.sum())
    row = app.dataframe[0].value.set_index("figure").loc["content F1, against Background"]
    found = difference_of_pages(sample, first.pages, second.pages).set_index("figure").loc["content_f1"]
    assert row["first"] == pytest.approx(first.content()["f1"])
    assert row["second"] == pytest.approx(second.content()["f1"])
    for name in ("difference", "difference_low", "difference_high", "first_low", "second_high"):
        assert row[name] == found[name] or np.isnan(found[name])
    assert row["verdict"] == found["verdict"] and "no paired test applies" in texts(app)
    choose(app, beside="difference")
    (data,) = matrices(app.run())
    expected = second.confusion().values - first.confusion().values
    choose(app, view="pixels")
    (data,) = matrices(app.run())
    np.testing.assert_allclose(np.array(data["difference"]["values"], float), expected)
    assert data["difference"]["verdicts"] is None and "the plain difference" in texts(app)


def test_two_predictions_side_by_side_and_their_difference(sample):
    app = opened("errors", load="sample", other="1")
    (data,) = matrices(app)
    assert [model["name"] for model in data["models"]] == ["A: model-a.json", "B: model-b.csv"]
    np.testing.assert_array_equal(views_of(data)["recall"][1:12, 1:12], sample.confusion().recall[1:12, 1:12])
    found = lcm.difference(sample, model_b())
    table = app.dataframe[0].value.set_index("figure")
    row = table.loc["macro F1, without Background"]
    assert row["first"] == sample.result().measures["macro.f1"]
    assert [row[f"difference{end}"] for end in ("", "_low", "_high")] == list(found.figures["macro_f1"][:3])
    assert row["verdict"] == found.verdict("macro_f1") == "worse"
    choose(app, beside="difference")
    (data,) = matrices(app.run())
    cells = cell_differences(sample, model_b(), "recall", data["row_names"])
    np.testing.assert_array_equal(np.array(data["difference"]["values"], float), cells.values)
    assert data["difference"]["verdicts"] == cells.verdicts.tolist()
    assert "B: model-b.csv minus A: model-a.json" in texts(app) and "95 % interval" in texts(app)
    assert data["difference"]["order"] == [1, 0]  # as the heading above the matrix says
    choose(app, level="page", page=sample.pages[0])
    app.run()
    assert {*np.ravel(matrices(app)[0]["difference"]["verdicts"])} <= {"too few documents", None}
    assert "With 1 page nothing can be called better or worse: 6 are needed." in texts(app)


def test_the_cell_of_two_predictions_has_both_values_and_the_verdict(sample):
    link = {"load": "sample", "other": "1", "beside": "difference", "gt_label": "Caption", "pred_label": "Text"}
    app = opened_once("errors", **link)
    cell = cell_differences(sample, model_b()).of_labels(["Caption"], ["Text"])
    a, b = (100 * one.confusion().recall[one.cell("Caption", "Text")] for one in (sample, model_b()))
    ends = f"({100 * cell.low[0, 0]:+.2f} to {100 * cell.high[0, 0]:+.2f}), "
    assert f"Recall: A {a:.3g} %, B {b:.3g} %; B minus A: {b - a:+.2f} points {ends}" in texts(app)


@pytest.mark.parametrize("link", [{"other": "1"}, {"attribute": "doc_category=letter", "versus": "doc_category=paper"}])
def test_classes_are_those_of_both_sides(link, sample):
    app = opened_once("errors", load="sample", **link)
    assert not app.exception and not problems(app)
    both = (sample, model_b()) if "other" in link else (of_category(sample, "letter"), of_category(sample, "paper"))
    table = next(one.value for one in app.dataframe if {"label", "first", "second"} <= set(one.value))
    for row in table.to_dict("records"):
        for side, compared in zip(("first", "second"), both):
            expected = compared.confusion().classes().set_index("label")["f1"].get(row["label"], np.nan)
            assert row[side] == pytest.approx(expected, nan_ok=True)
    if "other" in link:
        tests = difference(sample, model_b()).classes().query("score == 'f1'").set_index("label")["verdict"]
        assert dict(zip(table["label"], table["verdict"])) == {one: tests[one] or "–" for one in table["label"]}


def test_a_click_in_the_second_matrix_shows_the_second_prediction(monkeypatch):
    clicks = []
    monkeypatch.setattr(
        error_matrix.matrix_panel, "show_matrix", lambda data, key, choose: clicks.append((data, choose))
    )
    app = opened("errors", load="sample", other="1")
    data, choose_cell = clicks[-1]
    row, column = data["row_names"].index("Caption"), data["column_names"].index("Text")
    st.session_state["choices"] = app.session_state["choices"]
    choose_cell({"kind": "cell", "row": data["rows"][row], "column": data["columns"][column], "model": 1, "n": 1})
    app.session_state["choices"] = st.session_state["choices"]
    app.run()
    now = app.session_state["choices"]
    assert (now.pred, now.other, now.gt_label, now.pred_label) == (1, 0, "Caption", "Text")
    assert [model["name"] for model in clicks[-1][0]["models"]] == ["A: model-a.json", "B: model-b.csv"]  # unchanged
    other = model_b()
    pages = other.pages_behind("Caption", "Text")
    pixels = thin_spaced(other.confusion().values[other.cell("Caption", "Text")])
    assert f"{pixels} px on {len(pages)} of 60 pages" in texts(app) and "model-b.csv" in texts(app)
    st.session_state["choices"] = now
    choose_cell({"kind": "column", "column": data["columns"][column], "model": 1, "n": 2})
    assert st.session_state["choices"].class_name == "Text" and st.session_state["choices"].gt_label == ""
    choose_cell({"kind": "group", "group": "F", "open": ["F"], "n": 3})
    assert st.session_state["choices"].open_groups == ("F",)


def test_a_label_that_only_the_other_prediction_has():
    mapping = {"preds": {"2": {"Formula": "Extra"}}}
    gt = lcm.read(SAMPLE / "gt.json")
    c = lcm.read(SAMPLE / "model-c.json", like=gt)
    other = lcm.compare(gt, c, taxonomy="same", mapping={"pred": mapping["preds"]["2"]})
    behind = other.pages_behind("Formula", "Extra")
    link = {"load": "sample", "mapping": json.dumps(mapping), "taxonomy": "same"}
    app = opened("errors", **link, other="2", gt_label="Formula", pred_label="Extra")
    assert not app.exception and not problems(app) and len(behind)
    assert "0 % of Formula, 0 px on 0 of 60 pages" in texts(app)  # of model-a.json
    choose(app, pred=2, other=0)
    app.run()
    assert f"{thin_spaced(behind['pixels'].sum())} px on {len(behind)} of 60 pages" in texts(app)
    choose(app, gt_label="", pred_label="", class_name="Extra", pred=0, other=2)
    app.run()
    assert not app.exception and "0 px wrong on 0 of 60 pages" in texts(app)


def test_matrices_that_cannot_be_compared_say_why(monkeypatch):
    files = [str(SAMPLE / name) for name in ("gt.json", "model-a.json", "model-b.csv")]
    app = opened_with(monkeypatch, files, "errors", other="1")
    assert not app.exception and not matrices(app)
    assert "The two cannot be compared" in texts(app) and "map labels that differ" in texts(app)
    assert "Compare with" not in texts(opened_unmapped(monkeypatch, "errors"))


def test_one_value_filters_and_two_are_compared():
    app = opened("errors", load="sample")
    pills = lambda: next(one for one in app.pills if one.label == "Values")
    pills().set_value(["invoice"]).run()
    assert app.session_state["choices"].attribute == "doc_category=invoice"
    pills().set_value(["invoice", "paper"]).run()
    now = app.session_state["choices"]
    assert (now.attribute, now.versus) == ("doc_category=invoice", "doc_category=paper")
    pills().set_value(["invoice", "paper", "letter"]).run()
    assert app.session_state["choices"].versus == "doc_category=letter"  # the newest replaces the second
    pills().set_value([]).run()
    assert (app.session_state["choices"].attribute, app.session_state["choices"].versus) == ("", "")
    assert top_bar.MOST_PILLS < 30  # documents of the sample are in a list
    app.selectbox(key="facets_facet").set_value("document").run()
    app.multiselect(key="facet_values_document").set_value(["paper-1.pdf", "letter-1.pdf"]).run()
    names = [model["name"] for model in matrices(app)[0]["models"]]
    assert sorted(names) == ["A: paper-1.pdf", "B: letter-1.pdf"]


def test_the_list_has_a_cell_for_every_column_when_labels_differ(monkeypatch):
    listed = page_list(opened_unmapped(monkeypatch, "errors"))
    assert [one["name"] for one in listed["columns"]] == ["page", "document", "f1", "content_f1", "pixels"]
    assert {len(row["cells"]) for row in listed["rows"]} == {5}


def test_the_list_is_sorted_and_paged(sample):
    app = opened("errors", load="sample", sorted_by="-pixels", list_page="1")
    table = sample.page_table()[["page", "pixels"]].sort_values("pixels", ascending=False, kind="stable")
    assert [row["name"] for row in page_list(app)["rows"]] == table["page"].tolist()[12:24]
    app.button(key="list_Next").click().run()
    assert app.session_state["choices"].list_page == 2
    documents = page_list(opened("errors", load="sample", listed="document"))
    assert [row["name"] for row in documents["rows"]] == sample.document_table()["document"].tolist()[:12]
    assert documents["rows"][0]["cells"][2] == score_text(sample.document_table()["f1"][0])


def test_without_a_truth_no_word_says_that_one_side_is_right(sample):
    app = opened("errors", load="sample", truth="False")
    plain = app.session_state["choices"]
    for more in ({"class_name": "Text"}, {"gt_label": "Text", "pred_label": "Table"}, {"other": 2},
                 {"counted": "objects"}, {"grouping": "2x2"}):  # fmt: skip
        app.session_state["choices"] = replace(plain, **more)
        app.run()
        assert not app.exception and not problems(app)
        said = texts(app).lower()
        assert not [word for word in TRUTH_WORDS if word in said.replace("no truth: a and b", "")], more
        (data,) = matrices(app)
        assert data["sides"] == ["A", "B"] and data["view_names"]["recall"] == "share of A"
        assert not set(data["column_names"]) & {"missed"}
        assert not {"precision", "recall", "f1"} & {name for one in app.dataframe for name in one.value}
    shown = next(t.value for t in app.dataframe if "agreement" in t.value)
    both = shown.set_index("label").loc["Text"]
    assert both["both_pixels"] <= min(both["a_pixels"], both["b_pixels"])
    listed, compared = page_list(app), replace(sample, has_truth=False)
    assert [column["title"] for column in listed["columns"]] == ["page", "document", "agreement", "pixels"]
    assert [row["name"] for row in listed["rows"]] == compared.result().page_table()["page"].tolist()[:12]
    assert listed["sorted"] == "agreement"
    assert listed["rows"][0]["cells"][2] == score_text(compared.page_table()["agreement"][0])


def test_many_labels_open_in_groups_and_nothing_is_dropped_silently(tmp_path, monkeypatch):
    labels = [f"class {i:02d}" for i in range(74)]
    at = lambda i, page: {"id": 100 * page + i, "image_id": page, "bbox": [0, 5 * i, 50, 5]}
    box = lambda i, page, label: at(i, page) | {"category_id": label + 1}
    for name, shift in (("gt", 0), ("pred", 1)):
        data = {
            "images": [{"id": page, "width": 50, "height": 400, "file_name": f"p{page}.png"} for page in (1, 2)],
            "categories": [{"id": i + 1, "name": label} for i, label in enumerate(labels)],
            # On the second page, every label is read as its neighbour.
            "annotations": [box(i, 1, i) for i in range(74)] + [box(i, 2, i ^ shift) for i in range(74)],
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(data))
    files = [str(tmp_path / f"{name}.json") for name in ("gt", "pred")]
    app = opened_with(monkeypatch, files, "errors")
    (data,) = matrices(app)
    assert not app.exception and len(data["row_names"]) == 75
    grouped = sum(len(group["rows"]) for group in data["groups"])
    assert len(data["groups"]) + 75 - grouped <= 20 and "Bars of 40 of 74 labels" in texts(app)
    choose(app, worst_rows=True, all_bars=True)
    (data,) = matrices(app.run())
    assert len(data["row_names"]) == 10 and not data["groups"] and data["column_names"][-1].startswith("other (")
    totals = data["models"][0]["gt_totals"]
    assert np.sum(data["models"][0]["mass"], axis=1) == pytest.approx(totals)  # nothing of the rows is missing
    assert "Bars of 74 of 74 labels" in texts(app)
