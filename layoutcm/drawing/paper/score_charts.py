"""Charts of scores on paper: precision, recall and F1 over the threshold, reliability, ROC."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from layoutcm.diagnosis.score_curves import ScoreCurves
from layoutcm.drawing.paper.charts import FILLS, MOST_POINTS
from layoutcm.drawing.paper.plots import DASHES, LEFT, QUARTERS, RIGHT, draw_legend, line_plot
from layoutcm.drawing.paper.printing import (
    INK,
    SOFT,
    column_width,
    draw_text,
    shorten_to_width,
    text_width,
    with_paper_style,
)
from layoutcm.drawing.score_points import ThresholdPoints, roc_points
from layoutcm.metrics.scores import SCORES
from layoutcm.tables.matrix_views import SCORE_TITLES
from layoutcm.wording import pixels_brief, plain_number, score_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TOP, HEIGHT = 16.0, 150.0
BELOW = (LEFT, TOP + HEIGHT + 22)  # the place of a legend
LINES = {"precision": "#b07d00", "recall": "#2f7fb8", "f1": FILLS["f1"]}  # darker than fills
STYLES: dict[str, Any] = dict(zip(("f1", "precision", "recall"), DASHES))
THIN: dict[str, Any] = {"color": SOFT, "linewidth": 0.5, "linestyle": DASHES[2]}


@with_paper_style
def threshold_curve_figure(
    points: ThresholdPoints, *, recipe: str = "", width: str | None = None, caption: bool = True
) -> Figure:
    """Precision, recall and F1 of a label, or of all labels, over the score threshold; the best F1 is marked."""
    titles = "score threshold", "precision, recall and F1, %"
    figure, axes = _score_plot(points.title, points.best_text, titles, recipe if caption else "", width)
    # A value holds from the threshold before it up to its own.
    known = {score: points.rows[["threshold", score]].dropna() for score in SCORES}
    lines = [axes.step(*rows.to_numpy().T, where="pre", **_look(score))[0] for score, rows in known.items()]
    draw_legend(figure, lines, [SCORE_TITLES[score] for score in SCORES], BELOW, len(SCORES), 20)
    if points.best_text:
        axes.axvline(points.best_threshold, **THIN)
        edge: dict[str, Any] = {"markeredgecolor": INK, "markeredgewidth": 0.5}
        axes.plot(points.best_threshold, points.best_f1, "o", markersize=4, color=LINES["f1"], clip_on=False, **edge)
    return figure


@with_paper_style
def reliability_figure(
    table: pd.DataFrame,
    label: str,
    ece: float,
    *,
    reason: str = "",
    recipe: str = "",
    width: str | None = None,
    caption: bool = True,
) -> Figure:
    """The share of pixels that gt labels so, in tenths of the scores, beside the mean score; equal if calibrated.

    In each bar stands the number of its pixels. `reason` says why this label is shown.
    """
    title, titles = f"{label}: {reason}" if reason else label, ("score", "share and mean score, %")
    figure, axes = _score_plot(title, f"ECE {score_text(ece)}", titles, recipe if caption else "", width)
    used = table[table["pixels"] > 0]
    widths = used["up_to"] - used["above"]
    look: dict[str, Any] = {"facecolor": FILLS["recall"], "edgecolor": INK, "linewidth": 0.25}
    bars = axes.bar(used["above"], used["share_in_gt"], widths, align="edge", **look)
    means = axes.hlines(used["mean_score"], used["above"], used["up_to"], color=INK, linewidth=1.4, zorder=2)
    for middle, pixels in zip((used["above"] + widths / 2).tolist(), used["pixels"].tolist()):
        draw_text(axes, middle, 5 / HEIGHT, pixels_brief(pixels), 5, align="center")
    draw_legend(figure, [bars, means], ["share of pixels that gt labels so", "mean score"], BELOW, 2, 10)
    return figure


@with_paper_style
def roc_figure(
    curves: ScoreCurves, label: str, *, recipe: str = "", width: str | None = None, caption: bool = True
) -> Figure:
    """True positives over false positives, as shares of pixels; the dashed line is what scores at random would have."""
    table, number = roc_points(curves, label, MOST_POINTS), f"ROC AUC {score_text(curves.roc_auc[label])}"
    titles = "share of the other pixels, %", "share of the label's pixels, %"
    figure, axes = _score_plot(label, number, titles, recipe if caption else "", width, legend_lines=0)
    axes.plot(table["false_positives"], table["true_positives"], **_look("recall"))
    axes.plot([0, 1], [0, 1], **THIN)
    return figure


def _look(score: str) -> dict[str, Any]:
    return {"color": LINES[score], "linestyle": STYLES[score], "clip_on": False}


def _score_plot(
    title: str, number: str, titles: tuple[str, str], recipe: str, width: str | None, legend_lines: int = 1
) -> tuple[Figure, Axes]:
    """A plot with a title above it, and a number at its right end; with a legend, x is a score from 0 to 1."""
    sheet_width = column_width(width, 0)
    size = sheet_width - LEFT - RIGHT, HEIGHT
    figure, axes = line_plot(sheet_width, size, titles, recipe, top=TOP, legend_lines=legend_lines)
    draw_text(figure, LEFT, 8, shorten_to_width(title, 6.5, size[0] - text_width(number, 6) - 10), 6.5)
    draw_text(figure, LEFT + size[0], 8, number, 6, align="right")
    if legend_lines:
        axes.set_xticks(QUARTERS, [plain_number(score) for score in QUARTERS])
    return figure, axes
