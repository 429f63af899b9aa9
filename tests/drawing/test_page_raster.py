"""Pages drawn as pixels, and the picture of a candidate for an error."""

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

import layoutcm as lcm
from layoutcm.diagnosis.page_tiles import NOT_JUDGED
from layoutcm.drawing.candidate_picture import (
    FADED,
    HEIGHT,
    OUTSIDE,
    WIDTH,
    MarkedBox,
    draw_part_of_page,
    overlap,
    surroundings,
)
from layoutcm.drawing.page_images import ImageFile, images_from_files, load_shrunk
from layoutcm.drawing.page_raster import LIGHTING, page_boxes
from layoutcm.drawing.palette import LIT, NOT_JUDGED_COLOUR, rgb
from layoutcm.drawing.paper.pages import page_figure, page_overlay
from layoutcm.layouts.model import CocoFacts
from layoutcm.ui.shared import lit_pages
from support.drawn_figures import drawn_texts
from support.image_files import png
from support.layouts import build


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


RED, BLUE = "#c00505", "#0072b2"


def test_the_view_has_the_boxes_and_the_shape_of_the_picture():
    x0, y0, x1, y1 = surroundings([(400, 500, 480, 540), (400, 500, 500, 560)], 850, 1100)
    assert (x1 - x0) / (y1 - y0) == pytest.approx(WIDTH / HEIGHT)
    assert (x0 + x1) / 2 == 450 and (y0 + y1) / 2 == 530
    assert y1 - y0 == pytest.approx(60 + 2 * 66) and x0 < 400 and x1 > 500  # 6 % of the page on each side


@pytest.mark.parametrize("box", [(0, 0, 40, 20), (810, 1080, 850, 1100), (0, 0, 850, 1100), (0, 300, 850, 310)])
def test_the_view_stays_on_the_page_if_it_can(box):
    x0, y0, x1, y1 = surroundings([box], 850, 1100)
    assert x0 <= box[0] and y0 <= box[1] and x1 >= box[2] and y1 >= box[3]
    for low, high, size in ((x0, x1, 850), (y0, y1, 1100)):
        assert (low >= 0 and high <= size) or low + high == pytest.approx(size)  # else the page is in the middle


def test_lines_are_where_the_boxes_are():
    """The picture has 4 px for each unit of a view that is 200 wide."""
    view = (100, 100, 300, 250)
    drawn = draw_part_of_page(None, (850, 1100), view, [MarkedBox((150, 125, 250, 225), "", RED)])
    pixels = np.asarray(drawn)
    assert pixels.shape == (HEIGHT, WIDTH, 3)
    rows, columns = np.nonzero((pixels == rgb(RED)).all(axis=2))
    assert abs(columns.min() - 200) <= 3 and abs(columns.max() - 600) <= 3
    assert abs(rows.min() - 100) <= 3 and abs(rows.max() - 500) <= 3
    assert (pixels[300, 400] == 255).all() and (pixels[300, 200] == rgb(RED)).all()


def test_dashed_lines_have_gaps():
    marks = [MarkedBox((20, 20, 180, 130), "", RED, line) for line in ("thick", "dashed", "thin", "faint")]
    shares = []
    for mark in marks:
        pixels = np.asarray(draw_part_of_page(None, (200, 150), (0, 0, 200, 150), [mark]))
        shares.append((pixels[80, 100:700] == rgb(RED)).all(axis=1).mean())
    assert shares[0] == shares[3] == 1 and 0.5 < shares[1] < 0.8 and 0.4 < shares[2] < 0.8


def test_the_page_image_is_cut_and_faded_and_the_rest_is_grey():
    image = Image.new("RGB", (100, 300), (0, 0, 0))
    image.paste((200, 0, 0), (50, 0, 100, 300))
    drawn = np.asarray(draw_part_of_page(image, (200, 600), (-100, 0, 300, 300), []))
    black, red = (tuple(round(c + (255 - c) * FADED) for c in colour) for colour in ((0, 0, 0), (200, 0, 0)))
    assert tuple(drawn[300, 100]) == tuple(drawn[300, 700]) == OUTSIDE
    np.testing.assert_allclose(drawn[300, 300], black, atol=1)
    np.testing.assert_allclose(drawn[300, 500], red, atol=1)


def test_names_do_not_cover_each_other():
    box = (90, 70, 110, 80)
    apart = [MarkedBox(box, "same place", colour) for colour in (RED, BLUE, "#009e73", "#e69f00", "#cc79a7")]
    together = np.asarray(draw_part_of_page(None, (200, 150), (0, 0, 200, 150), apart))
    alone = np.asarray(draw_part_of_page(None, (200, 150), (0, 0, 200, 150), apart[:1]))
    area = lambda pixels, colour: int((pixels == rgb(colour)).all(axis=2).sum())
    for mark in apart:  # lines cover each other, names do not
        assert area(together, mark.colour) > 0.6 * area(alone, RED)


@pytest.mark.parametrize("name", ["<b>", "مرحبا 😀", "x" * 500, "a\nb", "\ud800"])
@pytest.mark.parametrize("size", [(0.001, 0.001), (1e7, 3e7), (1, 5000)])
def test_any_name_on_any_page(name, size):
    box = (0, 0, size[0] / 2, size[1] / 2)
    drawn = draw_part_of_page(Image.new("L", (3, 2)), size, surroundings([box], *size), [MarkedBox(box, name, RED)])
    assert drawn.size == (WIDTH, HEIGHT) and (np.asarray(drawn) == rgb(RED)).all(axis=2).any()


def test_overlap_needs_an_area():
    assert overlap((0, 0, 2, 2), (1, 1, 3, 3)) and not overlap((0, 0, 2, 2), (2, 0, 3, 3))
