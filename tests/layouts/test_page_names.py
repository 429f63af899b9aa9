"""Page names: their parts, numbers and similar names, how they are packed, and which pages are one document."""

import numpy as np
import pyarrow as pa
import pytest

import layoutcm as lcm
from layoutcm.layouts.model import Pages, find_page
from layoutcm.layouts.packed_names import PackedTexts
from layoutcm.layouts.page_names import base_name, normalised_stem, renumber, split_number, stem
from support.layouts import build
from support.named_pages import compared, in_document, matched, matched_by_rules, page_codes, pages_of
from support.reading import fails
from support.results import codes


def test_parts_of_page_names():
    assert [base_name(name) for name in ("a", "x/a", "x\\a", "x/a/")] == ["a"] * 4
    assert [stem(name) for name in ("x/a.PNG", "a.b.pdf", ".png", "a.txt")] == ["a", "a.b", ".png", "a.txt"]
    assert normalised_stem(" A%20b__C.png") == "a_b_c"
    numbers = {
        "r_p12.png": ("r", 12), "r-page 007": ("r", 7), "x/3.png": ("", 3), "map1": ("map", 1), "r": ("", -1),
        "t20240131235959": ("t", -1),
    }  # fmt: skip
    assert {name: split_number(name) for name in numbers} == numbers


@pytest.mark.parametrize(("name", "by", "expected"), [
    ("report_p12.png", 1, "report_p13.png"),
    ("a/b/page-009.jp2", 1, "a/b/page-010.jp2"),
    ("scan_99", 1, "scan_100"),
    ("scan_0.tif", -1, None),
    ("cover.png", 1, None),
])  # fmt: skip
def test_renumber(name, by, expected):
    assert renumber(name, by) == expected


def test_find_page_by_a_similar_name():
    pages = pages_of("x/a.png", "y/b.png", "z/b.png", "Big One.tif")
    assert [find_page(name, pages) for name in ("x/a.png", "a.png", "a", "A.JPG", "big_one")] == [0, 0, 0, 0, 3]
    assert [find_page(name, pages) for name in ("b.png", "b", "c", "")] == [None] * 4


def test_pages_are_matched_by_document_and_page_number():
    gt = [*in_document("reports/A.pdf", (1, 2, 5)), *in_document("b.pdf", (1, 2))]
    pred = [("hash-x", "B", 2), ("hash-y", "a.PDF", 5), ("hash-z", "a.PDF", 7)]
    found, left = matched(compared(gt, pred))
    assert {page: pair for page, pair in found.items() if pair[1]} == {
        "reports/A.pdf-5": ("hash-y", "number"),
        "b.pdf-2": ("hash-x", "number"),
    }
    assert left == ["hash-z"]


@pytest.mark.parametrize(("gt", "pred"), [
    ([("0f3a17", "report.pdf", -1), ("9be2", "report.pdf", -1)], ["report_17", "report_2"]),
    ([*in_document("report.pdf", (1, 2)), *in_document("other.pdf", (3,))], ["page_1", "page_2", "page_3"]),
    ([*in_document("a", (1, 2), "g{}{}"), *in_document("b", (3, 4), "g{}{}")],
     [*in_document("a", (0, 1), "p{}{}x"), *in_document("b", (3, 4), "p{}{}x")]),
], ids=["a number at the end of a hash", "two documents", "a document contradicts a shift"])  # fmt: skip
def test_pages_that_are_not_matched(gt, pred):
    assert {how for _, how in matched_by_rules(gt, pred)[0].values()} == {""}


def test_pages_of_one_document_are_matched_by_number():
    assert matched(compared([("0f3a17", "report.pdf", 17)], ["report_17"]))[0] == {"0f3a17": ("report_17", "number")}
    found, _ = matched(compared(in_document("report.pdf", (1, 2, 3)), ["page_1.png", "page_2.png", "page_3.png"]))
    assert [pred for pred, _ in found.values()] == ["page_1.png", "page_2.png", "page_3.png"]


def test_two_lone_documents_with_different_names_are_matched_by_number_with_a_warning():
    c = compared(in_document("report", (1, 2, 3), "{}_p{}"), in_document("report_v2", (2, 3, 4), "{}_p{}"))
    found, left = matched(c)
    assert found == {
        "report_p1": ("", ""),
        "report_p2": ("report_v2_p2", "number alone"),
        "report_p3": ("report_v2_p3", "number alone"),
    }
    assert left == ["report_v2_p4"]
    assert page_codes(c) == {"page-matched-by-number-alone": 2, "page-only-in-gt": 1, "page-only-in-pred": 1}
    assert next(finding for finding in c.findings if finding.code.startswith("page-matched")).severity == "warning"


