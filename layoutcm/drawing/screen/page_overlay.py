"""A page on the screen: its image or a blank sheet, and the regions of both sides drawn over it.

Coordinates are page pixels, y down. gt lines are solid and thick, pred lines dashed and thin, so that both are visible
where they coincide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from layoutcm.drawing.palette import Theme, rgba
from layoutcm.drawing.screen.figure_basics import base_layout, plotly_text
from layoutcm.layouts.model import SIDES
from layoutcm.wording import score_text, shorten

# Horizontal position of the hover point in a box, as a share of its width; different, so that equal boxes have two.
POINT_AT = {"gt": 0.45, "pred": 0.55}
POINTS_PER_BOX = 8


def page_overlay(
    width: float,
    height: float,
    boxes: Sequence[Mapping[str, Any]],
    theme: Theme,
    image: str | None = None,
    zoom: tuple[float, float, float, float] | None = None,
    height_px: int = 900,
) -> go.Figure:
    """Regions over a page; `boxes` have side, label, colour, x0, y0, x1, y1, score (or None) and number.

    One trace for each (side, label): the outlines of its boxes, and a point near the centre of each. customdata of
    every point is [side, number]. `image` is a data URI; `zoom` is (x0, y0, x1, y1) in page pixels.
    """
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for box in sorted(boxes, key=lambda box: SIDES.index(box["side"])):
        groups.setdefault((box["side"], box["label"]), []).append(box)
    firsts = dict(reversed(groups))  # {side: its first label}
    traces = [
        _outlines(side, label, members, theme, first=firsts[side] == label) for (side, label), members in groups.items()
    ]
    return go.Figure(traces, _sheet(width, height, theme, image, zoom, height_px))


def _outlines(side: str, label: str, boxes: Sequence[Mapping[str, Any]], theme: Theme, first: bool) -> dict[str, Any]:
    x: list[float | None] = []
    y: list[float | None] = []
    for box in boxes:
        x0, y0, x1, y1 = (float(box[edge]) for edge in ("x0", "y0", "x1", "y1"))
        x += [x0, x1, x1, x0, x0, None, x0 + POINT_AT[side] * (x1 - x0), None]
        y += [y0, y0, y1, y1, y0, None, (y0 + y1) / 2, None]
    colour = boxes[0]["colour"]
    is_gt = side == "gt"
    return {
        "type": "scatter",
        "name": plotly_text(f"{side}: {shorten(label, 26)}"),
        "x": x,
        "y": y,
        "mode": "lines+markers",
        "line": {"color": rgba(colour, 0.5) if is_gt else colour, "width": 4 if is_gt else 2}
        | ({} if is_gt else {"dash": "5px,3px"}),
        "marker": {
            "size": [0, 0, 0, 0, 0, 0, 5, 0] * len(boxes),
            "symbol": "circle" if is_gt else "diamond",
            "color": colour,
            "opacity": 0.7,
            "line": {"color": theme.background, "width": 1},
        },
        "customdata": [[side, box["number"]] for box in boxes for _ in range(POINTS_PER_BOX)],
        "hoverinfo": "text",
        "hovertext": [text for box in boxes for text in [_hover(box)] * POINTS_PER_BOX],
        "legendgroup": side,
        "legendgrouptitle": {"text": "gt, solid" if is_gt else "pred, dashed"} if first else None,
    }


def _hover(box: Mapping[str, Any]) -> str:
    lines = [f"{box['side']} <b>{plotly_text(box['label'])}</b>"]
    if box.get("score") is not None:
        lines.append(f"score {score_text(box['score'])}")
    x0, y0, x1, y1 = (box[edge] for edge in ("x0", "y0", "x1", "y1"))
    lines.append(f"x {x0:g} to {x1:g}, y {y0:g} to {y1:g}")
    lines.append(f"{x1 - x0:g} × {y1 - y0:g} px, region {plotly_text(str(box['number']))}")
    return "<br>".join(lines)


def _sheet(
    width: float,
    height: float,
    theme: Theme,
    image: str | None,
    zoom: tuple[float, float, float, float] | None,
    height_px: int,
) -> dict[str, Any]:
    """The layout of a page without regions: axes in page pixels, y down, the same scale for both axes."""
    edge = {"type": "rect", "x0": 0, "y0": 0, "x1": width, "y1": height, "layer": "below"}
    edge |= {"line": {"color": theme.muted, "width": 1}, "fillcolor": None if image else theme.background}
    place = {"x": 0, "y": 0, "xref": "x", "yref": "y", "xanchor": "left", "yanchor": "top"}
    picture = {"source": image, **place, "sizex": width, "sizey": height, "sizing": "stretch", "layer": "below"}
    x0, y0, x1, y1 = zoom or (-0.005 * width, -0.005 * height, 1.005 * width, 1.005 * height)
    bare = {"visible": False, "constrain": "domain"}
    return base_layout(theme) | {
        "shapes": [edge],
        "images": [picture] if image else [],
        "xaxis": bare | {"range": [x0, x1], "constraintoward": "left"},
        "yaxis": bare | {"range": [y1, y0], "constraintoward": "top", "scaleanchor": "x", "scaleratio": 1},
        "height": height_px,
        "margin": {"l": 4, "r": 4, "t": 40, "b": 4},
        "dragmode": "pan",
        "clickmode": "event+select",
        "hoverdistance": 25,
        "showlegend": True,
        # At the left: a page seldom fills the width, and a legend at the right would be far from it.
        "legend": {
            "x": -0.01,
            "xanchor": "right",
            "y": 1,
            "groupclick": "toggleitem",
            "itemsizing": "constant",
            "font": {"size": 11},
            "tracegroupgap": 12,
        },
    }
