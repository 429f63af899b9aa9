"""A page to take away: its regions, its chosen mask, the packed words of its pixels."""

from __future__ import annotations

from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from layoutcm.comparison import Comparison
from layoutcm.drawing.page_images import Picture
from layoutcm.drawing.paper import pages
from layoutcm.layouts.model import SIDES
from layoutcm.tables.matrix_views import cell_verb
from layoutcm.tables.summary_sentence import in_both
from layoutcm.tables.word_tables import words_table
from layoutcm.ui import choices, offers, selection, session
from layoutcm.ui.image_uris import shrunk_picture
from layoutcm.ui.offers import Offer, file_name
from layoutcm.ui.side_words import words_for

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MASKS = ("gt", "pred", "difference", "cell")
PICTURE_SIDE = 2000


def offer_page(compared: Comparison, page: str) -> None:
    """Offer the page with both layouts, the mask beside it if there is one, else the difference, and the words."""
    picture = selection.current_page_images().find(compared, compared.levels.page_index(page))
    cell, mask = selection.chosen_cell(compared), choices.current().mask
    kind = mask if mask in MASKS and (mask != "cell" or cell) else "cell" if cell and not mask else "difference"
    names = (choices.current().gt_label, choices.current().pred_label) if kind == "cell" else None
    method = choices.current().method
    draw_mask = partial(_draw, pages.page_figure, compared, page, picture, kind=kind, cell=names, method=method)
    of = lambda *names: file_name(*names, PurePath(session.chosen_pred().name).stem, PurePath(page).stem)
    offers.offer(
        "page",
        Offer(of("overlay"), "Page with both layouts", partial(_draw, pages.page_overlay, compared, page, picture)),
        Offer(of(kind, *(names or ())), _mask_title(compared, kind, names), draw_mask),
        Offer(of("words"), "Packed words", table=lambda: words_table(compared.page_tiles(page), compared.has_truth)),
    )


def _mask_title(compared: Comparison, kind: str, names: tuple[str, str] | None) -> str:
    words = words_for(compared)
    if names:
        verb = cell_verb(compared.space.shared, names[0] == names[1])
        return f"Pixels of {f'{names[0]} {verb} {names[1]}' if compared.has_truth else in_both(*names)}"
    return f"Label sets of {words.of[SIDES.index(kind)]}" if kind in SIDES else "Difference"


def _draw(draw: Any, compared: Comparison, page: str, picture: Picture | None, **look: Any) -> Figure:
    return draw(compared, page, image=shrunk_picture(picture, PICTURE_SIDE), **look)