def test_two_lone_documents_of_which_one_counts_from_0():
    c = compared(in_document("report", (1, 2)), in_document("other", (0, 1)))
    assert [pred for pred, _ in matched(c)[0].values()] == ["other-0", "other-1"]
    assert page_codes(c) == {"page-matched-by-number-alone": 2, "page-numbers-shifted": 2}


@pytest.mark.parametrize(("gt", "pred"), [
    ([*in_document("a", (1, 2)), *in_document("b", (1,))], in_document("c", (1, 2))),
    (in_document("c", (1, 2)), [*in_document("a", (1, 2)), *in_document("b", (1,))]),
    (in_document("a", (1, 2)), [*in_document("c", (1,)), ("x", "c", -1)]),  # a page without a number
    (in_document("a", (1, 2)), [*in_document("c", (1,)), ("x", "", 2)]),  # a page without a document
    (["scan_1.png", "scan_2.png"], ["photo_1.png", "photo_2.png"]),  # names alone do not make a document
    (in_document("a", (1, 2)), [("a-1", "c", 5), ("c-2", "c", 2)]),  # a page was already found by name
])  # fmt: skip
def test_documents_that_are_not_alone_are_not_matched_by_number_alone(gt, pred):
    assert "number alone" not in {how for _, how in matched_by_rules(gt, pred)[0].values()}


@pytest.mark.parametrize("swapped", [False, True])
def test_pages_counted_from_0_and_from_1(swapped):
    from_one = [*in_document("a", range(1, 5), "one {} {}"), *in_document("b", (7,), "one {} {}")]
    from_zero = [*in_document("a", range(0, 4), "zero {} {}x"), *in_document("b", (6,), "zero {} {}x")]
    c = compared(from_zero, from_one) if swapped else compared(from_one, from_zero)
    pairs = c.page_matches()[["gt_page", "pred_page"]].values.tolist()
    expected = [[f"one a {i}", f"zero a {i - 1}x"] for i in range(1, 5)] + [["one b 7", "zero b 6x"]]
    assert pairs == ([pair[::-1] for pair in expected] if swapped else expected)
    assert page_codes(c) == {"page-numbers-shifted": 5}
    (finding,) = (finding for finding in c.findings if finding.code == "page-numbers-shifted")
    zero, one = ("gt", "pred") if swapped else ("pred", "gt")
    assert f"shifted by one, because {zero} counts pages from 0 and {one} from 1" in finding.message
    assert "--pages" in finding.hint


def test_names_that_count_from_0_and_from_1():
    c = compared([f"doc page {i}.png" for i in (1, 2, 3)], [f"doc-{i:03}.jpg" for i in (0, 1, 2)])
    assert [pred for pred, _ in matched(c)[0].values()] == ["doc-000.jpg", "doc-001.jpg", "doc-002.jpg"]


def test_undecided_shift_matches_nothing_and_is_reported():
    """Page 0 of one side may be a cover that the other side lacks, or page 1 of the other side."""
    gt, pred = in_document("a", (1, 2, 3, 4), "g{}{}"), in_document("a", (0, 1, 2), "p{}{}x")
    c = compared(["same", *gt], ["same", *pred])
    assert {how for _, how in matched(c)[0].values()} == {"exact", ""}
    assert page_codes(c) == {"page-numbers-ambiguous": 4, "page-only-in-gt": 4, "page-only-in-pred": 3}
    fails("do not show whether they are shifted by one", compared, gt, pred)  # then no page has a partner


def test_equal_names_that_seem_shifted_are_reported():
    c = compared([f"doc_{i}.png" for i in (1, 2, 3, 4)], [f"doc_{i}.png" for i in (0, 1, 2, 3)])
    found, left = matched(c)
    assert found["doc_3.png"] == ("doc_3.png", "exact") and found["doc_4.png"] == ("", "") and left == ["doc_0.png"]
    assert page_codes(c) == {"page-numbers-suspect": 3, "page-only-in-gt": 1, "page-only-in-pred": 1}


NAMES = ["a.png", "b/a.jpg", "c", "d.pdf"]


