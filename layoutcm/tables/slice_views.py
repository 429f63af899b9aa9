"""A table of slices with its titles, for terminal, JSON, reports and figures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from layoutcm.metrics.bootstrap import CONFIDENCE

if TYPE_CHECKING:
    import pandas as pd

SEED = 0


class SliceTable(NamedTuple):
    """The slices of one attribute, or with None the worst of all attributes."""

    attribute: str | None
    data: pd.DataFrame
    figure: str  # the one that is tested
    figure_title: str
    tests: str  # how intervals and p-values were computed
    recipe: str
    whole: float = math.nan  # the figure of all pages

    @property
    def low_end(self) -> float:
        """Where the axis of a figure begins: a multiple of 0.1 at or below all values and interval ends."""
        found = [*self.data[["low", self.figure]].to_numpy(float).ravel().tolist(), self.whole]
        known = [value for value in found if not math.isnan(value)]
        return min(max(math.floor(10 * min(known, default=0.0) + 1e-9) / 10, 0.0), 0.9)

    @property
    def names(self) -> list[str]:
        """The value of each slice, after its attribute if there are several."""
        values = self.data["value"].tolist()
        if self.attribute is not None:
            return values
        return [f"{attribute}: {value}" for attribute, value in zip(self.data["attribute"], values)]

    @property
    def title(self) -> str:
        return "Slices that explain most of the error" if self.attribute is None else f"Slices by {self.attribute}"

    def as_dict(self) -> dict[str, Any]:
        """The slices as JSON values."""
        settings = {"attribute": self.attribute, "figure": self.figure, "level": CONFIDENCE, "seed": SEED}
        rows = self.data.drop(columns="figure").to_dict("records")
        return settings | {"recipe": self.recipe, "rows": rows}
