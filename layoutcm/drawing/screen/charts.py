"""The bars of classes, the dots of slices, and what all Plotly figures have in common: text, axes, layout of a theme.

A slice whose verdict is better or worse than the rest has a filled dot, in another colour if it is worse. Undefined
values are not drawn.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from layoutcm.drawing.matrix_layers import classes_in_use
from layoutcm.drawing.palette import SCORE_COLOURS, Theme, scale_colour
from layoutcm.layouts.model import Floats
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.scores import SCORES
from layoutcm.results.verdict import BETTER, WORSE
from layoutcm.tables.matrix_views import SCORE_TITLES, Selection
from layoutcm.tables.slice_tables import SliceTable
from layoutcm.wording import difference_text, plural, score_text, shorten, thin_spaced

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
LEGEND_ABOVE = {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "traceorder": "normal"}
CONFIG: dict[str, Any] = {
    "displaylogo": False,
    "scrollZoom": False,
    # A double click would zoom back and lose the view.
    "doubleClick": False,
    "modeBarButtonsToRemove": ["zoom2d", "pan2d", "select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "svg", "filename": "layoutcm"},
}


def plotly_text(text: str) -> str:
    """Escape text for Plotly, which would interpret HTML tags and pass text between two `$` to MathJax."""
    return html.escape(text, quote=False).replace("$", "&#36;")


def lay_out(
    figure: go.Figure, theme: Theme, height: int, margins: tuple[int, ...], title: str | None = None, **more: Any
) -> None:
    """Set the layout of a figure; `margins` are left, right, top and bottom, in pixels."""
    figure.update_layout(**base_layout(theme, title), height=height, margin=dict(zip("lrtb", margins)), **more)


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


MOST_BARS = 40  # classes of a chart, unless more are asked for
NO_WHISKER = "n/a"


def class_bars(
    confusion: Confusion,
    theme: Theme,
    most: int = MOST_BARS,
    background: bool = False,
    intervals: Mapping[str, Floats] | None = None,
    selection: Selection | None = None,
) -> go.Figure:
    """Precision, recall and F1 of the classes in use, at most the `most` classes with the most gt pixels.

    `intervals` is {score: float64[labels, low high]}, drawn as whiskers.
    """
    positions = _limit_classes(classes_in_use(confusion, background, selection), most)
    values = confusion.class_values()
    hover = [class_hover(confusion, values, i, intervals) for i in positions]
    figure = go.Figure()
    for score in SCORES:
        whiskers = _whiskers(values[score][positions], intervals[score][positions], theme) if intervals else None
        figure.add_trace(_make_score_bars(score, values[score], positions, hover) | {"error_x": whiskers})
    _lay_out_bars(figure, len(positions), theme)
    share_axis(figure, "x", theme)
    # Plotly draws the first trace of a group lowest; the reversed axis puts it first.
    label_axis(figure, [confusion.labels[i] for i in positions], len(positions))
    return figure


def score_bars(labels: Sequence[str], values: Mapping[str, Floats], theme: Theme) -> go.Figure:
    """Precision, recall and F1 of labels, {score: float64[labels]}."""
    hover = [
        "<br>".join([f"<b>{plotly_text(label)}</b>",
                     *(f"{SCORE_TITLES[score]} {score_text(float(values[score][i]), 4)}" for score in SCORES)])
        for i, label in enumerate(labels)
    ]  # fmt: skip
    places = range(len(labels))
    figure = go.Figure([_make_score_bars(score, values[score], places, hover) for score in SCORES])
    _lay_out_bars(figure, len(labels), theme)
    share_axis(figure, "x", theme)
    label_axis(figure, list(labels), len(labels))
    return figure


def _lay_out_bars(figure: go.Figure, rows: int, theme: Theme) -> None:
    bars: dict[str, Any] = {"barmode": "group", "bargap": 0.25, "bargroupgap": 0.08}
    lay_out(figure, theme, 34 * rows + 90, (8, 24, 56, 28), legend=LEGEND_ABOVE, **bars)


def _limit_classes(positions: list[int], most: int) -> list[int]:
    """The first `most` classes; Background, which is last, is kept."""
    if len(positions) <= most:
        return positions
    last = positions[-1:] if positions[-1] == 0 else []
    return positions[: most - len(last)] + last


def _make_score_bars(score: str, values: Floats, positions: Sequence[int], hover: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": SCORE_TITLES[score],
        "orientation": "h",
        "y": list(range(len(positions))),
        "x": [or_none(values[i]) for i in positions],
        "marker": {"color": SCORE_COLOURS[score], "line": {"width": 0}},
        "customdata": list(positions),
        "hoverinfo": "text",
        "hovertext": hover,
        "textposition": "none",
    }


def class_hover(
    confusion: Confusion, values: dict[str, Floats], i: int, intervals: Mapping[str, Floats] | None = None
) -> str:
    scores = [f"{SCORE_TITLES[score]} {score_text(float(values[score][i]), 4)}" for score in SCORES]
    if intervals:
        ends = [[score_text(float(end)) for end in intervals[score][i]] for score in SCORES]
        scores = [f"{text} ({low} – {high})" for text, (low, high) in zip(scores, ends)]
    pixels = [f"{side} {thin_spaced(float(values[f'{side}_pixels'][i]))} px" for side in ("gt", "pred")]
    return "<br>".join([f"<b>{plotly_text(confusion.labels[i])}</b>", *scores, *pixels])


def _whiskers(values: Iterable[float], ends: Iterable[Sequence[float]], theme: Theme, width: int = 2) -> dict[str, Any]:
    """Plotly error bars from values to both ends, (low, high), of their intervals; none where there is no interval."""
    lengths = [(value - low, high - value) for value, (low, high) in zip(values, ends)]
    below, above = ([or_no_whisker(one[end]) for one in lengths] for end in (0, 1))
    look = {"color": theme.text, "thickness": 1, "width": width}
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, **look}


def or_no_whisker(length: float) -> float | str:
    """The length of an error bar. Plotly draws a bar of length 0 for None, and nothing for a text."""
    return NO_WHISKER if math.isnan(length) else float(length)


def or_none(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def share_axis(figure: go.Figure, axis: str, theme: Theme, **more: Any) -> None:
    style = {
        "tickformat": ".0%",
        "ticks": "",
        "ticklabelstandoff": 2,
        "gridcolor": theme.grid,
        "zerolinecolor": theme.grid,
        "tickfont": {"color": theme.muted},
        "fixedrange": True,
    }
    (figure.update_xaxes if axis == "x" else figure.update_yaxes)(**({"range": [0, 1.005]} | style | more))


def label_axis(figure: go.Figure, labels: Sequence[str], places: int, **where: int) -> None:
    axis: dict[str, Any] = {
        "tickmode": "array",
        "tickvals": list(range(len(labels))),
        "ticktext": [plotly_text(shorten(label, 26)) for label in labels],
        "range": [places - 0.5, -0.5],
        "automargin": True,
        "ticklabelstandoff": 4,
        "ticks": "",
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }
    figure.update_yaxes(**axis, **where)


def slices_figure(slices: SliceTable, theme: Theme) -> go.Figure:
    """F1 with interval of every slice, in the order of the table."""
    rows, names = slices.data.to_dict("records"), slices.names
    values = [row[slices.figure] for row in rows]
    colours = [scale_colour(theme.miss if row["verdict"] == WORSE else theme.hit, 0.8) for row in rows]
    filled = [row["verdict"] in (BETTER, WORSE) for row in rows]
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": [None if math.isnan(value) else value for value in values],
        "y": list(range(len(rows))),
        "marker": {
            "size": 10,
            "color": [colour if full else theme.background for colour, full in zip(colours, filled)],
            "line": {"color": colours, "width": 2},
        },
        "error_x": _whiskers(values, [(row["low"], row["high"]) for row in rows], theme, width=3),
        "customdata": names,
        "hoverinfo": "text",
        "hovertext": [_hover(*one) for one in zip(names, values, rows)],
    }
    figure = go.Figure([dots])
    title = f"{plotly_text(slices.title)}, {slices.figure_title}"
    lay_out(figure, theme, 30 * len(rows) + 110, (8, 24, 56, 28), title=title, showlegend=False)
    share_axis(figure, "x", theme, range=[slices.low_end, 1.02])
    if not math.isnan(slices.whole):
        figure.add_vline(slices.whole, line={"color": theme.muted, "dash": "dash", "width": 1})
    label_axis(figure, names, len(rows))
    return figure


def _hover(name: str, f1: float, row: dict[Any, Any]) -> str:
    value = f"F1 {score_text(f1)}"
    if not math.isnan(row["low"]):
        value += f" ({score_text(row['low'])} – {score_text(row['high'])})"
    lines = [f"<b>{plotly_text(name)}</b>", value, f"{difference_text(row['difference'])} against the rest"]
    lines += [row["verdict"]] if row["verdict"] else []
    return "<br>".join([*lines, f"{plural(row['pages'], 'page')}, {plural(row['documents'], 'document')}"])
