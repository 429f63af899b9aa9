"""The files of a report."""

import csv
import json
import os
import subprocess
import sys
from itertools import chain

import numpy as np
import openpyxl
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.report import html_page, report_files, workbook
from layoutcm.tables.report_tables import HTML_TABLES, LATEX_TABLES, SHEETS, SUMMARY_TABLES, all_tables
from support import hostile
from support.comparisons import compare_sample, different_labels, three_pages
from support.layouts import build
from support.paths import SAMPLE
from support.written_reports import FAMILIES, FILES, GT, MODEL_A, MODEL_B, Scripts, data_of, files_in, values


def test_the_report_has_all_files(two_pages, tmp_path):
    assert files_in(lcm.compare(*two_pages).write_report(tmp_path / "r")) == sorted([*FILES, "tables/intervals.tex"])


def test_page_tables_in_csv_and_parquet_equal_the_api(sample, folder):
    wanted = sample.page_table()
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "pages.parquet"), wanted)
    with (folder / "pages.csv").open(encoding="utf-8", newline="") as lines:
        head, *rows = csv.reader(lines)
    assert head == list(wanted) and [row[:2] for row in rows] == wanted.iloc[:, :2].to_numpy().tolist()
    found = [[float(text or "nan") for text in row[2:]] for row in rows]
    np.testing.assert_array_equal(found, wanted.iloc[:, 2:].to_numpy(float))


def test_ranked_pairs_have_a_file_of_all_rows_and_a_sheet_of_the_first(two_pages, tmp_path, svg_only, monkeypatch):
    monkeypatch.setattr(workbook, "MOST_ROWS", 3)
    c = lcm.compare(*two_pages)
    c.write_report(tmp_path / "r")
    wanted = c.objects().ranked_pairs()
    found = pd.read_csv(tmp_path / "r/ranked_pairs.csv", dtype={"gt": "Int64", "pred": "Int64"})
    pd.testing.assert_frame_equal(found, wanted, check_dtype=False)
    rows = list(openpyxl.load_workbook(tmp_path / "r/report.xlsx")["Ranked pairs"].iter_rows(values_only=True))
    assert rows[0] == ("page", "label", "gt", "pred", "score", "IoU", "outcome")
    assert [[row[i] for i in (0, 1, 6)] for row in rows[1:4]] == wanted[["page", "label", "outcome"]].values.tolist()[
        :3
    ]
    assert rows[5][0] == f"The first 3 of {len(wanted)} rows; ranked_pairs.csv has all of them." and len(rows) == 6
    c.write_report(tmp_path / "r")  # an earlier report is replaced


def test_the_json_equals_that_of_the_command_line(folder, tmp_path):
    assert main(["compare", GT, MODEL_A, "--intervals", "--json", str(tmp_path / "x.json")]) == 0
    assert (folder / "result.json").read_bytes() == (tmp_path / "x.json").read_bytes()


def test_without_scores_the_report_says_why_there_is_no_ap(tmp_path, quick):
    c = lcm.compare(*[build({"p": (9, 9)}, [("p", "a", 0, 0, 5, 5)])] * 2)
    place = c.write_report(tmp_path / "r")
    why = f"There is no AP. {c.objects().why_no_ap}"
    table = data_of(place / "report.html")["tables"]["objects"]
    assert table["note"] == [why] and "AP" not in table["columns"]
    book = openpyxl.load_workbook(place / "report.xlsx")
    for sheet in ("Objects", "Summary"):
        assert why in [row[0] for row in book[sheet].iter_rows(values_only=True)]


