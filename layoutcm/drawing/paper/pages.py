"""Pages on paper: the regions of both sides, and maps of label sets and differences.

gt lines are solid and thick, pred lines dashed and thin, as on the screen. gt boxes show their label if it fits, and
differences are hatched, so that the figures also work in greyscale.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.page_tiles import NOT_JUDGED, PageTiles
from layoutcm.drawing.page_raster import ColourArray, agreement_colours, page_boxes, page_raster
from layoutcm.drawing.palette import LIT, NOT_JUDGED_COLOUR, label_colours, rgb
from layoutcm.drawing.paper.printing import (
    DPI,
    INK,
    PAGE_HEIGHT,
    SOFT,
    column_width,
    draw_lines,
    draw_text,
    new_sheet,
    shorten_to_width,
    text_width,
    with_paper_style,
)
from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import GT, PRED
from layoutcm.metrics.levels import page_position
from layoutcm.results.vocabulary import Vocabulary
from layoutcm.tables.matrix_views import cell_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from PIL import Image

PAGE_KINDS = ("gt", "pred", "difference", "cell")
PATTERN = 14  # pixels at 300 dpi between the lines of a hatch pattern
NAME_FONT, LEGEND_FONT, LEGEND_LINE = 4.2, 6.0, 9.0
SWATCH = (9.0, 6.0)
LegendEntry = tuple[str, ColourArray]  # text and colour sample


class SheetPlace(NamedTuple):
    """Position and size of a page on the sheet; `scale` is points per page pixel."""

    left: float
    top: float
    width: float
    height: float
    scale: float

    @property
    def bottom(self) -> float:
        return self.top + self.height


def sheet_place(page_width: float, page_height: float, width: float) -> SheetPlace:
    scale = min((width - 4) / page_width, (PAGE_HEIGHT - 140) / page_height)
    page_width, page_height = page_width * scale, page_height * scale
    return SheetPlace((width - page_width) / 2, 2, page_width, page_height, scale)


@with_paper_style
def page_overlay(
    comparison: Comparison,
    page: str,
    *,
    image: Image.Image | None = None,
    width: str | None = None,
    caption: bool = True,
) -> Figure:
    """The regions of both sides on one page; `image` is a picture of the page, if there is one."""
    index = page_position(comparison.levels.pages, page)
    pages, sheet_width = comparison.alignment.pages, column_width(width, 0)
    spot = sheet_place(float(pages.widths[index]), float(pages.heights[index]), sheet_width)
    gt, pred = ([box for box in page_boxes(comparison, page) if box["side"] == side] for side in ("gt", "pred"))
    entries = _label_entries(comparison.labels[1:], {box["label"] for box in (*gt, *pred) if box["judged"]})
    if not all(box["judged"] for box in gt):
        entries.append((NOT_JUDGED, _sample(NOT_JUDGED_COLOUR)))
    legend = _legend_lines(entries, sheet_width)
    recipe = comparison.recipe_for("matrix", page=page) if caption else ""
    figure, axes = new_sheet(sheet_width, spot.bottom + 12 + LEGEND_LINE * len(legend), recipe)
    if image is not None:
        _draw_image(axes, np.asarray(_shrink_to_dpi(image, spot)), spot)
    _edge(axes, spot)
    solid: dict[str, Any] = {"linewidths": 1.6, "alpha": 0.55}
    dashed: dict[str, Any] = {"linewidths": 0.8, "linestyles": [(0, (3, 1.6))]}
    _outlines(axes, spot, gt, **solid)
    _outlines(axes, spot, pred, **dashed)
    _names(axes, spot, gt)
    _line_legend(axes, spot.bottom + 7, {"gt": solid, "pred": dashed})
    _legend(axes, legend, spot.bottom + 16)
    return figure


@with_paper_style
def page_figure(
    comparison: Comparison,
    page: str,
    kind: str = "difference",
    *,
    cell: tuple[str, str] | None = None,
    method: str = "matrix",
    image: Image.Image | None = None,
    width: str | None = None,
    caption: bool = True,
) -> Figure:
    """A page coloured by the label sets of gt or pred, by their difference, or with the pixels of a cell highlighted.

    `cell` is (gt label, pred label) and required for the kind "cell".
    """
    if kind not in PAGE_KINDS or (kind == "cell" and cell is None):
        hint = f"Use one of {', '.join(PAGE_KINDS)}; the last needs cell=(gt label, pred label)."
        raise InputError("", "kind", f"{short_repr(kind)} cannot be drawn", hint)
    tiles = comparison.page_tiles(page)
    sheet_width = column_width(width, 0)
    spot = sheet_place(float(tiles.x_edges[-1]), float(tiles.y_edges[-1]), sheet_width)
    legend = _legend_lines(_legend_entries(tiles, kind, cell, comparison.vocabulary), sheet_width)
    recipe = comparison.recipe_for(method, page=page) if caption else ""
    figure, axes = new_sheet(sheet_width, spot.bottom + 3 + LEGEND_LINE * len(legend), recipe)
    _draw_image(
        axes,
        page_raster(tiles, kind, spot.scale * DPI / 72, image, cell and comparison.cell(*cell), method, PATTERN),
        spot,
    )
    _edge(axes, spot)
    _legend(axes, legend, spot.bottom + 7)
    return figure


def _legend_entries(
    tiles: PageTiles, kind: str, cell: tuple[str, str] | None, vocabulary: Vocabulary
) -> list[LegendEntry]:
    """The legend of a map."""
    if kind == "cell" and cell:
        return [(cell_name(vocabulary, *cell, tiles.space.shared, str), _sample(LIT))]
    if kind == "difference":
        sample_shape = round(SWATCH[1] * DPI / 72), round(SWATCH[0] * DPI / 72)
        kinds = sorted(set(tiles.agreement().tolist()) - {0})
        return [(vocabulary.kinds[k], agreement_colours(np.full(sample_shape, k), None, PATTERN)) for k in kinds]
    side = PRED if kind == "pred" else GT
    return _label_entries(tiles.space.labels[1:], {name for pair in tiles.pairs.sets(side) for name in pair})


def _label_entries(labels: Sequence[str], used: set[str]) -> list[LegendEntry]:
    colours = label_colours(labels)
    return [(label, _sample(colours[label])) for label in labels if label in used]


def _sample(colour: str) -> ColourArray:
    return np.full((1, 1, 3), rgb(colour), np.uint8)


def _legend_lines(entries: Iterable[LegendEntry], width: float) -> list[list[tuple[float, str, ColourArray]]]:
    """Lines of (x, text, sample), each with as many entries as fit."""
    lines: list[list[tuple[float, str, ColourArray]]] = []
    x = width
    for text, sample in entries:
        text = shorten_to_width(text, LEGEND_FONT, width - 20)
        needed = SWATCH[0] + 3 + text_width(text, LEGEND_FONT) + 8
        if x + needed - 8 > width - 2:
            lines.append([])
            x = 4.0
        lines[-1].append((x, text, sample))
        x += needed
    return lines


def _legend(axes: Axes, lines: Sequence[Sequence[tuple[float, str, ColourArray]]], top: float) -> None:
    for k, line in enumerate(lines):
        y = top + LEGEND_LINE * k
        for x, text, sample in line:
            spot = SheetPlace(x, y - SWATCH[1] / 2, *SWATCH, 1)
            _draw_image(axes, sample, spot)
            _edge(axes, spot)
            draw_text(axes, x + SWATCH[0] + 3, y, text, LEGEND_FONT)


def _line_legend(axes: Axes, y: float, looks: dict[str, dict[str, Any]]) -> None:
    for k, (name, look) in enumerate(looks.items()):
        x = 4 + 50 * k
        draw_lines(axes, [[(x, y), (x + 18, y)]], colors=INK, zorder=2, **look)
        draw_text(axes, x + 21, y, name, LEGEND_FONT)


def _draw_image(axes: Axes, pixels: ColourArray, spot: SheetPlace) -> None:
    extent = (spot.left, spot.left + spot.width, spot.bottom, spot.top)
    limits = axes.get_xlim(), axes.get_ylim()
    axes.imshow(pixels, extent=extent, aspect="auto", interpolation="none", zorder=0)
    axes.set(xlim=limits[0], ylim=limits[1])


def _edge(axes: Axes, spot: SheetPlace) -> None:
    from matplotlib.patches import Rectangle

    corner = (spot.left, spot.top)
    axes.add_patch(Rectangle(corner, spot.width, spot.height, facecolor="none", edgecolor=SOFT, linewidth=0.4))


def _shrink_to_dpi(image: Image.Image, spot: SheetPlace) -> Image.Image:
    """The image with no more pixels than the sheet has at 300 dpi."""
    small = image.convert("RGB")
    small.thumbnail((round(spot.width * DPI / 72), round(spot.height * DPI / 72)))
    return small


def _outlines(axes: Axes, spot: SheetPlace, boxes: Sequence[dict[str, Any]], **look: Any) -> None:
    from matplotlib.collections import PolyCollection

    if boxes:
        edges = [box["colour"] for box in boxes]
        corners = [_corners(spot, box) for box in boxes]
        axes.add_collection(PolyCollection(corners, facecolors="none", edgecolors=edges, **look), autolim=False)


def _corners(spot: SheetPlace, box: dict[str, Any]) -> list[tuple[float, float]]:
    x0, x1 = (spot.left + spot.scale * box[edge] for edge in ("x0", "x1"))
    y0, y1 = (spot.top + spot.scale * box[edge] for edge in ("y0", "y1"))
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def _names(axes: Axes, spot: SheetPlace, boxes: Sequence[dict[str, Any]]) -> None:
    """Draw the label in the upper left corner of each box that is large enough."""
    for box in boxes:
        (x, y), (right, _), (_, low), _ = _corners(spot, box)
        text = shorten_to_width(box["label"], NAME_FONT, 60)
        if low - y > NAME_FONT + 1 and right - x > text_width(text, NAME_FONT) + 3:
            ground = {"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.5}
            draw_text(axes, x + 1.8, y + NAME_FONT / 2 + 1.3, text, NAME_FONT, bbox=ground)
