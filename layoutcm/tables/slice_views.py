"""A table of slices with its titles, for terminal, JSON, reports and figures."""

from __future__ import annotations

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
