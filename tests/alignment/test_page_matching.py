"""Page matching: page names of real tools, page numbers, page maps, and unmatched pages."""

import json
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.layouts.model import Pages, Regions, find_page
from layoutcm.layouts.page_names import base_name, normalised_stem, split_number, stem
from layoutcm.layouts.validation import make_layout
from layoutcm.tables.result_json import comparison_result

NO_REGIONS = Regions(np.empty(0, np.int32), np.empty(0, np.int32), np.empty((0, 4)), np.empty(0))


def pages_of(*pages):
    """Pages from names, or from (name, document, number)."""
    rows = [page if isinstance(page, tuple) else (page, "", -1) for page in pages]
    names, documents, numbers = zip(*rows) if rows else ((), (), ())
    sizes = np.full(len(rows), 10.0)
    return Pages(tuple(names), sizes, sizes, tuple(documents), np.array(numbers, np.int32))


def layout(*pages, name="x"):
    return make_layout(name, "test", ["a"], pages_of(*pages), NO_REGIONS)


def compared(gt, pred, **options):
    return lcm.compare(layout(*gt), layout(*pred), **options)


def matched(comparison):
    """{gt page: (pred page, how)} and the unmatched pages of pred."""
    rows = comparison.page_matches().values.tolist()
    return {gt: (pred, how) for gt, pred, how in rows if gt}, [pred for gt, pred, _ in rows if not gt]


def codes(comparison):
    return {finding.code: finding.count for finding in comparison.findings if finding.code.startswith("page-")}


def in_document(document, numbers, name="{}-{}"):
    return [(name.format(document, number), document, number) for number in numbers]


@pytest.mark.parametrize(
    ("gt", "pred", "how"),
    [
        ("a.png", "a.png", "exact"),
        ("img/a.png", "a.png", "base name"),
        ("img/a.png", "other\\deep\\a.png", "base name"),
        ("img/a.png", "a.jpg", "stem"),
        ("a.tar.png", "a.tar", "stem"),
        ("a", "x/a.PDF", "stem"),
        ("Annual Report.PNG", "annual_report.png", "spelling"),
        ("caf%C3%A9%20menu.png", "café menu.png", "spelling"),
        (unicodedata.normalize("NFD", "Übersicht.png"), unicodedata.normalize("NFC", "Übersicht.png"), "spelling"),
        ("report_p1.png", "report-page-001.jpg", "number"),
        ("report_p1.png", "report_page 1", "number"),
        ("a-1.png", "b-1.png", ""),
        ("a.v1", "a.v2", ""),
        ("report_1.png", "report_2.png", ""),
        ("100%.png", "100%25.png", "spelling"),
        ("مستند.png", "x/مستند.jpg", "stem"),
        ("<b>=1+1</b>.png", "b>.png", "base name"),
    ],
)
def test_one_page_with_two_names(gt, pred, how):
    c = compared([gt, "same"], [pred, "same"])
    found, left = matched(c)
    assert found == {gt: (pred if how else "", how), "same": ("same", "exact")}
    assert left == ([] if how else [pred])
    reported = {} if how == "exact" else {f"page-matched-by-{how.replace(' ', '-')}": 1}
    assert codes(c) == (reported if how else {"page-only-in-gt": 1, "page-only-in-pred": 1})


def test_every_stage_reports_its_matches_and_unmatched_pages_are_named():
    gt = ["same.png", "x/base.png", "stem.png", "Big Name.png", "doc_1.png", "gone.png", "lost.png"]
    pred = ["same.png", "y/base.png", "stem.tif", "big_name", "doc-001", "new.png"]
    c = compared(gt, pred)
    ways = [how for _, how in matched(c)[0].values()]
    assert ways == ["exact", "base name", "stem", "spelling", "number", "", ""]
    assert codes(c) == {
        "page-matched-by-base-name": 1,
        "page-matched-by-stem": 1,
        "page-matched-by-spelling": 1,
        "page-matched-by-number": 1,
        "page-only-in-gt": 2,
        "page-only-in-pred": 1,
    }
    messages = {finding.code: finding.message for finding in c.findings}
    assert "'stem.png' and 'stem.tif'" in messages["page-matched-by-stem"]
    assert "'gone.png', 'lost.png'" in messages["page-only-in-gt"] and "'new.png'" in messages["page-only-in-pred"]
    rows = json.loads(json.dumps(comparison_result(c)))["page_matching"]
    assert rows["matched"] == {"exact": 1, "base name": 1, "stem": 1, "spelling": 1, "number": 1}
    assert rows["only_in_gt"] == ["gone.png", "lost.png"] and rows["only_in_pred"] == ["new.png"]
    ignored = compared(gt, pred, missing_pages="ignore")
    assert len(ignored.pages) == 5 and ignored.page_matches().equals(c.page_matches())


