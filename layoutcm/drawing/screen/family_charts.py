"""The Plotly chart of families: the shares identity, in family and out of family of each label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from layoutcm.drawing.family_rows import PART_NAMES, Row, chart_rows
from layoutcm.drawing.palette import Theme, scale_colour, text_colour_on
from layoutcm.drawing.screen.charts import label_axis, share_axis
from layoutcm.drawing.screen.figure_basics import base_layout, plotly_text
from layoutcm.layouts.model import SIDES
from layoutcm.metrics.family_confusion import PARTS, FamilyConfusion
from layoutcm.metrics.family_trees import preferred_name
from layoutcm.wording import percent, percent_brief, shorten, thin_spaced

SMALLEST_WITH_NUMBER = 0.06


def family_bars(families: FamilyConfusion, side: int, theme: Theme) -> go.Figure:
    """A stacked bar of 100 % for each label of a side: right, in family, out of family."""
    rows = chart_rows(families, side)
    labels = [(k, row.values) for k, row in enumerate(rows) if row.values is not None]
    unit = "px" if families.sample == "pixel" else "pages"
    hover = [_hover(values, side, unit) for _, values in labels]
    figure = go.Figure([_make_part_bars(part, labels, hover, theme) for part in PARTS])
    figure.update_layout(
        **base_layout(theme),
        barmode="stack",
        bargap=0.22,
        height=26 * len(rows) + 90,
        margin={"l": 8, "r": 24, "t": 48, "b": 28},
        legend={"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
    )
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
