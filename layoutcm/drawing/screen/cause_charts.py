"""Plotly charts of causes: what of each label is missing and too much in pred, and F1 over the tolerance of borders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from layoutcm.diagnosis.causes import Causes
from layoutcm.drawing.palette import CAUSE_COLOURS, Theme
from layoutcm.drawing.screen.charts import label_axis, or_none, share_axis
from layoutcm.drawing.screen.figure_basics import base_layout, plotly_text
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.cause_shares import FORGIVEN, cause_shares, tolerance_text
from layoutcm.tables.matrix_views import Selection
from layoutcm.wording import percent, pixels_in_full, score_text

if TYPE_CHECKING:
    import pandas as pd

SIDE_TITLES = ("missing in pred: of the gt pixels of the label", "too much in pred: of its pred pixels")
DASHES = ("solid", "dash", "dot")


def cause_bars(
    causes: Causes, confusion: Confusion, theme: Theme, most: int = 40, selection: Selection | None = None
) -> go.Figure:
    """Stacked bars of the labels, gt on the left, pred on the right; at most the `most` labels with most gt pixels.

    `confusion` is the matrix of the same pages, with method `matrix`.
    """
    shares = cause_shares(causes, confusion, selection)
    labels = shares.labels[:most]
    figure = make_subplots(rows=1, cols=2, subplot_titles=SIDE_TITLES, shared_yaxes=True, horizontal_spacing=0.06)
    for column, values in enumerate((shares.gt[:most], shares.pred[:most]), start=1):
        for k in shares.occurring:
            part = _make_part(causes.names[k], CAUSE_COLOURS[k], labels, values[:, k].tolist())
            figure.add_trace(part | {"showlegend": column == 1}, row=1, col=column)
        label_axis(figure, labels, len(labels), row=1, col=column)
    above = 1 + 34 / (28 * max(len(labels), 1) + 8)  # above the titles of the two sides
    figure.update_layout(
        **base_layout(theme),
        barmode="stack",
        bargap=0.3,
        height=28 * len(labels) + 120,
        margin={"l": 8, "r": 16, "t": 84, "b": 28},
        legend={"orientation": "h", "y": above, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
    )
    figure.update_annotations(font={"size": 13})
    longest = max((float(np.nansum(side, axis=1).max(initial=0)) for side in (shares.gt, shares.pred)), default=0)
    share_axis(figure, "x", theme, range=[0, 1.03 * max(longest, 0.01)])  # the same on both sides
    return figure


def _make_part(cause: str, colour: str, labels: Sequence[str], values: Sequence[float]) -> dict[str, Any]:
    """The bars of one cause on one side."""
    names = [f"<b>{plotly_text(label)}</b><br>{cause}: " for label in labels]
    return {
        "type": "bar",
        "orientation": "h",
        "name": cause,
        "legendgroup": cause,
        "x": [or_none(value) for value in values],
        "y": list(range(len(labels))),
        "marker": {"color": colour, "line": {"width": 0}},
        "hoverinfo": "text",
        "hovertext": [name + percent(value) for name, value in zip(names, values)],
    }


def model_cause_bars(table: pd.DataFrame, theme: Theme) -> go.Figure:
    """One stacked bar of wrong pixels per prediction; `table` is that of `Leaderboard.causes`. n/a is not drawn."""
    models, totals = table["model"].tolist(), table.drop(columns="model").sum(axis=1, skipna=False).tolist()
    figure = go.Figure()
    for cause, colour in zip(table.columns[1:], CAUSE_COLOURS):
        pixels = table[cause].tolist()
        part = _make_part(cause, colour, models, pixels)
        part["hovertext"] = [
            f"<b>{plotly_text(model)}</b><br>{cause}: {percent(value / (total or 1))}, {pixels_in_full(value)} px"
            for model, value, total in zip(models, pixels, totals)
        ]
        figure.add_trace(part)
    figure.update_layout(
        **base_layout(theme),
        barmode="stack",
        bargap=0.35,
        height=model_causes_height(len(models)),
        margin={"l": 8, "r": 16, "t": 64, "b": 48},
        legend={"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
    )
    label_axis(figure, models, len(models))
    title = {"text": "wrong pixels", "font": {"size": 12, "color": theme.muted}}
    figure.update_xaxes(title=title, gridcolor=theme.grid, zeroline=False, fixedrange=True, rangemode="tozero")
    return figure


def model_causes_height(models: int) -> int:
    return 40 * models + 130


def forgiveness_figure(table: pd.DataFrame, theme: Theme) -> go.Figure:
    """F1 over the tolerance of borders, a line for each average; `table` is that of `Comparison.forgiveness`."""
    figure = go.Figure()
    tolerances = table["tolerance"].tolist()
    for (name, title), dash in zip(FORGIVEN.items(), DASHES):
        values = table[name].tolist()
        hover = [f"{title}, {tolerance_text(t)}: {score_text(value)}" for t, value in zip(tolerances, values)]
        line = {
            "type": "scatter",
            "mode": "lines+markers",
            "name": title,
            "x": tolerances,
            "y": [or_none(value) for value in values],
            "line": {"color": theme.accent, "dash": dash},
            "hoverinfo": "text",
            "hovertext": hover,
        }
        figure.add_trace(line)
    figure.update_layout(
        **base_layout(theme),
        height=320,
        margin={"l": 56, "r": 16, "t": 48, "b": 48},
        legend={"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
    )
    share_axis(figure, "y", theme, range=None, title={"text": "F1", "font": {"size": 12, "color": theme.muted}})
    axis = {"text": "tolerance of borders, share of the longer page side", "font": {"size": 12, "color": theme.muted}}
    share_axis(figure, "x", theme, range=None, tickformat=".2~%", tickvals=tolerances, title=axis)
    return figure
