"""The comparisons of one ground truth with all loaded predictions, and the probable errors that follow from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.layouts.model import PRED, Layout
from layoutcm.models.candidate_choices import candidate_keys
from layoutcm.models.label_errors import label_errors, prediction_names, usable_comparisons
from layoutcm.ui import background, session
from layoutcm.ui.input_files import comparison_of, layout_of
from layoutcm.ui.screen_text import as_typed, error_text
from layoutcm.ui.visitors import kept

if TYPE_CHECKING:
    import pandas as pd

ONE_PREDICTION = (
    "With one prediction, many candidates are mistakes of the prediction. Two or more predictions, best of models that "
    "were trained on different data, make better evidence: add them on the page Data."
)
MOST_PAGES = 2000  # of a set whose candidates are found before the page is complete


@dataclass(frozen=True, eq=False)
class Evidence:
    """The comparisons that can be used, by the names of their files, and why other predictions cannot be."""

    compared: dict[str, Comparison]
    left_out: dict[str, InputError]
    content: str  # the cache key of all comparisons

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


def all_comparisons(has_truth: bool = True) -> Evidence:
    """The ground truth compared with every prediction; those that cannot be read are left out."""
    names = session.pred_names()
    contents = [session.comparison_key(k) + ("" if has_truth else "no truth") for k in range(len(names))]
    place = st.empty() if st.session_state.get("compared_all") != contents else None
    compared, left_out = dict[str, Comparison](), dict[str, InputError]()
    for k, name in enumerate(names):
        if place and len(names) > 1:
            place.progress(k / len(names), f"Comparing {as_typed(name)}, {k + 1} of {len(names)} …")
        options = session.compare_options(k) | ({} if has_truth else {"truth": False})
        try:
            compared[name] = comparison_of(session.comparison_request(k), options)
        except InputError as error:
            left_out[name] = error
    if place:
        place.empty()
    st.session_state["compared_all"] = contents
    return Evidence(compared, left_out, repr(contents))


def usable(evidence: Evidence) -> Evidence:
    """Without the predictions that cannot be evidence because they have other labels, or another mapping of gt."""
    return evidence.only(*usable_comparisons(evidence.comparisons))


def show_left_out(evidence: Evidence) -> None:
    for name, error in evidence.left_out.items():
        st.warning(f"{as_typed(name)} is left out. {error_text(error)}")


def are_errors_ready(evidence: Evidence) -> bool:
    """Whether the candidates can be shown: at once for a small set, for a large one when they are found."""
    pages = max(len(one.pages) for one in evidence.comparisons)
    return pages <= MOST_PAGES or background.is_ready(_found_errors, evidence.content, evidence.comparisons)


def find_errors(evidence: Evidence) -> FoundErrors:
    return _found_errors(evidence.content, evidence.comparisons)


@kept("Looking for probable errors …")
def _found_errors(content: str, _comparisons: list[Comparison]) -> FoundErrors:
    table = label_errors(_comparisons)
    return FoundErrors(table, {key: row for row, key in enumerate(candidate_keys(table))})


def gt_layout() -> Layout:
    """The ground truth as it was read and repaired, before labels are mapped: files are written from it."""
    request = session.comparison_request()
    return layout_of(request.gt, sizes=request.sizes, repairs=request.gt_repairs)
