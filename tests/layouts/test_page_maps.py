"""Page maps and attributes that are given beside a file: from files and from Python, and their errors."""

import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.layouts.page_maps import parse_page_map, resolve_page_map
from support.coco_files import coco, found, image
from support.layouts import build
from support.named_pages import compared, matched
from support.reading import fails

MAPS = {
    "m.csv": "gt,pred\nx/0001.png,q\n0002.png,r\n",
    "n.csv": "x/0001.png;q\n0002.png;r\n",
    "o.tsv": "pred page\tnote\tGT page\nq\t1\tx/0001.png\nr\t\t0002.png\n\n",
    "m.yaml": "x/0001.png: q\n0002.png: r\n",
    "m.json": '{"x/0001.png": "q", "0002.png": "r"}',
    "n.yml": "{x/0001.png: q, 0002.png: r, 0003: }",
}


@pytest.mark.parametrize("name", MAPS)
def test_page_maps_in_files(tmp_path, name):
    path = tmp_path / name
    path.write_text("\ufeff" + MAPS[name])
    gt, pred = ["x/0001.png", "0002.png", "0003"], ["r", "q", "0003"]
    for source in (path, str(path)):
        found, _ = matched(compared(gt, pred, pages=source))
        assert found == {"x/0001.png": ("q", "map"), "0002.png": ("r", "map"), "0003": ("0003", "exact")}


def test_page_matches_can_be_used_as_page_map(tmp_path):
    c = compared(["x/a.png", "b", "alone"], ["a.png", "new"], pages={"b": "new"})
    c.page_matches().to_csv(tmp_path / "pages.csv", index=False)
    again = compared(["x/a.png", "b", "alone"], ["a.png", "new"], pages=tmp_path / "pages.csv")
    assert again.page_matches()[["gt_page", "pred_page"]].equals(c.page_matches()[["gt_page", "pred_page"]])


@pytest.mark.parametrize(("name", "text", "expected"), [
    ("m.csv", "gt,pred\nzzz,q\n", r"m\.csv, row 2: gt has no page 'zzz'.*like 'x/0001\.png'"),
    ("m.csv", "gt,pred\n0002.png,zzz\n", r"row 2: pred has no page 'zzz'"),
    ("m.csv", "gt,pred\n0002.png,q\n0002.png,r\n", r"row 2 and row 3: the page '0002\.png' of gt occurs twice"),
    ("m.csv", "gt,pred\n0002.png,q\n0003,q\n", r"row 2 and row 3: the page 'q' of pred occurs twice"),
    ("m.csv", "a,b,c\n1,2,3\n", "row 1: the columns gt and pred are missing"),
    ("m.csv", "gt,pred\n0002.png\n", "row 2: there are 1 cells where the first row has 2"),
    ("m.csv", "gt,pred\n" + "x" * 200_000 + ",q\n", "not a readable CSV"),
    ("m.yaml", "0002.png: q\n0002.png: r\n", "line 1 and line 2: the page '0002.png' of gt occurs twice"),
    ("m.yaml", "0002.png: [q]\n", "line 1: .* is not a page's name"),
    ("m.yaml", "- a\n", "not a mapping of pages"),
    ("m.yaml", "a: [", "cannot be read"),
    ("m.json", '{"0002.png": "q", "0002.png": "r"}', "occurs twice"),
    ("m.json", '{"0002.png": 3}', "3 is not a page's name"),
    ("m.json", '{"0002.png": {"a": "b"}}', "is not a page's name"),
    ("m.json", '["a"]', "not a mapping of pages"),
    ("m.txt", "a b", r"cannot be \.txt"),
    ("m.csv", b"gt,pred\n\xff,q\n", "0xff is not UTF-8"),
])  # fmt: skip
def test_errors_of_page_maps_name_file_place_value_and_hint(tmp_path, name, text, expected):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(lcm.InputError, match=expected) as caught:
        compared(["x/0001.png", "0002.png", "0003"], ["r", "q", "0003"], pages=path)
    assert caught.value.file == str(path) and caught.value.hint


@pytest.mark.parametrize("pages", [{"a": 1}, {1: "a"}, 7, ["a"], {"nowhere": "a"}, "/no/such/map.csv", "."])
def test_wrong_page_maps_in_python(pages):
    with pytest.raises(lcm.InputError):
        compared(["a"], ["a"], pages=pages)


