"""The page of several predictions as one HTML file that works offline: leaderboard, classes, matrices side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from layoutcm.drawing.label_order import groups_of_labels
from layoutcm.drawing.web.matrix_data import colour_scales, matrix_data
from layoutcm.layouts.model import GT
from layoutcm.metrics.confusion import confusion_of
from layoutcm.metrics.family_trees import suggested_trees
from layoutcm.models.leaderboard import Leaderboard
from layoutcm.report.html_page import fill_template, table_data
from layoutcm.tables.drawn_labels import with_labels
from layoutcm.tables.leaderboard_tables import BOARD, DIFFERENCES, class_grid, short_differences, short_table
from layoutcm.tables.matrix_views import COLLAPSED, VIEW_BUTTONS, Selection, select
from layoutcm.tables.tables import Table


def index_html(board: Leaderboard, tables: Mapping[str, Table]) -> str:
    """The HTML text of the page; each prediction has its report in a folder of its name beside it."""
    return fill_template("index", index_data(board, tables), ("matrix",))


def index_data(board: Leaderboard, tables: Mapping[str, Table]) -> dict[str, Any]:
    """All data that the page shows."""
    own, grid = board.comparisons[board.baseline], class_grid(board)
    numbers = [[grid.number(i, j) for j in range(len(grid.models))] for i in range(len(grid.labels))]
    shown = dict(tables) | {BOARD: short_table(board), DIFFERENCES: short_differences(tables[DIFFERENCES])}
    return {
        "gt": PurePath(own.alignment.layouts[GT].name).name,
        "baseline": board.baseline,
        "method": board.method,
        "pages": board.page_count,
        "documents": len(board.levels[board.baseline].documents),
        "models": [{"name": name, "folder": name, "recipe": board.intervals[name].recipe} for name in board.models],
        "matrices": [*matrices_of(board)],
        "view_names": {view: title for view, title in VIEW_BUTTONS.items() if view != COLLAPSED},
        "themes": colour_scales(),
        "classes": {"labels": grid.labels, "models": grid.models, "values": grid.values, "numbers": numbers},
        "legend": grid.legend,
        "tables": {name: table_data(table) for name, table in shown.items()},
    }


def matrices_of(board: Leaderboard) -> Iterator[dict[str, Any]]:
    """The matrices on the pages of all; those with the labels of gt are drawn side by side, on one scale of colours."""
    found = {
        name: confusion_of(board.levels[name].counts, board.levels[name].space, board.method) for name in board.models
    }
    labels = list(dict.fromkeys(label for one in found.values() if one.diagonal for label in one.labels))
    alike = {name: with_labels(one, labels) for name, one in found.items() if one.diagonal}
    if alike:
        chosen = [select(one) for one in alike.values()]
        rows, columns = (sorted({i for one in chosen for i in one[side]}) for side in range(2))
        shown = Selection(rows, columns)
        tree = next(iter(suggested_trees(labels[1:])), None)
        yield matrix_data(alike, "recall", shown, families=groups_of_labels(tree, shown))
    for name, one in found.items():
        if not one.diagonal:
            yield matrix_data({name: one}, "recall", select(one))
