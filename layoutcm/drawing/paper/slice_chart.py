"""Slices on paper: the F1 of every slice as a dot, with its interval.

The dot is filled if the slice differs from the rest by its verdict. Undefined values are not drawn.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.drawing.paper.plots import DASHES, draw_intervals, draw_row_numbers, row_plot
from layoutcm.drawing.paper.printing import (
    SOFT,
    column_width,
    draw_text,
    shorten_to_width,
    text_width,
    with_paper_style,
)
from layoutcm.results.verdict import BETTER, WORSE
from layoutcm.tables.slice_tables import SliceTable
from layoutcm.wording import plain_number, score_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RIGHT = 32.0
DOT = "#0b4f8a"


@with_paper_style
def slices_figure(slices: SliceTable, *, width: str | None = None, caption: bool = True) -> Figure:
    """F1 with interval of every slice, in the order of the table; the numbers are those of F1."""
    sheet_width = column_width(width, 0)
    values, rows = slices.data[slices.figure].to_numpy(float), np.arange(len(slices.data))
    recipe = slices.recipe if caption else ""
    figure, axes, font = row_plot(slices.names, sheet_width, recipe, margins=(22, RIGHT, 13), font=0.7)
    _draw_heading(figure, slices, sheet_width)
    ticks = np.linspace(slices.low_end, 1, 5).tolist()
    axes.set_xlim(slices.low_end, 1)
    axes.set_xticks(ticks, [plain_number(tick, 3) for tick in ticks])
    if not math.isnan(slices.whole):
        axes.axvline(slices.whole, color=SOFT, linewidth=0.8, linestyle=DASHES[1])
    draw_intervals(axes, rows, slices.data[["low", "high"]].to_numpy(float), 2)
    differs = slices.data["verdict"].isin([BETTER, WORSE]).to_numpy(bool)
    for some, fill in ((differs, DOT), (~differs, "white")):
        look: dict[str, Any] = {"color": DOT, "markerfacecolor": fill, "markersize": 4, "markeredgewidth": 0.9}
        axes.plot(values[some], rows[some], "o", clip_on=False, zorder=3, **look)
    draw_row_numbers(axes, [score_text(value) for value in values.tolist()], font, RIGHT - 3)
    return figure


def _draw_heading(figure: Figure, slices: SliceTable, sheet_width: float) -> None:
    whole = "" if math.isnan(slices.whole) else f"dashed: all pages, {score_text(slices.whole)}"
    left_for_title = sheet_width - 12 - text_width(whole, 5.5)
    draw_text(figure, 3, 6, shorten_to_width(slices.title, 6.5, left_for_title), 6.5)
    draw_text(figure, sheet_width - 3, 6, whole, 5.5, align="right", color=SOFT)
    note = f"{slices.figure_title}; filled: better or worse than the rest"
    draw_text(figure, 3, 15, note, 5.5, color=SOFT)
