"""The table of the Models page: one row per prediction, every figure in its own column, with intervals and verdicts.

It is HTML: it wraps, can be read aloud, and shows names as typed. Values that come later have a placeholder of
the same height. Only this module writes the session key "model_rows_of".
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from layoutcm.comparison import Comparison
from layoutcm.drawing.palette import Theme, scale_colour
from layoutcm.errors import NotCounted
from layoutcm.metrics.intervals import Intervals
from layoutcm.models.leaderboard import BASELINE, Leaderboard, compared_measures, result_of_columns
from layoutcm.results.measures import Figures, Measure, quoted_measures
from layoutcm.results.verdict import BETTER, TOO_FEW, WORSE, verdict_words
from layoutcm.tables.interval_texts import OF_FIGURES, ends_text, interval_of_row, resampling_text
from layoutcm.tables.leaderboard_tables import BOARD, MARKS, short_title, shown_table
from layoutcm.tables.report_tables import REVIEW_ORDER, review_table
from layoutcm.ui.models.predictions import Predictions, baseline_name, open_prediction, reserved
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import data_tables, downloads, sidebar
from layoutcm.ui.shared.data_tables import agreed_sentence, brief_result, intervals_of
from layoutcm.ui.shared.downloads import Offer, in_state
from layoutcm.wording import MISSING, difference_text, score_text

PENDING = "…"
NO_VALUE = "n/a"
NO_INTERVALS = "For the other figures no interval is computed."
NO_QUALITY = "The two sides have different labels, so objects have no label in common."
LABELS_DIFFER = "The labels differ from those of the ground truth, so there is no F1 of classes: use a mapping."
STYLE = f"<style>\n{(files('layoutcm.ui.models') / 'model_rows.css').read_text('utf-8')}</style>"
MOST_ROWS = 200


class Cell(NamedTuple):
    """A value, the small lines below it, and why there is none; `verdict` follows the value in its own colour."""

    text: str
    below: tuple[str, ...] = ()
    reason: str = ""
    verdict: str = ""
    colour: str = ""


class OtherFigures(NamedTuple):
    """The measures of one prediction that have no interval, and the reasons for those that are n/a."""

    figures: Figures
    why: dict[str, str]


class Rows(NamedTuple):
    """What the table is made from; None: not known yet."""

    predictions: Predictions
    board: Leaderboard | None
    intervals: dict[int, Intervals] | None = None
    others: dict[int, OtherFigures] | None = None

    @property
    def compares(self) -> bool:
        """Whether there is a column of differences."""
        waits = self.intervals is None and len(self.predictions.compared) > 1
        return self.board is not None or waits


def height(predictions: int) -> int:
    """The pixels that the table and what is around it need on a wide screen."""
    return 76 * predictions + 300 if predictions > 1 else 250


def show_baseline(predictions: Predictions) -> DeltaGenerator:
    """The choice of the prediction that the others are compared with; returns the place for downloads beside it."""
    options, names = list(predictions.compared), predictions.names
    row = reserved(68) if len(options) > 1 else st.container()
    with row, st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        if len(options) > 1:
            sidebar.show_choice("baseline", "Baseline", options, "models", format_func=names.__getitem__, width=260)
        return st.container(width="content")


def show_opening_buttons(predictions: Predictions) -> None:
    with st.container(horizontal=True, gap="small"):
        for position in predictions.compared:
            text = f"Errors of {predictions.names[position]}"
            st.button(as_typed(text), key=f"open_{position}", on_click=open_prediction, args=(position,))


def draw_first_rows(place: DeltaGenerator, predictions: Predictions) -> None:
    """The figures that are known at once; not again when the whole table was drawn before."""
    if st.session_state.get("model_rows_of") != predictions.content:
        place.html(_table(Rows(predictions, None)))


def fill_rows(
    place: DeltaGenerator, below: DeltaGenerator, predictions: Predictions, board: Leaderboard | None
) -> None:
    """Draw the table with intervals and verdicts, then with the figures of objects."""
    with below:
        if board:
            downloads.offer(
                "models", Offer(BOARD, "Leaderboard", table=lambda: shown_table(board.result(), compared_measures()))
            )
        if board:  # on the common pages
            intervals = {predictions.position(name): found for name, found in board.intervals.items()}
        else:
            own, method = predictions.chosen.key, predictions.chosen.now.method
            intervals = {k: intervals_of(own(k), method, compared) for k, compared in predictions.compared.items()}
        if st.session_state.get("model_rows_of") != predictions.content:
            place.html(_table(Rows(predictions, board, intervals)))
        others = {position: _other_figures(predictions, position, board) for position in predictions.compared}
    place.html(_table(Rows(predictions, board, intervals, others)))
    st.session_state["model_rows_of"] = predictions.content


@kept("Matching objects …")
def _other_figures(predictions: Predictions, position: int, _board: Leaderboard | None) -> OtherFigures:
    """The figures without intervals, on the common pages if there is a leaderboard."""
    compared, method = predictions.compared[position], predictions.chosen.now.method
    name = predictions.names[position]
    found = _board.result_on_common_pages(name) if _board else result_of_columns(compared, method)
    if found.objects is None:
        no_ap = no_quality = _why_not_counted(compared)
    else:
        no_ap, no_quality = found.objects.why_no_ap or "", "" if found.has_classes else NO_QUALITY
    return OtherFigures(found.measures, {"objects.ap": no_ap, "objects.pq": no_quality, "objects.f1": no_quality})


def _why_not_counted(compared: Comparison) -> str:
    """Why objects are not counted; "" if they are."""
    try:
        compared.objects()
    except NotCounted as error:
        return error.on_screen
    return ""


def _table(rows: Rows) -> str:
    shown = compared_measures()
    titles = _titles(rows, shown)
    notes: dict[str, str] = {}  # {reason: its mark}
    high = ' class="several"' if rows.compares else ""
    cells = lambda position: "".join(_cell(cell, notes) for cell in _cells(rows, position, shown))
    lines = [_line(rows.predictions, position, len(titles), cells, high) for position in _order(rows)]
    texts = [*(f"{mark}: {reason}" for reason, mark in notes.items()), *_sources(rows)]
    below = "".join(f"<small>{html.escape(text)}</small>" for text in texts)
    look = f'class="models-table compares" style="--figures:{len(shown)}"' if rows.compares else 'class="models-table"'
    return f'{_html_table(titles, lines, look)}<div class="models-notes">{below}</div>'


def _html_table(titles: Sequence[str], lines: Sequence[str], look: str = 'class="models-table"') -> str:
    """The table with its style; `titles` and `lines` are HTML."""
    head = "".join(f'<th scope="col">{title}</th>' for title in titles)
    body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return f'{STYLE}<div class="models-scroll"><table {look}>{body}</table></div>'


def _line(found: Predictions, position: int, width: int, cells: Callable[[int], str], look: str = "") -> str:
    """A row of `width` columns: the name of a prediction, and its cells or why it cannot be compared."""
    current = ' aria-current="true"' if position == found.chosen.position else ""
    name = f'<th scope="row">{html.escape(found.names[position])}</th>'
    if position in found.problems:
        problem = html.escape(found.problems[position].on_screen)
        return f'<tr{current}>{name}<td colspan="{width - 1}">{problem}</td></tr>'
    return f"<tr{current}{look}>{name}{cells(position)}</tr>"


def _order(rows: Rows) -> list[int]:
    """The best first, as the leaderboard has them; predictions with a problem last."""
    found = rows.predictions
    best = [found.position(name) for name in rows.board.models] if rows.board else list(found.compared)
    return [*best, *found.problems]


def _titles(rows: Rows, shown: list[Measure]) -> list[str]:
    titles = [
        "prediction",
        *(f"{html.escape(one.short_title)}<small>{html.escape(_counted(one))}</small>" for one in shown),
    ]
    if not rows.compares:
        return titles
    board = rows.board
    first = f"{short_title(board.figure)} minus" if board else "difference from"
    baseline = board.baseline if board else baseline_name(rows.predictions)
    return [*titles, f"{first} <small>{html.escape(baseline)}</small>"]


def _counted(measure: Measure) -> str:
    """What a measure counts, or when an object counts as found."""
    return (measure.detail or "objects") if "objects" in measure.needs else "pixels"


def _cell(cell: Cell, notes: dict[str, str]) -> str:
    mark = f" <sup>{notes.setdefault(cell.reason, str(len(notes) + 1))}</sup>" if cell.reason else ""
    style = f' style="color:{cell.colour};font-weight:600"' if cell.colour else ""
    verdict = f" <span{style}>{html.escape(cell.verdict)}</span>" if cell.verdict else ""
    first, *others = cell.below or ("",)
    below = f'<small class="ends">{html.escape(first)}</small>' if first else ""
    below += "".join(f"<small>{html.escape(text)}</small>" for text in others if text)
    return f"<td>{html.escape(cell.text)}{mark}{verdict}{below}</td>"


def _cells(rows: Rows, position: int, shown: list[Measure]) -> list[Cell]:
    """The cells of a prediction: its measures, and their difference from the baseline if there are several."""
    if rows.intervals is None:
        cells = _first_cells(rows.predictions, position, shown)
    else:
        found = rows.intervals[position].figure_rows
        cells = [
            _summed_cell(found[one.column]) if one.has_interval else _other_cell(rows, position, one) for one in shown
        ]
    if rows.compares:
        theme, name = rows.predictions.chosen.theme, rows.predictions.names[position]
        cells.append(_difference_cell(theme, rows.board, name) if rows.board else Cell(PENDING))
    return cells


def _first_cells(predictions: Predictions, position: int, shown: list[Measure]) -> list[Cell]:
    """The values that are known at once, without their intervals, which come later."""
    compared, method = predictions.compared[position], predictions.chosen.now.method
    values = brief_result(predictions.chosen.key(position), method, compared).measures
    texts = {name: NO_VALUE if value is None else score_text(value) for name, value in values.items()}
    return [Cell(texts[one.name], (PENDING,)) if one.has_interval else Cell(PENDING) for one in shown]


def _summed_cell(row: Mapping[Any, Any]) -> Cell:
    """A measure with its interval."""
    if math.isnan(row["value"]):
        return Cell(NO_VALUE, reason=LABELS_DIFFER)
    ends = interval_of_row(row)
    return Cell(score_text(row["value"]), ("", f"{NO_VALUE}: {row['remark']}") if ends == MISSING else (ends,))


def _other_cell(rows: Rows, position: int, measure: Measure) -> Cell:
    if rows.others is None:
        return Cell(PENDING)
    found = rows.others[position]
    value = found.figures.get(measure.name)
    return Cell(NO_VALUE, reason=found.why.get(measure.name, "")) if value is None else Cell(score_text(value))


def _difference_cell(theme: Theme, board: Leaderboard, name: str) -> Cell:
    row = next(row for row in board.table.to_dict("records") if row["model"] == name)
    if row["verdict"] == BASELINE:
        return Cell("", verdict=BASELINE)
    if math.isnan(row["difference"]):
        return Cell(NO_VALUE, reason=LABELS_DIFFER)
    ends = ends_text(row, "difference", difference_text, " to ")
    words = verdict_words(row["verdict"], board.resampling.unit)
    verdict = f"{words} {MARKS.get(row['verdict'], '')}".strip()
    below = ("" if ends == MISSING else ends, _verdict_details(row))
    colour = {BETTER: theme.accent, WORSE: scale_colour(theme.miss, 1.0)}.get(row["verdict"], "")
    return Cell(f"{difference_text(row['difference'])},", below, verdict=verdict, colour=colour)


def _verdict_details(row: Mapping[Any, Any]) -> str:
    """p and the remark, which a verdict about too few documents says already."""
    if row["verdict"] == TOO_FEW:
        return row["remark"]
    return ", ".join(filter(None, [f"p {score_text(row['p'])}", row["remark"]]))


def _sources(rows: Rows) -> list[str]:
    """What the intervals and the verdicts are made from."""
    if not rows.intervals:
        return [PENDING]
    text = resampling_text(next(iter(rows.intervals.values())).resampling)
    first = f"{text[0].upper()}{text[1:]}. {NO_INTERVALS}"
    return [first, f"{OF_FIGURES}."] if rows.board else [first]


def show_agreement(place: DeltaGenerator, predictions: Predictions) -> None:
    """The sentence of the chosen file, a row for each file, and the pages to review."""
    chosen, compared = predictions.chosen, predictions.own
    if not predictions.compared:
        place.error("No prediction can be compared.")
    elif compared is not None:
        key = chosen.key()
        place.markdown(as_typed(agreed_sentence(key, chosen.now.method, compared)))
    st.html(_agreement_rows(predictions))
    if compared is None:
        return
    st.subheader("Pages to review", anchor=False)
    table = review_table(compared.pages_to_review())
    columns = {"share_of_label": data_tables.share_number("share of the label")}
    data_tables.show_page_picker(table.data.head(MOST_ROWS), "review", "page", columns)
    st.caption(f"{REVIEW_ORDER[0].upper()}{REVIEW_ORDER[1:]}")
    downloads.offer("review", Offer(in_state(chosen, table.name), "Pages to review", table=lambda: table))


def _agreement_rows(predictions: Predictions) -> str:
    chosen, measures = predictions.chosen, quoted_measures("agreement")

    def cells(position: int) -> str:
        values = brief_result(chosen.key(position), chosen.now.method, predictions.compared[position]).measures
        return "".join(f"<td>{score_text(values[one.name])}</td>" for one in measures)

    with_first = f"<small>with {html.escape(chosen.files.gt.name)}</small>"
    titles = ["file", *(f"{one.title}{with_first}" for one in measures)]
    lines = [_line(predictions, position, len(titles), cells) for position in range(len(predictions.names))]
    return _html_table(titles, lines)
