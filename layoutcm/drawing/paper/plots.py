"""Plots on paper: Matplotlib axes with a place and a size in points, with a row for each name or with lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.drawing.paper.printing import (
    INK,
    PAGE_HEIGHT,
    font_names,
    new_figure,
    sheet_points,
    shorten_labels,
    text_width,
)
from layoutcm.layouts.model import Floats
from layoutcm.wording import one_line, percent_tick

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DASHES = ("solid", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (3, 1)), (0, (8, 2, 3, 2)))
QUARTERS = (0, 0.25, 0.5, 0.75, 1)
ROUND_STEPS = (1, 2, 2.5, 5, 10)
LEFT, RIGHT = 28.0, 10.0  # of a plot with lines
LEGEND_LINE = 9.0


def new_plot(
    sheet_width: float, place: tuple[float, float, float, float], bottom: float, recipe: str
) -> tuple[Figure, Axes]:
    """Axes at a place of the sheet, (left, top, width, height); `bottom` is the room for texts below them."""
    left, top, width, height = place
    figure = new_figure(sheet_width, top + height + bottom, recipe)
    whole = 72 * figure.get_figheight()
    corner, size = (left / sheet_width, 1 - (top + height) / whole), (width / sheet_width, height / whole)
    return figure, figure.add_axes((*corner, *size))


def row_plot(
    names: Sequence[str],
    sheet_width: float,
    recipe: str,
    *,
    margins: tuple[float, float, float],
    font: float,
    indent: float = 0,
) -> tuple[Figure, Axes, float]:
    """A plot with a row for each name, the first at the top, and the size of the names; row k is at y = k.

    `margins` are above, right and below; `font` is the size of the names as a share of a row, `indent` the room between
    names and plot.
    """
    top, right, bottom = margins
    pitch = min(max((PAGE_HEIGHT - 100) / max(len(names), 1), 5), 16)
    size = min(7, font * pitch)
    short = shorten_labels(names, size, 0.4 * sheet_width)
    left = max((text_width(name, size) for name in short), default=0) + 8 + indent
    place = (left, top, sheet_width - left - right, pitch * max(len(names), 1))
    figure, axes = new_plot(sheet_width, place, bottom, recipe)
    axes.set_frame_on(False)
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), short, fontsize=size, color=INK, family=font_names("".join(short)))
    axes.tick_params(axis="y", pad=3 + indent)
    axes.grid(False, axis="y")
    return figure, axes, size


def draw_row_numbers(axes: Axes, texts: Sequence[str], size: float, offset: float) -> None:
    """Write a text for each row, right-aligned at `offset` points to the right of the axes."""
    where: dict[str, Any] = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points"}
    for row, text in enumerate(texts):
        axes.annotate(text, (1, row), (offset, 0), ha="right", va="center_baseline", fontsize=size, **where)


def draw_intervals(axes: Axes, rows: NDArray[Any], ends: Floats, cap: float) -> None:
    """Draw the known intervals of float64[rows, low high] as horizontal error bars with caps of `cap` points."""
    known = np.isfinite(ends).all(axis=1)
    low, high = ends[known].T
    # Dark lines on wider white lines are visible on dark bars and on white paper.
    for colour, line in (("white", 1.1), (INK, 0.5)):
        look: dict[str, Any] = {"ecolor": colour, "elinewidth": line, "capthick": line, "capsize": cap, "zorder": 2}
        axes.errorbar((low + high) / 2, rows[known], xerr=(high - low) / 2, fmt="none", **look)


def line_plot(
    sheet_width: float,
    size: tuple[float, float],
    titles: tuple[str, str],
    recipe: str,
    *,
    top: float = 6,
    legend_lines: int = 0,
) -> tuple[Figure, Axes]:
    """A plot with x and y from 0 to 100 %, titles of both, and room for a legend below it."""
    figure, axes = new_plot(sheet_width, (LEFT, top, *size), 22 + LEGEND_LINE * legend_lines, recipe)
    numbers = [percent_tick(share) for share in QUARTERS]
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel=titles[0], ylabel=titles[1])
    axes.set_xticks(QUARTERS, numbers)
    axes.set_yticks(QUARTERS, numbers)
    return figure, axes


def draw_legend(
    figure: Figure,
    handles: Sequence[Any],
    names: Sequence[str],
    place: tuple[float, float],
    columns: int,
    long: float,
) -> None:
    """A legend with its upper left corner at a place of the sheet; `long` is that of a line or box of it, in points.

    It is read line by line.
    """
    order = [k for column in range(columns) for k in range(column, len(names), columns)]
    legend = figure.legend(
        [handles[k] for k in order],
        ["x"] * len(names),  # a label that starts with _ would not be shown
        loc="upper left",
        bbox_to_anchor=place,
        bbox_transform=sheet_points(figure),
        ncols=columns,
        fontsize=6,
        handlelength=long / 6,
    )
    for text, k in zip(legend.get_texts(), order):
        text.set(text=one_line(names[k]), family=font_names(names[k]))


def legend_columns(names: Sequence[str], width: float) -> int:
    """How many columns of small boxes and names fit into the width, with lines of about equal length."""
    most = max(int((width - 8) / max(text_width(name, 6) + 20 for name in [*names, ""])), 1)
    lines = -(-len(names) // most)
    return -(-len(names) // max(lines, 1)) or 1
