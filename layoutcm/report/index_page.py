"""The page of several predictions as one HTML file that works offline: leaderboard, classes, matrices side by side."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import numpy as np

from layoutcm.drawing.matrix_layers import correct_cells, mixed_cells
from layoutcm.layouts.model import GT
from layoutcm.metrics.confusion import Confusion, confusion_of
from layoutcm.models.leaderboard import Leaderboard
from layoutcm.report.html_page import colour_scales, fill_template, shown_values, table_data
from layoutcm.tables.drawn_labels import DrawnMatrix, drawn_matrix, with_labels
from layoutcm.tables.leaderboard_tables import BOARD, DIFFERENCES, class_grid, short_differences, short_table
from layoutcm.tables.matrix_views import COLLAPSED, VIEW_BUTTONS, VIEWS, Selection, select, view_values
from layoutcm.tables.tables import Table


def index_html(board: Leaderboard, tables: Mapping[str, Table]) -> str:
    """The HTML text of the page; each prediction has its report in a folder of its name beside it."""
    return fill_template("index", index_data(board, tables))


def index_data(board: Leaderboard, tables: Mapping[str, Table]) -> dict[str, Any]:
    """All data that the page shows."""
    own, grid = board.comparisons[board.baseline], class_grid(board)
    matrices = model_matrices(board)
    numbers = [[grid.number(i, j) for j in range(len(grid.models))] for i in range(len(grid.labels))]
    shown = dict(tables) | {BOARD: short_table(board), DIFFERENCES: short_differences(tables[DIFFERENCES])}
    return {
        "gt": PurePath(own.alignment.layouts[GT].name).name,
        "baseline": board.baseline,
        "method": board.method,
        "pages": board.page_count,
        "documents": len(board.levels[board.baseline].documents),
        "models": [_model(board, name, matrices) for name in board.models],
        "diagonal": all(drawn.confusion.diagonal for drawn in matrices.values()),
        "views": {},  # of a single matrix
        "view_names": {view: title for view, title in VIEW_BUTTONS.items() if view != COLLAPSED},
        "themes": colour_scales(),
        "classes": {"labels": grid.labels, "models": grid.models, "values": grid.values, "numbers": numbers},
        "legend": grid.legend,
        "tables": {name: table_data(table) for name, table in shown.items()},
    }


def _model(board: Leaderboard, name: str, matrices: Mapping[str, DrawnMatrix]) -> dict[str, Any]:
    confusion, (rows, columns), _ = matrices[name]
    alike = [drawn for drawn in matrices.values() if drawn.confusion.diagonal == confusion.diagonal]
    return {
        "name": name,
        "folder": name,
        "recipe": board.intervals[name].recipe,
        "labels": confusion.labels,
        "rows": rows,
        "columns": columns,
        "diagonal": confusion.diagonal,
        "joined": confusion.joined,
        "views": {view: shown_values(view_values(confusion, view), rows, columns) for view in VIEWS},
        "tops": {view: largest_values(alike, view) for view in VIEWS},
    }


def model_matrices(board: Leaderboard) -> dict[str, DrawnMatrix]:
    """The matrices on the pages of all; those with one list of labels have the same rows and columns."""
    found = {
        name: confusion_of(levels.counts, levels.space, board.method, board.comparisons[name].recipe_for(board.method))
        for name, levels in board.levels.items()
    }
    drawn = {name: drawn_matrix(one, select(one)) for name, one in found.items() if not one.diagonal}
    labels = list(dict.fromkeys(label for one in found.values() if one.diagonal for label in one.labels))
    alike = {name: with_labels(one, labels) for name, one in found.items() if one.diagonal}
    if alike:
        chosen = [select(one) for one in alike.values()]
        rows, columns = (sorted({i for one in chosen for i in one[side]}) for side in range(2))
        sizes = np.sum([one.gt_pixels + one.pred_pixels for one in alike.values()], axis=0)
        drawn |= {name: drawn_matrix(one, Selection(rows, columns), sizes) for name, one in alike.items()}
    return drawn


def largest_values(matrices: list[DrawnMatrix], view: str) -> dict[str, float]:
    """The largest correct and the largest wrong value of all matrices: the ends of their common scales of colours."""
    parts = [_hits_and_misses(drawn.confusion, drawn.selection, view) for drawn in matrices]
    return {
        name: max(float(np.nanmax(part[k], initial=0.0)) for part in parts) for k, name in enumerate(("hit", "miss"))
    }


def _hits_and_misses(confusion: Confusion, selection: Selection, view: str) -> tuple[np.ndarray, np.ndarray]:
    values = view_values(confusion, view)[np.ix_(*selection)]
    hit, mixed = correct_cells(confusion, selection), mixed_cells(confusion, selection)
    return values[hit], values[~hit & ~mixed]
