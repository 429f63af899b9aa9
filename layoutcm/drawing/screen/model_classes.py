"""F1 of classes and predictions on the screen, or its differences from the baseline, as heatmaps with verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from layoutcm.drawing.matrix_layers import Layer, cell_colour, make_layer
from layoutcm.drawing.palette import Theme, text_colour_on
from layoutcm.drawing.screen.charts import base_layout, plotly_text
from layoutcm.results.verdict import BETTER, WORSE, verdict_text
from layoutcm.tables.leaderboard_tables import ClassGrid, ends_text
from layoutcm.wording import MISSING, difference_text, score_text, shorten

# (maximum number of labels, pixels per row, font size, maximum label length)
STEPS = ((4, 56, 13, 26), (12, 40, 12, 26), (16, 34, 12, 24), (24, 26, 11, 24), (40, 19, 10, 22), (10**9, 15, 9, 20))
HORIZONTAL_COLUMNS = 16  # with more, the names of columns are upright
CELL_SHAPE = 0.62  # height / width of a cell that can show a number
BOTTOM = 56  # pixels below the cells
MOST_DIFFERENCE = 0.5  # larger differences have the darkest colour; fixed, so that figures can be compared


def model_classes_figure(grid: ClassGrid, theme: Theme, title: str | None = None) -> go.Figure:
    """Rows are classes, columns predictions, the best first; the numbers are F1 in percent.

    Traces: hit (the colours), numbers, cells (for hover texts; customdata is [label, model]).
    """
    layer = make_layer("hit", grid.values, theme.hit, top=1.0)
    columns = list(range(len(grid.models)))
    traces = [_heatmap(layer, theme), _numbers(grid, columns, grid.number, [layer], theme)]
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
    verdicts = [[grid.rows[label, grid.models[j]].verdict for j in columns] for label in grid.labels]
    better, worse = (np.array(verdicts, object).reshape(values.shape) == word for word in (BETTER, WORSE))
    noise = np.where(better | worse | np.isnan(values), np.nan, 0.0)
    layers = [
        Layer("hit", np.where(better, values, np.nan), 0.0, MOST_DIFFERENCE, theme.hit, False, True),
        Layer("miss", np.where(worse, -values, np.nan), 0.0, MOST_DIFFERENCE, theme.miss, False, True),
        Layer("noise", noise, 0.0, 1.0, ((0.0, theme.grid), (1.0, theme.grid)), False, False),
    ]
    traces = [_heatmap(layer, theme) for layer in layers]
    traces[-1]["showscale"] = False
    numbers = _numbers(grid, columns, grid.difference_number, layers, theme)
    return go.Figure([*traces, numbers, _cells(grid, columns)], _layout(grid, columns, theme, title))


def model_classes_height(labels: list[str], models: list[str]) -> int:
    """The height of the figure without a title, in pixels."""
    sizes = _figure_sizes(labels, models)
    return len(labels) * sizes.row + sizes.top + BOTTOM


def _layout(grid: ClassGrid, columns: list[int], theme: Theme, title: str | None) -> dict[str, Any]:
    sizes = _figure_sizes(grid.labels, grid.models)  # of all predictions, so that both figures are equally high
    names = [grid.models[j] for j in columns]
    more = 20 if title else 0
    x = _cell_axis(names, sizes.most, sizes.x_font, theme) | {"side": "top", "tickangle": sizes.angle}
    y = _cell_axis(grid.labels, sizes.most, sizes.font, theme)
    return base_layout(theme, title) | {
        "height": model_classes_height(grid.labels, grid.models) + more,
        "margin": {"l": sizes.left, "r": sizes.right, "t": sizes.top + more, "b": BOTTOM, "autoexpand": False},
        "hoverdistance": -1,
        "dragmode": False,
        "clickmode": "none",
        "showlegend": False,
        "xaxis": x | {"title": _axis_title("prediction", theme), "range": [-0.5, len(columns) - 0.5]},
        "yaxis": y | {"title": _axis_title("class", theme), "range": [len(grid.labels) - 0.5, -0.5]},
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
        "textfont": {"size": 11, "color": [_ink_on(layers, i, k, theme) for i, k in places]},
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
    lines.append(f"F1 {score_text(row.f1, 4)}" + ("" if ends == MISSING else f" ({ends})"))
    if model != grid.baseline and row.difference is not None:
        ends = ends_text(row, "difference", difference_text, " to ")
        difference = difference_text(row.difference, 4) + ("" if ends == MISSING else f" ({ends})")
        lines += [f"minus {plotly_text(shorten(grid.baseline, 60))}: {difference}"]
        lines.append(verdict_text(row.verdict, row.remark))
    return "<br>".join(lines)


class _FigureSizes(NamedTuple):
    """Sizes in pixels and font sizes, chosen by the number of rows and columns; `most` is the maximum label length."""

    row: int
    font: int
    x_font: int
    angle: int
    most: int
    left: int
    right: int
    top: int


def _figure_sizes(row_labels: Sequence[str], column_labels: Sequence[str]) -> _FigureSizes:
    n = max(len(row_labels), len(column_labels))
    row, font, most = next(step for limit, *step in STEPS if n <= limit)
    x_font = font if len(column_labels) <= 100 else 6
    longest = max((min(len(label), most) for label in column_labels), default=0)
    label_width = round(longest * x_font * 0.6)
    angle = (
        0 if label_width < row / CELL_SHAPE - 4 and n <= HORIZONTAL_COLUMNS else -45 if n <= HORIZONTAL_COLUMNS else -90
    )
    label_height = {0: x_font, -45: round(label_width * 0.72) + x_font, -90: label_width}[angle]
    left = round(max((min(len(label), most) for label in row_labels), default=0) * font * 0.6) + 44
    right = round(label_width * 0.72) if angle == -45 else 16
    return _FigureSizes(row, font, x_font, angle, most, left, right, label_height + 52)


def _heatmap(layer: Layer, theme: Theme) -> dict[str, Any]:
    """The coloured cells, with their colour bar."""
    return {
        "type": "heatmap",
        "name": layer.name,
        "z": layer.z,
        "zmin": layer.low,
        "zmax": layer.high,
        "colorscale": layer.scale,
        "xgap": 1,
        "ygap": 1,
        "hoverinfo": "skip",
        "showscale": bool(np.isfinite(layer.z).any()),
        "colorbar": _bar(layer, theme),
    }


def _bar(layer: Layer, theme: Theme) -> dict[str, Any]:
    """A small horizontal colour bar below the matrix; that of misses is at the right."""
    marks, first = layer.marks(3, shares=True), layer.name == "hit"
    return {
        **{"orientation": "h", "x": 0 if first else 1, "xanchor": "left" if first else "right", "xpad": 0},
        **{"y": 0, "yanchor": "top", "ypad": 14, "len": 0.42, "lenmode": "fraction"},
        **{"thickness": 8, "outlinewidth": 0, "tickfont": {"size": 10, "color": theme.muted}},
        "tickvals": [place * layer.high for place, _ in marks],
        "ticktext": [text for _, text in marks],
    }


def _ink_on(layers: Sequence[Layer], row: int, column: int, theme: Theme) -> str:
    """A text colour that is readable on the cell."""
    colour = cell_colour(layers, row, column)
    return text_colour_on(colour) if colour else theme.muted


def _cell_axis(labels: Sequence[str], most: int, font: int, theme: Theme) -> dict[str, Any]:
    """An axis of cells with a label each, at most `most` characters long."""
    n = len(labels)
    return {
        "tickmode": "array",
        "tickvals": list(range(n)),
        "ticktext": [plotly_text(shorten(label, most)) for label in labels],
        "tickfont": {"size": font},
        "ticklabelstandoff": 3,
        "ticks": "",
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
        # Lines between cells, visible through the gaps of the heatmaps.
        "minor": {"tickvals": [k - 0.5 for k in range(n + 1)], "showgrid": True, "gridcolor": theme.grid},
    }


def _axis_title(text: str, theme: Theme) -> dict[str, Any]:
    return {"text": text, "standoff": 8, "font": {"size": 12, "color": theme.muted}}
