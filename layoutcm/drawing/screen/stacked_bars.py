"""Plotly charts of stacked bars: causes of wrong pixels by prediction, and shares of labels in their families."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from layoutcm.diagnosis.causes import Causes
from layoutcm.drawing.margin_matrices import PART_NAMES, Row, chart_rows
from layoutcm.drawing.palette import CAUSE_COLOURS, Theme, scale_colour, text_colour_on
from layoutcm.drawing.screen.charts import LEGEND_ABOVE, label_axis, lay_out, or_none, plotly_text, share_axis
from layoutcm.layouts.model import SIDES
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.family_confusion import PARTS, FamilyConfusion
from layoutcm.metrics.family_trees import preferred_name
from layoutcm.tables.matrix_views import Selection
from layoutcm.tables.why import FORGIVEN, cause_shares
from layoutcm.wording import percent, percent_brief, pixels_in_full, plain_percent, score_text, shorten, thin_spaced

if TYPE_CHECKING:
    import pandas as pd

SIDE_TITLES = ("missing in pred: of the gt pixels of the label", "too much in pred: of its pred pixels")
DASHES = ("solid", "dash", "dot")
SMALLEST_WITH_NUMBER = 0.06


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
    legend, height = LEGEND_ABOVE | {"y": above}, 28 * len(labels) + 120
    lay_out(figure, theme, height, (8, 16, 84, 28), barmode="stack", bargap=0.3, legend=legend)
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
    height = model_causes_height(len(models))
    lay_out(figure, theme, height, (8, 16, 64, 48), barmode="stack", bargap=0.35, legend=LEGEND_ABOVE)
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
        hover = [f"{title}, {plain_percent(t)}: {score_text(value)}" for t, value in zip(tolerances, values)]
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
    lay_out(figure, theme, 320, (56, 16, 48, 48), legend=LEGEND_ABOVE)
    share_axis(figure, "y", theme, range=None, title={"text": "F1", "font": {"size": 12, "color": theme.muted}})
    axis = {"text": "tolerance of borders, share of the longer page side", "font": {"size": 12, "color": theme.muted}}
    share_axis(figure, "x", theme, range=None, tickformat=".2~%", tickvals=tolerances, title=axis)
    return figure


def family_bars(families: FamilyConfusion, side: int, theme: Theme) -> go.Figure:
    """A stacked bar of 100 % for each label of a side: right, in family, out of family."""
    rows = chart_rows(families, side)
    labels = [(k, row.values) for k, row in enumerate(rows) if row.values is not None]
    unit = "px" if families.sample == "pixel" else "pages"
    hover = [_hover(values, side, unit) for _, values in labels]
    figure = go.Figure([_make_part_bars(part, labels, hover, theme) for part in PARTS])
    lay_out(figure, theme, 26 * len(rows) + 90, (8, 24, 48, 28), barmode="stack", bargap=0.22, legend=LEGEND_ABOVE)
    share_axis(figure, "x", theme)
    label_axis(figure, [row.name for row in rows], max(len(rows), 1))
    figure.update_yaxes(ticktext=[_tick(row) for row in rows])
    return figure


def _make_part_bars(
    part: str, labels: Sequence[tuple[int, dict[str, Any]]], hover: Sequence[str], theme: Theme
) -> dict[str, Any]:
    """The pieces of one part in all bars; `labels` are (row of the chart, values)."""
    colour = part_colour(part, theme)
    return {
        "type": "bar",
        "name": PART_NAMES[part],
        "orientation": "h",
        "y": [k for k, _ in labels],
        "x": [values[part] for _, values in labels],
        "marker": {"color": colour, "line": {"width": 0}},
        "text": [_number(values[part]) for _, values in labels],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "textfont": {"size": 11, "color": text_colour_on(colour)},
        "hoverinfo": "text",
        "hovertext": hover,
    }


def part_colour(part: str, theme: Theme) -> str:
    """Identity has the colour of hits; mistakes are amber in the family and red out of it."""
    scale, place = {"identity": (theme.hit, 0.7), "in_family": (theme.miss, 0.38), "oof": (theme.miss, 0.88)}[part]
    return scale_colour(scale, place)


def _tick(row: Row) -> str:
    name = plotly_text(shorten(row.name, 26))
    return f"<b>{name}</b>" if row.values is None else name


def _number(value: float) -> str:
    return percent_brief(value) if value >= SMALLEST_WITH_NUMBER else ""


def _hover(values: dict[str, Any], side: int, unit: str) -> str:
    lines = [f"{SIDES[side]} <b>{plotly_text(values['label'])}</b>, {thin_spaced(values['total'])} {unit}"]
    lines += [f"{percent(values[part])} {PART_NAMES[part]}" for part in PARTS]
    if values["preferred"] is not None:
        lines.append(f"mostly confused with {plotly_text(preferred_name(values['preferred']))}")
    return "<br>".join(lines)
