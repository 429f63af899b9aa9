"""The Models page if no file is the truth: how far each of the others agrees with the first, and what to review."""

from __future__ import annotations

import html

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from layoutcm.comparison import Comparison
from layoutcm.tables.agreement_tables import REVIEW_ORDER, TITLES, review_table
from layoutcm.tables.summary_sentence import agreement_sentence
from layoutcm.ui import choices, offers, session
from layoutcm.ui.offers import Offer, in_state
from layoutcm.ui.parts import data_tables, model_rows
from layoutcm.ui.parts.models import Predictions
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.visitors import kept
from layoutcm.wording import score_text

MOST_ROWS = 200


def show_agreement(place: DeltaGenerator, predictions: Predictions) -> None:
    """The sentence of the chosen file, a row for each file, and the pages to review."""
    compared = predictions.chosen
    if not predictions.compared:
        place.error("No prediction can be compared.")
    elif compared is not None:
        place.markdown(as_typed(agreement_sentence(compared, compared.confusion(method=choices.current().method))))
    st.html(_table(predictions))
    if compared is None:
        return
    st.subheader("Pages to review", anchor=False)
    table = review_table(compared)
    columns = {"share_of_label": data_tables.share_number("share of the label")}
    data_tables.show_page_picker(table.data.head(MOST_ROWS), "review", "page", columns)
    st.caption(f"{REVIEW_ORDER[0].upper()}{REVIEW_ORDER[1:]}")
    offers.offer("review", Offer(in_state(table.name), "Pages to review", table=lambda: table))


def _table(predictions: Predictions) -> str:
    files = session.loaded_files()
    assert files is not None
    head = ["file", *(f"{title}<small>with {html.escape(files.gt.name)}</small>" for title in TITLES.values())]
    lines = []
    for position, name in enumerate(predictions.names):
        if position in predictions.problems:
            problem = html.escape(predictions.problems[position].on_screen)
            cells = f'<td colspan="{len(TITLES)}">{problem}</td>'
        else:
            values = _agreement(session.comparison_key(position), predictions.compared[position])
            cells = "".join(f"<td>{score_text(values[key])}</td>" for key in TITLES)
        current = ' aria-current="true"' if position == session.chosen_index() else ""
        lines.append(f'<tr{current}><th scope="row">{html.escape(name)}</th>{cells}</tr>')
    heading = "".join(f'<th scope="col">{title}</th>' for title in head)
    body = f"<thead><tr>{heading}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return f'{model_rows.STYLE}<div class="models-scroll"><table class="models-table">{body}</table></div>'


@kept("Measuring agreement …")
def _agreement(content: str, _compared: Comparison) -> dict[str, float]:
    return _compared.agreement()
