"""A part of a page with boxes: which part, where lines and names are, and what is outside of the page."""

import numpy as np
import pytest
from PIL import Image

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
from layoutcm.drawing.palette import rgb

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
