"""Values in messages."""

import pytest

import layoutcm as lcm
from layoutcm.errors import short_repr
from layoutcm.layouts.page_maps import parse_page_map


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def test_a_value_that_python_cannot_show_is_described():
    assert short_repr(nested(100_000)) == "a deeply nested list"
    assert short_repr("x" * 99) == "'" + "x" * 57 + "…'" and short_repr([1]) == "[1]"


def test_a_page_map_with_a_nested_value_is_refused():
    text = b'{"p1": ' + b"[" * 900 + b"]" * 900 + b"}"
    with pytest.raises(lcm.InputError, match="is not a page's name"):
        parse_page_map("pages.json", text)
