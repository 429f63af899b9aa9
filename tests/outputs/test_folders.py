"""The folder of a report is replaced completely or not at all, and other files are kept."""

import errno
import os
import subprocess
import sys

import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.outputs import files, folders
from layoutcm.outputs.files import hidden_prefix
from layoutcm.outputs.folders import check_target, replace_folder
from layoutcm.report import report_files
from layoutcm.report.report_files import REPORT_FILES
from support.reading import fails
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
    fails("my own", c.write_report, place)
    (place / "figures" / "my own.png").unlink()
    assert files_in(c.write_report(place)) == before


@pytest.mark.parametrize("name", ["pages.csv", "result.json"])
def test_a_file_with_only_the_name_of_a_report_file_is_refused(tmp_path, name):
    (tmp_path / name).write_text('{"recipe": "cake"}')
    fails(name, check_target, tmp_path, REPORT_FILES)


def test_files_and_symlinks_are_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    fails("needs a folder", check_target, tmp_path / "file", REPORT_FILES)
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "figures").symlink_to(tmp_path)
    fails("figures", check_target, tmp_path / "r", REPORT_FILES)


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


@pytest.mark.parametrize("can_exchange", [True, False])
def test_an_interrupted_replacement_restores_the_old_report(tmp_path, quick, two_pages, monkeypatch, can_exchange):
    place = lcm.compare(*two_pages).write_report(tmp_path / "r")
    before, move = files_in(place), os.rename

    def stopped(source, target):
        if target == place and source.name == "new":
            raise KeyboardInterrupt
        return move(source, target)

    if can_exchange:
        monkeypatch.setattr(folders, "exchange", stopped_exchange)
    else:
        monkeypatch.setattr(folders, "exchange", lambda *_: False)
        monkeypatch.setattr(os, "rename", stopped)
    with pytest.raises(KeyboardInterrupt), replace_folder(place, REPORT_FILES) as new:
        (new / "report.html").write_text("new")
    assert files_in(place) == before and [path.name for path in tmp_path.iterdir()] == ["r"]


def stopped_exchange(*_):
    raise KeyboardInterrupt


def write_one(place, text):
    with replace_folder(place, REPORT_FILES) as new:
        (new / "result.json").write_text(f'{{"recipe": "gt:{text}"}}')


def text_in(place):
    return (place / "result.json").read_text()


def test_a_live_writer_keeps_its_hidden_folder_and_killed_ones_lose_theirs(tmp_path):
    place = tmp_path / "r"
    write_one(place, "old")
    for name in (".layoutcm-r-0123456789abcdef", ".layoutcm-r-fedcba9876543210", ".layoutcm-s-0123456789abcdef"):
        (tmp_path / name / "new").mkdir(parents=True)
        (tmp_path / name / "lock").touch()
    (tmp_path / ".layoutcm-r-0000000000000000").mkdir()  # killed before it had a lock
    with replace_folder(place, REPORT_FILES) as new:
        (new / "result.json").write_text('{"recipe": "gt:first"}')
        assert len(list(tmp_path.iterdir())) == 3  # r, the hidden folder of this run, and that of the other report
        write_one(place, "second")
        assert new.exists() and "second" in text_in(place)
    assert "first" in text_in(place)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".layoutcm-s-0123456789abcdef", "r"]


