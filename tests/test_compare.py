"""Comparisons that can be checked by hand: levels, taxonomies, missing pages, frames, findings."""

import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from support.finding_codes import codes
from support.layouts import build

ONE = {"p": (10, 10)}


def test_the_two_page_example(two_pages):
    c = lcm.compare(*two_pages)
    assert (c.pixels, c.pages, c.taxonomy) == (500, ["p1", "p2"], "same")
    m = c.confusion()
    assert m.labels == ["Background", "title", "paragraph", "list_item", "picture", "table", "caption"]
    assert m.average("micro", background=True)["f1"] == pytest.approx(0.54)
    np.testing.assert_allclose(m.collapse().values, [[30, 20], [10, 440]])
    by_matrix, by_tensor = (c.confusion(method=name).classes().set_index("label") for name in ("matrix", "tensor"))
    assert by_matrix.loc["picture", "recall"] == pytest.approx(0.25)
    assert by_tensor.loc["picture", "recall"] == pytest.approx(0.50)
    assert by_matrix.loc["table", "precision"] == pytest.approx(0.25)
    assert by_tensor.loc["table", "precision"] == pytest.approx(0.20)
    assert by_matrix.loc["list_item", "recall"] == 0
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


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a-1.png", "a-2.png"], ("a",)),
        (["a 1", "a 2"], ("a",)),
        (["report page 1.jpg", "report page 02.jpg"], ("report",)),
        (["report.1", "report.2"], ("report",)),
        (["x/doc_p1.png", "y/doc_p1.png"], ("x/doc_p1.png", "y/doc_p1.png")),
        (["0001.png", "0002.png"], ("0001.png", "0002.png")),
        (["map1.png", "map2.png"], ("map",)),
        (["a1", "b1"], ("a1", "b1")),
        (["page_1", "page_2"], ("page_1", "page_2")),
    ],
)
def test_documents_from_page_names(names, expected):
    layout = build(dict.fromkeys(names, (5, 5)), [])
    assert lcm.compare(layout, layout).documents == list(expected)


def test_documents_from_a_pattern_and_from_a_mapping():
    layout = build({"a1x": (5, 5), "a2x": (5, 5), "b1x": (5, 5)}, [])
    assert lcm.compare(layout, layout, documents=r"^([a-z])").documents == ["a", "b"]
    assert lcm.compare(layout, layout, documents={"a1x": "one", "b1x": "one"}).documents == ["one", "a2x"]
    with pytest.raises(lcm.InputError, match="not a regular expression"):
        lcm.compare(layout, layout, documents="(")


def test_declared_documents_are_used_instead_of_page_names():
    layout = build({"a_1": (5, 5), "a_2": (5, 5)}, [], documents={"a_1": "one", "a_2": "two"})
    assert lcm.compare(layout, layout).documents == ["one", "two"]


def test_missing_pages_count_as_errors_on_both_sides():
    gt = build({"a": (10, 10), "b": (10, 10)}, [("a", "x", 0, 0, 10, 1), ("b", "x", 0, 0, 10, 2)])
    pred = build({"a": (10, 10), "c": (5, 4)}, [("a", "x", 0, 0, 10, 1), ("c", "x", 0, 0, 5, 4)])
    penalised = lcm.compare(gt, pred)
    assert penalised.pages == ["a", "b", "c"]
    np.testing.assert_array_equal(penalised.confusion().values, [[170, 20], [20, 10]])
    assert codes(penalised.findings) == {"page-only-in-gt": 1, "page-only-in-pred": 1}
    ignored = lcm.compare(gt, pred, missing_pages="ignore")
    assert ignored.pages == ["a"]
    np.testing.assert_array_equal(ignored.confusion().values, [[90, 0], [0, 10]])


def test_content_predicted_on_a_blank_page_is_an_error():
    gt = build(ONE, [], labels=["x"])
    pred = build(ONE, [("p", "x", 0, 0, 10, 1)])
    m = lcm.compare(gt, pred).confusion()
    np.testing.assert_array_equal(m.values, [[90, 10], [0, 0]])
    assert m.average("micro") == {"precision": 0, "recall": pytest.approx(float("nan"), nan_ok=True), "f1": 0}


def test_another_page_size_is_scaled():
    gt = build(ONE, [("p", "x", 0, 0, 10, 5)])
    pred = build({"p": (100, 20)}, [("p", "x", 0, 0, 100, 10)])
    c = lcm.compare(gt, pred)
    np.testing.assert_array_equal(c.confusion().values, [[50, 0], [0, 50]])
    assert codes(c.findings) == {"scaled-page": 1}


def test_taxonomies():
    gt = build(ONE, [("p", "a", 0, 0, 5, 10), ("p", "b", 5, 0, 10, 10)])
    assert lcm.compare(gt, build(ONE, [("p", "a", 0, 0, 5, 10)])).taxonomy == "same"
    assert lcm.compare(gt, build(ONE, [("p", "a", 0, 0, 5, 10)], labels=["a", "z"])).taxonomy == "same"
    other = build(ONE, [("p", "a", 0, 0, 5, 10), ("p", "B", 5, 0, 10, 10)])
    different = lcm.compare(gt, other)
    assert different.taxonomy == "different"
    m = different.confusion()
    assert m.labels == ["Background", "a", "b", "a", "B"]
    expected = np.zeros((5, 5))
    expected[1, 3] = expected[2, 4] = 50
    np.testing.assert_array_equal(m.values, expected)
    assert np.isnan(m.class_values()["f1"]).all() and np.isnan(list(m.average("macro").values())).all()
    assert m.recall[1, 3] == 1 and m.collapse().recall[1, 1] == 1
    assert m.visible == ([0, 1, 2], [0, 3, 4])
    assert different.average("macro", over="pages").keys() == {"precision", "recall", "f1"}
    for options in ({"taxonomy": "match-names"}, {"mapping": {"pred": {"B": "b"}}}):
        mapped = lcm.compare(gt, other, **options)
        assert mapped.taxonomy == "mapped"
        assert mapped.confusion().average("macro")["f1"] == 1
    assert lcm.compare(gt, other, taxonomy="same").confusion().labels == ["Background", "a", "b", "B"]


