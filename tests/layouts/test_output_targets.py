"""Writing and reading files: one file, a folder or a zip that is complete or not there, and names that stay inside."""

from __future__ import annotations

import errno
import json
import os
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.errors import InputError
from layoutcm.layouts import file_bytes
from layoutcm.layouts.writers import written
from layoutcm.layouts.writing.request import distinct, safe_paths, xml_name
from support.layouts import build
from support.reading import fails
from support.writing import NAMES, ODD, read_again

FOLDERS = ("yolo", "page-xml")


def layout_of(names, label="Text"):
    """Pages of 10 x 10, each with a box of its own width."""
    rows = [(name, label, 0, 0, 1 + i % 9, 5) for i, name in enumerate(names)]
    return build(dict.fromkeys(names, (10, 10)), rows, [label], "made")


def files_below(folder):
    return sorted(path.relative_to(folder).as_posix() for path in Path(folder).rglob("*") if path.is_file())


@settings(max_examples=300)
@given(names=st.lists(NAMES, max_size=8))
def test_paths_stay_inside_and_are_distinct_everywhere(names):
    paths = safe_paths(names, ("test",))
    assert len({path.casefold() for path in paths}) == len(names)
    for path in paths:
        parts = PurePosixPath(path).parts
        assert parts and not PurePosixPath(path).is_absolute() and "/".join(parts) == path
        for part in parts:
            assert part.isprintable() and not set(part) & set('<>:"|?*\\') and len(part.encode()) < 250
            assert not part.startswith((".", "__MACOSX")) and part == part.strip(" ") and part.casefold() != "test"
        assert not any(part.lower().endswith((".txt", ".xml")) for part in parts[:-1])
        assert len(path.encode()) < 700


@given(names=st.lists(st.sampled_from(["a", "A", "a-2", "a-3", "b"]), max_size=9))
def test_distinct_names_keep_those_that_come_first(names):
    made = distinct(names, str.casefold)
    assert len({name.casefold() for name in made}) == len(names)
    first = [name.casefold() not in map(str.casefold, names[:i]) for i, name in enumerate(names)]
    assert all(new == old for new, old, is_first in zip(made, names, first) if is_first)


def test_many_equal_names_take_time_that_grows_with_their_number():
    assert distinct(["a"] * 50_000)[-1] == "a-50000"


def test_names_that_xml_can_hold():
    assert [xml_name(name) for name in ("a\0b", " a\t", "\x1f", "\ufffe", "é😀")] == ["a�b", "a", "�", "�", "é😀"]


@pytest.mark.parametrize("to", FOLDERS)
@pytest.mark.parametrize("path", ["out", "out.zip", "OUT.ZIP"])
def test_odd_page_names_are_written_inside_the_folder(to, path, tmp_path):
    layout = layout_of(list(dict.fromkeys(name.strip() or "x" for name in ODD)))
    place = tmp_path / "place" / "inner"
    place.mkdir(parents=True)
    lcm.write(layout, to, place / path)
    outside = [name for name in files_below(tmp_path) if not name.startswith(f"place/inner/{path}")]
    assert outside == []
    again = lcm.read(place / path, sizes=(10, 10))
    assert len(again.page_columns) == len(layout.page_columns) and len(again.regions) == len(layout.regions)
    assert [one.code for one in again.findings if one.code == "skipped-file"] == []
    if to == "page-xml":  # it has a place for the name
        assert set(again.page_columns.names) >= {name for name in layout.page_columns.names if xml_name(name) == name}


@pytest.mark.parametrize("to", FOLDERS)
def test_a_zip_and_a_folder_have_the_same_files(to, tmp_path):
    layout = layout_of(["a.png", "b/c.png"])
    lcm.write(layout, to, tmp_path / "folder")
    lcm.write(layout, to, tmp_path / "it.zip")
    with zipfile.ZipFile(tmp_path / "it.zip") as archive:
        assert sorted(archive.namelist()) == files_below(tmp_path / "folder")
    assert lcm.read(tmp_path / "it.zip", sizes=(10, 10)).regions.equals(
        lcm.read(tmp_path / "folder", sizes=(10, 10)).regions
    )


@pytest.mark.parametrize("to", FOLDERS)
def test_an_earlier_conversion_is_replaced_and_other_folders_are_not(to, tmp_path):
    place = tmp_path / "out"
    lcm.write(layout_of(["a", "b"]), to, place)
    lcm.write(layout_of(["c"]), to, place)
    assert [name for name in files_below(place) if "/" in name and "README" not in name] == [
        "labels/c.txt" if to == "yolo" else "page/c.xml"
    ]
    (place / "notes.doc").write_text("mine")
    fails(r"holds 'notes.doc', which no conversion has written\. Name a new", lcm.write, layout_of(["d"]), to, place)
    assert "notes.doc" in files_below(place)


def test_labels_of_somebody_else_are_not_replaced(tmp_path):
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels" / "a.txt").write_text("0 0.5 0.5 0.2 0.2\n")
    fails(r"holds 'labels/a\.txt'", lcm.write, layout_of(["b"]), "yolo", tmp_path)
    with pytest.raises(lcm.InputError, match="this is a file, a conversion needs a folder"):
        lcm.write(layout_of(["b"]), "yolo", tmp_path / "labels" / "a.txt")


def test_a_disk_that_is_full_leaves_the_earlier_folder(tmp_path, monkeypatch):
    place = tmp_path / "out"
    lcm.write(layout_of(["a"]), "yolo", place)
    before = files_below(tmp_path)
    plain = Path.write_bytes

    def fill(path, data):
        if path.name == "c.txt":
            raise OSError(errno.ENOSPC, "No space left on device")
        return plain(path, data)

    monkeypatch.setattr(Path, "write_bytes", fill)
    fails("cannot be written: No space left on device", lcm.write, layout_of(["b", "c"]), "yolo", place)
    assert files_below(tmp_path) == before


