"""The Plotly chart of matched centroids: how far the regions of pred are from those of gt."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from layoutcm.drawing.palette import Theme
from layoutcm.drawing.screen.figure_basics import base_layout
from layoutcm.metrics.objects.centroids import Centroids

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
    figure.update_layout(**base_layout(theme), height=420, margin={"l": 56, "r": 16, "t": 40, "b": 48}, legend=legend)
    frame = {"type": "rect", "x0": -dx, "x1": dx, "y0": -dy, "y1": dy, "line": {"color": theme.muted, "dash": "dash"}}
    figure.add_shape(frame)
    look = {"gridcolor": theme.grid, "zerolinecolor": theme.muted, "fixedrange": True, "ticks": ""}
    figure.update_xaxes(title="shift in x, px", range=[-1.1 * dx, 1.1 * dx], **look)
    figure.update_yaxes(title="shift in y, px", range=[1.1 * dy, -1.1 * dy], **look)
    return figure