def test_page_map_on_the_command_line(tmp_path, capsys):
    for name, page in (("gt", "a"), ("pred", "z")):
        (tmp_path / f"{name}.csv").write_text(f"page,label,x0,y0,x1,y1,width,height\n{page},t,0,0,5,5,9,9\n")
    (tmp_path / "pages.csv").write_text("gt,pred\na,z\n")
    files = [str(tmp_path / "gt.csv"), str(tmp_path / "pred.csv")]
    assert main(["compare", *files, "--pages", str(tmp_path / "pages.csv"), "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["pages"] == 1 and found["page_matching"] == {
        "matched": {"map": 1}, "only_in_gt": [], "only_in_pred": [],
    }  # fmt: skip
    assert "mapped_pages:1" in found["recipe"] and found["averages"]["macro"]["f1"] == 1
    (tmp_path / "pages.csv").write_text("gt,pred\nb,z\n")
    assert main(["compare", *files, "--pages", str(tmp_path / "pages.csv")]) == 2
    error = capsys.readouterr().err
    assert "pages.csv, row 2: gt has no page 'b'" in error and "'a'" in error


GT_SIZED = b"page,label,x0,y0,x1,y1,width,height\na,t,0,0,5,5,40,30\nb,t,0,0,5,5,50,60\nc,t,0,0,5,5,70,80\n"
NO_SIZES = b"page,label,x0,y0,x1,y1\nz.png,t,0,0,5,5\nb,t,0,0,5,5\nc,t,0,0,5,5\n"


def test_a_page_that_a_page_map_names_later_needs_a_size():
    gt = lcm.read(("gt.csv", GT_SIZED))
    pred = lcm.read(("pred.csv", NO_SIZES), like=gt)
    with pytest.raises(lcm.InputError, match=r"size of page 'z\.png' is not known.*pages= of `read`.*--sizes"):
        lcm.compare(gt, pred, pages={"a": "z.png"})


@pytest.mark.parametrize(("pages", "sizes"), [
    ({"a": "z"}, [(40, 30), (50, 60), (70, 80)]),  # the other pages are found by name
    ({"a": "z.png", "c": "b", "b": "c"}, [(40, 30), (70, 80), (50, 60)]),
])  # fmt: skip
def test_page_map_selects_the_reference_page_for_the_size(pages, sizes):
    gt = lcm.read(("gt.csv", GT_SIZED))
    pred = lcm.read(("pred.csv", NO_SIZES), like=gt, pages=pages)
    assert list(zip(pred.page_columns.widths, pred.page_columns.heights)) == sizes
    assert lcm.compare(gt, pred, pages=pages).findings_by_side["both"][0].code == "page-matched-by-map"


def test_page_map_gives_sizes_on_the_command_line_and_its_errors_are_named(tmp_path, capsys):
    for name, data in (("gt.csv", GT_SIZED), ("pred.csv", NO_SIZES), ("pages.csv", b"gt,pred\na,z\n")):
        (tmp_path / name).write_bytes(data)
    arguments = [
        "compare", str(tmp_path / "gt.csv"), str(tmp_path / "pred.csv"), "--pages", str(tmp_path / "pages.csv"),
    ]  # fmt: skip
    assert main([*arguments, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["averages"]["macro"]["f1"] == 1
    (tmp_path / "pages.csv").write_text("gt,pred\nnowhere,z\n")
    assert main(arguments) == 2
    assert "pages.csv, row 2: gt has no page 'nowhere'" in capsys.readouterr().err


def test_page_map_does_not_change_the_page_ids_of_a_results_list():
    images = [{"id": k, "file_name": name, "width": 10, "height": 10} for k, name in enumerate("abc")]
    boxes = [{"id": k, "image_id": k, "category_id": 1, "bbox": [0, 0, 5 + k, 5]} for k in range(3)]
    gt_file = {"images": images, "annotations": boxes, "categories": [{"id": 1, "name": "t"}]}
    gt = lcm.read(("gt.json", json.dumps(gt_file).encode()))
    results = json.dumps([{**box, "score": 0.5} for box in boxes]).encode()
    pages = {"a": "b", "b": "a"}
    pred = lcm.read(("pred.json", results), like=gt, pages=pages)
    assert pred.page_columns.names == ("a", "b", "c") and pred.regions["page"].tolist() == ["a", "b", "c"]
    found, _ = matched(lcm.compare(gt, pred, pages=pages))
    assert found == {"a": ("b", "map"), "b": ("a", "map"), "c": ("c", "exact")}


def test_names_that_a_file_to_fill_in_has_marked_as_text_are_found():
    gt, pred = (build({name: (9, 9), "x": (9, 9)}, [(name, "a", 0, 0, 5, 5)]) for name in ("=1+1", "-p"))
    data = b'gt,pred\n"\'=1+1","\'-p"\n'
    found = resolve_page_map(parse_page_map("pages.csv", data), gt.page_columns, pred.page_columns)
    assert found == {0: 0}
    compared = lcm.compare(gt, pred, pages={"=1+1": "-p"})
    assert compared.page_matches()["how"].tolist() == ["map", "exact"]


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
