"""A layout with everything that a layout can hold; without Hypothesis, which the environment of the fuzzer lacks."""

from dataclasses import replace

import numpy as np

from layoutcm.layouts.model import CocoFacts, Finding, Pages, Regions
from layoutcm.layouts.shapes import Outline
from layoutcm.layouts.validation import FileIds, make_layout

FINDINGS = [
    Finding("undeclared-category", 3, {"file": "a.json", "ids": 1, "first": "x", "regions": 3, "label": "category x"}),
    Finding("other-annotators", 1, {"file": "a.json", "chosen": "0", "names": ["1"]}),
    Finding("cut-off", 2, {"file": "a.xml", "place": "b"}, severity="info"),
    Finding("y-flipped", 1, {"reading": "r", "found": 0.5, "before": 0.0, "regions": 7}, repair="flip-y"),
]


def one_full_layout():
    """Two pages and two regions with everything, always the same."""
    its_pages = Pages(
        ("report_p1.png", "report_p2.png"),
        np.full(2, 1000.0),
        np.full(2, 500.0),
        ("report", ""),
        np.array([1, -1], np.int32),
        {"kind": ("law", ""), "language": ("de", "en")},
    )
    its_regions = Regions(
        np.zeros(2, np.int32),
        np.array([0, 1], np.int32),
        np.array([[100, 50, 900, 100.5], [5, 5, 90, 90]]),
        np.array([0.5, np.nan]),
        {0: Outline((np.array([[100.0, 50], [900, 50], [100, 100.5]]),))},
        CocoFacts(np.array([False, True]), np.array([7.0, np.nan]), np.array([[800, 50.5], [85, 85.0000001]])),
        np.array([True, False]),
    )
    ids = FileIds({17: 0, "x": 1}, {1: 0, 2: 1})
    layout = make_layout("a.json", "coco", ["Text", "Table"], its_pages, its_regions, findings=FINDINGS, ids=ids)
    return replace(layout, annotator="0", annotators=("0", "1"), repairs=("scale:2",))
