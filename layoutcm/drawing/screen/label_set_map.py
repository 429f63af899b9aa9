"""A page as a Plotly map of its label sets: one trace per pair of sets, whose hover text has the words and names."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from layoutcm.diagnosis.page_tiles import AGREEMENT, PageTiles
from layoutcm.drawing.palette import AGREEMENT_COLOURS, LIT, Theme, blend, rgba
from layoutcm.drawing.screen.figure_basics import base_layout, plotly_text
from layoutcm.layouts.model import BACKGROUND, GT, PRED, Floats
from layoutcm.wording import thin_spaced

TRANSPARENT = "rgba(0,0,0,0)"
MOST_RUNS = 40_000  # of tiles; a figure is then below 10 MB
TRANSPARENT_KINDS = ("difference", "cell")


def bit_text(word: int, labels: int) -> str:
    """The word of a label set as bits, highest first, in groups of four; one bit for each label and Background."""
    digits = f"{word:0{4 * ((labels + 4) // 4)}b}"
    return " ".join(digits[i : i + 4] for i in range(0, len(digits), 4))


def label_set_text(tiles: PageTiles, side: int, pair: int) -> str:
    """'0000 0110 = Picture + Caption'."""
    labels = tiles.pairs.labels[side]
    names = tiles.set_names(side, pair)
    ordered = [name for name in (BACKGROUND, *labels) if name in names]
    return f"{bit_text(tiles.word(side, pair), len(labels))} = {' + '.join(ordered)}"


def label_set_map(
    tiles: PageTiles,
    kind: str,
    colours: dict[str, str],
    theme: Theme,
    lit: Floats | None = None,
    height: int = 520,
    image: str | None = None,
) -> go.Figure:
    """The page coloured by the sets of gt or pred, by their difference, or by the share of one matrix cell (`lit`).

    In the sets of a side, only labels in `colours` are shown. `image` (a data URI) is shown faintly below the
    difference and the cell.
    """
    traces = []
    agreement, tiles = tiles.agreement(), tiles.simplified(MOST_RUNS)
    for pair in np.argsort(-tiles.pairs.pixels).tolist():
        share = float(lit[pair]) if lit is not None else 0.0
        colour = _colour(tiles, kind, pair, int(agreement[pair]), share, colours, theme)
        text = (
            f"gt {plotly_text(label_set_text(tiles, GT, pair))}<br>"
            f"pred {plotly_text(label_set_text(tiles, PRED, pair))}<br>"
            f"{AGREEMENT[int(agreement[pair])]}, {thin_spaced(tiles.pairs.pixels[pair])} px"
        )
        traces.append(_area(tiles.rectangles(np.arange(len(tiles.pairs)) == pair), colour, text))
    width_px, height_px = float(tiles.x_edges[-1]), float(tiles.y_edges[-1])
    layout = base_layout(theme) | {
        "height": height, "showlegend": False, "dragmode": "pan", "margin": {"l": 4, "r": 4, "t": 4, "b": 4},
        "xaxis": {"range": [0, width_px], "visible": False, "constrain": "domain"},
        "yaxis": {"range": [height_px, 0], "visible": False, "scaleanchor": "x", "constrain": "domain"},
        "shapes": [{"type": "rect", "x0": 0, "y0": 0, "x1": width_px, "y1": height_px, "line": {"color": theme.muted}}],
    }  # fmt: skip
    if image and kind in TRANSPARENT_KINDS:
        place = {"x": 0, "y": 0, "xref": "x", "yref": "y", "sizex": width_px, "sizey": height_px}
        layout["images"] = [{"source": image, **place, "sizing": "stretch", "layer": "below", "opacity": 0.4}]
    return go.Figure(traces, layout)


def _colour(
    tiles: PageTiles, kind: str, pair: int, agreement: int, share: float, colours: dict[str, str], theme: Theme
) -> str:
    if kind == "cell":
        return rgba(LIT, 0.35 + 0.5 * share) if share > 0 else TRANSPARENT
    if kind == "difference":
        colour = AGREEMENT_COLOURS[agreement]
        return rgba(colour, 0.8) if colour else TRANSPARENT
    names = [name for name in sorted(tiles.set_names(GT if kind == "gt" else PRED, pair)) if name in colours]
    if not names:
        return theme.background
    return blend([colours[name] for name in names])


def _area(rectangles: Floats, colour: str, text: str) -> dict[str, Any]:
    xs: list[float | None] = []
    ys: list[float | None] = []
    for x0, y0, x1, y1 in rectangles.tolist():
        xs += [x0, x1, x1, x0, x0, None]
        ys += [y0, y0, y1, y1, y0, None]
    return {
        "type": "scatter", "x": xs, "y": ys, "mode": "lines", "line": {"width": 0}, "fill": "toself",
        "fillcolor": colour, "hoveron": "fills", "name": text, "text": text, "hoverinfo": "text",
        "hoverlabel": {"namelength": -1},
    }  # fmt: skip
