"""`load_result`: matrices, tables and figures from a result.json, also of schema 1.0, are those of the comparison."""

import copy
import json

import msgspec
import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.drawing.paper import charts
from layoutcm.drawing.paper.figure_style import figure_bytes
from layoutcm.drawing.paper.matrix import collapsed_figure, difference_figure, matrix_figure
from layoutcm.drawing.row_charts import class_bars
from layoutcm.drawing.web.matrix_data import matrix_data
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.metrics.scores import AVERAGES
from layoutcm.report import report_files
from layoutcm.tables import tables
from layoutcm.tables.interval_texts import resampling_text
from layoutcm.tables.matrix_views import VIEWS, select
from support.comparisons import compare_sample, different_labels, one_label_pages, three_pages
from support.layouts import build
from support.results import full_result

METHODS = ["matrix", "tensor"]


def reloaded(c, method="matrix", **asked):
    return lcm.load_result(result_of(c, method, Asked(per_page=True, **asked)).to_json())


def assert_tables_equal(found, expected):
    pd.testing.assert_frame_equal(found, expected, rtol=0, atol=1e-12)


def assert_same_confusion(found, expected):
    assert (found.labels, found.method, found.recipe) == (expected.labels, expected.method, expected.recipe)
    assert (found.diagonal, found.sides, found.visible) == (expected.diagonal, expected.sides, expected.visible)
    for name in ("values", "recall_mass", "precision_mass", "recall", "precision", "f1", "pred_pixels", "gt_pixels"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert_tables_equal(found.classes(), expected.classes())
    pairs = [(found.content(), expected.content()), ({"x": found.right}, {"x": expected.right})]
    for background in (False, True):
        pairs += [(found.average(kind, background), expected.average(kind, background)) for kind in AVERAGES]
    for one, other in pairs:
        assert one == pytest.approx(other, abs=1e-12, nan_ok=True)
    np.testing.assert_array_equal(found.collapse().recall, expected.collapse().recall)
    np.testing.assert_array_equal(found.collapse().precision, expected.collapse().precision)
    assert_tables_equal(tables.collapsed_table(found).data, tables.collapsed_table(expected).data)
    assert_tables_equal(tables.confusions_table(found).data, tables.confusions_table(expected).data)


@pytest.mark.parametrize("method", METHODS)
def test_matrices_and_tables_of_all_levels(method, two_pages):
    for c in (three_pages(), different_labels(), lcm.compare(*two_pages), lcm.compare(build({}, []), build({}, []))):
        result = reloaded(c, method)
        assert (result.labels, result.method, result.taxonomy) == (c.labels, method, c.taxonomy)
        assert (result.documents, result.pages) == (c.documents, c.pages)
        assert_same_confusion(result.confusion(), c.confusion(method=method))
        for document in c.documents:
            assert_same_confusion(result.confusion(document=document), c.confusion(document=document, method=method))
        for page in c.pages:
            assert_same_confusion(result.confusion(page=page), c.confusion(page=page, method=method))
        assert_tables_equal(result.classes(), c.confusion(method=method).classes())
        assert_tables_equal(result.document_table(), c.document_table(method))
        assert_tables_equal(result.page_table(), c.page_table(method))


@pytest.mark.parametrize("method", METHODS)
def test_the_table_of_pages_needs_no_matrices_of_pages(method):
    for c in (three_pages(), different_labels(), lcm.compare(build({}, []), build({}, []))):
        result = lcm.load_result(result_of(c, method).to_json())
        assert result.pages == c.pages
        assert_tables_equal(result.page_table(), c.page_table(method))


def test_tables_in_several_blocks(monkeypatch):
    c = three_pages()
    expected, result = c.page_table(), reloaded(c)
    monkeypatch.setattr("layoutcm.metrics.matrix_blocks.BLOCK_VALUES", 1)
    assert_tables_equal(result.page_table(), expected)


@pytest.mark.parametrize("method", METHODS)
def test_figures_are_equal_to_the_last_byte(method, two_pages):
    c = lcm.compare(*two_pages)
    found, expected = reloaded(c, method).confusion(), c.confusion(method=method)
    for format in ("svg", "png"):
        for draw in (matrix_figure, collapsed_figure, lambda one: charts.draw(class_bars(one))):
            assert figure_bytes(draw(found), format) == figure_bytes(draw(expected), format)
    for view in VIEWS:
        drawn = [figure_bytes(matrix_figure(one, view), "svg") for one in (found, expected)]
        assert drawn[0] == drawn[1]
        on_screen = [matrix_data(one, view, select(one)) for one in (found, expected)]
        assert on_screen[0] == on_screen[1]
    difference_figure(found, expected)


def test_figures_of_different_labels():
    c = different_labels()
    found, expected = (matrix_figure(one.confusion(document="p"), "precision") for one in (reloaded(c), c))
    assert figure_bytes(found, "svg") == figure_bytes(expected, "svg")


def test_what_a_result_says():
    c = three_pages()
    result = reloaded(c, families={"All": ["a", "b"]}, intervals=5)
    assert result.recipe == c.recipe and result.recipe_fields == c.recipe_fields
    pred = {"name": "pred", "format": "test", "sha256": None, "pages": 3, "regions": 5}
    assert msgspec.to_builtins(result.inputs.pred) == pred
    averages = {kind: pytest.approx(c.confusion().average(kind)) for kind in AVERAGES}
    assert msgspec.to_builtins(result.averages) == averages
    assert msgspec.to_builtins(result.content) == pytest.approx(c.content())
    assert [one.code for one in result.findings] == ["empty-page"]
    assert result.objects.ap50 == c.objects().ap50
    assert result.intervals.n == 5 and result.families.tree == {"All": ["a", "b"]}
    assert repr(result) == f"<Result {c.recipe}>"
    plain = reloaded(c)
    assert plain.intervals is plain.families is plain.difference_from_first is None
    assert reloaded(different_labels()).averages is None
    empty = reloaded(lcm.compare(build({}, []), build({}, [])))
    assert empty.content.f1 is empty.averages.macro.f1 is None


@pytest.mark.parametrize("method", METHODS)
def test_more_than_200_labels(method):
    labels = [f"label {k}" for k in range(220)]
    gt = build({"p": (4, 2)}, [("p", labels[7], 0, 0, 2, 1), ("p", labels[8], 1, 0, 3, 2)], labels)
    c = lcm.compare(gt, build({"p": (4, 2)}, [("p", labels[9], 1, 0, 4, 1), ("p", labels[7], 1, 0, 4, 1)], labels))
    result = reloaded(c, method)
    assert isinstance(result.data["confusion"], dict)
    assert_same_confusion(result.confusion(), c.confusion(method=method))
    assert_same_confusion(result.confusion(page="p"), c.confusion(page="p", method=method))
    assert_tables_equal(result.document_table(), c.document_table(method))


def test_a_path_bytes_a_dict_and_lists(tmp_path):
    head = "page,width,height,label,x0,y0,x1,y1\n"
    gt, pred = tmp_path / "gt.csv", tmp_path / "pred.csv"
    gt.write_text(head + "d_1,10,10,x,0,0,10,10\n")
    pred.write_text(head + "d_1,10,10,x,0,0,5,10\n")
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    assert main(["compare", str(gt), str(pred), "--json", str(one)]) == 0
    assert main(["compare", str(gt), str(pred), str(gt), "--json", str(two), "--intervals", "5"]) == 0
    given = [one, str(one), one.read_bytes(), json.loads(one.read_text())]
    assert [lcm.load_result(file).averages.micro.recall for file in given] == [0.5] * 4
    first, second = lcm.load_result(two)
    assert (first.averages.micro.recall, second.averages.micro.recall) == (0.5, 1)
    assert first.difference_from_first is None and second.difference_from_first.n == 5
    assert len(lcm.load_result([first.data, second.data])) == 2


def test_the_version_is_that_of_the_file():
    data = full_result(three_pages())
    data["version"], data["recipe_fields"]["version"] = "9.8.7", "v9.8.7"
    assert lcm.load_result(data).confusion(document="A").recipe.endswith("|method:matrix|document:A|v9.8.7")


def without(record, key):
    return {name: value for name, value in record.items() if name != key}


SPARSE = {"shape": [4, 4], "row": [0], "column": [4], "value": [1.0]}
AGAIN = "Write it again: layoutcm compare GT PRED --json FILE."
NO_MATRIX = "this is not a matrix of the 4 labels"


def wrong_results():
    """(what is given, place, problem, hint)"""
    good = full_result(three_pages(), "tensor")
    record, words = good["by_document"][0], good["vocabulary"]

    def changed(**changes):
        return {name: value for name, value in (good | changes).items() if value != "gone"}

    return [
        (5, "result", "5 is not a result", "Give a path, the bytes of a file or a dict."),
        ([], "", "the list has no result", "Give a file that compare --json wrote."),
        (changed(classes="gone"), "", "object missing required field `classes`", AGAIN),
        (changed(averages_over_pages=1.5), "averages_over_pages", "expected `object | null`, got `float`", AGAIN),
        (changed(objects={"ap": "x"}), "objects.ap", "expected `float | null`, got `str`", AGAIN),
        (changed(objects={"per_class": [0]}), "objects.per_class[0]", "expected `object`, got `int`", AGAIN),
        (changed(soft={"averages": {"macro": True}}), "soft.averages.macro", "expected `object`, got `bool`", AGAIN),
        (b'"text"', "", "this is not the result of a comparison", AGAIN),
        ({"file": "a.json", "labels": {}}, "", "this is not the result of a comparison", AGAIN),
        ([changed(), 5], "[1]", "this is not the result of a comparison", AGAIN),
        (changed(schema="gone"), "", "the result was written by an earlier version of layoutcm", AGAIN),
        ([changed(schema="0.9")], "[0]", "the result was written by an earlier version of layoutcm", AGAIN),
        (changed(schema="3.0"), "schema", "the result has version 3.0, and this layoutcm reads 2.0",
         "Read it with a newer version of layoutcm."),
        ([changed(schema=1)], "[0].schema", "1 is not a version, such as '2.0'", AGAIN),
        (changed(labels="gone"), "", "object missing required field `labels`", AGAIN),
        ([changed(by_document="gone")], "[0]", "object missing required field `by_document`", AGAIN),
        (changed(right="gone"), "", "object missing required field `right`", AGAIN),
        (changed(method="other"), "method", "invalid enum value 'other'", AGAIN),
        (changed(labels=[]), "labels", "these are not Background and the labels of both sides", AGAIN),
        (changed(taxonomy="different"), "labels", "these are not Background and the labels of both sides", AGAIN),
        (changed(confusion=[[1.0]]), "confusion", NO_MATRIX, AGAIN),
        (changed(confusion=[[1.0] * 4] * 3 + [[1.0]]), "confusion", NO_MATRIX, AGAIN),
        (changed(confusion=SPARSE), "confusion", NO_MATRIX, AGAIN),
        (changed(confusion=SPARSE | {"column": [-1]}), "confusion", NO_MATRIX, AGAIN),
        (changed(confusion=SPARSE | {"column": []}), "confusion", NO_MATRIX, AGAIN),
        (changed(confusion=SPARSE | {"column": [0], "shape": [5, 5]}), "confusion", NO_MATRIX, AGAIN),
        (changed(precision_mass="gone"), "precision_mass", NO_MATRIX, AGAIN),
        (changed(pred_pixels=[1]), "pred_pixels", "1 numbers for 4 labels", AGAIN),
        (changed(recall=[[1.0]]), "recall", NO_MATRIX, AGAIN),
        (changed(by_document=[record | {"f1": [[1.0] * 4] * 3}]), "by_document[0].f1", NO_MATRIX, AGAIN),
        (changed(vocabulary=words | {"sides": ["x", "y"]}), "vocabulary.sides",
         "['x', 'y'] are not the names of two sides", AGAIN),
        (changed(vocabulary=words | {"measured": "x"}), "vocabulary.measured", "'x' is not 'scores'", AGAIN),
        (changed(vocabulary=words | {"views": {}}), "vocabulary.views", "'pixels' is missing", AGAIN),
        (changed(recipe_fields={"gt": "\ud800"}), "recipe_fields.gt",
         "'\\ud800' holds half a surrogate pair, which is not text", "Remove the entry or repair it."),
        (changed(by_document=[record, without(record, "pages")]), "by_document[1]",
         "object missing required field `pages`", AGAIN),
        (changed(by_document=[record, record | {"confusion": [[1.0]]}]), "by_document[1].confusion",
         NO_MATRIX, AGAIN),
        ([changed(by_document=[record, record | {"right": "x"}])], "[0].by_document[1].right",
         "expected `float | null`, got `str`", AGAIN),
        (changed(by_page=[without(record, "document") | {"page": "p"}]), "by_page[0]",
         "object missing required field `document`", AGAIN),
    ]  # fmt: skip


def test_wrong_results():
    for given, place, problem, hint in wrong_results():
        with pytest.raises(lcm.InputError) as caught:
            lcm.load_result(given)
        error = caught.value
        assert (error.place, error.problem, error.hint) == (place, problem, hint)
        assert error.file == ("" if given == 5 else "result")


def test_lists_of_unequal_length():
    """Columns of one table, and matrices of causes; without the check a table or a figure fails later."""
    good = full_result(compare_sample(), why=True)
    columns = {
        ("page_scores", "document"): "59 entries, but page_scores.page has 60",
        ("page_scores", "scores", "f1"): "59 entries, but page_scores.page has 60",
        ("objects", "curves", "Text", "precision"): "but objects.curves.Text.recall has",
        ("score_curves", "overall", "curve", "f1"): "but score_curves.overall.curve.threshold has",
        ("causes", "values", "slack"): "this is not a matrix of the 12 labels",
    }
    for path, problem in columns.items():
        data = copy.deepcopy(good)
        part = data
        for key in path:
            part = part[key]
        part.pop()
        with pytest.raises(lcm.InputError) as caught:
            lcm.load_result(data)
        error = caught.value
        assert (error.file, error.place, error.hint) == ("result", ".".join(path), AGAIN) and problem in error.problem
    assert lcm.load_result(good).as_dict() == good


def test_files_that_are_no_json(tmp_path):
    file = tmp_path / "result.json"
    for data, problem in ((b"", "ends too early"), (b"{", "ends too early"), (b"a,b\n", "not valid JSON"),
                          (b'{"a": "\xff"}', "not UTF-8")):  # fmt: skip
        file.write_bytes(data)
        with pytest.raises(lcm.InputError, match=problem) as caught:
            lcm.load_result(file)
        assert caught.value.file == str(file) and caught.value.hint
    with pytest.raises(lcm.InputError, match="there is no such file"):
        lcm.load_result(tmp_path / "none.json")


def test_what_a_result_does_not_have(monkeypatch):
    c = three_pages()
    result = lcm.load_result(full_result(c))
    with pytest.raises(lcm.InputError, match=r"the matrices of pages are not in the result.*--per-page"):
        result.confusion(page="p1")
    with pytest.raises(lcm.InputError, match=r"document: there is no document 'C'. Document names are like 'A'."):
        result.confusion(document="C")
    with pytest.raises(lcm.InputError, match="both are given"):
        result.confusion(document="A", page="p1")
    monkeypatch.setattr("layoutcm.filling.level_records.MOST_DOCUMENTS", 1)
    result = lcm.load_result(full_result(c))
    for ask in (result.page_table, lambda: result.pages):
        with pytest.raises(lcm.InputError, match=r"the pages are not in the result.*--per-page"):
            ask()
    for ask in (result.document_table, lambda: result.documents, lambda: result.confusion(document="A")):
        with pytest.raises(lcm.InputError, match=r"the 2 documents are not in the result. Read documents\.parquet"):
            ask()
    assert_same_confusion(result.confusion(), c.confusion())


@pytest.mark.parametrize("name", ["confusion", "recall", "f1", "collapsed", "classes"])
def test_figures_are_those_of_the_report(name):
    shares = [0.2, 0.3, 0.5, 0.6, 0.6, 0.7, 0.9]
    c = one_label_pages(*shares)
    intervals = c.bootstrap()
    if name == "classes":
        recipe = f"{intervals.recipe}; {resampling_text(intervals.resampling)}"
        expected = charts.draw(class_bars(c.confusion(), intervals=intervals.whiskers(), recipe=recipe))
    else:
        expected = report_files.draw_figure(result_of(c), c.confusion(), name)
    assert figure_bytes(reloaded(c, intervals=intervals).figure(name), "svg") == figure_bytes(expected, "svg")


def test_an_unknown_figure_is_an_error():
    with pytest.raises(lcm.InputError, match="'curves' is not known"):
        result_of(one_label_pages(0.5)).figure("curves")


ADDED = {"measures", "vocabulary", "weights", "border_slack", "page_scores"}
IN_PARTS = {
    "curve", "curves", "reliability", "gt_places", "pred_places", "class_blind_counts", "note", "documents_needed",
    "tests", "whole", "review_count",
}  # fmt: skip


def of_first_schema(value):
    """The result without the keys that 1.0 did not have."""
    if isinstance(value, dict):
        return {key: of_first_schema(item) for key, item in value.items() if key not in IN_PARTS}
    return [of_first_schema(item) for item in value] if isinstance(value, list) else value


def first_schema(compared, **asked):
    now = full_result(compared, **asked)
    return {**{key: of_first_schema(one) for key, one in now.items() if key not in ADDED}, "schema": "1.0"}


@pytest.fixture(scope="module")
def old():
    return first_schema(compare_sample(), why=True, intervals=5, slices=True, families="doclaynet")


def test_figures_are_those_of_the_comparison(old):
    assert lcm.load_result(old).figures == compare_sample().result(intervals=False).figures


def test_a_report_is_written(old, tmp_path, quick):
    files = {path.name for path in lcm.load_result(old).write_report(tmp_path / "report").rglob("*")}
    assert {"report.html", "report.xlsx", "classes.tex", "families.tex"} <= files


def test_it_is_a_baseline(old):
    assert lcm.gate(compare_sample(), baseline=old).passed


def test_agreement_of_documents_is_not_known(tmp_path, quick):
    old = first_schema(three_pages(truth=False))
    documents = [{key: one for key, one in row.items() if key != "agreement"} for row in old["by_document"]]
    result = lcm.load_result(old | {"by_document": documents})
    assert result.vocabulary.sides == ("A", "B")
    assert result.document_table()["agreement"].isna().all()


def test_measures_that_a_file_lacks_are_read_off_its_parts():
    now = full_result(three_pages())
    assert lcm.load_result(now | {"measures": {}}) == lcm.load_result(now)
