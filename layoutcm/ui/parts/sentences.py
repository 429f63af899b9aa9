"""Results as sentences, headline figures and tables, for several pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.averages import ALL_AVERAGES, OF_CLASSES, WITH_BACKGROUND, average_scores
from layoutcm.tables.matrix_views import Selection, cell_verb, largest_confusions
from layoutcm.tables.summary_sentence import summary_sentence
from layoutcm.ui import choices, selection, session
from layoutcm.ui.parts.data_tables import CLASS_COLUMNS, plain_number
from layoutcm.ui.screen_text import as_typed
from layoutcm.wording import percent, score_text, thin_spaced

if TYPE_CHECKING:
    import pandas as pd

COLLAPSED_COLUMNS = CLASS_COLUMNS | {"f1": plain_number("F1")}


def sentence_on_screen(confusion: Confusion, pred: str, scope: str, slack: float | None = None) -> str:
    """The summary sentence in Markdown; `slack` is the share of wrong pixels that are only border slack."""
    return summary_sentence(confusion, f"**{as_typed(pred)}**", as_typed(scope), slack, as_typed)


def show_sentence(compared: Comparison, confusion: Confusion) -> Callable[[], None]:
    """Show the summary sentence; the returned function adds the share of border slack, which takes a moment."""
    place = st.empty()
    names = session.chosen_pred().name, selection.scope_text(compared)
    place.markdown(sentence_on_screen(confusion, *names))

    def add_slack() -> None:
        slack = _border_slack(session.comparison_key(), session.chosen_level(compared), compared)
        place.markdown(sentence_on_screen(confusion, *names, slack))

    return add_slack


@st.cache_data(max_entries=24, show_spinner=False, scope="session")
def _border_slack(content: str, level: dict[str, str], _compared: Comparison) -> float | None:
    return _compared.border_slack(**level)


def headline_figures(compared: Comparison, confusion: Confusion, level: str) -> list[tuple[str, str, str]]:
    """(name, value, help) of the headline figures of the matrix."""
    figures = [
        ("F1 macro", confusion.average("macro")["f1"], "Mean of the classes' F1, without Background"),
        ("F1 micro", confusion.average("micro")["f1"], "All labelled pixels together, without Background"),
        (
            "Content F1",
            confusion.content()["f1"],
            "Pixels with any label against Background: was content found at all?",
        ),
    ]
    if level == "set":
        method = choices.current().method
        figures += [(f"F1, mean {name}", mean_of(compared, f"{name}s", method)["f1"],
                     f"F1 macro of each {name}, averaged: every {name} counts the same")
                    for name in ("page", "document")]  # fmt: skip
    return [(name, score_text(value), f"{text} ({score_text(value, 6)})") for name, value, text in figures]


def confusion_sentences(
    confusion: Confusion, selection: Selection, most: int = 10, gt: str = ""
) -> list[tuple[str, str, str]]:
    """(text, gt label, pred label) of the largest confusions, of one gt label if `gt` is given."""
    verb = cell_verb(confusion.diagonal, correct=False)
    cells = largest_confusions(confusion, most if not gt else len(confusion.labels) ** 2, selection)
    return [
        (
            f"{as_typed(a)} {verb} {as_typed(b)}: {thin_spaced(round(pixels))} px, {percent(part)} of {as_typed(a)}",
            a,
            b,
        )
        for a, b, pixels, part in cells
        if not gt or a == gt
    ][:most]


def averages_on_screen(compared: Comparison, confusion: Confusion, method: str) -> pd.DataFrame:
    """All averages; those over pages and documents only for the whole set."""
    import pandas as pd

    chosen = ALL_AVERAGES if choices.current().level == "set" else (*OF_CLASSES, *WITH_BACKGROUND)
    mean_over = lambda over: mean_of(compared, over, method)
    averages = average_scores(compared, confusion, chosen, mean_over)
    return pd.DataFrame([{"average": average.title, **scores} for average, scores in averages])


def mean_of(compared: Comparison, over: str, method: str) -> dict[str, float]:
    """The mean of the macro averages of pages or documents."""
    return _mean_of(session.comparison_key(), over, method, compared)


@st.cache_data(max_entries=24, show_spinner="Scoring pages …", scope="session")
def _mean_of(content: str, over: str, method: str, _compared: Comparison) -> dict[str, float]:
    return _compared.average("macro", over=over, method=method)


def score_column(compared: Comparison) -> tuple[str, str]:
    """(name, title) of the column by which pages are judged."""
    return ("f1", "F1 (macro)") if compared.space.shared else ("content_f1", "F1 of content")


def cached_page_table(compared: Comparison, method: str, document: str = "") -> pd.DataFrame:
    table = _page_table(session.comparison_key(), method, compared)
    return table[table["document"] == document].reset_index(drop=True) if document else table


def cached_document_table(compared: Comparison, method: str) -> pd.DataFrame:
    return _document_table(session.comparison_key(), method, compared)


@st.cache_data(max_entries=6, show_spinner="Scoring pages …", scope="session")
def _page_table(content: str, method: str, _compared: Comparison) -> pd.DataFrame:
    return _order_columns(_compared.page_table(method))


@st.cache_data(max_entries=6, show_spinner="Scoring documents …", scope="session")
def _document_table(content: str, method: str, _compared: Comparison) -> pd.DataFrame:
    return _order_columns(_compared.document_table(method))


def _order_columns(table: pd.DataFrame) -> pd.DataFrame:
    """The most informative columns first; columns without any value are left out, except those that judge pages."""
    first = ("page", "document", "pages", "f1", "micro_f1", "content_f1")
    last = ("content_precision", "content_recall", "pixels")
    ordered = [name for name in first if name in table]
    ordered += [str(name) for name in table if name not in first + last] + [name for name in last if name in table]
    table = table[ordered]
    empty = [name for name in table if name not in ("f1", "content_f1") and table[name].isna().all()]
    return table.drop(columns=empty) if len(table) else table


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
