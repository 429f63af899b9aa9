"""Attributes that are given beside a file: CSV, dictionary, DataFrame; by page and by document."""

import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import layoutcm as lcm
from support.coco_files import coco, found, image
from support.reading import fails


def read(attributes, images=None, **options):
    pages = images or [image(1, doc_name="d1"), image(2, doc_name="d2"), image(3, doc_name="d2")]
    return lcm.read(("gt.json", json.dumps(coco(pages, [])).encode()), attributes=attributes, **options)


def message(layout, code):
    return next(finding.message for finding in layout.findings if finding.code == code)


def table(text, name="facts.csv"):
    return (name, text.encode())


PAGES_OF_A = [image(k, file_name=name) for k, name in enumerate(("a_1.png", "a_2.png", "b.png"))]
ALIKE = [image(1, file_name="x/p.png"), image(2, file_name="y/p.png")]


@pytest.mark.parametrize(("text", "images", "expected", "codes"), [
    ("page,kind,year\n1.png,letter,1900\n2.png,, 1910 \n3.png,form,\n", None,
     {"kind": ("letter", "", "form"), "year": ("1900", "1910", "")}, {}),
    ("document;kind\nd2;letter\nd1.pdf;form\n", None, {"kind": ("form", "letter", "letter")}, {}),
    ("document\tkind\na\tletter\nb\tform\n", PAGES_OF_A, {"kind": ("letter", "letter", "form")}, {}),
    ("page,kind\nscans/1.JPG,a\n2,b\n3.png,c\n", None, {"kind": ("a", "b", "c")}, {}),
    ("page,kind\np.png,a\n", ALIKE, {}, {"attributes-without-page": 1, "page-without-attributes": 2}),
    ("page,kind\n1.png,a\n\n1.png,a\n2.png,b\n3.png,c\n", None, {"kind": ("a", "b", "c")}, {}),
    ("page,kind\n", None, {}, {"page-without-attributes": 3}),
], ids=["by page", "by document", "documents from page names", "similar names", "pages that are alike",
        "equal rows and blank lines", "no rows"])  # fmt: skip
def test_a_csv(text, images, expected, codes):
    layout = read(table(text), images)
    assert layout.page_columns.attributes == expected and found(layout) == codes


@pytest.mark.parametrize(("attributes", "words"), [
    *((table(text), words) for text, words in (
        ("name,kind\n1.png,a\n", r"facts.csv, row 1: there is no column page or document \(found: 'name', 'kind'\)"),
        ("", r"facts.csv, row 1: there is no column page or document \(found: none\)"),
        ("page,kind\n1.png,a\n2.png,b\n1.png,c\n", r"row 2 and row 4: the page '1.png' has two rows with different"),
        ("page,kind\n1.png,a\nx/1.jpg,c\n", r"row 2 and row 3: the page '1.png' has two rows with different"),
        ("document,kind\nd1,a\nd1,b\n", r"row 2 and row 3: the document 'd1' has two rows with different values"),
        ("page,kind\n1.png,a,b\n", r"row 2: there are 3 cells where the first row has 2"),
        ("kind,page\na\n", r"row 2: there are 1 cells where the first row has 2"),
        ("page,kind,kind\n1.png,a,b\n", r"row 1: the column 'kind' occurs twice"),
        ("page,kind\n1.png," + "x" * 1001 + "\n", r"row 2: 'x+…' has 1,001 characters, at most 1,000"),
        ("page," + ",".join(map(str, range(101))) + "\n", r"row 1: 101 attributes, at most 100"),
        ('page,kind\n1.png,"' + "x" * 200_000 + "\n", r"this is not a readable CSV"),
    )),
    (("facts.csv", b"page,kind\xff\n"), r"facts.csv, byte 9: 0xff is not UTF-8"),
    ("/no/such/none.csv", r"there is no such file"),
    (7, r"attributes: 7 is not a table of attributes"),
    ({"1.png": "a"}, r"attributes\['1.png'\]: 'a' is not a mapping"),
    (pd.DataFrame({"kind": ["a"]}), r"attributes, columns: there is no column page or document"),
])  # fmt: skip
def test_wrong_attributes(attributes, words):
    fails(words, read, attributes)


def test_a_file_a_dictionary_and_a_data_frame_give_the_same(tmp_path):
    path = tmp_path / "facts.csv"
    path.write_text("page,kind,year,ok\n1.png,letter,1900,true\n2.png,,1910,\n", "utf-8")
    frame = pd.DataFrame({"page": ["1.png", "2.png"], "kind": ["letter", None], "year": [1900, 1910]})
    given = {"1.png": {"kind": "letter", "year": 1900.0, "ok": True}, "2.png": {"kind": None, "year": 1910}}
    pages = [read(one).pages for one in (str(path), path, frame.assign(ok=[True, None]), given)]
    assert all(one.equals(pages[0]) for one in pages) and pages[0]["ok"].tolist() == ["true", "", ""]


def test_dates_and_missing_values_of_a_data_frame():
    frame = pd.DataFrame({"page": ["1.png", "2.png"], "day": pd.to_datetime(["2020-01-02", None])})
    frame["n"] = pd.array([3, None], dtype="Int64")
    frame["x"] = [0.5, float("nan")]
    pages = read(frame).pages
    assert pages["day"].tolist() == ["2020-01-02 00:00:00", "", ""]
    assert pages["n"].tolist() == ["3", "", ""] and pages["x"].tolist() == ["0.5", "", ""]


def test_rows_without_a_page_and_pages_without_a_row():
    layout = read(table("page,kind\n1.png,a\n8.png,b\n9.png,c\n"))
    assert message(layout, "attributes-without-page") == (
        "facts.csv: 2 of 3 rows belong to no page of gt.json, or to several that are alike (first: '8.png')."
    )
    assert message(layout, "page-without-attributes") == (
        "gt.json: 2 of 3 pages have no row in facts.csv (first: '2.png')."
    )


def test_what_is_given_takes_precedence_over_the_file():
    pages = [image(1, doc_category="laws"), image(2, doc_category="laws"), image(3, doc_category="laws")]
    layout = read(table("page,doc_category\n1.png,patents\n2.png,\n3.png,laws\n"), pages)
    assert layout.pages["doc_category"].tolist() == ["patents", "laws", "laws"]
    assert message(layout, "attribute-replaced") == (
        "gt.json: 1 attribute has another value in facts.csv, which is used (first: 'doc_category' of page '1.png', "
        "'laws' becomes 'patents')."
    )


def test_the_exported_table_of_pages_can_be_completed_and_given():
    frame = read(None).pages.assign(kind=["a", "b", "c"])
    pages = read(table(frame.to_csv(index=False))).pages
    assert pages.equals(read(None).pages.assign(kind=["a", "b", "c"]))


texts = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), max_size=8)


@given(st.dictionaries(st.sampled_from(["1.png", "2.png", "3.png"]), st.fixed_dictionaries({"a": texts, "b": texts})))
def test_a_csv_and_a_dictionary_say_the_same(rows):
    frame = pd.DataFrame([{"page": page, **row} for page, row in rows.items()], columns=["page", "a", "b"])
    by_csv, by_dict = read(table(frame.to_csv(index=False))), read(rows)
    assert by_csv.page_columns.attributes == by_dict.page_columns.attributes
    shown = by_dict.pages.set_index("page")
    for page, row in rows.items():
        assert {name: shown.loc[page, name] if name in shown else "" for name in row} == row
