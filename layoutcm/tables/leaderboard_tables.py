"""The tables of a leaderboard for its files, and the place of one prediction on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.metrics.intervals import BETTER, WORSE
from layoutcm.models.leaderboard import Leaderboard
from layoutcm.tables.averages import figure_title
from layoutcm.tables.interval_texts import TEST_TEXT, resampling_text
from layoutcm.tables.tables import Table

if TYPE_CHECKING:
    import pandas as pd

INDEX_PAGE, BOARD = "index.html", "leaderboard"
# The tables of a leaderboard in the order of its sheets; those of pages and documents are long.
BOARD_TABLES = (BOARD, "model_classes", "model_differences", "model_documents", "model_pages")
CSV_TABLES, BOARD_LATEX = BOARD_TABLES, (BOARD, "model_classes")
BOARD_FOLDER_FILES = (
    *(INDEX_PAGE, f"{BOARD}.json", f"{BOARD}.xlsx", "figures", "tables"),
    *(f"{name}.csv" for name in CSV_TABLES),
)
# After F1 of a class: which differences from the baseline are real.
MARKS = {BETTER: "▲", WORSE: "▼"}
MARK_TEXT = "▲ better and ▼ worse than {}, by the corrected test"


def standing(board: Leaderboard, name: str) -> dict[str, Any]:
    """The place of one prediction for its JSON: rank, settings, and its row of the table."""
    rank = board.models.index(name)
    row = {str(column): value for column, value in board.table.to_dict("records")[rank].items()}
    place = {"rank": rank + 1, "models": len(board.models), "baseline": board.baseline, "figure": board.figure}
    return {"model": row.pop("model"), **place, **row}


def board_tables(board: Leaderboard) -> dict[str, Table]:
    """{name: table}: the models, their classes, all differences, documents and pages with the largest spread first."""
    note = f"{resampling_text(board.intervals[board.baseline])}; {TEST_TEXT}"
    by_figure = f"by {figure_title(board.figure)}"
    titles = {
        BOARD: (f"Leaderboard, {by_figure}, differences from {board.baseline}", board.table, note),
        "model_classes": ("F1 of classes", class_columns(board), MARK_TEXT.format(board.baseline)),
        "model_differences": (f"All differences from {board.baseline}", board.differences, note),
        "model_documents": (f"Documents on which the predictions differ most, {by_figure}", board.documents(), ""),
        "model_pages": (f"Pages on which the predictions differ most, {by_figure}", board.pages(), ""),
    }
    return {name: Table(name, *titles[name][:2], note=titles[name][2]) for name in BOARD_TABLES}


def class_columns(board: Leaderboard) -> pd.DataFrame:
    """Labels x predictions: F1 and, but for the baseline, whether it really differs; only labels that are in use."""
    import pandas as pd

    used, rows = [board.labels[0], *board.classes_in_use], board.class_rows
    columns: dict[str, Any] = {"label": used}
    for name in board.models:
        columns[f"F1: {name}"] = np.array([rows[label, name]["f1"] for label in used])
        if name != board.baseline:
            columns[f"verdict: {name}"] = [rows[label, name]["verdict"] or "" for label in used]
    return pd.DataFrame(columns)
