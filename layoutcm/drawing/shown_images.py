"""An image file as it is shown: upright as its page, in RGB, with 8 bits, on white."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageOps

ORIENTATION = 0x0112  # the EXIF tag
QUARTER_TURNS = (5, 6, 7, 8)  # its values that exchange width and height


def in_8_bits(image: Image.Image) -> Image.Image:
    """The image; grey values of 16 or 32 bits, and fractions from 0 to 1, are scaled to 8 bits."""
    if not image.mode.startswith(("I", "F")):
        return image
    values = np.nan_to_num(np.asarray(image, np.float32))
    most = float(values.max(initial=0))
    full = 1.0 if image.mode == "F" and most <= 1 else 255.0 if most <= 255 and image.mode != "I;16" else 65535.0
    return Image.fromarray((np.clip(values / full, 0, 1) * 255).round().astype(np.uint8))


def turned_upright(image: Image.Image, page_size: tuple[float, float]) -> Image.Image:
    """The image, turned as its EXIF data say; not by a quarter if the page has the proportions of the pixels as stored.

    Some tools annotate the turned image, some the pixels as stored, and only the size of the page tells which.
    """
    orientation = image.getexif().get(ORIENTATION)
    if orientation in QUARTER_TURNS and all(page_size):
        page, stored = page_size[0] / page_size[1], image.width / image.height
        if abs(np.log(page / stored)) < abs(np.log(page * stored)):
            return image
    return ImageOps.exif_transpose(image)


def in_rgb(image: Image.Image) -> Image.Image:
    """The image in RGB; transparent parts are white."""
    if image.has_transparency_data:
        white = Image.new("RGBA", image.size, "white")
        white.alpha_composite(image.convert("RGBA"))
        image = white
    return image.convert("RGB")
