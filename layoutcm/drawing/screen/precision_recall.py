"""The precision-recall plane: classes as points, with a name at every point.

Classes crowd where models are good. A name stands beside its point where it covers nothing; otherwise it moves to a
list at the right, in the order of the points' heights, with a line that leads to it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from layoutcm.drawing.matrix_layers import classes_in_use
from layoutcm.drawing.palette import Theme, label_colours, rgba
from layoutcm.drawing.screen.charts import class_hover, share_axis
from layoutcm.drawing.screen.matrix import base_layout, plotly_text
from layoutcm.layouts.model import Floats
from layoutcm.metrics.confusion import Confusion
from layoutcm.wording import shorten

HEIGHT = 560
MARGIN = {"l": 60, "r": 140, "t": 46, "b": 50}
# Names are placed as on a narrow screen; on a wider one points only move apart.
PLANE_WIDTH, PLANE_HEIGHT = 420, HEIGHT - MARGIN["t"] - MARGIN["b"]
LINE = 13  # pixels a line of names needs
TOP = 1.06  # where the axes end, a little above 100 %
MOST_LISTED = 24  # names at most; with more, nobody could follow the lines
LIST_AT = 1.1  # the list's place on the recall axis
Box = tuple[float, float, float, float]


def precision_recall_plane(confusion: Confusion, theme: Theme, background: bool = False) -> go.Figure:
    """Classes as points, recall to the right and precision up, with curves of equal F1; area follows gt pixels."""
    values = confusion.class_values()
    both = np.isfinite(values["recall"]) & np.isfinite(values["precision"])
    positions = [i for i in classes_in_use(confusion, background) if both[i]]
    x, y = values["recall"][positions], values["precision"][positions]
    names = [shorten(confusion.labels[i], 22) for i in positions]
    colours = label_colours(confusion.labels)
    diameters = _diameters(values["gt_pixels"][positions])
    places = name_places(x, y, names, diameters)
    in_list = [k for k, place in enumerate(places) if not place][:MOST_LISTED]
    heights = spread_apart(y[in_list], TOP * LINE / PLANE_HEIGHT, TOP)
    figure = go.Figure(_iso_f1_curves(theme))
    for k, height in zip(in_list, heights):
        figure.add_trace(_leader(x[k], y[k], height, names[k], colours[confusion.labels[positions[k]]], theme))
    figure.add_trace(
        go.Scatter(
            name="classes",
            x=x,
            y=y,
            mode="markers+text",
            text=[plotly_text(name) if place else "" for name, place in zip(names, places)],
            textposition=[place or "middle right" for place in places],
            textfont={"size": 11},
            marker={
                "size": diameters,
                "color": [rgba(colours[confusion.labels[i]], 0.75) for i in positions],
                "line": {"color": theme.text, "width": 0.8},
            },
            customdata=positions,
            hoverinfo="text",
            hovertext=[class_hover(confusion, values, i) for i in positions],
            cliponaxis=False,
        )
    )
    figure.update_layout(**base_layout(theme), height=HEIGHT, margin=MARGIN, showlegend=False)
    ticks = {"tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1]}
    share_axis(figure, "x", theme, title="recall", range=[0, LIST_AT], **ticks)
    share_axis(figure, "y", theme, title="precision", range=[0, TOP], **ticks)
    return figure


def _diameters(pixels: Floats) -> list[float]:
    """Areas follow pixels; clipped, so that all can be hit and none covers all."""
    top = float(pixels.max(initial=0)) or 1.0
    return np.clip(34 * np.sqrt(pixels / top), 7, 34).tolist()


def _iso_f1_curves(theme: Theme) -> list[go.Scatter]:
    """Their names stand above the plane, where no point can be."""
    curves = []
    for f1 in (0.2, 0.4, 0.6, 0.8, 0.9):
        recall = np.linspace(f1 / (2 - f1), 1, 60)
        precision = f1 * recall / (2 * recall - f1)
        curves.append(
            go.Scatter(
                x=[recall[0], *recall],
                y=[TOP, *precision],
                mode="lines+text",
                line={"color": rgba(theme.muted, 0.6), "width": 1, "dash": "dot"},
                text=[f"F1 {f1:g}"] + [""] * 60,
                textposition="top center",
                textfont={"size": 10, "color": theme.muted},
                hoverinfo="skip",
                cliponaxis=False,
            )
        )
    return curves


def _leader(x: float, y: float, height: float, name: str, colour: str, theme: Theme) -> go.Scatter:
    return go.Scatter(
        name="leader",
        x=[x, LIST_AT],
        y=[y, height],
        mode="lines+text",
        line={"color": rgba(colour, 0.7), "width": 1},
        text=["", f" {plotly_text(name)}"],
        textposition="middle right",
        textfont={"size": 11, "color": theme.text},
        hoverinfo="skip",
        cliponaxis=False,
    )


def name_places(x: Floats, y: Floats, names: Sequence[str], diameters: Sequence[float]) -> list[str | None]:
    """Where each point's name may stand without covering another name or point; None where nowhere.

    Earlier points, which are larger classes, choose first.
    """
    across, up = PLANE_WIDTH / LIST_AT, PLANE_HEIGHT / TOP
    points = [
        (across * a - d / 2, up * b - d / 2, across * a + d / 2, up * b + d / 2) for a, b, d in zip(x, y, diameters)
    ]
    taken = list(points)
    places: list[str | None] = [None] * len(names)
    for k, name in enumerate(names):
        for place, box in _boxes_beside(points[k], 6.2 * len(name)).items():
            if (
                min(box) > 0
                and box[2] < PLANE_WIDTH
                and box[3] < PLANE_HEIGHT
                and not any(_overlap(box, other) for other in taken)
            ):
                places[k] = place
                taken.append(box)
                break
    return places


def _boxes_beside(point: Box, wide: float) -> dict[str, Box]:
    """The boxes that a name would take beside a point, y up."""
    left, low, right, high = point
    x, y = (left + right) / 2, (low + high) / 2
    return {
        "middle right": (right + 1, y - 7, right + 1 + wide, y + 7),
        "middle left": (left - 1 - wide, y - 7, left - 1, y + 7),
        "top center": (x - wide / 2, high + 1, x + wide / 2, high + 15),
        "bottom center": (x - wide / 2, low - 15, x + wide / 2, low - 1),
    }


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def spread_apart(values: Floats, gap: float, top: float) -> list[float]:
    """Places as near to the values as can be, in their order, at least `gap` apart, between 0 and `top` if they fit.

    With k * gap added to the k-th from above, places must only never rise; where values do, neighbours take their mean.
    """
    order = np.argsort(-values, kind="stable")
    blocks: list[tuple[float, int]] = []  # mean, members
    for k, value in enumerate(values[order].tolist()):
        mean, members = value + k * gap, 1
        while blocks and blocks[-1][0] < mean:
            above, others = blocks.pop()
            mean, members = (mean * members + above * others) / (members + others), members + others
        blocks.append((mean, members))
    steps = np.arange(len(values)) * gap
    level = np.repeat([mean for mean, _ in blocks], [members for _, members in blocks])
    places = np.empty(len(values))
    places[order] = np.clip(level, steps[-1:].sum(), top) - steps
    return places.tolist()
