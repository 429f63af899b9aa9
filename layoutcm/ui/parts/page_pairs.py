"""Which pages were compared with which: how they were matched, those left alone, a page map, page images."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.layouts.page_maps import parse_page_map, resolve_page_map
from layoutcm.ui import screen_text, selection, session
from layoutcm.ui.input_files import input_from_bytes, layouts_of
from layoutcm.ui.parts import data_tables
from layoutcm.ui.screen_text import as_typed, plural_spaced
from layoutcm.wording import thin_spaced

if TYPE_CHECKING:
    import pandas as pd

ROWS_LISTED = 1000
HOW = {
    "map": "by the page map",
    "exact": "by equal names",
    "base name": "by name without folders",
    "stem": "by name without folders and suffix",
    "spelling": "by name up to spelling",
    "number": "by document and page number",
}


def show_page_pairs(compared: Comparison) -> None:
    """A line on how pages were matched, those left alone, and the way to say it better."""
    matched, alone = _matches(session.content_key(), compared)
    sides = {side: int((alone[f"{side}_page"] != "").sum()) for side in ("gt", "pred")}
    ways = [f"{thin_spaced(count)} {HOW[how]}" for how, count in matched.items()]
    left = [f"{thin_spaced(count)} only in {side}" for side, count in sides.items() if count]
    parts = [f"matched {', '.join(ways)}" if ways else "none matched", *left]
    st.markdown(f"**Pages:** {'; '.join(parts)}.")
    _pictures(compared)
    title = "Pages without a partner, page map" if len(alone) else "Page map"
    with st.expander(title, expanded=session.chosen_page_map() is not None or not matched):
        if len(alone):
            _show_unmatched(alone)
        page_map_upload()


@st.cache_data(max_entries=12, show_spinner="Looking at the pages …")
def _matches(content: str, _compared: Comparison) -> tuple[dict[str, int], pd.DataFrame]:
    """How many pages each way matched, and the rows of those that none did."""
    table = _compared.page_matches()
    counts = table["how"].value_counts()
    return {how: int(counts[how]) for how in HOW if how in counts}, table[table["how"] == ""].reset_index(drop=True)


def _show_unmatched(alone: pd.DataFrame) -> None:
    names = {"gt_page": "only in the ground truth", "pred_page": "only in the prediction"}
    data_tables.show_table(alone[list(names)].head(ROWS_LISTED), names, "pages_alone")
    if len(alone) > ROWS_LISTED:
        st.caption(f"The first {ROWS_LISTED:,} of {len(alone):,}; the file below has all.")
    st.download_button(
        "Download these as a page map to fill in",
        lambda: alone[list(names)].rename(columns={"gt_page": "gt", "pred_page": "pred"}).to_csv(index=False),
        "pages.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def page_map_upload() -> None:
    """A file that says which pages belong together; one that cannot be used changes nothing."""
    help = "CSV with the columns gt and pred, or YAML or JSON: {gt page: pred page}. Other pages are matched as before."
    given = st.file_uploader(
        "Which pages belong together (CSV, YAML or JSON)", type=["csv", "tsv", "yaml", "yml", "json"],
        key=f"page_map_{session.chosen_pred().digest}", help=help,
    )  # fmt: skip
    taken: dict[str, str] = st.session_state.setdefault("page_map_taken", {})
    if given and given.file_id not in taken:
        taken[given.file_id] = _take(given)
        if not taken[given.file_id]:
            st.rerun()
    if given and taken[given.file_id]:
        st.error(taken[given.file_id])
    remove_button()


def remove_button() -> None:
    if session.chosen_page_map() is not None and st.button("Remove the page map"):
        _use(None)
        st.rerun()


def _take(given: Any) -> str:
    """Use the map if both sides have its pages; else what is wrong with it."""
    try:
        page_map = parse_page_map(given.name, given.getvalue())
        # A file without sizes can be read only with it.
        gt, pred = layouts_of(
            replace(session.comparison_request(), page_map=input_from_bytes(given.name, given.getvalue()))
        )
        resolve_page_map(page_map, gt.page_columns, pred.page_columns)
    except InputError as error:
        return screen_text.error_text(error)
    _use(given)
    return ""


def _use(given: Any) -> None:
    files, pred = session.loaded_files(), session.chosen_pred().digest
    assert files is not None
    others = tuple(pair for pair in files.page_maps if pair[0] != pred)
    mine = ((pred, input_from_bytes(given.name, given.getvalue())),) if given else ()
    st.session_state["loaded"] = replace(files, page_maps=others + mine)


def _pictures(compared: Comparison) -> None:
    """How many pages have a picture, and which pictures have no page."""
    images = selection.page_images()
    if not images.pictures:
        return
    with st.spinner("Matching page images …"):
        placed, lost = images.placed(compared), images.of_no_page(compared)
    st.markdown(f"**Page images:** {plural_spaced(len(placed), 'page')} of {len(compared.pages):,} have one.")
    if lost:
        belongs = "image belongs" if len(lost) == 1 else "images belong"
        message = f"{len(lost):,} page {belongs} to no page (first: {lost[0]}). "
        st.info(as_typed(message + "Images are matched by name, or by document and page number."))
