"""A leaderboard as terminal text: one line per prediction, then F1 of every class."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import to_builtins

from layoutcm.metrics.intervals import Intervals
from layoutcm.models.leaderboard import Leaderboard
from layoutcm.results.measures import direction_of, figure_title
from layoutcm.results.result import LeaderboardResult, frame_of
from layoutcm.results.verdict import BETTER, FEW_UNITS, TOO_FEW, verdict_text
from layoutcm.tables.interval_texts import (
    CORRECTED_FOR_ALL,
    NOT_CORRECTED,
    resampling_of,
    resampling_text,
    units_text,
)
from layoutcm.tables.leaderboard_tables import (
    MARK_TEXT,
    MARKS,
    board_columns,
    class_rows,
    classes_in_use,
    ends_text,
    short_title,
    table_of_causes,
)
from layoutcm.tables.terminal import NAME_LENGTH
from layoutcm.wording import (
    MISSING,
    agree,
    difference_text,
    one_line,
    percent,
    pixels_in_full,
    plain_percent,
    plural,
    score_text,
    shorten,
)


def leaderboard_summary(board: LeaderboardResult) -> str:
    """The predictions, the best first, with the difference from the baseline; then the classes and which differ.

    Causes of wrong pixels follow, if it has them.
    """
    of = f"{plural(len(board.models), 'prediction')} on {plural(board.pages, 'page')}"
    heading = f"{of}, the best first, by {figure_title(board.order)}"
    notes = [resampling_text(resampling_of(board)), NOT_CORRECTED]
    rows = _model_rows(board)
    sections = [[heading, *_aligned(rows, "<" + ">" * (len(rows[0]) - 2) + "<"), *notes], _class_lines(board)]
    sections += [_cause_lines(board)] if board.causes else []
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _model_rows(board: LeaderboardResult) -> list[list[str]]:
    """Name, the measures with the interval of the one that decides the order, the difference from the baseline."""
    columns = board_columns(board)
    titles = [one.short_title for one in columns]
    rows = [["", titles[0], "interval", *titles[1:], f"minus {_name(board.baseline)}", "interval", "p", "verdict"]]
    for row in board.model_rows:
        ends = ends_text(row, board.order, score_text, " – ")
        values = [score_text((row.measures or {})[one.name]) for one in columns]
        difference = [difference_text(row.difference), ends_text(row, "difference", difference_text, " to ")]
        rows.append([_name(row.model), values[0], ends, *values[1:], *difference, score_text(row.p)])
        rows[-1].append(verdict_text(row.verdict, row.remark) or MISSING)
    return rows


def _class_lines(board: LeaderboardResult) -> list[str]:
    """F1 of every label and prediction, with a mark where it really differs from the baseline; without Background."""
    labels, found = classes_in_use(board), class_rows(board)
    if not labels:
        return []
    rows = [["F1 of classes", *(f"{_name(name)}  " for name in board.models)]]
    for label in labels:
        cells = [found[label, name] for name in board.models]
        rows.append([_name(label), *(f"{score_text(cell.f1)} {MARKS.get(cell.verdict or '', ' ')}" for cell in cells)])
    notes = [MARK_TEXT.format(_name(board.baseline)), CORRECTED_FOR_ALL]
    return [*_aligned(rows, "<" + ">" * len(board.models)), *notes]


def _cause_lines(board: LeaderboardResult) -> list[str]:
    """The share of each cause in the wrong pixels of every prediction, then the number of these pixels."""
    table = table_of_causes(frame_of(to_builtins(board.causes))).data
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
    most = "highest" if direction_of(board.figure) > 0 else "lowest"
    first = f"{name_text(best)} has the {most} {title} of {len(board.models)} predictions, {score_text(value)}"
    row = board.lead.figure_rows[board.figure]
    if math.isnan(row["value"]):
        return f"{first}; {name_text(following)}, the next one, has none."
    ends = "" if math.isnan(row["low"]) else _ends_in_words(board.lead, row)
    amount = f"{difference_text(row['value'])} against {name_text(following)}{ends}"
    return f"{first}, {amount}: {_lead_words(board.lead, row)}."


def _ends_in_words(lead: Intervals, row: Mapping[Any, Any]) -> str:
    ends = " to ".join(difference_text(row[end]) for end in ("low", "high"))
    return f" ({plain_percent(lead.resampling.level)} interval {ends})"


def _lead_words(lead: Intervals, row: Mapping[Any, Any]) -> str:
    """What the test says of the difference of the best two, with the number of documents."""
    used = lead.resampling
    units = units_text(used)
    if row["verdict"] == TOO_FEW:
        return f"{units} {agree(used.unit_count, 'is', 'are')} too few to say whether the difference is real"
    shown = "the difference is real (better)" if row["verdict"] == BETTER else row["verdict"]
    rough = f"; with fewer than {FEW_UNITS} {used.units} this is rough" if used.few else ""
    return f"{verdict_text(shown, row['remark'])}, p {score_text(row['p'])} over {units}{rough}"


def _name(text: str) -> str:
    return shorten(one_line(text), NAME_LENGTH)


def _aligned(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """The rows as lines with columns of one width; `sides` has "<" or ">" for each column."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join(f"{text:{side}{width}}" for text, side, width in zip(row, sides, widths)).rstrip() for row in rows
    ]
