"""F1 of classes and predictions, and its differences from the baseline, as tables of coloured cells with verdicts."""

from __future__ import annotations

import numpy as np

from layoutcm.drawing.charts import CellChart, plotly_text
from layoutcm.results.verdict import BETTER, NO_DIFFERENCE, WORSE, verdict_text
from layoutcm.tables.interval_texts import ends_text
from layoutcm.tables.leaderboard_tables import ClassGrid
from layoutcm.wording import MISSING, difference_text, score_text, shorten

MOST_DIFFERENCE = 0.5  # larger differences have the darkest colour; fixed, so figures can be compared
MOST_RECIPES = 4  # below a figure


def model_classes(grid: ClassGrid) -> CellChart:
    """Rows are classes, columns predictions, the best first; the numbers are F1 in percent. The baseline is framed."""
    columns = list(range(len(grid.models)))
    values = {"hit": np.where(grid.values > 0, grid.values, np.nan)}
    numbers = [[grid.number(i, j) for j in columns] for i in range(len(grid.labels))]
    return _chart(grid, columns, values, numbers, 1.0, {"hit": "F1"}, grid.models.index(grid.baseline))


def model_differences(grid: ClassGrid) -> CellChart:
    """Rows are classes, columns all predictions but the baseline; the numbers are differences of F1 in points.

    A difference has a colour if the test shows it, and is grey if not.
    """
    rows, columns = range(len(grid.labels)), grid.others
    values = np.array([[grid.difference(i, j) for j in columns] for i in rows], float).reshape(-1, len(columns))
    verdicts = np.array([[grid.rows[label, grid.models[j]].verdict for j in columns] for label in grid.labels], object)
    better, worse = (verdicts.reshape(values.shape) == word for word in (BETTER, WORSE))
    layers = {
        "hit": np.where(better, values, np.nan),
        "miss": np.where(worse, -values, np.nan),
        "noise": np.where(better | worse | np.isnan(values), np.nan, 0.0),
    }
    numbers = [[grid.difference_number(i, j) for j in columns] for i in rows]
    better = f"F1 {BETTER} than {shorten(grid.baseline, 18)}"
    titles = {"hit": better, "miss": WORSE, "noise": NO_DIFFERENCE}
    return _chart(grid, columns, layers, numbers, MOST_DIFFERENCE, titles)


def _chart(
    grid: ClassGrid,
    columns: list[int],
    values: dict[str, np.ndarray],
    numbers: list[list[str]],
    top: float,
    titles: dict[str, str],
    outlined: int | None = None,
) -> CellChart:
    names = [grid.models[j] for j in columns]
    hover = [[_hover(grid, label, model) for model in names] for label in grid.labels]
    recipes = [grid.legend, *grid.recipes[:MOST_RECIPES]]
    return CellChart(grid.labels, names, values, numbers, hover, top, titles, grid.models, outlined, recipes)


def _hover(grid: ClassGrid, label: str, model: str) -> str:
    row = grid.rows[label, model]
    lines = [f"<b>{plotly_text(shorten(label, 60))}</b>", plotly_text(shorten(model, 60))]
    ends = ends_text(row, "f1", score_text, " – ")
    lines.append(f"F1 {score_text(row.f1, 4)}" + ("" if ends == MISSING else f" ({ends})"))
    if model != grid.baseline and row.difference is not None:
        ends = ends_text(row, "difference", difference_text, " to ")
        difference = difference_text(row.difference, 4) + ("" if ends == MISSING else f" ({ends})")
        lines += [f"minus {plotly_text(shorten(grid.baseline, 60))}: {difference}"]
        lines.append(verdict_text(row.verdict, row.remark, grid.unit))
    return "<br>".join(lines)
