"""The figures of a result.json or a leaderboard.json, equal to those of the report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.diagnosis.causes import Causes
from layoutcm.drawing.paper import cause_charts, slice_chart
from layoutcm.drawing.paper.model_classes import model_classes_figure
from layoutcm.errors import check_choice
from layoutcm.report.report_files import FIGURES, SLICES
from layoutcm.tables.averages import figure_title
from layoutcm.tables.loaded_leaderboard import LeaderboardResult
from layoutcm.tables.loaded_result import Result
from layoutcm.tables.slice_views import SliceTable
from layoutcm.tables.stored_result import dense_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NUMBERS = ("low", "high", "difference", "p", "micro_f1", "macro_f1", "content_f1")  # of slices, which may be n/a


def stored_names(result: Result) -> list[str]:
    """The figures that the result has the numbers for. Causes are those of method matrix."""
    names = [one for one in FIGURES if one != "classes" or result.has_classes]
    names += ["causes"] if result.causes and result.method == "matrix" else []
    names += ["forgiveness"] if result.forgiveness and result.has_classes else []
    return [*names, SLICES] if result.slices and result.slices["rows"] else names


def stored_figure(result: Result, name: str, **look: Any) -> Figure:
    """One of these figures; `look` is width and caption."""
    check_choice("name", name, stored_names(result))
    confusion = result.confusion()
    if name == "causes":
        return cause_charts.cause_bars(_causes(result), confusion, **look)
    if name == "forgiveness":
        return _forgiveness(result, **look)
    if name == SLICES:
        return slice_chart.slices_figure(_slices(result), **look)
    if name == "classes" and result.intervals:
        look = {"intervals": result.whiskers(), "recipe": result.intervals["recipe"]} | look
    return FIGURES[name](confusion, None, **look)


def _causes(result: Result) -> Causes:
    found = result.data["causes"]
    values = np.stack([dense_of(matrix) for matrix in found["values"].values()])
    return Causes(tuple(found["values"]), tuple(result.labels), values, found["tolerance"])


def _forgiveness(result: Result, **look: Any) -> Figure:
    import pandas as pd

    table = pd.DataFrame(result.forgiveness).astype(float)
    return cause_charts.forgiveness_figure(table, recipe=result.matrix_recipe, **look)


def _slices(result: Result) -> SliceTable:
    import pandas as pd

    found = result.data["slices"]
    data = pd.DataFrame(found["rows"])
    for name in NUMBERS:
        if name in data:
            data[name] = data[name].astype(float)
    f1 = result.averages["micro"]["f1"] if result.averages else float(result.confusion().collapse().f1[1, 1])
    figure, title = found["figure"], figure_title(found["figure"])
    return SliceTable(found["attribute"], data, figure, title, "", found["recipe"], f1 if f1 is not None else math.nan)


def leaderboard_figure(board: LeaderboardResult, **look: Any) -> Figure:
    return model_classes_figure(board.class_grid(), **look)
