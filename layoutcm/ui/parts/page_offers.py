"""A page to take away: its regions, its chosen mask, the packed words of its pixels."""

from __future__ import annotations

from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from layoutcm.comparison import Comparison
from layoutcm.drawing.page_images import Picture
from layoutcm.drawing.paper import pages
from layoutcm.tables.word_tables import words_table
from layoutcm.ui import choices, offers, selection, session
from layoutcm.ui.image_uris import shrunk_picture
from layoutcm.ui.offers import Offer, file_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MASK_TITLES = {
    "gt": "Label sets of the ground truth",
    "pred": "Label sets of the prediction",
    "difference": "Difference",
    "cell": "Pixels of the chosen cell",
}
PICTURE_SIDE = 2000


def offer_page(compared: Comparison, page: str) -> None:
    """Offer the page with both layouts, the mask beside it if there is one, else the difference, and the words."""
    picture = selection.current_page_images().find(compared, compared.levels.page_index(page))
    cell, mask = selection.chosen_cell(compared), choices.current().mask
    kind = mask if mask in MASK_TITLES and (mask != "cell" or cell) else "cell" if cell and not mask else "difference"
    names = (choices.current().gt_label, choices.current().pred_label) if kind == "cell" else None
    method = choices.current().method
    draw_mask = partial(_draw, pages.page_figure, compared, page, picture, kind=kind, cell=names, method=method)
    of = lambda *names: file_name(*names, PurePath(session.chosen_pred().name).stem, PurePath(page).stem)
    shown = " read as ".join(names) if names else ""
    title = f"{MASK_TITLES[kind]}{f': {shown}' if shown else ''}"
    offers.offer(
        "page",
        Offer(of("overlay"), "Page with both layouts", partial(_draw, pages.page_overlay, compared, page, picture)),
        Offer(of(kind, *(names or ())), title, draw_mask),
        Offer(of("words"), "Packed words", table=lambda: words_table(compared.page_tiles(page))),
    )


def _draw(draw: Any, compared: Comparison, page: str, picture: Picture | None, **look: Any) -> Figure:
    return draw(compared, page, image=shrunk_picture(picture, PICTURE_SIDE), **look)
