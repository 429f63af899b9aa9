"""Page matching: names of tools, page maps, missing pages, other sizes, invariants; the same file on both sides."""

import unicodedata
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.layouts.model import Finding
from support.layouts import build
from support.named_pages import compared, matched, matched_by_rules, page_codes
from support.results import codes, full_result


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
    assert page_codes(c) == (reported if how else {"page-only-in-gt": 1, "page-only-in-pred": 1})


def test_every_stage_reports_its_matches_and_unmatched_pages_are_named():
    gt = ["same.png", "x/base.png", "stem.png", "Big Name.png", "doc_1.png", "gone.png", "lost.png"]
    pred = ["same.png", "y/base.png", "stem.tif", "big_name", "doc-001", "new.png"]
    c = compared(gt, pred)
    ways = [how for _, how in matched(c)[0].values()]
    assert ways == ["exact", "base name", "stem", "spelling", "number", "", ""]
    assert page_codes(c) == {
        "page-matched-by-base-name": 1, "page-matched-by-stem": 1, "page-matched-by-spelling": 1,
        "page-matched-by-number": 1, "page-only-in-gt": 2, "page-only-in-pred": 1,
    }  # fmt: skip
    messages = {finding.code: finding.message for finding in c.findings}
    assert "'stem.png' and 'stem.tif'" in messages["page-matched-by-stem"]
    assert "'gone.png', 'lost.png'" in messages["page-only-in-gt"] and "'new.png'" in messages["page-only-in-pred"]
    rows = full_result(c)["page_matching"]
    assert rows["matched"] == {"exact": 1, "base name": 1, "stem": 1, "spelling": 1, "number": 1}
    assert rows["only_in_gt"] == ["gone.png", "lost.png"] and rows["only_in_pred"] == ["new.png"]
    ignored = compared(gt, pred, missing_pages="ignore")
    assert len(ignored.pages) == 5 and ignored.page_matches().equals(c.page_matches())


@pytest.mark.parametrize(
    ("gt", "pred", "expected"),
    [
        (["x/a.png", "y/a.png"], ["a.png"], {}),
        (["a.png", "a.jpg"], ["a.tif"], {}),
        (["A b.png", "a_b.png"], ["A B.tif"], {}),
        (["a_b.png"], ["A B.tif", "a%20b"], {}),
        (["a_1.png", "a-01.png"], ["a 001.gif"], {}),
        # A stricter rule comes first. The remaining two are equal under the rule "spelling", but not unique.
        (["x/a.png", "x/a.jpg"], ["a.jpg", "A.png"], {"x/a.jpg": ("a.jpg", "base name")}),
        (["x/1.png", "y/1.png"], ["x/1.png", "z/1.png"], {"x/1.png": ("x/1.png", "exact")}),
    ],
)
def test_ambiguous_names_are_not_matched(gt, pred, expected):
    found, left = matched_by_rules(gt, pred)
    assert found == {**dict.fromkeys(gt, ("", "")), **expected}
    assert left == [name for name in pred if name not in [partner for partner, _ in expected.values()]]


def test_only_the_first_unmatched_pages_are_named():
    c = compared(["same", *(f"gt {i}x" for i in range(20))], ["same"])
    (finding,) = (finding for finding in c.findings if finding.code == "page-only-in-gt")
    assert finding.count == 20 and "'gt 3x' …" in finding.message and "gt 4x" not in finding.message


def test_page_map_comes_before_names():
    c = compared(["a", "b", "c"], ["a", "b", "z"], pages={"a": "b", "c": "z"}, missing_pages="penalise-both")
    found, left = matched(c)
    assert found == {"a": ("b", "map"), "b": ("", ""), "c": ("z", "map")} and left == ["a"]
    assert page_codes(c) == {"page-matched-by-map": 2, "page-only-in-gt": 1, "page-only-in-pred": 1}
    assert c.pages == ["a", "b", "c", "a (pred)"]  # page names stay unique
    assert "mapped_pages:2" in c.recipe and "mapped_pages" not in compared(["a"], ["a"]).recipe


folders = st.sampled_from(["", "x/", "y\\"])
stems = st.sampled_from(["a", "A", "a b", "a_b", "d_0", "d_1", "d-1", "d_2", "d_3", "p1", "01", "1", "%61"])
names = st.builds(str.__add__, st.builds(str.__add__, folders, stems), st.sampled_from(["", ".png", ".JPG"]))
some_pages = st.lists(names, max_size=6, unique=True)


@given(some_pages, some_pages)
@settings(max_examples=200, deadline=None)
def test_matching_is_one_to_one_symmetric_and_independent_of_order(gt, pred):
    def pairs(*sides):
        found, left = matched_by_rules(*sides)
        return {*((page, *match) for page, match in found.items()), *(("", page, "") for page in left)}

    found = pairs(gt, pred)
    assert sorted(row[0] for row in found if row[0]) == sorted(gt)
    assert sorted(row[1] for row in found if row[1]) == sorted(pred)
    assert all((a == b) == (how == "exact") and (not a or not b) == (how == "") for a, b, how in found)
    assert {name for name in gt if name in pred} == {a for a, _, how in found if how == "exact"}
    assert {(b, a, how) for a, b, how in found} == pairs(pred, gt)
    assert found == pairs(gt[::-1], pred[::-1])


