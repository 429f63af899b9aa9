"""F1 of classes and predictions on paper, with a mark where a prediction differs from the baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from layoutcm.drawing.matrix_layers import make_layer
from layoutcm.drawing.palette import LIGHT
from layoutcm.drawing.paper.matrix_grid import (
    draw_bar,
    draw_cells,
    draw_dots,
    draw_frame,
    draw_numbers,
    draw_outlines,
    plan_grid,
)
from layoutcm.drawing.paper.printing import column_width, new_sheet, with_paper_style
from layoutcm.tables.class_grid import ClassGrid

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
