"""Method: its texts, an example pixel with its contribution, and the recount of the loaded pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.causes import TOLERANCE
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
    import pandas as pd

    from layoutcm.verification.recount import Verification

PIXEL_LABELS = ("Text", "Caption", "Picture", "Table")

RULE = """
T = the ground truth labels of a pixel, P = its prediction labels. Each ground truth label of each pixel adds exactly 1
in total to its row.

| case | contribution |
|---|---|
| T = P | (i, i) gets 1 for i in T |
| P contains T and more | (i, i) gets \\|T\\| / \\|P\\|; (i, j) gets 1 / \\|P\\| for i in T, j in P without T |
| T contains P and more | (i, i) gets 1 for i in P; (i, j) gets 1 / \\|P\\| for i in T without P, j in P |
| otherwise | (i, i) gets 1 for i in both; (i, j) gets 1 / \\|P without T\\| for i in T without P, j in P without T |
"""

READINGS = """
- **Recall** of a cell is its share of the row (of the ground truth label), **precision** its share of the column,
  **F1** their harmonic mean. Where there is nothing to divide by, the value is n/a, never 0;
  in a mean over classes, a class that only one side uses counts 0, as in scikit-learn.
- **Averages** over classes leave Background out unless they say otherwise. *Macro* is the mean over the classes that
  occur, *micro* takes all labelled pixels together, *weighted* weighs classes by their ground truth pixels.
- **Families** say how serious a confusion is. On each pixel (or page), labels that both sides have are right and
  are set aside; the remaining labels are paired inside their families; a label without a partner in its family is out
  of family.
- **Content** is everything that is not Background: the 2x2 view shows whether content was found at all.
"""

DISCUSSION = {
    "What it sees, and what it does not": """
A pixel-level matrix sees every pixel that carries a wrong label, however the regions are cut: a paragraph split into
three boxes with the right label costs nothing but its gaps. It needs no scores and no matching threshold. It does not
count objects: whether a table was found once or in four pieces, and in which order regions are read, are other
questions. Large regions weigh more than small ones, so a page number that is always missed hardly shows in micro
averages; look at the class's own recall.""",
    "What a wrong cell consists of": f"""
Click a cell off the diagonal on the page Errors: with the method matrix, its pixels are divided into eight causes
that add up to the cell exactly. *Slack*: the ground truth has the prediction's label nearby and the prediction has the
ground truth's label nearby, so only the position of a border differs. Nearby means no farther away than
{plain_percent(TOLERANCE)} of the page's longer side; everything outside the page is Background. All other pixels get
the cause of the regions over them. Regions of the two sides are partners if their IoU is above a half. *Label*:
partners with different labels. *Size*: a region reaches too far or not far enough. *Split*, *merge*: one region became
several, or several became one. *Duplicate*: a second region on one that was found. *Missed*, *invented*: a region that
only one side has.""",
    "Matrix or tensor": """
Where every pixel carries one label, both are the same. Where pixels carry several, each ground truth label adds exactly
1 to the matrix, so the matrix is one table that adds up, but an extra label on a pixel also lowers the values of the
labels that were found. The tensor keeps two tables, one for recall and one for precision, and gives the true values of
each label. Choose the matrix to see which labels are confused, the tensor to quote the recall of a label on pages with
much overlap.""",
    "Why Background dominates, and what to read instead": """
Half of a printed page is empty, and empty pixels are easy. With Background, accuracy is high for any model and moves
little between good and poor ones. The headline figures therefore leave Background out as a class; its row and column
still count as mistakes of the others (missed and invented content). Read F1 without Background and Content F1.""",
    "Pixel-weighted or page-macro": """
Pixel-weighted numbers answer "what share of the area is right": a large page counts more. The mean over pages or over
documents answers "how good is a typical page" and is pulled down by a few bad ones. When the two differ much, sort the
pages by score: some kind of page is going wrong.""",
    "Is a difference real?": f"""
An interval says how far a figure depends on which documents (pages, where there is one document) happen to be in the
set, not whether the ground truth is right. With fewer than {FEWEST_UNITS} documents there is none; with fewer than
{FEW_UNITS} it is rough. Two intervals that overlap do not decide between two predictions, because hard documents are
hard for both. Take the difference on the same documents (`layoutcm compare GT A B --intervals`, or
`layoutcm.difference` in Python). It is tested: the two predictions of some documents are swapped at random. One is
called better or worse if at most {plain_percent(1 - CONFIDENCE)} of such swaps give a difference as large, and if the
interval of the difference does not contain 0. Otherwise no difference is shown, and beside it stands how many documents
like these would show it.""",
}
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
    import pandas as pd

    rows = [
        (title, by, numbers, command_texts.deviation_text(largest), "yes" if largest <= DEVIATION else "no")
        for title, by, numbers, largest in result.table.itertuples(index=False)
    ]
    if not result.ap_was_checked:
        rows.append(("AP and AR", "pycocotools", 0, "n/a", "not checked"))
    return pd.DataFrame(rows, columns=["quantity", "recounted by", "numbers", "largest deviation", "agrees"])
