"""Writing a file: the old bytes or the new ones, never a part."""

import errno
import os

import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.outputs.files import write_whole
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
    with pytest.raises(lcm.InputError, match="cannot be written: No space left on device"):
        write_whole(target, b"new")
    assert target.read_bytes() == b"old" and [path.name for path in tmp_path.iterdir()] == ["x.json"]


def test_a_full_disk_does_not_cut_the_json(tmp_path, full_disk, capsys):
    target = tmp_path / "out.json"
    target.write_bytes(b"the last result")
    assert main(["compare", GT, MODEL_A, "--json", str(target)]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert target.read_bytes() == b"the last result" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["", ".", "a\0b"])
def test_what_is_no_file_is_refused(tmp_path, name):
    with pytest.raises(lcm.InputError, match="this is not the name of a file"):
        write_whole(f"{tmp_path}/{name}", b"x")


def test_json_can_be_written_to_a_device():
    assert main(["compare", GT, MODEL_A, "--json", os.devnull]) == 0
