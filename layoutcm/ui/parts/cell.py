"""The panel of the chosen matrix cell: its meaning, the causes of its pixels, and the pages behind it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.diagnosis.causes import TOLERANCE
from layoutcm.drawing.palette import CAUSE_COLOURS
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.matrix_views import cell_verb
from layoutcm.tables.tables import Table
from layoutcm.ui import choices, components, offers, screen_text, selection, session
from layoutcm.ui.parts import data_tables
from layoutcm.ui.parts.thumbnails import thumbnail_address
from layoutcm.ui.screen_text import as_typed
from layoutcm.wording import percent, percent_brief, thin_spaced

if TYPE_CHECKING:
    import pandas as pd

THUMBNAILS = 4
CAUSES_PAGES = 200  # more would take too long after a click
LIST_DELAY = 0.15  # seconds; the browser shows the list before it is busy with drawing the matrix again
COLOUR_OF_CAUSE = dict(zip(CAUSES, CAUSE_COLOURS, strict=True))
CAUSES_HELP = (
    "**Slack**: only the position of a border differs, by no more than "
    f"{100 * TOLERANCE:g} % of the page's longer side. **Label**: a region was found with another label. **Size**: a "
    "region reaches too far or not far enough. **Split** and **merge**: one region became several, or several became "
    "one. **Duplicate**: a second region on a found one. **Missed** and **invented**: regions of one side only."
)


def show_cell(compared: Comparison, confusion: Confusion, across: int = 2) -> Callable[[], None]:
    """The meaning of the chosen cell, and the worst pages behind it, `across` in a row, with exactly its pixels lit.

    The list is drawn at once; the browser fetches its pictures later. The returned function draws the causes, which
    take longer; the page calls it last.
    """
    cell = selection.chosen_cell(compared)
    offers.offer("cell")
    if cell is None:
        st.info("Click a cell of the matrix to see the pages behind it, or a label to see what it is taken for.")
        return lambda: None
    gt_label, pred_label = names = (choices.current().gt_label, choices.current().pred_label)
    verb = cell_verb(confusion.diagonal, cell[0] == cell[1])
    st.subheader(as_typed(f"{gt_label} {verb} {pred_label}"), anchor=False)
    pages, scope = _pages_behind(compared, gt_label, pred_label)
    st.markdown(
        f"{percent(float(confusion.recall[cell]))} of {as_typed(gt_label)}, "
        f"{thin_spaced(round(confusion.values[cell]))} px on "
        f"{thin_spaced(len(pages))} of {screen_text.plural_spaced(scope, 'page')}"
    )
    title = f"Pages behind {gt_label} {verb} {pred_label}"
    file = offers.in_state(offers.file_name("pages", gt_label, verb, pred_label))
    offers.offer("cell", offers.Offer(file, title, table=lambda: Table("pages_behind", title, pages)))
    causes = st.container()
    if len(pages):
        _show_thumbnails(compared, pages.head(THUMBNAILS), names, across)
        _offer_all_pages(pages)
    if st.session_state.get("cell_listed") != names:
        st.session_state["cell_listed"] = names
        time.sleep(LIST_DELAY)

    def draw_slow_parts() -> None:
        if confusion.diagonal and confusion.method == "matrix" and cell[0] != cell[1] and len(pages):
            with causes:
                _show_causes(compared, names, pages)

    return draw_slow_parts


def _show_thumbnails(compared: Comparison, worst: pd.DataFrame, cell: tuple[str, str], across: int) -> None:
    """The pages, `across` in a row, as buttons that open them."""
    images, key, method = selection.current_page_images(), session.comparison_key(), choices.current().method
    pages = []
    for page, pixels in zip(worst["page"].tolist(), worst["pixels"].tolist()):
        picture = images.find(compared, compared.levels.page_index(page))
        pages.append([page, round(pixels), thumbnail_address(key, compared, page, cell, method, picture)])
    components.THUMBNAILS(key="thumbnails", data={"pages": pages, "across": across}, on_picked_change=_open_picked_page)


def _open_picked_page() -> None:
    picked = st.session_state["thumbnails"].get("picked")
    if picked:
        selection.open_page(picked["page"])


def _offer_all_pages(pages: pd.DataFrame) -> None:
    """Put the table of all pages behind the cell into an expander; the table is made only if that is open."""
    title = f"All {screen_text.plural_spaced(len(pages), 'page')}" if len(pages) > 1 else "The page"
    all_pages = st.expander(title, key="behind_all", on_change="rerun")
    if all_pages.open:
        with all_pages:
            data_tables.show_page_picker(pages, key="behind")


def _pages_behind(compared: Comparison, gt_label: str, pred_label: str) -> tuple[pd.DataFrame, int]:
    """The pages behind the cell at the chosen level, and the number of all pages of that level."""
    pages = compared.pages_behind(gt_label, pred_label, choices.current().method)
    level = choices.current().level
    if selection.scope_text(compared) == selection.WHOLE_SET:
        return pages, len(compared.pages)
    scope = len(compared.levels.pages_of(choices.value_of(level))) if level == "document" else 1
    return pages[pages[level] == choices.value_of(level)].reset_index(drop=True), scope


def _show_causes(compared: Comparison, cell: tuple[str, str], pages: pd.DataFrame) -> None:
    """A bar such as [ slack 22 % | label 64 % | missed 14 % ]."""
    looked_at = pages.head(CAUSES_PAGES)
    key = (session.comparison_key(), *cell, selection.scope_text(compared))
    found = _cached_causes(key, compared, looked_at["page"].tolist())
    _show_bar([(name, COLOUR_OF_CAUSE[name], pixels) for name, pixels in found.items() if pixels])
    if len(looked_at) < len(pages):
        covered = percent(float(looked_at["share"].sum() / pages["share"].sum()))
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
def _cached_causes(key: tuple[str, ...], _compared: Comparison, _pages: list[str]) -> dict[str, float]:
    """{cause: pixels of the cell on these pages}."""
    _, gt_label, pred_label, _ = key
    counts = _compared.sources.causes.of_pages([_compared.levels.page_index(page) for page in _pages])
    row, column = _compared.cell(gt_label, pred_label)
    return dict(zip(CAUSES, counts.total.values[:, row, column].tolist()))
