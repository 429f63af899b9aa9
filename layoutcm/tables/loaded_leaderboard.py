"""`LeaderboardResult`: the tables of a leaderboard.json, without the files that were compared."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.models.leaderboard_html import leaderboard_html
from layoutcm.tables.class_grid import MARKS, ClassGrid
from layoutcm.tables.drawn_labels import MOST_DRAWN
from layoutcm.tables.stored_result import convert

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

WORDS = frozenset({"model", "label", "figure", "verdict", "remark"})  # columns that are text


@dataclass(frozen=True, eq=False)
class StoredBoard:
    """The parts of a leaderboard.json that tables and figures need."""

    version: str
    baseline: str
    figure: str
    method: str
    pages: int
    recipes: dict[str, str]
    models: list[dict[str, Any]]
    differences: list[dict[str, Any]]
    classes: list[dict[str, Any]]


@dataclass(frozen=True, eq=False)
class LeaderboardResult:
    """A leaderboard that was read back.

    Attributes
    ----------
    name : str
        Of the file.
    data : dict
        Everything that the file contains.
    baseline : str
    """

    name: str
    data: dict[str, Any]
    stored: StoredBoard

    def __repr__(self) -> str:
        return f"<LeaderboardResult by {self.order}: {', '.join(self.models)}; baseline {self.baseline}>"

    def _repr_html_(self) -> str:
        return leaderboard_html(self.table, self.order, self.baseline)

    @property
    def baseline(self) -> str:
        return self.stored.baseline

    @property
    def order(self) -> str:
        """The figure that decides the order."""
        return self.stored.figure

    @property
    def recipes(self) -> dict[str, str]:
        """{model: all settings in one line}"""
        return self.stored.recipes

    @property
    def models(self) -> list[str]:
        """The names, the best first."""
        return [row["model"] for row in self.stored.models]

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per prediction, the best first, as `Leaderboard.table`."""
        return _table(self.stored.models)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """One row per prediction and figure, without the baseline, as `Leaderboard.differences`."""
        return _table(self.stored.differences)

    @cached_property
    def classes(self) -> pd.DataFrame:
        """One row per label and prediction, as `Leaderboard.classes`."""
        return _table(self.stored.classes)

    @property
    def causes(self) -> list[dict[str, Any]] | None:
        """The pixels of each cause of every prediction, if it was written with --why."""
        return self.data.get("causes")

    def figure(self, **look: Any) -> Figure:
        """F1 of classes and predictions, as in the report; `look` is width and caption."""
        from layoutcm.report.stored_figures import leaderboard_figure

        return leaderboard_figure(self, **look)

    def class_grid(self) -> ClassGrid:
        """The labels in use without Background, at most as many as can be drawn."""
        records = [{str(name): value for name, value in row.items()} for row in self.classes.to_dict("records")]
        rows = {(row["label"], row["model"]): row for row in records}
        labels = [
            label
            for label in list(dict.fromkeys(label for label, _ in rows))[1:]
            if any(rows[label, name]["f1"] >= 0 for name in self.models)
        ][:MOST_DRAWN]
        values = [[rows[label, name]["f1"] for name in self.models] for label in labels]
        marks = [[MARKS.get(rows[label, name]["verdict"], "") for name in self.models] for label in labels]
        shaped = np.array(values, float).reshape(len(labels), len(self.models))
        return ClassGrid(labels, self.models, self.baseline, shaped, marks, rows, list(self.recipes.values()))


def read_leaderboard(value: dict[str, Any], name: str) -> LeaderboardResult:
    return LeaderboardResult(name, value, convert(value, StoredBoard, name, ""))


def _table(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """The rows as they were in memory: null is nan in a column of numbers."""
    import pandas as pd

    columns = dict.fromkeys(name for row in rows for name in row)
    cells = lambda name: [row.get(name) for row in rows]
    return pd.DataFrame(
        {
            name: cells(name) if name in WORDS else [math.nan if one is None else one for one in cells(name)]
            for name in columns
        }
    )
