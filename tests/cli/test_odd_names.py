"""Files with hostile names go through every command: exit code 0 or 2, and what is written can be read."""

import csv
import io

import openpyxl
import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from support.hostile_outputs import HOSTILE, make_formula_names, make_name_that_is_not_text
from support.writing import FULL_WRITERS as WRITERS


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_compared_and_converted(name, tmp_path, quick):
    file = str(HOSTILE[name](tmp_path))
    sizes = ["--sizes", "10x10"]
    assert main(["compare", file, file, "-o", str(tmp_path / "r"), "--json", str(tmp_path / "x.json"), *sizes]) == 0
    layout = lcm.read(file, sizes=(10, 10))
    for to in WRITERS:
        assert main(["convert", file, "--to", to, "-o", str(tmp_path / f"out.{to}"), *sizes]) == 0
        again = lcm.read(tmp_path / f"out.{to}")
        assert (again.page_columns.names, again.labels) == (layout.page_columns.names, layout.labels)


def test_bytes_that_are_not_text_are_written_as_numbers(tmp_path):
    layout = lcm.read(make_name_that_is_not_text(tmp_path), sizes=(10, 10))
    assert layout.page_columns.names == ("caf\\udce9",)


def test_no_cell_of_a_report_is_a_formula(tmp_path, quick):
    file = str(make_formula_names(tmp_path))
    assert main(["compare", file, file, "-o", str(tmp_path / "r")]) == 0
    for path in (tmp_path / "r").glob("*.csv"):
        for row in csv.reader(io.StringIO(path.read_text("utf-8"), newline="")):
            for cell in row:
                assert not cell.startswith(("=", "+", "-", "@", "\t", "\r")) or float(cell) < 0
    book = openpyxl.load_workbook(tmp_path / "r" / "report.xlsx")
    assert all(cell.data_type != "f" for sheet in book for row in sheet.iter_rows() for cell in row)
