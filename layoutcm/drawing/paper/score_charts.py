"""Charts of scores on paper: precision, recall and F1 over the threshold, reliability, ROC."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from layoutcm.diagnosis.score_curves import ScoreCurves
from layoutcm.drawing.paper.charts import DASHES, FILLS, MOST_POINTS, Points, draw_axis_texts, plot_frames, to_sheet
from layoutcm.drawing.paper.printing import (
    INK,
    SOFT,
    column_width,
    draw_text,
    new_sheet,
    shorten_to_width,
    text_width,
    with_paper_style,
)
from layoutcm.drawing.score_points import ThresholdPoints, roc_points, threshold_points
from layoutcm.metrics.scores import SCORES
from layoutcm.tables.matrix_views import SCORE_TITLES
from layoutcm.wording import pixels_brief, score_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SCORE_TICKS = ("0", "0.25", "0.5", "0.75", "1")
LEFT, TOP, HIGHEST = 28.0, 16.0, 150.0
LINES = {"precision": "#b07d00", "recall": "#2f7fb8", "f1": FILLS["f1"]}  # darker than fills
STYLES: dict[str, Any] = dict(zip(("f1", "precision", "recall"), DASHES))


@with_paper_style
def threshold_curve_figure(
    curves: ScoreCurves, label: str | None = None, *, recipe: str = "", width: str | None = None, caption: bool = True
) -> Figure:
    """Precision, recall and F1 of a label, or of all labels, over the score threshold; the best F1 is marked."""
    points = threshold_points(curves, label, MOST_POINTS)
    sheet_width = column_width(width, 0)
    size = sheet_width - LEFT - 10, HIGHEST
    figure, axes = new_sheet(sheet_width, TOP + HIGHEST + 34, recipe if caption else "")
    plot_frames(axes, [(LEFT, TOP)], *size, 0.25)
    draw_axis_texts(axes, (LEFT, TOP), size, ("score threshold", "precision, recall and F1, %"), SCORE_TICKS)
    _draw_title(axes, points.title, points.best_text, size[0])
    for k, score in enumerate(SCORES):
        line, key = to_sheet(_steps(points, score), LEFT, TOP, *size), (LEFT + 62 * k, TOP + HIGHEST + 27)
        _draw_line(axes, line, score)
        _draw_line(axes, [key, (key[0] + 20, key[1])], score)
        draw_text(axes, key[0] + 23, key[1], SCORE_TITLES[score], 6)
    if points.best_text:
        ((x, y),) = to_sheet([(points.best_threshold, points.best_f1)], LEFT, TOP, *size)
        axes.plot([x, x], [TOP, TOP + HIGHEST], color=SOFT, linewidth=0.5, linestyle=DASHES[2])
        axes.plot([x], [y], marker="o", markersize=4, color=LINES["f1"], markeredgecolor=INK, markeredgewidth=0.5)
    return figure


def _draw_title(axes: Axes, title: str, number: str, width: float) -> None:
    """Draw a title above the plot, and a number at its right end."""
    draw_text(axes, LEFT, 8, shorten_to_width(title, 6.5, width - text_width(number, 6) - 10), 6.5)
    draw_text(axes, LEFT + width, 8, number, 6, align="right")


def _steps(points: ThresholdPoints, score: str) -> Points:
    """The corners of the step line: a value holds from the threshold before it up to its own."""
    rows = points.rows[["threshold", score]].dropna().to_numpy().tolist()
    corners = rows[:1]
    for (before, _), (threshold, value) in pairwise(rows):
        corners += [[before, value], [threshold, value]]
    return [(x, y) for x, y in corners]


def _draw_line(axes: Axes, line: Points, score: str) -> None:
    look = {"color": LINES[score], "linestyle": STYLES[score], "linewidth": 1.0}
    axes.plot([x for x, _ in line], [y for _, y in line], **look)


@with_paper_style
def reliability_figure(
    curves: ScoreCurves,
    label: str,
    *,
    reason: str = "",
    recipe: str = "",
    width: str | None = None,
    caption: bool = True,
) -> Figure:
    """The share of pixels that gt labels so, in tenths of the scores, beside the mean score; equal if calibrated.

    In each bar stands the number of its pixels. `reason` says why this label is shown.
    """
    from matplotlib.collections import LineCollection, PolyCollection

    table = curves.reliability(label)
    sheet_width = column_width(width, 0)
    size = sheet_width - LEFT - 10, HIGHEST
    figure, axes = new_sheet(sheet_width, TOP + HIGHEST + 34, recipe if caption else "")
    plot_frames(axes, [(LEFT, TOP)], *size, 0.25)
    draw_axis_texts(axes, (LEFT, TOP), size, ("score", "share and mean score, %"), SCORE_TICKS)
    _draw_title(axes, f"{label}: {reason}" if reason else label, f"ECE {score_text(curves.ece[label])}", size[0])
    used = table[table["pixels"] > 0]
    bars, means = _bars(used, size), _means(used, size)
    look: dict[str, Any] = {"facecolors": FILLS["recall"], "edgecolors": INK, "linewidths": 0.25, "zorder": 1}
    axes.add_collection(PolyCollection(bars, **look), autolim=False)
    axes.add_collection(LineCollection(means, colors=INK, linewidths=1.4, zorder=2), autolim=False)
    for bar, pixels in zip(bars, used["pixels"].tolist()):
        middle = (bar[0][0] + bar[1][0]) / 2
        draw_text(axes, middle, TOP + HIGHEST - 5, pixels_brief(pixels), 5, align="center", zorder=3)
    _draw_reliability_key(axes)
    return figure


def _bars(used: pd.DataFrame, size: tuple[float, float]) -> list[Points]:
    """The corners of a bar for each tenth: as high as the share."""
    rows = used[["above", "up_to", "share_in_gt"]].to_numpy().tolist()
    corners = [[(low, 0.0), (high, 0.0), (high, share), (low, share)] for low, high, share in rows]
    return [to_sheet(one, LEFT, TOP, *size) for one in corners]


def _means(used: pd.DataFrame, size: tuple[float, float]) -> list[Points]:
    """A line across each tenth, at the mean score."""
    rows = used[["above", "up_to", "mean_score"]].to_numpy().tolist()
    return [to_sheet([(low, mean), (high, mean)], LEFT, TOP, *size) for low, high, mean in rows]


def _draw_reliability_key(axes: Axes) -> None:
    from matplotlib.patches import Rectangle

    y = TOP + HIGHEST + 27
    axes.add_patch(Rectangle((LEFT, y - 2.5), 8, 5, facecolor=FILLS["recall"], edgecolor=INK, linewidth=0.25))
    draw_text(axes, LEFT + 11, y, "share of pixels that gt labels so", 6)
    axes.plot([LEFT + 122, LEFT + 134], [y, y], color=INK, linewidth=1.4)
    draw_text(axes, LEFT + 137, y, "mean score", 6)


@with_paper_style
def roc_figure(
    curves: ScoreCurves, label: str, *, recipe: str = "", width: str | None = None, caption: bool = True
) -> Figure:
    """True positives over false positives, as shares of pixels; the dashed line is what scores at random would have."""
    table = roc_points(curves, label, MOST_POINTS)
    sheet_width = column_width(width, 0)
    size = sheet_width - LEFT - 10, HIGHEST
    figure, axes = new_sheet(sheet_width, TOP + HIGHEST + 22, recipe if caption else "")
    plot_frames(axes, [(LEFT, TOP)], *size, 0.25)
    draw_axis_texts(axes, (LEFT, TOP), size, ("share of the other pixels, %", "share of the label's pixels, %"))
    _draw_title(axes, label, f"ROC AUC {score_text(curves.roc_auc[label])}", size[0])
    rows = table[["false_positives", "true_positives"]].to_numpy().tolist()
    _draw_line(axes, to_sheet([(x, y) for x, y in rows], LEFT, TOP, *size), "recall")
    (x0, y0), (x1, y1) = to_sheet([(0, 0), (1, 1)], LEFT, TOP, *size)
    axes.plot([x0, x1], [y0, y1], color=SOFT, linewidth=0.5, linestyle=DASHES[2])
    return figure
