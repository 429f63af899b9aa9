"""Which pages are one document: declared, given by the user, or from page names."""

import pytest

import layoutcm as lcm
from support.layouts import build
from support.reading import fails
from support.results import codes


@pytest.mark.parametrize(("names", "expected"), [
    (["a-1.png", "a-2.png"], ("a",)),
    (["a 1", "a 2"], ("a",)),
    (["report page 1.jpg", "report page 02.jpg"], ("report",)),
    (["report.1", "report.2"], ("report",)),
    (["x/doc_p1.png", "y/doc_p1.png"], ("x/doc_p1.png", "y/doc_p1.png")),
    (["0001.png", "0002.png"], ("0001.png", "0002.png")),
    (["map1.png", "map2.png"], ("map",)),
    (["a1", "b1"], ("a1", "b1")),
    (["page_1", "page_2"], ("page_1", "page_2")),
    (["a", "a_1", "a_2"], ("a", "a_1", "a_2")),  # a page is not joined with a document of its name
])  # fmt: skip
def test_documents_from_page_names(names, expected):
    layout = build(dict.fromkeys(names, (5, 5)), [])
    assert lcm.compare(layout, layout).documents == list(expected)


@pytest.mark.parametrize(("gt", "pred", "expected"), [
    ({"a_1": "one", "a_2": "two"}, {"a_1": "one", "a_2": "two"}, ["one", "two"]),
    ({"q": "", "r": ""}, {"q": "D", "r": "D"}, ["D"]),
], ids=["instead of page names", "by pred alone"])  # fmt: skip
def test_declared_documents(gt, pred, expected):
    sides = (build(dict.fromkeys(names, (5, 5)), [], documents=names) for names in (gt, pred))
    assert lcm.compare(*sides).documents == expected


def test_documents_from_a_pattern_and_from_a_mapping():
    layout = build({"a1x": (5, 5), "a2x": (5, 5), "b1x": (5, 5)}, [])
    assert lcm.compare(layout, layout, documents=r"^([a-z])").documents == ["a", "b"]
    assert lcm.compare(layout, layout, documents={"a1x": "one", "b1x": "one"}).documents == ["one", "a2x"]
    fails("not a regular expression", lcm.compare, layout, layout, documents="(")


def test_a_pattern_that_does_not_match_all_pages_is_reported():
    layout = build({"a1": (5, 5), "b": (5, 5)}, [])
    c = lcm.compare(layout, layout, documents=r"\d*$")
    assert c.documents == ["1", "b"] and codes(c.alignment.findings) == {"documents-pattern": 1}