def test_families_are_in_every_file(sample, tmp_path, quick):
    """All their numbers: see the tests of every cell below."""
    (tmp_path / "families.json").write_text(json.dumps(FAMILIES))
    command = ["compare", GT, MODEL_A, "-o", str(tmp_path / "r"), "--json", str(tmp_path / "x.json")]
    command += ["--families", str(tmp_path / "families.json"), "--family-count", "gold"]
    assert main(command) == 0
    assert (tmp_path / "r/result.json").read_bytes() == (tmp_path / "x.json").read_bytes()
    f = sample.families(FAMILIES, count="gold")
    book, data = openpyxl.load_workbook(tmp_path / "r/report.xlsx"), data_of(tmp_path / "r/report.html")
    wanted = f.given_gt()
    rows = list(book["Families"].iter_rows(values_only=True, min_row=2))[: len(wanted)]
    np.testing.assert_allclose(values([row[1:5] for row in rows]), wanted.iloc[:, 1:5].to_numpy(float), rtol=1e-15)
    shown = [row[5] for row in data["tables"]["families"]["rows"]]
    assert shown == [{None: "", "OOF": "out of family"}.get(p, p) for p in wanted["preferred"]]
    words = next(family for family in data["families"] if family["title"] == "Family Words")
    np.testing.assert_array_equal(words["matrix"]["models"][0]["mass"], f.matrices["Words"].to_numpy())
    assert r"Text & " in (tmp_path / "r/tables/families.tex").read_text("utf-8")
    main(command)  # the next run recognises all these files
    sample.write_report(tmp_path / "r", families=FAMILIES)
    assert json.loads((tmp_path / "r/result.json").read_text("utf-8"))["families"]["count"] is None
    assert "families" not in data_of(sample.write_report(tmp_path / "r") / "report.html")["tables"]


def test_hostile_labels_stay_text_in_every_file(tmp_path, quick):
    c = hostile.compared()
    c.write_report(tmp_path / "r")
    text = (tmp_path / "r/report.html").read_text("utf-8")
    page = Scripts(text)
    assert page.tags.count("script") == 2 and set(page.scripts) == {"data", "code"}
    data = json.loads(page.scripts["data"])
    assert data["labels"] == ["Background", *hostile.LABELS] and data["pictures"][0]["page"] == hostile.PAGE
    assert "innerHTML" not in page.scripts["code"] and "alert(1)<" not in text
    assert json.loads((tmp_path / "r/result.json").read_text("utf-8"))["labels"][1:] == hostile.LABELS
    assert pd.read_csv(tmp_path / "r/pages.csv")["page"].tolist() == [f"'{hostile.PAGE}"]  # not a formula
    assert pd.read_parquet(tmp_path / "r/pages.parquet")["page"].tolist() == [hostile.PAGE]
    assert "\\input" not in (tmp_path / "r/tables/confusion.tex").read_text("utf-8")


def test_equal_input_gives_equal_files_in_every_process(tmp_path):
    """The hash seed differs between processes and changes the order of sets of strings."""
    code = (
        "import sys, layoutcm as lcm; from layoutcm.report import report_files; report_files.FIGURE_FORMATS = ('svg',);"
        "gt = lcm.read(sys.argv[2]); c = lcm.compare(gt, lcm.read(sys.argv[3], like=gt));"
        f"c.write_report(sys.argv[1], families={FAMILIES})"
    )
    for name, seed in (("a", "1"), ("b", "2")):
        command = [sys.executable, "-c", code, str(tmp_path / name), GT, MODEL_A]
        subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": seed}, check=True)
    names = files_in(tmp_path / "a")
    assert names == files_in(tmp_path / "b") and len(names) == len(FILES) - 2 * 7 + 3
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_different_taxonomies_leave_class_values_out(tmp_path, svg_only):
    assert main(["compare", GT, MODEL_B, "-o", str(tmp_path / "r")]) == 0
    absent = ("/classes.", "/curves.", "ranked_pairs.")
    kept = [name for name in sorted(FILES) if not any(part in name for part in absent)]
    wanted = [name for name in kept if not name.endswith((".png", ".pdf"))]
    assert files_in(tmp_path / "r") == wanted
    data = data_of(tmp_path / "r/report.html")
    assert "classes" not in data["tables"] and not data["diagonal"]
    assert "different labels" in data["tables"]["objects"]["note"][0]
    assert data["tables"]["objects"]["columns"] == ["label", "gt", "pred"]
    assert len(data["rows"]) == 12 and {data["labels"][j] for j in data["columns"]} >= {"text", "figure"}
    # Without a diagonal the pictures show the largest cells, except Background read as Background.
    assert data["pictures"] and "0-0" in data["cells"]


