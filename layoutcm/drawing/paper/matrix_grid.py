"""The grid of a matrix on paper: its place and labels that fit, its cells as Matplotlib axes, and its colour bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.drawing.matrix_layers import Layer
from layoutcm.drawing.palette import Scale, text_colour_on
from layoutcm.drawing.paper.printing import (
    INK,
    LINE,
    MOST_CHARACTERS,
    PAGE_HEIGHT,
    SOFT,
    add_plot,
    draw_lines,
    draw_text,
    font_names,
    shorten_labels,
    text_width,
)
from layoutcm.layouts.model import GT, PRED, SIDES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LARGEST_FONT, SMALLEST_FONT = 7.0, 3.8
SMALLEST_NUMBER, MOST_NUMBERS = 4.2, 24
BAR_HEIGHT = 27.0  # of a colour bar with its title and ticks
Bools = NDArray[np.bool_]
CellColours = Sequence[Sequence[str | None]]  # None: no colour


class Grid(NamedTuple):
    """The place of a matrix on the sheet, the size of its cells, and its labels shortened to fit.

    Only every n-th row and every n-th column has a label, if not all can be read.
    """

    left: float  # of the first cell
    top: float
    cell_width: float
    cell_height: float
    rows: list[str]
    columns: list[str]
    row_font: float
    column_font: float
    upright: bool = False  # column labels are rotated by 90 degrees
    every_row: int = 1
    every_column: int = 1

    @property
    def bottom(self) -> float:
        return self.top + self.cell_height * len(self.rows)


def plan_grid(rows: Sequence[str], columns: Sequence[str], width: float, top: float = 0) -> Grid:
    """A grid below `top` that fits into `width` with its labels."""
    pitch = 0.8 * width / max(len(columns), 1)
    cell_height = min(max(0.72 * pitch if pitch > 10 else pitch, 5.6), 26, (PAGE_HEIGHT - 120) / max(len(rows), 1))
    row_font, every_row = _readable(min(LARGEST_FONT, 0.82 * cell_height), SMALLEST_FONT)
    names = shorten_labels(rows, row_font, 0.3 * width)
    left = max((text_width(name, row_font) for name in names), default=0) + 17
    cell_width = min((width - left - 3) / max(len(columns), 1), 64)
    flat = all(len(label) <= MOST_CHARACTERS and text_width(label, LARGEST_FONT) < cell_width - 2 for label in columns)
    column_font = LARGEST_FONT if flat else min(LARGEST_FONT, 0.82 * cell_width)
    column_font, every_column = _readable(column_font, row_font)
    headings = shorten_labels(columns, column_font, 0.3 * width)
    above = column_font if flat else max((text_width(name, column_font) for name in headings), default=0)
    place = (left, top + above + 15, cell_width, cell_height)
    return Grid(*place, names, headings, row_font, column_font, not flat, every_row, every_column)


def _readable(font: float, largest: float) -> tuple[float, int]:
    """The font size, and 1; if it is too small, a larger one for every n-th label, and n."""
    if font >= SMALLEST_FONT:
        return font, 1
    every = math.ceil(SMALLEST_FONT / font)
    return min(font * every, largest), every


def draw_cells(figure: Figure, grid: Grid, colours: CellColours, missing: Bools, sides: Sequence[str] = SIDES) -> Axes:
    """Draw the coloured cells with their labels, and a small dot where a value is missing; cell (i, j) is at (j, i)."""
    from matplotlib.colors import to_rgba_array

    n, m = len(grid.rows), len(grid.columns)
    axes = add_plot(figure, grid.left, grid.top, grid.cell_width * m, grid.cell_height * n)
    axes.set_frame_on(False)
    axes.grid(False)
    axes.set(xlim=(-0.5, m - 0.5), ylim=(n - 0.5, -0.5))
    faces = to_rgba_array([colour or "none" for row in colours for colour in row]).reshape(n, m, 4)
    edges = np.arange(m + 1) - 0.5, np.arange(n + 1) - 0.5
    axes.pcolormesh(*edges, faces, edgecolors=LINE, linewidth=0.15, zorder=1)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    turned: dict[str, Any] = {"rotation": 90} if grid.upright else {}
    _set_labels(axes.xaxis, grid.columns, grid.every_column, fontsize=grid.column_font, **turned)
    _set_labels(axes.yaxis, grid.rows, grid.every_row, fontsize=grid.row_font)
    axes.set_xlabel(sides[PRED], color=SOFT, labelpad=2 if grid.upright else 5)
    axes.set_ylabel(sides[GT] if any(grid.rows) else "", color=SOFT)
    y, x = np.nonzero(missing)
    axes.plot(x, y, linestyle="none", marker=".", markersize=1.4, markeredgewidth=0, color=SOFT)
    return axes


def _set_labels(axis: Any, names: Sequence[str], every: int, **look: Any) -> None:
    places = range(0, len(names), every)
    axis.set_ticks(places, [names[k] for k in places], color=INK, family=font_names("".join(names)), **look)


def draw_outlines(axes: Axes, grid: Grid, marked: Bools) -> None:
    """Outline the marked cells: the diagonal can then be recognised without colour."""
    from matplotlib.collections import PolyCollection

    corners = [_corners(i, j) for i, j in np.argwhere(marked).tolist()]
    line = 0.7 if grid.cell_width > 8 else 0.4
    outlines = PolyCollection(corners, facecolors="none", edgecolors=INK, linewidths=line, zorder=3, clip_on=False)
    axes.add_collection(outlines, autolim=False)


def draw_strokes(axes: Axes, marked: Bools) -> None:
    """Draw a diagonal line through the marked cells."""
    ends = [_corners(i, j)[1::2] for i, j in np.argwhere(marked).tolist()]
    draw_lines(axes, ends, colors=INK, linewidths=0.3, alpha=0.55, zorder=2)


def _corners(row: int, column: int) -> list[tuple[float, float]]:
    return [(column + dx, row + dy) for dx, dy in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))]


def draw_numbers(axes: Axes, grid: Grid, texts: Sequence[Sequence[str]], colours: CellColours) -> bool:
    """Draw the numbers if all of them fit into their cells; returns whether they do."""
    widest = max((text_width(text, 1) for text in {text for row in texts for text in row}), default=0)
    size = min(6.5, 0.62 * grid.cell_height, (grid.cell_width - 2) / max(widest, 0.1))
    if size < SMALLEST_NUMBER or len(grid.columns) > MOST_NUMBERS:
        return False
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            if text:
                draw_text(axes, j, i, text, size, align="center", color=text_colour_on(colours[i][j] or "#ffffff"))
    return True


def draw_bars(
    figure: Figure, layers: Sequence[tuple[Layer, str]], grid: Grid, right: float, shares: bool = True
) -> None:
    """Draw the colour bars of layers with their titles below the cells, beside each other and left of `right`."""
    length = (right - grid.left - 22) / 2 - 8
    shown = [(layer, title) for layer, title in layers if np.isfinite(layer.z).any()]
    for k, (layer, title) in enumerate(shown):
        draw_bar(figure, layer.scale, title, layer.marks(3, shares), grid, min(length, 110), k * (length + 18))


def draw_bar(
    figure: Figure,
    scale: Scale,
    title: str,
    ticks: Sequence[tuple[float, str]],
    grid: Grid,
    length: float = 110,
    shift: float = 0,
) -> None:
    """Draw a colour bar below the cells; `ticks` are (place from 0 to 1, text)."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap

    axes = add_plot(figure, grid.left + shift, grid.bottom + 13, length, 5)
    colours = ScalarMappable(cmap=LinearSegmentedColormap.from_list("", scale, N=48))
    bar = figure.colorbar(colours, cax=axes, orientation="horizontal")
    bar.outline.set_visible(False)
    bar.set_ticks([place for place, _ in ticks], labels=[text for _, text in ticks])
    axes.set_title(title, loc="left", fontsize=6, pad=2, family=font_names(title))
