"""Reading the bytes of a file."""

from __future__ import annotations

import os

import pytest

import layoutcm as lcm
from layoutcm.errors import InputError
from layoutcm.layouts import file_bytes


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