def test_ambiguous_names_are_not_matched():
    for gt, pred in (
        (["x/a.png", "y/a.png"], ["a.png"]),
        (["a.png", "a.jpg"], ["a.tif"]),
        (["A b.png", "a_b.png"], ["A B.tif"]),
        (["a_b.png"], ["A B.tif", "a%20b"]),
        (["a_1.png", "a-01.png"], ["a 001.gif"]),
    ):
        found, left = matched(compared(gt, pred))
        assert {how for _, how in found.values()} == {""} and left == pred


def test_stricter_rule_comes_before_looser_rule():
    found, left = matched(compared(["x/a.png", "x/a.jpg"], ["a.jpg", "A.png"]))
    # The remaining two are equal under the rule "spelling", but not unique, so they are not matched.
    assert found == {"x/a.jpg": ("a.jpg", "base name"), "x/a.png": ("", "")} and left == ["A.png"]


def test_name_that_is_not_unique_matches_no_page():
    found, left = matched(compared(["x/1.png", "y/1.png"], ["x/1.png", "z/1.png"]))
    assert found == {"x/1.png": ("x/1.png", "exact"), "y/1.png": ("", "")} and left == ["z/1.png"]


def test_only_the_first_unmatched_pages_are_named():
    c = compared([f"gt {i}x" for i in range(20)], ["other"])
    (finding,) = (finding for finding in c.findings if finding.code == "page-only-in-gt")
    assert finding.count == 20 and "'gt 3x' …" in finding.message and "gt 4x" not in finding.message


def test_pages_are_matched_by_document_and_page_number():
    gt = [*in_document("reports/A.pdf", (1, 2, 5)), *in_document("b.pdf", (1, 2))]
    pred = [("hash-x", "B", 2), ("hash-y", "a.PDF", 5), ("hash-z", "a.PDF", 7)]
    found, left = matched(compared(gt, pred))
    assert {page: pair for page, pair in found.items() if pair[1]} == {
        "reports/A.pdf-5": ("hash-y", "number"),
        "b.pdf-2": ("hash-x", "number"),
    }
    assert left == ["hash-z"]


def test_number_at_the_end_of_a_hash_is_not_a_page_number():
    gt = [("0f3a17", "report.pdf", -1), ("9be2", "report.pdf", -1)]
    pred = ["report_17", "report_2"]
    assert {how for _, how in matched(compared(gt, pred))[0].values()} == {""}
    assert matched(compared([("0f3a17", "report.pdf", 17)], ["report_17"]))[0] == {"0f3a17": ("report_17", "number")}


def test_single_document_that_one_side_does_not_name():
    found, _ = matched(compared(in_document("report.pdf", (1, 2, 3)), ["page_1.png", "page_2.png", "page_3.png"]))
    assert [pred for pred, _ in found.values()] == ["page_1.png", "page_2.png", "page_3.png"]
    two = [*in_document("report.pdf", (1, 2)), *in_document("other.pdf", (3,))]
    assert {how for _, how in matched(compared(two, ["page_1", "page_2", "page_3"]))[0].values()} == {""}
    named = in_document("other.pdf", (1, 2, 3))
    assert {how for _, how in matched(compared(in_document("report.pdf", (1, 2, 3)), named))[0].values()} == {""}


@pytest.mark.parametrize("swapped", [False, True])
def test_pages_counted_from_0_and_from_1(swapped):
    from_one = [*in_document("a", range(1, 5), "one {} {}"), *in_document("b", (7,), "one {} {}")]
    from_zero = [*in_document("a", range(0, 4), "zero {} {}x"), *in_document("b", (6,), "zero {} {}x")]
    c = compared(from_zero, from_one) if swapped else compared(from_one, from_zero)
    pairs = c.page_matches()[["gt_page", "pred_page"]].values.tolist()
    expected = [[f"one a {i}", f"zero a {i - 1}x"] for i in range(1, 5)] + [["one b 7", "zero b 6x"]]
    assert pairs == ([pair[::-1] for pair in expected] if swapped else expected)
    assert codes(c) == {"page-numbers-shifted": 5}
    (finding,) = (finding for finding in c.findings if finding.code == "page-numbers-shifted")
    zero, one = ("gt", "pred") if swapped else ("pred", "gt")
    assert f"shifted by one, because {zero} counts pages from 0 and {one} from 1" in finding.message
    assert "--pages" in finding.hint


