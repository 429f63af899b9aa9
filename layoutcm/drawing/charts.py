"""What charts show, for Plotly and Matplotlib alike: data, titles, marks and hover texts, as frozen values.

`row_charts`, `line_charts` and `cell_charts` make them. `screen/` draws them with Plotly and `paper/` with Matplotlib.
Undefined values are nan and are not drawn.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from layoutcm.drawing.matrix_layers import Layer
from layoutcm.drawing.palette import Theme
from layoutcm.layouts.model import Floats


def plotly_text(text: str) -> str:
    """Escape text for Plotly, which would interpret HTML tags and pass text between two `$` to MathJax."""
    return html.escape(text, quote=False).replace("$", "&#36;")


class Part(NamedTuple):
    """One series: a bar or dot in every row. Its `role`, a score, cause or part of a family, decides the colour."""

    title: str
    role: str
    values: Floats  # float64[bars]
    hover: Sequence[str] = ()  # HTML for each bar, shown under the pointer
    ends: Floats | None = None  # float64[bars, (low, high)]: intervals
    texts: Sequence[str] = ()  # written inside the bars on the screen


@dataclass(frozen=True, eq=False)
class RowChart:
    """What a chart with rows shows. `kind` is "bars" (parts side by side), "stack" or "dots".

    A row may have two `lines`, with a bar each: bar k belongs to row k // 2.
    """

    kind: str
    names: Sequence[str]
    parts: Sequence[Part]
    numbers: Sequence[str]  # one for each bar, at its end or in a column
    unit: str = "share"  # of the values: share, score or pixels
    title: str = ""
    axis_title: str = ""
    recipe: str = ""
    lines: Sequence[str] = ("",)
    headings: frozenset[int] = frozenset()  # rows that are headings and have no bars
    verdicts: Sequence[str] = ()  # one for each row
    low: float = 0.0  # where the axis begins
    whole: float = math.nan  # the value of all rows together

    @property
    def places(self) -> Floats:
        """float64[bars]: row k is at k, its bars one below the other."""
        shifts = [-0.22, 0.22] if len(self.lines) > 1 else [0.0]
        return np.add.outer(np.arange(len(self.names)), shifts).ravel()


class Mark(NamedTuple):
    """One mark of a chart with its title in the legend; `role` is the name of a score, or a colour itself.

    `kind` is "line", "steps" (a value holds from the x before it up to its own), "point", "bars", "levels" (lines as
    wide as the bars), "dashed" (a guide line) or "rule" (a vertical one).
    """

    kind: str
    title: str
    role: str
    x: Floats
    y: Floats
    hover: Sequence[str] = ()  # HTML for each point, shown under the pointer
    texts: Sequence[str] = ()  # written into bars on paper
    ap: str = ""  # written after a label

    @property
    def is_label(self) -> bool:
        return self.role.startswith("#")


@dataclass(frozen=True, eq=False)
class LineChart:
    """What a chart with lines shows; both axes are shares. `number` is its most important number."""

    x_title: str
    y_title: str
    marks: Sequence[Mark]
    title: str = ""
    number: str = ""
    recipe: str = ""
    x_is_score: bool = False
    x_ticks: Sequence[float] = ()  # from 0 to 1 if empty
    y_low: float = 0.0


@dataclass(frozen=True, eq=False)
class CellChart:
    """What a table of coloured cells shows: classes in rows, predictions in columns.

    `values` is {"hit", "miss" or "noise": float64[rows, columns]}: the cells coloured on this scale, which ends at
    `top`. The chart is sized as if it had the columns `sized_for`, so several charts match.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    values: Mapping[str, Floats]
    numbers: Sequence[Sequence[str]]  # "" where there is none
    hover: Sequence[Sequence[str]]  # HTML for each cell, shown under the pointer
    top: float
    titles: Mapping[str, str]  # of the colour scales
    sized_for: Sequence[str]
    outlined: int | None = None  # a column
    recipes: Sequence[str] = ()

    def layers(self, theme: Theme) -> list[Layer]:
        """The cells in the colours of a theme; noise is grey."""
        scales = {"hit": theme.hit, "miss": theme.miss, "noise": ((0.0, theme.grid), (1.0, theme.grid))}
        return [
            Layer(name, z, 0.0, 1.0 if name == "noise" else self.top, scales[name], False, self.top < 1)
            for name, z in self.values.items()
        ]
