"""Pages with some of their pixels lit: a grid of thumbnails, the list of all of them, and the causes of the pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.diagnosis.causes import TOLERANCE
from layoutcm.drawing.palette import CAUSE_COLOURS
from layoutcm.ui import choices, components, screen_text, selection
from layoutcm.ui.parts import data_tables
from layoutcm.ui.parts.thumbnails import Lit, thumbnail_address
from layoutcm.ui.scope import Scope
from layoutcm.wording import percent, percent_brief, thin_spaced

if TYPE_CHECKING:
    import pandas as pd

THUMBNAILS = 6
FRAMES = 8  # of the filmstrip
MOST_LISTED = 100_000  # pages; the browser gets the whole table, some 100 bytes a page
CAUSES_PAGES, CAUSES_PAGES_OF_PARTS = 200, 24  # more would take too long after a click
COLOUR_OF_CAUSE = dict(zip(CAUSES, CAUSE_COLOURS, strict=True))
CAUSES_HELP = (
    "**Slack**: only the position of a border differs, by no more than "
    f"{100 * TOLERANCE:g} % of the page's longer side. **Label**: a region was found with another label. **Size**: a "
    "region reaches too far or not far enough. **Split** and **merge**: one region became several, or several became "
    "one. **Duplicate**: a second region on a found one. **Missed** and **invented**: regions of one side only."
)


@dataclass(frozen=True, eq=False)
class LitPages:
    """The pages behind a cell or a label, the worst first, and what is lit on them."""

    scope: Scope
    table: pd.DataFrame  # page, document, pixels or objects
    lit: Lit
    unit: str = "px"
    mask: str = ""  # the layer that the page viewer opens with

    @property
    def column(self) -> str:
        """The column of the table with the amount of each page."""
        return "objects" if self.unit == "objects" else "pixels"

    @property
    def total(self) -> float:
        return float(self.table[self.column].sum())


def show_thumbnails(pages: LitPages, across: int) -> None:
    """The worst pages, `across` in a row, as buttons that open them, and all of them as a table."""
    data = {"pages": _pictures(pages, 0, THUMBNAILS), "across": across, "unit": pages.unit}
    components.THUMBNAILS(key="thumbnails", data=data, on_picked_change=lambda: _open_picked("thumbnails", pages.mask))
    _offer_all(pages)


def _pictures(pages: LitPages, first: int, count: int) -> list[list[Any]]:
    """[page, amount, address of its picture] of some of the pages."""
    images, compared, method = selection.current_page_images(), pages.scope.compared, choices.current().method
    shown = []
    rows = pages.table.iloc[first : first + count]
    for page, amount in zip(rows["page"], rows[pages.column]):
        picture = images.find(compared, compared.levels.page_index(page))
        address = thumbnail_address(pages.scope.key, compared, page, pages.lit, method, picture)
        shown.append([page, round(amount), address])
    return shown


def _open_picked(key: str, mask: str) -> None:
    picked = st.session_state[key].get("picked")
    if picked:
        selection.open_page(picked["page"], mask)


def show_filmstrip(pages: LitPages, title: str, page: str) -> None:
    """A row of the pages behind the chosen cell, with the present one among them if it is one of them."""
    places, count = np.flatnonzero(pages.table["page"] == page), len(pages.table)
    place = int(places[0]) if len(places) else 0
    first = max(min(place - FRAMES // 2, count - FRAMES), 0)
    shown = f"{thin_spaced(first + 1)} to {thin_spaced(min(first + FRAMES, count))} of {thin_spaced(count)}"
    st.caption(screen_text.as_typed(f"Pages behind {title}, worst first: {shown}"))
    data = {"pages": _pictures(pages, first, FRAMES), "across": FRAMES, "unit": pages.unit, "current": page}
    components.THUMBNAILS(key="filmstrip", data=data, on_picked_change=lambda: _open_picked("filmstrip", pages.mask))


def _offer_all(pages: LitPages) -> None:
    """Put the table of all pages into an expander; the table is made only if that is open."""
    count = len(pages.table)
    title = f"All {screen_text.plural_spaced(count, 'page')}" if count > 1 else "The page"
    all_pages = st.expander(title, key="behind_all", on_change="rerun")
    if all_pages.open:
        with all_pages:
            data_tables.show_page_picker(pages.table.head(MOST_LISTED), key="behind")
            if count > MOST_LISTED:
                st.caption(f"The first {MOST_LISTED:,} of {count:,}; the file in Take it away has all.")


def show_causes(pages: LitPages) -> None:
    """A bar such as [ slack 22 % | label 64 % | missed 14 % ]."""
    compared = pages.scope.compared
    looked_at = pages.table.head(CAUSES_PAGES)
    if not compared.levels.has_regions:
        counted = bool(compared.sources.causes.kept)  # by the parts
        looked_at = pages.table.head(len(pages.table) if counted else CAUSES_PAGES_OF_PARTS)
    found = _cached_causes((pages.scope.key, *pages.lit), compared, looked_at["page"])
    _show_bar([(name, COLOUR_OF_CAUSE[name], pixels) for name, pixels in found.items() if pixels])
    if len(looked_at) < len(pages.table):
        covered = percent(float(looked_at["share"].sum() / pages.table["share"].sum()))
        st.caption(f"Counted on the {len(looked_at)} pages with the most pixels of the cell, {covered} of it.")


def _show_bar(parts: list[tuple[str, str, float]]) -> None:
    """Parts, (name, colour, pixels), as a bar with its legend."""
    total = sum(pixels for _, _, pixels in parts)
    pieces, legend = "", []
    for name, colour, pixels in parts:
        exact = f"{name}: {thin_spaced(pixels)} px, {percent(pixels / total)}"
        pieces += f"<i title='{exact}' style='flex:{pixels:.3f};background:{colour}'></i>"
        legend.append(f":color[■]{{foreground={colour}}} {name} {percent_brief(pixels / total) if pixels else 0} %")
    st.html(f"<div style='display:flex;height:12px;border-radius:6px;overflow:hidden'>{pieces}</div>")
    st.markdown(screen_text.join_unbroken(legend), help=CAUSES_HELP)


@st.cache_data(max_entries=200, show_spinner="Looking for causes …", scope="session")
def _cached_causes(key: tuple[str, ...], _compared: Comparison, _pages: pd.Series[str]) -> dict[str, float]:
    """{cause: pixels of the cell, or of the row and column of the label, on these pages}."""
    _, *names = key
    causes = _compared.sources.causes
    counted = not _compared.levels.has_regions and bool(causes.kept)
    numbers = None if counted else [_compared.levels.page_index(page) for page in _pages]
    values = causes.of_pages(numbers).total.values
    if len(names) == 2:
        row, column = _compared.cell(*names)
        found = values[:, row, column]
    else:
        row, column = _compared.cell(names[0], names[0])
        found = np.asarray(values[:, row].sum(axis=1) + values[:, :, column].sum(axis=1))  # the diagonal has no cause
    return dict(zip(CAUSES, found.tolist()))
