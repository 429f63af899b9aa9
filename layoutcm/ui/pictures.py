"""Small pictures of pages, drawn on the server: exactly the pixels behind a number, on the page."""

from __future__ import annotations

import base64
import io

import numpy as np
import streamlit as st
from PIL import Image

from layoutcm.comparison import Comparison
from layoutcm.pageview import page_cells
from layoutcm.ui.page_images import Picture, picture_uri

THUMBNAIL = 420
LIT = np.array([214, 39, 40], float)


def thumbnail(
    content: str, compared: Comparison, page: str, cell: tuple[str, str], method: str, picture: Picture | None
) -> bytes:
    """The page, faint, with the pixels that add to one cell (gt label, pred label) lit; a PNG.

    `content` stands for the files and options of the comparison, so that equal keys mean equal pictures.
    """
    key = (content, page, *cell, method, picture.digest if picture else "")
    return _thumbnail(key, compared, picture)


@st.cache_data(max_entries=200, show_spinner=False)
def _thumbnail(key: tuple[str, ...], _compared: Comparison, _picture: Picture | None) -> bytes:
    _, page, gt_label, pred_label, method, _ = key
    cells = page_cells(_compared, page)
    scale = THUMBNAIL / max(cells.x_edges[-1], cells.y_edges[-1])
    share = np.asarray(cells.spread(cells.share_of(gt_label, pred_label, method), scale), float)[..., None]
    paper = np.full((*share.shape[:2], 3), 250.0)
    uri = picture_uri(_picture, THUMBNAIL)
    if uri:
        image = Image.open(io.BytesIO(base64.b64decode(uri.partition(",")[2])))
        paper = 0.45 * np.asarray(image.convert("RGB").resize(share.shape[1::-1]), float) + 140
    strength = np.where(share > 0, 0.45 + 0.4 * share, 0)
    mixed = paper * (1 - strength) + LIT * strength
    mixed[[0, -1], :] = mixed[:, [0, -1]] = 160
    out = io.BytesIO()
    Image.fromarray(np.rint(mixed).astype(np.uint8)).quantize(64).save(out, "PNG")
    return out.getvalue()
