"""Recognising a file takes a moment, whatever it contains; each is read in a process that can be ended."""

import subprocess
import sys

import pytest

READ = """
import sys, layoutcm
try:
    layoutcm.read(("x.bin", sys.stdin.buffer.read()), sizes=(10, 10))
except layoutcm.InputError:
    pass
"""


@pytest.mark.parametrize(
    "data",
    [
        b"1" + (b" " + b"1" * 20) * 10 + b"x",  # ten numbers with no end: 20^10 ways to split their digits
        b"1 1 1 1 " + b"1" * 60_000 + b"x",
        b" " * 60_000 + b"x",
    ],
)
def test_repeated_digits_and_blanks_do_not_take_time(data):
    done = subprocess.run([sys.executable, "-c", READ], input=data, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
