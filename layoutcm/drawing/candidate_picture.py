"""A part of a page with some boxes on it and their names beside them, as an image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image, ImageDraw, ImageFont

from layoutcm.drawing.palette import rgb, text_colour_on
from layoutcm.wording import one_line, shorten

Box = tuple[float, float, float, float]  # x0, y0, x1, y1

WIDTH, HEIGHT = 800, 600  # px of the picture, always the same: what is below it does not move
MARGIN, NEAR = 0.12, 0.06  # around the boxes: at least these shares of the longer side of the boxes, and of the page
FADED = 0.35  # of the page below the boxes, towards white
FONT_SIZE, PADDING, LONGEST_NAME = 20, 5, 60
OUTSIDE = (205, 205, 205)  # what is not on the page
# Kind of line -> its width, and the lengths of its dashes and gaps; () is a solid line.
LINES: dict[str, tuple[int, tuple[int, ...]]] = {
    "thick": (5, ()), "dashed": (5, (18, 10)), "thin": (3, (8, 6)), "faint": (1, ()),
}  # fmt: skip


class MarkedBox(NamedTuple):
    """A box on the page: the name that is written beside it ("" for none), its colour, and one of `LINES`."""

    box: Box
    name: str
    colour: str
    line: str = "thick"


def surroundings(boxes: Sequence[Box], width: float, height: float) -> Box:
    """The part of a page that has the boxes and what is around them, in the shape of the picture.

    It lies inside of the page, unless the page is too small for it.
    """
    x0, y0 = (min(box[i] for box in boxes) for i in (0, 1))
    x1, y1 = (max(box[i] for box in boxes) for i in (2, 3))
    margin = max(MARGIN * max(x1 - x0, y1 - y0), NEAR * max(width, height))
    wide, high = x1 - x0 + 2 * margin, y1 - y0 + 2 * margin
    scale = min(WIDTH / wide, HEIGHT / high)
    left, right = _interval((x0 + x1) / 2, WIDTH / scale, width)
    top, bottom = _interval((y0 + y1) / 2, HEIGHT / scale, height)
    return left, top, right, bottom


def _interval(centre: float, length: float, whole: float) -> tuple[float, float]:
    """An interval of this length around the centre, moved into [0, whole]; if it is longer, it is centred on that."""
    start = (whole - length) / 2 if length > whole else min(max(centre - length / 2, 0), whole - length)
    return start, start + length


def overlap(a: Box, b: Box) -> bool:
    """Whether two boxes have an area in common."""
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])


def draw_part_of_page(
    image: Image.Image | None, size: tuple[float, float], view: Box, marks: Sequence[MarkedBox]
) -> Image.Image:
    """The part `view` of a page of this size, with marks; without an image of the page, on a blank sheet.

    Later marks are drawn over earlier ones. Names do not cover each other, as far as there is space.
    """
    scale = WIDTH / (view[2] - view[0])
    picture = _paper(image, size, view, scale)
    draw = ImageDraw.Draw(picture)
    boxes = [_to_picture(mark.box, view, scale) for mark in marks]
    for mark, box in zip(marks, boxes):
        _outline(draw, box, mark)
    taken: list[Box] = []
    for mark, box in zip(marks, boxes):
        if mark.name:
            taken.append(_write_name(draw, mark, box, taken))
    return picture


def _to_picture(box: Box, view: Box, scale: float) -> Box:
    x0, y0, x1, y1 = box
    return (x0 - view[0]) * scale, (y0 - view[1]) * scale, (x1 - view[0]) * scale, (y1 - view[1]) * scale


def _paper(image: Image.Image | None, size: tuple[float, float], view: Box, scale: float) -> Image.Image:
    """The part of the page without boxes, faded so that lines are visible on it."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), OUTSIDE)
    part = max(view[0], 0), max(view[1], 0), min(view[2], size[0]), min(view[3], size[1])
    x0, y0, x1, y1 = (round(value) for value in _to_picture(part, view, scale))
    shape = max(x1 - x0, 1), max(y1 - y0, 1)
    sheet = Image.new("RGB", shape, "white")
    if image is not None:
        wide, high = image.width / size[0], image.height / size[1]
        # Pillow refuses what rounding puts outside of the image.
        source = part[0] * wide, part[1] * high, min(part[2] * wide, image.width), min(part[3] * high, image.height)
        shown = image.convert("RGB").resize(shape, Image.Resampling.BILINEAR, box=source)
        sheet = Image.blend(shown, sheet, FADED)
    picture.paste(sheet, (x0, y0))
    return picture


def _outline(draw: Any, box: Box, mark: MarkedBox) -> None:
    width, dashes = LINES[mark.line]
    x0, y0, x1, y1 = box
    for start, end in (((x0, y0), (x1, y0)), ((x1, y0), (x1, y1)), ((x1, y1), (x0, y1)), ((x0, y1), (x0, y0))):
        for part in _dashes(start, end, dashes):
            draw.line(part, fill=rgb(mark.colour), width=width)


def _dashes(start: tuple[float, float], end: tuple[float, float], dashes: tuple[int, ...]) -> Iterator[Box]:
    """The parts of a horizontal or vertical line that are drawn; the whole line without `dashes`."""
    length = abs(end[0] - start[0]) + abs(end[1] - start[1])
    if not dashes or length <= dashes[0]:
        yield *start, *end
        return
    step = ((end[0] - start[0]) / length, (end[1] - start[1]) / length)
    at = 0.0
    while at < length:
        to = min(at + dashes[0], length)
        yield start[0] + at * step[0], start[1] + at * step[1], start[0] + to * step[0], start[1] + to * step[1]
        at += sum(dashes)


def _write_name(draw: Any, mark: MarkedBox, box: Box, taken: list[Box]) -> Box:
    """Write the name at a corner of its box, where no other name is; return its place."""
    text = shorten(one_line(mark.name), LONGEST_NAME)
    wide = draw.textlength(text, font=_font()) + 2 * PADDING
    high = FONT_SIZE + 2 * PADDING
    places = [_fit(x, y, wide, high) for x, y in _corners(box, wide, high)]
    place = next((one for one in places if not any(overlap(one, other) for other in taken)), places[0])
    draw.rectangle(place, fill=rgb(mark.colour))
    middle = (place[1] + place[3]) / 2
    draw.text((place[0] + PADDING, middle), text, fill=text_colour_on(mark.colour), font=_font(), anchor="lm")
    return place


def _corners(box: Box, wide: float, high: float) -> Iterator[tuple[float, float]]:
    """Places for a name, the best first: outside of the corners, then in rows above and below."""
    x0, y0, x1, y1 = box
    for row in range(HEIGHT // int(high)):
        for y in (y0 - (row + 1) * high, y1 + row * high):
            yield x0, y
            yield x1 - wide, y


def _fit(x: float, y: float, wide: float, high: float) -> Box:
    """A rectangle of this size, moved into the picture."""
    x, y = min(max(x, 0), max(WIDTH - wide, 0)), min(max(y, 0), max(HEIGHT - high, 0))
    return x, y, x + wide, y + high


@lru_cache(1)
def _font() -> Any:
    """The font of the figures on paper, which has more characters than the font of Pillow."""
    import matplotlib

    return ImageFont.truetype(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf", FONT_SIZE)
