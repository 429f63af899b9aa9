"""Writing a file: the old bytes or the new ones, never a part."""

import errno
import gc
import os
import subprocess
import sys
import warnings

import pytest

from layoutcm.cli.main import main
from layoutcm.outputs.files import open_whole, write_whole
from support.reading import fails
from support.written_reports import GT, MODEL_A


@pytest.fixture
def full_disk(monkeypatch):
    """The disk is full as soon as bytes have to reach it."""

    def refuse(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)


def test_a_file_is_replaced(tmp_path):
    target = tmp_path / "x.json"
    for data in (b"old", b"", b"new"):
        write_whole(target, data)
        assert target.read_bytes() == data
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_bytes() == b"new"


def test_a_full_disk_leaves_the_old_file(tmp_path, full_disk):
    target = tmp_path / "x.json"
    target.write_bytes(b"old")
    fails("cannot be written: No space left on device", write_whole, target, b"new")
    assert target.read_bytes() == b"old" and [path.name for path in tmp_path.iterdir()] == ["x.json"]


def test_a_full_disk_does_not_cut_the_json(tmp_path, full_disk, capsys):
    target = tmp_path / "out.json"
    target.write_bytes(b"the last result")
    assert main(["compare", GT, MODEL_A, "--json", str(target)]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert target.read_bytes() == b"the last result" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["", ".", "a\0b"])
def test_what_is_no_file_is_refused(tmp_path, name):
    fails("this is not the name of a file", write_whole, f"{tmp_path}/{name}", b"x")


def test_json_can_be_written_to_a_device():
    assert main(["compare", GT, MODEL_A, "--json", os.devnull]) == 0


def test_a_file_in_a_missing_folder_is_an_error(tmp_path):
    fails("cannot be written: No such file or directory", write_whole, tmp_path / "none" / "x.json", b"x")


def test_the_next_run_removes_what_killed_ones_left_and_nothing_else(tmp_path):
    names = [".layoutcm-x.json-0123456789abcdef", ".layoutcm-y.json-0123456789abcdef", ".layoutcm-x.json-notes", "x"]
    for name in names:
        (tmp_path / name).write_bytes(b"part")
    with open_whole(tmp_path / "x.json") as file:
        file.write(b"first")
        write_whole(tmp_path / "x.json", b"second")  # while the first is still being written
    assert (tmp_path / "x.json").read_bytes() == b"first"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*names[1:], "x.json"])


def test_a_failed_block_leaves_the_old_file(tmp_path):
    write_whole(tmp_path / "x", b"old")
    with pytest.raises(TypeError), open_whole(tmp_path / "x") as file:
        file.writelines([b"new", None])
    assert (tmp_path / "x").read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 1


def test_a_private_file_stays_private(tmp_path):
    write_whole(tmp_path / "x", b"old")
    (tmp_path / "x").chmod(0o600)
    write_whole(tmp_path / "x", b"new")
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o600


def test_two_writers_at_once_leave_one_complete_file(tmp_path):
    code = "import sys; from layoutcm.outputs.files import open_whole, write_whole\n"
    code += "for k in range(200): write_whole(sys.argv[1], sys.argv[2].encode() * 100_000)"
    target = tmp_path / "x"
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(target), name], stderr=subprocess.PIPE, text=True)
        for name in "abc"
    ]
    assert [writer.communicate()[1] for writer in writers] == ["", "", ""]
    data = target.read_bytes()
    assert len(data) == 100_000 and len(set(data)) == 1 and len(list(tmp_path.iterdir())) == 1


def test_a_full_disk_in_the_middle_of_a_report(tmp_path, quick, monkeypatch, capsys):
    """xlsxwriter wraps the error of the system into one of its own."""

    def refuse(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("xlsxwriter.workbook.ZipFile", refuse)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # xlsxwriter does not close its unfinished sheets
        assert main(["compare", GT, MODEL_A, "-o", str(tmp_path / "r")]) == 2
        gc.collect()
    assert capsys.readouterr().err == "layoutcm: the output cannot be written: No space left on device\n"
    assert list(tmp_path.iterdir()) == []
