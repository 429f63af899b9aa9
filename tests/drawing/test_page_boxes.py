"""Regions as they are drawn on a page, also those whose pixels are not judged."""

from dataclasses import replace

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.diagnosis.page_tiles import NOT_JUDGED
from layoutcm.drawing.page_raster import page_boxes
from layoutcm.drawing.palette import NOT_JUDGED_COLOUR
from layoutcm.drawing.paper.pages import page_figure, page_overlay
from layoutcm.layouts.model import CocoFacts
from support.layouts import build

ROWS = [("p", "Text", 0, 0, 10, 10), ("p", "Noise", 20, 0, 30, 10)]


def compared(how):
    layout = build({"p": (40, 30)}, ROWS)
    marks = np.array([False, True])
    if how == "mapped":
        return lcm.compare(layout, build({"p": (40, 30)}, ROWS[:1]), mapping={"gt": {"Noise": "Ignore"}})
    changes = {"ignore": marks} if how == "ignore" else {"coco": replace(CocoFacts.unknown(2), crowd=marks)}
    gt = replace(layout, region_columns=replace(layout.region_columns, **changes))
    return lcm.compare(gt, layout)


@pytest.mark.parametrize("how", ["ignore", "crowd", "mapped"])
def test_regions_that_are_not_judged_are_named_so_and_can_be_drawn(how, tmp_path):
    c = compared(how)
    gt = [box for box in page_boxes(c, "p") if box["side"] == "gt"]
    assert [(box["label"], box["judged"]) for box in gt] == [("Text", True), (NOT_JUDGED, False)]
    assert gt[1]["colour"] == NOT_JUDGED_COLOUR and [gt[1][edge] for edge in ("x0", "y0", "x1", "y1")] == [
        20,
        0,
        30,
        10,
    ]
    texts = [text.get_text() for text in page_overlay(c, "p").axes[0].texts]
    assert NOT_JUDGED in texts
    assert NOT_JUDGED in [text.get_text() for text in page_figure(c, "p").axes[0].texts]
    pred = [box for box in page_boxes(c, "p") if box["side"] == "pred"]
    assert all(box["judged"] for box in pred)
    assert (c.write_report(tmp_path / "report") / "report.html").is_file()
