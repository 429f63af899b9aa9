"""The pixels of a cell, lit on the faint page, as the thumbnails show them."""

import io

import numpy as np
import pytest
from PIL import Image

import layoutcm as lcm
from layoutcm.drawing.page_images import ImageFile, images_from_files, load_shrunk
from layoutcm.drawing.palette import LIT, rgb
from layoutcm.ui.shared import lit_pages
from support.image_files import png


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
        strength = 0.45 + 0.4 * share
        np.testing.assert_allclose(at(15, y), np.array(rgb(LIT)) * strength + paper * (1 - strength), atol=4)
