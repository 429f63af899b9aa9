"""Charts and diagrams for the pages: bars, lines, a ring, a flow diagram and a sketched map."""

import math
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


def ring(size: tuple[int, int], parts: dict[str, int]) -> Image.Image:
    """A ring chart with its legend on the right."""
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
    canvas.text(*middle, "100 crowns", 12.5, (50, 50, 56))
    return canvas.to_image()


def node(canvas: Canvas, x: int, y: int, lines: Sequence[str], colour: Colour, width: int = 112, height: int = 58):
    """A box of the flow diagram with its centre at (x, y)."""
    canvas.box(x - width / 2, y - height / 2, x + width / 2, y + height / 2, colour, (70, 76, 88), 5)
    for row, text in enumerate(lines):
        canvas.text(x, y + (row - (len(lines) - 1) / 2) * 15, text, 11.5, (30, 32, 38))


def diagram(size: tuple[int, int]) -> Image.Image:
    """The flow from frame and gauge to the loss, as in the method section of the paper."""
    canvas = Canvas(*size)
    high, low, blue, sand = 48, size[1] - 48, (221, 234, 243), (250, 236, 214)
    middle = size[1] // 2
    node(canvas, 58, high, ("Frame", "640 x 360"), blue)
    node(canvas, 210, high, ("Crop to the", "wet part"), blue)
    node(canvas, 362, high, ("Encoder", "8 numbers"), blue)
    node(canvas, 514, high, ("Gain and", "offset"), blue)
    node(canvas, 58, low, ("Gauge", "upstream"), sand)
    node(canvas, 286, low, ("Store with", "shared rate k"), sand, 140)
    node(canvas, 514, low, ("Routed", "stage"), sand)
    node(canvas, 666, middle, ("Squared", "difference"), (228, 240, 222))
    for x0, x1, y in ((114, 154, high), (266, 306, high), (418, 458, high), (114, 216, low), (356, 458, low)):
        canvas.arrow(x0, y, x1, y)
    canvas.arrow(570, high, 610, middle - 12)
    canvas.arrow(570, low, 610, middle + 12)
    canvas.line([(362, high + 29), (362, middle), (600, middle)], PALE, 1.4)
    canvas.arrow(600, middle, 610, middle, GREY)
    canvas.text(478, middle - 9, "spread")
    return canvas.to_image()


def smooth(points: Sequence[tuple[float, float]], times: int = 3) -> list[tuple[float, float]]:
    """Cut the corners of a closed shape several times, so that it looks like a coast."""
    for _ in range(times):
        pairs = list(zip(points, [*points[1:], points[0]], strict=True))
        points = [((1 - t) * a[0] + t * b[0], (1 - t) * a[1] + t * b[1]) for a, b in pairs for t in (0.25, 0.75)]
    return list(points)


def sketch_map(size: tuple[int, int]) -> Image.Image:
    """The island, the mainland, the crossing and the bridge."""
    w, h = size
    canvas = Canvas(w, h, (205, 224, 232))
    land, shore = (233, 226, 204), (150, 140, 110)
    coast = [
        (-60, -60),
        (w * 0.3, -60),
        (w * 0.24, h * 0.2),
        (w * 0.33, h * 0.38),
        (w * 0.2, h * 0.6),
        (w * 0.3, h * 0.8),
    ]
    coast += [(w * 0.22, h + 60), (-60, h + 60)]
    island = [
        (0.62, 0.2),
        (0.75, 0.12),
        (0.88, 0.24),
        (0.92, 0.45),
        (0.84, 0.66),
        (0.72, 0.86),
        (0.6, 0.78),
        (0.64, 0.5),
    ]
    for points in (smooth(coast), smooth([(x * w, y * h) for x, y in island])):
        canvas.shape(points, land)
        canvas.line([*points, points[0]], shore, 1.5)
    for part in range(16):
        x = 0.33 + 0.3 * part / 16
        canvas.line([(w * x, h * 0.4 + part), (w * (x + 0.011), h * 0.4 + part + 0.6)], (160, 50, 40), 2)
    canvas.line(
        [(w * 0.27, h * 0.74), (w * 0.42, h * 0.81), (w * 0.53, h * 0.81), (w * 0.63, h * 0.77)], (80, 80, 84), 2.4
    )
    for x, y, name in ((0.12, 0.4, "Skarrow"), (0.77, 0.5, "ORRIN"), (0.45, 0.14, "The Sound"), (0.44, 0.89, "bridge")):
        canvas.text(w * x, h * y, name, 13, (70, 66, 56))
    canvas.text(w * 0.46, h * 0.35, "ferry, 50 min", 11.5, (160, 50, 40))
    canvas.disc(w * 0.31, h * 0.385, 4, (160, 50, 40))
    canvas.disc(w * 0.64, h * 0.447, 4, (160, 50, 40))
    return canvas.to_image()