def test_names_that_count_from_0_and_from_1():
    c = compared([f"doc page {i}.png" for i in (1, 2, 3)], [f"doc-{i:03}.jpg" for i in (0, 1, 2)])
    assert [pred for pred, _ in matched(c)[0].values()] == ["doc-000.jpg", "doc-001.jpg", "doc-002.jpg"]


def test_undecided_shift_matches_nothing_and_is_reported():
    """Page 0 of one side may be a cover that the other side lacks, or page 1 of the other side."""
    c = compared(in_document("a", (1, 2, 3, 4), "g{}{}"), in_document("a", (0, 1, 2), "p{}{}x"))
    assert {how for _, how in matched(c)[0].values()} == {""}
    assert codes(c) == {"page-numbers-ambiguous": 4, "page-only-in-gt": 4, "page-only-in-pred": 3}


def test_no_shift_if_a_document_contradicts_it():
    gt = [*in_document("a", (1, 2), "g{}{}"), *in_document("b", (3, 4), "g{}{}")]
    pred = [*in_document("a", (0, 1), "p{}{}x"), *in_document("b", (3, 4), "p{}{}x")]
    assert {how for _, how in matched(compared(gt, pred))[0].values()} == {""}


def test_equal_names_that_seem_shifted_are_reported():
    c = compared([f"doc_{i}.png" for i in (1, 2, 3, 4)], [f"doc_{i}.png" for i in (0, 1, 2, 3)])
    found, left = matched(c)
    assert found["doc_3.png"] == ("doc_3.png", "exact") and found["doc_4.png"] == ("", "") and left == ["doc_0.png"]
    assert codes(c) == {"page-numbers-suspect": 3, "page-only-in-gt": 1, "page-only-in-pred": 1}


def test_page_map_comes_before_names():
    c = compared(["a", "b", "c"], ["a", "b", "z"], pages={"a": "b", "c": "z"})
    found, left = matched(c)
    assert found == {"a": ("b", "map"), "b": ("", ""), "c": ("z", "map")} and left == ["a"]
    assert codes(c) == {"page-matched-by-map": 2, "page-only-in-gt": 1, "page-only-in-pred": 1}
    assert c.pages == ["a", "b", "c", "a (pred)"]  # page names stay unique
    assert "mapped_pages:2" in c.recipe and "mapped_pages" not in compared(["a"], ["a"]).recipe


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


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
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
    ],
)
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
        "matched": {"map": 1},
        "only_in_gt": [],
        "only_in_pred": [],
    }
    assert "mapped_pages:1" in found["recipe"] and found["averages"]["macro"]["f1"] == 1
    (tmp_path / "pages.csv").write_text("gt,pred\nb,z\n")
    assert main(["compare", *files, "--pages", str(tmp_path / "pages.csv")]) == 2
    error = capsys.readouterr().err
    assert "pages.csv, row 2: gt has no page 'b'" in error and "'a'" in error


def test_find_page_by_a_similar_name():
    pages = pages_of("x/a.png", "y/b.png", "z/b.png", "Big One.tif")
    assert [find_page(name, pages) for name in ("x/a.png", "a.png", "a", "A.JPG", "big_one")] == [0, 0, 0, 0, 3]
    assert [find_page(name, pages) for name in ("b.png", "b", "c", "")] == [None] * 4


def test_sizes_of_the_reference_layout_are_found_by_the_same_rules():
    gt = lcm.read(("gt.csv", b"page,label,x0,y0,x1,y1,width,height\nimg/a 1.png,t,0,0,1,1,40,30\n"))
    table = "page,label,x0,y0,x1,y1\n{},t,0,0,1,1\n"
    for name in ("img/a 1.png", "a 1.png", "a 1.jpg", "A_1"):
        pred = lcm.read(("pred.csv", table.format(name).encode()), like=gt)
        assert pred.pages[["width", "height"]].values.tolist() == [[40, 30]]
    with pytest.raises(lcm.InputError, match="not known"):
        lcm.read(("pred.csv", table.format("a 2").encode()), like=gt)


