"""Causes on paper: what is missing and too much in pred of each label, and F1 over the tolerance of borders."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.diagnosis.causes import Causes
from layoutcm.drawing.palette import CAUSE_COLOURS
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
    text_width,
    with_paper_style,
)
from layoutcm.errors import InputError
from layoutcm.layouts.model import SIDES, Floats
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.cause_shares import FORGIVEN, cause_shares, tolerance_text
from layoutcm.tables.matrix_views import Selection
from layoutcm.wording import percent_brief

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Without colour, causes differ in their hatches.
HATCHES = ("", "/////", "", "\\\\\\\\\\", "", ".....", "xxxxx", "-----")
NO_LABELS = "A mapping makes labels comparable."


@with_paper_style
def cause_bars(
    causes: Causes,
    confusion: Confusion,
    *,
    selection: Selection | None = None,
    width: str | None = None,
    caption: bool = True,
) -> Figure:
    """Two stacked bars per label: of its gt pixels what is missing in pred, of its pred pixels what is too much.

    The number at the end of a bar is its length in percent: 1 - recall, and 1 - precision.
    """
    if not confusion.diagonal:
        raise InputError("", "causes", "the two sides have different labels", NO_LABELS)
    shares = cause_shares(causes, confusion, selection)
    sheet_width = column_width(width, 0)
    pitch = min(max((PAGE_HEIGHT - 100) / max(len(shares.labels), 1), 5.5), 17)
    names = shorten_labels(shares.labels, min(7, 0.6 * pitch), 0.36 * sheet_width)
    left = max((text_width(name, min(7, 0.6 * pitch)) for name in names), default=0) + 22
    occurring = shares.occurring
    legend = legend_places([causes.names[k] for k in occurring], sheet_width)
    top = 10 + 9 * (1 + max((line for line, _ in legend), default=0))
    bottom = top + pitch * len(names)
    figure, axes = new_sheet(sheet_width, bottom + 22, confusion.recipe if caption else "")
    draw_legend(axes, {causes.names[k]: cause_look(k) for k in occurring}, legend)
    longest = max(float(np.nansum(side, axis=1).max(initial=0.01)) for side in (shares.gt, shares.pred))
    scale = (sheet_width - 24 - left) / longest
    _draw_axis(axes, (left, top, bottom), scale, longest)
    for row, name in enumerate(names):
        sides = (shares.gt[row], shares.pred[row])
        _draw_label(axes, name, sides, (left, top + row * pitch), pitch, scale)
    text = "% of the label: missing in pred (gt), too much (pred)"
    draw_text(axes, (left + sheet_width - 24) / 2, bottom + 15, text, 6, align="center")
    return figure


def _draw_label(
    axes: Axes, name: str, sides: Sequence[Floats], corner: tuple[float, float], pitch: float, scale: float
) -> None:
    """The name of a label, and its two bars."""
    (left, top), font = corner, min(7, 0.6 * pitch)
    draw_text(axes, left - 20, top + pitch / 2, name, font, align="right")
    for k, values in enumerate(sides):
        y, thickness = top + (0.08 + 0.44 * k) * pitch, 0.4 * pitch
        draw_text(axes, left - 2, y + thickness / 2, SIDES[k], 0.7 * font, align="right", color=SOFT)
        _draw_stack(axes, values, (left, y, thickness), scale, 0.75 * font)


def legend_places(names: Sequence[str], width: float) -> list[tuple[int, float]]:
    """The line and the x of every entry."""
    places, line, x = [], 0, 6.0
    for name in names:
        needed = text_width(name, 6) + 18
        if x + needed > width - 4:
            line, x = line + 1, 6.0
        places.append((line, x))
        x += needed
    return places


def draw_legend(axes: Axes, looks: Mapping[str, dict[str, Any]], places: Sequence[tuple[int, float]]) -> None:
    """Draw the names with their looks at the places of `legend_places`."""
    from matplotlib.patches import Rectangle

    for (name, look), (line, x) in zip(looks.items(), places):
        axes.add_patch(Rectangle((x, 4 + 9 * line), 8, 5, **look))
        draw_text(axes, x + 10, 6.5 + 9 * line, name, 6)


def cause_look(cause: int) -> dict[str, Any]:
    return {"facecolor": CAUSE_COLOURS[cause], "hatch": HATCHES[cause], "edgecolor": INK, "linewidth": 0.2}


def _draw_axis(axes: Axes, place: tuple[float, float, float], scale: float, longest: float) -> None:
    from matplotlib.collections import LineCollection

    left, top, bottom = place
    ticks = np.arange(0, longest + 1e-9, tick_step(longest))
    lines = [[(left + scale * t, top), (left + scale * t, bottom)] for t in ticks.tolist()]
    axes.add_collection(LineCollection(lines, colors=LINE, linewidths=0.35, zorder=0), autolim=False)
    for tick in ticks.tolist():
        draw_text(axes, left + scale * tick, bottom + 6, f"{100 * tick:g}", 5.5, align="center", color=SOFT)


def tick_step(longest: float) -> float:
    """A round step that makes about four parts."""
    power = 10.0 ** math.floor(math.log10(longest / 4))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= longest / 4 - 1e-12)


def _draw_stack(axes: Axes, values: Floats, place: tuple[float, float, float], scale: float, font: float) -> None:
    """One bar: a part for every cause, and its length at the end; nothing where the label has no pixels."""
    from matplotlib.patches import Rectangle

    if np.isnan(values).any():
        return
    x, y, thickness = place
    for k, value in enumerate(values.tolist()):
        if value > 0:
            axes.add_patch(Rectangle((x, y), scale * value, thickness, **cause_look(k)))
            x += scale * value
    total = float(values.sum())
    draw_text(axes, x + 2, y + thickness / 2, percent_brief(total) if total else "0", font)


@with_paper_style
def forgiveness_figure(
    table: pd.DataFrame, *, recipe: str = "", width: str | None = None, caption: bool = True
) -> Figure:
    """F1 over the tolerance of borders, a line for each average; `table` is that of `Comparison.forgiveness`."""
    known = table.dropna()
    if known.empty:
        raise InputError("", "forgiveness", "the two sides have different labels", NO_LABELS)
    sheet_width = column_width(width, 0)
    left, top, height = 30.0, 6.0, 130.0
    size = min(sheet_width - 40, 220)
    figure, axes = new_sheet(sheet_width, top + height + 33 + 9 * len(FORGIVEN), recipe if caption else "")
    low = math.floor(20 * float(known[list(FORGIVEN)].to_numpy().min()) - 1e-9) / 20
    most = max(float(known["tolerance"].max()), 1e-9)
    _draw_plot_frame(axes, (left, top, size, height), known["tolerance"].tolist(), most, low)
    for k, (name, title) in enumerate(FORGIVEN.items()):
        look: dict[str, Any] = {"color": INK, "linestyle": DASHES[k], "linewidth": 1.0}
        xs = left + size * known["tolerance"].to_numpy() / most
        axes.plot(xs, top + height * (1 - known[name].to_numpy()) / (1 - low), **look)
        y = top + height + 31 + 9 * k
        axes.plot([left, left + 26], [y, y], **look)
        draw_text(axes, left + 30, y, title, 6.5)
    text = "tolerance of borders, % of the longer page side"
    draw_text(axes, left + size / 2, top + height + 15, text, 6, align="center")
    draw_text(axes, 7, top + height / 2, "F1, %", 6, align="center", rotation=90)
    return figure


def _draw_plot_frame(
    axes: Axes, place: tuple[float, float, float, float], tolerances: Sequence[float], most: float, low: float
) -> None:
    from matplotlib.collections import LineCollection

    left, top, size, height = place
    step = tick_step(1 - low)
    levels = [1 - k * step for k in range(int((1 - low) / step + 1e-9) + 1)]
    ys = [top + height * (1 - level) / (1 - low) for level in levels]
    lines = [[(left, y), (left + size, y)] for y in ys]
    lines += [[(left + size * t / most, top), (left + size * t / most, top + height)] for t in tolerances]
    axes.add_collection(LineCollection(lines, colors=LINE, linewidths=0.35, zorder=0), autolim=False)
    for level, y in zip(levels, ys):
        draw_text(axes, left - 3, y, f"{100 * level:g}", 5.5, align="right", color=SOFT)
    end = -math.inf
    for tolerance in tolerances:  # of texts that would overlap, only the first is written
        x, text = left + size * tolerance / most, tolerance_text(tolerance).removesuffix(" %")
        if x - text_width(text, 5.5) / 2 > end:
            draw_text(axes, x, top + height + 6, text, 5.5, align="center", color=SOFT)
            end = x + text_width(text, 5.5) / 2 + 2
