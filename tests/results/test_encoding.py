"""How values become JSON text."""

import json

import numpy as np
import pytest

from layoutcm.results.encoding import json_ready, json_text

NAN = float("nan")


def test_values_become_json():
    given = {
        "array": np.array([[1.5, NAN], [np.inf, -np.inf]]),
        "tuple": (np.int64(3), np.float64(0.5), np.float64(NAN), True, None),
        "nested": [{"x": NAN}, "text"],
    }
    assert json_ready(given) == {
        "array": [[1.5, None], [None, None]],
        "tuple": [3, 0.5, None, True, None],
        "nested": [{"x": None}, "text"],
    }
    assert type(json_ready(np.int64(3))) is int


def test_bytes_of_json():
    """Every key is on a line of its own, and so is every row of a matrix and every record."""
    value = {"é": [1, None], "matrix": [[1, 0.5], [0, 1e300]], "records": [{"x": [[1]]}], "both": {"a": [1], "b": {}}}
    text = """{
 "é": [1,null],
 "matrix": [
  [1,0.5],
  [0,1e300]
 ],
 "records": [
  {"x":[[1]]}
 ],
 "both": {
  "a": [1],
  "b": {}
 }
}
"""
    assert json_text(value) == text.encode()
    several = text.rstrip().replace("\n", "\n ")
    assert json_text([value, value]) == f"[\n {several},\n {several}\n]\n".encode()
    assert json_text([]) == b"[]\n" and json_text({}) == b"{}\n"


def test_text_without_a_utf8_form():
    """A lone surrogate, which a file name can contain, becomes a question mark; nan is null."""
    assert json_text({"name": "a\ud800", "é": "b"}) == '{"name":"a?","é":"b"}\n'.encode()
    assert json_text({"names": ["a\ud800"], "é": 1}) == '{\n "names": ["a?"],\n "é": 1\n}\n'.encode()
    assert json_text(["\ud800", NAN]) == b'["?",null]\n' and json_text([NAN]) == b"[null]\n"


@pytest.mark.parametrize("number", [0.1 + 0.2, 1e-320, 1 / 3, 123456789.123456789, 2.0**53 - 1, 5e22])
def test_numbers_are_read_back_to_the_last_bit(number):
    assert json.loads(json_text({"x": [number]}))["x"] == [number]
