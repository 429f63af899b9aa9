"""The grid of a matrix on paper: positions of cells, labels shortened to fit, and functions that draw into it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.drawing.palette import Scale, scale_colour, text_colour_on
from layoutcm.drawing.paper.printing import (
    INK,
    MOST_CHARACTERS,
    PAGE_HEIGHT,
    SOFT,
    draw_lines,
    draw_text,
    shorten_labels,
    text_width,
)
from layoutcm.layouts.model import GT, PRED, SIDES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGEST_FONT, SMALLEST_FONT = 7.0, 3.8
SMALLEST_NUMBER, MOST_NUMBERS = 4.2, 24
Bools = NDArray[np.bool_]
CellColours = Sequence[Sequence[str | None]]  # None: no colour


class CellSize(NamedTuple):
    """Width and height of a cell."""

    width: float
    height: float


class LabelFonts(NamedTuple):
    """Font sizes of the row labels and of the column labels."""

    row: float
    column: float


class LabelSteps(NamedTuple):
    """Only every n-th row and every n-th column has a label, if not all can be read."""

    row: int = 1
    column: int = 1


class Grid(NamedTuple):
    """Position of a matrix, size of its cells, and its labels shortened to fit."""

    corner: tuple[float, float]  # left and top of the first cell
    cell: CellSize
    rows: list[str]
    columns: list[str]
    fonts: LabelFonts
    upright: bool  # column labels are rotated by 90 degrees
    every: LabelSteps

    @property
    def left(self) -> float:
        return self.corner[0]

    @property
    def top(self) -> float:
        return self.corner[1]

    @property
    def cell_width(self) -> float:
        return self.cell.width

    @property
    def cell_height(self) -> float:
        return self.cell.height

    @property
    def right(self) -> float:
        return self.left + self.cell_width * len(self.columns)

    @property
    def bottom(self) -> float:
        return self.top + self.cell_height * len(self.rows)


def plan_grid(rows: Sequence[str], columns: Sequence[str], width: float, left: float = 0, top: float = 0) -> Grid:
    """A grid that fits into `width` with its labels; its upper left corner is (left, top)."""
    pitch = 0.8 * width / max(len(columns), 1)
    cell_height = min(max(0.72 * pitch if pitch > 10 else pitch, 5.6), 26, (PAGE_HEIGHT - 120) / max(len(rows), 1))
    row_font, every_row = _readable(min(LARGEST_FONT, 0.82 * cell_height), SMALLEST_FONT)
    names = shorten_labels(rows, row_font, 0.3 * width)
    start = left + max((text_width(name, row_font) for name in names), default=0) + 17
    cell_width = min((left + width - start - 3) / max(len(columns), 1), 64)
    flat = all(len(label) <= MOST_CHARACTERS and text_width(label, LARGEST_FONT) < cell_width - 2 for label in columns)
    column_font = LARGEST_FONT if flat else min(LARGEST_FONT, 0.82 * cell_width)
    column_font, every_column = _readable(column_font, row_font)
    headings = shorten_labels(columns, column_font, 0.3 * width)
    heading_height = column_font if flat else max((text_width(name, column_font) for name in headings), default=0)
    corner, cell = (start, top + heading_height + 15), CellSize(cell_width, cell_height)
    return Grid(
        corner, cell, names, headings, LabelFonts(row_font, column_font), not flat, LabelSteps(every_row, every_column)
    )


def _readable(font: float, largest: float) -> tuple[float, int]:
    """The font size, and 1; if it is too small, a larger one for every n-th label, and n."""
    if font >= SMALLEST_FONT:
        return font, 1
    every = math.ceil(SMALLEST_FONT / font)
    return min(font * every, largest), every


def draw_frame(axes: Axes, grid: Grid, sides: Sequence[str] = SIDES) -> None:
    """Draw the labels, the axis names and the lines between cells."""
    for i, name in enumerate(grid.rows):
        if i % grid.every.row == 0:
            y = grid.top + (i + 0.5) * grid.cell_height
            draw_text(axes, grid.left - 3, y, name, grid.fonts.row, align="right")
    turned = {"rotation": 90} if grid.upright else {"align": "center"}
    for j, name in enumerate(grid.columns):
        if j % grid.every.column == 0:
            x = grid.left + (j + 0.5) * grid.cell_width
            draw_text(axes, x, grid.top - (3 if grid.upright else 6), name, grid.fonts.column, **turned)
    if any(grid.rows):
        draw_text(axes, grid.left - 3, grid.top - 6, sides[GT], 6, align="right", color=SOFT)
    highest = grid.fonts.column
    if grid.upright:
        highest = max((text_width(name, grid.fonts.column) for name in grid.columns), default=0)
    draw_text(axes, (grid.left + grid.right) / 2, grid.top - highest - 9, sides[PRED], 6, align="center", color=SOFT)
    xs = [grid.left + j * grid.cell_width for j in range(len(grid.columns) + 1)]
    ys = [grid.top + i * grid.cell_height for i in range(len(grid.rows) + 1)]
    lines = [[(x, grid.top), (x, grid.bottom)] for x in xs] + [[(grid.left, y), (grid.right, y)] for y in ys]
    draw_lines(axes, lines, linewidths=0.25, zorder=2)


def draw_cells(axes: Axes, grid: Grid, colours: CellColours) -> None:
    from matplotlib.collections import PolyCollection

    places = [(i, j) for i, row in enumerate(colours) for j, colour in enumerate(row) if colour]
    faces = [str(colours[i][j]) for i, j in places]
    corners = [_corners(grid, i, j) for i, j in places]
    axes.add_collection(PolyCollection(corners, facecolors=faces, linewidths=0, zorder=1), autolim=False)


def _corners(grid: Grid, row: int, column: int) -> list[tuple[float, float]]:
    x, y = grid.left + column * grid.cell_width, grid.top + row * grid.cell_height
    return [(x, y), (x + grid.cell_width, y), (x + grid.cell_width, y + grid.cell_height), (x, y + grid.cell_height)]


def draw_outlines(axes: Axes, grid: Grid, marked: Bools) -> None:
    """Outline the marked cells, so that the diagonal can be recognised without colour."""
    from matplotlib.collections import PolyCollection

    corners = [_corners(grid, i, j) for i, j in np.argwhere(marked).tolist()]
    line = 0.7 if grid.cell_width > 8 else 0.4
    outlines = PolyCollection(corners, facecolors="none", edgecolors=INK, linewidths=line, zorder=3)
    axes.add_collection(outlines, autolim=False)


def draw_strokes(axes: Axes, grid: Grid, marked: Bools) -> None:
    """Draw a diagonal line through the marked cells."""
    ends = [_corners(grid, i, j)[1::2] for i, j in np.argwhere(marked).tolist()]
    draw_lines(axes, ends, colors=INK, linewidths=0.3, alpha=0.55, zorder=2)


def draw_numbers(
    axes: Axes, grid: Grid, texts: Sequence[Sequence[str]], colours: Sequence[Sequence[str | None]]
) -> bool:
    """Draw the numbers if all of them fit into their cells; returns whether they do."""
    widest = max((text_width(text, 1) for text in {text for row in texts for text in row}), default=0)
    size = min(6.5, 0.62 * grid.cell_height, (grid.cell_width - 2) / max(widest, 0.1))
    if size < SMALLEST_NUMBER or len(grid.columns) > MOST_NUMBERS:
        return False
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            x, y = grid.left + (j + 0.5) * grid.cell_width, grid.top + (i + 0.5) * grid.cell_height
            if text:
                draw_text(axes, x, y, text, size, align="center", color=text_colour_on(colours[i][j] or "#ffffff"))
    return True


def draw_dots(axes: Axes, grid: Grid, missing: Bools) -> None:
    """Draw a small dot where a value does not exist."""
    row, column = np.nonzero(missing)
    x, y = grid.left + (column + 0.5) * grid.cell_width, grid.top + (row + 0.5) * grid.cell_height
    axes.plot(x, y, linestyle="none", marker=".", markersize=1.4, markeredgewidth=0, color=SOFT)


def draw_bar(
    axes: Axes, scale: Scale, title: str, ticks: Sequence[tuple[float, str]], x: float, y: float, length: float
) -> None:
    from matplotlib.collections import PolyCollection

    steps = 48
    edges = [x + length * k / steps for k in range(steps + 1)]
    corners = [[(a, y + 8), (b, y + 8), (b, y + 13), (a, y + 13)] for a, b in pairwise(edges)]
    faces = [scale_colour(scale, (k + 0.5) / steps) for k in range(steps)]
    axes.add_collection(PolyCollection(corners, facecolors=faces, edgecolors=faces, linewidths=0.3), autolim=False)
    draw_text(axes, x, y + 4, title, 6)
    for place, text in ticks:
        draw_text(axes, x + place * length, y + 17, text, 5.5, align="center", color=SOFT)
