"""How far layouts agree: a ground truth with each prediction, or annotations without a truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.layouts.model import GT, PRED
from layoutcm.metrics.agreement import label_agreement
from layoutcm.models.agreement import agreement
from layoutcm.tables.agreement_tables import NO_AGREEMENT, REVIEW_ORDER, TITLES
from layoutcm.tables.summary_sentence import agreement_sentence
from layoutcm.tables.tables import Table
from layoutcm.ui import choices, offers, session
from layoutcm.ui.offers import Offer
from layoutcm.ui.parts import data_tables
from layoutcm.ui.parts.evidence import Evidence
from layoutcm.ui.screen_text import as_typed, error_text, plural_spaced
from layoutcm.ui.visitors import kept

if TYPE_CHECKING:
    import pandas as pd

MOST_PAGES = 20_000  # pages times pairs of layouts that are compared without being asked for
MEASURES = (
    "Observed agreement is the share of pixels that have the same labels in both. Cohen's kappa and Krippendorff's "
    "alpha leave out what agrees by chance: 1 is perfect, 0 is chance. Alpha counts label sets that are partly the "
    "same in part. All together, observed agreement and kappa are means over the pairs, on the pages that all have."
)
COLUMNS = {name: data_tables.plain_number(title) for name, title in TITLES.items()}
LABEL_COLUMNS = data_tables.COLUMNS | {"agreement": data_tables.plain_number("both of either")}


def show_truth_choice() -> None:
    """Whether the first file is a ground truth. Without one, nothing is right or wrong, and the sides are A and B."""
    files = session.loaded_files()
    assert files is not None
    if files.is_result:
        return
    names = {True: "the ground truth", False: "one of several annotations"}
    st.segmented_control(
        f"{as_typed(files.gt.name)} is", list(names), format_func=names.__getitem__, required=True,
        **choices.bind("truth", "truth"),
    )  # fmt: skip


def show_agreement(evidence: Evidence) -> None:
    """A row for each prediction, and one for all layouts together if there are several."""
    rows = _agreement_table(evidence.content, evidence).copy()
    together = _ask_for_all_together(evidence)
    if together is not None:
        rows.loc[len(rows)] = together
    data_tables.show_table(rows, COLUMNS, key="agreement_table")
    offers.offer("agreement", Offer("agreement", "Agreement", table=lambda: Table("agreement", "Agreement", rows)))
    if not all(c.space.shared for c in evidence.comparisons):
        st.caption(as_typed(NO_AGREEMENT))
    st.caption(MEASURES)


@kept("Measuring agreement …")
def _agreement_table(content: str, _evidence: Evidence) -> pd.DataFrame:
    import pandas as pd

    first = _evidence.comparisons[0]
    name = "ground truth" if first.has_truth else first.alignment.layouts[GT].name
    return pd.DataFrame([{"layouts": f"{name} and {other}"} | c.agreement() for other, c in _evidence.compared.items()])


def _ask_for_all_together(evidence: Evidence) -> dict[str, Any] | None:
    """The agreement of all layouts; a button comes first if it takes long. None if there is none."""
    n = len(evidence.compared) + 1
    if n < 3 or not all(c.space.shared and c.levels.has_regions for c in evidence.comparisons):
        return None
    pages = len(evidence.comparisons[0].pages) * n * (n - 1) // 2
    if pages > MOST_PAGES and st.session_state.get("agreement_asked") != evidence.content:
        label = f"Compare all {n} layouts with each other ({plural_spaced(pages, 'pair')} of pages)"
        st.button(label, key="agreement_of_all", on_click=_ask_for, args=(evidence.content,))
        return None
    try:
        return {"layouts": f"all {n} together"} | _together(evidence.content, evidence)
    except InputError as error:
        st.caption(error_text(error))
        return None


def _ask_for(content: str) -> None:
    st.session_state["agreement_asked"] = content


@kept("Comparing all layouts with each other …")
def _together(content: str, _evidence: Evidence) -> dict[str, float]:
    first = _evidence.comparisons[0]
    layouts = [first.alignment.layouts[GT], *(c.alignment.layouts[PRED] for c in _evidence.comparisons)]
    return agreement(layouts, rounding=first.rounding, min_score=first.min_score, taxonomy="same")


def show_without_truth(evidence: Evidence) -> None:
    """How far A, the first file, and B, the chosen one, agree, by label, and which pages to look at."""
    name = session.pred_names()[session.chosen_index()]
    compared = evidence.compared.get(name) or evidence.comparisons[0]
    st.markdown(as_typed(agreement_sentence(compared, compared.confusion(method=choices.current().method))))
    if not compared.space.shared:
        return
    st.subheader("Labels", anchor=False)
    by_label = label_agreement(compared.counts(), compared.space)
    data_tables.show_table(by_label, LABEL_COLUMNS, key="label_agreement_table")
    st.subheader("Pages to review", anchor=False)
    pages = _pages_to_review(evidence.content, name, compared)
    if pages.empty:
        st.markdown("A and B agree everywhere.")
        return
    order = REVIEW_ORDER.partition(": ")[2]
    st.caption(order[0].upper() + order[1:])
    columns = {"share": data_tables.share_number("share of the label")}
    data_tables.show_page_picker(pages.head(data_tables.STYLED_ROWS), key="review_table", columns=columns)


@kept("Looking for pages to review …")
def _pages_to_review(content: str, name: str, _compared: Comparison) -> pd.DataFrame:
    return _compared.pages_to_review()
