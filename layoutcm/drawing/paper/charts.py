"""Charts on paper: class scores as bars, precision-recall curves.

Bars also differ in lightness and lines in dash pattern, not only in colour. Undefined values are not drawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from layoutcm.drawing.matrix_layers import classes_in_use
from layoutcm.drawing.palette import label_colours
from layoutcm.drawing.paper.plots import (
    DASHES,
    LEFT,
    QUARTERS,
    draw_intervals,
    draw_legend,
    draw_row_numbers,
    line_plot,
    row_plot,
)
from layoutcm.drawing.paper.printing import (
    COLUMN_WIDTHS,
    INK,
    PAGE_HEIGHT,
    SOFT,
    column_width,
    draw_lines,
    draw_text,
    new_sheet,
    shorten_to_width,
    with_paper_style,
)
from layoutcm.errors import InputError
from layoutcm.layouts.model import Floats
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.objects.average_precision import HEADLINE_IOU, envelope_steps
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.metrics.scores import SCORES
from layoutcm.tables.label_folding import MOST_DRAWN
from layoutcm.tables.matrix_views import SCORE_TITLES, Selection
from layoutcm.wording import MISSING, percent_brief, plain_percent, score_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILLS = {"precision": "#f3d38a", "recall": "#6aaede", "f1": "#0f5f4a"}
MOST_POINTS = 1500
RIGHT = 24.0
THICKNESS = 0.27  # of a bar, as a share of a row


@with_paper_style
def class_bars(
    confusion: Confusion,
    *,
    intervals: Mapping[str, ArrayLike] | None = None,
    background: bool = False,
    selection: Selection | None = None,
    recipe: str = "",
    width: str | None = None,
    caption: bool = True,
) -> Figure:
    """Precision, recall and F1 of the classes in use, the largest in gt first; only those of a selection if given.

    `intervals` is {score: float64[labels, low high]} in the order of the matrix labels, drawn as whiskers. `recipe` is
    the caption; by default it is the recipe of the matrix.
    """
    if not confusion.diagonal:
        raise InputError("", "classes", "the two sides have different labels", "A mapping makes classes comparable.")
    positions = classes_in_use(confusion, background, selection)
    values = {score: of[positions] for score, of in confusion.class_values().items() if score in SCORES}
    missing = np.full((len(confusion.labels), 2), np.nan)
    ends = {score: np.asarray((intervals or {}).get(score, missing), float)[positions] for score in SCORES}
    text = recipe or confusion.recipe
    return score_bars([confusion.labels[i] for i in positions], values, ends, recipe=text, width=width, caption=caption)


@with_paper_style
def score_bars(
    labels: Sequence[str],
    values: Mapping[str, np.ndarray],
    ends: Mapping[str, np.ndarray] | None = None,
    *,
    recipe: str = "",
    width: str | None = None,
    caption: bool = True,
) -> Figure:
    """Precision, recall and F1 of labels, {score: float64[labels]}; `ends`, [labels, low high], are whiskers."""
    from matplotlib.patches import Patch

    sheet_width = column_width(width, 0)
    margins = (18, RIGHT, 13)
    figure, axes, font = row_plot(labels, sheet_width, recipe if caption else "", margins=margins, font=0.85)
    axes.set_xlim(0, 1)
    axes.set_xticks(QUARTERS, [plain_percent(share) for share in QUARTERS])
    looks: dict[str, dict[str, Any]] = {
        score: {"facecolor": fill, "edgecolor": INK, "linewidth": 0.25} for score, fill in FILLS.items()
    }
    row = 72 * figure.get_figheight() * axes.get_position().height / max(len(labels), 1)
    for k, score in enumerate(SCORES):
        rows = np.arange(len(labels)) + (k - 1) * THICKNESS
        axes.barh(rows, values[score], THICKNESS, clip_on=False, **looks[score])
        if ends:
            draw_intervals(axes, rows, ends[score].clip(0, 1), THICKNESS * row / 4)
    place = (sheet_width * axes.get_position().x0, 4)
    draw_legend(figure, [Patch(**look) for look in looks.values()], list(SCORE_TITLES.values()), place, len(looks), 8)
    numbers = [MISSING if math.isnan(f1) else percent_brief(f1) if f1 else "0" for f1 in values["f1"].tolist()]
    draw_row_numbers(axes, numbers, font, RIGHT - 3)
    draw_text(figure, sheet_width - 3, 7, "F1, %", 6, align="right", color=SOFT)
    return figure


def object_curves_figure(
    objects: Objects, iou: float = HEADLINE_IOU, labels: Sequence[str] = (), rule: str = "coco", **look: Any
) -> Figure:
    """The curves of some labels with their AP at this IoU; without labels, of those of gt, the most frequent first.

    The curve is the one under which the rule computes the area. Of more labels than can be drawn, only the most
    frequent. `look` as in `curves_figure`.
    """
    ap, known = objects.ap_at(iou, rule), objects.curves(iou)
    frequent = np.argsort(-objects.gt_counts, kind="stable")[:MOST_DRAWN]
    order = labels or [objects.labels[i] for i in frequent if objects.gt_counts[i]]
    steps: dict[str, Any] = {label: known[label] if rule == "sum" else envelope_steps(known[label]) for label in order}
    return curves_figure(steps, ap=ap, **look)


@with_paper_style
def curves_figure(
    of: Mapping[str, Mapping[str, Any]],
    *,
    ap: Mapping[str, float] | None = None,
    recipe: str = "",
    width: str | None = None,
    caption: bool = True,
) -> Figure:
    """Precision over recall, one curve per label; `of` is {label: columns score, precision, recall}, `ap` {label: AP}.

    Up to six curves share one plot; more get a small plot each, because seven lines are hard to distinguish in print.
    """
    sheet_width = column_width(width, 0 if len(of) <= 12 else COLUMN_WIDTHS["two"])
    points = {label: _points(table) for label, table in of.items()}
    draw = _one_plot if len(of) <= len(DASHES) else _small_plots
    notes = {label: score_text(ap.get(label, math.nan)) if ap else "" for label in of}
    return draw(points, notes, sheet_width, recipe if caption else "")


def _points(curve: Mapping[str, Any]) -> Floats:
    """float64[points, (recall, precision)]: the known points; more are not visible on paper and make the file large."""
    known = np.stack([np.asarray(curve[name], float) for name in ("recall", "precision")], axis=1)
    known = known[np.isfinite(known).all(axis=1)]
    return known[np.unique(np.linspace(0, len(known) - 1, min(len(known), MOST_POINTS)).astype(int))]


def _one_plot(points: Mapping[str, Floats], notes: Mapping[str, str], sheet_width: float, recipe: str) -> Figure:
    size = min(sheet_width - 36, 220)
    titles = "recall, %", "precision, %"
    figure, axes = line_plot(sheet_width, (size, size), titles, recipe, legend_lines=len(points))
    colours = label_colours(list(points))
    lines = [
        axes.plot(*curve.T, color=colours[label], linestyle=dashes, clip_on=False)[0]
        for (label, curve), dashes in zip(points.items(), DASHES)
    ]
    names = {label: shorten_to_width(label, 6, sheet_width - LEFT - 70) for label in points}
    texts = [f"{name}, AP {notes[label]}" if notes[label] else name for label, name in names.items()]
    draw_legend(figure, lines, texts, (LEFT, size + 28), 1, 26)
    return figure


def _small_plots(points: Mapping[str, Floats], notes: Mapping[str, str], sheet_width: float, recipe: str) -> Figure:
    """A plot for each curve, all in the same axes: as many axes as curves would be slow."""
    from matplotlib.patches import Rectangle

    few = len(points) <= 24
    per_row = (4 if few else 5) if sheet_width < COLUMN_WIDTHS["two"] else (6 if few else 8)
    rows = math.ceil(len(points) / per_row)
    width = (sheet_width - 14) / per_row - 6
    height = min(0.8 * width, (PAGE_HEIGHT - 40) / rows - 10)
    bottom = 4 + rows * (height + 10)
    figure, axes = new_sheet(sheet_width, bottom + 16, recipe)
    for k, (label, curve) in enumerate(points.items()):
        left, top = 14 + k % per_row * (width + 6), 12 + k // per_row * (height + 10)
        middle, end = (left + width / 2, top + height / 2), top + height
        draw_lines(axes, [[(left, middle[1]), (left + width, middle[1])], [(middle[0], top), (middle[0], end)]])
        axes.add_patch(Rectangle((left, top), width, height, facecolor="none", edgecolor=SOFT, linewidth=0.4))
        x, y = left + width * curve[:, 0], end - height * curve[:, 1]
        axes.fill_between(x, y, end, color="#d6e6f5", linewidth=0, zorder=0.5)
        axes.plot(x, y, color="#0b4f8a", linewidth=0.8)
        draw_text(axes, left, top - 4, shorten_to_width(label, 5.2, width), 5.2)
        draw_text(axes, left + 2.5, end - 4.5, notes[label], 5.2)
    numbers = "; the number is the AP" if any(notes.values()) else ""
    draw_text(axes, sheet_width / 2, bottom + 10, f"recall, 0 to 100 %{numbers}", 6, align="center", color=SOFT)
    draw_text(axes, 6, bottom / 2, "precision, 0 to 100 %", 6, align="center", rotation=90, color=SOFT)
    return figure