def test_an_empty_comparison_has_a_report(tmp_path, svg_only):
    layout = build({}, [], labels=["a"])
    place = lcm.compare(layout, layout).write_report(tmp_path / "r")
    data = data_of(place / "report.html")
    assert data["pages"] == 0 and data["pictures"] == [] and data["rows"] == [0]


def test_progress_is_reported(tmp_path, quick, two_pages):
    shares = []
    report_files.write_report(
        lcm.compare(*two_pages), tmp_path / "r", progress=lambda step, share: shares.append(share)
    )
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] == 1


# What needs regions: listed in docs/reports.md.
NEEDS_REGIONS = {"ranked_pairs.csv", "report.html", "report.xlsx"}


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def sample(model):
    gt = lcm.read(SAMPLE / "gt.json")
    return lcm.compare(gt, lcm.read(SAMPLE / f"{model}.json", like=gt))


CASES = {
    "scores": lambda: (sample("model-a"), {"why": True, "intervals": 5, "slices": True, "families": "doclaynet"}),
    "no scores": lambda: (sample("model-c"), {"why": True, "intervals": 5, "method": "tensor", "per_page": True}),
    "three pages": lambda: (three_pages(), {}),
    "different labels": lambda: (different_labels(), {"why": True, "intervals": 5, "slices": True}),
    "no page": lambda: (lcm.compare(build({}, []), build({}, [])), {"why": True, "intervals": 5}),
}


def no_truth():
    gt = lcm.read(SAMPLE / "gt.json")
    sides = [lcm.read(SAMPLE / f"model-{name}.json", like=gt) for name in "ac"]
    return lcm.compare(*sides, truth=False), {}


@pytest.mark.parametrize("case", [*CASES, "no truth"])
def test_all_files_that_need_no_regions_are_the_same(case, tmp_path, monkeypatch):
    if case != "three pages":  # one case is enough to see that figures of all formats are the same
        monkeypatch.setattr(report_files, "FIGURE_FORMATS", ("svg",))
    compared, asked = (CASES | {"no truth": no_truth})[case]()
    compared.write_report(tmp_path / "own", **asked)
    lcm.load_result(tmp_path / "own/result.json").write_report(tmp_path / "again")
    own, again = files_of(tmp_path / "own"), files_of(tmp_path / "again")
    assert set(own) - set(again) <= {"ranked_pairs.csv"} and not set(again) - set(own)
    assert [name for name in again if name not in NEEDS_REGIONS and again[name] != own[name]] == []
    assert len(again) > 8


def test_the_workbook_lacks_only_the_sheet_of_ranked_pairs(tmp_path):
    from openpyxl import load_workbook

    three_pages().write_report(tmp_path / "own", intervals=5)
    lcm.load_result(tmp_path / "own/result.json").write_report(tmp_path / "again")
    own, again = (load_workbook(tmp_path / name / "report.xlsx") for name in ("own", "again"))
    assert [name for name in own.sheetnames if name != "Ranked pairs"] == again.sheetnames
    for name in again.sheetnames:
        assert list(own[name].values) == list(again[name].values), name


def test_the_page_has_the_matrix_and_the_tables_and_says_why_it_has_no_pages(tmp_path):
    result = three_pages().result()
    page = (result.write_report(tmp_path / "report") / "report.html").read_text("utf-8")
    assert "This report was made from a result, which has no regions: no page is shown." in page
    assert '"pictures":[]' in page and '"averages":{' in page


