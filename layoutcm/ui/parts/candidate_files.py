"""The candidates as files to correct the ground truth with, as the command `label-errors` writes them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from layoutcm.layouts.model import Layout
from layoutcm.models.candidate_choices import DECISIONS, WHICH, chosen_candidates
from layoutcm.models.label_error_files import SUFFIXES, WRITERS
from layoutcm.tables.tables import Table
from layoutcm.ui import offers, session
from layoutcm.ui.offers import Offer, file_name
from layoutcm.ui.parts.evidence import FoundErrors, gt_layout
from layoutcm.wording import thin_spaced

if TYPE_CHECKING:
    import pandas as pd

TITLES = {"csv": "CSV", "label-studio": "Label Studio", "cvat": "CVAT"}
MIME_TYPES = {"csv": "text/csv", "label-studio": "application/json", "cvat": "application/xml"}
FILE_NAME = "label-errors"


def show_downloads(found: FoundErrors) -> None:
    """Which candidates to take, and a button for each format; a file is made when its button is clicked."""
    made = {key: one for key, one in session.decisions().items() if key in found.rows}
    accepted, dismissed = (sum(one == decision for one in made.values()) for decision in DECISIONS)
    counts = dict(zip(WHICH, (len(found.rows), accepted, len(found.rows) - dismissed)))
    which = st.radio(
        "Candidates to take", WHICH, format_func=lambda one: f"{one} ({thin_spaced(counts[one])})", horizontal=True,
        key="candidates_to_take",
    )  # fmt: skip
    gt = gt_layout()
    table = partial(candidate_table, found.table, made, which)
    offers.offer("candidates", Offer(file_name(FILE_NAME, which), f"Candidates: {which}", table=table))
    with st.container(horizontal=True):
        for suffix, to in SUFFIXES.items():
            st.download_button(
                TITLES[to], partial(file_content, found.table, gt, made, which, to), f"{FILE_NAME}{suffix}",
                MIME_TYPES[to], key=f"take_{to}", on_click="ignore", disabled=not counts[which] and to != "csv",
            )  # fmt: skip
    st.caption(
        "Filters do not change the files. CSV has all numbers; the others are tasks for annotation tools, with the "
        "pages that have candidates."
    )


def candidate_table(errors: pd.DataFrame, made: dict[str, str], which: str) -> Table:
    """The candidates; where a region or a label is missing, there is an empty text."""
    rows = chosen_candidates(errors, made, which)
    texts = [name for name, dtype in zip(rows, rows.dtypes) if dtype.kind != "f"]
    plain = {str(name): rows[name].astype(object).where(rows[name].notna(), "") for name in texts}
    return Table(FILE_NAME, "Probable errors of the ground truth", rows.assign(**plain))


def file_content(errors: pd.DataFrame, gt: Layout, made: dict[str, str], which: str, to: str) -> bytes:
    return WRITERS[to](chosen_candidates(errors, made, which), gt)[0]
