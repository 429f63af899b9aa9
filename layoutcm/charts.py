"""Charts beside the matrix: the 2x2, class bars, the precision-recall plane, what is taken for what, page scores.

Plotly, for the screen, as in `figures`; undefined values are left out, never drawn as 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from layoutcm.confusion import SCORES, Confusion
from layoutcm.figures import base_layout, matrix_figure, plain
from layoutcm.model import Floats
from layoutcm.palette import Theme, colour_at, faded, label_colours
from layoutcm.shading import classes_in_use
from layoutcm.tables import number, share
from layoutcm.writing import per_cent, short, spaced

SCORE_NAMES = {"precision": "precision", "recall": "recall", "f1": "F1"}
SCORE_COLOURS = {"precision": "#e69f00", "recall": "#56b4e9", "f1": "#009e73"}
TAKEN_MOST = 8
Box = tuple[float, float, float, float]


def collapsed_figure(confusion: Confusion, view: str, theme: Theme) -> go.Figure:
    """Background against Content, the 2x2; its cells' customdata are positions in the collapsed matrix."""
    return matrix_figure(confusion.collapse(), view, rows=[0, 1], columns=[0, 1], theme=theme)


def class_bars(confusion: Confusion, theme: Theme, most: int = 40, background: bool = False) -> go.Figure:
    """Precision, recall and F1 of the classes in use; of more than `most`, those with the most gt pixels."""
    positions = classes_in_use(confusion, background)
    if len(positions) > most:
        last = positions[-1:] if background and positions[-1] == 0 else []
        positions = positions[: most - len(last)] + last
    values = confusion.class_values()
    hover = [_class_hover(confusion, values, i) for i in positions]
    figure = go.Figure()
    for score in SCORES:
        figure.add_trace(
            go.Bar(
                name=SCORE_NAMES[score],
                orientation="h",
                y=list(range(len(positions))),
                x=[_or_none(values[score][i]) for i in positions],
                marker={"color": SCORE_COLOURS[score], "line": {"width": 0}},
                customdata=positions,
                hoverinfo="text",
                hovertext=hover,
                textposition="none",
            )
        )
    figure.update_layout(
        **base_layout(theme),
        barmode="group",
        bargap=0.25,
        bargroupgap=0.08,
        height=34 * len(positions) + 90,
        margin={"l": 8, "r": 24, "t": 56, "b": 28},
        legend={"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
    )
    _share_axis(figure, "x", theme)
    # The first trace is drawn lowest in a group; with the axis turned round it comes first.
    _label_axis(figure, [confusion.labels[i] for i in positions], len(positions))
    return figure


def _class_hover(confusion: Confusion, values: dict[str, Floats], i: int) -> str:
    scores = [f"{SCORE_NAMES[score]} {number(float(values[score][i]), 4)}" for score in SCORES]
    pixels = [f"{side} {spaced(float(values[f'{side}_pixels'][i]))} px" for side in ("gt", "pred")]
    return "<br>".join([f"<b>{plain(confusion.labels[i])}</b>", *scores, *pixels])


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _share_axis(figure: go.Figure, axis: str, theme: Theme, **more: Any) -> None:
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


def _label_axis(figure: go.Figure, labels: Sequence[str], places: int, **where: int) -> None:
    figure.update_yaxes(
        tickmode="array",
        tickvals=list(range(len(labels))),
        ticktext=[plain(short(label, 26)) for label in labels],
        range=[places - 0.5, -0.5],
        automargin=True,
        ticklabelstandoff=4,
        ticks="",
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        **where,
    )


def precision_recall_plane(confusion: Confusion, theme: Theme, background: bool = False) -> go.Figure:
    """Classes as points, recall to the right and precision up, with curves of equal F1; area follows gt pixels."""
    values = confusion.class_values()
    both = np.isfinite(values["recall"]) & np.isfinite(values["precision"])
    positions = [i for i in classes_in_use(confusion, background) if both[i]]
    x, y = values["recall"][positions], values["precision"][positions]
    names = [short(confusion.labels[i], 22) for i in positions]
    colours = label_colours(confusion.labels)
    figure = go.Figure(_iso_f1_curves(theme))
    diameters = _areas(values["gt_pixels"][positions])
    places = name_places(x, y, names, diameters)
    figure.add_trace(
        go.Scatter(
            name="classes",
            x=x,
            y=y,
            mode="markers+text",
            text=[plain(name) if place else "" for name, place in zip(names, places)],
            textposition=[place or "middle right" for place in places],
            textfont={"size": 11},
            marker={
                "size": diameters,
                "color": [faded(colours[confusion.labels[i]], 0.75) for i in positions],
                "line": {"color": theme.text, "width": 0.8},
            },
            customdata=positions,
            hoverinfo="text",
            hovertext=[_class_hover(confusion, values, i) for i in positions],
            cliponaxis=False,
        )
    )
    figure.update_layout(
        **base_layout(theme), height=560, margin={"l": 60, "r": 110, "t": 40, "b": 50}, showlegend=False
    )
    _share_axis(figure, "x", theme, title="recall", range=[0, 1.02])
    _share_axis(figure, "y", theme, title="precision", range=[0, 1.04])
    return figure


def _areas(pixels: Floats) -> list[float]:
    """Diameters: areas follow pixels; clipped, so that all can be hit and none covers all."""
    top = float(pixels.max(initial=0)) or 1.0
    return np.clip(34 * np.sqrt(pixels / top), 7, 34).tolist()


def _iso_f1_curves(theme: Theme) -> list[go.Scatter]:
    curves = []
    for f1 in (0.2, 0.4, 0.6, 0.8, 0.9):
        recall = np.linspace(f1 / (2 - f1), 1, 60)
        precision = f1 * recall / (2 * recall - f1)
        curves.append(
            go.Scatter(
                x=recall,
                y=precision,
                mode="lines+text",
                line={"color": faded(theme.muted, 0.6), "width": 1, "dash": "dot"},
                text=[""] * 59 + [f"  F1 {f1:g}"],
                textposition="middle right",
                textfont={"size": 10, "color": theme.muted},
                hoverinfo="skip",
                cliponaxis=False,
            )
        )
    return curves


def name_places(x: Floats, y: Floats, names: Sequence[str], diameters: Sequence[float]) -> list[str | None]:
    """Where each point's name may stand without covering another name or point; None where nowhere.

    Reckoned on a plane of about 800 x 460 pixels; earlier points, which are larger classes, choose first.
    """
    points = [(800 * a - d / 2, 460 * b - d / 2, 800 * a + d / 2, 460 * b + d / 2) for a, b, d in zip(x, y, diameters)]
    taken = list(points)
    places: list[str | None] = [None] * len(names)
    for k, name in enumerate(names):
        for place, box in _beside(points[k], 6.2 * len(name)).items():
            if min(box) > 0 and box[2] < 890 and not any(_overlap(box, other) for other in taken):
                places[k] = place
                taken.append(box)
                break
    return places


def _beside(point: Box, wide: float) -> dict[str, Box]:
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


def taken_for(confusion: Confusion, label_position: int, theme: Theme) -> go.Figure:
    """What one gt class is read as, and what is read as this class: the diagonal and the largest others."""
    name = plain(short(confusion.labels[label_position], 30))
    titles = (f"gt {name} is read as", f"what is read as {name}")
    figure = make_subplots(rows=1, cols=2, subplot_titles=titles, horizontal_spacing=0.2)
    sides = (confusion.recall[label_position], confusion.precision[:, label_position])
    ranked = [_largest(shares, label_position, confusion.diagonal) for shares in sides]
    bars = max(*map(len, ranked), 3)  # as many places on both sides, so that bars are equally thick
    for place, (shares, positions) in enumerate(zip(sides, ranked), start=1):
        figure.add_trace(_taken_bars(confusion, label_position, shares, positions, place == 1, theme), row=1, col=place)
        _label_axis(figure, [confusion.labels[i] for i in positions], bars, row=1, col=place)
    figure.update_layout(
        **base_layout(theme),
        height=30 * bars + 90,
        margin={"l": 8, "r": 50, "t": 56, "b": 28},
        showlegend=False,
        bargap=0.3,
    )
    figure.update_annotations(font={"size": 13})
    _share_axis(figure, "x", theme, range=[0, 1.1], tickvals=[0, 0.25, 0.5, 0.75, 1])
    return figure


def _taken_bars(
    confusion: Confusion, own: int, shares: Floats, positions: Sequence[int], is_row: bool, theme: Theme
) -> go.Bar:
    right = [not confusion.diagonal or i == own for i in positions]
    return go.Bar(
        orientation="h",
        x=[float(shares[i]) for i in positions],
        y=list(range(len(positions))),
        marker={"color": [colour_at(theme.hit if hit else theme.miss, 0.7) for hit in right], "line": {"width": 0}},
        text=[f"{per_cent(float(shares[i]))} %" if shares[i] else "0 %" for i in positions],
        textposition="outside",
        cliponaxis=False,
        customdata=positions,
        hoverinfo="text",
        hovertext=[_taken_hover(confusion, own, i, is_row) for i in positions],
    )


def _largest(shares: Floats, own: int, diagonal: bool) -> list[int]:
    ranked = [int(i) for i in np.argsort(-np.nan_to_num(shares), kind="stable") if shares[i] > 0]
    if diagonal and math.isfinite(shares[own]):
        ranked = [own, *(i for i in ranked if i != own)]
    return ranked[:TAKEN_MOST]


def _taken_hover(confusion: Confusion, own: int, other: int, is_row: bool) -> str:
    i, j = (own, other) if is_row else (other, own)
    gt, pred = plain(confusion.labels[i]), plain(confusion.labels[j])
    part = f"{share(float(confusion.recall[i, j]))} of gt {gt}"
    if not is_row:
        part = f"{share(float(confusion.precision[i, j]))} of pred {pred}"
    return f"gt <b>{gt}</b><br>pred <b>{pred}</b><br>{part}<br>{spaced(float(confusion.values[i, j]))} px"


def distribution(values: ArrayLike, title: str, theme: Theme, bins: int = 20) -> go.Figure:
    """How many pages (or documents) have which score, 0 to 1, with the median; n/a is counted beside the title."""
    all_values = np.asarray(values, float)
    known = all_values[np.isfinite(all_values)]
    pages, edges = np.histogram(known, bins=bins, range=(0, 1))
    missing = len(all_values) - len(known)
    figure = go.Figure(
        go.Bar(
            x=(edges[:-1] + edges[1:]) / 2,
            y=pages,
            width=1 / bins,
            marker={"color": colour_at(theme.hit, 0.7), "line": {"color": theme.background, "width": 1}},
            customdata=np.stack([edges[:-1], edges[1:]], axis=1).tolist(),
            hoverinfo="text",
            hovertext=[f"{low:.2f} to {high:.2f}: {n}" for low, high, n in zip(edges[:-1], edges[1:], pages)],
        )
    )
    if len(known):
        median = float(np.median(known))
        note = {"annotation_text": f"median {median:.3f}", "annotation_position": "top left"}
        figure.add_vline(median, line={"color": theme.text, "width": 1.5, "dash": "dash"}, **note)
    heading = f"{title} ({missing} n/a)" if missing else title
    figure.update_layout(
        **base_layout(theme, heading), height=240, margin={"l": 44, "r": 16, "t": 52, "b": 32}, bargap=0
    )
    axis = {"tickfont": {"color": theme.muted}, "ticks": "", "fixedrange": True}
    figure.update_xaxes(range=[0, 1], showgrid=False, zeroline=False, **axis)
    # Room for the word above the highest bar.
    top = 1.18 * max(int(pages.max()), 1)
    figure.update_yaxes(range=[0, top], gridcolor=theme.grid, zerolinecolor=theme.grid, **axis)
    return figure
