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


def read_in_child(data):
    return subprocess.run([sys.executable, "-c", READ], input=data, capture_output=True, timeout=60)


@pytest.mark.parametrize("data", [
    b"1" + (b" " + b"1" * 20) * 10 + b"x",  # ten numbers with no end: 20^10 ways to split their digits
    b"1 1 1 1 " + b"1" * 60_000 + b"x",
    b" " * 60_000 + b"x",
])  # fmt: skip
def test_repeated_digits_and_blanks_do_not_take_time(data):
    done = read_in_child(data)
    assert done.returncode == 0, done.stderr


def test_blanks_before_a_class_do_not_take_time():
    """hOCR: the search for pages tried every way to divide the blanks between two parts of its pattern."""
    page = b"<html><body><div class='ocr_page' title='bbox 0 0 9 9'><div class=%b'ocr_carea'></div></div></body></html>"
    done = read_in_child(page % (b"\t" * 400_000))
    assert done.returncode == 0, done.stderr
