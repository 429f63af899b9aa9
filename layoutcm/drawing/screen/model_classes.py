"""F1 of classes and predictions on the screen: a heatmap with a mark where a prediction differs from the baseline."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import plotly.graph_objects as go

from layoutcm.drawing.matrix_layers import Layer, make_layer
from layoutcm.drawing.palette import Theme
from layoutcm.drawing.screen.matrix import (
    axis_title,
    base_layout,
    cell_axis,
    figure_sizes,
    heatmap_trace,
    ink_on,
    plotly_text,
)
from layoutcm.tables.class_grid import ClassGrid, ends_text
from layoutcm.wording import MISSING, difference_text, score_text, shorten


def model_classes_figure(grid: ClassGrid, theme: Theme, title: str | None = None) -> go.Figure:
    """Rows are classes, columns predictions, the best first; the numbers are F1 in percent.

    Traces: hit (the colours), numbers, cells (for hover texts; customdata is [label, model]).
    """
    layer = make_layer("hit", grid.values, theme.hit, top=1.0)
    traces = [heatmap_trace(layer, theme, shares=True), _numbers(grid, layer, theme), _cells(grid)]
    sizes = figure_sizes(grid.labels, grid.models)
    top, bottom = sizes.top + (20 if title else 0), 56
    x = cell_axis(grid.models, sizes.most, sizes.x_font, theme) | {"side": "top", "tickangle": sizes.angle}
    y = cell_axis(grid.labels, sizes.most, sizes.font, theme)
    layout = base_layout(theme, title) | {
        "height": len(grid.labels) * sizes.row + top + bottom,
        "margin": {"l": sizes.left, "r": sizes.right, "t": top, "b": bottom, "autoexpand": False},
        "hoverdistance": -1,
        "dragmode": False,
        "clickmode": "none",
        "showlegend": False,
        "shapes": [_outline(grid, theme)],
        "xaxis": x | {"title": axis_title("prediction", theme), "range": [-0.5, len(grid.models) - 0.5]},
        "yaxis": y | {"title": axis_title("class", theme), "range": [len(grid.labels) - 0.5, -0.5]},
    }
    return go.Figure(traces, layout)


def _outline(grid: ClassGrid, theme: Theme) -> dict[str, Any]:
    """A frame around the column of the baseline."""
    column = grid.models.index(grid.baseline)
    corners = {"x0": column - 0.5, "x1": column + 0.5, "y0": -0.5, "y1": len(grid.labels) - 0.5}
    return {"type": "rect", **corners, "line": {"color": theme.text, "width": 1.5}}


def _numbers(grid: ClassGrid, layer: Layer, theme: Theme) -> dict[str, Any]:
    """F1 with its mark, and a small dot where it does not exist."""
    places = [(i, j) for i in range(len(grid.labels)) for j in range(len(grid.models))]
    return {
        "type": "scatter",
        "name": "numbers",
        "x": [j for _, j in places],
        "y": [i for i, _ in places],
        "mode": "text",
        "text": [grid.number(i, j) or "·" for i, j in places],
        "textfont": {"size": 11, "color": [ink_on([layer], i, j, theme) for i, j in places]},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _cells(grid: ClassGrid) -> dict[str, Any]:
    """Invisible points, one per cell, for hover texts."""
    y, x = (side.ravel() for side in np.indices(grid.values.shape))
    pairs = [(grid.labels[i], grid.models[j]) for i, j in zip(y.tolist(), x.tolist())]
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
