"""What `inspect` says of a layout, its attributes, annotators and pixels that are not judged."""

from dataclasses import replace

import numpy as np

from layoutcm.layouts.shapes import Outline
from layoutcm.pixels.counting import ignored_pixels
from layoutcm.tables.layout_facts import layout_result
from layoutcm.tables.terminal import layout_summary
from support.layouts import build


def layout():
    """Two overlapping ignore regions of 10 x 10 and 10 x 5 pixels, partly outside the page, and one that is judged."""
    rows = [("p", "a", 0, 0, 10, 10), ("p", "a", 5, 5, 15, 10), ("q", "a", 0, 0, 5, 5)]
    plain = build({"p": (12, 20), "q": (9, 9)}, rows, name="in.json")
    pages = replace(plain.page_columns, attributes={"kind": ("law", "law"), "scan": ("", "300 dpi")})
    regions = replace(plain.region_columns, ignore=np.array([True, True, False]))
    return replace(plain, page_columns=pages, region_columns=regions, annotator="ann", annotators=("ann", "bob"))


def test_result_of_a_layout():
    regions = [("q", "b", 1, 2, 3, 4.5, 0.5), ("p", "a", 2, 3, 4, 5, 0.25), ("q", "b", 1, 2, 3, 4.5, 0.5)]
    message = "in.csv: 1 region is a duplicate with the same page, box and label as another (first: 'b' on page 'q')."
    hint = "Pixels are not counted twice, but objects are: remove the duplicates."
    layout = build({"p": (10, 20.5), "q": (7, 30)}, regions, "abc", "in.csv", {"p": "D", "q": "D"})
    assert layout_result(layout) == {
        "file": "in.csv",
        "format": "test",
        "pages": 2,
        "documents": 1,
        "regions": 3,
        "labels": {"a": 1, "b": 2, "c": 0},
        "annotator": None,
        "annotators": [],
        "attributes": {},
        "ignored_regions": 0,
        "ignored_pixels": 0,
        "page0": {"page": "p", "width": 10, "height": 20.5},
        "region0": {"page": "q", "label": "b", "box": [1, 2, 3, 4.5], "score": 0.5},
        "findings": [
            {"code": "duplicate-box", "severity": "warning", "message": message, "count": 1, "fix": hint, "remedy": ""}
        ],
    }
    nothing = layout_result(build({}, [], name="none"))
    assert (nothing["pages"], nothing["labels"], nothing["page0"], nothing["region0"]) == (0, {}, None, None)


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
