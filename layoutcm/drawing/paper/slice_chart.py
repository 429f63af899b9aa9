"""Slices on paper: the F1 of every slice as a dot, with its interval.

The dot is filled if the slice differs from the rest by its verdict. Undefined values are not drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.drawing.paper.charts import DASHES
from layoutcm.drawing.paper.printing import (
    INK,
    LINE,
    PAGE_HEIGHT,
    SOFT,
    column_width,
    draw_text,
    new_sheet,
    shorten_labels,
    shorten_to_width,
    text_width,
    with_paper_style,
)
from layoutcm.metrics.intervals import BETTER, WORSE
from layoutcm.tables.slice_views import SliceTable
from layoutcm.wording import MISSING, score_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TOP = 22.0
DOT = "#0b4f8a"


@with_paper_style
def slices_figure(slices: SliceTable, *, width: str | None = None, caption: bool = True) -> Figure:
    """F1 with interval of every slice, in the order of the table; the numbers are those of F1."""
    names, values = slices.names, slices.data[slices.figure].tolist()
    sheet_width = column_width(width, 0)
    pitch = min(max((PAGE_HEIGHT - 80) / max(len(names), 1), 6), 14)
    font = min(7, 0.7 * pitch)
    short = shorten_labels(names, font, 0.4 * sheet_width)
    left = max((text_width(name, font) for name in short), default=0) + 8
    span = (left, sheet_width - 32)
    middles = [TOP + (k + 0.5) * pitch for k in range(len(names))]
    bottom = TOP + pitch * len(names)
    figure, axes = new_sheet(sheet_width, bottom + 13, slices.recipe if caption else "")
    _draw_heading(axes, slices, sheet_width)
    low = slices.low_end
    _draw_share_lines(axes, span, bottom, low)
    if not math.isnan(slices.whole):
        x = _place(span, low, slices.whole)
        axes.plot([x, x], [TOP, bottom], color=SOFT, linewidth=0.8, linestyle=DASHES[1], zorder=0)
    span = (_place(span, low, 0.0), span[1])  # 0 is left of the axis unless it begins there
    _draw_intervals(axes, span, slices.data[["low", "high"]].to_numpy(float), middles)
    _draw_dots(axes, span, values, middles, [verdict in (BETTER, WORSE) for verdict in slices.data["verdict"]])
    for name, value, y in zip(short, values, middles):
        draw_text(axes, left - 3, y, name, font, align="right")
        draw_text(axes, sheet_width - 3, y, MISSING if math.isnan(value) else score_text(value), font, align="right")
    return figure


def _draw_heading(axes: Axes, slices: SliceTable, sheet_width: float) -> None:
    whole = "" if math.isnan(slices.whole) else f"dashed: all pages, {score_text(slices.whole)}"
    left_for_title = sheet_width - 12 - text_width(whole, 5.5)
    draw_text(axes, 3, 6, shorten_to_width(slices.title, 6.5, left_for_title), 6.5)
    draw_text(axes, sheet_width - 3, 6, whole, 5.5, align="right", color=SOFT)
    note = f"{slices.figure_title}; filled: better or worse than the rest"
    draw_text(axes, 3, 15, note, 5.5, color=SOFT)


def _place(span: tuple[float, float], low: float, value: float) -> float:
    """The x of a value on an axis from `low` to 1."""
    return span[0] + (span[1] - span[0]) * (value - low) / (1 - low)


def _draw_share_lines(axes: Axes, span: tuple[float, float], bottom: float, low: float) -> None:
    from matplotlib.collections import LineCollection

    places = np.linspace(*span, 5).tolist()
    lines = [[(x, TOP), (x, bottom)] for x in places]
    axes.add_collection(LineCollection(lines, colors=LINE, linewidths=0.35, zorder=0), autolim=False)
    for k, x in enumerate(places):
        draw_text(axes, x, bottom + 6, f"{low + (1 - low) * k / 4:.3g}", 5.5, align="center", color=SOFT)


def _draw_intervals(axes: Axes, span: tuple[float, float], ends: np.ndarray, middles: Sequence[float]) -> None:
    """Draw float64[slices, low high] as lines with ticks at both ends."""
    from matplotlib.collections import LineCollection

    lines = []
    for (low, high), y in zip((span[0] + (span[1] - span[0]) * ends).tolist(), middles):
        if not math.isnan(low):
            lines += [[(low, y), (high, y)], *([(x, y - 2), (x, y + 2)] for x in (low, high))]
    axes.add_collection(LineCollection(lines, colors=INK, linewidths=0.6, zorder=1), autolim=False)


def _draw_dots(
    axes: Axes, span: tuple[float, float], values: Sequence[float], middles: Sequence[float], filled: Sequence[bool]
) -> None:
    places = (span[0] + (span[1] - span[0]) * np.array(values, float)).tolist()
    for x, y, full in zip(places, middles, filled):
        if not math.isnan(x):
            fill = DOT if full else "white"
            look: dict[str, Any] = {"markersize": 4, "markeredgewidth": 0.9, "linestyle": "none", "zorder": 2}
            axes.plot([x], [y], marker="o", markerfacecolor=fill, markeredgecolor=DOT, **look)
