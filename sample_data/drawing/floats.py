"""Figures and tables with captions and seeded content; they are placed in a column like a `Paragraph`."""

import math
import random
from dataclasses import dataclass, replace

from PIL import Image

from .charts import bars, curves, diagram, ring
from .page import Page, Style, union
from .prose import Writer
from .scenes import scene
from .tables import Look, draw_table

MEASURES = ("Readings", "Days", "Mean", "Error, %", "Weight, kg", "Height, m", "Share, %", "Visits", "Cost")
STEPS = (
    "Read the label", "Weigh and dry", "Sort by age", "Compare twice", "Write it down", "Take the mean", "Wait a day",
    "Mark the place", "Count again", "Send for proof",
)  # fmt: skip
GAP = 8  # between a float and its caption


@dataclass(frozen=True)
class Figure:
    """A picture with its caption below."""

    image: Image.Image
    caption: str
    style: Style
    role: str = ""
    before: int = 16

    def draw(self, page: Page, x: int, y: int, width: int) -> int:
        """Draw it in the middle of the width; returns the y below it."""
        box = page.picture(self.image, x + (width - self.image.width) // 2, y, self.role)
        return page.text("Caption", x, box[3] + GAP, width, self.caption, self.style, "picture")[3] + 2

    def place(self, page: Page, x: int, y: int, width: int, available: int) -> tuple[int, "Figure | None"]:
        """As `Paragraph.place`; a figure that does not fit is not drawn."""
        return place_whole(self, page, (x, y), width, available)


@dataclass(frozen=True)
class TableFloat:
    """A table with its caption above."""

    rows: list[list[str]]
    caption: str
    style: Style
    look: Look
    before: int = 16

    def draw(self, page: Page, x: int, y: int, width: int) -> int:
        y = page.text("Caption", x, y, width, self.caption, self.style, "table")[3] + GAP
        first = round(width * 0.34)
        others = len(self.rows[0]) - 1
        widths = [first, *[(width - first) // others] * others]
        return draw_table(page, x, y, widths, "l" + "r" * others, self.rows, self.look)[3] + 4

    def place(self, page: Page, x: int, y: int, width: int, available: int) -> tuple[int, "TableFloat | None"]:
        """As `Paragraph.place`; a table that does not fit is not drawn."""
        return place_whole(self, page, (x, y), width, available)


def place_whole(block, page: Page, corner: tuple[int, int], width: int, available: int):
    """Draw a float if it fits; returns its height and None, or 0 and the float."""
    height = height_of(block, width)
    if height > available:
        return 0, block
    block.draw(page, *corner, width)
    return height, None


def height_of(block, width: int) -> int:
    """The height of a float, measured by drawing it on a page of its own."""
    scratch = Page("scratch")
    block.draw(scratch, 0, 0, width)
    return union(*(region.box for region in scratch.regions))[3] + 6


def wave(rng: random.Random) -> list[tuple[float, float]]:
    """The points of a smooth curve with a rise somewhere and some unrest."""
    start, height, width, low = rng.uniform(0, 0.5), rng.uniform(0.2, 0.6), rng.uniform(0.1, 0.4), rng.uniform(0.1, 0.3)
    unrest, pace = rng.uniform(0.005, 0.03), rng.uniform(0.3, 0.9)
    points = []
    for step in range(81):
        t = max((step / 80 - start) / width, 0)
        points.append((step / 80, low + height * t * math.exp(1 - t) + unrest * math.sin(step * pace)))
    return points


def chart(size: tuple[int, int], writer: Writer, rng: random.Random) -> Image.Image:
    """A chart or a diagram of some kind."""
    kind = rng.choice(("bars", "curves", "ring", "diagram") if size[0] > 300 else ("bars", "curves"))
    if kind == "diagram":
        return diagram((size[0], min(size[1], 190)), rng.sample(STEPS, len(STEPS)))
    names = [writer.word("thing") for _ in range(rng.randint(2, 3))]
    if kind == "ring":
        parts = {writer.word("people"): rng.randint(8, 40) for _ in range(4)}
        return ring((min(size[0], 400), min(size[1], 170)), parts, "100 parts")
    first = writer.document.year - 5
    if kind == "bars":
        years = [str(year) for year in range(first, first + rng.randint(4, 6))]
        return bars(size, years, {name: [rng.uniform(0.6, 3.8) for _ in years] for name in names}, list("01234"), 4)
    ticks = rng.choice(
        (("0", "6", "12", "18", "24"), ("Jan", "Apr", "Jul", "Oct", "Jan"), ("0", "5", "10", "15", "20"))
    )
    axis = {"0": "hours"}.get(ticks[0], "")
    return curves(size, {name: wave(rng) for name in names}, ticks, ("0", "5", "10", "15"), (axis, "units"), 96)


def make_figure(writer: Writer, rng: random.Random, width: int, style: Style, photo: float = 0) -> Figure:
    """A figure of a width; `photo` is the probability of a scene in place of a chart."""
    height = rng.randint(190, 250)
    is_photo = rng.random() < photo
    image = scene(width, height, rng) if is_photo else chart((width, height), writer, rng)
    return Figure(image, writer.entry("captions"), style, "" if is_photo else "chart")


def make_table(writer: Writer, rng: random.Random, columns: int, rows: int, style: Style, look: Look) -> TableFloat:
    """A table of numbers by place, or by year."""
    year = writer.document.year
    by_year = rng.random() < 0.5
    heads = [str(year - columns + 2 + i) for i in range(columns - 1)] if by_year else rng.sample(MEASURES, columns - 1)
    names = rng.sample(writer.words["place"], rows)
    body = [[name, *(f"{rng.randint(2, 9999) / rng.choice((1, 10)):,.0f}" for _ in heads)] for name in names]
    last = [["All", *(f"{rng.randint(4000, 29999):,}" for _ in heads)]] if look.total else []
    return TableFloat([["Place", *heads], *body, *last], writer.entry("tables"), style, look)


def numbered(block, kind: str, number: int, stop: str = ". "):
    """The float with its number in front of its caption."""
    return replace(block, caption=f"{kind} {number}{stop}{block.caption}")