@pytest.fixture(scope="module")
def compared():
    return compare_sample(min_score=0.3)


@pytest.fixture(scope="module")
def result(compared):
    return result_of(compared, asked=Asked(families=FAMILIES, intervals=20, slices="doc_category", why=True))


@pytest.fixture(scope="module")
def tables(compared, result):
    return all_tables(result, compared)


def rows_of(table):
    """Headings and rows; None for undefined."""
    plain = lambda value: None if pd.isna(value) else value
    return [table.headings(), *([plain(value) for value in row] for row in table.data.itertuples(index=False))]


def assert_same(found, wanted):
    """Equal text, and numbers that are equal in the 16 digits of XLSX; an empty text may be no text."""
    assert len(found) >= len(wanted)
    for row, wanted_row in zip(found, wanted):
        assert len(row) >= len(wanted_row)
        for value, other in zip(row, wanted_row):
            if isinstance(other, int | float):
                assert value == pytest.approx(other, rel=1e-15)
            else:
                assert (value or None) == (other or None)


def test_the_workbook_has_every_cell(result, tables, tmp_path):
    workbook.write_workbook(result, result.confusion(), tables, tmp_path / "x.xlsx")
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")
    cells = {sheet.title: [list(row) for row in sheet.iter_rows(values_only=True)] for sheet in book}
    seen = [name for name in SHEETS if name in tables]
    for name in seen:
        assert_same(cells[SHEETS[name]], rows_of(tables[name]))
    families = [name for name in tables if "family_" in name]
    below_each_other = {"Summary": [name for name in SUMMARY_TABLES if name in tables], "Family matrices": families}
    for sheet, names in below_each_other.items():
        titles = [row[0] for row in cells[sheet]]
        for name in names:
            assert_same(cells[sheet][titles.index(tables[name].title) + 1 :], rows_of(tables[name]))
    assert {*seen, *chain.from_iterable(below_each_other.values())} == set(tables)


def test_the_html_has_every_cell(result, tables):
    data = html_page.report_data(result, tables)
    assert list(data["tables"]) == [name for name in HTML_TABLES if name in tables]
    for name, table in data["tables"].items():
        wanted = rows_of(tables[name])
        assert table["title"] == tables[name].title and table["of"] == len(wanted) - 1
        assert_same([table["columns"], *([None if v != v else v for v in row] for row in table["rows"])], wanted)
    assert [one["title"] for one in data["families"]] == [tables[name].title for name in tables if "family_" in name]
    for one, table in zip(data["families"], (tables[name] for name in tables if "family_" in name)):
        assert_same(one["matrix"]["models"][0]["mass"], [row[1:] for row in rows_of(table)[1:]])
        assert one["matrix"]["row_names"] == [row[0] for row in rows_of(table)[1:]]
        assert one["matrix"]["column_names"] == rows_of(table)[0][1:]


def number(text):
    """A number in LaTeX; one that is written as less than 0.001 is 0."""
    return 0 if text == "$<$0.001" else float(text.replace(r"\,", "").replace("$-$", "-"))


def test_the_latex_has_every_number(result, tables):
    texts = report_files.paper_tables(result.confusion(), tables)
    assert sorted(texts) == sorted(name for name in LATEX_TABLES if name in tables)
    for name, text in texts.items():
        lines = [line.removesuffix(r" \\").split(" & ") for line in text.splitlines() if " & " in line]
        # Labels that neither side uses are left out; the sample has none.
        for line, row in zip(lines[1:], rows_of(tables[name])[1:], strict=True):
            numbers = [(a.strip(), b) for a, b in zip(line, row, strict=True) if isinstance(b, int | float)]
            assert all(number(a) == pytest.approx(b, abs=1e-3) for a, b in numbers), (name, line)
            assert sum(cell.strip() == "--" for cell in line) == row.count(None)
