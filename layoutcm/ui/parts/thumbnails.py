"""Thumbnails of pages, drawn on the server, with the pixels of a matrix cell highlighted."""

from __future__ import annotations

import io

import streamlit as st
from PIL import Image, ImageDraw

from layoutcm.comparison import Comparison
from layoutcm.drawing.page_images import Picture
from layoutcm.drawing.page_raster import page_with_lit_pixels
from layoutcm.ui.image_uris import shrunk_picture

THUMBNAIL = 420  # px, the longer side
EDGE = (160, 160, 160)


def thumbnail(
    content: str, compared: Comparison, page: str, cell: tuple[str, str], method: str, picture: Picture | None
) -> bytes:
    """A JPEG of the faded page, with the pixels that add to one cell (gt label, pred label) lit.

    `content` is the cache key for the files and options of the comparison.
    """
    key = (content, page, *cell, method, picture.digest if picture else "")
    return _thumbnail(key, compared, picture)


@st.cache_data(max_entries=200, show_spinner=False, scope="session")
def _thumbnail(key: tuple[str, ...], _compared: Comparison, _picture: Picture | None) -> bytes:
    return draw_thumbnail(key, _compared, shrunk_picture(_picture, THUMBNAIL))


def draw_thumbnail(key: tuple[str, ...], compared: Comparison, image: Image.Image | None) -> bytes:
    """The JPEG; `image` is the picture of the page."""
    _, page, gt_label, pred_label, method, _ = key
    tiles = compared.page_tiles(page)
    scale = THUMBNAIL / max(tiles.x_edges[-1], tiles.y_edges[-1])
    page_image = Image.fromarray(
        page_with_lit_pixels(tiles, tiles.share_of(compared.cell(gt_label, pred_label), method), scale, image)
    )
    ImageDraw.Draw(page_image).rectangle((0, 0, page_image.width - 1, page_image.height - 1), outline=EDGE)
    out = io.BytesIO()
    page_image.save(out, "JPEG", quality=85, subsampling=0)  # much quicker than a PNG; colours stay sharp
    return out.getvalue()