def test_a_hidden_file_is_removed_after_a_day_where_locks_do_not_exist(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "fcntl", None)
    names = (".layoutcm-r-0123456789abcdef", ".layoutcm-r-fedcba9876543210")
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "lock").touch()
    os.utime(tmp_path / names[0], (0, 0))
    write_one(tmp_path / "r", "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == [names[1], "r"]


@pytest.mark.parametrize("left", [("new", "old"), ("old",)])
def test_a_report_that_a_killed_run_had_moved_away_returns(tmp_path, left):
    """Killed between two renames: the old one is hidden and complete, the new one was complete before."""
    place, gone = tmp_path / "r", tmp_path / ".layoutcm-r-0123456789abcdef"
    for name in left:
        (gone / name).mkdir(parents=True)
        (gone / name / "result.json").write_text(f'{{"recipe": "gt:{name}"}}')
    (gone / "lock").touch()
    with pytest.raises(KeyboardInterrupt), replace_folder(place, REPORT_FILES):
        raise KeyboardInterrupt
    assert left[0] in text_in(place) and [path.name for path in tmp_path.iterdir()] == ["r"]


@pytest.mark.parametrize("letter", ["r", "表"])
def test_the_longest_possible_folder_name_works(tmp_path, letter):
    longest = 255 // len(letter.encode())
    place, other = (tmp_path / (letter * length) for length in (longest, longest - 1))
    assert hidden_prefix(place.name) != hidden_prefix(other.name)
    write_one(place, "new")
    assert list(tmp_path.iterdir()) == [place] and "new" in text_in(place)


def test_a_private_report_stays_private(tmp_path):
    place = tmp_path / "r"
    place.mkdir(mode=0o700)
    write_one(place, "new")
    assert place.stat().st_mode & 0o777 == 0o700


def test_the_content_of_a_folder_that_cannot_be_moved_is_replaced(tmp_path, quick, two_pages, monkeypatch):
    place = lcm.compare(*two_pages).write_report(tmp_path / "r")

    def busy(*_):
        raise OSError(errno.EBUSY, "busy")

    monkeypatch.setattr(folders, "exchange", busy)
    write_one(place, "new")
    assert files_in(place) == ["result.json"] and [path.name for path in tmp_path.iterdir()] == ["r"]


def test_a_killed_writer_in_a_mount_point_does_not_overwrite_a_later_one(tmp_path, monkeypatch):
    """The second writer began earlier, so it has not seen what the killed one left."""
    monkeypatch.setattr(os.path, "ismount", lambda path: True)
    place = tmp_path / "r"
    write_one(place, "old")
    with replace_folder(place, REPORT_FILES) as new:
        (new / "result.json").write_text('{"recipe": "gt:second"}')
        killed = place / ".layoutcm-r-0123456789abcdef"
        (killed / "new").mkdir(parents=True)
        for name in ("result.json", "pages.csv"):
            (killed / "new" / name).write_text('{"recipe": "gt:killed"}')
        (killed / "moving").write_text('["result.json", "pages.csv"]')
        (killed / "lock").touch()
    for _ in range(2):
        assert "second" in text_in(place) and [path.name for path in place.iterdir()] == ["result.json"]
        with pytest.raises(KeyboardInterrupt), replace_folder(place, REPORT_FILES):
            raise KeyboardInterrupt


def test_a_signal_after_the_last_step_in_a_mount_point_is_no_other_error(tmp_path, monkeypatch):
    place, unlink = tmp_path / "r", os.unlink
    write_one(place, "old")

    def stopped(path, **options):
        unlink(path, **options)
        if os.path.basename(path) == "moving":
            raise KeyboardInterrupt

    monkeypatch.setattr(os.path, "ismount", lambda path: True)
    monkeypatch.setattr(os, "unlink", stopped)
    with pytest.raises(KeyboardInterrupt):
        write_one(place, "new")
    assert "new" in text_in(place) and [path.name for path in place.iterdir()] == ["result.json"]


def test_a_file_that_someone_adds_during_the_run_is_kept(tmp_path):
    place = tmp_path / "r"
    write_one(place, "old")
    with pytest.raises(lcm.InputError, match="notes"), replace_folder(place, REPORT_FILES):
        (place / "notes.txt").write_text("mine")
    assert files_in(place) == ["notes.txt", "result.json"] and "old" in text_in(place)


@pytest.mark.parametrize("can_exchange", [True, False])
def test_two_writers_at_once_leave_one_complete_report(tmp_path, can_exchange):
    """Each process replaces the folder many times with three files of its own name."""
    code = f"""
import re, sys
from layoutcm.outputs import folders
from layoutcm.outputs.folders import replace_folder
if not {can_exchange}:
    folders.exchange = lambda *_: False
for k in range(60):
    with replace_folder(sys.argv[1], re.compile(r"()(result.json|pages.csv|report.html)")) as new:
        for name in ("result.json", "pages.csv", "report.html"):
            (new / name).write_text('{{"recipe": "gt:%s-%d"}}' % (sys.argv[2], k))
"""
    place = tmp_path / "r"
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(place), name], stderr=subprocess.PIPE, text=True)
        for name in ("a", "b", "c")
    ]
    assert [writer.communicate()[1] for writer in writers] == ["", "", ""]
    assert len({path.read_text() for path in place.iterdir()}) == 1 and len(list(place.iterdir())) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path, two_pages):
    (tmp_path / "file").write_text("x")
    fails("cannot be written", lcm.compare(*two_pages).write_report, tmp_path / "file" / "r")
