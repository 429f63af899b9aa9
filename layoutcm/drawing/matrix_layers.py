"""The colours of a matrix: hits and misses have a colour scale each; zero, n/a and mixed cells are not coloured.

Screen figures and paper figures use these layers, so that a cell has the same colour in both. Their charts also show
the same classes in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.drawing.palette import Scale, Theme, scale_colour
from layoutcm.layouts.model import Floats
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.drawn_labels import MOST_DRAWN
from layoutcm.tables.matrix_views import Selection, select, view_values
from layoutcm.wording import percent_brief, pixels_brief

# The log scale ends four decades below its largest value.
LOG_FLOOR = 1e-4


class Layer(NamedTuple):
    """Hits or misses: `z` is float64[gt, pred], nan where nothing is drawn; `low` and `high` are its colour range."""

    name: str
    z: Floats
    low: float
    high: float
    scale: Scale
    log: bool

    def colour(self, row: int, column: int) -> str | None:
        """The colour of a cell; None if this layer does not draw it."""
        z = self.z[row, column]
        return None if math.isnan(z) else scale_colour(self.scale, (z - self.low) / (self.high - self.low))

    def ticks(self, count: int) -> list[tuple[float, float]]:
        """(position on the scale, value) of evenly spaced ticks."""
        return [(float(z), float(10**z if self.log else z)) for z in np.linspace(self.low, self.high, count)]


def cell_colour(layers: Sequence[Layer], row: int, column: int) -> str | None:
    """The colour of a cell on the screen and on paper; None if no layer draws it."""
    return next((colour for layer in layers if (colour := layer.colour(row, column))), None)


def cell_text(shares: bool) -> Callable[[float], str]:
    """How the number in a cell is written: a percentage, or a pixel count."""
    return percent_brief if shares else pixels_brief


def tick_text(value: float, shares: bool) -> str:
    """The text at a tick of a colour bar."""
    return "0" if value == 0 else f"{100 * value:.3g} %" if shares else pixels_brief(value)


def correct_cells(confusion: Confusion, selection: Selection) -> NDArray[np.bool_]:
    """bool[rows, columns]: the correct cells; with different taxonomies no cell counts as wrong, so all are True."""
    rows, columns = (np.asarray(side, int) for side in selection)
    return (np.equal.outer(rows, columns) & ~mixed_cells(confusion, selection)) | (not confusion.diagonal)


def mixed_cells(confusion: Confusion, selection: Selection) -> NDArray[np.bool_]:
    """bool[rows, columns]: the diagonal cells of joined labels, partly correct and partly wrong; not coloured."""
    rows, columns = (np.asarray(side, int) for side in selection)
    return np.equal.outer(rows, columns) & np.isin(rows, confusion.joined)[:, None]


def matrix_layers(
    confusion: Confusion, view: str, selection: Selection, theme: Theme, log: bool
) -> tuple[Layer, Layer]:
    """The layers of hits and misses for the selected rows and columns."""
    values = view_values(confusion, view)[np.ix_(*selection)]
    hit = correct_cells(confusion, selection)
    whole = view != "pixels" and confusion.diagonal
    return (
        make_layer("hit", np.where(hit, values, np.nan), theme.hit, whole, log),
        make_layer("miss", np.where(hit | mixed_cells(confusion, selection), np.nan, values), theme.miss, False, log),
    )


def make_layer(name: str, values: Floats, scale: Scale, whole: bool, log: bool) -> Layer:
    """A layer of the positive values; with `whole`, the colour range is 0 to 1 whatever the values are."""
    top = 1.0 if whole else float(np.nanmax(values, initial=0.0))
    positive = np.where(values > 0, values, np.nan)
    if whole or not log or top == 0:
        return Layer(name, positive, 0.0, top or 1.0, scale, False)
    # Positive values below the floor get the palest colour.
    return Layer(
        name, np.log10(np.maximum(positive, top * LOG_FLOOR)), math.log10(top * LOG_FLOOR), math.log10(top), scale, True
    )


def classes_in_use(confusion: Confusion, background: bool, selection: Selection | None = None) -> list[int]:
    """Positions of the labels with pixels on either side, most gt pixels first; Background is last or left out.

    Of more labels than can be drawn, only the largest.
    """
    values = confusion.class_values()
    shown = selection or select(confusion)
    used = [i for i in shown.rows if values["gt_pixels"][i] > 0 or values["pred_pixels"][i] > 0]
    content = [i for i in used if i > 0 or not confusion.has_background]
    ordered = sorted(content, key=lambda i: (-values["gt_pixels"][i], -values["pred_pixels"][i], i))[:MOST_DRAWN]
    return ordered + ([0] if background and confusion.has_background and 0 in used else [])
