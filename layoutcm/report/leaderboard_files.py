"""The files of a report that compare several predictions: page, sheets, figure, tables."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from layoutcm.drawing.cell_charts import model_classes
from layoutcm.drawing.label_order import groups_of_labels
from layoutcm.drawing.matrix_layers import shown_in_either
from layoutcm.drawing.page_images import PageImages, images_from_path
from layoutcm.drawing.paper.charts import draw
from layoutcm.drawing.web.matrix_data import colour_scales, matrix_data
from layoutcm.errors import InputError, short_repr
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.layouts.model import GT
from layoutcm.layouts.stored_facts import DOCUMENTS_FILE
from layoutcm.metrics.confusion import confusion_of
from layoutcm.metrics.family_confusion import FamilyConfusion
from layoutcm.metrics.family_trees import suggested_trees
from layoutcm.models.leaderboard import Leaderboard
from layoutcm.outputs.folders import replace_folder
from layoutcm.report import report_files
from layoutcm.report.html_page import fill_template, table_data
from layoutcm.report.workbook import write_tables
from layoutcm.results.result import LeaderboardResult
from layoutcm.tables.label_folding import with_labels
from layoutcm.tables.leaderboard_tables import (
    BOARD,
    BOARD_FILES,
    CLASSES,
    DIFFERENCES,
    INDEX_PAGE,
    board_tables,
    class_grid,
    severe_sentences,
    short_differences,
    shown_table,
    standing,
)
from layoutcm.tables.matrix_views import select, view_buttons
from layoutcm.tables.tables import Table
from layoutcm.tables.written_forms import csv_text, latex, markdown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RESERVED_NAMES = (*BOARD_FILES, "figures", "tables")  # of files and folders beside those of the predictions


def write_board_report(
    board: Leaderboard,
    folder: str | os.PathLike[str],
    images: str | os.PathLike[str] | None = None,
    why: bool = False,
) -> Path:
    """Write the report of every prediction into a folder of its name, and the page of all beside them."""
    pictures = None if images is None else images_from_path(images)
    _check_names(board)
    with replace_folder(folder, report_files.REPORT_FILES) as place:
        _write_all(board, place, pictures, why, {})
    return Path(folder)


def board_zip(
    board: Leaderboard,
    images: PageImages | None,
    *,
    why: bool = False,
    families: Mapping[str, FamilyConfusion] | None = None,
    progress: report_files.ReportProgress | None = None,
) -> bytes:
    """The files of `write_board_report` as a zip; `families` is {prediction: its families}."""
    _check_names(board)
    with tempfile.TemporaryDirectory() as place:
        _write_all(board, Path(place), images, why, families or {}, progress)
        return report_files.zip_of(Path(place))


def _check_names(board: Leaderboard) -> None:
    for name in board.models:
        if Path(name).name != name or name in (".", "..", *RESERVED_NAMES) or "\\" in name:
            problem = f"{short_repr(name)} cannot be the name of a folder"
            raise InputError("", "comparisons", problem, "Give this prediction another name.")


def _write_all(
    board: Leaderboard,
    place: Path,
    pictures: PageImages | None,
    why: bool,
    families: Mapping[str, FamilyConfusion],
    progress: report_files.ReportProgress | None = None,
) -> None:
    baseline, count = board.comparisons[board.baseline], len(board.comparisons)
    value = board.result(why=why)
    write_board_files(board, value, place)
    for number, (name, comparison) in enumerate(board.comparisons.items()):
        own: dict[str, Any] = {"why": why, "families": families.get(name), "standing": standing(value, name)}
        # Of a prediction with more pages than all have, the intervals of its own result are others.
        known = board.intervals[name] if board.levels[name] is comparison.levels else board.resampling.n
        own |= {"intervals": known, "difference": board.differences_by_model.get(name)}
        result = result_of(comparison, board.method, Asked(documents_file=DOCUMENTS_FILE, **own))
        part = partial(_note_part, progress, number, count, name) if progress else None
        report_files.write_files(result, place / name, comparison, pictures, models=board.comparisons, progress=part)
        if comparison is not baseline:
            report_files.write_differences(baseline, comparison, (board.baseline, name), place / name, result)


def _note_part(
    progress: report_files.ReportProgress, number: int, count: int, name: str, step: str, share: float
) -> None:
    progress(f"{step} of {name}", (number + share) / count)


def write_board_files(board: Leaderboard, value: LeaderboardResult, folder: Path) -> None:
    """Write the files that are about all predictions; each has its report in a folder of its name beside them."""
    for place in (folder / "figures", folder / "tables"):
        place.mkdir(parents=True, exist_ok=True)
    tables, grid = board_tables(board, value), class_grid(value)
    (folder / f"{BOARD}.json").write_bytes(value.to_json())
    for name, table in tables.items():
        (folder / f"{name}.csv").write_bytes(csv_text(table).encode("utf-8"))
    for name, table in ((BOARD, shown_table(value)), (CLASSES, tables[CLASSES])):
        for suffix, text in (("tex", latex(table)), ("md", markdown(table))):
            (folder / "tables" / f"{name}.{suffix}").write_bytes(text.encode("utf-8", "replace"))
    with report_files.system_errors_of_xlsxwriter():
        write_tables(tables, " ".join(grid.recipes), folder / f"{BOARD}.xlsx")
    if grid.labels:
        report_files.write_figure(draw(model_classes(grid)), folder, report_files.MODEL_CLASSES)
    page = fill_template("index", index_data(board, value, tables), ("matrix",))
    (folder / INDEX_PAGE).write_bytes(page.encode("utf-8"))


def classes_figure(value: LeaderboardResult, **look: Any) -> Figure:
    """F1 of classes and predictions; `look` is width and caption."""
    return draw(model_classes(class_grid(value)), **look)


def index_data(board: Leaderboard, value: LeaderboardResult, tables: Mapping[str, Table]) -> dict[str, Any]:
    """All data that the page of all predictions shows."""
    own, grid = board.comparisons[board.baseline], class_grid(value)
    numbers = [[grid.number(i, j) for j in range(len(grid.models))] for i in range(len(grid.labels))]
    shown = dict(tables) | {BOARD: shown_table(value), DIFFERENCES: short_differences(tables[DIFFERENCES])}
    return {
        "severe": [f"{name}: {line}" for name, line in severe_sentences(value).items()],
        "gt": PurePath(own.alignment.layouts[GT].name).name,
        "baseline": board.baseline,
        "method": board.method,
        "pages": board.page_count,
        "documents": len(board.levels[board.baseline].documents),
        "models": [{"name": name, "folder": name, "recipe": board.intervals[name].recipe} for name in board.models],
        "matrices": [*matrices_of(board)],
        "view_names": view_buttons(own.vocabulary),
        "themes": colour_scales(),
        "classes": {"labels": grid.labels, "models": grid.models, "values": grid.values, "numbers": numbers},
        "legend": grid.legend,
        "tables": {name: table_data(table) for name, table in shown.items()},
    }


def matrices_of(board: Leaderboard) -> Iterator[dict[str, Any]]:
    """The matrices on the common pages. Those with the labels of gt are drawn side by side, on one scale of colours."""
    found = {
        name: confusion_of(board.levels[name].counts, board.levels[name].space, board.method) for name in board.models
    }
    labels = list(dict.fromkeys(label for one in found.values() if one.diagonal for label in one.labels))
    alike = {name: with_labels(one, labels) for name, one in found.items() if one.diagonal}
    if alike:
        shown = shown_in_either([select(one) for one in alike.values()])
        tree = next(iter(suggested_trees(labels[1:])), None)
        yield matrix_data(alike, "recall", shown, families=groups_of_labels(tree, shown))
    for name, one in found.items():
        if not one.diagonal:
            yield matrix_data({name: one}, "recall", select(one))
