"""What all Plotly figures have in common: the font, the mode bar, escaped text, the layout of a theme."""

from __future__ import annotations

import html
from typing import Any

import plotly.graph_objects as go

from layoutcm.drawing.palette import Theme

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
CONFIG: dict[str, Any] = {
    "displaylogo": False,
    "scrollZoom": False,
    # A double click would zoom back and lose the view.
    "doubleClick": False,
    "modeBarButtonsToRemove": ["zoom2d", "pan2d", "select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "svg", "filename": "layoutcm"},
}


def plotly_text(text: str) -> str:
    """Escape text for Plotly, which would interpret HTML tags and pass text between two `$` to MathJax."""
    return html.escape(text, quote=False).replace("$", "&#36;")


def base_layout(theme: Theme, title: str | None = None) -> dict[str, Any]:
    """The layout settings that all figures have in common."""
    layout: dict[str, Any] = {
        # Streamlit drops Plotly's own template; without any, a figure looks the same everywhere.
        "template": go.layout.Template(),
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 12, "color": theme.text},
        "hoverlabel": {
            "bgcolor": theme.background,
            "bordercolor": theme.muted,
            "font": {"family": FONT, "size": 12, "color": theme.text},
            "align": "left",
        },
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": theme.muted, "activecolor": theme.accent},
        "hovermode": "closest",
    }
    if title:
        corner = {"x": 0, "xref": "container", "xanchor": "left", "y": 1, "yanchor": "top", "pad": {"l": 8, "t": 8}}
        layout["title"] = {"text": plotly_text(title), "font": {"size": 14}, **corner}
    return layout
