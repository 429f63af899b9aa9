"""What `inspect` says of attributes, annotators and pixels that are not judged."""

from dataclasses import replace

import numpy as np

from layoutcm.layouts.shapes import Outline
from layoutcm.pixels.ignored_pixels import ignored_pixels
from layoutcm.tables.result_json import layout_result
from layoutcm.tables.terminal import layout_summary
from support.layouts import build


def layout():
    """Two overlapping ignore regions of 10 x 10 and 10 x 5 pixels, partly outside the page, and one that is judged."""
    rows = [("p", "a", 0, 0, 10, 10), ("p", "a", 5, 5, 15, 10), ("q", "a", 0, 0, 5, 5)]
    plain = build({"p": (12, 20), "q": (9, 9)}, rows, name="in.json")
    pages = replace(plain.page_columns, attributes={"kind": ("law", "law"), "scan": ("", "300 dpi")})
    regions = replace(plain.region_columns, ignore=np.array([True, True, False]))
    return replace(plain, page_columns=pages, region_columns=regions, annotator="ann", annotators=("ann", "bob"))


def test_facts_of_a_layout():
    facts = layout_result(layout())
    assert facts["attributes"] == {
        "kind": {"values": 1, "pages": {"law": 2}},
        "scan": {"values": 1, "pages": {"300 dpi": 1}},
    }
    assert (facts["annotator"], facts["annotators"]) == ("ann", ["ann", "bob"])
    assert (facts["ignored_regions"], facts["ignored_pixels"]) == (2, 110)
    assert layout_summary(layout()).splitlines()[4:8] == [
        "  kind: law 2",
        "  scan: 300 dpi 1",
        "  annotators: ann, bob; read: ann",
        "  not judged if this is the ground truth: 110 pixels under 2 regions",
    ]


def test_the_most_frequent_values_of_an_attribute():
    many = replace(build({f"p{i}": (5, 5) for i in range(70)}, [("p0", "a", 0, 0, 5, 5)]))
    values = ("x",) * 10 + tuple(str(i) for i in range(60))
    many = replace(many, page_columns=replace(many.page_columns, attributes={"kind": values}))
    assert len(layout_result(many)["attributes"]["kind"]["pages"]) == 50
    line = next(line for line in layout_summary(many).splitlines() if "kind" in line)
    assert line == "  kind: x 10, 0 1, 1 1, 2 1, 3 1, … (61 values)"


def test_outlines_hide_their_own_pixels():
    one = build({"p": (10, 10)}, [("p", "a", 0, 0, 10, 10)])
    shape = Outline((np.array([[0, 0], [4, 0], [4, 3], [0, 3]], float),))
    regions = replace(one.region_columns, shapes={0: shape}, ignore=np.array([True]))
    assert ignored_pixels(replace(one, region_columns=regions)) == 12
    assert ignored_pixels(one) == 0
