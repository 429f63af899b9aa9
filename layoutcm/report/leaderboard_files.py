"""The files of a report of several predictions that are about all of them: page, sheets, figure, tables."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from layoutcm import __version__
from layoutcm.drawing.page_images import PageImages, images_from_path
from layoutcm.drawing.paper.model_classes import model_classes_figure
from layoutcm.errors import InputError, short_repr
from layoutcm.metrics.family_confusion import FamilyConfusion
from layoutcm.models.leaderboard import Leaderboard
from layoutcm.outputs.folders import replace_folder
from layoutcm.report.index_page import index_html
from layoutcm.report.report_files import (
    MODEL_CLASSES,
    REPORT_FILES,
    ReportProgress,
    system_errors_of_xlsxwriter,
    write_differences,
    write_figure,
    write_files,
    zip_of,
)
from layoutcm.report.workbook import write_tables
from layoutcm.tables.extras import Extras
from layoutcm.tables.latex_markdown import latex
from layoutcm.tables.leaderboard_tables import (
    BOARD,
    BOARD_FILES,
    CLASSES,
    INDEX_PAGE,
    board_tables,
    class_grid,
    short_table,
    standing,
)
from layoutcm.tables.result_json import SCHEMA, json_ready, json_text
from layoutcm.tables.tables import csv_text
from layoutcm.tables.why import Why

RESERVED_NAMES = (*BOARD_FILES, "figures", "tables")  # of files and folders beside those of the predictions


def write_board_report(
    board: Leaderboard,
    folder: str | os.PathLike[str],
    images: str | os.PathLike[str] | None = None,
    why: bool = False,
) -> Path:
    """Write the report of every prediction into a folder of its name, and the page of all beside them."""
    pictures = None if images is None else images_from_path(Path(images))
    _check_names(board)
    with replace_folder(folder, REPORT_FILES) as place:
        _write_all(board, place, pictures, why, {})
    return Path(folder)


def board_zip(
    board: Leaderboard,
    images: PageImages | None,
    *,
    why: bool = False,
    families: Mapping[str, FamilyConfusion] | None = None,
    progress: ReportProgress | None = None,
) -> bytes:
    """The same files as a zip; `families` are those of each prediction."""
    _check_names(board)
    with tempfile.TemporaryDirectory() as place:
        _write_all(board, Path(place), images, why, families or {}, progress)
        return zip_of(Path(place))


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
    progress: ReportProgress | None = None,
) -> None:
    baseline, count = board.comparisons[board.baseline], len(board.comparisons)
    write_board_files(board, place, why)
    for number, (name, comparison) in enumerate(board.comparisons.items()):
        counted: dict[str, Any] = {"why": Why(comparison) if why else None, "families": families.get(name)}
        extras = Extras(standing=standing(board, name), models=board.comparisons, **counted)
        part = partial(_note_part, progress, number, count, name) if progress else None
        write_files(comparison, place / name, pictures, method=board.method, extras=extras, progress=part)
        if comparison is not baseline:
            write_differences(baseline, comparison, (board.baseline, name), place / name, board.method)


def _note_part(progress: ReportProgress, number: int, count: int, name: str, step: str, share: float) -> None:
    progress(f"{step} of {name}", (number + share) / count)


def write_board_files(board: Leaderboard, folder: Path, why: bool = False) -> None:
    """Write the files that are about all predictions; each has its report in a folder of its name beside them.

    `why` adds the causes of wrong pixels, which are not counted otherwise.
    """
    for place in (folder / "figures", folder / "tables"):
        place.mkdir(parents=True, exist_ok=True)
    tables, grid = board_tables(board, why), class_grid(board)
    answer = {"kind": BOARD, "schema": SCHEMA, "version": __version__, **board.as_dict()}
    if why:
        answer["causes"] = board.causes().to_dict("records")
    (folder / f"{BOARD}.json").write_bytes(json_text(json_ready(answer)))
    for name, table in tables.items():
        (folder / f"{name}.csv").write_bytes(csv_text(table).encode("utf-8"))
    for name, table in ((BOARD, short_table(board)), (CLASSES, tables[CLASSES])):
        (folder / "tables" / f"{name}.tex").write_bytes(latex(table).encode("utf-8", "replace"))
    with system_errors_of_xlsxwriter():
        write_tables(tables, " ".join(grid.recipes), folder / f"{BOARD}.xlsx")
    if grid.labels:
        write_figure(model_classes_figure(grid), folder, MODEL_CLASSES)
    (folder / INDEX_PAGE).write_bytes(index_html(board, tables).encode("utf-8"))
