"""The candidates for errors of the ground truth: how many, which ones to show, and what is decided about them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from layoutcm.models.candidate_choices import ACCEPTED, DISMISSED
from layoutcm.models.contradictions import KINDS
from layoutcm.tables.label_error_texts import candidate_table, label_errors_sentence
from layoutcm.ui import choices, decisions, selection, session
from layoutcm.ui.parts import data_tables
from layoutcm.ui.parts.evidence import Evidence, FoundErrors, gt_layout
from layoutcm.ui.screen_text import as_typed, plural_spaced
from layoutcm.wording import thin_spaced

if TYPE_CHECKING:
    import pandas as pd

ROWS_SHOWN = 1000
TABLE_KEY = "candidate_table"
KIND_HELP = (
    "label: the region has another label. missing: there is no region where there should be one. spurious: there is a "
    "region where there should be none. box: its borders are elsewhere."
)
DECIDED = {"": "", ACCEPTED: "✓ accepted", DISMISSED: "✗ dismissed"}


@dataclass(frozen=True, eq=False)
class ShownCandidates:
    """The first rows after filtering, their keys, how many rows the filters leave, and the chosen row."""

    rows: pd.DataFrame
    keys: list[str]
    filtered: int
    chosen: int

    @property
    def record(self) -> Any:
        return self.rows.iloc[self.chosen]


def show_sentence(found: FoundErrors) -> None:
    st.markdown(as_typed(label_errors_sentence(found.table, len(gt_layout().region_columns))))


def show_filters(evidence: Evidence) -> None:
    """The kinds and labels to show. The labels are those of Filter, because a choice has one value everywhere."""
    known = list(dict.fromkeys(label for c in evidence.comparisons for label in c.labels[1:]))
    choices.put(
        error_kinds=tuple(kind for kind in choices.current().error_kinds if kind in KINDS),
        labels=tuple(label for label in choices.current().labels if label in known),
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.pills("Kinds", KINDS, selection_mode="multi", help=KIND_HELP, **choices.bind("error_kinds", "truth"))
        st.multiselect(
            "Labels, now or suggested", known, placeholder="all", width=420, **choices.bind("labels", "truth")
        )


def shown_candidates(evidence: Evidence, found: FoundErrors) -> ShownCandidates | None:
    """What the table shows; None if the filters leave nothing."""
    table, keys = found.table, found.keys
    rows = np.flatnonzero(_is_wanted(table, evidence))
    first = rows[:ROWS_SHOWN]
    if not first.size:
        return None
    shown = [keys[row] for row in first]
    wanted = st.session_state.get("chosen_candidate")
    chosen = shown.index(wanted) if wanted in shown else 0
    return ShownCandidates(table.iloc[first], shown, rows.size, chosen)


def _is_wanted(table: pd.DataFrame, evidence: Evidence) -> Any:
    """bool[rows]: the kinds, labels and level that are chosen."""
    now = choices.current()
    wanted = np.ones(len(table), bool)
    if now.error_kinds:
        wanted &= table["kind"].isin(now.error_kinds).to_numpy()
    if now.labels:
        wanted &= (table["gt_label"].isin(now.labels) | table["suggested"].isin(now.labels)).to_numpy()
    compared = evidence.comparisons[0]
    level = session.chosen_level(compared)
    pages = compared.levels.pages_at(level.get("page"), level.get("document"))
    if pages is not None:
        wanted &= table["page"].isin([compared.pages[page] for page in pages]).to_numpy()
    return wanted


COLUMNS = {
    "decision": st.column_config.TextColumn("decision", width=96),
    "kind": st.column_config.TextColumn("kind", width=76),
    "evidence": data_tables.plain_number("evidence"),
}


def show_table(evidence: Evidence, found: FoundErrors, shown: ShownCandidates) -> None:
    """The candidates, the strongest evidence first; choosing a row, or a cell of it, shows it beside the table."""
    made = session.decisions()
    table = candidate_table(shown.rows, evidence.columns)
    table.insert(0, "decision", [DECIDED[made.get(key, "")] for key in shown.keys])
    # The table scrolls to a chosen cell, but not to a chosen row.
    chosen = {"rows": [shown.chosen], "columns": [], "cells": [[shown.chosen, "kind"]]}
    st.session_state[TABLE_KEY] = {"selection": chosen}
    data_tables.show_row_chooser(table, data_tables.COLUMNS | COLUMNS, TABLE_KEY, partial(_choose_row, shown))
    st.caption(_facts(found, shown, made))


def _facts(found: FoundErrors, shown: ShownCandidates, made: Any) -> str:
    counts = [sum(made.get(key) == one for key in made if key in found.rows) for one in (ACCEPTED, DISMISSED)]
    total = plural_spaced(len(found.rows), "candidate")
    parts = [f"{thin_spaced(counts[0])} accepted, {thin_spaced(counts[1])} dismissed of {total}"]
    if shown.filtered < len(found.rows):
        parts.append(f"{plural_spaced(shown.filtered, 'candidate')} after filtering")
    if shown.filtered > len(shown.keys):
        parts.append(f"the first {thin_spaced(len(shown.keys))} are in the table, files have all")
    return "; ".join(parts) + "."


def _choose_row(shown: ShownCandidates) -> None:
    """Go to the row that was clicked. The old row or the old cell may still be selected beside it."""
    selected = st.session_state[TABLE_KEY]["selection"]
    rows = [*selected["rows"], *(row for row, _ in selected["cells"])]
    new = [row for row in rows if row != shown.chosen]
    if new:
        _go_to(shown, new[0])


def show_buttons(shown: ShownCandidates) -> None:
    """Accept, dismiss and undo; next, previous; all of them by key, too."""
    key, at, last = shown.keys[shown.chosen], shown.chosen, len(shown.keys) - 1
    decided = session.decisions().get(key, "")
    with st.container(horizontal=True, gap="small"):
        for title, letter, decision in (("Accept", "A", ACCEPTED), ("Dismiss", "D", DISMISSED)):
            st.button(
                title, key=f"candidate_{decision}", shortcut=letter, on_click=_decide, args=(shown, decision),
                type="primary" if decided == decision else "secondary",
            )  # fmt: skip
        st.button("Undo", key="candidate_undo", shortcut="U", disabled=not decisions.can_undo(), on_click=_undo)
        for title, letter, to in (("Previous", "P", at - 1), ("Next", "N", at + 1)):
            st.button(
                title, key=f"candidate_{title}", shortcut=letter, disabled=not 0 <= to <= last, on_click=_go_to,
                args=(shown, to),
            )  # fmt: skip
        st.button("Open the page", key="candidate_page", on_click=selection.open_page, args=(shown.record["page"],))


def _go_to(shown: ShownCandidates, row: int) -> None:
    st.session_state["chosen_candidate"] = shown.keys[min(row, len(shown.keys) - 1)]


def _decide(shown: ShownCandidates, decision: str) -> None:
    decisions.decide(shown.keys[shown.chosen], decision)
    _go_to(shown, shown.chosen + 1)


def _undo() -> None:
    """Take the last decision back and return to its candidate."""
    st.session_state["chosen_candidate"] = decisions.undo()
