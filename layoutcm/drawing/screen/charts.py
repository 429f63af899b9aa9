"""The bars of classes, and axes that several Plotly charts share.

Undefined values are not drawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from layoutcm.drawing.matrix_layers import classes_in_use
from layoutcm.drawing.palette import SCORE_COLOURS, Theme
from layoutcm.drawing.screen.figure_basics import base_layout, plotly_text
from layoutcm.layouts.model import Floats
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.scores import SCORES
from layoutcm.tables.matrix_views import SCORE_TITLES, Selection
from layoutcm.wording import score_text, shorten, thin_spaced

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
        whiskers = _whiskers(values[score], intervals[score], positions, theme) if intervals else None
        figure.add_trace(_make_score_bars(score, values[score], positions, hover) | {"error_x": whiskers})
    figure.update_layout(**_bars_layout(len(positions), theme))
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
    figure.update_layout(**_bars_layout(len(labels), theme))
    share_axis(figure, "x", theme)
    label_axis(figure, list(labels), len(labels))
    return figure


def _bars_layout(rows: int, theme: Theme) -> dict[str, Any]:
    return {
        **base_layout(theme),
        "barmode": "group",
        "bargap": 0.25,
        "bargroupgap": 0.08,
        "height": 34 * rows + 90,
        "margin": {"l": 8, "r": 24, "t": 56, "b": 28},
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
    }


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


def _whiskers(values: Floats, ends: Floats, positions: Sequence[int], theme: Theme) -> dict[str, Any]:
    """Plotly error bars from the value to both ends of its interval; none where there is no interval."""
    below, above = (
        [or_no_whisker(sign * (ends[i, end] - values[i])) for i in positions] for end, sign in ((0, -1), (1, 1))
    )
    look = {"color": theme.text, "thickness": 1, "width": 2}
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
