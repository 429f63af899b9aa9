"""Stacked bars on paper: causes of errors of several predictions, and the parts of labels in and out of families."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.drawing.margin_matrices import PART_NAMES, chart_rows
from layoutcm.drawing.palette import CAUSE_COLOURS, LIGHT, scale_colour
from layoutcm.drawing.paper.plots import LEGEND_LINE, ROUND_STEPS, draw_legend, legend_columns, row_plot
from layoutcm.drawing.paper.printing import INK, column_width, text_width, with_paper_style
from layoutcm.layouts.model import Floats
from layoutcm.metrics.family_confusion import PARTS, FamilyConfusion
from layoutcm.wording import percent_brief, percent_tick, pixels_brief

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Without colour, causes differ in their hatches.
HATCHES = ("", "/////", "", "\\\\\\\\\\", "", ".....", "xxxxx", "-----")
EDGE = {"edgecolor": INK, "linewidth": 0.2}
PART_LOOKS = {
    "identity": {"facecolor": scale_colour(LIGHT.hit, 0.7), **EDGE},
    "in_family": {"facecolor": scale_colour(LIGHT.miss, 0.38), "hatch": "/////", **EDGE},
    "oof": {"facecolor": scale_colour(LIGHT.miss, 0.88), **EDGE},
}


class Stacks(NamedTuple):
    """Stacked bars: where they are, float64[bars, parts] (nan: none), the texts at their ends, and their thickness."""

    rows: NDArray[Any]
    parts: Floats
    ends: Sequence[str]
    thickness: float = 0.76


class Axis(NamedTuple):
    """The title of the axis of values, and the text of a tick."""

    title: str
    tick: Callable[[float], str]


def cause_look(cause: int) -> dict[str, Any]:
    return {"facecolor": CAUSE_COLOURS[cause], "hatch": HATCHES[cause], **EDGE}


@with_paper_style
def model_cause_bars(
    table: pd.DataFrame, *, recipe: str = "", width: str | None = None, caption: bool = True
) -> Figure:
    """One bar of wrong pixels per prediction; `table` is that of `Leaderboard.causes`. n/a is not drawn."""
    looks = {cause: cause_look(k) for k, cause in enumerate(table.columns[1:])}
    parts = table[[*looks]].to_numpy(float)
    ends = ["n/a" if np.isnan(total) else pixels_brief(total) for total in parts.sum(axis=1).tolist()]
    names, stacks = table.iloc[:, 0].astype(str).tolist(), Stacks(np.arange(len(parts)), parts, ends)
    return draw_stacks(names, stacks, looks, Axis("wrong pixels", pixels_brief), recipe if caption else "", width)[0]


@with_paper_style
def family_bars(families: FamilyConfusion, side: int, *, width: str | None = None, caption: bool = True) -> Figure:
    """A bar of 100 % for each label of a side: right, in family, out of family; the number is what is right."""
    rows = chart_rows(families, side)
    parts = np.array([[row.values[part] if row.values else np.nan for part in PARTS] for row in rows]).reshape(-1, 3)
    ends = [percent_brief(row.values["identity"]) if row.values else "" for row in rows]
    looks = {PART_NAMES[part]: PART_LOOKS[part] for part in PARTS}
    stacks, recipe = Stacks(np.arange(len(rows)), parts, ends), families.recipe if caption else ""
    axis = Axis("% of the label; the number is what is right", percent_tick)
    figure, axes, _ = draw_stacks([row.name for row in rows], stacks, looks, axis, recipe, width)
    for row, name in zip(rows, axes.get_yticklabels()):
        name.set_fontweight("normal" if row.values else "bold")
    return figure


def draw_stacks(
    names: Sequence[str],
    stacks: Stacks,
    looks: dict[str, dict[str, Any]],
    axis: Axis,
    recipe: str,
    width: str | None,
    **layout: Any,
) -> tuple[Figure, Axes, float]:
    """Draw stacked bars with a legend above them; `looks` is {part: look}. `layout` as in `row_plot`."""
    from matplotlib.patches import Patch
    from matplotlib.ticker import MaxNLocator

    sheet_width = column_width(width, 0)
    columns = legend_columns([*looks], sheet_width)
    margins = (10 + LEGEND_LINE * -(-len(looks) // columns), 30, 22)
    figure, axes, font = row_plot(names, sheet_width, recipe, margins=margins, **{"font": 0.8} | layout)
    draw_legend(figure, [Patch(**look) for look in looks.values()], [*looks], (6, 4), columns, 8)
    ends = np.zeros(len(stacks.rows))
    for values, look in zip(stacks.parts.T, looks.values()):
        some = values > 0
        axes.barh(stacks.rows[some], values[some], stacks.thickness, left=ends[some], clip_on=False, **look)
        ends[some] += values[some]
    invisible = axes.barh(stacks.rows, ends, alpha=0)
    for text in axes.bar_label(invisible, stacks.ends, padding=2, fontsize=0.8 * font):
        text.set_verticalalignment("center_baseline")
    axes.set_xlim(0, ends.max(initial=0) or 1)
    is_wide = text_width(axis.title, 6) > sheet_width * axes.get_position().width
    axes.set_xlabel(axis.title, loc="right" if is_wide else "center")
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=ROUND_STEPS))
    axes.xaxis.set_major_formatter(lambda value, _: axis.tick(value) if value else "0")
    return figure, axes, font
