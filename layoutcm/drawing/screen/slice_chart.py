"""A Plotly chart of slices: the F1 of every slice as a dot, with its interval.

A slice whose verdict is better or worse than the rest has a filled dot, in another colour if it is worse. Undefined
values are not drawn.
"""

from __future__ import annotations

import math
from typing import Any

import plotly.graph_objects as go

from layoutcm.drawing.palette import Theme, scale_colour
from layoutcm.drawing.screen.charts import label_axis, or_no_whisker, share_axis
from layoutcm.drawing.screen.figure_basics import base_layout, plotly_text
from layoutcm.metrics.intervals import BETTER, WORSE
from layoutcm.tables.slice_views import SliceTable
from layoutcm.wording import difference_text, plural, score_text


def slices_figure(slices: SliceTable, theme: Theme) -> go.Figure:
    """F1 with interval of every slice, in the order of the table."""
    rows, names = slices.data.to_dict("records"), slices.names
    values = [row[slices.figure] for row in rows]
    colours = [scale_colour(theme.miss if row["verdict"] == WORSE else theme.hit, 0.8) for row in rows]
    filled = [row["verdict"] in (BETTER, WORSE) for row in rows]
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": [None if math.isnan(value) else value for value in values],
        "y": list(range(len(rows))),
        "marker": {
            "size": 10,
            "color": [colour if full else theme.background for colour, full in zip(colours, filled)],
            "line": {"color": colours, "width": 2},
        },
        "error_x": _whiskers(rows, values, theme),
        "customdata": names,
        "hoverinfo": "text",
        "hovertext": [_hover(name, row) for name, row in zip(names, rows)],
    }
    figure = go.Figure([dots])
    figure.update_layout(
        **base_layout(theme, f"{plotly_text(slices.title)}, {slices.figure_title}"),
        height=30 * len(rows) + 110,
        margin={"l": 8, "r": 24, "t": 56, "b": 28},
        showlegend=False,
    )
    share_axis(figure, "x", theme, range=[slices.low_end, 1.02])
    if not math.isnan(slices.whole):
        figure.add_vline(slices.whole, line={"color": theme.muted, "dash": "dash", "width": 1})
    label_axis(figure, names, len(rows))
    return figure


def _whiskers(rows: list[dict[Any, Any]], values: list[float], theme: Theme) -> dict[str, Any]:
    """From the value to both ends of its interval; none where there is no interval."""
    above, below = (
        [or_no_whisker(abs(row[end] - value)) for row, value in zip(rows, values)] for end in ("high", "low")
    )
    look = {"color": theme.text, "thickness": 1, "width": 3}
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, **look}


def _hover(name: str, row: dict[Any, Any]) -> str:
    value = f"F1 {score_text(row[row['figure']])}"
    if not math.isnan(row["low"]):
        value += f" ({score_text(row['low'])} – {score_text(row['high'])})"
    lines = [f"<b>{plotly_text(name)}</b>", value, f"{difference_text(row['difference'])} against the rest"]
    lines += [row["verdict"]] if row["verdict"] else []
    return "<br>".join([*lines, f"{plural(row['pages'], 'page')}, {plural(row['documents'], 'document')}"])
