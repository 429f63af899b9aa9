"""F1 of classes and predictions on paper, and differences from the baseline, with marks where they are real."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from layoutcm.drawing.matrix_layers import DIFFERENCE_TOP, difference_place, make_layer
from layoutcm.drawing.palette import LIGHT, scale_colour
from layoutcm.drawing.paper.matrix import NOISE
from layoutcm.drawing.paper.matrix_grid import (
    draw_bar,
    draw_cells,
    draw_dots,
    draw_frame,
    draw_numbers,
    draw_outlines,
    plan_grid,
)
from layoutcm.drawing.paper.printing import column_width, new_sheet, shorten_to_width, with_paper_style
from layoutcm.tables.leaderboard_tables import ClassGrid
from layoutcm.wording import percent_tick

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BAR_HEIGHT = 27.0
MOST_RECIPES = 4  # below the figure


@with_paper_style
def model_classes_figure(found: ClassGrid, *, width: str | None = None, caption: bool = True) -> Figure:
    """Rows are classes, columns predictions, the best first; the numbers are F1 in percent, the baseline is outlined.

    `width` is "one" or "two" columns.
    """
    sheet_width = column_width(width, 26 * len(found.models) + 60)
    grid = plan_grid(found.labels, found.models, sheet_width, top=2)
    texts = [found.legend, *found.recipes[:MOST_RECIPES]] if caption else []
    figure, axes = new_sheet(sheet_width, grid.bottom + BAR_HEIGHT, *texts)
    layer = make_layer("hit", found.values, LIGHT.hit, top=1.0)
    rows, columns = (range(n) for n in found.values.shape)
    colours = [[layer.colour(i, j) for j in columns] for i in rows]
    draw_frame(axes, grid, ("class", "prediction"))
    draw_cells(axes, grid, colours)
    is_baseline = np.array([name == found.baseline for name in found.models])
    draw_outlines(axes, grid, np.broadcast_to(is_baseline, found.values.shape))
    draw_numbers(axes, grid, [[found.number(i, j) for j in columns] for i in rows], colours)
    draw_dots(axes, grid, np.isnan(found.values))
    ticks = layer.marks(3, shares=True)
    draw_bar(axes, layer.scale, "F1", ticks, grid.left, grid.bottom + 5, min(110, sheet_width - grid.left - 30))
    return figure


@with_paper_style
def model_differences_figure(found: ClassGrid, *, width: str | None = None, caption: bool = True) -> Figure:
    """Rows are classes, columns all predictions but the baseline; the numbers are differences of F1 in points.

    Blue is better, red is worse; a difference that the test does not show is grey.
    """
    rows, columns = range(len(found.labels)), found.others
    sheet_width = column_width(width, 26 * len(columns) + 60)
    grid = plan_grid(found.labels, [found.models[j] for j in columns], sheet_width, top=2)
    texts = [found.legend, *found.recipes[:MOST_RECIPES]] if caption else []
    figure, axes = new_sheet(sheet_width, grid.bottom + BAR_HEIGHT, *texts)
    colours = [[_difference_colour(found, i, j) for j in columns] for i in rows]
    draw_frame(axes, grid, ("class", "prediction"))
    draw_cells(axes, grid, colours)
    draw_numbers(axes, grid, [[found.difference_number(i, j) for j in columns] for i in rows], colours)
    missing = [[math.isnan(found.difference(i, j)) for j in columns] for i in rows]
    draw_dots(axes, grid, np.array(missing, bool).reshape(len(found.labels), len(columns)))
    end = f"≥ {percent_tick(DIFFERENCE_TOP)}"
    ticks = [(0.0, f"worse {end}"), (0.5, "0"), (1.0, f"{end} better")]
    title = shorten_to_width(f"F1 minus that of {found.baseline}", 6, 150) + ", % points; grey: not shown by the test"
    draw_bar(axes, LIGHT.diverging, title, ticks, grid.left, grid.bottom + 5, min(110, sheet_width - grid.left - 30))
    return figure


def _difference_colour(found: ClassGrid, row: int, column: int) -> str | None:
    value = found.difference(row, column)
    if math.isnan(value):
        return None
    if not found.marks[row][column]:
        return NOISE
    return scale_colour(LIGHT.diverging, difference_place(value, value > 0, DIFFERENCE_TOP))
