"""`verify` on the visitor's own files: random pages recounted pixel by pixel, and what agrees, in words and a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.models.page_subsets import comparison_of_pages
from layoutcm.tables.verification_texts import (
    deviation_lines,
    deviation_text,
    not_checked_lines,
    recounted_text,
    verdict,
)
from layoutcm.ui import choices, page_shell, session
from layoutcm.ui.guarded_reading import run_guarded
from layoutcm.ui.memory import bytes_of
from layoutcm.ui.parts import data_tables
from layoutcm.ui.parts.objects import control_row
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.verify_job import recount_pages
from layoutcm.verification import PAGES
from layoutcm.verification.deviations import TOLERANCE

if TYPE_CHECKING:
    import pandas as pd

    from layoutcm.verification.recount import Verification

MOST_PAGES = 200  # more take minutes; the command line has no limit
WHAT_IT_DOES = (
    "Random pages are counted a second time, by code that shares nothing with the first: every region is drawn on the "
    "pixels of its page, pixels are counted one label set at a time, and matrix and scores are computed from them in "
    "plain Python. Averages are also compared with scikit-learn, and AP with pycocotools, if they are installed."
)
NO_FILES = "Load files to recount them here. On the command line: `layoutcm verify GT PRED`."
COLUMNS = {"numbers": st.column_config.NumberColumn("numbers compared", format="localized")}


def show_recounting() -> None:
    """The button that recounts pages of the loaded files, and the result."""
    st.markdown(WHAT_IT_DOES)
    compared = session.current_comparison()
    if not isinstance(compared, Comparison) or not compared.pages:
        st.info(NO_FILES)
        return
    most = min(len(compared.pages), MOST_PAGES)
    with control_row():
        pages = st.number_input("Pages", 1, most, min(PAGES, most), key="verify_pages", width=130)
        seed = st.number_input("Seed", 0, 10**6, 0, key="verify_seed", width=130, help="Another seed, other pages")
        key = (session.comparison_key(), choices.current().method, int(pages), int(seed))
        st.button("Recount these pages", type="primary", key="verify", on_click=_ask, args=(key[:2],))
    if st.session_state.get("verify_asked") == key and st.session_state.get("verified", (None,))[0] != key:
        st.session_state["verified"] = (key, _recount(compared, int(pages), int(seed)))
    made = st.session_state.get("verified")
    if made and made[0] == key:
        _show_result(made[1])


def _ask(content: tuple[str, str]) -> None:
    st.session_state["verify_asked"] = (*content, st.session_state["verify_pages"], st.session_state["verify_seed"])


def _recount(compared: Comparison, pages: int, seed: int) -> Verification:
    if not compared.levels.has_regions:  # the regions of a few pages are read
        numbers = np.random.default_rng(seed).choice(compared.levels.page_count, pages, replace=False)
        compared = comparison_of_pages(compared, compared.levels.names_of(np.sort(numbers)))
    bar = st.progress(0.0, "Drawing the first page on its pixels …")

    def show_progress(what: str, share: float) -> None:
        bar.progress(share, f"{what} …")

    try:
        return run_guarded(
            recount_pages, compared, pages, seed, choices.current().method, file="the pages", size=bytes_of([compared]),
            show_progress=show_progress, parts=1 + pages // PAGES,
        )  # fmt: skip
    finally:
        bar.empty()


def _show_result(result: Verification) -> None:
    """The verdict in words, what was not checked, and a row for each kind of number."""
    show = st.success if result.agrees else st.error
    show(as_typed(f"{recounted_text(result)}. {verdict(result)}"))
    for line in (*deviation_lines(result), *not_checked_lines(result)):
        st.warning(as_typed(f"{line[0].upper()}{line[1:]}".strip()))
    data_tables.show_table(result_rows(result), COLUMNS, key="verified_numbers")
    st.caption(
        f"A deviation is absolute for scores and relative for pixels; above {TOLERANCE:g} a number does not agree."
    )
    page_shell.show_recipe(result.recipe)


def result_rows(result: Verification) -> pd.DataFrame:
    """quantity, recounted by, numbers, largest deviation, and whether they agree; also for what was not checked."""
    import pandas as pd

    rows = [
        (title, by, numbers, deviation_text(largest), "yes" if largest <= TOLERANCE else "no")
        for title, by, numbers, largest in result.table.itertuples(index=False)
    ]
    if not result.ap_was_checked:
        rows.append(("AP and AR", "pycocotools", 0, "n/a", "not checked"))
    return pd.DataFrame(rows, columns=["quantity", "recounted by", "numbers", "largest deviation", "agrees"])
