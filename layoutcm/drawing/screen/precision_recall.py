"""The precision-recall plane: classes as named points.

Points are close together where a model is good. A name is next to its point if it covers no other name or point;
otherwise it goes to a list at the right, ordered by precision, with a line from the point to the name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from layoutcm.drawing.matrix_layers import classes_in_use
from layoutcm.drawing.palette import Theme, label_colours, rgba
from layoutcm.drawing.screen.charts import class_hover, share_axis
from layoutcm.drawing.screen.figure_basics import base_layout, plotly_text
from layoutcm.layouts.model import Floats
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.matrix_views import Selection
from layoutcm.wording import shorten

HEIGHT = 560
MARGIN = {"l": 60, "r": 140, "t": 46, "b": 50}
# Names are placed for a narrow screen; on a wider one the points are only farther apart.
PLANE_WIDTH, PLANE_HEIGHT = 420, HEIGHT - MARGIN["t"] - MARGIN["b"]
LINE = 13  # height of a name in the list, in pixels
TOP = 1.06  # end of the precision axis, a little above 100 %
MOST_NAMES_IN_LIST = 24  # more lines would be hard to follow
LIST_AT = 1.1  # position of the list on the recall axis
Box = tuple[float, float, float, float]


class ClassPoints(NamedTuple):
    """The points of the plane, one per class: position of its label, recall, precision, and how it is shown."""

    positions: list[int]
    recall: Floats
    precision: Floats
    names: list[str]
    colours: list[str]
    diameters: list[float]
    hover: list[str]


def precision_recall_plane(
    confusion: Confusion, theme: Theme, background: bool = False, selection: Selection | None = None
) -> go.Figure:
    """Classes as points, recall to the right, precision up, with curves of equal F1; areas grow with gt pixels."""
    points = _collect_points(confusion, classes_in_use(confusion, background, selection))
    places = name_places(points.recall, points.precision, points.names, points.diameters)
    in_list = [k for k, place in enumerate(places) if not place][:MOST_NAMES_IN_LIST]
    heights = spread_apart(points.precision[in_list], TOP * LINE / PLANE_HEIGHT, TOP)
    leaders = [_make_leader(points, k, height, theme) for k, height in zip(in_list, heights)]
    figure = go.Figure([*_make_f1_curves(theme), *leaders, _make_markers(points, places, theme)])
    figure.update_layout(**base_layout(theme), height=HEIGHT, margin=MARGIN, showlegend=False)
    ticks = {"tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1]}
    share_axis(figure, "x", theme, title="recall", range=[0, LIST_AT], **ticks)
    share_axis(figure, "y", theme, title="precision", range=[0, TOP], **ticks)
    return figure


def _collect_points(confusion: Confusion, classes: Sequence[int]) -> ClassPoints:
    """Those of the classes that have both scores."""
    values = confusion.class_values()
    both = np.isfinite(values["recall"]) & np.isfinite(values["precision"])
    positions = [i for i in classes if both[i]]
    labels = [confusion.labels[i] for i in positions]
    colours = label_colours(confusion.labels)
    return ClassPoints(
        positions,
        values["recall"][positions],
        values["precision"][positions],
        names=[shorten(label, 22) for label in labels],
        colours=[colours[label] for label in labels],
        diameters=_diameters(values["gt_pixels"][positions]),
        hover=[class_hover(confusion, values, i) for i in positions],
    )


def _diameters(pixels: Floats) -> list[float]:
    """Point diameters for areas proportional to pixels; clipped, so that no point is too small or too large."""
    top = float(pixels.max(initial=0)) or 1.0
    return np.clip(34 * np.sqrt(pixels / top), 7, 34).tolist()


def _make_markers(points: ClassPoints, places: Sequence[str | None], theme: Theme) -> dict[str, Any]:
    """The points, and the names that have a place next to theirs."""
    return {
        "type": "scatter",
        "name": "classes",
        "x": points.recall,
        "y": points.precision,
        "mode": "markers+text",
        "text": [plotly_text(name) if place else "" for name, place in zip(points.names, places)],
        "textposition": [place or "middle right" for place in places],
        "textfont": {"size": 11},
        "marker": {
            "size": points.diameters,
            "color": [rgba(colour, 0.75) for colour in points.colours],
            "line": {"color": theme.text, "width": 0.8},
        },
        "customdata": points.positions,
        "hoverinfo": "text",
        "hovertext": points.hover,
        "cliponaxis": False,
    }


def _make_f1_curves(theme: Theme) -> list[dict[str, Any]]:
    """Curves of equal F1; their names are above the plane, where no points are."""
    curves = []
    for f1 in (0.2, 0.4, 0.6, 0.8, 0.9):
        recall = np.linspace(f1 / (2 - f1), 1, 60)
        precision = f1 * recall / (2 * recall - f1)
        curve = {
            "type": "scatter",
            "x": [recall[0], *recall],
            "y": [TOP, *precision],
            "mode": "lines+text",
            "line": {"color": rgba(theme.muted, 0.6), "width": 1, "dash": "dot"},
            "text": [f"F1 {f1:g}"] + [""] * 60,
            "textposition": "top center",
            "textfont": {"size": 10, "color": theme.muted},
            "hoverinfo": "skip",
            "cliponaxis": False,
        }
        curves.append(curve)
    return curves


def _make_leader(points: ClassPoints, k: int, height: float, theme: Theme) -> dict[str, Any]:
    """The line from the k-th point to its name in the list."""
    return {
        "type": "scatter",
        "name": "leader",
        "x": [points.recall[k], LIST_AT],
        "y": [points.precision[k], height],
        "mode": "lines+text",
        "line": {"color": rgba(points.colours[k], 0.7), "width": 1},
        "text": ["", f" {plotly_text(points.names[k])}"],
        "textposition": "middle right",
        "textfont": {"size": 11, "color": theme.text},
        "hoverinfo": "skip",
        "cliponaxis": False,
    }


def name_places(x: Floats, y: Floats, names: Sequence[str], diameters: Sequence[float]) -> list[str | None]:
    """The Plotly text position of each name where it covers no other name or point; None if there is none.

    Positions are chosen in the given order, larger classes first.
    """
    across, up = PLANE_WIDTH / LIST_AT, PLANE_HEIGHT / TOP
    points = [
        (across * a - d / 2, up * b - d / 2, across * a + d / 2, up * b + d / 2) for a, b, d in zip(x, y, diameters)
    ]
    taken = list(points)
    places: list[str | None] = [None] * len(names)
    for k, name in enumerate(names):
        for place, box in _name_boxes(points[k], 6.2 * len(name)).items():
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


def _name_boxes(point: Box, width: float) -> dict[str, Box]:
    """The possible boxes of a name next to a point, by Plotly text position; y up."""
    left, low, right, high = point
    x, y = (left + right) / 2, (low + high) / 2
    return {
        "middle right": (right + 1, y - 7, right + 1 + width, y + 7),
        "middle left": (left - 1 - width, y - 7, left - 1, y + 7),
        "top center": (x - width / 2, high + 1, x + width / 2, high + 15),
        "bottom center": (x - width / 2, low - 15, x + width / 2, low - 1),
    }


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def spread_apart(values: Floats, gap: float, top: float) -> list[float]:
    """Positions close to the values, in the same order, at least `gap` apart, and between 0 and `top` if they fit.

    After adding k * gap to the k-th largest value, the positions only have to be non-increasing. This is isotonic
    regression: adjacent blocks that violate the order are replaced by their mean.
    """
    order = np.argsort(-values, kind="stable")
    blocks: list[tuple[float, int]] = []  # (mean, number of members)
    for k, value in enumerate(values[order].tolist()):
        mean, members = value + k * gap, 1
        while blocks and blocks[-1][0] < mean:
            previous, others = blocks.pop()
            mean, members = (mean * members + previous * others) / (members + others), members + others
        blocks.append((mean, members))
    steps = np.arange(len(values)) * gap
    level = np.repeat([mean for mean, _ in blocks], [members for _, members in blocks])
    places = np.empty(len(values))
    places[order] = np.clip(level, steps[-1:].sum(), top) - steps
    return places.tolist()
