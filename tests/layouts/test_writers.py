"""Writing a layout to a file, by `lcm.write` and `convert`; `writing/test_round_trips` compares what is read again."""

import json

import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from support.layouts import build
from support.reading import fails

HEAD = "page,width,height,label,x0,y0,x1,y1\n"
TABLE = HEAD + "a,10,10,Text,1,1,5,5\nb,10,10,,,,,\n"


def test_a_blank_page_name_becomes_a_name():
    coco = {"images": [{"id": 1, "file_name": " ", "width": 9, "height": 9, "doc_name": " "}], "annotations": []}
    layout = lcm.read(("x.json", json.dumps(coco).encode()))
    assert layout.page_columns.names == ("(no name)",) and layout.page_columns.documents == ("",)


def test_convert_command_writes_and_prints_a_summary(tmp_path, capsys):
    source, target = tmp_path / "in.csv", tmp_path / "out.json"
    source.write_text(TABLE)
    assert main(["convert", str(source), "--to", "coco", "-o", str(target)]) == 0
    assert capsys.readouterr().out.strip() == f"{target}: coco, 2 pages, 1 region"
    one, other = lcm.read(source), lcm.read(target)
    assert one.regions.equals(other.regions) and one.pages.equals(other.pages)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["in.csv", "out.json"]


def test_path_that_cannot_be_written_is_an_error(tmp_path, capsys):
    (tmp_path / "in.csv").write_text(TABLE)
    assert main(["convert", str(tmp_path / "in.csv"), "--to", "csv", "-o", str(tmp_path / "no" / "out.csv")]) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("to", ["parquet", "csv", "coco"])
def test_unused_labels_keep_their_order(to, tmp_path):
    layout = build({"a": (10, 10), "b": (10, 10)}, [("a", "Text", 0, 0, 5, 5)], ["Title", "Text", "Table"])
    lcm.write(layout, to, tmp_path / "out.any")
    again = lcm.read(tmp_path / "out.any")
    assert again.labels == layout.labels
    other = lcm.read(("o.csv", TABLE.replace("Text", "Table").encode()))
    assert lcm.compare(again, other).taxonomy == lcm.compare(layout, other).taxonomy == "same"


def test_row_with_only_a_label_declares_the_label():
    layout = lcm.read(("t.csv", (HEAD + ",,,Title,,,,\na,9,9,Text,0,0,5,5\n,,,Table,,,,\n").encode()))
    assert layout.labels == ["Title", "Text", "Table"] and layout.page_columns.names == ("a",)
    assert layout.labels_in_use == {"Text"}


@pytest.mark.parametrize("row", [",9,9,Text,0,0,5,5", ",9,9,Text,,,,", ",,,,,,,"])
def test_row_without_page_and_not_only_a_label_is_an_error(row):
    table = f"{HEAD},,,Title,,,,\n{row}\n".encode()
    fails("row 3, column page: the page has no name", lcm.read, ("t.csv", table))


def test_file_name_of_maximum_length_can_be_written(tmp_path):
    lcm.write(lcm.read(("t.csv", TABLE.encode())), "csv", tmp_path / ("x" * 255))
    assert [path.name for path in tmp_path.iterdir()] == ["x" * 255]
