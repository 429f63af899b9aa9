"""Plotly charts of objects and of scores: precision over recall, thresholds, reliability, ROC."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from layoutcm.diagnosis.score_curves import ScoreCurves
from layoutcm.drawing.palette import SCORE_COLOURS, Theme, label_colours, line_colour, scale_colour
from layoutcm.drawing.score_points import ThresholdPoints, roc_points, threshold_points
from layoutcm.drawing.screen.charts import base_layout, lay_out, plotly_text, share_axis
from layoutcm.layouts.model import Floats
from layoutcm.metrics.objects.average_precision import envelope
from layoutcm.metrics.objects.centroids import Centroids
from layoutcm.metrics.scores import SCORES
from layoutcm.tables.matrix_views import SCORE_TITLES
from layoutcm.wording import percent, score_text, shorten, thin_spaced

if TYPE_CHECKING:
    import pandas as pd

CURVE_POINTS = 400  # more points are not visible on a screen
MOST_POINTS = 400  # more points are not visible on a screen
TITLE_LENGTH = 60


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
    lay_out(figure, theme, 440, (56, 16, 24, 20), legend=legend, showlegend=True)
    ticks = {"tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1], "range": [0, 1.02]}
    share_axis(figure, "x", theme, title="recall", **ticks)
    share_axis(figure, "y", theme, title="precision", **ticks)
    return figure


MOST_SHIFTS = 4000  # points; more are only slower


def shifts_figure(found: Centroids, theme: Theme) -> go.Figure:
    """One point per match, pred minus gt; y points down as on a page. The frame is the tolerance, the cross the median.

    Of more than MOST_SHIFTS matches, evenly spaced ones are drawn.
    """
    kept = np.unique(np.linspace(0, len(found.pairs) - 1, min(len(found.pairs), MOST_SHIFTS)).round().astype(int))
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
    legend = {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"}
    lay_out(figure, theme, 420, (56, 16, 40, 48), legend=legend)
    frame = {"type": "rect", "x0": -dx, "x1": dx, "y0": -dy, "y1": dy, "line": {"color": theme.muted, "dash": "dash"}}
    figure.add_shape(frame)
    look = {"gridcolor": theme.grid, "zerolinecolor": theme.muted, "fixedrange": True, "ticks": ""}
    figure.update_xaxes(title="shift in x, px", range=[-1.1 * dx, 1.1 * dx], **look)
    figure.update_yaxes(title="shift in y, px", range=[1.1 * dy, -1.1 * dy], **look)
    return figure


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
    above, up_to = (score_text(row[end], 1) for end in ("above", "up_to"))
    return (
        f"scores above {above} up to {up_to}<br>{thin_spaced(row['pixels'])} px<br>"
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
