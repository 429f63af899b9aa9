"""Comparisons that can be checked by hand: levels, tables, scores, empty layouts and wrong options."""

import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from support.layouts import build
from support.results import codes

ONE = {"p": (10, 10)}
LAYOUT = build(ONE, [("p", "a", 0, 0, 5, 10, 0.5)])


def test_the_labels_and_the_recipe_of_the_two_page_example(two_pages):
    """Its numbers are those of test_two_page_example."""
    m = lcm.compare(*two_pages).confusion()
    assert m.labels == ["Background", "title", "paragraph", "list_item", "picture", "table", "caption"]
    assert m.recipe.startswith("gt:gt|pred:pred|pages:2|rounding:outer|") and "method:matrix" in m.recipe


def test_pages_behind_a_cell(two_pages):
    c = lcm.compare(*two_pages)
    behind = c.pages_behind("picture", "table")
    assert behind.columns.tolist() == ["page", "document", "pixels", "share"]
    assert behind[["page", "pixels", "share"]].values.tolist() == [["p1", 120.0, 1.0]]
    assert behind.pixels.sum() == c.confusion().values[4, 5]
    assert c.pages_behind("Background", "Background")["page"].tolist() == ["p2"]
    assert c.pages_behind("caption", "title").empty  # gt has no caption
    with pytest.raises(lcm.InputError, match="no label 'chart'"):
        c.pages_behind("chart", "title")


@pytest.mark.parametrize("method", ["matrix", "tensor"])
def test_pages_behind_add_up_to_the_cell(two_pages, method):
    c = lcm.compare(*two_pages)
    m = c.confusion(method=method)
    for i, gt_label in enumerate(m.labels):
        for j, pred_label in enumerate(m.labels):
            assert c.pages_behind(gt_label, pred_label, method).pixels.sum() == pytest.approx(m.values[i, j])


def test_documents_and_tables():
    pages = {"a_p1.png": (10, 10), "a_p2.png": (10, 10), "b.png": (10, 10)}
    gt = build(pages, [(page, "x", 0, 0, 10, 5) for page in pages])
    pred = build(pages, [("a_p1.png", "x", 0, 0, 10, 5), ("a_p2.png", "x", 0, 0, 5, 5)])
    c = lcm.compare(gt, pred)
    assert c.documents == ["a", "b.png"]
    assert codes(c.findings) == {"documents-from-names": 1, "page-without-pred": 1, "empty-page": 1}
    np.testing.assert_array_equal(c.confusion(document="a").values, [[100, 0], [25, 75]])
    pages_table = c.page_table()
    assert pages_table["page"].tolist() == ["b.png", "a_p2.png", "a_p1.png"]
    assert pages_table["f1"].tolist() == [0, pytest.approx(2 / 3), 1]
    assert pages_table["content_recall"].tolist() == [0, 0.5, 1]
    documents = c.document_table()
    assert documents[["document", "pages", "pixels"]].values.tolist() == [["b.png", 1, 100], ["a", 2, 200]]
    assert c.average("macro", over="pages")["recall"] == pytest.approx(0.5)
    assert c.average("macro", over="documents")["recall"] == pytest.approx((0.75 + 0) / 2)
    assert c.average("macro")["recall"] == pytest.approx(0.5)


def test_content_predicted_on_a_blank_page_is_an_error():
    gt = build(ONE, [], labels=["x"])
    pred = build(ONE, [("p", "x", 0, 0, 10, 1)])
    m = lcm.compare(gt, pred).confusion()
    np.testing.assert_array_equal(m.values, [[90, 10], [0, 0]])
    assert m.average("micro") == {"precision": 0, "recall": pytest.approx(float("nan"), nan_ok=True), "f1": 0}


def test_min_score_drops_regions_but_not_those_without_score():
    gt = build(ONE, [("p", "a", 0, 0, 10, 10)])
    pred = build(ONE, [("p", "a", 0, 0, 10, 5, 0.4), ("p", "a", 0, 5, 10, 7)])
    assert lcm.compare(gt, pred).confusion().values[1].tolist() == [30, 70]
    c = lcm.compare(gt, pred, min_score=0.5)
    assert c.confusion().values[1].tolist() == [80, 20]
    assert "min_score:0.5" in c.recipe
    of_gt = lcm.compare(LAYOUT, LAYOUT, min_score=0.7)  # gt has the same scores, which do not count
    assert of_gt.confusion().values.tolist() == [[50, 0], [50, 0]]


