"""The drawing of causes: a small page with the regions of gt and pred, and the causes that the library finds on it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.drawing.palette import CAUSE_COLOURS
from layoutcm.drawing.svg_canvas import Canvas
from layoutcm.layouts.model import Floats
from layoutcm.wording import thin_spaced

Box = tuple[str, int, int, int, int]  # label, x0, y0, x1, y1
PAGE = (560, 380)
TOLERANCE = 0.01  # of the longer side: larger than usual, so that slack can be seen
LEFT, TOP = 28, 84  # of the page in the drawing
COLUMNS, ROWS = 4, 2  # of the examples on the page, one a cause
GT_BOXES: tuple[Box, ...] = (
    ("Text", 20, 24, 120, 104), ("Text", 160, 24, 260, 104), ("Picture", 300, 24, 400, 84),
    ("Text", 440, 24, 540, 124), ("Text", 20, 214, 120, 250), ("Text", 20, 268, 120, 304),
    ("Table", 160, 214, 260, 284), ("Caption", 300, 214, 400, 264),
)  # fmt: skip
PRED_BOXES: tuple[Box, ...] = (
    ("Text", 20, 24, 120, 109), ("Title", 160, 24, 260, 104), ("Picture", 300, 24, 400, 124),
    ("Text", 440, 24, 540, 64), ("Text", 440, 84, 540, 124), ("Text", 20, 214, 120, 304),
    ("Table", 160, 214, 260, 284), ("Table", 172, 240, 276, 300), ("Picture", 440, 214, 540, 294),
)  # fmt: skip
MEANINGS = {
    "slack": "only a border is off, by 1 % of the page or less",
    "label": "the region was found with another label",
    "size": "the region reaches too far, or not far enough",
    "split": "one region became several",
    "merge": "several regions became one",
    "duplicate": "a second region on one that was found",
    "missed": "only the ground truth has the region",
    "invented": "only the prediction has the region",
}


class FoundCauses(NamedTuple):
    """The edges of the tiles, int8[rows, columns]: the main cause of each tile or -1, and the pixels of each cause."""

    x: Floats
    y: Floats
    causes: np.ndarray
    pixels: dict[str, float]

    def main_cause(self, x0: float, y0: float, x1: float, y1: float) -> str:
        """The cause of most wrong pixels in a part of the page."""
        areas = np.outer(np.diff(self.y), np.diff(self.x))
        inside = np.outer((self.y[:-1] >= y0) & (self.y[1:] <= y1), (self.x[:-1] >= x0) & (self.x[1:] <= x1))
        sums = [areas[inside & (self.causes == k)].sum() for k in range(len(CAUSES))]
        return CAUSES[int(np.argmax(sums))]


@cache
def found_causes() -> FoundCauses:
    """What the library finds on the page."""
    from layoutcm.comparing import compare
    from layoutcm.formats import read

    gt, pred = (read((f"{side}.csv", _as_csv(boxes))) for side, boxes in (("gt", GT_BOXES), ("pred", PRED_BOXES)))
    compared = compare(gt, pred, taxonomy="same")
    tiles = compared.sources.causes.on_tiles(0, TOLERANCE)
    assert tiles is not None
    return FoundCauses(*tiles, compared.causes(tolerance=TOLERANCE).totals)


def _as_csv(boxes: Sequence[Box]) -> bytes:
    rows = [f"p,{PAGE[0]},{PAGE[1]},{','.join(map(str, box))}" for box in boxes]
    return "\n".join(["page,width,height,label,x0,y0,x1,y1", *rows]).encode()


def causes_on_a_page(dark: bool = False) -> str:
    """Draw the page with the tiles of each cause, and what the causes mean."""
    description = "A page with eight examples. Solid lines are regions of gt, dashed lines those of pred. Wrong pixels "
    description += "have the colour of their cause: " + "; ".join(f"{name}: {text}" for name, text in MEANINGS.items())
    c = Canvas("The causes of wrong pixels on a page", description + ".", TOP + PAGE[1] + 24, dark)
    found = found_causes()
    c.heading(LEFT, 40, "One page, eight mistakes", "solid: gt, dashed: pred; colours: the cause that is found")
    _draw_page(c, found)
    c.heading(620, 40, "Every wrong pixel has one cause", "pixels on this page, counted by the library")
    for k, name in enumerate(CAUSES):
        y = TOP + 14 + 47 * k
        c.add("rect", x=620, y=y - 11, width=16, height=16, fill=CAUSE_COLOURS[k], stroke=c.theme["line"])
        c.bold(646, y + 2, name)
        c.text(972, y + 2, thin_spaced(found.pixels[name]), anchor="end")
        c.text(646, y + 20, MEANINGS[name], "soft")
    return c.svg()


def _draw_page(c: Canvas, found: FoundCauses) -> None:
    c.rect(LEFT, TOP, *PAGE, "cell", "line")
    for row, column in np.argwhere(found.causes >= 0).tolist():
        x, y = float(found.x[column]), float(found.y[row])
        width, height = float(found.x[column + 1]) - x, float(found.y[row + 1]) - y
        colour = CAUSE_COLOURS[found.causes[row, column]]
        c.add("rect", x=LEFT + x, y=TOP + y, width=width, height=height, fill=colour)
    for boxes, dashes, colour in ((GT_BOXES, "none", "ink"), (PRED_BOXES, "5 4", "accent")):
        for _, x0, y0, x1, y1 in boxes:
            c.rect(LEFT + x0, TOP + y0, x1 - x0, y1 - y0, "none", colour, stroke_width=1.6, stroke_dasharray=dashes)
    width, height = PAGE[0] // COLUMNS, PAGE[1] // ROWS
    for k in range(COLUMNS * ROWS):
        x, y = k % COLUMNS * width, k // COLUMNS * height
        c.bold(LEFT + x + 20, TOP + y + 158, found.main_cause(x, y, x + width, y + height))
