"""The folder of a report is replaced completely or not at all, and other files are kept."""

import os
from pathlib import Path

import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.report import report_files
from layoutcm.report.folder_swap import check_target, replace_folder
from layoutcm.report.report_files import REPORT_FILES
from support.written_reports import GT, MODEL_A, files_in


def test_a_folder_with_other_files_is_refused(tmp_path, quick, capsys):
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("text")
    assert main(["compare", GT, MODEL_A, "-o", str(other)]) == 2
    assert "notes.txt" in capsys.readouterr().err and files_in(other) == ["notes.txt"]


def test_a_report_with_an_added_file_is_refused(tmp_path, quick, two_pages):
    c = lcm.compare(*two_pages)
    place = c.write_report(tmp_path / "r")
    before = files_in(place)
    (place / "figures" / "my own.png").write_bytes(b"x")
    with pytest.raises(lcm.InputError, match="my own"):
        c.write_report(place)
    (place / "figures" / "my own.png").unlink()
    assert files_in(c.write_report(place)) == before


@pytest.mark.parametrize("name", ["pages.csv", "result.json"])
def test_a_file_with_only_the_name_of_a_report_file_is_refused(tmp_path, name):
    (tmp_path / name).write_text('{"recipe": "cake"}')
    with pytest.raises(lcm.InputError, match=name):
        check_target(tmp_path, REPORT_FILES)


def test_files_and_symlinks_are_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(lcm.InputError, match="needs a folder"):
        check_target(tmp_path / "file", REPORT_FILES)
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "figures").symlink_to(tmp_path)
    with pytest.raises(lcm.InputError, match="figures"):
        check_target(tmp_path / "r", REPORT_FILES)


def test_an_interrupted_run_changes_nothing(tmp_path, quick, two_pages, monkeypatch):
    c = lcm.compare(*two_pages)
    place = c.write_report(tmp_path / "r")
    before = {name: (place / name).stat().st_mtime_ns for name in files_in(place)}

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(report_files, "report_html", stop)
    for name in ("r", "new"):
        with pytest.raises(KeyboardInterrupt):
            c.write_report(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["r"]
    assert {name: (place / name).stat().st_mtime_ns for name in files_in(place)} == before


def test_an_interrupted_replacement_restores_the_old_report(tmp_path, quick, two_pages, monkeypatch):
    place = lcm.compare(*two_pages).write_report(tmp_path / "r")
    before, move = files_in(place), Path.rename

    def stopped(self, target):
        if target == place and self.name == "new":
            raise KeyboardInterrupt
        return move(self, target)

    monkeypatch.setattr(Path, "rename", stopped)
    with pytest.raises(KeyboardInterrupt), replace_folder(place, REPORT_FILES) as new:
        (new / "report.html").write_text("new")
    assert files_in(place) == before and [path.name for path in tmp_path.iterdir()] == ["r"]


def test_hidden_folders_of_killed_runs_are_removed_after_a_day(tmp_path):
    left = [
        tmp_path / name
        for name in (".layoutcm-r-abcdefgh", ".layoutcm-r-ijklmnop", ".layoutcm-s-abcdefgh", ".r-abcdefgh")
    ]
    for folder in left:
        (folder / "new").mkdir(parents=True)
        os.utime(folder, (0, 0))
    os.utime(left[1])  # recent: another run may still use it
    with replace_folder(tmp_path / "r", REPORT_FILES) as new:
        (new / "report.html").write_text("new")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["r", *(folder.name for folder in left[1:])])


@pytest.mark.parametrize("letter", ["r", "表"])
def test_the_longest_possible_folder_name_works(tmp_path, letter):
    place = tmp_path / (letter * (255 // len(letter.encode())))
    left = tmp_path / f".layoutcm-{letter * 40}-abcdefgh"
    left.mkdir()
    os.utime(left, (0, 0))
    with replace_folder(place, REPORT_FILES) as new:
        (new / "report.html").write_text("new")
    assert list(tmp_path.iterdir()) == [place] and files_in(place) == ["report.html"]


def test_the_content_of_a_folder_that_cannot_be_moved_is_replaced(tmp_path, quick, two_pages, monkeypatch):
    place = lcm.compare(*two_pages).write_report(tmp_path / "r")
    move = Path.rename

    def mounted(self, target):
        if self == place:
            raise OSError(16, "busy")
        return move(self, target)

    monkeypatch.setattr(Path, "rename", mounted)
    with replace_folder(place, REPORT_FILES) as new:
        (new / "report.html").write_text("new")
    assert files_in(place) == ["report.html"] and [path.name for path in tmp_path.iterdir()] == ["r"]


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path, two_pages):
    (tmp_path / "file").write_text("x")
    with pytest.raises(lcm.InputError, match="cannot be written"):
        lcm.compare(*two_pages).write_report(tmp_path / "file" / "r")
