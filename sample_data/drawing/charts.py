"""Charts and diagrams for the pages: bars, lines, a ring, a flow diagram and a sketched map."""

import math
import random
from collections.abc import Sequence

from PIL import Image, ImageDraw

from .page import Colour, font

SCALE = 4  # as in page.py, because its fonts are used here
GREY = (110, 112, 118)
PALE = (222, 224, 228)
BLUES = ((28, 78, 121), (74, 144, 180), (160, 200, 216), (226, 151, 66), (150, 96, 60), (196, 199, 204))


class Canvas:
    """A picture that is drawn `SCALE` times larger and then reduced; coordinates are those of the final picture."""

    def __init__(self, width: int, height: int, colour: Colour = "white"):
        self.width, self.height = width, height
        self.image = Image.new("RGB", (width * SCALE, height * SCALE), colour)
        self.draw = ImageDraw.Draw(self.image)

    def line(self, points: Sequence[tuple[float, float]], colour: Colour, width: float = 1) -> None:
        path = [(x * SCALE, y * SCALE) for x, y in points]
        self.draw.line(path, colour, max(1, round(width * SCALE)), joint="curve")

    def box(self, x0: float, y0: float, x1: float, y1: float, colour: Colour, edge: Colour | None = None, radius=0):
        corners = [value * SCALE for value in (x0, y0, x1, y1)]
        self.draw.rounded_rectangle(corners, radius * SCALE, colour, edge, width=SCALE if edge else 0)

    def disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        self.draw.ellipse([v * SCALE for v in (x - radius, y - radius, x + radius, y + radius)], colour)

    def shape(self, points: Sequence[tuple[float, float]], colour: Colour) -> None:
        self.draw.polygon([(x * SCALE, y * SCALE) for x, y in points], colour)

    def text(
        self, x: float, y: float, text: str, size: float = 10.5, colour: Colour = GREY, anchor: str = "mm"
    ) -> None:
        self.draw.text((x * SCALE, y * SCALE), text, colour, font(size), anchor=anchor)

    def arrow(self, x0: float, y0: float, x1: float, y1: float, colour: Colour = GREY) -> None:
        self.line([(x0, y0), (x1, y1)], colour, 1.4)
        angle = math.atan2(y1 - y0, x1 - x0)
        tips = [(x1 - 7 * math.cos(angle + side), y1 - 7 * math.sin(angle + side)) for side in (-0.45, 0.45)]
        self.shape([(x1, y1), *tips], colour)

    def to_image(self) -> Image.Image:
        return self.image.reduce(SCALE)


def axes(canvas: Canvas, plot: tuple[int, int, int, int], ticks: Sequence[str]) -> None:
    """Horizontal grid lines with labels, from bottom to top; the lowest line is darker."""
    x0, y0, x1, y1 = plot
    for row, label in enumerate(ticks):
        y = y1 - (y1 - y0) * row / (len(ticks) - 1)
        canvas.line([(x0, y), (x1, y)], GREY if row == 0 else PALE)
        canvas.text(x0 - 6, y, label, anchor="rm")


def legend(canvas: Canvas, x: float, y: float, entries: Sequence[tuple[str, Colour]], step: int = 110) -> None:
    for number, (name, colour) in enumerate(entries):
        canvas.box(x + number * step, y - 4, x + number * step + 10, y + 4, colour)
        canvas.text(x + number * step + 15, y, name, anchor="lm")


def bars(size: tuple[int, int], names: Sequence[str], series: dict[str, Sequence[float]], ticks: Sequence[str], top):
    """A grouped bar chart; `top` is the value of the highest tick."""
    canvas = Canvas(*size)
    plot = (44, 34, size[0] - 6, size[1] - 26)
    axes(canvas, plot, ticks)
    group_width, count = (plot[2] - plot[0]) / len(names), len(series)
    bar_width = group_width * 0.66 / count
    for number, (values, colour) in enumerate(zip(series.values(), BLUES, strict=False)):
        for place, value in enumerate(values):
            x = plot[0] + group_width * (place + 0.17) + bar_width * number
            canvas.box(x, plot[3] - (plot[3] - plot[1]) * value / top, x + bar_width - 1, plot[3], colour)
    for place, name in enumerate(names):
        canvas.text(plot[0] + group_width * (place + 0.5), plot[3] + 13, name)
    legend(canvas, plot[0], 12, list(zip(series, BLUES, strict=False)), 130)
    return canvas.to_image()


def curves(size, series: dict[str, Sequence[tuple[float, float]]], x_ticks, y_ticks, labels: tuple[str, str], step=90):
    """A line chart; points are fractions of the plot's width and height, from its bottom left corner."""
    canvas = Canvas(*size)
    x0, y0, x1, y1 = plot = (46, 30, size[0] - 22, size[1] - 42)
    axes(canvas, plot, y_ticks)
    for number, label in enumerate(x_ticks):
        x = x0 + (x1 - x0) * number / (len(x_ticks) - 1)
        canvas.line([(x, y1), (x, y1 + 4)], GREY)
        canvas.text(x, y1 + 13, label)
    colours = (BLUES[0], BLUES[3], BLUES[1])
    for colour, points in zip(colours, series.values(), strict=False):
        canvas.line([(x0 + (x1 - x0) * px, y1 - (y1 - y0) * py) for px, py in points], colour, 1.8)
    # The name of the y axis and the legend share a line above the plot; a long name moves the legend to the right.
    after_name = 4 + font(11).getlength(labels[1]) / SCALE + 18
    legend(canvas, max(x0, after_name), 10, list(zip(series, colours, strict=False)), step)
    canvas.text((x0 + x1) / 2, y1 + 32, labels[0], 11)
    canvas.text(4, 10, labels[1], 11, anchor="lm")
    return canvas.to_image()


