"""Names with braces, which have a meaning in the templates of places, are names like any other."""

import pytest

import layoutcm as lcm
from written import Page, writers

NAME = "{x}{:9}{0[1]}"
# The first box has inverted corners, so that a message names its place.
REGIONS = [("Text", (400, 300, 50, 100), 0.5), ("Text", (50, 100, 450, 300), 0.5)]


@pytest.mark.parametrize("format", sorted(writers()))
def test_a_page_or_document_may_be_named_with_braces(format):
    pages = [Page(f"{NAME}_p{i}", 1000, 500, REGIONS) for i in (1, 2)]
    gt = lcm.read(list(writers()["coco"](pages).items()))
    try:
        lcm.read(list(writers()[format](pages).items()), like=gt, format=format)
    except lcm.InputError as error:
        assert str(error)


@pytest.mark.parametrize(("name", "text"), [
    ("a.json", '{"%s.pdf": {"elements": [{"category": "a", "page": 1, "coordinates": []}, '
               '{"category": "b", "page": 1, "coordinates": [{"x": 0.5, "y": 0.5}, {"x": 0.1, "y": 0.1}]}]}}'),
    ("a.tei.xml", '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body>'
                  '<figure type="%s" coords="1,5,5,-2,-2"/></body></text></TEI>'),
])  # fmt: skip
def test_keys_and_types_with_braces(name, text):
    try:
        lcm.read((name, (text % NAME).encode()), sizes=(100, 100))
    except lcm.InputError as error:
        assert str(error)
