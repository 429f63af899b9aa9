"""The tables of a leaderboard for its files, and the place of one prediction on it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.diagnosis.causes import TOLERANCE
from layoutcm.metrics.intervals import UNIT_FIGURES
from layoutcm.metrics.scores import ratio
from layoutcm.models.leaderboard import Leaderboard
from layoutcm.tables.averages import figure_title
from layoutcm.tables.cause_shares import tolerance_text
from layoutcm.tables.class_grid import MARKS, ClassGrid, ends_text
from layoutcm.tables.drawn_labels import MOST_DRAWN
from layoutcm.tables.interval_texts import CORRECTED_FOR_ALL, NOT_CORRECTED, resampling_text
from layoutcm.tables.tables import Table
from layoutcm.wording import difference_text, score_text

if TYPE_CHECKING:
    import pandas as pd

INDEX_PAGE = "index.html"
# The tables of a leaderboard in the order of its sheets, each also a CSV file; those of documents and pages are long.
BOARD, CLASSES, DIFFERENCES = "leaderboard", "model_classes", "model_differences"
CAUSES, DOCUMENTS, PAGES = "model_causes", "model_documents", "model_pages"
BOARD_TABLES = (BOARD, CLASSES, DIFFERENCES, CAUSES, DOCUMENTS, PAGES)  # CAUSES only if a person asks why
ALL_CAUSES = "all"
# What a report of several predictions has beside the folders of the predictions, which therefore have other names.
BOARD_FILES = (INDEX_PAGE, f"{BOARD}.json", f"{BOARD}.xlsx", *(f"{name}.csv" for name in BOARD_TABLES))


def standing(board: Leaderboard, name: str) -> dict[str, Any]:
    """The place of one prediction for its JSON: rank, settings, and its row of the table."""
    rank = board.models.index(name)
    row = {str(column): value for column, value in board.table.to_dict("records")[rank].items()}
    place = {"rank": rank + 1, "models": len(board.models), "baseline": board.baseline, "figure": board.figure}
    return {"model": row.pop("model"), **place, **row}


def board_table(board: Leaderboard) -> Table:
    title = f"Leaderboard, by {figure_title(board.figure)}, differences from {board.baseline}"
    return Table(BOARD, title, board.table, note=f"{resampling_text(board.intervals[board.baseline])}; {NOT_CORRECTED}")


def board_tables(board: Leaderboard, why: bool = False) -> dict[str, Table]:
    """{name: table}: the models, their classes, all differences, documents and pages with the largest spread first.

    `why` adds the causes of wrong pixels.
    """
    differ = f"on which the predictions differ most, by {figure_title(board.figure)}"
    marked = "F1 of each prediction, and whether it differs from {}; " + CORRECTED_FOR_ALL
    return {
        BOARD: board_table(board),
        CLASSES: Table(CLASSES, "F1 of classes", class_columns(board), note=marked.format(board.baseline)),
        DIFFERENCES: replace(
            board_table(board), name=DIFFERENCES, title=f"Differences from {board.baseline}", data=board.differences
        ),
        **({CAUSES: cause_table(board)} if why else {}),
        DOCUMENTS: Table(DOCUMENTS, f"Documents {differ}", board.documents()),
        PAGES: Table(PAGES, f"Pages {differ}", board.pages()),
    }


def cause_table(board: Leaderboard) -> Table:
    return table_of_causes(board.causes())


def table_of_causes(causes: pd.DataFrame) -> Table:
    """Causes x predictions: shares of the wrong pixels of a prediction, and pixels; the last row has all causes.

    `causes` has a row per prediction, as `Leaderboard.causes`.
    """
    import pandas as pd

    found = causes.set_index("model")
    columns: dict[str, Any] = {"cause": [*found.columns, ALL_CAUSES]}
    for name in found.index:
        pixels = found.loc[name].to_numpy(float)
        pixels = np.append(pixels, pixels.sum())
        columns[f"share_of_wrong: {name}"] = ratio(pixels, pixels[-1])
        columns[f"pixels: {name}"] = pixels
    note = f"shares of the wrong pixels of a prediction; slack: borders within {tolerance_text(TOLERANCE)}"
    return Table(CAUSES, "Causes of wrong pixels", pd.DataFrame(columns), note=f"{note} of the longer side of a page")


def class_columns(board: Leaderboard) -> pd.DataFrame:
    """Labels x predictions: F1 and, but for the baseline, whether it really differs; only labels that are in use."""
    import pandas as pd

    used, rows = [board.labels[0], *board.classes_in_use], board.class_rows
    columns: dict[str, Any] = {"label": used}
    for name in board.models:
        columns[f"f1: {name}"] = np.array([rows[label, name]["f1"] for label in used])
        if name != board.baseline:
            columns[f"verdict: {name}"] = [rows[label, name]["verdict"] or "" for label in used]
    return pd.DataFrame(columns)


def class_difference_table(grid: ClassGrid) -> Table:
    """Labels x predictions: F1 minus that of the baseline, and whether the test shows it."""
    import pandas as pd

    columns: dict[str, Any] = {"label": grid.labels}
    for k in grid.others:
        name = grid.models[k]
        columns[f"difference: {name}"] = np.array([grid.difference(i, k) for i in range(len(grid.labels))], float)
        columns[f"verdict: {name}"] = [grid.rows[label, name]["verdict"] or "" for label in grid.labels]
    title = f"F1 of classes minus that of {grid.baseline}"
    return Table(f"{CLASSES}-differences", title, pd.DataFrame(columns), note=CORRECTED_FOR_ALL)


def class_grid(board: Leaderboard) -> ClassGrid:
    """The labels in use without Background; of more labels than can be drawn, those with most gt pixels."""
    labels, rows = board.classes_in_use, board.class_rows
    if len(labels) > MOST_DRAWN:
        first = board.comparisons[board.baseline].confusion()
        pixels = dict(zip(reversed(first.labels), reversed(first.gt_pixels.tolist())))
        kept = {*sorted(labels, key=lambda label: -pixels.get(label, 0))[:MOST_DRAWN]}
        labels = [label for label in labels if label in kept]
    values = [[rows[label, name]["f1"] for name in board.models] for label in labels]
    marks = [[MARKS.get(rows[label, name]["verdict"], "") for name in board.models] for label in labels]
    shaped = np.array(values, float).reshape(len(labels), len(board.models))
    recipes = [board.intervals[name].recipe for name in board.models]
    return ClassGrid(labels, board.models, board.baseline, shaped, marks, rows, recipes)


def short_table(board: Leaderboard) -> Table:
    """The leaderboard with intervals as text, for people: in the HTML page and in LaTeX."""
    import pandas as pd

    rows = []
    for row in board.table.to_dict("records"):
        others = [figure for figure in UNIT_FIGURES if figure != board.figure]
        values = {short_title(figure): row[figure] for figure in others}
        first = {"model": row["model"], short_title(board.figure): row[board.figure]}
        first["interval"] = ends_text(row, board.figure, score_text, " – ")
        difference = {"difference": row["difference"]}
        difference["interval of the difference"] = ends_text(row, "difference", difference_text, " to ")
        rows.append(
            first | values | difference | {"p": row["p"], "verdict": row["verdict"] or "", "remark": row["remark"]}
        )
    return replace(board_table(board), data=pd.DataFrame(rows))


def short_differences(table: Table) -> Table:
    """The differences under readable names and without the share of resamples on the other side of 0, for people."""
    data = table.data.drop(columns="other_side").rename(columns={"value": "difference"})
    return replace(table, data=data.assign(figure=[figure_title(figure) for figure in data["figure"]]))


def short_title(figure: str) -> str:
    """The title of a headline figure: 'macro F1'"""
    return figure_title(figure).partition(",")[0]