def test_a_mapping_joins_labels_and_maps_to_background():
    gt = build(ONE, [("p", "a", 0, 0, 5, 10), ("p", "b", 5, 0, 10, 10)])
    joined = lcm.compare(gt, gt, mapping={"gt": {"a": "b"}, "pred": {"a": "b"}})
    assert joined.confusion().labels == ["Background", "b"]
    np.testing.assert_array_equal(joined.confusion().values, [[0, 0], [0, 100]])
    dropped = lcm.compare(gt, gt, mapping={"gt": {"a": "Background"}})
    np.testing.assert_array_equal(dropped.confusion().values, [[0, 0, 50], [0, 50, 0], [0, 0, 0]])
    assert "background-region" in codes(dropped.findings)
    unknown = lcm.compare(gt, gt, mapping={"pred": {"zzz": "a"}})
    assert codes(unknown.findings) == {"mapping-unused": 1}
    assert unknown.taxonomy == "same" and "mapped" not in unknown.recipe


def test_a_misspelt_label_of_a_mapping_is_a_warning_with_the_right_name():
    gt = build(ONE, [("p", "Section-header", 0, 0, 5, 10), ("p", "Text", 5, 0, 10, 10)])
    pred = build(ONE, [("p", "heading", 0, 0, 5, 10), ("p", "Text", 5, 0, 10, 10)])
    typo = lcm.compare(gt, pred, mapping={"pred": {"Headng": "Section-header", "seal": "Text"}})
    found = {finding.code: finding for finding in typo.findings}
    misspelt, unused = found["mapping-misspelt"], found["mapping-unused"]
    assert misspelt.severity == "warning" and misspelt.hint.startswith("Write 'heading'")
    assert "names 1 label that" in misspelt.message and "'Headng'" in misspelt.message
    assert unused.severity == "info" and "'seal'" in unused.message
    assert typo.taxonomy == "different" and "mapped_labels" not in typo.recipe
    # A mapping may have the spellings of several predictions: no warning if the similar label is mapped, too.
    both = lcm.compare(gt, pred, mapping={"pred": {"Heading": "Section-header", "heading": "Section-header"}})
    assert codes(both.findings) == {"mapping-unused": 1} and both.taxonomy == "mapped"
    assert "|mapped_labels:1|" in both.recipe


def test_a_taxonomy_is_mapped_only_if_a_label_has_a_new_name():
    gt = build(ONE, [("p", "a", 0, 0, 5, 10)])
    for options in ({"taxonomy": "match-names"}, {"mapping": {"pred": {"a": "a"}, "gt": {"zzz": "a"}}}):
        same = lcm.compare(gt, gt, **options)
        assert same.taxonomy == "same" and "mapped_labels" not in same.recipe


def test_mapping_files(tmp_path):
    gt = build(ONE, [("p", "a", 0, 0, 5, 10)])
    path = tmp_path / "mapping.yaml"
    path.write_text("gt: {a: b}\npred:\n  a: b\n")
    assert lcm.compare(gt, gt, mapping=path).confusion().labels == ["Background", "b"]
    for wrong in ("gt: [a]", "[1]", "sides: {a: b}", "gt: {a: b", "\x00"):
        path.write_text(wrong)
        with pytest.raises(lcm.InputError, match=r"mapping\.yaml"):
            lcm.compare(gt, gt, mapping=path)
    with pytest.raises(lcm.InputError, match="no such file"):
        lcm.compare(gt, gt, mapping=tmp_path / "none.yaml")
    with pytest.raises(lcm.InputError, match="not a side"):
        lcm.compare(gt, gt, mapping={"prediction": {}})


def test_labels_used_by_one_side_only():
    gt = build(ONE, [("p", "a", 0, 0, 5, 10), ("p", "b", 5, 0, 10, 10)])
    pred = build(ONE, [("p", "a", 0, 0, 5, 10)])
    assert codes(lcm.compare(gt, pred).findings) == {"label-only-in-gt": 1}


def test_min_score_drops_regions_but_not_those_without_score():
    gt = build(ONE, [("p", "a", 0, 0, 10, 10)])
    pred = build(ONE, [("p", "a", 0, 0, 10, 5, 0.4), ("p", "a", 0, 5, 10, 7)])
    assert lcm.compare(gt, pred).confusion().values[1].tolist() == [30, 70]
    c = lcm.compare(gt, pred, min_score=0.5)
    assert c.confusion().values[1].tolist() == [80, 20]
    assert "min_score:0.5" in c.recipe


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
    with pytest.raises(lcm.InputError, match="no page 'c'"):
        c.confusion(page="c")
    with pytest.raises(lcm.InputError, match="no document 'c'"):
        c.confusion(document="c")


@pytest.mark.parametrize("option", [{"rounding": "up"}, {"taxonomy": "x"}, {"missing_pages": "x"}])
def test_unknown_options_are_named(option):
    layout = build(ONE, [])
    with pytest.raises(lcm.InputError, match="is not known"):
        lcm.compare(layout, layout, **option)