def test_pages_of_the_same_name_in_several_folders_are_matched_by_their_path():
    sizes = {"a/1.png": (10, 10), "b/1.png": (20, 10)}
    gt = build(sizes, [("a/1.png", "T", 0, 0, 5, 5), ("b/1.png", "T", 0, 0, 9, 9)])
    pred = build({"a/1": (10, 10), "b/1": (20, 10)}, [("a/1", "T", 0, 0, 5, 5), ("b/1", "T", 0, 0, 9, 9)])
    c = lcm.compare(gt, pred)
    assert c.page_matches()["how"].tolist() == ["path", "path"] and c.average("micro")["f1"] == 1


def test_yolo_of_pages_in_folders_is_read_back_with_their_own_sizes(tmp_path):
    for names in (["a/1.png", "b/1.png"], ["dir/a.png", "a"]):
        sizes = dict(zip(names, [(10, 10), (1000, 500)]))
        layout = build(sizes, [(name, "T", 0, 0, 5, 5) for name in names])
        lcm.write(layout, "yolo", tmp_path / "out.zip")
        again = lcm.read(tmp_path / "out.zip", like=layout)
        widths = dict(zip(again.page_columns.names, again.page_columns.widths.tolist()))
        assert widths == {name.removesuffix(".png"): size[0] for name, size in sizes.items()}
        assert lcm.compare(layout, again).average("micro")["f1"] == 1


def test_missing_pages_can_count_as_errors_on_both_sides():
    gt = build({"a": (10, 10), "b": (10, 10)}, [("a", "x", 0, 0, 10, 1), ("b", "x", 0, 0, 10, 2)])
    pred = build({"a": (10, 10), "c": (5, 4)}, [("a", "x", 0, 0, 10, 1), ("c", "x", 0, 0, 5, 4)])
    penalised = lcm.compare(gt, pred, missing_pages="penalise-both")
    assert penalised.pages == ["a", "b", "c"]  # c is scaled to 10 x 10
    np.testing.assert_array_equal(penalised.confusion().values, [[170, 100], [20, 10]])
    assert codes(penalised.findings) == {"page-only-in-gt": 1, "page-only-in-pred": 1}
    ignored = lcm.compare(gt, pred, missing_pages="ignore")
    assert ignored.pages == ["a"]
    np.testing.assert_array_equal(ignored.confusion().values, [[90, 0], [0, 10]])


def test_another_page_size_is_scaled():
    gt = build({"p": (10, 10)}, [("p", "x", 0, 0, 10, 5)])
    pred = build({"p": (100, 20)}, [("p", "x", 0, 0, 100, 10)])
    c = lcm.compare(gt, pred)
    np.testing.assert_array_equal(c.confusion().values, [[50, 0], [0, 50]])
    assert codes(c.findings) == {"scaled-page": 1}


TABLE = b"page,label,annotator,x0,y0,x1,y1,width,height\np,a,ann,0,0,5,5,9,9\np,a,bob,0,0,5,5,9,9\n"


def is_same(gt, pred, **options):
    return "same-file" in codes(lcm.compare(gt, pred, **options).findings)


def test_the_same_file_on_both_sides_is_severe():
    table = TABLE.replace(b"annotator", b"note")
    gt, again, copy = (lcm.read((name, table)) for name in ("gt.csv", "gt.csv", "pred.csv"))
    (finding,) = (one for one in lcm.compare(gt, again).findings if one.code == "same-file")
    assert finding.severity == "error" and "same file, 'gt.csv'" in finding.message
    assert is_same(gt, copy) and is_same(gt, copy, mapping={"pred": {"a": "b"}})
    assert is_same(gt, lcm.repair(copy, "flip-y"))
    assert not is_same(gt, lcm.read(("gt.csv", table + b"q,a,,0,0,5,5,9,9\n")))


def test_two_annotators_or_sides_of_a_file_are_not_the_same():
    ann, bob = (lcm.read(("gt.csv", TABLE), annotator=name) for name in ("ann", "bob"))
    assert not is_same(ann, bob) and is_same(ann, ann)
    unread = build({"p": (9, 9)}, [("p", "a", 0, 0, 5, 5)])
    assert unread.sha256 is None and not is_same(unread, unread)
    one = replace(unread, sha256="0")
    for code in ("two-documents", "two-sides"):
        gt, pred = (replace(one, findings=(Finding(code, values={"file": "f", "side": side}),)) for side in "ab")
        assert not is_same(gt, pred) and is_same(gt, gt)
    assert is_same(one, one) and not is_same(one, replace(one, format="other"))
