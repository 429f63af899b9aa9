"""The workbook, read with another library: full precision, text stays text, reproducible files."""

import math

import numpy as np
import openpyxl
import pandas as pd

import layoutcm as lcm
from layoutcm.filling.result_of import result_of
from layoutcm.report import workbook
from layoutcm.report.report_files import all_tables
from layoutcm.tables.tables import Table
from support import hostile
from support.comparisons import three_pages
from support.layouts import build

SHEETS = ["Summary", "Confusion", "Recall", "Precision", "F1", "Collapsed", "Measures", "Classes", "Objects"]
SHEETS += ["Ranked pairs", "Documents", "Pages", "Findings", "Recipe"]


def written(c, path, method="matrix"):
    result = result_of(c, method)
    workbook.write_workbook(result, result.confusion(), all_tables(result, c), path)
    return openpyxl.load_workbook(path)


def cells(sheet, top=1):
    return [list(row) for row in sheet.iter_rows(min_row=top, values_only=True)]


def same(found, wanted):
    """Equal to 16 digits, as XLSX stores them (Excel shows 15)."""
    np.testing.assert_allclose(found, wanted, rtol=1e-15)


def numbers(rows, skip=1):
    return np.array([[np.nan if value is None else value for value in row[skip:]] for row in rows[1:]], float)


def test_all_sheets_exist_and_headings_are_frozen(two_pages, tmp_path):
    book = written(lcm.compare(*two_pages), tmp_path / "x.xlsx")
    assert book.sheetnames == SHEETS
    assert {book[name].freeze_panes for name in SHEETS[1:]} == {"B2"}


def test_the_summary_has_facts_and_averages(two_pages, tmp_path):
    c = lcm.compare(*two_pages)
    book = written(c, tmp_path / "x.xlsx")
    summary = {row[0]: row[1:4] for row in cells(book["Summary"]) if row[0]}
    macro = c.confusion().average("macro")
    same(summary["macro, without Background"], [macro[name] for name in ("precision", "recall", "f1")])
    assert summary["pages"][0] == 2 and summary["pixels"][0] == 500
    assert dict(row[:2] for row in cells(book["Recipe"]))["rounding"] == "outer"


def test_undefined_is_a_blank_cell(two_pages, tmp_path):
    c = lcm.compare(*two_pages)
    row = c.labels.index("caption")  # gt has no caption
    assert math.isnan(c.confusion().recall[row, 0])
    assert cells(written(c, tmp_path / "x.xlsx")["Recall"])[row + 1][1:] == [None] * len(c.labels)


def test_the_diagonal_is_marked_and_has_its_own_colours(two_pages, tmp_path):
    sheet = written(lcm.compare(*two_pages), tmp_path / "x.xlsx")["Recall"]
    assert sheet["B2"].font.bold and sheet["B2"].border.top.style and not sheet["C2"].font.bold
    assert sheet["B2"].number_format == "0.0000"
    areas = {rule.type: str(area.sqref).split() for area in sheet.conditional_formatting for rule in area.rules}
    ranges = [str(area.sqref).split() for area in sheet.conditional_formatting]
    assert areas and ["B2", "C3", "D4", "E5", "F6", "G7", "H8"] in ranges
    assert sum(len(area) for area in ranges) == 7 + 12


def test_labels_never_become_formulas_links_or_numbers(tmp_path):
    c = hostile.compared()
    book = written(c, tmp_path / "x.xlsx")
    assert [row[0] for row in cells(book["Confusion"])[1:]] == ["Background", *hostile.LABELS]
    assert cells(book["Pages"])[1][0] == hostile.PAGE
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                assert cell.data_type != "f" and cell.hyperlink is None
                assert not (cell.data_type == "n" and cell.value in hostile.LABELS)


def test_control_characters_and_very_long_texts(tmp_path, monkeypatch):
    monkeypatch.setattr(workbook, "MOST_CHARACTERS", 500)
    label = "a\x01b\nc" + "x" * 900
    layout = build({"p": (4, 4)}, [("p", label, 0, 0, 4, 4)])
    found = cells(written(lcm.compare(layout, layout), tmp_path / "x.xlsx")["Classes"])[2][0]
    assert found.startswith("a b cxxx") and len(found) == 500


def test_more_pages_than_a_sheet_has_rows(two_pages, tmp_path, monkeypatch):
    monkeypatch.setattr(workbook, "MOST_ROWS", 1)
    c = lcm.compare(*two_pages)
    result = result_of(c)
    tables = all_tables(result)
    tables |= dict.fromkeys(("averages", "confusions"), tables["recipe"])
    workbook.write_workbook(result, result.confusion(), tables, tmp_path / "x.xlsx")
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")
    rows = cells(book["Pages"])
    assert len(rows) == 4 and rows[1][0] == c.page_table()["page"][0]
    assert rows[3][0] == "The first 1 of 2 rows; pages.csv has all of them."
    assert cells(book["Documents"])[3][0] == "The first 1 of 2 rows; result.json has all of them."
    review = Table("review", "Pages to review", c.page_table())
    workbook.write_tables({"review": review}, "", tmp_path / "y.xlsx")  # no file of the report has all of them
    assert cells(openpyxl.load_workbook(tmp_path / "y.xlsx")["Review"])[3][0] == "The first 1 of 2 rows."
    assert ("Pages", "the 1 worst; all of them are in pages.parquet") in [tuple(r[:2]) for r in cells(book["Summary"])]


def test_different_taxonomies_say_that_classes_are_undefined(tmp_path):
    gt = build({"p": (10, 10)}, [("p", "a", 0, 0, 5, 10), ("p", "b", 5, 0, 10, 10)])
    pred = build({"p": (10, 10)}, [("p", "b", 0, 0, 5, 10), ("p", "z", 5, 0, 10, 10)])
    c = lcm.compare(gt, pred)
    book = written(c, tmp_path / "x.xlsx")
    assert cells(book["Classes"])[0][0].startswith("n/a")
    rows = cells(book["Confusion"])
    assert rows[0] == ["gt", "Background", "a", "b", "b", "z"]
    same(numbers(rows), c.confusion().values)


def test_equal_numbers_give_equal_files(two_pages, tmp_path):
    c = lcm.compare(*two_pages)
    once, again = tmp_path / "a.xlsx", tmp_path / "b.xlsx"
    for path in (once, again):
        written(c, path)
    assert once.read_bytes() == again.read_bytes()


def test_shares_near_0_and_1_are_not_shown_as_exact(tmp_path):
    values = [0.0, 1.0, 0.5, 0.00004, -0.00004, 0.99996, -0.99996, -0.5, float("nan")]
    table = Table("intervals", "Intervals", pd.DataFrame({"of": ["x"] * len(values), "value": values}))
    result = result_of(three_pages())
    tables = all_tables(result) | {"intervals": table}
    workbook.write_workbook(result, result.confusion(), tables, tmp_path / "book.xlsx")
    cells = openpyxl.load_workbook(tmp_path / "book.xlsx")["Intervals"]["B"][1 : len(values) + 1]
    assert [cell.value for cell in cells[:-1]] == values[:-1]  # full precision is kept
    near_0, near_1 = '"<0.0001";">-0.0001"', '"0.9999";"-0.9999"'
    expected = ["0.0000"] * 3 + [near_0] * 2 + [near_1] * 2 + ["0.0000"] * 2
    assert [cell.number_format for cell in cells] == expected
