"""F1 of classes and predictions on the screen, or its differences from the baseline, as heatmaps with verdicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from layoutcm.drawing.matrix_layers import Layer, make_layer
from layoutcm.drawing.palette import Scale, Theme
from layoutcm.drawing.screen.matrix import (
    axis_title,
    base_layout,
    cell_axis,
    figure_sizes,
    heatmap_trace,
    ink_on,
    plotly_text,
)
from layoutcm.metrics.intervals import BETTER, WORSE
from layoutcm.tables.class_grid import ClassGrid, ends_text
from layoutcm.wording import MISSING, difference_text, score_text, shorten

BOTTOM = 56  # pixels below the cells
MOST_DIFFERENCE = 0.5  # larger differences have the darkest colour; fixed, so that figures can be compared


def model_classes_figure(grid: ClassGrid, theme: Theme, title: str | None = None) -> go.Figure:
    """Rows are classes, columns predictions, the best first; the numbers are F1 in percent.

    Traces: hit (the colours), numbers, cells (for hover texts; customdata is [label, model]).
    """
    layer = make_layer("hit", grid.values, theme.hit, whole=True, log=False)
    columns = list(range(len(grid.models)))
    traces = [heatmap_trace(layer, theme, shares=True), _numbers(grid, columns, grid.number, [layer], theme)]
    layout = _layout(grid, columns, theme, title) | {"shapes": [_outline(grid, theme)]}
    return go.Figure([*traces, _cells(grid, columns)], layout)


def model_differences_figure(grid: ClassGrid, theme: Theme, title: str | None = None) -> go.Figure:
    """Rows are classes, columns all predictions but the baseline; the numbers are differences of F1 in points.

    A difference has a colour if the test shows it, and is grey if not. Traces: hit (better), miss (worse), noise,
    numbers, cells.
    """
    columns = grid.others
    values = np.array([[grid.difference(i, j) for j in columns] for i in range(len(grid.labels))], float)
    values = values.reshape(len(grid.labels), len(columns))
    verdicts = [[grid.rows[label, grid.models[j]]["verdict"] for j in columns] for label in grid.labels]
    better, worse = (np.array(verdicts, object).reshape(values.shape) == word for word in (BETTER, WORSE))
    layers = [
        Layer("hit", np.where(better, values, np.nan), 0.0, MOST_DIFFERENCE, theme.hit, False),
        Layer("miss", np.where(worse, -values, np.nan), 0.0, MOST_DIFFERENCE, theme.miss, False),
        Layer("noise", np.where(better | worse | np.isnan(values), np.nan, 0.0), 0.0, 1.0, _one_colour(theme), False),
    ]
    traces = [heatmap_trace(layer, theme, shares=True) for layer in layers]
    traces[-1]["showscale"] = False
    numbers = _numbers(grid, columns, grid.difference_number, layers, theme)
    return go.Figure([*traces, numbers, _cells(grid, columns)], _layout(grid, columns, theme, title))


def _one_colour(theme: Theme) -> Scale:
    return ((0.0, theme.grid), (1.0, theme.grid))


def model_classes_height(labels: list[str], models: list[str]) -> int:
    """The height of the figure without a title, in pixels."""
    sizes = figure_sizes(labels, models)
    return len(labels) * sizes.row + sizes.top + BOTTOM


def _layout(grid: ClassGrid, columns: list[int], theme: Theme, title: str | None) -> dict[str, Any]:
    sizes = figure_sizes(grid.labels, grid.models)  # of all predictions, so that both figures are equally high
    names = [grid.models[j] for j in columns]
    more = 20 if title else 0
    x = cell_axis(names, sizes.most, sizes.x_font, theme) | {"side": "top", "tickangle": sizes.angle}
    y = cell_axis(grid.labels, sizes.most, sizes.font, theme)
    return base_layout(theme, title) | {
        "height": model_classes_height(grid.labels, grid.models) + more,
        "margin": {"l": sizes.left, "r": sizes.right, "t": sizes.top + more, "b": BOTTOM, "autoexpand": False},
        "hoverdistance": -1,
        "dragmode": False,
        "clickmode": "none",
        "showlegend": False,
        "xaxis": x | {"title": axis_title("prediction", theme), "range": [-0.5, len(columns) - 0.5]},
        "yaxis": y | {"title": axis_title("class", theme), "range": [len(grid.labels) - 0.5, -0.5]},
    }


def _outline(grid: ClassGrid, theme: Theme) -> dict[str, Any]:
    """A frame around the column of the baseline."""
    column = grid.models.index(grid.baseline)
    corners = {"x0": column - 0.5, "x1": column + 0.5, "y0": -0.5, "y1": len(grid.labels) - 0.5}
    return {"type": "rect", **corners, "line": {"color": theme.text, "width": 1.5}}


def _numbers(
    grid: ClassGrid, columns: list[int], number: Callable[[int, int], str], layers: Sequence[Layer], theme: Theme
) -> dict[str, Any]:
    """The number of each cell with its mark, and a small dot where it does not exist."""
    places = [(i, k) for i in range(len(grid.labels)) for k in range(len(columns))]
    return {
        "type": "scatter",
        "name": "numbers",
        "x": [k for _, k in places],
        "y": [i for i, _ in places],
        "mode": "text",
        "text": [number(i, columns[k]) or "·" for i, k in places],
        "textfont": {"size": 11, "color": [ink_on(layers, i, k, theme) for i, k in places]},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _cells(grid: ClassGrid, columns: list[int]) -> dict[str, Any]:
    """Invisible points, one per cell, for hover texts."""
    y, x = (side.ravel() for side in np.indices((len(grid.labels), len(columns))))
    pairs = [(grid.labels[i], grid.models[columns[k]]) for i, k in zip(y.tolist(), x.tolist())]
    return {
        "type": "scatter",
        "name": "cells",
        "x": x,
        "y": y,
        "mode": "markers",
        "opacity": 0,
        "marker": {"size": 4, "maxdisplayed": 1},
        "customdata": [list(pair) for pair in pairs],
        "hoverinfo": "text",
        "hovertext": [_hover(grid, *pair) for pair in pairs],
        "showlegend": False,
    }


def _hover(grid: ClassGrid, label: str, model: str) -> str:
    row = grid.rows[label, model]
    lines = [f"<b>{plotly_text(shorten(label, 60))}</b>", plotly_text(shorten(model, 60))]
    ends = ends_text(row, "f1", score_text, " – ")
    lines.append(f"F1 {score_text(row['f1'], 4)}" + ("" if ends == MISSING else f" ({ends})"))
    if model != grid.baseline and not math.isnan(row["difference"]):
        ends = ends_text(row, "difference", difference_text, " to ")
        difference = difference_text(row["difference"], 4) + ("" if ends == MISSING else f" ({ends})")
        lines += [f"minus {plotly_text(shorten(grid.baseline, 60))}: {difference}", f"{row['verdict']}"]
    return "<br>".join(lines)
