"""Results as sentences and as the table of the 2x2, for several pages."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from layoutcm.comparison import Comparison
from layoutcm.layouts.model import GT, LETTERS, SIDES
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.matrix_views import Selection, cell_verb, largest_confusions
from layoutcm.tables.summary_sentence import in_both, summary_sentence
from layoutcm.ui import session
from layoutcm.ui.parts.data_tables import CLASS_COLUMNS, plain_number, show_table
from layoutcm.ui.scope import Scope
from layoutcm.ui.screen_text import as_typed
from layoutcm.wording import percent, thin_spaced

if TYPE_CHECKING:
    import pandas as pd

COLLAPSED_COLUMNS = CLASS_COLUMNS | {"f1": plain_number("F1")}


def sentence_on_screen(confusion: Confusion, pred: str, scope: str, slack: float | None = None) -> str:
    """The summary sentence in Markdown; `slack` is the share of wrong pixels that are only border slack."""
    return summary_sentence(confusion, f"**{as_typed(pred)}**", as_typed(scope), slack, as_typed)


def show_sentence(scope: Scope) -> None:
    """The summary sentence of the chosen pages; the share of border slack takes a moment."""
    place, confusion = st.empty(), scope.confusion()
    names = session.pred_names()[scope.position], scope.text
    place.markdown(sentence_on_screen(confusion, *names))
    place.markdown(sentence_on_screen(confusion, *names, _border_slack(scope.key, scope.compared)))


@st.cache_data(max_entries=24, show_spinner=False, scope="session")
def _border_slack(content: str, _compared: Comparison) -> float | None:
    return _compared.border_slack()


def button_list(key: str) -> DeltaGenerator:
    """A container for a list of buttons of the type tertiary, each a line of text."""
    low = f".st-key-{key} button{{min-height:1.6rem;padding:0 .2rem;text-align:start}}"
    st.html(f"<style>{low}</style>")
    return st.container(key=key, gap=None)


def confusion_sentences(
    confusion: Confusion, selection: Selection, most: int = 10, touching: Collection[str] = ()
) -> list[tuple[str, str, str]]:
    """(text, gt label, pred label) of the largest confusions; only those with a label of `touching`, if given."""
    verb, has_truth = cell_verb(confusion.diagonal, correct=False), confusion.side_names == SIDES
    found = []
    for a, b, pixels, part in largest_confusions(confusion, most, selection, touching):
        what = f"{as_typed(a)} {verb} {as_typed(b)}" if has_truth else in_both(a, b, as_typed)
        owner = as_typed(a) if has_truth else f"{as_typed(a)} in {LETTERS[GT]}"
        found.append((f"{what}: {thin_spaced(round(pixels))} px, {percent(part)} of {owner}", a, b))
    return found


def show_collapsed(compared: Comparison, confusion: Confusion, key: str) -> None:
    """The 2x2 of a matrix as a table; without a truth it has no precision, recall and F1."""
    table = collapsed_on_screen(confusion.collapse())
    if not compared.has_truth:
        table = table.drop(columns=["precision", "recall", "f1"]).rename(columns={"gt": "A"})
    show_table(table, COLLAPSED_COLUMNS, key=key)


def collapsed_on_screen(small: Confusion) -> pd.DataFrame:
    """The 2x2 with its own recall, precision and F1."""
    import pandas as pd

    values = small.class_values()
    return pd.DataFrame(
        {
            "gt": list(small.labels),
            "background": small.values[:, 0],
            "content": small.values[:, 1],
            **{name: values[name] for name in ("precision", "recall", "f1")},
        }
    )
