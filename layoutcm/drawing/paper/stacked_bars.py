"""Stacked bars on paper: causes of errors of several predictions, and the parts of labels in and out of families."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from layoutcm.drawing.family_rows import PART_NAMES, chart_rows
from layoutcm.drawing.palette import LIGHT, scale_colour
from layoutcm.drawing.paper.cause_charts import cause_look, draw_legend, legend_places, tick_step
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
from layoutcm.metrics.family_confusion import PARTS, FamilyConfusion
from layoutcm.wording import percent_brief, pixels_brief

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RIGHT = 30.0  # points, for the numbers at the ends of bars
PART_LOOKS = {
    "identity": {"facecolor": scale_colour(LIGHT.hit, 0.7), "hatch": ""},
    "in_family": {"facecolor": scale_colour(LIGHT.miss, 0.38), "hatch": "/////"},
    "oof": {"facecolor": scale_colour(LIGHT.miss, 0.88), "hatch": ""},
}


class Bar(NamedTuple):
    """A row: its name, its parts (none for a heading), and the text at its end."""

    name: str
    parts: Sequence[float] = ()
    end: str = ""


class Legend(NamedTuple):
    """The name and the look of each part, and the title of the axis."""

    names: Sequence[str]
    looks: Sequence[dict[str, Any]]
    title: str
    tick: Callable[[float], str]


@with_paper_style
def model_cause_bars(
    table: pd.DataFrame, *, recipe: str = "", width: str | None = None, caption: bool = True
) -> Figure:
    """One bar of wrong pixels per prediction; `table` is that of `Leaderboard.causes`. n/a is not drawn."""
    causes = list(table.columns[1:])
    bars = []
    for row in table.itertuples(index=False, name=None):
        total = float(np.sum(row[1:]))
        known = total == total
        bars.append(Bar(str(row[0]), row[1:] if known else (), pixels_brief(total) if known else "n/a"))
    legend = Legend(causes, [cause_look(k) for k in range(len(causes))], "wrong pixels", pixels_brief)
    return _draw(bars, legend, recipe if caption else "", width)


@with_paper_style
def family_bars(families: FamilyConfusion, side: int, *, width: str | None = None, caption: bool = True) -> Figure:
    """A bar of 100 % for each label of a side: right, in family, out of family; the number is what is right."""
    bars = [
        Bar(row.name) if row.values is None
        else Bar(row.name, [row.values[part] for part in PARTS], percent_brief(row.values["identity"]))
        for row in chart_rows(families, side)
    ]  # fmt: skip
    looks = [PART_LOOKS[part] | {"edgecolor": INK, "linewidth": 0.2} for part in PARTS]
    title = "% of the label; the number is what is right"
    legend = Legend([PART_NAMES[part] for part in PARTS], looks, title, lambda share: f"{100 * share:g}")
    return _draw(bars, legend, families.recipe if caption else "", width)


def _draw(bars: Sequence[Bar], legend: Legend, recipe: str, width: str | None) -> Figure:
    sheet_width = column_width(width, 0)
    pitch = min(max((PAGE_HEIGHT - 100) / max(len(bars), 1), 5.0), 14)
    font = min(7, 0.8 * pitch)
    names = shorten_labels([bar.name for bar in bars], font, 0.36 * sheet_width)
    left = max((text_width(name, font) for name in names), default=0) + 8
    places = legend_places(legend.names, sheet_width)
    top = 10 + 9 * (1 + max((line for line, _ in places), default=0))
    bottom = top + pitch * len(bars)
    figure, axes = new_sheet(sheet_width, bottom + 22, recipe)
    draw_legend(axes, dict(zip(legend.names, legend.looks)), places)
    longest = max([sum(bar.parts) for bar in bars if bar.parts], default=1.0) or 1.0
    scale = (sheet_width - RIGHT - left) / longest
    _draw_ticks(axes, (left, top, bottom), scale, longest, legend)
    for row, (name, bar) in enumerate(zip(names, bars)):
        y, is_heading = top + row * pitch, not bar.parts and not bar.end
        draw_text(axes, left - 3, y + pitch / 2, name, font, align="right", weight="bold" if is_heading else "normal")
        end = _draw_parts(axes, bar, (left, y + 0.12 * pitch, 0.76 * pitch), scale, legend)
        draw_text(axes, end + 2, y + pitch / 2, bar.end, 0.85 * font)
    return figure


def _draw_parts(axes: Axes, bar: Bar, place: tuple[float, float, float], scale: float, legend: Legend) -> float:
    """Draw the parts one after the other, and return where they end."""
    from matplotlib.patches import Rectangle

    x, y, thickness = place
    for value, look in zip(bar.parts, legend.looks):
        if value > 0:
            axes.add_patch(Rectangle((x, y), scale * value, thickness, **look))
            x += scale * value
    return x


def _draw_ticks(axes: Axes, place: tuple[float, float, float], scale: float, longest: float, legend: Legend) -> None:
    from matplotlib.collections import LineCollection

    left, top, bottom = place
    ticks = np.arange(0, longest + 1e-9, tick_step(longest)).tolist()
    lines = [[(left + scale * tick, top), (left + scale * tick, bottom)] for tick in ticks]
    axes.add_collection(LineCollection(lines, colors=LINE, linewidths=0.35, zorder=0), autolim=False)
    for tick in ticks:
        text = legend.tick(tick) if tick else "0"
        draw_text(axes, left + scale * tick, bottom + 6, text, 5.5, align="center", color=SOFT)
    draw_text(axes, left + scale * longest / 2, bottom + 15, legend.title, 6, align="center")
