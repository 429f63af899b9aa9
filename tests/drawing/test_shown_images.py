"""Images as they are shown: 16 bits scaled, transparency on white, turned as the page is."""

import io

import numpy as np
import pytest
from PIL import Image

from layoutcm.drawing.page_images import Picture, load_shrunk


def shown(image, suffix="png", page_size=(0.0, 0.0), **options):
    out = io.BytesIO()
    image.save(out, {"png": "PNG", "tif": "TIFF", "jpg": "JPEG"}[suffix], **options)
    found = load_shrunk(Picture(f"p.{suffix}", "digest", data=out.getvalue(), page_size=page_size), 200)
    assert found is not None and found.mode == "RGB"
    return np.asarray(found)


@pytest.mark.parametrize("suffix", ["png", "tif"])
def test_16_bits_are_scaled(suffix):
    grey = np.tile(np.linspace(0, 65535, 64).astype(np.uint16), (8, 1))
    found = shown(Image.fromarray(grey), suffix)
    assert np.abs(found[0, :, 0].astype(int) - np.linspace(0, 255, 64)).max() <= 1


def test_fractions_are_scaled():
    found = shown(Image.fromarray(np.tile(np.linspace(0, 1, 64, dtype=np.float32), (8, 1))), "tif")
    assert np.abs(found[0, :, 0].astype(int) - np.linspace(0, 255, 64)).max() <= 1


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_what_is_transparent_is_white(mode):
    image = Image.new(mode, (20, 10))  # black, and all of it transparent
    image.paste(Image.new(mode, (5, 10), (0, 0, 0, 255) if mode == "RGBA" else (0, 255)), (0, 0))
    found = shown(image)
    assert (found[:, :5] == 0).all() and (found[:, 5:] == 255).all()


@pytest.mark.parametrize(("page_size", "shape"), [((50, 100), (40, 20)), ((100, 50), (20, 40)), ((0, 0), (40, 20))])
def test_an_image_is_turned_if_the_page_has_its_turned_proportions(page_size, shape):
    """Orientation 6: stored 40 x 20, shown 20 x 40, the stored left side at the top."""
    image = Image.new("RGB", (40, 20), "white")
    image.paste("black", (0, 0, 10, 20))
    exif = image.getexif()
    exif[0x0112] = 6
    found = shown(image, "jpg", page_size, exif=exif, quality=95)
    assert found.shape[:2] == shape
    dark = found[:8, :].mean() if shape == (40, 20) else found[:, :8].mean()
    assert dark < 20 < 200 < found[-8:, -8:].mean()
