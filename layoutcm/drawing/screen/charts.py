"""Draw charts with Plotly, in the colours of a theme."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.diagnosis.pixels_by_score import thinned
from layoutcm.drawing.charts import CellChart, LineChart, Mark, Part, RowChart, plotly_text
from layoutcm.drawing.matrix_layers import Layer, cell_colour
from layoutcm.drawing.palette import CAUSE_COLOURS, SCORE_COLOURS, Theme, line_colour, scale_colour, text_colour_on
from layoutcm.metrics.objects.centroids import Centroids
from layoutcm.results.verdict import BETTER, WORSE
from layoutcm.wording import shorten

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
CONFIG: dict[str, Any] = {
    "displaylogo": False,
    "scrollZoom": False,
    # A double click would zoom back and lose the view.
    "doubleClick": False,
    "modeBarButtonsToRemove": ["zoom2d", "pan2d", "select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "svg", "filename": "layoutcm"},
}
LEGEND_ABOVE = {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "traceorder": "normal"}
LEGEND_BELOW = {"orientation": "h", "x": 0, "y": -0.2, "yanchor": "top", "font": {"size": 11}}
FIFTHS = [0, 0.2, 0.4, 0.6, 0.8, 1]
LABEL_LENGTH, TITLE_LENGTH = 26, 60
NO_WHISKER = "n/a"
MOST_SHIFTS = 4000  # points; more would only be slower


def draw(chart: RowChart | LineChart | CellChart, theme: Theme) -> go.Figure:
    """The Plotly figure of a chart."""
    if isinstance(chart, RowChart):
        return _row_figure(chart, theme)
    return _line_figure(chart, theme) if isinstance(chart, LineChart) else _cell_figure(chart, theme)


def lay_out(
    figure: go.Figure, theme: Theme, height: int, margins: tuple[int, ...], title: str | None = None, **more: Any
) -> None:
    """Set the layout of a figure; `margins` are left, right, top and bottom, in pixels."""
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
        "height": height,
        "margin": dict(zip("lrtb", margins)),
    }
    if title:
        corner = {"x": 0, "xref": "container", "xanchor": "left", "y": 1, "yanchor": "top", "pad": {"l": 8, "t": 8}}
        layout["title"] = {"text": plotly_text(title), "font": {"size": 14}, **corner}
    figure.update_layout(**layout | more)


def _role_colours(theme: Theme) -> dict[str, str]:
    """{role: its colour}. Identity has the colour of hits; mistakes are amber within the family and red outside it."""
    parts = {"identity": (theme.hit, 0.7), "in_family": (theme.miss, 0.38), "oof": (theme.miss, 0.88)}
    found = {part: scale_colour(scale, place) for part, (scale, place) in parts.items()}
    return SCORE_COLOURS | dict(zip(CAUSES, CAUSE_COLOURS)) | found


def _share_axis(theme: Theme, low: float = 0, high: float = 1.005) -> dict[str, Any]:
    return {
        "range": [low, high],
        "tickformat": ".0%",
        "ticks": "",
        "ticklabelstandoff": 2,
        "gridcolor": theme.grid,
        "zerolinecolor": theme.grid,
        "tickfont": {"color": theme.muted},
        "fixedrange": True,
    }


# Charts with rows.


class _RowLook(NamedTuple):
    """The height of a row and of everything around the rows, the margins, and the layout of the bars."""

    row: int
    around: int
    margins: tuple[int, int, int, int]
    layout: dict[str, Any]


ROW_LOOKS = {
    ("bars", "share"): _RowLook(34, 90, (8, 24, 56, 28), {"barmode": "group", "bargap": 0.25, "bargroupgap": 0.08}),
    ("stack", "share"): _RowLook(26, 90, (8, 24, 48, 28), {"barmode": "stack", "bargap": 0.22}),
    ("stack", "pixels"): _RowLook(40, 130, (8, 16, 64, 48), {"barmode": "stack", "bargap": 0.35}),
    ("dots", "score"): _RowLook(30, 110, (8, 24, 56, 28), {"showlegend": False}),
}


def row_chart_height(kind: str, unit: str, rows: int) -> int:
    """The height of a chart with rows, in pixels."""
    look = ROW_LOOKS[kind, unit]
    return look.row * rows + look.around


def _row_figure(chart: RowChart, theme: Theme) -> go.Figure:
    look, n, colours = ROW_LOOKS[chart.kind, chart.unit], len(chart.names), _role_colours(theme)
    draw_part = _dots if chart.kind == "dots" else _bars
    figure = go.Figure([draw_part(chart, part, colours[part.role], theme) for part in chart.parts])
    title = f"{chart.title}, {chart.axis_title}" if chart.title else None
    layout = look.layout if chart.kind == "dots" else look.layout | {"legend": LEGEND_ABOVE}
    lay_out(figure, theme, row_chart_height(chart.kind, chart.unit, n), look.margins, title, **layout)
    if chart.unit == "pixels":
        axis = {"title": _axis_title(chart.axis_title, theme, None), "gridcolor": theme.grid, "zeroline": False}
        figure.update_xaxes(**axis, fixedrange=True, rangemode="tozero")
    else:
        figure.update_xaxes(_share_axis(theme, chart.low, 1.02 if chart.kind == "dots" else 1.005))
    if not math.isnan(chart.whole):
        figure.add_vline(chart.whole, line={"color": theme.muted, "dash": "dash", "width": 1})
    names = [plotly_text(shorten(name, LABEL_LENGTH)) for name in chart.names]
    texts = [f"<b>{name}</b>" if k in chart.headings else name for k, name in enumerate(names)]
    # Plotly draws the first trace of a group lowest; reversing the axis puts it on top.
    figure.update_yaxes(_named_axis(texts, 4), range=[max(n, 1) - 0.5, -0.5], automargin=True)
    return figure


def _named_axis(texts: Sequence[str], distance: int) -> dict[str, Any]:
    """An axis with one of the texts at each whole number, `distance` pixels away from it."""
    ticks = {"tickmode": "array", "tickvals": list(range(len(texts))), "ticktext": list(texts), "ticks": ""}
    return ticks | {"ticklabelstandoff": distance, "showgrid": False, "zeroline": False, "fixedrange": True}


def _bars(chart: RowChart, part: Part, colour: str, theme: Theme) -> dict[str, Any]:
    rows = [k for k in range(len(part.values)) if k not in chart.headings]
    trace: dict[str, Any] = {
        "type": "bar",
        "name": part.title,
        "orientation": "h",
        "y": chart.places[rows].tolist(),
        "x": [none_if_nan(part.values[k]) for k in rows],
        "marker": {"color": colour, "line": {"width": 0}},
        "hoverinfo": "text",
        "hovertext": [part.hover[k] for k in rows],
        "textposition": "none",
    }
    if part.ends is not None:
        trace["error_x"] = _whiskers(part, theme, 2)
    if part.texts:
        inside = {"textposition": "inside", "insidetextanchor": "middle", "textangle": 0}
        font = {"size": 11, "color": text_colour_on(colour)}
        trace |= {"text": [part.texts[k] for k in rows], **inside, "textfont": font}
    return trace


def _dots(chart: RowChart, part: Part, _: str, theme: Theme) -> dict[str, Any]:
    """Dots that are filled if a difference is shown, in another colour if it is worse."""
    colours = [scale_colour(theme.miss if verdict == WORSE else theme.hit, 0.8) for verdict in chart.verdicts]
    fills = [
        colour if verdict in (BETTER, WORSE) else theme.background for colour, verdict in zip(colours, chart.verdicts)
    ]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [none_if_nan(value) for value in part.values],
        "y": list(range(len(chart.names))),
        "marker": {"size": 10, "color": fills, "line": {"color": colours, "width": 2}},
        "error_x": _whiskers(part, theme, 3),
        "customdata": list(chart.names),
        "hoverinfo": "text",
        "hovertext": part.hover,
    }


def _whiskers(part: Part, theme: Theme, width: int) -> dict[str, Any]:
    """Plotly error bars from values to the ends of their intervals; none where there is no interval."""
    assert part.ends is not None
    below, above = part.values - part.ends[:, 0], part.ends[:, 1] - part.values
    look = {"color": theme.text, "thickness": 1, "width": width}
    ends = {"array": [whisker_length(one) for one in above], "arrayminus": [whisker_length(one) for one in below]}
    return {"type": "data", "symmetric": False, **ends, **look}


def whisker_length(length: float) -> float | str:
    """The length of an error bar. Plotly draws a bar of length 0 for None, and nothing for a text."""
    return NO_WHISKER if math.isnan(length) else float(length)


def none_if_nan(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


# Charts with lines.


def _line_figure(chart: LineChart, theme: Theme) -> go.Figure:
    drawn = [mark for mark in chart.marks if mark.kind != "rule"]
    figure = go.Figure([_mark(mark, theme) for mark in drawn])
    for mark in chart.marks:
        if mark.kind == "rule":
            figure.add_vline(float(mark.x[0]), line={"color": theme.muted, "width": 1, "dash": "dash"})
    title = shorten(chart.title, TITLE_LENGTH)
    if chart.number and chart.number not in {mark.title for mark in drawn}:
        title = shorten(f"{title}, {chart.number}", TITLE_LENGTH)
    height, top = (380, 44) if title else (440, 24)
    lay_out(figure, theme, height, (56, 16, top, 20), title, legend=LEGEND_BELOW, showlegend=True)
    axis = _share_axis(theme, high=1.02) | {"tickvals": FIFTHS}
    figure.update_xaxes(axis | {"title": chart.x_title} | ({"tickformat": ".1f"} if chart.x_is_score else {}))
    figure.update_yaxes(axis | ({"title": chart.y_title} if chart.y_title else {}))
    if chart.x_ticks:
        figure.update_xaxes(range=[0, max(chart.x_ticks)], tickvals=list(chart.x_ticks), tickformat=".2~%")
        figure.update_yaxes(range=[chart.y_low, 1.005], tickvals=None)
    return figure


def _mark(mark: Mark, theme: Theme) -> dict[str, Any]:
    """The trace of a mark."""
    name = plotly_text(shorten(mark.title, LABEL_LENGTH)) if mark.is_label else mark.title
    trace: dict[str, Any] = {
        "type": "bar" if mark.kind == "bars" else "scatter",
        "name": f"{name} {mark.ap}" if mark.ap else name,
        "x": mark.x.tolist(),
        "y": [none_if_nan(value) for value in mark.y],
        "hoverinfo": "text" if mark.hover else "skip",
    }
    colour = mark.role if mark.is_label else SCORE_COLOURS.get(mark.role, theme.text)
    if mark.kind == "line":
        line = {"color": line_colour(colour, theme) if mark.is_label else colour, "width": 2}
        trace |= {"mode": "lines" if len(mark.x) > 1 else "markers", "line": line}
    elif mark.kind == "steps":
        trace |= {"mode": "lines", "line": {"color": colour, "width": 2, "shape": "vh"}}
    elif mark.kind == "dashed":
        trace |= {"mode": "lines", "line": {"color": theme.muted, "width": 1, "dash": "dash"}}
    elif mark.kind == "bars":
        trace |= {"width": 0.09, "marker": {"color": scale_colour(theme.hit, 0.7), "line": {"width": 0}}}
    elif mark.kind == "levels":
        line = {"color": colour, "width": 2.5}
        marker = {"color": colour, "symbol": "line-ew", "size": 26, "line": line}
        trace |= {"mode": "markers", "marker": marker, "cliponaxis": False}
    else:
        edge = {"color": theme.text, "width": 0.8 if mark.is_label else 1}
        trace |= {"mode": "markers", "marker": {"color": colour, "size": 11, "line": edge}, "cliponaxis": False}
    return trace | ({"hovertext": mark.hover} if mark.hover else {})


def shifts_figure(found: Centroids, theme: Theme) -> go.Figure:
    """One point per match, pred minus gt; y points down as on a page. The frame is the tolerance, the cross the median.

    If there are more than MOST_SHIFTS matches, evenly spaced ones are drawn.
    """
    kept = thinned(len(found.pairs), MOST_SHIFTS)
    (dx, dy), (x, y) = found.tolerance, found.distances[kept].T
    middle = np.median(found.distances, axis=0).tolist()
    points = {
        "type": "scattergl" if len(kept) > 1000 else "scatter", "name": "match", "mode": "markers",
        "x": x.tolist(), "y": y.tolist(), "marker": {"color": theme.accent, "size": 5, "opacity": 0.45},
        "hovertemplate": "%{x:+.1f} px in x, %{y:+.1f} px in y<extra></extra>",
    }  # fmt: skip
    cross = {
        "type": "scatter", "name": "median", "mode": "markers", "x": middle[:1], "y": middle[1:],
        "marker": {"symbol": "cross-thin", "size": 16, "line": {"color": theme.text, "width": 2.5}},
        "hovertemplate": "median: %{x:+.1f} px in x, %{y:+.1f} px in y<extra></extra>",
    }  # fmt: skip
    figure = go.Figure([points, cross])
    lay_out(figure, theme, 420, (56, 16, 40, 48), legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"})
    frame = {"type": "rect", "x0": -dx, "x1": dx, "y0": -dy, "y1": dy, "line": {"color": theme.muted, "dash": "dash"}}
    figure.add_shape(frame)
    look = {"gridcolor": theme.grid, "zerolinecolor": theme.muted, "fixedrange": True, "ticks": ""}
    figure.update_xaxes(title="shift in x, px", range=[-1.1 * dx, 1.1 * dx], **look)
    figure.update_yaxes(title="shift in y, px", range=[1.1 * dy, -1.1 * dy], **look)
    return figure


# Coloured cells.

# (maximum number of labels, pixels per row, font size, maximum label length)
STEPS = ((4, 56, 13, 26), (12, 40, 12, 26), (16, 34, 12, 24), (24, 26, 11, 24), (40, 19, 10, 22), (10**9, 15, 9, 20))
HORIZONTAL_COLUMNS = 16  # with more rows or columns, column names are vertical
CELL_SHAPE = 0.62  # height / width of a cell that can show a number
BELOW_CELLS = 56  # pixels


def cell_chart_height(rows: Sequence[str], columns: Sequence[str]) -> int:
    """The height of a chart of cells, in pixels."""
    sizes = _cell_sizes(rows, columns)
    return len(rows) * sizes.row + sizes.top + BELOW_CELLS


def _cell_figure(chart: CellChart, theme: Theme) -> go.Figure:
    """Traces: the layers (the colours), numbers, cells (for hover texts; customdata is [row name, column name])."""
    layers, sizes = chart.layers(theme), _cell_sizes(chart.rows, chart.sized_for)
    traces = [*(_heatmap(layer, theme) for layer in layers), *_cell_texts(chart, layers, theme)]
    x = _cell_axis(chart.columns, sizes.most, sizes.x_font, theme) | {"side": "top", "tickangle": sizes.angle}
    y = _cell_axis(chart.rows, sizes.most, sizes.font, theme)
    figure = go.Figure(traces)
    margins = (sizes.left, sizes.right, sizes.top, BELOW_CELLS)
    lay_out(figure, theme, cell_chart_height(chart.rows, chart.sized_for), margins, showlegend=False)
    figure.update_layout(hoverdistance=-1, dragmode=False, clickmode="none", margin={"autoexpand": False})
    figure.update_xaxes(x | {"title": _axis_title("prediction", theme), "range": [-0.5, len(chart.columns) - 0.5]})
    figure.update_yaxes(y | {"title": _axis_title("class", theme), "range": [len(chart.rows) - 0.5, -0.5]})
    if chart.outlined is not None:
        ends = {"x0": chart.outlined - 0.5, "x1": chart.outlined + 0.5, "y0": -0.5, "y1": len(chart.rows) - 0.5}
        figure.add_shape({"type": "rect", **ends, "line": {"color": theme.text, "width": 1.5}})
    return figure


def _cell_texts(chart: CellChart, layers: Sequence[Layer], theme: Theme) -> Iterable[dict[str, Any]]:
    """The number of each cell, a dot where there is no number, and invisible points for hover texts."""
    places = [(i, k) for i in range(len(chart.rows)) for k in range(len(chart.columns))]
    common = {"type": "scatter", "x": [k for _, k in places], "y": [i for i, _ in places], "showlegend": False}
    colours = [cell_colour(layers, i, k) for i, k in places]
    inks = [text_colour_on(colour) if colour else theme.muted for colour in colours]
    texts = [chart.numbers[i][k] or "·" for i, k in places]
    font = {"size": 11, "color": inks}
    yield common | {"name": "numbers", "mode": "text", "text": texts, "textfont": font, "hoverinfo": "skip"}
    invisible = {"mode": "markers", "opacity": 0, "marker": {"size": 4, "maxdisplayed": 1}}
    pairs = [[chart.rows[i], chart.columns[k]] for i, k in places]
    hover = {"customdata": pairs, "hoverinfo": "text", "hovertext": [chart.hover[i][k] for i, k in places]}
    yield common | {"name": "cells", **invisible, **hover}


class _CellSizes(NamedTuple):
    """Sizes in pixels and font sizes, chosen by the number of rows and columns; `most` is the maximum label length."""

    row: int
    font: int
    x_font: int
    angle: int
    most: int
    left: int
    right: int
    top: int


def _cell_sizes(row_labels: Sequence[str], column_labels: Sequence[str]) -> _CellSizes:
    n = max(len(row_labels), len(column_labels))
    row, font, most = next(step for limit, *step in STEPS if n <= limit)
    x_font = font if len(column_labels) <= 100 else 6
    longest = max((min(len(label), most) for label in column_labels), default=0)
    label_width = round(longest * x_font * 0.6)
    is_flat = label_width < row / CELL_SHAPE - 4
    angle = -90 if n > HORIZONTAL_COLUMNS else 0 if is_flat else -45
    label_height = {0: x_font, -45: round(label_width * 0.72) + x_font, -90: label_width}[angle]
    left = round(max((min(len(label), most) for label in row_labels), default=0) * font * 0.6) + 44
    right = round(label_width * 0.72) if angle == -45 else 16
    return _CellSizes(row, font, x_font, angle, most, left, right, label_height + 52)


def _heatmap(layer: Layer, theme: Theme) -> dict[str, Any]:
    """The coloured cells of a layer; the colour bar of hits is below them at the left, that of misses at the right."""
    marks, first = layer.marks(3, shares=True), layer.name == "hit"
    bar = {
        **{"orientation": "h", "x": 0 if first else 1, "xanchor": "left" if first else "right", "xpad": 0},
        **{"y": 0, "yanchor": "top", "ypad": 14, "len": 0.42, "lenmode": "fraction"},
        **{"thickness": 8, "outlinewidth": 0, "tickfont": {"size": 10, "color": theme.muted}},
        "tickvals": [place * layer.high for place, _ in marks],
        "ticktext": [text for _, text in marks],
    }
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
        "showscale": layer.name != "noise" and bool(np.isfinite(layer.z).any()),
        "colorbar": bar,
    }


def _cell_axis(labels: Sequence[str], most: int, font: int, theme: Theme) -> dict[str, Any]:
    """An axis of cells with a label each, at most `most` characters long."""
    texts = [plotly_text(shorten(label, most)) for label in labels]
    # Lines between cells, visible through the gaps of the heatmaps.
    lines = {"tickvals": [k - 0.5 for k in range(len(labels) + 1)], "showgrid": True, "gridcolor": theme.grid}
    return _named_axis(texts, 3) | {"tickfont": {"size": font}, "minor": lines}


def _axis_title(text: str, theme: Theme, standoff: int | None = 8) -> dict[str, Any]:
    return {"text": text, "standoff": standoff, "font": {"size": 12, "color": theme.muted}}
