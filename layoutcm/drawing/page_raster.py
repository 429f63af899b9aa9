"""A page for drawing: its regions, and an RGB array of its label sets, its differences, or the pixels of one cell.

Colours are computed for pairs of label sets and then looked up for the requested number of pixels, so the array size
does not depend on the shapes. A faint picture of the page is shown below the transparent areas.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.page_tiles import NOT_JUDGED, PageTiles
from layoutcm.drawing.palette import AGREEMENT_COLOURS, LIT, NOT_JUDGED_COLOUR, blend, label_colours, rgb
from layoutcm.layouts.model import BACKGROUND, GT, PRED, SIDES, Floats
from layoutcm.metrics.levels import page_position


def page_boxes(comparison: Comparison, page: str) -> list[dict[str, Any]]:
    """The regions of both sides in the common frame: side, label, colour, corners, score (or None) and number.

    The label of regions whose pixels are not judged is NOT_JUDGED.
    """
    sources, index = comparison.sources.of_page(page_position(comparison.levels.pages, page))
    colours = label_colours(comparison.labels[1:])
    found = []
    for side, name in enumerate(SIDES):
        regions, labels = sources.page_regions.of(side, index), comparison.alignment.layouts[side].labels
        judged = regions.label < len(labels)
        for number in range(len(regions)):
            score = float(regions.scores[number])
            x0, y0, x1, y1 = regions.boxes[number].tolist()
            label = labels[regions.label[number]] if judged[number] else NOT_JUDGED
            colour = colours[label] if judged[number] else NOT_JUDGED_COLOUR
            found.append(
                {"side": name, "label": label, "colour": colour, "judged": bool(judged[number]), "x0": x0, "y0": y0,
                 "x1": x1, "y1": y1, "score": None if np.isnan(score) else score, "number": number + 1}
            )  # fmt: skip
    return found


class Lighting(NamedTuple):
    """How strongly colours cover a page, from 0 to 1; `web/page_canvas.js` receives these numbers with its data."""

    paper: str = "#fafafa"  # below everything
    picture: float = 0.5  # the page itself, below a mask
    lit: float = 0.45  # pixels that add to a cell, and what they have more if they add all of themselves
    lit_by_share: float = 0.4
    mask: float = 0.75  # kinds of agreement, and causes
    label_sets: float = 0.78
    pair: float = 0.6  # one pair of label sets, and the white over all others

    def of_share(self, share: Floats) -> Floats:
        """The strength of a pixel that adds this share of itself to a cell."""
        return np.where(share > 0, self.lit + self.lit_by_share * share, 0)


LIGHTING = Lighting()
ColourArray = NDArray[np.uint8]
# Patterns that distinguish the kinds of agreement without colour; None: a plain area.
PATTERNS = (None, None, "rising", "dots", "falling", None)


def page_with_lit_pixels(
    tiles: PageTiles, share: Floats, scale: float, image: Image.Image | None = None
) -> ColourArray:
    """uint8[height, width, rgb]: the faint page, with the pixels highlighted that add to a number.

    `share` is float64[pairs]: what a pixel of each pair adds to the number.
    """
    strength = np.rint(255 * LIGHTING.of_share(share)).astype(np.uint8)
    lit = Image.fromarray(np.ascontiguousarray(tiles.spread(strength, scale)))
    page = Image.fromarray(np.rint(_paper((lit.height, lit.width), image)).astype(np.uint8))
    page.paste(rgb(LIT), mask=lit)
    return np.asarray(page)


def page_of_label_sets(tiles: PageTiles, side: int, scale: float) -> ColourArray:
    """uint8[height, width, rgb]: the page coloured by the label sets of one side; several labels mix their colours."""
    colours = label_colours(tiles.space.labels[1:])
    pair_colours = []
    for pair in range(len(tiles.pairs)):
        names = sorted(tiles.set_names(side, pair) - {BACKGROUND})
        pair_colours.append(rgb(blend([colours[name] for name in names]) if names else "#ffffff"))
    return np.asarray(tiles.spread(np.array(pair_colours, np.uint8), scale))


def agreement_colours(kinds: NDArray[np.int64], image: Image.Image | None = None, pattern: int = 0) -> ColourArray:
    """uint8[height, width, rgb]: the colours of int[height, width] `kinds` of agreement.

    `pattern` is the distance between hatch lines in pixels; 0 means no hatching.
    """
    tints = np.array([rgb(colour or "#ffffff") for colour in AGREEMENT_COLOURS], float)
    strength = np.array([0.0 if colour is None else LIGHTING.mask for colour in AGREEMENT_COLOURS])[kinds][..., None]
    mixed = _paper(kinds.shape, image) * (1 - strength) + tints[kinds] * strength
    for kind, name in enumerate(PATTERNS if pattern else ()):
        if name:
            mixed[(kinds == kind) & hatch_mask(kinds.shape, name, pattern)] *= 0.45
    return np.rint(mixed).astype(np.uint8)


def hatch_mask(shape: tuple[int, ...], name: str, step: int) -> NDArray[np.bool_]:
    """bool[height, width]: the pixels that a hatch pattern darkens; it repeats every `step` pixels."""
    y, x = np.ogrid[: shape[0], : shape[1]]
    thickness = max(step // 7, 1)
    if name == "dots":
        return (x % step < 2 * thickness) & (y % step < 2 * thickness)
    return ((x + y) if name == "rising" else (x - y)) % step < thickness


def page_raster(
    tiles: PageTiles,
    kind: str,
    scale: float,
    image: Image.Image | None = None,
    cell: tuple[int, int] | None = None,
    method: str = "matrix",
    pattern: int = 0,
) -> ColourArray:
    """uint8[height, width, rgb]: the map named `kind`: "gt", "pred", "difference", or "cell" with a (row, column)."""
    if kind == "cell" and cell:
        return page_with_lit_pixels(tiles, tiles.share_of(cell, method), scale, image)
    if kind == "difference":
        return agreement_colours(np.asarray(tiles.spread(tiles.agreement(), scale), int), image, pattern)
    return page_of_label_sets(tiles, PRED if kind == "pred" else GT, scale)


def _paper(shape: tuple[int, ...], image: Image.Image | None) -> Floats:
    """float64[height, width, rgb]: the faint picture of the page, or plain paper without one."""
    if image is None:
        return np.full((*shape[:2], 3), rgb(LIGHTING.paper), float)
    return 0.45 * np.asarray(image.convert("RGB").resize((shape[1], shape[0])), float) + 140