def test_parts_of_page_names():
    assert [base_name(name) for name in ("a", "x/a", "x\\a", "x/a/")] == ["a"] * 4
    assert [stem(name) for name in ("x/a.PNG", "a.b.pdf", ".png", "a.txt")] == ["a", "a.b", ".png", "a.txt"]
    assert normalised_stem(" A%20b__C.png") == "a_b_c"
    numbers = {
        "r_p12.png": ("r", 12),
        "r-page 007": ("r", 7),
        "x/3.png": ("", 3),
        "map1": ("map", 1),
        "r": ("", -1),
        "t20240131235959": ("t", -1),
    }
    assert {name: split_number(name) for name in numbers} == numbers


folders = st.sampled_from(["", "x/", "y\\"])
stems = st.sampled_from(["a", "A", "a b", "a_b", "d_0", "d_1", "d-1", "d_2", "d_3", "p1", "01", "1", "%61"])
names = st.builds(str.__add__, st.builds(str.__add__, folders, stems), st.sampled_from(["", ".png", ".JPG"]))
some_pages = st.lists(names, max_size=6, unique=True)


@given(some_pages, some_pages)
@settings(max_examples=200, deadline=None)
def test_matching_is_one_to_one_symmetric_and_independent_of_order(gt, pred):
    def pairs(*sides):
        return {tuple(row) for row in compared(*sides).page_matches().values.tolist()}

    found = pairs(gt, pred)
    assert sorted(row[0] for row in found if row[0]) == sorted(gt)
    assert sorted(row[1] for row in found if row[1]) == sorted(pred)
    assert all((a == b) == (how == "exact") and (not a or not b) == (how == "") for a, b, how in found)
    assert {name for name in gt if name in pred} == {a for a, _, how in found if how == "exact"}
    assert {(b, a, how) for a, b, how in found} == pairs(pred, gt)
    assert found == pairs(gt[::-1], pred[::-1])


@given(some_pages)
@settings(max_examples=60, deadline=None)
def test_a_layout_matches_itself_exactly(pages):
    for other in (pages, pages[::-1]):
        assert {how for _, _, how in compared(pages, other).page_matches().values.tolist()} <= {"exact"}


GT_SIZED = b"page,label,x0,y0,x1,y1,width,height\na,t,0,0,5,5,40,30\nb,t,0,0,5,5,50,60\nc,t,0,0,5,5,70,80\n"
NO_SIZES = b"page,label,x0,y0,x1,y1\nz.png,t,0,0,5,5\nb,t,0,0,5,5\nc,t,0,0,5,5\n"


def test_reference_layout_without_the_page_is_named_with_a_hint():
    gt = lcm.read(("gt.csv", GT_SIZED))
    with pytest.raises(
        lcm.InputError, match=r"gt\.csv.* no page of this name.*like 'a' and 'b'.*--pages.*--sizes"
    ) as caught:
        lcm.read(("pred.csv", NO_SIZES), like=gt)
    assert "compare it with" not in str(caught.value)


@pytest.mark.parametrize(
    ("pages", "sizes"),
    [
        ({"a": "z"}, [(40, 30), (50, 60), (70, 80)]),  # the other pages are found by name
        ({"a": "z.png", "c": "b", "b": "c"}, [(40, 30), (70, 80), (50, 60)]),
    ],
)
def test_page_map_selects_the_reference_page_for_the_size(pages, sizes):
    gt = lcm.read(("gt.csv", GT_SIZED))
    pred = lcm.read(("pred.csv", NO_SIZES), like=gt, pages=pages)
    assert list(zip(pred.page_columns.widths, pred.page_columns.heights)) == sizes
    assert lcm.compare(gt, pred, pages=pages).findings_by_side["both"][0].code == "page-matched-by-map"


def test_page_map_gives_sizes_on_the_command_line_and_its_errors_are_named(tmp_path, capsys):
    for name, data in (("gt.csv", GT_SIZED), ("pred.csv", NO_SIZES), ("pages.csv", b"gt,pred\na,z\n")):
        (tmp_path / name).write_bytes(data)
    arguments = [
        "compare",
        str(tmp_path / "gt.csv"),
        str(tmp_path / "pred.csv"),
        "--pages",
        str(tmp_path / "pages.csv"),
    ]
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
