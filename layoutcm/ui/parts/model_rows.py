"""The table of the Models page: one row a prediction, every figure in its own column, with intervals and verdicts.

It is HTML, so that it wraps, can be read aloud, and shows names as typed. Values that come later have a placeholder of
the same height. Only this module writes the session key "model_rows_of".
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from layoutcm.comparison import Comparison
from layoutcm.drawing.palette import scale_colour
from layoutcm.errors import NotCounted
from layoutcm.metrics.intervals import BETTER, TOO_FEW, WORSE, Intervals
from layoutcm.metrics.objects.average_precision import HEADLINE_IOU
from layoutcm.models.leaderboard import BASELINE, Leaderboard
from layoutcm.tables.class_grid import MARKS, ends_text
from layoutcm.tables.interval_texts import NOT_CORRECTED, interval_text, resampling_text
from layoutcm.tables.leaderboard_tables import BOARD, board_table, short_title
from layoutcm.tables.model_objects import NO_INTERVALS, ObjectFigures, no_object_figures, object_figures
from layoutcm.ui import choices, offers, session, sidebar
from layoutcm.ui.offers import Offer
from layoutcm.ui.parts import models
from layoutcm.ui.parts.models import Predictions
from layoutcm.ui.screen_text import as_typed
from layoutcm.ui.visitors import kept
from layoutcm.wording import MISSING, difference_text, score_text

PENDING = "…"
NO_VALUE = "n/a"
PIXEL_FIGURES = ("macro_f1", "content_f1")
LABELS_DIFFER = "The labels differ from those of the ground truth, so that there is no F1 of classes: use a mapping."
# Rows are as high as their longest text, before and after it is there: the second height is for narrow screens.
STYLE = """<style>
.models-table{width:100%;border-collapse:collapse;line-height:1.3;font-variant-numeric:tabular-nums}
.models-table th,.models-table td{padding:.4rem .7rem .4rem 0;text-align:left;vertical-align:top;
border-bottom:1px solid rgba(128,128,128,.3)}
.models-table thead th{font-weight:600;vertical-align:bottom}
.models-table tbody th{font-weight:400;overflow-wrap:anywhere;min-width:5.5rem}
.models-table tr[aria-current] th{font-weight:700}
.models-table sup{line-height:0}
.models-table small,.models-notes small{display:block;font-size:.8rem;opacity:.8;font-weight:400}
.models-table .ends{white-space:nowrap}
.models-table .several{height:4.7rem}
.models-notes{margin-top:.4rem;min-height:4rem;line-height:1.4}
.models-scroll{overflow-x:auto}
@media(max-width:1200px){.models-table .several{height:7.4rem}.models-notes{min-height:7.6rem}}
</style>"""


class Cell(NamedTuple):
    """A value, the small lines below it, and why there is none; `verdict` follows the value in its own colour."""

    text: str
    below: tuple[str, ...] = ()
    reason: str = ""
    verdict: str = ""
    colour: str = ""


class Rows(NamedTuple):
    """What the table is made from; None: not known yet."""

    predictions: Predictions
    board: Leaderboard | None
    intervals: dict[int, Intervals] | None = None
    objects: dict[int, ObjectFigures] | None = None

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
    row = models.reserved(68) if len(options) > 1 else st.container()
    with row, st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        if len(options) > 1:
            sidebar.show_choice("baseline", "Baseline", options, "models", format_func=names.__getitem__, width=260)
        return st.container(width="content")


def show_opening_buttons(predictions: Predictions) -> None:
    with st.container(horizontal=True, gap="small"):
        for position in predictions.compared:
            text = f"Errors of {session.pred_names()[position]}"
            st.button(as_typed(text), key=f"open_{position}", on_click=models.open_prediction, args=(position,))


def draw_first_rows(place: DeltaGenerator, predictions: Predictions) -> None:
    """The figures that are known at once; not again when the whole table was drawn before."""
    if st.session_state.get("model_rows_of") != _content(predictions):
        place.html(_table(Rows(predictions, None)))


def fill_rows(
    place: DeltaGenerator, downloads: DeltaGenerator, predictions: Predictions, board: Leaderboard | None
) -> None:
    """Draw the table with intervals and verdicts, then with the figures of objects."""
    with downloads:
        if board:
            offers.offer("models", Offer(BOARD, "Leaderboard", table=lambda: board_table(board)))
        intervals = _all_intervals(predictions, board)
        if st.session_state.get("model_rows_of") != _content(predictions):
            place.html(_table(Rows(predictions, board, intervals)))
        objects = _all_objects(predictions, board)
    place.html(_table(Rows(predictions, board, intervals, objects)))
    st.session_state["model_rows_of"] = _content(predictions)


def _content(predictions: Predictions) -> Any:
    return predictions.content, choices.current().method, choices.current().baseline


def _all_intervals(predictions: Predictions, board: Leaderboard | None) -> dict[int, Intervals]:
    """{position: intervals}, on the common pages if there is a leaderboard."""
    if board is None:
        return {position: models.intervals_of(predictions, position) for position in predictions.compared}
    return {predictions.position(name): found for name, found in board.intervals.items()}


def _all_objects(predictions: Predictions, board: Leaderboard | None) -> dict[int, ObjectFigures]:
    """{position: figures of objects}, on the common pages if there is a leaderboard."""
    content = predictions.content
    return {
        position: _object_figures(content, predictions.names[position], board, compared)
        for position, compared in predictions.compared.items()
    }


@kept("Matching objects …")
def _object_figures(
    content: models.Content, name: str, _board: Leaderboard | None, _compared: Comparison
) -> ObjectFigures:
    try:
        return object_figures(_board.objects(name) if _board else _compared.objects())
    except NotCounted as error:
        return no_object_figures(error.on_screen)


def _table(rows: Rows) -> str:
    ordered = _order(rows)
    has_ap = rows.objects is None or any(not math.isnan(one.ap) for one in rows.objects.values())
    titles = _titles(rows, has_ap)
    notes: dict[str, str] = {}  # {reason: its mark}
    lines = [_line(rows, position, has_ap, len(titles), notes) for position in ordered]
    head = "".join(f'<th scope="col">{title}</th>' for title in titles)
    texts = [*(f"{mark}: {reason}" for reason, mark in notes.items()), *_sources(rows)]
    below = "".join(f"<small>{html.escape(text)}</small>" for text in texts)
    body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>"
    table = f'<div class="models-scroll"><table class="models-table">{body}</table></div>'
    return f'{STYLE}{table}<div class="models-notes">{below}</div>'


def _order(rows: Rows) -> list[int]:
    """The best first, as the leaderboard has them; predictions with a problem last."""
    found = rows.predictions
    best = [found.position(name) for name in rows.board.models] if rows.board else list(found.compared)
    return [*best, *found.problems]


def _titles(rows: Rows, has_ap: bool) -> list[str]:
    objects = "mAP<small>objects</small>" if has_ap else f"object F1<small>at IoU {HEADLINE_IOU:.2f}</small>"
    figures = ["macro F1<small>classes, pixels</small>", "content F1<small>pixels</small>"]
    titles = ["prediction", *figures, objects, "panoptic quality<small>objects</small>"]
    if not rows.compares:
        return titles
    board = rows.board
    first = f"{short_title(board.figure)} minus" if board else "difference from"
    baseline = board.baseline if board else models.baseline_name(rows.predictions)
    return [*titles, f"{first}<small>{html.escape(baseline)}</small>"]


def _line(rows: Rows, position: int, has_ap: bool, width: int, notes: dict[str, str]) -> str:
    found = rows.predictions
    name = html.escape(found.names[position])
    current = ' aria-current="true"' if position == session.chosen_index() else ""
    if position in found.problems:
        problem = html.escape(found.problems[position].on_screen)
        return f'<tr{current}><th scope="row">{name}</th><td colspan="{width - 1}">{problem}</td></tr>'
    cells = [*_pixel_cells(rows, position), *_object_cells(rows, position, has_ap)]
    if rows.compares:
        cells.append(_difference_cell(rows.board, found.names[position]) if rows.board else Cell(PENDING))
    high = ' class="several"' if rows.compares else ""
    return f'<tr{current}{high}><th scope="row">{name}</th>{"".join(_cell(cell, notes) for cell in cells)}</tr>'


def _cell(cell: Cell, notes: dict[str, str]) -> str:
    mark = f" <sup>{notes.setdefault(cell.reason, str(len(notes) + 1))}</sup>" if cell.reason else ""
    style = f' style="color:{cell.colour};font-weight:600"' if cell.colour else ""
    verdict = f" <span{style}>{html.escape(cell.verdict)}</span>" if cell.verdict else ""
    first, *others = cell.below or ("",)
    below = f'<small class="ends">{html.escape(first)}</small>' if first else ""
    below += "".join(f"<small>{html.escape(text)}</small>" for text in others if text)
    return f"<td>{html.escape(cell.text)}{mark}{verdict}{below}</td>"


def _pixel_cells(rows: Rows, position: int) -> list[Cell]:
    if rows.intervals is None:
        confusion = rows.predictions.compared[position].confusion(method=choices.current().method)
        values = (confusion.average("macro")["f1"], confusion.content()["f1"])
        return [Cell(NO_VALUE if math.isnan(value) else score_text(value), (PENDING,)) for value in values]
    found = rows.intervals[position]
    remarks = dict(zip(found.headline["figure"], found.headline["remark"]))
    cells = []
    for figure in PIXEL_FIGURES:
        value, ends = float(found.figures[figure][0]), interval_text(found, figure)
        if math.isnan(value):
            cells.append(Cell(NO_VALUE, reason=LABELS_DIFFER))
        else:
            below = ("", f"{NO_VALUE}: {remarks[figure]}") if ends == MISSING else (ends,)
            cells.append(Cell(score_text(value), below))
    return cells


def _object_cells(rows: Rows, position: int, has_ap: bool) -> list[Cell]:
    if rows.objects is None:
        return [Cell(PENDING)] * 2
    found = rows.objects[position]
    value, why = (found.ap, found.why_no_ap) if has_ap else (found.f1, found.why_none)
    return [_object_cell(value, why), _object_cell(found.pq, found.why_no_pq)]


def _object_cell(value: float, why: str) -> Cell:
    return Cell(NO_VALUE, reason=why) if math.isnan(value) else Cell(score_text(value))


def _difference_cell(board: Leaderboard, name: str) -> Cell:
    row = next(row for row in board.table.to_dict("records") if row["model"] == name)
    if row["verdict"] == BASELINE:
        return Cell("", verdict=BASELINE)
    if math.isnan(row["difference"]):
        return Cell(NO_VALUE, reason=LABELS_DIFFER)
    ends = ends_text(row, "difference", difference_text, " to ")
    verdict = f"{row['verdict']} {MARKS.get(row['verdict'], '')}".strip()
    below = ("" if ends == MISSING else ends, _verdict_details(row))
    return Cell(
        f"{difference_text(row['difference'])},", below, verdict=verdict, colour=_verdict_colour(row["verdict"])
    )


def _verdict_details(row: Mapping[Any, Any]) -> str:
    """p and the remark, which a verdict about too few documents says already."""
    if row["verdict"] == TOO_FEW:
        return row["remark"]
    return ", ".join(filter(None, [f"p {score_text(row['p'])}", row["remark"]]))


def _verdict_colour(verdict: str) -> str:
    theme = session.theme()
    return {BETTER: theme.accent, WORSE: scale_colour(theme.miss, 1.0)}.get(verdict, "")


def _sources(rows: Rows) -> list[str]:
    """What the intervals and the verdicts are made from."""
    if not rows.intervals:
        return [PENDING]
    text = resampling_text(next(iter(rows.intervals.values())))
    first = f"{text[0].upper()}{text[1:]}. {NO_INTERVALS}"
    return [first, f"{NOT_CORRECTED}."] if rows.board else [first]
