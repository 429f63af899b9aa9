"""Logos of firms: a simple sign in a coloured shape."""

from PIL import Image

from .charts import Canvas
from .page import Colour

PALE = (236, 214, 170)


def make_logo(rng, colour: Colour) -> Image.Image:
    """One of four signs, 64 pixels wide and high."""
    canvas, sign = Canvas(64, 64), rng.choice(("dovetail", "rings", "stairs", "leaf"))
    if sign == "rings":
        canvas.disc(32, 32, 31.5, colour)
        canvas.disc(32, 32, 20, PALE)
        canvas.disc(32, 32, 11, colour)
        return canvas.to_image()
    canvas.box(0, 0, 64, 64, colour, None, 10 if sign == "dovetail" else 3)
    if sign == "dovetail":
        xs, ys = (0, 12, 8, 28, 24, 40, 36, 56, 52, 64, 64, 0), (40, 40, 18, 18, 40, 40, 18, 18, 40, 40, 46, 46)
        canvas.shape(list(zip(xs, ys, strict=True)), PALE)
    elif sign == "stairs":
        for step in range(4):
            canvas.box(8 + 12 * step, 46 - 11 * step, 19 + 12 * step, 56, PALE)
    else:
        canvas.shape([(14, 50), (16, 26), (32, 12), (50, 14), (50, 32), (38, 46)], PALE)
        canvas.line([(10, 56), (40, 24)], colour, 3)
    return canvas.to_image()
