"""Plotly charts next to the matrix: the 2x2, class bars, what a class is read as, the distribution of page scores.

Undefined values are not drawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from layoutcm.drawing.matrix_layers import classes_in_use
from layoutcm.drawing.palette import Theme, scale_colour
from layoutcm.drawing.screen.figure_basics import base_layout, plotly_text
from layoutcm.layouts.model import Floats
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.scores import SCORES
from layoutcm.tables.matrix_views import SCORE_TITLES, Selection, select
from layoutcm.wording import percent, percent_brief, score_text, shorten, thin_spaced

SCORE_COLOURS = {"precision": "#e69f00", "recall": "#56b4e9", "f1": "#009e73"}
MOST_READ_AS = 8


def class_bars(
    confusion: Confusion,
    theme: Theme,
    most: int = 40,
    background: bool = False,
    intervals: Mapping[str, Floats] | None = None,
    selection: Selection | None = None,
) -> go.Figure:
    """Precision, recall and F1 of the classes in use, at most the `most` classes with the most gt pixels.

    `intervals` is {score: float64[labels, low high]}, drawn as whiskers.
    """
    positions = _limit_classes(classes_in_use(confusion, background, selection), most)
    values = confusion.class_values()
    hover = [class_hover(confusion, values, i, intervals) for i in positions]
    figure = go.Figure()
    for score in SCORES:
        whiskers = _whiskers(values[score], intervals[score], positions, theme) if intervals else None
        figure.add_trace(_make_score_bars(score, values[score], positions, hover) | {"error_x": whiskers})
    figure.update_layout(**_bars_layout(len(positions), theme))
    share_axis(figure, "x", theme)
    # Plotly draws the first trace of a group lowest; the reversed axis puts it first.
    label_axis(figure, [confusion.labels[i] for i in positions], len(positions))
    return figure


def score_bars(labels: Sequence[str], values: Mapping[str, Floats], theme: Theme) -> go.Figure:
    """Precision, recall and F1 of labels, {score: float64[labels]}."""
    hover = [
        "<br>".join([f"<b>{plotly_text(label)}</b>",
                     *(f"{SCORE_TITLES[score]} {score_text(float(values[score][i]), 4)}" for score in SCORES)])
        for i, label in enumerate(labels)
    ]  # fmt: skip
    places = range(len(labels))
    figure = go.Figure([_make_score_bars(score, values[score], places, hover) for score in SCORES])
    figure.update_layout(**_bars_layout(len(labels), theme))
    share_axis(figure, "x", theme)
    label_axis(figure, list(labels), len(labels))
    return figure


def _bars_layout(rows: int, theme: Theme) -> dict[str, Any]:
    return {
        **base_layout(theme),
        "barmode": "group",
        "bargap": 0.25,
        "bargroupgap": 0.08,
        "height": 34 * rows + 90,
        "margin": {"l": 8, "r": 24, "t": 56, "b": 28},
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
    }


def _limit_classes(positions: list[int], most: int) -> list[int]:
    """The first `most` classes; Background, which is last, is kept."""
    if len(positions) <= most:
        return positions
    last = positions[-1:] if positions[-1] == 0 else []
    return positions[: most - len(last)] + last


def _make_score_bars(score: str, values: Floats, positions: Sequence[int], hover: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": SCORE_TITLES[score],
        "orientation": "h",
        "y": list(range(len(positions))),
        "x": [or_none(values[i]) for i in positions],
        "marker": {"color": SCORE_COLOURS[score], "line": {"width": 0}},
        "customdata": list(positions),
        "hoverinfo": "text",
        "hovertext": hover,
        "textposition": "none",
    }


def class_hover(
    confusion: Confusion, values: dict[str, Floats], i: int, intervals: Mapping[str, Floats] | None = None
) -> str:
    scores = [f"{SCORE_TITLES[score]} {score_text(float(values[score][i]), 4)}" for score in SCORES]
    if intervals:
        ends = [[score_text(float(end)) for end in intervals[score][i]] for score in SCORES]
        scores = [f"{text} ({low} – {high})" for text, (low, high) in zip(scores, ends)]
    pixels = [f"{side} {thin_spaced(float(values[f'{side}_pixels'][i]))} px" for side in ("gt", "pred")]
    return "<br>".join([f"<b>{plotly_text(confusion.labels[i])}</b>", *scores, *pixels])


def _whiskers(values: Floats, ends: Floats, positions: Sequence[int], theme: Theme) -> dict[str, Any]:
    """Plotly error bars from the value to both ends of its interval; None if there is no interval."""
    below, above = ([or_none(sign * (ends[i, end] - values[i])) for i in positions] for end, sign in ((0, -1), (1, 1)))
    look = {"color": theme.text, "thickness": 1, "width": 2}
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, **look}


def or_none(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def share_axis(figure: go.Figure, axis: str, theme: Theme, **more: Any) -> None:
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


def label_axis(figure: go.Figure, labels: Sequence[str], places: int, **where: int) -> None:
    axis: dict[str, Any] = {
        "tickmode": "array",
        "tickvals": list(range(len(labels))),
        "ticktext": [plotly_text(shorten(label, 26)) for label in labels],
        "range": [places - 0.5, -0.5],
        "automargin": True,
        "ticklabelstandoff": 4,
        "ticks": "",
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }
    figure.update_yaxes(**axis, **where)


def read_as_figure(
    confusion: Confusion, label_position: int, theme: Theme, selection: Selection | None = None
) -> go.Figure:
    """What one gt class is read as, and what is read as this class: the diagonal and the largest other cells.

    With different taxonomies nothing can be read as a gt class, so the second half is left out.
    """
    name = plotly_text(shorten(confusion.labels[label_position], 30))
    halves = 2 if confusion.diagonal or label_position == 0 else 1
    titles = (f"gt {name} is read as", f"what is read as {name}")[:halves]
    figure = make_subplots(rows=1, cols=halves, subplot_titles=titles, horizontal_spacing=0.2)
    sides = (confusion.recall[label_position], confusion.precision[:, label_position])
    rows, columns = selection or select(confusion)
    ranked = [_largest(*side, label_position, confusion.diagonal) for side in zip(sides, (columns, rows))]
    bars = max(*map(len, ranked), 3)  # the same on both sides, so that all bars have the same thickness
    for place, (shares, positions) in enumerate(zip(sides[:halves], ranked), start=1):
        figure.add_trace(
            _make_read_as_bars(confusion, label_position, shares, positions, place == 1, theme), row=1, col=place
        )
        label_axis(figure, [confusion.labels[i] for i in positions], bars, row=1, col=place)
    figure.update_layout(
        **base_layout(theme),
        height=30 * bars + 90,
        margin={"l": 8, "r": 50, "t": 56, "b": 28},
        showlegend=False,
        bargap=0.3,
    )
    figure.update_annotations(font={"size": 13})
    share_axis(figure, "x", theme, range=[0, 1.1], tickvals=[0, 0.25, 0.5, 0.75, 1])
    return figure


def _make_read_as_bars(
    confusion: Confusion, own: int, shares: Floats, positions: Sequence[int], is_row: bool, theme: Theme
) -> dict[str, Any]:
    right = [not confusion.diagonal or i == own for i in positions]
    colours = [scale_colour(theme.hit if hit else theme.miss, 0.7) for hit in right]
    return {
        "type": "bar",
        "orientation": "h",
        "x": [float(shares[i]) for i in positions],
        "y": list(range(len(positions))),
        "marker": {"color": colours, "line": {"width": 0}},
        "text": [f"{percent_brief(float(shares[i]))} %" if shares[i] else "0 %" for i in positions],
        "textposition": "outside",
        "cliponaxis": False,
        "customdata": positions,
        "hoverinfo": "text",
        "hovertext": [_read_as_hover(confusion, own, i, is_row) for i in positions],
    }


def _largest(shares: Floats, visible: Sequence[int], own: int, diagonal: bool) -> list[int]:
    ranked = sorted((i for i in visible if shares[i] > 0), key=lambda i: -shares[i])
    if diagonal and math.isfinite(shares[own]):
        ranked = [own, *(i for i in ranked if i != own)]
    return ranked[:MOST_READ_AS]


def _read_as_hover(confusion: Confusion, own: int, other: int, is_row: bool) -> str:
    i, j = (own, other) if is_row else (other, own)
    gt, pred = plotly_text(confusion.labels[i]), plotly_text(confusion.labels[j])
    part = f"{percent(float(confusion.recall[i, j]))} of gt {gt}"
    if not is_row:
        part = f"{percent(float(confusion.precision[i, j]))} of pred {pred}"
    return f"gt <b>{gt}</b><br>pred <b>{pred}</b><br>{part}<br>{thin_spaced(float(confusion.values[i, j]))} px"


def distribution_figure(values: ArrayLike, title: str, theme: Theme, bins: int = 20) -> go.Figure:
    """A histogram of page (or document) scores from 0 to 1 with the median; the title has the number of n/a."""
    all_values = np.asarray(values, float)
    known = all_values[np.isfinite(all_values)]
    pages, edges = np.histogram(known, bins=bins, range=(0, 1))
    missing = len(all_values) - len(known)
    bars = {
        "type": "bar",
        "x": (edges[:-1] + edges[1:]) / 2,
        "y": pages,
        "width": 1 / bins,
        "marker": {"color": scale_colour(theme.hit, 0.7), "line": {"color": theme.background, "width": 1}},
        "customdata": np.stack([edges[:-1], edges[1:]], axis=1).tolist(),
        "hoverinfo": "text",
        "hovertext": [f"{low:.2f} to {high:.2f}: {n}" for low, high, n in zip(edges[:-1], edges[1:], pages)],
    }
    figure = go.Figure([bars])
    if len(known):
        median = float(np.median(known))
        note = {"annotation_text": f"median {score_text(median)}", "annotation_position": "top left"}
        figure.add_vline(median, line={"color": theme.text, "width": 1.5, "dash": "dash"}, **note)
    heading = f"{title} ({missing} n/a)" if missing else title
    figure.update_layout(
        **base_layout(theme, heading), height=240, margin={"l": 44, "r": 16, "t": 52, "b": 32}, bargap=0
    )
    axis = {"tickfont": {"color": theme.muted}, "ticks": "", "fixedrange": True}
    figure.update_xaxes(range=[0, 1], showgrid=False, zeroline=False, **axis)
    # Space for the median text above the highest bar.
    top = 1.18 * max(int(pages.max()), 1)
    step = {"dtick": 1} if top < 8 else {}  # whole pages only
    figure.update_yaxes(range=[0, top], gridcolor=theme.grid, zerolinecolor=theme.grid, **step, **axis)
    return figure