@pytest.fixture
def pages():
    names = PackedTexts(pa.chunked_array([NAMES[:1], NAMES[1:]]))
    documents = PackedTexts(pa.chunked_array([["x", None, "x", "y"]]))
    return Pages(names, np.ones(4), np.ones(4), documents, np.arange(4, dtype=np.int32))


def test_the_index_of_packed_names_searches_the_column(pages):
    assert pages.index is pages.names.by_text
    assert {name: pages.index[name] for name in NAMES} == {"a.png": 0, "b/a.jpg": 1, "c": 2, "d.pdf": 3}
    assert pages.index.get("e") is None
    with pytest.raises(KeyError):
        pages.index["e"]


def test_pages_that_are_taken_have_their_own_index(pages):
    taken = pages.take([3, 1])
    assert taken.names == ("d.pdf", "b/a.jpg")
    assert taken.index == {"d.pdf": 0, "b/a.jpg": 1}


def test_columns_of_packed_texts(pages):
    assert list(pages.documents) == ["x", "", "x", "y"]  # a missing text is empty
    assert pages.names.have_stem({"a", "d"}).tolist() == [True, True, False, True]
    assert pages.names.positions(["c", "none", "a.png"]).tolist() == [2, -1, 0]


@pytest.mark.parametrize(("names", "expected"), [
    (["a-1.png", "a-2.png", "b"], ("a", "b")),
    (["a 1", "a 2", "b"], ("a", "b")),
    (["report page 1.jpg", "report page 02.jpg", "b"], ("report", "b")),
    (["report.1", "report.2", "b"], ("report", "b")),
    (["img_0001", "img_0002"], ("img_0001", "img_0002")),  # all pages would be one document
    (["x/doc_p1.png", "y/doc_p1.png"], ("x/doc_p1.png", "y/doc_p1.png")),
    (["0001.png", "0002.png"], ("0001.png", "0002.png")),
    (["map1.png", "map2.png", "b"], ("map", "b")),
    (["a1", "b1"], ("a1", "b1")),
    (["page_1", "page_2"], ("page_1", "page_2")),
    (["a", "a_1", "a_2"], ("a", "a_1", "a_2")),  # a page is not joined with a document of its name
])  # fmt: skip
def test_documents_from_page_names(names, expected):
    layout = build(dict.fromkeys(names, (5, 5)), [])
    assert lcm.compare(layout, layout).documents == list(expected)


@pytest.mark.parametrize(("gt", "pred", "expected"), [
    ({"a_1": "one", "a_2": "two"}, {"a_1": "one", "a_2": "two"}, ["one", "two"]),
    ({"q": "", "r": ""}, {"q": "D", "r": "D"}, ["q", "r"]),
    ({"q": "D", "r": "D"}, {"q": "D.pdf", "r": "D.pdf"}, ["D"]),
    ({"q": "D", "r": "D"}, {"q": "D.pdf", "s": "D.pdf", "t": "E.pdf"}, ["D", "E"]),
], ids=["instead of page names", "by pred alone", "with another suffix", "on pages of pred"])  # fmt: skip
def test_declared_documents(gt, pred, expected):
    sides = (build(dict.fromkeys(names, (5, 5)), [], documents=names) for names in (gt, pred))
    assert lcm.compare(*sides, missing_pages="penalise-both").documents == expected


def test_names_that_put_all_pages_into_one_document_are_a_finding():
    layout = build({f"img_{i:04}": (5, 5) for i in range(1, 41)}, [])
    assert codes(lcm.compare(layout, layout).alignment.findings) == {"documents-of-one-page": 40}


def test_documents_from_a_pattern_and_from_a_mapping():
    layout = build({"a1x": (5, 5), "a2x": (5, 5), "b1x": (5, 5)}, [])
    assert lcm.compare(layout, layout, documents=r"^([a-z])").documents == ["a", "b"]
    assert lcm.compare(layout, layout, documents={"a1x": "one", "b1x": "one"}).documents == ["one", "a2x"]
    fails("not a regular expression", lcm.compare, layout, layout, documents="(")


def test_a_pattern_that_does_not_match_all_pages_is_reported():
    layout = build({"a1": (5, 5), "b": (5, 5)}, [])
    c = lcm.compare(layout, layout, documents=r"\d*$")
    assert c.documents == ["1", "b"] and codes(c.alignment.findings) == {"documents-pattern": 1}
