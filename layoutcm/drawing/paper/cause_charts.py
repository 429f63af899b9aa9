"""Causes on paper: what is missing and too much in pred of each label, and F1 over the tolerance of borders."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from layoutcm.diagnosis.causes import Causes
from layoutcm.drawing.paper.plots import DASHES, LEFT, ROUND_STEPS, draw_legend, line_plot
from layoutcm.drawing.paper.printing import INK, SOFT, column_width, text_width, with_paper_style
from layoutcm.drawing.paper.stacked_bars import Axis, Stacks, cause_look, draw_stacks
from layoutcm.errors import InputError
from layoutcm.layouts.model import SIDES
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.matrix_views import Selection
from layoutcm.tables.why import FORGIVEN, cause_shares
from layoutcm.wording import percent_brief, percent_tick

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

HEIGHT = 130.0
NO_LABELS = "A mapping makes labels comparable."


@with_paper_style
def cause_bars(
    causes: Causes,
    confusion: Confusion,
    *,
    selection: Selection | None = None,
    width: str | None = None,
    caption: bool = True,
) -> Figure:
    """Two stacked bars per label: of its gt pixels what is missing in pred, of its pred pixels what is too much.

    The number at the end of a bar is its length in percent: 1 - recall, and 1 - precision. A label without pixels on a
    side has no bar there.
    """
    if not confusion.diagonal:
        raise InputError("", "causes", "the two sides have different labels", NO_LABELS)
    shares = cause_shares(causes, confusion, selection)
    rows = np.add.outer(np.arange(len(shares.labels)), [-0.22, 0.22]).ravel()
    parts = np.stack([shares.gt, shares.pred], axis=1).reshape(-1, shares.gt.shape[1])[:, shares.occurring]
    looks = {causes.names[k]: cause_look(k) for k in shares.occurring}
    ends = [_end(total) for total in parts.sum(axis=1).tolist()]
    axis = Axis("% of the label: missing in pred (gt), too much (pred)", percent_tick)
    stacks, recipe = Stacks(rows, parts, ends, 0.4), confusion.recipe if caption else ""
    figure, axes, font = draw_stacks(shares.labels, stacks, looks, axis, recipe, width, font=0.6, indent=16)
    axes.set_yticks(rows, SIDES * len(shares.labels), minor=True, fontsize=0.7 * font, color=SOFT)
    return figure


def _end(total: float) -> str:
    return "" if math.isnan(total) else percent_brief(total) if total else "0"


@with_paper_style
def forgiveness_figure(
    table: pd.DataFrame, *, recipe: str = "", width: str | None = None, caption: bool = True
) -> Figure:
    """F1 over the tolerance of borders, a line for each average; `table` is that of `Comparison.forgiveness`."""
    from matplotlib.ticker import MaxNLocator

    known = table.dropna()
    if known.empty:
        raise InputError("", "forgiveness", "the two sides have different labels", NO_LABELS)
    sheet_width = column_width(width, 0)
    size = min(sheet_width - 40, 220), HEIGHT
    titles = "tolerance of borders, % of the longer page side", "F1, %"
    figure, axes = line_plot(sheet_width, size, titles, recipe if caption else "", legend_lines=len(FORGIVEN))
    tolerances = known["tolerance"].tolist()
    lines = [
        axes.plot(tolerances, known[name], color=INK, linestyle=dashes, clip_on=False)[0]
        for name, dashes in zip(FORGIVEN, DASHES)
    ]
    draw_legend(figure, lines, list(FORGIVEN.values()), (LEFT, HEIGHT + 28), 1, 26)
    most = max(*tolerances, 1e-9)
    axes.set(xlim=(0, most), ylim=(math.floor(20 * float(known[[*FORGIVEN]].to_numpy().min()) - 1e-9) / 20, 1))
    axes.set_xticks(tolerances, _texts_apart(tolerances, size[0] / most))
    axes.yaxis.set_major_locator(MaxNLocator(4, steps=ROUND_STEPS))
    axes.yaxis.set_major_formatter(lambda level, _: percent_tick(level))
    return figure


def _texts_apart(tolerances: list[float], scale: float) -> list[str]:
    """The texts of ticks; of texts that would overlap, only the first is written."""
    texts, end = [], -math.inf
    for tolerance in tolerances:
        text, half = percent_tick(tolerance), text_width(percent_tick(tolerance), 5.5) / 2
        fits = scale * tolerance - half > end
        texts.append(text if fits else "")
        end = scale * tolerance + half + 2 if fits else end
    return texts