def test_pages_named_like_the_lists_of_yolo_are_read_again():
    names = ["test", "val", "train", "classes", "latest", "README"]
    layout = layout_of(names)
    content, findings = written(layout, "yolo")
    again = read_again(content, "yolo", layout)
    assert sorted(again.page_columns.names) == ["README", "classes_", "latest", "test_", "train_", "val_"]
    assert next(one for one in findings if one.code == "renamed-pages").count == 4


TABLE = "page,document,width,height,label,x0,y0,x1,y1\na.png,d,10,10,Text,1,1,5,5\nb.png,d,10,10,,,,,\n"


@pytest.mark.parametrize(
    ("to", "output"),
    [("yolo", "out"), ("yolo", "out.zip"), ("label-studio", "out.json"), ("cvat", "out.xml"), ("page-xml", "out")],
)
def test_convert_writes_every_format_and_says_what_is_lost(to, output, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text(TABLE)
    assert main(["convert", "in.csv", "--to", to, "-o", output]) == 0
    said = capsys.readouterr()
    assert said.out.strip() == f"{output}: {to}, 2 pages, 1 region"
    assert (f"{to} has no place for documents: 1 is left out." in said.err) is (to != "label-studio")
    again = lcm.read(output, sizes=(10, 10))
    assert again.region_columns.boxes.tolist() == [[1, 1, 5, 5]] and again.format == to


def test_convert_to_predictions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text(TABLE)
    for written_as in ("predictions", "annotations"):
        assert main(["convert", "in.csv", "--to", "label-studio", "-o", "x.json", "--as", written_as]) == 0
        assert f'"{written_as}"' in Path("x.json").read_text()


def test_convert_does_not_replace_its_input(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lcm.write(layout_of(["a"]), "yolo", "labels")
    for output in ("labels", ".", "labels/inner"):
        assert main(["convert", "labels", "--to", "yolo", "-o", output, "--sizes", "10x10"]) == 2
        assert "input labels" in capsys.readouterr().err
    assert files_below("labels") == ["README.txt", "data.yaml", "labels/a.txt"]


@pytest.mark.parametrize("change", ["grow", "shrink", "touch"])
def test_a_file_that_changes_while_it_is_read_is_an_error(tmp_path, monkeypatch, change):
    path = tmp_path / "a.json"
    path.write_bytes(b"[" + b" " * 1000 + b"]")
    usual = file_bytes._read_regular

    def read_and_change(file):
        data = usual(file)
        if change == "touch":
            os.utime(path, ns=(1, 1))
        else:
            os.truncate(path, 2000 if change == "grow" else 10)
        return data

    monkeypatch.setattr(file_bytes, "_read_regular", read_and_change)
    with pytest.raises(InputError) as error:
        lcm.read(path, sizes=(10, 10))
    assert "a.json: the file changed while it was read" in str(error.value)


@pytest.mark.skipif(not os.path.exists("/proc/version"), reason="the system has no such files")
def test_a_file_that_states_no_size_is_read(tmp_path):
    assert file_bytes.read_bytes("/proc/version").startswith(b"Linux")
    (tmp_path / "empty").write_bytes(b"")
    assert file_bytes.read_bytes(tmp_path / "empty") == b""


HEAD = "page,width,height,label,x0,y0,x1,y1\n"
TWO_PAGES = HEAD + "a,10,10,Text,1,1,5,5\nb,10,10,,,,,\n"


def test_a_blank_page_name_becomes_a_name():
    coco = {"images": [{"id": 1, "file_name": " ", "width": 9, "height": 9, "doc_name": " "}], "annotations": []}
    layout = lcm.read(("x.json", json.dumps(coco).encode()))
    assert layout.page_columns.names == ("(no name)",) and layout.page_columns.documents == ("",)


def test_convert_command_writes_and_prints_a_summary(tmp_path, capsys):
    source, target = tmp_path / "in.csv", tmp_path / "out.json"
    source.write_text(TWO_PAGES)
    assert main(["convert", str(source), "--to", "coco", "-o", str(target)]) == 0
    assert capsys.readouterr().out.strip() == f"{target}: coco, 2 pages, 1 region"
    one, other = lcm.read(source), lcm.read(target)
    assert one.regions.equals(other.regions) and one.pages.equals(other.pages)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["in.csv", "out.json"]


def test_path_that_cannot_be_written_is_an_error(tmp_path, capsys):
    (tmp_path / "in.csv").write_text(TWO_PAGES)
    assert main(["convert", str(tmp_path / "in.csv"), "--to", "csv", "-o", str(tmp_path / "no" / "out.csv")]) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("to", ["parquet", "csv", "coco"])
def test_unused_labels_keep_their_order(to, tmp_path):
    layout = build({"a": (10, 10), "b": (10, 10)}, [("a", "Text", 0, 0, 5, 5)], ["Title", "Text", "Table"])
    lcm.write(layout, to, tmp_path / "out.any")
    again = lcm.read(tmp_path / "out.any")
    assert again.labels == layout.labels
    other = lcm.read(("o.csv", TWO_PAGES.replace("Text", "Table").encode()))
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
    lcm.write(lcm.read(("t.csv", TWO_PAGES.encode())), "csv", tmp_path / ("x" * 255))
    assert [path.name for path in tmp_path.iterdir()] == ["x" * 255]
