"""Every cell of every table of a report is in each of the files that should have it.

The numbers of the tables themselves are asserted in tests/tables.
"""

from itertools import chain

import openpyxl
import pandas as pd
import pytest

from layoutcm.filling.result_of import Asked, result_of
from layoutcm.report import html_page, report_files, workbook
from layoutcm.tables.report_tables import HTML_TABLES, LATEX_TABLES, SHEETS, SUMMARY_TABLES, all_tables
from support.sample_comparisons import compare_sample
from support.written_reports import FAMILIES


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
