"""The soft scores of Measures: pixels weighted by the scores of their regions, without a threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.layouts.model import PRED
from layoutcm.ui import choices, screen_text, session
from layoutcm.ui.parts import data_tables
from layoutcm.ui.visitors import kept

if TYPE_CHECKING:
    import pandas as pd

NAMES = {"precision": "precision", "recall": "recall", "f_beta": "F1", "dice": "dice"}
SOFT_AVERAGE_NAMES = {
    "macro": "mean of labels (macro)",
    "micro": "together (micro)",
    "weighted": "mean of labels by gt pixels (weighted)",
    "samples": "mean of pages (samples)",
}


def why_none(compared: Comparison) -> str:
    """Why there are no soft scores, or ""."""
    if not compared.space.shared:
        return "The two sides have different labels, so there are no soft scores. Map labels to each other first."
    if not compared.alignment.layouts[PRED].has_scores:
        return "The prediction has no scores, so soft scores would be those of the pixels, with every score taken as 1."
    if compared.sources.soft_sums is None:
        return "Some scores are not in 0..1, so they are no probabilities, and soft scores have no meaning."
    return ""


def show_soft_scores(compared: Comparison) -> None:
    """The table of averages and labels."""
    reason = why_none(compared)
    if reason:
        st.info(screen_text.as_typed(reason))
        return
    table = _table(session.comparison_key(), session.chosen_level(compared), compared)
    only = choices.current().labels
    if only:
        table = table[table["label"].isin(only) | (table["average"] != "")]
    columns = {name: data_tables.plain_number(title) for name, title in NAMES.items()}
    data_tables.show_table(table.drop(columns="average"), columns, key="soft_table")
    st.caption("Pixels weighted by their regions' scores. Labels and pages that neither side scores are left out.")


@kept("Adding up scores …")
def _table(content: str, level: dict[str, str], _compared: Comparison) -> pd.DataFrame:
    """One row per average or label: average ("" for a label), label as shown, and the four scores."""
    import pandas as pd

    page, document = level.get("page"), level.get("document")
    rows = [
        {"average": kind, "label": f"all, {name}", **_compared.soft(kind, page=page, document=document)}
        for kind, name in SOFT_AVERAGE_NAMES.items()
    ]
    by_label = {"average": "", "label": _compared.labels[1:], **_compared.soft(None, page=page, document=document)}
    labels = pd.DataFrame(by_label).dropna(subset=list(NAMES))
    return pd.concat([pd.DataFrame(rows), labels], ignore_index=True)
