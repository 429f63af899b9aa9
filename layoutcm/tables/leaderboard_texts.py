"""A leaderboard as terminal text: one line per prediction, then F1 of every class."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from layoutcm.metrics.bootstrap import FEW_UNITS
from layoutcm.metrics.intervals import BETTER, TOO_FEW, UNIT_FIGURES, Intervals
from layoutcm.models.leaderboard import Leaderboard
from layoutcm.tables.averages import figure_title
from layoutcm.tables.class_grid import MARK_TEXT, MARKS, ends_text
from layoutcm.tables.interval_texts import CORRECTED_FOR_ALL, NOT_CORRECTED, resampling_text, units_text
from layoutcm.tables.leaderboard_tables import cause_table, short_title
from layoutcm.tables.terminal import NAME_LENGTH
from layoutcm.wording import (
    MISSING,
    agree,
    difference_text,
    one_line,
    percent,
    pixels_in_full,
    plural,
    score_text,
    shorten,
)


def leaderboard_summary(board: Leaderboard, why: bool = False) -> str:
    """The predictions, the best first, with the difference from the baseline; then the classes and which differ.

    `why` adds the causes of wrong pixels.
    """
    of = f"{plural(len(board.models), 'prediction')} on {plural(board.page_count, 'page')}"
    heading = f"{of}, the best first, by {figure_title(board.figure)}"
    notes = [resampling_text(board.intervals[board.baseline]), NOT_CORRECTED]
    sections = [[heading, *_aligned(_model_rows(board), "<" + ">" * 7 + "<"), *notes], _class_lines(board)]
    sections += [_cause_lines(board)] if why else []
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _model_rows(board: Leaderboard) -> list[list[str]]:
    """Name, the figure of the order with its interval, the other figures, then the difference from the baseline."""
    others = [figure for figure in UNIT_FIGURES if figure != board.figure]
    titles = [short_title(figure) for figure in (board.figure, *others)]
    rows = [["", titles[0], "interval", *titles[1:], f"minus {_name(board.baseline)}", "interval", "p", "verdict"]]
    for row in board.table.to_dict("records"):
        ends = ends_text(row, board.figure, score_text, " – ")
        values = [score_text(row[figure]) for figure in (board.figure, *others)]
        difference = [difference_text(row["difference"]), ends_text(row, "difference", difference_text, " to ")]
        rows.append([_name(row["model"]), values[0], ends, *values[1:], *difference, score_text(row["p"]), _words(row)])
    return rows


def _words(row: Mapping[Any, Any]) -> str:
    """The verdict, and the remark if it adds something."""
    verdict = row["verdict"] or MISSING
    return f"{verdict}, {row['remark']}" if row["remark"] and verdict != TOO_FEW else verdict


def _class_lines(board: Leaderboard) -> list[str]:
    """F1 of every label and prediction, with a mark where it really differs from the baseline; without Background."""
    if not board.classes_in_use:
        return []
    rows = [["F1 of classes", *(f"{_name(name)}  " for name in board.models)]]
    for label in board.classes_in_use:
        cells = [board.class_rows[label, name] for name in board.models]
        rows.append([_name(label), *(f"{score_text(cell['f1'])} {MARKS.get(cell['verdict'], ' ')}" for cell in cells)])
    notes = [MARK_TEXT.format(_name(board.baseline)), CORRECTED_FOR_ALL]
    return [*_aligned(rows, "<" + ">" * len(board.models)), *notes]


def _cause_lines(board: Leaderboard) -> list[str]:
    """The share of each cause in the wrong pixels of every prediction, then the number of these pixels."""
    table = cause_table(board).data
    rows = [["causes of wrong pixels", *map(_name, board.models)]]
    for row in table.to_dict("records")[:-1]:
        rows.append([row["cause"], *(percent(row[f"share_of_wrong: {name}"]) for name in board.models)])
    rows.append(["pixels", *(pixels_in_full(table[f"pixels: {name}"].iloc[-1]) for name in board.models)])
    return _aligned(rows, "<" + ">" * len(board.models))


def best_sentence(board: Leaderboard, name_text: Callable[[str], str] = one_line) -> str:
    """Which prediction is best, how much better than the next one, and whether the difference is real."""
    best, following, *_ = board.models
    title = short_title(board.figure)
    value = float(board.intervals[best].figures[board.figure][0])
    if math.isnan(value):
        return f"No prediction has a {title}."
    first = f"{name_text(best)} has the highest {title} of {len(board.models)} predictions, {score_text(value)}"
    row = next(row for row in board.lead.headline.to_dict("records") if row["figure"] == board.figure)
    if math.isnan(row["value"]):
        return f"{first}; {name_text(following)}, the next one, has none."
    ends = "" if math.isnan(row["low"]) else _ends_in_words(board.lead, row)
    amount = f"{difference_text(row['value'])} against {name_text(following)}{ends}"
    return f"{first}, {amount}: {_lead_words(board.lead, row)}."


def _ends_in_words(lead: Intervals, row: Mapping[Any, Any]) -> str:
    ends = " to ".join(difference_text(row[end]) for end in ("low", "high"))
    return f" ({100 * lead.resampling.level:g} % interval {ends})"


def _lead_words(lead: Intervals, row: Mapping[Any, Any]) -> str:
    """What the test says of the difference of the best two, with the number of documents."""
    units, used = units_text(lead), lead.resampling
    if row["verdict"] == TOO_FEW:
        return f"{units} {agree(used.unit_count, 'is', 'are')} too few to say whether the difference is real"
    shown = "the difference is real (better)" if row["verdict"] == BETTER else row["verdict"]
    remark = f", {row['remark']}" if row["remark"] else ""
    rough = f"; with fewer than {FEW_UNITS} {used.units} this is rough" if used.few else ""
    return f"{shown}{remark}, p {score_text(row['p'])} over {units}{rough}"


def _name(text: str) -> str:
    return shorten(one_line(text), NAME_LENGTH)


def _aligned(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """The rows as lines with columns of one width; `sides` has "<" or ">" for each column."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join(f"{text:{side}{width}}" for text, side, width in zip(row, sides, widths)).rstrip() for row in rows
    ]
