"""How the pages of both sides were matched: counts, unmatched pages, page images."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.layouts.model import SIDES
from layoutcm.messages import HOW_MATCHED
from layoutcm.tables.tables import Table, csv_text
from layoutcm.ui import held_files, selection, session
from layoutcm.ui.file_roles import PAGE_MAP
from layoutcm.ui.parts import data_tables
from layoutcm.ui.screen_text import as_typed, plural_spaced
from layoutcm.wording import thin_spaced

if TYPE_CHECKING:
    import pandas as pd

ROWS_SHOWN = 1000


def show_page_pairs(compared: Comparison) -> None:
    """How pages were matched, and the unmatched pages."""
    matched, unmatched = _matches(session.comparison_key(), compared)
    names = session.side_names()
    sides = {name: int((unmatched[f"{side}_page"] != "").sum()) for side, name in zip(SIDES, names)}
    ways = [f"{thin_spaced(count)} {HOW_MATCHED[how]}" for how, count in matched.items()]
    only = [f"{thin_spaced(count)} only in {name}" for name, count in sides.items() if count]
    parts = [f"matched {', '.join(ways)}" if ways else "none matched", *only]
    st.markdown(f"**Pages:** {'; '.join(parts)}.")
    _show_image_counts(compared)
    if len(unmatched):
        _show_unmatched(unmatched)
    _show_page_map()


def are_unmatched(compared: Comparison) -> bool:
    """Whether pages have no partner, which often is a mistake in names."""
    return len(_matches(session.comparison_key(), compared)[1]) > 0


@st.cache_data(max_entries=12, show_spinner="Looking at the pages …", scope="session")
def _matches(content: str, _compared: Comparison) -> tuple[dict[str, int], pd.DataFrame]:
    """{way of matching: number of pages}, and the rows of the unmatched pages."""
    table = _compared.page_matches()
    counts = table["how"].value_counts()
    matched = {how: int(counts[how]) for how in HOW_MATCHED if how in counts}
    return matched, table[table["how"] == ""].reset_index(drop=True)


def _show_unmatched(unmatched: pd.DataFrame) -> None:
    names = dict(zip(("gt_page", "pred_page"), (f"only in {name}" for name in session.side_names())))
    data_tables.show_table(unmatched[list(names)].head(ROWS_SHOWN), names, "pages_alone")
    if len(unmatched) > ROWS_SHOWN:
        st.caption(f"The first {ROWS_SHOWN:,} of {len(unmatched):,}; the file below has all.")
    st.download_button(
        "Download these as a page map to fill in",
        lambda: csv_text(page_map_table(unmatched)),
        "pages.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def page_map_table(unmatched: pd.DataFrame) -> Table:
    """The pages without a partner, as a page map in which the partners are missing."""
    return Table("pages", "Page map", unmatched[["gt_page", "pred_page"]].set_axis(["gt", "pred"], axis=1))


def _show_page_map() -> None:
    """Where a page map comes from, and a button that removes one that has no card of its own."""
    has_card = any(one.role == PAGE_MAP for one in held_files.cards())
    if session.chosen_page_map() is not None and not has_card and st.button("Remove the page map"):
        session.change_files(page_maps=())
        st.rerun()
    st.caption("Pages that belong together under other names: drop a page map above (CSV with the columns gt and pred, "
               "YAML or JSON). Other pages are matched as before.")  # fmt: skip


def _show_image_counts(compared: Comparison) -> None:
    """How many pages have an image, and which images have no page."""
    images = selection.current_page_images()
    if not images.pictures:
        return
    with st.spinner("Matching page images …"):
        by_page, unused = images.by_page(compared), images.unmatched_files(compared)
    st.markdown(f"**Page images:** {plural_spaced(len(by_page), 'page')} of {len(compared.pages):,} have one.")
    if unused:
        belongs = "image belongs" if len(unused) == 1 else "images belong"
        message = f"{len(unused):,} page {belongs} to no page (first: {unused[0]}). "
        st.info(as_typed(message + "Images are matched by name, or by document and page number."))
