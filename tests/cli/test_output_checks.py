"""Outputs that would destroy an input are refused; files with hostile names go through every command."""

import csv
import io
import os
import shutil

import openpyxl
import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from support.hostile_outputs import HOSTILE, make_formula_names, make_name_that_is_not_text
from support.writing import FULL_WRITERS as WRITERS

TABLE = "page,width,height,label,x0,y0,x1,y1\na,10,10,Text,1,1,5,5\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with inputs, links to them, folders of inputs, and a report that was used as an input."""
    monkeypatch.chdir(tmp_path)
    for folder in ("gts", "images", "report"):
        (tmp_path / folder).mkdir()
    for name in ("gt.csv", "pred.csv", "gts/one.csv", "report/pages.csv", "images/a.png"):
        (tmp_path / name).write_text(TABLE)
    (tmp_path / "map.yaml").write_text("pred: {}\n")
    (tmp_path / "link.csv").symlink_to("gt.csv")
    (tmp_path / "loop").symlink_to("pool")
    (tmp_path / "pool").symlink_to("loop")
    (tmp_path / "way").symlink_to("gts", target_is_directory=True)
    os.link(tmp_path / "gt.csv", tmp_path / "hard.csv")
    return tmp_path


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


REPLACES = "the output would replace this input"
INSIDE = "this is inside the input gts, whose files are all read"


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("compare gt.csv pred.csv --json gt.csv", REPLACES),
        ("compare gt.csv pred.csv --json ./images/../pred.csv", REPLACES),
        ("compare gt.csv pred.csv --json link.csv", REPLACES),
        ("compare link.csv pred.csv --json gt.csv", REPLACES),
        ("compare gt.csv pred.csv --json hard.csv", REPLACES),
        ("compare gt.csv pred.csv --mapping map.yaml --json map.yaml", REPLACES),
        ("compare gt.csv pred.csv --images images --json images/a.png", "the output would replace this page image"),
        ("compare gts pred.csv --json gts/out.json", INSIDE),
        ("compare gts pred.csv --json way/out.json", INSIDE),
        ("compare gts pred.csv -o gts/report", INSIDE),
        ("compare gts pred.csv -o gts", "the folder is or contains the input gts"),
        ("compare report/pages.csv pred.csv -o report", "the folder is or contains the input pages.csv"),
        ("inspect gt.csv pred.csv --json pred.csv", REPLACES),
        ("inspect gt.csv --like pred.csv --json pred.csv", REPLACES),
        ("convert gt.csv --to csv -o gt.csv", REPLACES),
        ("convert gts --to csv -o gts/out.csv", INSIDE),
        ("compare gt.csv pred.csv --json gts", "this is not the name of a file"),
        ("compare gt.csv pred.csv --json none/x.json", "cannot be written: there is no such folder"),
        ("compare gt.csv pred.csv --json loop", "loop: this is a link that leads back to itself"),
        ("compare gt.csv pred.csv -o pool", "pool: this is a link that leads back to itself"),
        ("convert gt.csv --to csv -o loop", "loop: this is a link that leads back to itself"),
    ],
)
def test_the_output_is_refused_and_nothing_changes(place, command, problem, refusal, monkeypatch):
    monkeypatch.setattr("layoutcm.cli.reading.read", lambda *_, **__: pytest.fail("a file was read"))
    before = contents(place)
    assert problem in refusal(command.split()) and contents(place) == before
    assert os.readlink(place / "loop") == "pool" and os.readlink(place / "pool") == "loop"


def test_outputs_beside_the_inputs_are_written(place, quick):
    shutil.rmtree(place / "report")
    (place / "images" / "a.png").unlink()
    assert (
        main(["compare", "gt.csv", "pred.csv", "--images", "images", "--json", "images/out.json", "-o", "report"]) == 0
    )
    assert main(["convert", "gts", "--to", "csv", "-o", "gts.csv"]) == 0
    assert (place / "images" / "out.json").stat().st_size and (place / "report" / "report.html").exists()


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
