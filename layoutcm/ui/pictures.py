"""Small pictures of pages, drawn on the server: exactly the pixels behind a number, on the page."""

from __future__ import annotations

import base64
import io

import numpy as np
import streamlit as st
from PIL import Image, ImageDraw

from layoutcm.comparison import Comparison
from layoutcm.pageview import page_cells
from layoutcm.ui.page_images import Picture, picture_uri

THUMBNAIL = 420
PAPER, EDGE, LIT = (250, 250, 250), (160, 160, 160), (214, 39, 40)
FAINT = 0.55


def thumbnail(
    content: str, compared: Comparison, page: str, cell: tuple[str, str], method: str, picture: Picture | None
) -> bytes:
    """The page, faint, with the pixels that add to one cell (gt label, pred label) lit; a JPEG.

    `content` stands for the files and options of the comparison, so that equal keys mean equal pictures.
    """
    key = (content, page, *cell, method, picture.digest if picture else "")
    return _thumbnail(key, compared, picture)


@st.cache_data(max_entries=200, show_spinner=False)
def _thumbnail(key: tuple[str, ...], _compared: Comparison, _picture: Picture | None) -> bytes:
    _, page, gt_label, pred_label, method, _ = key
    cells = page_cells(_compared, page)
    share = cells.share_of(gt_label, pred_label, method)
    strength = np.rint(255 * np.where(share > 0, 0.45 + 0.4 * share, 0)).astype(np.uint8)
    scale = THUMBNAIL / max(cells.x_edges[-1], cells.y_edges[-1])
    lit = Image.fromarray(np.ascontiguousarray(cells.spread(strength, scale)))
    page_image = Image.new("RGB", lit.size, PAPER)
    uri = picture_uri(_picture, THUMBNAIL)
    if uri:
        image = Image.open(io.BytesIO(base64.b64decode(uri.partition(",")[2])))
        page_image = Image.blend(image.convert("RGB").resize(lit.size), Image.new("RGB", lit.size, PAPER), FAINT)
    page_image.paste(LIT, mask=lit)
    ImageDraw.Draw(page_image).rectangle((0, 0, lit.width - 1, lit.height - 1), outline=EDGE)
    out = io.BytesIO()
    page_image.save(out, "JPEG", quality=85, subsampling=0)  # a tenth of the time of a PNG, and colours stay sharp
    return out.getvalue()
