"""Compare all predictions for the page Ground truth: those used, probable errors, how far layouts agree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.layouts.model import GT, PRED, Layout
from layoutcm.lazy import pd
from layoutcm.metrics.agreement import label_agreement
from layoutcm.models.agreement import agreement
from layoutcm.models.label_errors import label_errors, prediction_names, usable_comparisons
from layoutcm.models.suggestions import candidate_keys
from layoutcm.results.measures import quoted_measures
from layoutcm.tables.report_tables import NO_AGREEMENT, REVIEW_ORDER
from layoutcm.tables.tables import Table
from layoutcm.ui.files.comparisons import layout_of
from layoutcm.ui.screen_text import as_typed, error_text, plural_spaced, words_for
from layoutcm.ui.server import background
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import data_tables, downloads, page_shell
from layoutcm.ui.shared.data_tables import agreed_sentence
from layoutcm.ui.shared.downloads import Offer
from layoutcm.ui.shared.sidebar import show_segments
from layoutcm.ui.state.chosen import Chosen

ONE_PREDICTION = (
    "With one prediction, many candidates are mistakes of the prediction. Two or more predictions, best of models that "
    "were trained on different data, make better evidence: add them on the page Data."
)
MOST_PAGES = 2000  # of a set whose candidates are found before the page is complete
MOST_PAIRS_OF_PAGES = 20_000  # pages times pairs of layouts that are compared without being asked for
MEASURES = (
    "Observed agreement is the share of pixels that have the same labels in both. Cohen's kappa and Krippendorff's "
    "alpha leave out what agrees by chance: 1 is perfect, 0 is chance. Alpha counts label sets that are partly the "
    "same in part. All together, observed agreement and kappa are means over the pairs, on the pages that all have."
)
COLUMNS = {one.name.partition(".")[2]: data_tables.plain_number(one.title) for one in quoted_measures("agreement")}


@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """The comparisons that can be used, by the names of their files, and why other predictions cannot be.

    Its repr is its content, so it can be an argument of a function whose values are kept.
    """

    compared: dict[str, Comparison]
    left_out: dict[str, InputError]
    content: str  # the cache key of all comparisons

    def __repr__(self) -> str:
        return self.content

    @property
    def comparisons(self) -> list[Comparison]:
        return list(self.compared.values())

    @property
    def columns(self) -> list[str]:
        """The name of each prediction in the columns of `label_errors`."""
        return prediction_names([c.alignment.layouts[PRED] for c in self.comparisons])

    def only(self, positions: list[int], problems: dict[int, InputError]) -> Evidence:
        """The comparisons at these positions; the problems of the others are added."""
        names = list(self.compared)
        content = repr([self.content, positions])
        more = {names[k]: InputError(names[k], "", one.problem, one.advice) for k, one in problems.items()}
        return Evidence({names[k]: self.compared[names[k]] for k in positions}, self.left_out | more, content)


@dataclass(frozen=True, eq=False)
class FoundErrors:
    """The table of `label_errors`, and the row of each candidate, by its key."""

    table: pd.DataFrame
    rows: dict[str, int] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        return list(self.rows)


def all_comparisons(chosen: Chosen) -> Evidence:
    """The ground truth compared with every prediction; those that cannot be read are left out."""
    place, names = st.empty(), chosen.names
    compared, problems = page_shell.compare_predictions(chosen, place)
    place.empty()
    return Evidence(
        {names[k]: one for k, one in compared.items()},
        {names[k]: one for k, one in problems.items()},
        repr(list(map(chosen.key, range(len(names))))),
    )


def usable(evidence: Evidence) -> Evidence:
    """The evidence without predictions that cannot be used: they have other labels, or another mapping of gt."""
    return evidence.only(*usable_comparisons(evidence.comparisons))


def show_left_out(evidence: Evidence) -> None:
    for name, error in evidence.left_out.items():
        st.warning(f"{as_typed(name)} is left out. {error_text(error)}")


def are_errors_ready(evidence: Evidence) -> bool:
    """Whether the candidates can be shown: at once for a small set, for a large one when they are found."""
    pages = max(len(one.pages) for one in evidence.comparisons)
    return pages <= MOST_PAGES or background.is_ready(find_errors, evidence)


@kept("Looking for probable errors …")
def find_errors(evidence: Evidence) -> FoundErrors:
    table = label_errors(evidence.comparisons)
    return FoundErrors(table, {key: row for row, key in enumerate(candidate_keys(table))})


def gt_layout(chosen: Chosen) -> Layout:
    """The ground truth as it was read and repaired, before labels are mapped: files are written from it."""
    request = chosen.request()
    return layout_of(request.gt, sizes=request.sizes, repairs=request.gt_repairs)


def show_truth_choice(chosen: Chosen) -> None:
    """Whether the first file is a ground truth. Without one, nothing is right or wrong, and the sides are A and B."""
    if chosen.shows_result:
        return
    names = {True: "the ground truth", False: "one of several annotations"}
    show_segments("truth", f"{as_typed(chosen.files.gt.name)} is", names, "truth")


def show_agreement(evidence: Evidence) -> None:
    """A row for each prediction, and one for all layouts together if there are several."""
    rows = _agreement_table(evidence).copy()
    together = _ask_for_all_together(evidence)
    if together is not None:
        rows.loc[len(rows)] = together
    data_tables.show_table(rows, COLUMNS, key="agreement_table")
    downloads.offer("agreement", Offer("agreement", "Agreement", table=lambda: Table("agreement", "Agreement", rows)))
    if not all(c.space.shared for c in evidence.comparisons):
        st.caption(as_typed(NO_AGREEMENT))
    st.caption(MEASURES)


@kept("Measuring agreement …")
def _agreement_table(evidence: Evidence) -> pd.DataFrame:
    first = evidence.comparisons[0]
    name = words_for(first).first_layout.format(name=first.alignment.layouts[GT].name)
    return pd.DataFrame([{"layouts": f"{name} and {other}"} | c.agreement() for other, c in evidence.compared.items()])


def _ask_for_all_together(evidence: Evidence) -> dict[str, Any] | None:
    """The agreement of all layouts; a button comes first if it takes long. None if there is none."""
    n = len(evidence.compared) + 1
    if n < 3 or not all(c.space.shared and c.levels.has_regions for c in evidence.comparisons):
        return None
    pages = len(evidence.comparisons[0].pages) * n * (n - 1) // 2
    if pages > MOST_PAIRS_OF_PAGES and st.session_state.get("agreement_asked") != evidence.content:
        label = f"Compare all {n} layouts with each other ({plural_spaced(pages, 'pair')} of pages)"
        st.button(label, key="agreement_of_all", on_click=_ask_for, args=(evidence.content,))
        return None
    try:
        return {"layouts": f"all {n} together"} | _together(evidence)
    except InputError as error:
        st.caption(error_text(error))
        return None


def _ask_for(content: str) -> None:
    st.session_state["agreement_asked"] = content


@kept("Comparing all layouts with each other …")
def _together(evidence: Evidence) -> dict[str, float]:
    first = evidence.comparisons[0]
    layouts = [first.alignment.layouts[GT], *(c.alignment.layouts[PRED] for c in evidence.comparisons)]
    return agreement(layouts, rounding=first.rounding, min_score=first.min_score, taxonomy="same")


def show_without_truth(chosen: Chosen, evidence: Evidence) -> None:
    """How far A, the first file, and B, the chosen one, agree, by label, and which pages to look at."""
    name = chosen.names[chosen.position]
    compared = evidence.compared.get(name) or evidence.comparisons[0]
    st.markdown(as_typed(agreed_sentence(f"{evidence.content} {name}", chosen.now.method, compared)))
    if not compared.space.shared:
        return
    st.subheader("Labels", anchor=False)
    by_label = label_agreement(compared.counts(), compared.space)
    data_tables.show_table(by_label, data_tables.AGREEMENT_COLUMNS, key="label_agreement_table")
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
