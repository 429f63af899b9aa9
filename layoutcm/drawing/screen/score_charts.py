"""Plotly charts of scores: precision, recall and F1 over the threshold, reliability, ROC."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from layoutcm.diagnosis.score_curves import ScoreCurves
from layoutcm.drawing.palette import SCORE_COLOURS, Theme, scale_colour
from layoutcm.drawing.score_points import ThresholdPoints, roc_points, threshold_points
from layoutcm.drawing.screen.charts import share_axis
from layoutcm.drawing.screen.figure_basics import base_layout
from layoutcm.metrics.scores import SCORES
from layoutcm.tables.matrix_views import SCORE_TITLES
from layoutcm.wording import percent, score_text, shorten, thin_spaced

MOST_POINTS = 400  # more points are not visible on a screen
TITLE_LENGTH = 60


def threshold_curve_figure(curves: ScoreCurves, label: str | None, theme: Theme) -> go.Figure:
    """Precision, recall and F1 of a label, or of all labels (None), over the score threshold; the best F1 is marked."""
    points = threshold_points(curves, label, MOST_POINTS)
    figure = go.Figure([_make_line(points, score) for score in SCORES if len(points.rows)])
    if points.best_text:
        figure.add_trace(_make_best_point(points, theme))
        figure.add_vline(points.best_threshold, line={"color": theme.muted, "width": 1, "dash": "dash"})
    figure.update_layout(**_layout(points.title, theme))
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    share_axis(figure, "x", theme, title="score threshold", tickformat=".1f", tickvals=ticks, range=[0, 1.02])
    share_axis(figure, "y", theme, tickvals=ticks, range=[0, 1.02])
    return figure


def _make_line(points: ThresholdPoints, score: str) -> dict[str, Any]:
    thresholds, values = points.rows["threshold"].tolist(), points.rows[score].tolist()
    return {
        "type": "scatter",
        "name": SCORE_TITLES[score],
        "x": thresholds,
        "y": [None if value != value else value for value in values],  # nan
        "mode": "lines",
        # A value holds from the threshold before it up to its own.
        "line": {"color": SCORE_COLOURS[score], "width": 2, "shape": "vh"},
        "hoverinfo": "text",
        "hovertext": [
            f"score {score_text(threshold)} or more<br>{SCORE_TITLES[score]} {score_text(value, 4)}"
            for threshold, value in zip(thresholds, values)
        ],
    }


def _make_best_point(points: ThresholdPoints, theme: Theme) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": points.best_text,
        "x": [points.best_threshold],
        "y": [points.best_f1],
        "mode": "markers",
        "marker": {"color": SCORE_COLOURS["f1"], "size": 11, "line": {"color": theme.text, "width": 1}},
        "cliponaxis": False,
        "hoverinfo": "text",
        "hovertext": [points.best_text],
    }


def reliability_figure(curves: ScoreCurves, label: str, theme: Theme) -> go.Figure:
    """The share of pixels that gt labels so, in tenths of the scores, beside the mean score; equal if calibrated."""
    table = curves.reliability(label)
    rows: list[dict[Any, Any]] = table[table["pixels"] > 0].to_dict("records")
    middles = [(row["above"] + row["up_to"]) / 2 for row in rows]
    hover = [_reliability_hover(row) for row in rows]
    bars = {
        "type": "bar",
        "name": "share of pixels that gt labels so",
        "x": middles,
        "y": [row["share_in_gt"] for row in rows],
        "width": 0.09,
        "marker": {"color": scale_colour(theme.hit, 0.7), "line": {"width": 0}},
    }
    means = {
        "type": "scatter",
        "name": "mean score",
        "x": middles,
        "y": [row["mean_score"] for row in rows],
        "mode": "markers",
        "marker": {"color": theme.text, "symbol": "line-ew", "size": 26, "line": {"color": theme.text, "width": 2.5}},
        "cliponaxis": False,
    }
    figure = go.Figure([trace | {"hoverinfo": "text", "hovertext": hover} for trace in (bars, means)])
    figure.update_layout(**_layout(f"{shorten(label, TITLE_LENGTH)}, ECE {score_text(curves.ece[label])}", theme))
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    share_axis(figure, "x", theme, title="score", tickformat=".1f", tickvals=ticks, range=[0, 1])
    share_axis(figure, "y", theme, tickvals=ticks, range=[0, 1.02])
    return figure


def roc_figure(curves: ScoreCurves, label: str, theme: Theme) -> go.Figure:
    """True positives over false positives, as shares of pixels; the diagonal is what scores at random would have."""
    table = roc_points(curves, label, MOST_POINTS)
    rows: list[dict[Any, Any]] = table.to_dict("records")
    line = {
        "type": "scatter",
        "name": "pixels with at least a score",
        "x": table["false_positives"].tolist(),
        "y": table["true_positives"].tolist(),
        "mode": "lines",
        "line": {"color": SCORE_COLOURS["recall"], "width": 2},
        "hoverinfo": "text",
        "hovertext": [_roc_hover(row) for row in rows],
    }
    chance = {
        "type": "scatter",
        "name": "scores at random",
        "x": [0, 1],
        "y": [0, 1],
        "mode": "lines",
        "line": {"color": theme.muted, "width": 1, "dash": "dash"},
        "hoverinfo": "skip",
    }
    figure = go.Figure([line, chance])
    auc = f"ROC AUC {score_text(curves.roc_auc[label])}"
    figure.update_layout(**_layout(f"{shorten(label, TITLE_LENGTH)}, {auc}", theme))
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    share_axis(figure, "x", theme, title="share of the other pixels", tickvals=ticks, range=[0, 1.02])
    share_axis(figure, "y", theme, title="share of the label's pixels", tickvals=ticks, range=[0, 1.02])
    return figure


def _roc_hover(row: dict[Any, Any]) -> str:
    shares = (
        f"{percent(row['true_positives'])} of the label's pixels<br>{percent(row['false_positives'])} of the others"
    )
    return f"score {score_text(min(row['threshold'], 1.0))} or more<br>{shares}"


def _reliability_hover(row: dict[Any, Any]) -> str:
    return (
        f"scores above {row['above']:.1f} up to {row['up_to']:.1f}<br>{thin_spaced(row['pixels'])} px<br>"
        f"mean score {score_text(row['mean_score'])}<br>share in gt {percent(row['share_in_gt'])}"
    )


def _layout(title: str, theme: Theme) -> dict[str, Any]:
    legend = {"orientation": "h", "x": 0, "y": -0.2, "yanchor": "top", "font": {"size": 11}}
    return {
        **base_layout(theme, shorten(title, TITLE_LENGTH)),
        "height": 380,
        "margin": {"l": 56, "r": 16, "t": 44, "b": 20},
        "legend": legend,
        "showlegend": True,
    }
