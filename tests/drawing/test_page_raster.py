"""A page as it is drawn: its regions, also those that are not judged, and the lit pixels of a cell on a thumbnail."""

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

import layoutcm as lcm
from layoutcm.diagnosis.page_tiles import NOT_JUDGED
from layoutcm.drawing.page_images import ImageFile, images_from_files, load_shrunk
from layoutcm.drawing.page_raster import LIGHTING, page_boxes
from layoutcm.drawing.palette import LIT, NOT_JUDGED_COLOUR, rgb
from layoutcm.drawing.paper.pages import page_figure, page_overlay
from layoutcm.layouts.model import CocoFacts
from layoutcm.ui.shared import lit_pages
from support.image_files import png
from support.layouts import build
from support.paper_texts import drawn_texts


@pytest.mark.parametrize("with_picture", [False, True])
def test_a_thumbnail_lights_the_pixels_of_a_cell(two_pages, with_picture):
    c = lcm.compare(*two_pages)
    picture = (
        images_from_files([ImageFile("p1.png", "p1", png((20, 20), "black"))]).find(c, 0) if with_picture else None
    )
    image = load_shrunk(picture, lit_pages.THUMBNAIL)
    data = lit_pages.draw_thumbnail(c, "p1", ("picture", "table"), "matrix", image)
    image = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), int)
    at = lambda x, y: image[round(y * 21), round(x * 21)]
    paper = 140 if with_picture else 250
    assert image.shape == (420, 420, 3)
    np.testing.assert_allclose(at(5, 5), paper, atol=4)
    for y, share in ((8, 0.5), (16, 1.0)):
        strength = LIGHTING.lit + LIGHTING.lit_by_share * share
        np.testing.assert_allclose(at(15, y), np.array(rgb(LIT)) * strength + paper * (1 - strength), atol=4)


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
    assert (gt[1]["colour"], *(gt[1][edge] for edge in ("x0", "y0", "x1", "y1"))) == (NOT_JUDGED_COLOUR, 20, 0, 30, 10)
    assert NOT_JUDGED in drawn_texts(page_overlay(c, "p")) and NOT_JUDGED in drawn_texts(page_figure(c, "p"))
    pred = [box for box in page_boxes(c, "p") if box["side"] == "pred"]
    assert all(box["judged"] for box in pred)
    assert (c.write_report(tmp_path / "report") / "report.html").is_file()
