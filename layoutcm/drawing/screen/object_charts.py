"""Plotly charts of objects: precision over recall per label, and the object confusion matrix with its margins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from layoutcm.drawing.palette import Theme, label_colours, line_colour
from layoutcm.drawing.screen.charts import share_axis
from layoutcm.drawing.screen.figure_basics import base_layout, plotly_text
from layoutcm.layouts.model import Floats
from layoutcm.metrics.objects.average_precision import envelope
from layoutcm.wording import percent, score_text, shorten

if TYPE_CHECKING:
    import pandas as pd

CURVE_POINTS = 400  # more points are not visible on a screen


class Curve(NamedTuple):
    """The curve of one label, highest score first; the arrays are float64[points], `ap` is nan if undefined."""

    label: str
    ap: float
    score: Floats
    precision: Floats
    recall: Floats


def curve_points(label: str, ap: float, ranked: pd.DataFrame, rule: str) -> Curve:
    """The curve of a ranking under which the AP rule computes the area, with at most CURVE_POINTS points.

    The rule `sum` uses the plain precision, the other rules its envelope.
    """
    score, precision, recall = (ranked[name].to_numpy() for name in ("score", "precision", "recall"))
    precision = precision if rule == "sum" else envelope(precision)
    kept = np.unique(np.linspace(0, len(score) - 1, min(CURVE_POINTS, len(score))).round().astype(int))
    return Curve(label, ap, score[kept], precision[kept], recall[kept])


def curves_figure(curves: Sequence[Curve], labels: Sequence[str], theme: Theme) -> go.Figure:
    """The curves of some labels; colours are chosen among all `labels`, so that they do not change with the choice."""
    colours = label_colours(labels)
    traces = [_make_curve(curve, line_colour(colours[curve.label], theme)) for curve in curves]
    return _with_share_axes(go.Figure(traces), theme)


def _make_curve(curve: Curve, colour: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": f"{plotly_text(shorten(curve.label, 26))} {score_text(curve.ap)}",
        "x": curve.recall,
        "y": curve.precision,
        "mode": "lines" if len(curve.recall) > 1 else "markers",
        "line": {"color": colour, "width": 2},
        "hoverinfo": "text",
        "hovertext": _curve_hovers(curve),
    }


def _curve_hovers(curve: Curve) -> list[str]:
    name = plotly_text(curve.label)
    return [
        f"<b>{name}</b><br>recall {percent(recall)}<br>precision {percent(precision)}<br>"
        f"score {score_text(score)} or more"
        for score, precision, recall in zip(curve.score, curve.precision, curve.recall)
    ]


def points_figure(classes: pd.DataFrame, labels: Sequence[str], theme: Theme) -> go.Figure:
    """One point per label instead of a curve, if there is no ranking; `classes` is `Objects.class_scores_at`."""
    colours = label_colours(labels)
    traces = []
    for row in classes.to_dict("records"):
        label, precision, recall = str(row["label"]), float(row["precision"]), float(row["recall"])
        if np.isfinite(precision) and np.isfinite(recall):
            traces.append(_make_point(label, precision, recall, colours[label], theme))
    return _with_share_axes(go.Figure(traces), theme)


def _make_point(label: str, precision: float, recall: float, colour: str, theme: Theme) -> dict[str, Any]:
    text = f"<b>{plotly_text(label)}</b><br>recall {percent(recall)}<br>precision {percent(precision)}"
    return {
        "type": "scatter",
        "name": plotly_text(shorten(label, 26)),
        "x": [recall],
        "y": [precision],
        "mode": "markers",
        "marker": {"color": colour, "size": 11, "line": {"color": theme.text, "width": 0.8}},
        "cliponaxis": False,
        "hoverinfo": "text",
        "hovertext": [text],
    }


def _with_share_axes(figure: go.Figure, theme: Theme) -> go.Figure:
    legend = {"orientation": "h", "x": 0, "y": -0.2, "yanchor": "top", "font": {"size": 11}}
    figure.update_layout(
        **base_layout(theme), height=440, margin={"l": 56, "r": 16, "t": 24, "b": 20}, legend=legend, showlegend=True
    )
    ticks = {"tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1], "range": [0, 1.02]}
    share_axis(figure, "x", theme, title="recall", **ticks)
    share_axis(figure, "y", theme, title="precision", **ticks)
    return figure
