"""Thumbnails of pages, drawn on the server, with the pixels of a matrix cell, of a label or of all errors lit."""

from __future__ import annotations

import io
from weakref import ref

import numpy as np
from PIL import Image, ImageDraw

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.page_tiles import AGREEMENT, PageTiles
from layoutcm.drawing.page_images import Picture
from layoutcm.drawing.page_raster import page_with_lit_pixels
from layoutcm.layouts.model import Floats
from layoutcm.ui.image_uris import shrunk_picture
from layoutcm.ui.page_pictures import picture_address

THUMBNAIL, SMALL = 420, 160  # px, the longer side
EDGE = (160, 160, 160)
Lit = tuple[str, ...]  # (gt label, pred label) of a cell, (label,) for its wrong pixels, () for all wrong pixels


def thumbnail_address(
    content: str, compared: Comparison, page: str, lit: Lit, method: str, picture: Picture | None
) -> str | None:
    """The address of a JPEG of the faded page with some pixels lit; it is small if all wrong pixels are.

    `content` is the cache key for the files and options of the comparison. The picture is drawn when the browser asks
    for it, unless the comparison is no longer held then.
    """
    key = repr((content, page, *lit, method, picture.digest if picture else ""))
    held, side = ref(compared), THUMBNAIL if lit else SMALL

    def make() -> bytes | None:
        still = held()
        return draw_thumbnail(still, page, lit, method, shrunk_picture(picture, side)) if still else None

    return picture_address(key, make)


def draw_thumbnail(compared: Comparison, page: str, lit: Lit, method: str, image: Image.Image | None) -> bytes:
    """The JPEG; `image` is the picture of the page."""
    tiles = compared.page_tiles(page)
    scale = (THUMBNAIL if lit else SMALL) / max(tiles.x_edges[-1], tiles.y_edges[-1])
    page_image = Image.fromarray(page_with_lit_pixels(tiles, _share(compared, tiles, lit, method), scale, image))
    ImageDraw.Draw(page_image).rectangle((0, 0, page_image.width - 1, page_image.height - 1), outline=EDGE)
    out = io.BytesIO()
    page_image.save(out, "JPEG", quality=85, subsampling=0)  # much quicker than a PNG; colours stay sharp
    return out.getvalue()


def _share(compared: Comparison, tiles: PageTiles, lit: Lit, method: str) -> Floats:
    """float64[pairs]: how strongly the pixels of each pair are lit."""
    if len(lit) == 2:
        return tiles.share_of(compared.cell(*lit), method)
    if lit:
        return tiles.share_in_label(compared.cell(lit[0], lit[0]), method)
    wrong = AGREEMENT[2:5] if compared.space.shared else AGREEMENT[2:4]  # other labels are no error if they all differ
    return np.isin(tiles.agreement(), [AGREEMENT.index(kind) for kind in wrong]).astype(float)