def ring(size: tuple[int, int], parts: dict[str, int], unit: str) -> Image.Image:
    """A ring chart with its legend on the right and a unit in its middle."""
    canvas = Canvas(*size)
    radius, start = size[1] / 2 - 4, -90.0
    middle, total = (radius + 4, size[1] / 2), sum(parts.values())
    for number, ((name, value), colour) in enumerate(zip(parts.items(), BLUES, strict=False)):
        end = start + 360 * value / total
        corners = [SCALE * v for v in (4, 4, 4 + 2 * radius, 4 + 2 * radius)]
        canvas.draw.pieslice(corners, start, end, colour, "white", SCALE * 2)
        y = middle[1] + (number - (len(parts) - 1) / 2) * 24
        canvas.box(2 * radius + 40, y - 6, 2 * radius + 52, y + 6, colour)
        canvas.text(2 * radius + 62, y, f"{name}, {value} %", 12.5, (50, 50, 56), "lm")
        start = end
    canvas.disc(*middle, radius * 0.56, "white")
    canvas.text(*middle, unit, 12.5, (50, 50, 56))
    return canvas.to_image()


def node(canvas: Canvas, x: int, y: int, lines: Sequence[str], colour: Colour, width: int = 112, height: int = 58):
    """A box of the flow diagram with its centre at (x, y)."""
    canvas.box(x - width / 2, y - height / 2, x + width / 2, y + height / 2, colour, (70, 76, 88), 5)
    for row, text in enumerate(lines):
        canvas.text(x, y + (row - (len(lines) - 1) / 2) * 15, text, 11.5, (30, 32, 38))


def diagram(size: tuple[int, int], names: Sequence[str]) -> Image.Image:
    """Two rows of steps that meet in a last one on the right; the wider the picture, the more steps."""
    canvas = Canvas(*size)
    per_row = 2 if size[0] < 450 else 4
    step = size[0] / (per_row + 1)
    width, height = round(step * 0.74), min(58, size[1] // 3)
    high, middle, low = size[1] // 4, size[1] // 2, size[1] * 3 // 4
    words = iter(names)
    end = size[0] - width // 2 - 1
    for y, colour, count in ((high, (221, 234, 243), per_row), (low, (250, 236, 214), per_row - 1)):
        xs = [round(width / 2 + 1 + step * place * (1 if count == per_row else 1.5)) for place in range(count)]
        for x, following in zip(xs, [*xs[1:], None], strict=True):
            node(canvas, x, y, next(words).split(" ", 1), colour, width, height)
            if following:
                canvas.arrow(x + width / 2, y, following - width / 2, y)
        canvas.arrow(xs[-1] + width / 2, y, end - width / 2, middle + (y - middle) // 4)
    node(canvas, end, middle, next(words).split(" ", 1), (228, 240, 222), width, height)
    return canvas.to_image()


def smooth(points: Sequence[tuple[float, float]], times: int = 3) -> list[tuple[float, float]]:
    """Cut the corners of a closed shape several times, so that it looks like a coast."""
    for _ in range(times):
        pairs = list(zip(points, [*points[1:], points[0]], strict=True))
        points = [((1 - t) * a[0] + t * b[0], (1 - t) * a[1] + t * b[1]) for a, b in pairs for t in (0.25, 0.75)]
    return list(points)


def sketch_map(size: tuple[int, int], rng: random.Random, names: Sequence[str]) -> Image.Image:
    """A coast on the left, an island on the right, a road and a crossing; names of a town, an island and a sea."""
    w, h = size
    canvas = Canvas(w, h, (205, 224, 232))
    land, shore, red = (233, 226, 204), (150, 140, 110), (160, 50, 40)
    bays = [(w * rng.uniform(0.2, 0.36), h * level / 5) for level in range(6)]
    coast = [(-60, -60), (w * 0.3, -60), *bays, (w * 0.22, h + 60), (-60, h + 60)]
    angles = [2 * math.pi * step / 9 for step in range(9)]
    island = [(w * (0.75 + rng.uniform(0.1, 0.18) * math.cos(a)), h * (0.5 + 0.36 * math.sin(a))) for a in angles]
    for points in (smooth(coast), smooth(island)):
        canvas.shape(points, land)
        canvas.line([*points, points[0]], shore, 1.5)
    start, end = (w * 0.24, h * rng.uniform(0.3, 0.6)), (w * 0.68, h * rng.uniform(0.35, 0.6))
    for part in range(0, 30, 2):
        ends = [
            (start[0] + (end[0] - start[0]) * t, start[1] + (end[1] - start[1]) * t)
            for t in (part / 30, (part + 1) / 30)
        ]
        canvas.line(ends, red, 2)
    canvas.line([(w * 0.06, h * 0.9), (w * 0.14, h * 0.7), start], (80, 80, 84), 2.4)
    for x, y in (start, end):
        canvas.disc(x, y, 4, red)
    town, isle, sea = names
    for x, y, name in ((w * 0.12, start[1] - 16, town), (w * 0.77, h * 0.5, isle.upper()), (w * 0.47, h * 0.16, sea)):
        canvas.text(x, y, name, 13, (70, 66, 56))
    return canvas.to_image()
