"""Method: its texts, an example pixel with its contribution, and the recount of the loaded pages."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.causes import TOLERANCE
from layoutcm.lazy import pd
from layoutcm.metrics.confusion import label_sets_confusion
from layoutcm.metrics.matrix_blocks import METHODS
from layoutcm.models.differences import comparison_of_pages
from layoutcm.results.verdict import CONFIDENCE, FEW_UNITS, FEWEST_UNITS
from layoutcm.tables import command_texts
from layoutcm.tables.matrix_views import select
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.server.guarded_reading import run_guarded
from layoutcm.ui.server.settings import bytes_of
from layoutcm.ui.shared import data_tables, matrix_panel, page_shell
from layoutcm.ui.shared.long_jobs import recount_pages
from layoutcm.ui.shared.page_shell import control_row
from layoutcm.ui.state.chosen import Chosen
from layoutcm.verification import PAGES
from layoutcm.verification.deviations import TOLERANCE as DEVIATION
from layoutcm.wording import plain_percent

if TYPE_CHECKING:
    from layoutcm.verification.recount import Verification

PIXEL_LABELS = ("Text", "Caption", "Picture", "Table")

_VALUES = {
    "tolerance": plain_percent(TOLERANCE),
    "fewest": FEWEST_UNITS,
    "few": FEW_UNITS,
    "significance": plain_percent(1 - CONFIDENCE),
}
_TEXTS = (files("layoutcm.ui.method") / "texts.md").read_text("utf-8").format(**_VALUES)
# {heading: text}: the two that the page has between its drawings, then those of the discussion.
DISCUSSION = dict(re.findall(r"^## (.+)\n\n((?s:.+?))\n(?=\n## |\Z)", _TEXTS, re.MULTILINE))
RULE, READINGS = (DISCUSSION.pop(name) for name in ("What a pixel contributes", "What is read off the matrix"))
MOST_PAGES = 200  # more take minutes; the command line has no limit
WHAT_IT_DOES = (
    "Random pages are counted a second time, by code that shares nothing with the first: every region is drawn on the "
    "pixels of its page, pixels are counted one label set at a time, and matrix and scores are computed from them in "
    "plain Python. Averages are also compared with scikit-learn, and AP with pycocotools, if they are installed."
)
NO_FILES = "Load files to recount them here. On the command line: `layoutcm verify GT PRED`."
COLUMNS = {"numbers": st.column_config.NumberColumn("numbers compared", format="localized")}


def show_pixel(chosen: Chosen) -> None:
    """Choose the labels of one pixel on both sides and see its contribution."""
    left, right = st.columns([1, 2], gap="medium")
    with left:
        several: Any = {"options": PIXEL_LABELS, "selection_mode": "multi"}
        gt = st.pills("Ground truth labels of the pixel", default=["Picture", "Caption"], key="pixel_gt", **several)
        pred = st.pills("Prediction labels of the pixel", default=["Picture"], key="pixel_pred", **several)
        method = st.segmented_control("Method", METHODS, default="matrix", required=True, key="pixel_method")
        for side, labels in (("Ground truth", gt), ("Prediction", pred)):
            word = sum(1 << (PIXEL_LABELS.index(label) + 1) for label in labels) or 1
            st.markdown(f"{side} `{word >> 4:04b} {word & 15:04b}` = {' + '.join(labels) or 'Background'}")
    with right:
        confusion = label_sets_confusion([gt], [pred], PIXEL_LABELS, method=str(method))
        matrix_panel.show_plain_matrix(chosen, confusion, "pixels", select(confusion, unused=True), "pixel_matrix")


def show_recounting(chosen: Chosen) -> None:
    """The button that recounts pages of the loaded files, and the result."""
    st.markdown(WHAT_IT_DOES)
    compared = chosen.comparison
    if not isinstance(compared, Comparison) or not compared.pages:
        st.info(NO_FILES)
        return
    most = min(len(compared.pages), MOST_PAGES)
    with control_row():
        pages = st.number_input("Pages", 1, most, min(PAGES, most), key="verify_pages", width=130)
        seed = st.number_input("Seed", 0, 10**6, 0, key="verify_seed", width=130, help="Another seed, other pages")
        key = (chosen.key(), chosen.now.method, int(pages), int(seed))
        st.button("Recount these pages", type="primary", key="verify", on_click=_ask, args=(key[:2],))
    if st.session_state.get("verify_asked") == key and st.session_state.get("verified", (None,))[0] != key:
        st.session_state["verified"] = (key, _recount(chosen, compared, int(pages), int(seed)))
    made = st.session_state.get("verified")
    if made and made[0] == key:
        _show_result(made[1])


def _ask(content: tuple[str, str]) -> None:
    st.session_state["verify_asked"] = (*content, st.session_state["verify_pages"], st.session_state["verify_seed"])


def _recount(chosen: Chosen, compared: Comparison, pages: int, seed: int) -> Verification:
    if not compared.levels.has_regions:  # the regions of a few pages are read
        numbers = np.random.default_rng(seed).choice(compared.levels.page_count, pages, replace=False)
        compared = comparison_of_pages(compared, compared.levels.names_of(np.sort(numbers)))
    bar = st.progress(0.0, "Drawing the first page on its pixels …")

    def show_progress(what: str, share: float) -> None:
        bar.progress(share, f"{what} …")

    try:
        return run_guarded(
            recount_pages, compared, pages, seed, chosen.now.method, file="the pages", size=bytes_of([compared]),
            show_progress=show_progress, parts=1 + pages // PAGES,
        )  # fmt: skip
    finally:
        bar.empty()


def _show_result(result: Verification) -> None:
    """The verdict in words, what was not checked, and a row for each kind of number."""
    show = st.success if result.agrees else st.error
    show(as_typed(f"{command_texts.recounted_text(result)}. {command_texts.verdict(result)}"))
    for line in (*command_texts.deviation_lines(result), *command_texts.not_checked_lines(result)):
        st.warning(as_typed(f"{line[0].upper()}{line[1:]}".strip()))
    data_tables.show_table(result_rows(result), COLUMNS, key="verified_numbers")
    st.caption(
        f"A deviation is absolute for scores and relative for pixels; above {DEVIATION:g} a number does not agree."
    )
    page_shell.show_recipe(result.recipe)


def result_rows(result: Verification) -> pd.DataFrame:
    """quantity, recounted by, numbers, largest deviation, and whether they agree; also for what was not checked."""
    rows = [
        (title, by, numbers, command_texts.deviation_text(largest), "yes" if largest <= DEVIATION else "no")
        for title, by, numbers, largest in result.table.itertuples(index=False)
    ]
    if not result.ap_was_checked:
        rows.append(("AP and AR", "pycocotools", 0, "n/a", "not checked"))
    return pd.DataFrame(rows, columns=["quantity", "recounted by", "numbers", "largest deviation", "agrees"])