@pytest.mark.parametrize(
    ("scores", "min_score", "expected"),
    [
        ([0.5, 0.9], 0.7, {"below-min-score": ("info", 1)}),
        # No region is left.
        ([0.5, 0.9], 2, {"below-min-score": ("warning", 2)}),
        ([0.5], 0.7, {"below-min-score": ("warning", 1)}),
        ([0.5], 0.1, {}),
        ([np.nan], 0.5, {"min-score-without-scores": ("info", 1)}),
        ([np.nan], None, {}),
    ],
)
def test_findings_about_a_min_score(scores, min_score, expected):
    layout = build(ONE, [("p", "a", 5 * i, 0, 5 * i + 5, 10, score) for i, score in enumerate(scores)])
    found = lcm.compare(layout, layout, min_score=min_score).findings
    assert {one.code: (one.severity, one.count) for one in found if "min-score" in one.code} == expected


def test_a_region_with_two_labels_and_fractions():
    gt = build(ONE, [("p", "a", 0.5, 0, 2.5, 10), ("p", "b", 0.5, 0, 2.5, 10)])
    for rounding, pixels in (("outer", 30), ("nearest", 20), ("exact", 20)):
        c = lcm.compare(gt, gt, rounding=rounding)
        assert c.confusion().values[1:, 1:].tolist() == [[pixels, 0], [0, pixels]]
        pairs = c.counts().table()
        assert set(pairs["gt_set"]) == {"Background", "a + b"}


def test_empty_layouts():
    empty = build({}, [])
    for gt, pred in ((empty, empty), (empty, build(ONE, [("p", "a", 0, 0, 1, 1)])), (build(ONE, []), build(ONE, []))):
        c = lcm.compare(gt, pred)
        m = c.confusion()
        assert all(np.isnan(v) or v == 0 for v in m.average("macro").values())
        assert isinstance(c.page_table(), pd.DataFrame) and len(c.document_table()) == len(c.documents)
        assert c.average("macro", over="pages").keys() == {"precision", "recall", "f1"}
        assert len(m.classes()) == len(m.labels)
        assert c.counts().table()["pixels"].sum() == c.pixels
    assert c.confusion().recall.tolist() == [[1]]


def test_pages_are_found_without_folder_and_suffix_if_unique():
    layout = build({"x/a.png": (5, 5), "y/b.png": (5, 5), "z/b.png": (5, 5)}, [])
    c = lcm.compare(layout, layout)
    assert c.counts(page="a").total == 25 and c.counts(page="x/a.png").total == 25
    with pytest.raises(lcm.InputError, match="fits 2 pages"):
        c.confusion(page="b.png")


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("rounding", "up", "is not known"),
        ("taxonomy", "x", "is not known"),
        ("missing_pages", "x", "is not known"),
        ("threads", -1, "is not a number of threads"),
        ("threads", "2", "is not a number of threads"),
        ("min_score", "a", "is not a finite number"),
        ("min_score", float("nan"), "is not a finite number"),
        ("documents", 5, "is neither a pattern nor a table"),
        ("documents", {"p": None}, "is neither a pattern nor a table"),
        ("mapping", 5, "5 is not a side"),
        ("mapping", {"sides": {}}, "'sides' is not a side"),
        ("mapping", {"gt": ["a"]}, "is not a mapping of labels"),
        ("mapping", {"gt": None}, "is not a mapping of labels"),
        ("mapping", {"gt": {"a": None}}, "'a' becomes None, both must be label names"),
        ("mapping", {"gt": {"a": ["b"]}}, "both must be label names"),
        ("mapping", "a\0b", "the file cannot be read"),
    ],
)
def test_wrong_options_are_input_errors(option, value, words):
    with pytest.raises(lcm.InputError, match=words):
        lcm.compare(LAYOUT, LAYOUT, **{option: value})


@pytest.mark.parametrize(
    "call",
    [
        lambda: lcm.compare("gt.json", LAYOUT),
        lambda: lcm.compare(LAYOUT, None),
        lambda: lcm.averages([[1, 2], [3]], "micro"),
    ],
)
def test_wrong_arguments_are_input_errors(call):
    with pytest.raises(lcm.InputError):
        call()


def test_reprs_are_short_and_on_one_line():
    c = lcm.compare(LAYOUT, LAYOUT)
    for value in (LAYOUT, c, c.confusion()):
        assert len(repr(value)) < 200 and "\n" not in repr(value)
