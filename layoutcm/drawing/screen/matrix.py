"""Matrices on the screen: Plotly heatmaps with separate colours for errors, and the basics of all screen figures.

Rows are gt, columns are pred. The functions do not depend on Streamlit. A heatmap cannot be clicked in Streamlit, so
every cell has an invisible point; its customdata is [gt position, pred position].
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from layoutcm.drawing.matrix_layers import Layer, cell_colour, cell_text, matrix_layers, tick_text
from layoutcm.drawing.palette import Theme, text_colour_on
from layoutcm.layouts.model import GT, PRED, Floats
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.drawn_labels import JOINED_CELL, DrawnMatrix, drawn_matrix
from layoutcm.tables.matrix_views import VIEW_TITLES, Selection, view_values
from layoutcm.wording import percent, score_text, shorten, thin_spaced

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
CONFIG: dict[str, Any] = {
    "displaylogo": False,
    "scrollZoom": False,
    # Plotly would treat two quick clicks on two cells as a double click and zoom.
    "doubleClick": False,
    "modeBarButtonsToRemove": ["zoom2d", "pan2d", "select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "svg", "filename": "layoutcm"},
}
TEXT_COLUMNS = 16


def plotly_text(text: str) -> str:
    """Escape text for Plotly, which would interpret HTML tags and pass text between two `$` to MathJax."""
    return html.escape(text, quote=False).replace("$", "&#36;")


def base_layout(theme: Theme, title: str | None = None) -> dict[str, Any]:
    """The layout settings that all figures have in common."""
    layout: dict[str, Any] = {
        # Streamlit drops Plotly's own template; without any, a figure looks the same everywhere.
        "template": go.layout.Template(),
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 12, "color": theme.text},
        "hoverlabel": {
            "bgcolor": theme.background,
            "bordercolor": theme.muted,
            "font": {"family": FONT, "size": 12, "color": theme.text},
            "align": "left",
        },
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": theme.muted, "activecolor": theme.accent},
        "hovermode": "closest",
    }
    if title:
        corner = {"x": 0, "xref": "container", "xanchor": "left", "y": 1, "yanchor": "top", "pad": {"l": 8, "t": 8}}
        layout["title"] = {"text": plotly_text(title), "font": {"size": 14}, **corner}
    return layout


class FigureSizes(NamedTuple):
    """Sizes in pixels and font sizes, chosen by the number of rows and columns; `most` is the maximum label length."""

    row: int
    font: int
    x_font: int
    angle: int
    most: int
    left: int
    right: int
    top: int


def figure_sizes(row_labels: Sequence[str], column_labels: Sequence[str]) -> FigureSizes:
    n = max(len(row_labels), len(column_labels))
    row, font, most = next(step for limit, *step in STEPS if n <= limit)
    x_font = font if len(column_labels) <= 100 else 6
    longest = max((min(len(label), most) for label in column_labels), default=0)
    label_width = round(longest * x_font * 0.6)
    angle = 0 if label_width < row / CELL_SHAPE - 4 and n <= TEXT_COLUMNS else -45 if n <= TEXT_COLUMNS else -90
    label_height = {0: x_font, -45: round(label_width * 0.72) + x_font, -90: label_width}[angle]
    left = round(max((min(len(label), most) for label in row_labels), default=0) * font * 0.6) + 44
    right = round(label_width * 0.72) if angle == -45 else 16
    return FigureSizes(row, font, x_font, angle, most, left, right, label_height + 52)


# (maximum number of labels, pixels per row, font size, maximum label length)
STEPS = ((4, 56, 13, 26), (12, 40, 12, 26), (16, 34, 12, 24), (24, 26, 11, 24), (40, 19, 10, 22), (10**9, 15, 9, 20))
CELL_SHAPE = 0.62  # height / width of a cell that can show a number


def matrix_figure(
    confusion: Confusion,
    view: str = "recall",
    *,
    selection: Selection,
    theme: Theme,
    log: bool = False,
    selected: tuple[int, int] | None = None,
    title: str | None = None,
    height: int | None = None,
    unit: str = "px",
    clickable: bool = False,
) -> go.Figure:
    """One view as a heatmap; `selection` has label positions in drawing order.

    More labels than can be drawn are joined. `selected` is (gt position, pred position) and gets an outline. Traces:
    hit, miss, numbers, cells (for clicks). `unit` is what the matrix counts. Without `clickable` clicks are ignored,
    because a click makes the numbers pale.
    """
    drawn = drawn_matrix(confusion, selection)
    confusion, selection, chosen = drawn.confusion, drawn.selection, drawn.place_of(selected)
    values = view_values(confusion, view)[np.ix_(*selection)]
    shares = view != "pixels"
    layers = matrix_layers(confusion, view, selection, theme, log)
    traces = [heatmap_trace(layer, theme, shares) for layer in layers]
    traces += [_numbers(values, layers, theme, shares), _cells(drawn, view, unit)]
    layout = _layout(confusion, selection, theme, title, height)
    layout["clickmode"] = "event+select" if clickable else "none"
    if chosen is not None:
        layout["shapes"] = [_outline(*chosen, theme)]
    # Created in one call: Plotly validates the figure again at every later change.
    return go.Figure(traces, layout)


def heatmap_trace(layer: Layer, theme: Theme, shares: bool) -> dict[str, Any]:
    """The coloured cells of one layer, with its colour bar."""
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
        "colorbar": _bar(layer, theme, shares),
    }


def _bar(layer: Layer, theme: Theme, shares: bool) -> dict[str, Any]:
    """A small horizontal colour bar below the matrix: hits at the left, misses at the right."""
    ticks = layer.ticks(3)
    first = layer.name == "hit"
    return {
        **{"orientation": "h", "x": 0 if first else 1, "xanchor": "left" if first else "right", "xpad": 0},
        **{"y": 0, "yanchor": "top", "ypad": 14, "len": 0.42, "lenmode": "fraction"},
        **{"thickness": 8, "outlinewidth": 0, "tickfont": {"size": 10, "color": theme.muted}},
        "tickvals": [place for place, _ in ticks],
        "ticktext": [tick_text(value, shares) for _, value in ticks],
    }


def _numbers(values: Floats, layers: Sequence[Layer], theme: Theme, shares: bool) -> dict[str, Any]:
    """The numbers in the cells, if the columns are wide enough, and a small dot where a value does not exist."""
    has_text = np.isnan(values) | ((values > 0) & (values.shape[1] <= TEXT_COLUMNS))
    y, x = np.nonzero(has_text)
    show = cell_text(shares)
    return {
        "type": "scatter",
        "name": "numbers",
        "x": x,
        "y": y,
        "mode": "text",
        "text": ["·" if math.isnan(value) else show(value) for value in values[has_text]],
        "textfont": {"size": 11, "color": [ink_on(layers, i, j, theme) for i, j in zip(y.tolist(), x.tolist())]},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def ink_on(layers: Sequence[Layer], row: int, column: int, theme: Theme) -> str:
    """A text colour that is readable on the cell."""
    colour = cell_colour(layers, row, column)
    return text_colour_on(colour) if colour else theme.muted


def _cells(drawn: DrawnMatrix, view: str, unit: str) -> dict[str, Any]:
    """Invisible points, one per cell, for hover texts and clicks."""
    confusion, selection, positions = drawn
    pairs = list(product(*selection))
    y, x = np.divmod(np.arange(len(pairs)), max(len(selection.columns), 1))
    names = [plotly_text(shorten(label, 60)) for label in confusion.labels]
    return {
        "type": "scatter",
        "name": "cells",
        "x": x,
        "y": y,
        "mode": "markers",
        "opacity": 0,
        # Points that are not drawn still react to the pointer, and drawing thousands is slow.
        "marker": {"size": 4, "maxdisplayed": 1},
        "customdata": [[positions[i], positions[j]] for i, j in pairs],
        "hoverinfo": "text",
        "hovertext": [_hover(confusion, names, view, i, j, unit) for i, j in pairs],
        "showlegend": False,
    }


def _hover(confusion: Confusion, names: Sequence[str], view: str, i: int, j: int, unit: str) -> str:
    value = float(view_values(confusion, view)[i, j])
    lines = [f"gt <b>{names[i]}</b>", f"pred <b>{names[j]}</b>"]
    if view != "pixels":
        lines.append(f"{VIEW_TITLES[view]} " + score_text(value, 6))
    lines += [
        f"{percent(float(confusion.recall[i, j]))} of gt {names[i]}",
        f"{percent(float(confusion.precision[i, j]))} of pred {names[j]}",
        f"{thin_spaced(float(confusion.values[i, j]))} {unit}",
    ]
    if i == j and i in confusion.joined:
        lines.append(JOINED_CELL)
    return "<br>".join(lines)


def _outline(row: int, column: int, theme: Theme) -> dict[str, Any]:
    corners = {"x0": column - 0.5, "x1": column + 0.5, "y0": row - 0.5, "y1": row + 0.5}
    return {"type": "rect", **corners, "line": {"color": theme.text, "width": 2.5}}


def _layout(
    confusion: Confusion, selection: Selection, theme: Theme, title: str | None, height: int | None
) -> dict[str, Any]:
    rows, columns = selection
    sizes = figure_sizes([confusion.labels[i] for i in rows], [confusion.labels[j] for j in columns])
    top, bottom = sizes.top + (20 if title else 0), 56
    x = cell_axis([confusion.labels[j] for j in columns], sizes.most, sizes.x_font, theme)
    y = cell_axis([confusion.labels[i] for i in rows], sizes.most, sizes.font, theme)
    x |= {"title": axis_title(confusion.side_names[PRED], theme), "side": "top", "tickangle": sizes.angle}
    return base_layout(theme, title) | {
        "height": height or len(rows) * sizes.row + top + bottom,
        "margin": {"l": sizes.left, "r": sizes.right, "t": top, "b": bottom, "autoexpand": False},
        "hoverdistance": -1,
        "dragmode": False,
        "showlegend": False,
        # No fixed aspect ratio: the matrix fills the available width.
        "xaxis": x | {"range": [-0.5, len(columns) - 0.5]},
        "yaxis": y | {"title": axis_title(confusion.side_names[GT], theme), "range": [len(rows) - 0.5, -0.5]},
    }


def cell_axis(labels: Sequence[str], most: int, font: int, theme: Theme) -> dict[str, Any]:
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


def axis_title(text: str, theme: Theme) -> dict[str, Any]:
    return {"text": text, "standoff": 8, "font": {"size": 12, "color": theme.muted}}
