"""A leaderboard as tables and as terminal text, and the place of one prediction on it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec
import numpy as np
from msgspec import to_builtins

from layoutcm import html_parts
from layoutcm.diagnosis.causes import TOLERANCE
from layoutcm.layouts.findings import severe_note, severe_sentence
from layoutcm.layouts.model import Floats
from layoutcm.lazy import pd
from layoutcm.metrics.intervals import Intervals
from layoutcm.metrics.scores import ratio
from layoutcm.models.leaderboard import Leaderboard, compared_measures
from layoutcm.results.measures import Measure, direction_of, figure_title, measure_of
from layoutcm.results.result import LeaderboardResult, frame_of
from layoutcm.results.types import BoardClass, BoardRow
from layoutcm.results.verdict import BETTER, FEW_UNITS, SAME, TOO_FEW, WORSE, verdict_text, verdict_words
from layoutcm.tables.interval_texts import (
    CORRECTED_FOR_ALL,
    OF_FIGURES,
    ends_text,
    resampling_of,
    resampling_text,
    units_text,
)
from layoutcm.tables.label_folding import MOST_DRAWN
from layoutcm.tables.tables import SCORE_KINDS, Table
from layoutcm.tables.terminal import line_name
from layoutcm.tables.written_forms import Ends, with_joined_ends
from layoutcm.wording import (
    MISSING,
    agree,
    aligned_lines,
    difference_text,
    one_line,
    percent,
    percent_brief,
    pixels_in_full,
    plain_percent,
    plural,
    score_text,
)

INDEX_PAGE = "index.html"
# The tables of a leaderboard in the order of its sheets, each also a CSV file; those of documents and pages are long.
BOARD, CLASSES, DIFFERENCES = "leaderboard", "model_classes", "model_differences"
CAUSES, DOCUMENTS, PAGES = "model_causes", "model_documents", "model_pages"
BOARD_TABLES = (BOARD, CLASSES, DIFFERENCES, CAUSES, DOCUMENTS, PAGES)  # CAUSES only if a person asks why
ALL_CAUSES = "all"
MOST_MODELS = 20  # in a notebook
# After F1 of a class: which differences from the baseline are real.
MARKS = {BETTER: "▲", WORSE: "▼"}
MARK_TEXT = " and ".join(f"{mark} {verdict}" for verdict, mark in MARKS.items()) + " than {}, by the corrected test"
# What a report of several predictions has beside the folders of the predictions, which therefore have other names.
BOARD_FILES = (INDEX_PAGE, f"{BOARD}.json", f"{BOARD}.xlsx", *(f"{name}.csv" for name in BOARD_TABLES))


class ClassGrid(NamedTuple):
    """float64[labels, models]: F1, the best prediction first; the mark after each number, and all that is known of it.

    `rows` is {(label, model): row of a leaderboard}, `recipes` are those of the predictions.
    """

    labels: list[str]
    models: list[str]
    baseline: str
    values: Floats
    marks: list[list[str]]
    rows: dict[tuple[str, str], BoardClass]
    recipes: list[str]
    unit: str = "document"  # of the tests; "page" if there is one document

    def number(self, row: int, column: int) -> str:
        """'89 ▲': F1 in percent and its mark; "" where F1 does not exist."""
        value = float(self.values[row, column])
        number = "" if math.isnan(value) else percent_brief(value) if value else "0"
        return f"{number} {self.marks[row][column]}".strip()

    def difference(self, row: int, column: int) -> float:
        """F1 minus F1 of the baseline."""
        found = self.rows[self.labels[row], self.models[column]].difference
        return math.nan if found is None else found

    def difference_number(self, row: int, column: int) -> str:
        """'+8.3 ▲': the difference from the baseline in points and its mark; "" where it does not exist."""
        value = self.difference(row, column)
        sign = "+" if value > 0 else "-"
        number = "" if math.isnan(value) else f"{sign}{percent_brief(abs(value))}" if value else "0"
        return f"{number} {self.marks[row][column]}".strip()

    @property
    def others(self) -> list[int]:
        """The columns of all predictions but the baseline."""
        return [k for k, model in enumerate(self.models) if model != self.baseline]

    @property
    def legend(self) -> str:
        return MARK_TEXT.format(self.baseline)


def standing(board: LeaderboardResult, name: str) -> BoardRow:
    """The place of one prediction for its result: rank, settings, and its row of the table; equal ones share a rank."""
    own = board.model_rows[board.models.index(name)]
    rank = next(k for k, row in enumerate(board.model_rows, 1) if is_equal(own[board.order], row[board.order]))
    place = {"rank": rank, "models": len(board.models), "baseline": board.baseline, "figure": board.order}
    return msgspec.structs.replace(own, **place)


def is_equal(one: float | None, other: float | None) -> bool:
    """Whether two values of a figure are the same number; two that are n/a are equal."""
    return one == other if one is None or other is None else abs(one - other) <= SAME


def _value(row: BoardRow, measure: Measure) -> float | None:
    """A measure of a row; a leaderboard of the first schema has only measures with an interval, as columns."""
    known = row.measures or {}
    return known.get(measure.name, getattr(row, measure.column, None) if measure.column else None)


def board_table(board: LeaderboardResult) -> Table:
    """All numbers of the leaderboard: every column of `Leaderboard.table`, then measures that have no interval."""
    known = set(board.table.columns)
    more = {
        one.name: [_value(row, one) for row in board.model_rows]
        for one in board_columns(board)
        if one.column not in known
    }
    data = board.table.assign(**{name: np.array(values, float) for name, values in more.items()})
    return _board(board, data)


def shown_table(board: LeaderboardResult, columns: list[Measure] | None = None) -> Table:
    """The leaderboard for people: for a page, LaTeX, Markdown; all measures unless some are given."""
    rows, columns = [], columns or board_columns(board)
    for row in board.model_rows:
        shown: dict[str, Any] = {"model": row.model}
        for one in columns:
            shown[one.column or one.name] = _value(row, one)
            if hasattr(row, f"{one.column}_low"):
                shown |= _ends_of(row, one.column)
        shown |= {"difference": row.difference, **_ends_of(row, "difference"), "p": row.p}
        rows.append(shown | {"verdict": verdict_words(row.verdict, board.units[:-1]), "remark": row.remark})
    titles = {one.column or one.name: one.short_title for one in columns}
    return replace(_board(board, frame_of(rows)), titles=titles, joins_ends=True)


def _ends_of(row: BoardRow, name: str) -> dict[str, Any]:
    return {f"{name}_{end}": row[f"{name}_{end}"] for end in ("low", "high")}


def board_html(board: LeaderboardResult) -> str:
    """The leaderboard as small HTML, for notebooks."""
    table = with_joined_ends(shown_table(board))
    rows = [
        [_cell_text(*cell) for cell in zip(map(str, table.data), table.kinds(), row)]
        for row in table.data.head(MOST_MODELS).itertuples(index=False, name=None)
    ]
    notes = [html_parts.more(len(table.data) - MOST_MODELS, "prediction"), missing_columns(board)]
    alarms = [html_parts.alarm(f"{name}: {line}") for name, line in severe_sentences(board).items()]
    return html_parts.block(
        table.title, *alarms, html_parts.table(table.headings(), rows), *map(html_parts.note, notes)
    )


def _cell_text(column: str, kind: str, cell: Any) -> str:
    if isinstance(cell, Ends):
        return cell.text()
    if column == "difference":
        return difference_text(cell)
    return score_text(cell) if kind in SCORE_KINDS else str(cell)


def board_columns(board: LeaderboardResult) -> list[Measure]:
    """The measure that decides the order, then all measures that some prediction has."""
    known = {name for row in board.model_rows for name, value in (row.measures or {}).items() if value is not None}
    every = [one for one in compared_measures() if one.name in known or one.column == board.order]
    return sorted(every, key=lambda one: one.column != board.order)


def missing_columns(board: LeaderboardResult) -> str:
    """'n/a: AP', 'not counted: AP, panoptic quality'; "" if some prediction has a value of every measure."""
    shown, counted = {one.name for one in board_columns(board)}, board.model_rows[0].measures or {}
    missing = [one for one in compared_measures() if one.name not in shown]
    titles = {
        "n/a": [one.short_title for one in missing if one.name in counted],
        "not counted": [one.short_title for one in missing if one.name not in counted],
    }
    return "; ".join(f"{why}: {', '.join(names)}" for why, names in titles.items() if names)


def _board(board: LeaderboardResult, data: pd.DataFrame) -> Table:
    title = f"Leaderboard, by {figure_title(board.order)}, differences from {board.baseline}"
    severe = [f"{name}: {severe_note(own)}" for name, own in (board.severe or {}).items()]
    return Table(BOARD, title, data, note="; ".join([*severe, resampling_text(resampling_of(board)), OF_FIGURES]))


def severe_sentences(board: LeaderboardResult) -> dict[str, str]:
    """{prediction: its severe findings in one paragraph}, where there are some."""
    return {name: severe_sentence(own) for name, own in (board.severe or {}).items()}


def board_tables(board: Leaderboard, value: LeaderboardResult) -> dict[str, Table]:
    """{name: table}: the models, their classes, all differences, documents and pages with the largest spread first.

    `value` is the leaderboard as a value; causes of wrong pixels are among the tables if it has them.
    """
    return {
        BOARD: board_table(value),
        CLASSES: class_scores_table(value),
        DIFFERENCES: replace(
            board_table(value), name=DIFFERENCES, title=f"Differences from {value.baseline}", data=value.differences
        ),
        **({CAUSES: table_of_causes(frame_of(to_builtins(value.causes)))} if value.causes else {}),
        **{name: level_table(board, name) for name in (DOCUMENTS, PAGES)},
    }


def level_table(board: Leaderboard, name: str) -> Table:
    """The documents or the pages on which the predictions differ most."""
    title = f"on which the predictions differ most, by {figure_title(board.figure)}"
    kind, data = ("Documents", board.documents()) if name == DOCUMENTS else ("Pages", board.pages())
    return Table(name, f"{kind} {title}", data)


def table_of_causes(causes: pd.DataFrame) -> Table:
    """Causes x predictions: shares of the wrong pixels of a prediction, and pixels; the last row has all causes.

    `causes` has a row per prediction, as `Leaderboard.causes`.
    """
    found = causes.set_index("model")
    columns: dict[str, Any] = {"cause": [*found.columns, ALL_CAUSES]}
    for name in found.index:
        pixels = found.loc[name].to_numpy(float)
        pixels = np.append(pixels, pixels.sum())
        columns[f"share_of_wrong: {name}"] = ratio(pixels, pixels[-1])
        columns[f"pixels: {name}"] = pixels
    note = f"shares of the wrong pixels of a prediction; slack: borders within {plain_percent(TOLERANCE)}"
    return Table(CAUSES, "Causes of wrong pixels", pd.DataFrame(columns), note=f"{note} of the longer side of a page")


def class_scores_table(board: LeaderboardResult) -> Table:
    """Labels x predictions: F1 with its interval and, but for the baseline, the verdict; only labels in use."""
    grid = class_grid(board)._replace(labels=classes_in_use(board))
    note = f"F1 of each prediction, and whether it differs from {board.baseline}; {CORRECTED_FOR_ALL}"
    data = _class_columns(grid, grid.models, "f1")
    return Table(CLASSES, "F1 of classes", data, note=note, joins_ends=True)


def class_difference_table(grid: ClassGrid) -> Table:
    """Labels x predictions: F1 minus F1 of the baseline with its interval, and whether the test shows it."""
    data = _class_columns(grid, [grid.models[k] for k in grid.others], "difference")
    title = f"F1 of classes minus that of {grid.baseline}"
    return Table(f"{CLASSES}-differences", title, data, note=CORRECTED_FOR_ALL, joins_ends=True)


def _class_columns(grid: ClassGrid, models: list[str], value: str) -> pd.DataFrame:
    """The labels, and for every prediction a value with its interval; all but the baseline also have a verdict."""
    columns: dict[str, Any] = {"label": grid.labels}
    for name in models:
        own = [grid.rows[label, name] for label in grid.labels]
        for end in ("", "_low", "_high"):
            columns[f"{value}{end}: {name}"] = np.array([row[f"{value}{end}"] for row in own], float)
        if name != grid.baseline:
            columns[f"verdict: {name}"] = [verdict_words(row.verdict, grid.unit) for row in own]
    return pd.DataFrame(columns)


def class_rows(board: LeaderboardResult) -> dict[tuple[str, str], BoardClass]:
    """{(label, model): row}"""
    return {(row.label, row.model): row for row in board.class_rows}


def classes_in_use(board: LeaderboardResult) -> list[str]:
    """The labels without Background that have F1 in some prediction."""
    rows = class_rows(board)
    labels = list(dict.fromkeys(label for label, _ in rows))[1:]
    return [label for label in labels if any(rows[label, name].f1 is not None for name in board.models)]


def class_grid(board: LeaderboardResult) -> ClassGrid:
    """The labels in use without Background; if not all can be drawn, the labels with the most gt pixels."""
    labels, rows = classes_in_use(board), class_rows(board)
    if len(labels) > MOST_DRAWN:
        pixels = {row.label: row.gt_pixels or 0.0 for row in board.class_rows}
        kept = {*sorted(labels, key=lambda label: -pixels[label])[:MOST_DRAWN]}
        labels = [label for label in labels if label in kept]
    values = [[rows[label, name].f1 for name in board.models] for label in labels]
    marks = [[MARKS.get(rows[label, name].verdict or "", "") for name in board.models] for label in labels]
    shaped = np.array(values, float).reshape(len(labels), len(board.models))
    recipes, unit = list(board.recipes.values()), board.units[:-1]
    return ClassGrid(labels, board.models, board.baseline, shaped, marks, rows, recipes, unit)


def short_differences(table: Table) -> Table:
    """The differences under readable names and without the share of resamples on the other side of 0, for people."""
    data = table.data.drop(columns="other_side").rename(columns={"value": "difference"})
    return replace(table, data=data.assign(figure=[figure_title(figure) for figure in data["figure"]]))


def short_title(figure: str) -> str:
    """The title of a headline figure: 'macro F1'"""
    return measure_of(figure).short_title


def leaderboard_summary(board: LeaderboardResult) -> str:
    """The predictions, the best first, with the difference from the baseline; then the classes and which differ.

    Causes of wrong pixels follow, if it has them.
    """
    of = f"{plural(len(board.models), 'prediction')} on {plural(board.pages, 'page')}"
    heading = f"{of}, the best first, by {figure_title(board.order)}"
    notes = [resampling_text(resampling_of(board)), OF_FIGURES]
    rows = _model_rows(board)
    sections = [[f"{name}: {line}" for name, line in severe_sentences(board).items()]]
    sections += [[heading, *aligned_lines(rows, "<" + ">" * (len(rows[0]) - 2) + "<"), *notes], _class_lines(board)]
    sections += [_cause_lines(board)] if board.causes else []
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _model_rows(board: LeaderboardResult) -> list[list[str]]:
    """Name, the measures with the interval of the one that decides the order, the difference from the baseline."""
    columns = board_columns(board)
    titles = [one.short_title for one in columns]
    rows = [["", titles[0], "interval", *titles[1:], f"minus {line_name(board.baseline)}", "interval", "p", "verdict"]]
    for row in board.model_rows:
        ends = ends_text(row, board.order, score_text, " – ")
        values = [score_text(_value(row, one)) for one in columns]
        difference = [difference_text(row.difference), ends_text(row, "difference", difference_text, " to ")]
        rows.append([line_name(row.model), values[0], ends, *values[1:], *difference, score_text(row.p)])
        rows[-1].append(verdict_text(row.verdict, row.remark, board.units[:-1]) or MISSING)
    return rows


def _class_lines(board: LeaderboardResult) -> list[str]:
    """F1 of every label and prediction, with a mark where it really differs from the baseline; without Background."""
    labels, found = classes_in_use(board), class_rows(board)
    if not labels:
        return []
    rows = [["F1 of classes", *(f"{line_name(name)}  " for name in board.models)]]
    for label in labels:
        cells = (found[label, name] for name in board.models)
        texts = (f"{score_text(cell.f1)} {MARKS.get(cell.verdict or '', ' ')}" for cell in cells)
        rows.append([line_name(label), *texts])
    notes = [MARK_TEXT.format(line_name(board.baseline)), CORRECTED_FOR_ALL]
    return [*aligned_lines(rows, "<" + ">" * len(board.models)), *notes]


def _cause_lines(board: LeaderboardResult) -> list[str]:
    """The share of each cause in the wrong pixels of every prediction, then the number of these pixels."""
    table = table_of_causes(frame_of(to_builtins(board.causes))).data
    rows = [["causes of wrong pixels", *map(line_name, board.models)]]
    for row in table.to_dict("records")[:-1]:
        rows.append([row["cause"], *(percent(row[f"share_of_wrong: {name}"]) for name in board.models)])
    rows.append(["pixels", *(pixels_in_full(table[f"pixels: {name}"].iloc[-1]) for name in board.models)])
    return aligned_lines(rows, "<" + ">" * len(board.models))


def best_sentence(board: Leaderboard, name_text: Callable[[str], str] = one_line) -> str:
    """Which prediction is best, how much better than the next one, and whether the difference is real."""
    best, following, *_ = board.models
    title = short_title(board.figure)
    value = float(board.intervals[best].figures[board.figure][0])
    if math.isnan(value):
        return f"No prediction has a {title}."
    most = "highest" if direction_of(board.figure) > 0 else "lowest"
    values = {name: float(board.intervals[name].figures[board.figure][0]) for name in board.models}
    equal = [name_text(name) for name in board.models if is_equal(values[name], value)]
    of = f"the {most} {title} of {len(board.models)} predictions, {score_text(value)}"
    if len(equal) > 1:
        return f"{', '.join(equal[:-1])} and {equal[-1]} have {of}."
    first = f"{equal[0]} has {of}"
    row = board.lead.figure_rows[board.figure]
    if math.isnan(row["value"]):
        return f"{first}; {name_text(following)}, the next one, has none."
    ends = " to ".join(difference_text(row[end]) for end in ("low", "high"))
    ends = "" if math.isnan(row["low"]) else f" ({plain_percent(board.resampling.level)} interval {ends})"
    amount = f"{difference_text(row['value'])} against {name_text(following)}{ends}"
    return f"{first}, {amount}: {_lead_words(board.lead, row)}."


def _lead_words(lead: Intervals, row: Mapping[Any, Any]) -> str:
    """What the test says of the difference of the best two, with the number of documents."""
    used = lead.resampling
    units = units_text(used)
    if row["verdict"] == TOO_FEW:
        return f"{units} {agree(used.unit_count, 'is', 'are')} too few to say whether the difference is real"
    rough = f"; with fewer than {FEW_UNITS} {used.units} this is rough" if used.few else ""
    family = f" (corrected for {lead.differences} predictions)" if lead.differences > 1 else ""
    return f"{verdict_text(row['verdict'], row['remark'])}, p {score_text(row['p'])}{family} over {units}{rough}"
