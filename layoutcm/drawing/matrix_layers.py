"""The colours of a matrix: hits and misses have a colour scale each; zero, n/a and mixed cells are not coloured.

The scales of shares are fixed, so two matrices can be compared by eye. Paper figures use these layers. Cells have the
same colours on the screen: `web/matrix_values.js` follows the same rule, using the scale ends sent with the data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.drawing.palette import Scale, Theme, scale_colour
from layoutcm.errors import InputError
from layoutcm.layouts.model import Floats
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.label_folding import MOST_DRAWN, DrawnMatrix, drawn_matrix, with_labels
from layoutcm.tables.matrix_views import Selection, select, view_values
from layoutcm.wording import percent_brief, pixels_brief, plain_percent

LOG_DECADES = 4  # decades that a log scale covers below its largest value
LOG_FLOOR = 10.0**-LOG_DECADES
# The upper ends of the colour scales of shares. A larger share of misses has the colour of the end.
SHARE_TOPS = {"hit": 1.0, "miss": 0.5}
# A larger difference of shares has the colour of the end; the smallest still gets a visible colour.
DIFFERENCE_TOP, DIFFERENCE_START = 0.2, 0.15


class Layer(NamedTuple):
    """Hits or misses: `z` is float64[gt, pred], nan where nothing is drawn; `low` and `high` are its colour range.

    If it is `capped`, values above `high` have the colour of `high`.
    """

    name: str
    z: Floats
    low: float
    high: float
    scale: Scale
    log: bool
    capped: bool = False

    def colour(self, row: int, column: int) -> str | None:
        """The colour of a cell; None if this layer does not draw it."""
        z = self.z[row, column]
        return None if math.isnan(z) else scale_colour(self.scale, (z - self.low) / (self.high - self.low))

    def marks(self, count: int, shares: bool) -> list[tuple[float, str]]:
        """(place from 0 to 1, text) of evenly spaced ticks of its colour bar."""
        ends = np.linspace(self.low, self.high, count)
        values = (10.0**ends if self.log else ends).tolist()
        texts = ["0" if not one else plain_percent(one, 3) if shares else pixels_brief(one) for one in values]
        return list(
            zip(np.linspace(0, 1, count).tolist(), [*texts[:-1], f"≥ {texts[-1]}" if self.capped else texts[-1]])
        )


def cell_colour(layers: Sequence[Layer], row: int, column: int) -> str | None:
    """The colour of a cell in a chart or a paper figure; None if no layer draws it."""
    return next((colour for layer in layers if (colour := layer.colour(row, column))), None)


def cell_text(shares: bool) -> Callable[[float], str]:
    """How the number in a cell is written: a percentage, or a pixel count."""
    return percent_brief if shares else pixels_brief


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
    hit, shares = correct_cells(confusion, selection), view != "pixels"
    tops = SHARE_TOPS if shares else {}
    # Correct shares are large: a log scale would make them all alike.
    log_hits = log and not (shares and confusion.diagonal)
    misses = np.where(hit | mixed_cells(confusion, selection), np.nan, values)
    return (
        make_layer("hit", np.where(hit, values, np.nan), theme.hit, log_hits, tops.get("hit")),
        make_layer("miss", misses, theme.miss, log, tops.get("miss")),
    )


def scale_ends() -> dict[str, float]:
    """The ends of all colour scales, for the script that draws matrices."""
    return {
        "hit": SHARE_TOPS["hit"],
        "miss": SHARE_TOPS["miss"],
        "log_decades": LOG_DECADES,
        "difference": DIFFERENCE_TOP,
        "difference_start": DIFFERENCE_START,
    }


def difference_place(value: float, is_high: bool, top: float) -> float:
    """The place of a difference on a diverging scale: 0 is worst or least, 0.5 is none, 1 is best or most."""
    reach = DIFFERENCE_START + (1 - DIFFERENCE_START) * min(abs(value) / top, 1)
    return 0.5 + (0.5 if is_high else -0.5) * reach


def make_layer(name: str, values: Floats, scale: Scale, log: bool = False, top: float | None = None) -> Layer:
    """A layer of the positive values; its colour range ends at `top`, or at the largest value."""
    capped = top is not None and top < 1
    top = float(np.nanmax(values, initial=0.0)) if top is None else top
    positive = np.where(values > 0, values, np.nan)
    if not log or top == 0:
        return Layer(name, positive, 0.0, top or 1.0, scale, False, capped)
    # Positive values below the floor get the palest colour.
    floor = top * LOG_FLOOR
    return Layer(name, np.log10(np.maximum(positive, floor)), math.log10(floor), math.log10(top), scale, True, capped)


def with_same_labels(first: Confusion, second: Confusion) -> tuple[Confusion, Confusion]:
    """Both matrices with the union of their labels; an InputError if one of them has no diagonal.

    A label that one of them does not have gets empty cells there.
    """
    if first.labels == second.labels and first.diagonal == second.diagonal:
        return first, second
    if not (first.diagonal and second.diagonal):
        hint = "Compare both with the same ground truth; map labels that differ."
        raise InputError("", "", "the two models have different labels", hint)
    labels = list(dict.fromkeys((*first.labels, *second.labels)))
    return with_labels(first, labels), with_labels(second, labels)


def drawn_alike(matrices: Iterable[Confusion], selection: Selection) -> list[DrawnMatrix]:
    """The selected labels of matrices with the same labels; the same small labels are joined in all of them."""
    known = list(matrices)
    sizes = np.sum([one.gt_pixels + one.pred_pixels for one in known], axis=0)
    return [drawn_matrix(one, selection, sizes) for one in known]


def shown_in_either(selections: Sequence[Selection]) -> Selection:
    """The labels that at least one of the matrices shows."""
    return Selection(*(sorted({label for one in side for label in one}) for side in zip(*selections)))


def classes_in_use(confusion: Confusion, background: bool, selection: Selection | None = None) -> list[int]:
    """Positions of the labels with pixels on either side, most gt pixels first; Background is last or left out.

    If there are too many to draw, only the largest are returned.
    """
    values = confusion.class_values()
    shown = selection or select(confusion)
    used = [i for i in shown.rows if values["gt_pixels"][i] > 0 or values["pred_pixels"][i] > 0]
    content = [i for i in used if i > 0 or not confusion.has_background]
    ordered = sorted(content, key=lambda i: (-values["gt_pixels"][i], -values["pred_pixels"][i], i))[:MOST_DRAWN]
    return ordered + ([0] if background and confusion.has_background and 0 in used else [])
