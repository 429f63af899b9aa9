"""Thumbnails of pages, drawn on the server, with the pixels of a matrix cell highlighted."""

from __future__ import annotations

import io
from weakref import ref

from PIL import Image, ImageDraw

from layoutcm.comparison import Comparison
from layoutcm.drawing.page_images import Picture
from layoutcm.drawing.page_raster import page_with_lit_pixels
from layoutcm.ui.image_uris import shrunk_picture
from layoutcm.ui.page_pictures import picture_address

THUMBNAIL = 420  # px, the longer side
EDGE = (160, 160, 160)


def thumbnail_address(
    content: str, compared: Comparison, page: str, cell: tuple[str, str], method: str, picture: Picture | None
) -> str | None:
    """The address of a JPEG of the faded page, with the pixels that add to one cell (gt label, pred label) lit.

    `content` is the cache key for the files and options of the comparison. The picture is drawn when the browser asks
    for it, unless the comparison is no longer held then.
    """
    key = repr((content, page, *cell, method, picture.digest if picture else ""))
    held = ref(compared)

    def make() -> bytes | None:
        still = held()
        return draw_thumbnail(still, page, cell, method, shrunk_picture(picture, THUMBNAIL)) if still else None

    return picture_address(key, make)


def draw_thumbnail(
    compared: Comparison, page: str, cell: tuple[str, str], method: str, image: Image.Image | None
) -> bytes:
    """The JPEG; `image` is the picture of the page."""
    tiles = compared.page_tiles(page)
    scale = THUMBNAIL / max(tiles.x_edges[-1], tiles.y_edges[-1])
    page_image = Image.fromarray(
        page_with_lit_pixels(tiles, tiles.share_of(compared.cell(*cell), method), scale, image)
    )
    ImageDraw.Draw(page_image).rectangle((0, 0, page_image.width - 1, page_image.height - 1), outline=EDGE)
    out = io.BytesIO()
    page_image.save(out, "JPEG", quality=85, subsampling=0)  # much quicker than a PNG; colours stay sharp
    return out.getvalue()
