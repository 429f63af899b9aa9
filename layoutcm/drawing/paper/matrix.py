"""Matrices on paper: one view, the 2x2, two models side by side, the difference of two models.

Rows are gt, columns are pred. The diagonal is blue and outlined, all other cells are amber to red; both scales get
steadily darker, so they also work in greyscale. In a tested difference, blue is better and red is worse; in a
plain one, blue is more and red is less. Without numbers, a red cell has a diagonal line.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.drawing.matrix_layers import (
    DIFFERENCE_TOP,
    Layer,
    cell_colour,
    cell_text,
    correct_cells,
    difference_place,
    drawn_alike,
    matrix_layers,
    shown_in_either,
    with_same_labels,
)
from layoutcm.drawing.palette import LIGHT, Scale, scale_colour, text_colour_on
from layoutcm.drawing.paper import figure_style as style
from layoutcm.layouts.model import GT, PRED, SIDES
from layoutcm.metrics.confusion import Confusion
from layoutcm.models.cell_differences import CellDifferences
from layoutcm.results.verdict import BETTER, NO_DIFFERENCE, WORSE
from layoutcm.tables.label_folding import drawn_matrix
from layoutcm.tables.matrix_views import VIEW_TITLES, Selection, select, view_title, view_values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE_HEIGHT, GAP = 12.0, 8.0  # of two matrices: above each, and between them
STROKE_FROM = 0.03  # share of the top of the scale; smaller differences get no line
NOISE = "#d5d8de"
LARGEST_FONT, SMALLEST_FONT = 7.0, 3.8
SMALLEST_NUMBER, MOST_NUMBERS = 4.2, 24
BAR_HEIGHT = 27.0  # of a colour bar with its title and ticks
Bools = NDArray[np.bool_]
CellColours = Sequence[Sequence[str | None]]  # None: no colour


@style.with_paper_style
def matrix_figure(
    confusion: Confusion,
    view: str = "recall",
    *,
    selection: Selection | None = None,
    width: str | None = None,
    caption: bool = True,
    log: bool | None = None,
    unit: str = VIEW_TITLES["pixels"],
) -> Figure:
    """One view of a matrix with the selected labels, by default all labels in use.

    `width` is "one" or "two" columns. By default pixels have a logarithmic colour scale and shares a linear one. `unit`
    is what the matrix counts.
    """
    confusion, selection, _ = drawn_matrix(confusion, selection or select(confusion))
    sheet_width = style.column_width(width, 15 * len(selection.columns) + 60)
    rows, columns = ([confusion.labels[i] for i in side] for side in selection)
    grid = plan_grid(rows, columns, sheet_width, top=2)
    figure = style.new_figure(sheet_width, grid.bottom + BAR_HEIGHT, confusion.recipe if caption else "")
    layers = matrix_layers(confusion, view, selection, LIGHT, view == "pixels" if log is None else log)
    _draw_matrix(figure, grid, confusion, view, selection, layers)
    name = unit if view == "pixels" else view_title(view, confusion)
    _draw_scales(figure, layers, name, confusion.diagonal, grid, sheet_width, view != "pixels")
    return figure


@style.with_paper_style
def pair_figure(
    matrices: Mapping[str, Confusion],
    view: str = "recall",
    *,
    selection: Selection,
    width: str | None = None,
    caption: bool = True,
    log: bool | None = None,
    unit: str = VIEW_TITLES["pixels"],
) -> Figure:
    """Two matrices with the same labels, {title: matrix}, side by side; in one column, one below the other."""
    log = view == "pixels" if log is None else log
    drawn = drawn_alike(matrices.values(), selection)
    rows, columns = ([drawn[0].confusion.labels[i] for i in side] for side in drawn[0].selection)
    stacked = width == "one"
    sheet_width = style.COLUMN_WIDTHS["one" if stacked else "two"]
    own_width = sheet_width if stacked else (sheet_width - GAP) / 2
    grid = plan_grid(rows, columns, own_width, top=TITLE_HEIGHT)
    height = grid.bottom + BAR_HEIGHT
    corners = [(0.0, 0.0), (0.0, height) if stacked else (own_width + GAP, 0.0)]
    recipes = [one.recipe for one in matrices.values()] if caption else []
    figure = style.new_figure(sheet_width, corners[1][1] + height, *recipes)
    name = unit if view == "pixels" else view_title(view, drawn[0].confusion)
    for title, (confusion, shown, _), (left, top) in zip(matrices, drawn, corners):
        layers = matrix_layers(confusion, view, shown, LIGHT, log)
        own = grid._replace(left=grid.left + left, top=grid.top + top)
        style.draw_text(
            figure, left + 4, top + 5, style.shorten_to_width(title, LARGEST_FONT, own_width - 8), LARGEST_FONT
        )
        _draw_matrix(figure, own, confusion, view, shown, layers)
        _draw_scales(figure, layers, name, confusion.diagonal, own, left + own_width, view != "pixels")
    return figure


@style.with_paper_style
def collapsed_figure(confusion: Confusion, *, width: str | None = None, caption: bool = True) -> Figure:
    """Background against Content: pixels, recall, precision and F1, four small matrices."""
    small, both = confusion.collapse(), Selection([0, 1], [0, 1])
    sheet_width = style.column_width(width, 0)
    per_line = 2 if sheet_width < style.COLUMN_WIDTHS["two"] else 4
    grids = [_panel(small.labels, sheet_width, k, per_line) for k in range(4)]
    figure = style.new_figure(sheet_width, grids[-1].bottom + 6, confusion.recipe if caption else "")
    for view, grid in zip(VIEW_TITLES, grids):
        name = VIEW_TITLES[view] if view == "pixels" else f"{VIEW_TITLES[view]}, %"
        style.draw_text(figure, grid.left + grid.cell_width, grid.top - 26, name, LARGEST_FONT, align="center")
        _draw_matrix(figure, grid, small, view, both, matrix_layers(small, view, both, LIGHT, False))
    return figure


def _panel(labels: Sequence[str], width: float, k: int, per_line: int) -> Grid:
    """The grid of the k-th of four 2x2 matrices; only the first matrix of a line has row labels."""
    start = max(style.text_width(label, 6.5) for label in labels) + 17
    cell_width = (width - start - 4) / per_line / 2 - 5
    left, top = start + k % per_line * (2 * cell_width + 12), 32 + k // per_line * 90
    names = list(labels) if k % per_line == 0 else [""] * len(labels)
    headings = [style.shorten_to_width(label, 6.5, cell_width - 1) for label in labels]
    return Grid(left, top, cell_width, 26, names, headings, 6.5, 6.5)


@style.with_paper_style
def difference_figure(
    first: Confusion,
    second: Confusion,
    view: str = "recall",
    *,
    names: tuple[str, str] = ("first", "second"),
    differences: CellDifferences | None = None,
    selection: Selection | None = None,
    width: str | None = None,
    caption: bool = True,
) -> Figure:
    """The matrix of the second model minus that of the first.

    With `differences`, blue is better, red is worse, and other cells are grey; without them, which is a difference
    without a test, blue is more and red is less. A `selection` is one of two matrices with the same labels; without
    it, all labels in use are shown.
    """
    pair = with_same_labels(first, second)
    shown = selection or shown_in_either([select(one) for one in pair])
    (first, (rows, columns), _), (second, _, _) = drawn_alike(pair, shown)
    values = (view_values(second, view) - view_values(first, view))[np.ix_(rows, columns)]
    sheet_width = style.column_width(width, 15 * len(columns) + 60)
    grid = plan_grid([first.labels[i] for i in rows], [first.labels[j] for j in columns], sheet_width, top=2)
    figure = style.new_figure(
        sheet_width, grid.bottom + BAR_HEIGHT, *((first.recipe, second.recipe) if caption else ())
    )
    most = DIFFERENCE_TOP if view != "pixels" else float(np.nanmax(np.abs(values), initial=0)) or 1.0
    blue, noise = values > 0, np.zeros(values.shape, bool)
    if differences is not None:
        tested = differences.of_labels(*([first.labels[i] for i in side] for side in (rows, columns)))
        blue, noise = tested.verdicts == BETTER, tested.noise
    colours = [[_difference_colour(*cell, most) for cell in zip(*row)] for row in zip(values.tolist(), blue, noise)]
    axes = draw_cells(figure, grid, colours, np.isnan(values))
    draw_outlines(axes, grid, np.equal.outer(rows, columns) & first.diagonal)
    show = cell_text(view != "pixels")
    texts = [["" if not v or math.isnan(v) else _signed(v, show(abs(v))) for v in row] for row in values.tolist()]
    if not draw_numbers(axes, grid, texts, colours):
        draw_strokes(axes, ~blue & ~noise & (np.abs(values) > STROKE_FROM * most))
    points = "" if view == "pixels" else ", % points"
    words, grey = first.vocabulary.verdicts, "" if differences is None else f"; grey: {NO_DIFFERENCE}"
    low, high = ("less", "more") if differences is None else (words[WORSE], words[BETTER])
    title = style.shorten_to_width(f"{VIEW_TITLES[view]}: {names[1]} less {names[0]}", 6, 160) + points + grey
    end = f"≥ {show(most)}" if view != "pixels" else show(most)
    ticks = [(0.0, f"{low} {end}"), (0.5, "0"), (1.0, f"{end} {high}")]
    draw_bar(figure, LIGHT.diverging, title, ticks, grid, min(110, sheet_width - grid.left - 30))
    return figure


def _draw_matrix(
    figure: Figure, grid: Grid, confusion: Confusion, view: str, selection: Selection, layers: Sequence[Layer]
) -> None:
    values = view_values(confusion, view)[np.ix_(*selection)]
    colours = [[cell_colour(layers, i, j) for j in range(values.shape[1])] for i in range(values.shape[0])]
    show = cell_text(view != "pixels")
    axes = draw_cells(figure, grid, colours, np.isnan(values), confusion.side_names)
    if confusion.diagonal:
        draw_outlines(axes, grid, correct_cells(confusion, selection))
    draw_numbers(axes, grid, [[show(v) if v > 0 else "" for v in row] for row in values.tolist()], colours)


def _difference_colour(value: float, is_blue: bool, noise: bool, most: float) -> str | None:
    if math.isnan(value) or value == 0:
        return None
    return NOISE if noise else scale_colour(LIGHT.diverging, difference_place(value, is_blue, most))


def _signed(value: float, text: str) -> str:
    return "≈0" if text.startswith("<") else ("+" if value > 0 else "−") + text


def _draw_scales(
    figure: Figure, layers: Sequence[Layer], name: str, diagonal: bool, grid: Grid, right: float, shares: bool
) -> None:
    """Draw the colour bars below the matrix: hits at the left, misses at the right."""
    places = {"hit": "diagonal", "miss": "off it"}
    titled = [(layer, f"{name}, {places[layer.name]}" if diagonal else name) for layer in layers]
    draw_bars(figure, titled, grid, right, shares)


# The grid: its place, labels that fit, cells as Matplotlib axes, colour bars.


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
    cell_height = min(
        max(0.72 * pitch if pitch > 10 else pitch, 5.6), 26, (style.PAGE_HEIGHT - 120) / max(len(rows), 1)
    )
    row_font, every_row = _readable(min(LARGEST_FONT, 0.82 * cell_height), SMALLEST_FONT)
    names = style.shorten_labels(rows, row_font, 0.3 * width)
    left = max((style.text_width(name, row_font) for name in names), default=0) + 17
    cell_width = min((width - left - 3) / max(len(columns), 1), 64)
    flat = all(
        len(label) <= style.MOST_CHARACTERS and style.text_width(label, LARGEST_FONT) < cell_width - 2
        for label in columns
    )
    column_font = LARGEST_FONT if flat else min(LARGEST_FONT, 0.82 * cell_width)
    column_font, every_column = _readable(column_font, row_font)
    headings = style.shorten_labels(columns, column_font, 0.3 * width)
    above = column_font if flat else max((style.text_width(name, column_font) for name in headings), default=0)
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
    axes = style.add_plot(figure, grid.left, grid.top, grid.cell_width * m, grid.cell_height * n)
    axes.set_frame_on(False)
    axes.grid(False)
    axes.set(xlim=(-0.5, m - 0.5), ylim=(n - 0.5, -0.5))
    faces = to_rgba_array([colour or "none" for row in colours for colour in row]).reshape(n, m, 4)
    edges = np.arange(m + 1) - 0.5, np.arange(n + 1) - 0.5
    axes.pcolormesh(*edges, faces, edgecolors=style.LINE, linewidth=0.15, zorder=1)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    turned: dict[str, Any] = {"rotation": 90} if grid.upright else {}
    _set_labels(axes.xaxis, grid.columns, grid.every_column, fontsize=grid.column_font, **turned)
    _set_labels(axes.yaxis, grid.rows, grid.every_row, fontsize=grid.row_font)
    axes.set_xlabel(sides[PRED], color=style.SOFT, labelpad=2 if grid.upright else 5)
    axes.set_ylabel(sides[GT] if any(grid.rows) else "", color=style.SOFT)
    y, x = np.nonzero(missing)
    axes.plot(x, y, linestyle="none", marker=".", markersize=1.4, markeredgewidth=0, color=style.SOFT)
    return axes


def _set_labels(axis: Any, names: Sequence[str], every: int, **look: Any) -> None:
    places = range(0, len(names), every)
    axis.set_ticks(places, [names[k] for k in places], color=style.INK, family=style.font_names("".join(names)), **look)


def draw_outlines(axes: Axes, grid: Grid, marked: Bools) -> None:
    """Outline the marked cells: the diagonal can then be recognised without colour."""
    from matplotlib.collections import PolyCollection

    corners = [_corners(i, j) for i, j in np.argwhere(marked).tolist()]
    line = 0.7 if grid.cell_width > 8 else 0.4
    outlines = PolyCollection(
        corners, facecolors="none", edgecolors=style.INK, linewidths=line, zorder=3, clip_on=False
    )
    axes.add_collection(outlines, autolim=False)


def draw_strokes(axes: Axes, marked: Bools) -> None:
    """Draw a diagonal line through the marked cells."""
    ends = [_corners(i, j)[1::2] for i, j in np.argwhere(marked).tolist()]
    style.draw_lines(axes, ends, colors=style.INK, linewidths=0.3, alpha=0.55, zorder=2)


def _corners(row: int, column: int) -> list[tuple[float, float]]:
    return [(column + dx, row + dy) for dx, dy in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))]


def draw_numbers(axes: Axes, grid: Grid, texts: Sequence[Sequence[str]], colours: CellColours) -> bool:
    """Draw the numbers if all of them fit into their cells; returns whether they do."""
    widest = max((style.text_width(text, 1) for text in {text for row in texts for text in row}), default=0)
    size = min(6.5, 0.62 * grid.cell_height, (grid.cell_width - 2) / max(widest, 0.1))
    if size < SMALLEST_NUMBER or len(grid.columns) > MOST_NUMBERS:
        return False
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            if text:
                style.draw_text(
                    axes, j, i, text, size, align="center", color=text_colour_on(colours[i][j] or "#ffffff")
                )
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

    axes = style.add_plot(figure, grid.left + shift, grid.bottom + 13, length, 5)
    colours = ScalarMappable(cmap=LinearSegmentedColormap.from_list("", scale, N=48))
    bar = figure.colorbar(colours, cax=axes, orientation="horizontal")
    bar.outline.set_visible(False)
    bar.set_ticks([place for place, _ in ticks], labels=[text for _, text in ticks])
    axes.set_title(title, loc="left", fontsize=6, pad=2, family=style.font_names(title))
