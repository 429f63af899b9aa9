"""How the pages of both sides were matched: counts, unmatched pages, page map, page images."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.layouts.model import SIDES
from layoutcm.layouts.page_maps import resolve_page_map
from layoutcm.messages import HOW_MATCHED
from layoutcm.tables.tables import Table, csv_text
from layoutcm.ui import screen_text, selection, session
from layoutcm.ui.input_files import layouts_of, parsed_page_map
from layoutcm.ui.parts import data_tables
from layoutcm.ui.screen_text import SIDE_NAMES, as_typed, plural_spaced
from layoutcm.ui.visitor_files import input_from_bytes
from layoutcm.wording import thin_spaced

if TYPE_CHECKING:
    import pandas as pd

ROWS_SHOWN = 1000


def show_page_pairs(compared: Comparison) -> None:
    """How pages were matched, the unmatched pages, and the upload of a page map."""
    matched, unmatched = _matches(session.comparison_key(), compared)
    sides = {name: int((unmatched[f"{side}_page"] != "").sum()) for side, name in zip(SIDES, SIDE_NAMES)}
    ways = [f"{thin_spaced(count)} {HOW_MATCHED[how]}" for how, count in matched.items()]
    only = [f"{thin_spaced(count)} only in the {name}" for name, count in sides.items() if count]
    parts = [f"matched {', '.join(ways)}" if ways else "none matched", *only]
    st.markdown(f"**Pages:** {'; '.join(parts)}.")
    _show_image_counts(compared)
    title = "Unmatched pages, page map" if len(unmatched) else "Page map"
    with st.expander(title, expanded=session.chosen_page_map() is not None or not matched):
        if len(unmatched):
            _show_unmatched(unmatched)
        show_page_map_upload()


@st.cache_data(max_entries=12, show_spinner="Looking at the pages …", scope="session")
def _matches(content: str, _compared: Comparison) -> tuple[dict[str, int], pd.DataFrame]:
    """{way of matching: number of pages}, and the rows of the unmatched pages."""
    table = _compared.page_matches()
    counts = table["how"].value_counts()
    matched = {how: int(counts[how]) for how in HOW_MATCHED if how in counts}
    return matched, table[table["how"] == ""].reset_index(drop=True)


def _show_unmatched(unmatched: pd.DataFrame) -> None:
    names = {"gt_page": "only in the ground truth", "pred_page": "only in the prediction"}
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


def show_page_map_upload() -> None:
    """Upload a page map; a file that cannot be used changes nothing."""
    help = (
        "CSV with the columns gt and pred, or YAML or JSON: {ground truth page: prediction page}. Other pages are "
        "matched as before."
    )
    given = st.file_uploader(
        "Which pages belong together (CSV, YAML or JSON)", type=["csv", "tsv", "yaml", "yml", "json"],
        key=f"page_map_{session.chosen_pred().digest}", help=help,
    )  # fmt: skip
    taken: dict[str, str] = st.session_state.setdefault("page_map_taken", {})
    if given and given.file_id not in taken:
        taken[given.file_id] = _try_page_map(given)
        if not taken[given.file_id]:
            st.rerun()
    if given and taken[given.file_id]:
        st.error(taken[given.file_id])
    show_remove_button()


def show_remove_button() -> None:
    if session.chosen_page_map() is not None and st.button("Remove the page map"):
        _use_page_map(None)
        st.rerun()


def _try_page_map(given: Any) -> str:
    """Use the map if both sides have its pages; returns what is wrong with it, or ""."""
    try:
        file = input_from_bytes(given.name, given.getvalue())
        page_map = parsed_page_map(file)
        # A file without page sizes can be read only with the map.
        gt, pred = layouts_of(replace(session.comparison_request(), page_map=file))
        resolve_page_map(page_map, gt.page_columns, pred.page_columns)
    except InputError as error:
        return screen_text.error_text(error)
    _use_page_map(given)
    return ""


def _use_page_map(given: Any) -> None:
    files, pred = session.loaded_files(), session.chosen_pred().digest
    assert files is not None
    others = tuple(pair for pair in files.page_maps if pair[0] != pred)
    mine = ((pred, input_from_bytes(given.name, given.getvalue())),) if given else ()
    session.change_files(page_maps=others + mine)


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
