"""A page as an array of colours: its label sets, where the two sides differ, exactly the pixels behind a number.

Worked out on the page's tiles and then spread over as many pixels as asked for, so that the size is bounded whatever
the shapes are. A picture of the page lies faintly underneath what can be seen through.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from layoutcm.diagnosis.page_tiles import PageTiles
from layoutcm.drawing.palette import AGREEMENT_COLOURS, LIT, blend, label_colours, rgb
from layoutcm.layouts.model import BACKGROUND, GT, PRED, Floats

PAPER = 250.0
ColourArray = NDArray[np.uint8]
# Diagonal, dotted and crossed: kinds of agreement are told apart without colour too. None: a plain area.
PATTERNS = (None, None, "rising", "dots", "falling")


def page_with_lit_pixels(
    tiles: PageTiles, share: Floats, scale: float, image: Image.Image | None = None
) -> ColourArray:
    """uint8[height, width, rgb]: the page, faint, with the tiles lit that add to a number.

    `share` is float64[rows, columns], what a pixel of each cell adds to it.
    """
    strength = np.rint(255 * np.where(share > 0, 0.45 + 0.4 * share, 0)).astype(np.uint8)
    lit = Image.fromarray(np.ascontiguousarray(tiles.spread(strength, scale)))
    page = Image.fromarray(np.rint(_paper((lit.height, lit.width), image)).astype(np.uint8))
    page.paste(rgb(LIT), mask=lit)
    return np.asarray(page)


def page_of_label_sets(tiles: PageTiles, side: int, scale: float) -> ColourArray:
    """uint8[height, width, rgb]: the page coloured by one side's label sets; several labels are mixed."""
    colours = label_colours(tiles.space.labels[1:])
    of_pair = []
    for pair in range(len(tiles.pairs)):
        names = sorted(tiles.set_names(side, pair) - {BACKGROUND})
        of_pair.append(rgb(blend([colours[name] for name in names]) if names else "#ffffff"))
    return np.array(of_pair, np.uint8)[tiles.spread(tiles.pair_of_tile, scale)]


def agreement_colours(kinds: NDArray[np.int64], image: Image.Image | None = None, pattern: int = 0) -> ColourArray:
    """uint8[height, width, rgb] from int[height, width] kinds of agreement; strokes `pattern` pixels apart, 0: none."""
    tints = np.array([rgb(colour or "#ffffff") for colour in AGREEMENT_COLOURS], float)
    strength = np.array([0.0 if colour is None else 0.75 for colour in AGREEMENT_COLOURS])[kinds][..., None]
    mixed = _paper(kinds.shape, image) * (1 - strength) + tints[kinds] * strength
    for kind, name in enumerate(PATTERNS if pattern else ()):
        if name:
            mixed[(kinds == kind) & hatch_mask(kinds.shape, name, pattern)] *= 0.45
    return np.rint(mixed).astype(np.uint8)


def hatch_mask(shape: tuple[int, ...], name: str, step: int) -> NDArray[np.bool_]:
    """bool[height, width]: the pixels that a pattern darkens, from its upper left corner on."""
    y, x = np.ogrid[: shape[0], : shape[1]]
    thick = max(step // 7, 1)
    if name == "dots":
        return (x % step < 2 * thick) & (y % step < 2 * thick)
    return ((x + y) if name == "rising" else (x - y)) % step < thick


def page_raster(
    tiles: PageTiles,
    kind: str,
    scale: float,
    image: Image.Image | None = None,
    cell: tuple[int, int] | None = None,
    method: str = "matrix",
    pattern: int = 0,
) -> ColourArray:
    """One of the maps by its name: "gt", "pred", "difference", or "cell" with the (row, column) of one."""
    if kind == "cell" and cell:
        return page_with_lit_pixels(tiles, tiles.share_of(cell, method), scale, image)
    if kind == "difference":
        return agreement_colours(np.asarray(tiles.spread(tiles.agreement(), scale), int), image, pattern)
    return page_of_label_sets(tiles, PRED if kind == "pred" else GT, scale)


def _paper(shape: tuple[int, ...], image: Image.Image | None) -> Floats:
    if image is None:
        return np.full((*shape[:2], 3), PAPER)
    return 0.45 * np.asarray(image.convert("RGB").resize((shape[1], shape[0])), float) + 140
