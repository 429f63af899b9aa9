"""Pages on paper: the regions of both sides, and maps of label sets and differences.

gt lines are solid and thick, pred lines dashed and thin, as on the screen. gt boxes show their label if it fits, and
differences are hatched, so the figures also work in greyscale.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.page_tiles import NOT_JUDGED, PageTiles
from layoutcm.drawing.page_raster import LIGHTING, PATTERNS, ColourArray, page_boxes, page_raster
from layoutcm.drawing.palette import AGREEMENT_COLOURS, LIT, NOT_JUDGED_COLOUR, label_colours, mix
from layoutcm.drawing.paper import figure_style as style
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
HATCHES = {None: "", "rising": "/////", "dots": ".....", "falling": "\\\\\\\\\\"}  # the same patterns in a legend
NAME_FONT, MARK = 4.2, 12.0  # the size of the names of regions, the length of marks in a legend
SIDE_LOOKS: dict[str, dict[str, Any]] = {
    "gt": {"linewidth": 1.6, "alpha": 0.55},
    "pred": {"linewidth": 0.8, "linestyle": (0, (3, 1.6))},
}
CORNERS = (("x0", "y0"), ("x1", "y0"), ("x1", "y1"), ("x0", "y1"))  # of a box
LegendEntry = tuple[str, Any]  # a text and its mark


@style.with_paper_style
def page_overlay(
    comparison: Comparison,
    page: str,
    *,
    image: Image.Image | None = None,
    width: str | None = None,
    caption: bool = True,
) -> Figure:
    """The regions of both sides on one page; `image` is a picture of the page, if there is one."""
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

    index, pages = page_position(comparison.levels.pages, page), comparison.alignment.pages
    boxes = page_boxes(comparison, page)
    entries = [(side, Line2D([], [], color=style.INK, **look)) for side, look in SIDE_LOOKS.items()]
    entries += _label_entries(comparison.labels[1:], {box["label"] for box in boxes if box["judged"]})
    if not all(box["judged"] for box in boxes if box["side"] == "gt"):
        entries.append((NOT_JUDGED, _sample(NOT_JUDGED_COLOUR)))
    recipe = comparison.recipe_for("matrix", page=page) if caption else ""
    size = float(pages.widths[index]), float(pages.heights[index])
    figure, axes, scale = _page_plot(size, entries, recipe, width)
    if image is not None:
        _draw_image(axes, np.asarray(_shrink_to_dpi(image, size, scale)))
    for side, look in SIDE_LOOKS.items():
        own = [box for box in boxes if box["side"] == side]
        corners = [[(box[x], box[y]) for x, y in CORNERS] for box in own]
        outlines = PolyCollection(corners, facecolors="none", edgecolors=[box["colour"] for box in own], **look)
        axes.add_collection(outlines, autolim=False)
    _draw_names(axes, scale, [box for box in boxes if box["side"] == "gt"])
    return figure


@style.with_paper_style
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
    entries = _legend_entries(tiles, kind, cell, comparison.vocabulary)
    recipe = comparison.recipe_for(method, page=page) if caption else ""
    figure, axes, scale = _page_plot((float(tiles.x_edges[-1]), float(tiles.y_edges[-1])), entries, recipe, width)
    place = cell and comparison.cell(*cell)
    _draw_image(axes, page_raster(tiles, kind, scale * style.DPI / 72, image, place, method, PATTERN))
    return figure


def _page_plot(
    size: tuple[float, float], entries: Sequence[LegendEntry], recipe: str, width: str | None
) -> tuple[Figure, Axes, float]:
    """Axes for a page, in its pixels, with a legend below them; and the points of a page pixel."""
    sheet_width = style.column_width(width, 0)
    scale = min((sheet_width - 4) / size[0], (style.PAGE_HEIGHT - 140) / size[1])
    wide, high = size[0] * scale, size[1] * scale
    legend = [(style.shorten_to_width(text, 6, sheet_width - 40), mark) for text, mark in entries]
    columns = style.legend_columns([text for text, _ in legend], sheet_width, MARK)
    figure = style.new_figure(sheet_width, high + 5 + style.LEGEND_LINE * -(-len(legend) // columns), recipe)
    axes = style.add_plot(figure, (sheet_width - wide) / 2, 2, wide, high)
    axes.set(xlim=(0, size[0]), ylim=(size[1], 0), xticks=[], yticks=[])
    style.draw_legend(figure, legend, (4, high + 5), columns, MARK)
    return figure, axes, scale


def _legend_entries(
    tiles: PageTiles, kind: str, cell: tuple[str, str] | None, vocabulary: Vocabulary
) -> list[LegendEntry]:
    """The legend of a map."""
    if kind == "cell" and cell:
        return [(cell_name(vocabulary, *cell, tiles.space.shared, str), _sample(LIT))]
    if kind == "difference":
        kinds = sorted(set(tiles.agreement().tolist()) - {0})
        colours = [mix(LIGHTING.paper, AGREEMENT_COLOURS[k] or LIGHTING.paper, LIGHTING.mask) for k in kinds]
        return [(vocabulary.kinds[k], _sample(colour, PATTERNS[k])) for k, colour in zip(kinds, colours)]
    side = PRED if kind == "pred" else GT
    return _label_entries(tiles.space.labels[1:], {name for pair in tiles.pairs.sets(side) for name in pair})


def _label_entries(labels: Sequence[str], used: set[str]) -> list[LegendEntry]:
    colours = label_colours(labels)
    return [(label, _sample(colours[label])) for label in labels if label in used]


def _sample(colour: str, pattern: str | None = None) -> Any:
    from matplotlib.patches import Patch

    return Patch(facecolor=colour, edgecolor=style.INK, linewidth=0.3, hatch=HATCHES[pattern])


def _draw_image(axes: Axes, pixels: ColourArray) -> None:
    extent = (*axes.get_xlim(), *axes.get_ylim())
    axes.imshow(pixels, extent=extent, aspect="auto", interpolation="none", zorder=0)


def _shrink_to_dpi(image: Image.Image, size: tuple[float, float], scale: float) -> Image.Image:
    """The image with no more pixels than the sheet has at 300 dpi."""
    small = image.convert("RGB")
    small.thumbnail((round(size[0] * scale * style.DPI / 72), round(size[1] * scale * style.DPI / 72)))
    return small


def _draw_names(axes: Axes, scale: float, boxes: Sequence[dict[str, Any]]) -> None:
    """Draw the label in the upper left corner of each box that is large enough."""
    for box in boxes:
        text = style.shorten_to_width(box["label"], NAME_FONT, 60)
        wide, high = scale * (box["x1"] - box["x0"]), scale * (box["y1"] - box["y0"])
        if high > NAME_FONT + 1 and wide > style.text_width(text, NAME_FONT) + 3:
            ground = {"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.5}
            x, y = box["x0"] + 1.8 / scale, box["y0"] + (NAME_FONT / 2 + 1.3) / scale
            style.draw_text(axes, x, y, text, NAME_FONT, bbox=ground)
