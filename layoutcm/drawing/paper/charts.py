"""Charts on paper: class scores as bars, precision-recall curves.

Bars also differ in lightness and lines in dash pattern, not only in colour. Undefined values are not drawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from layoutcm.drawing.matrix_layers import classes_in_use
from layoutcm.drawing.palette import label_colours
from layoutcm.drawing.paper.printing import (
    COLUMN_WIDTHS,
    INK,
    LINE,
    PAGE_HEIGHT,
    SOFT,
    column_width,
    draw_text,
    new_sheet,
    shorten_labels,
    shorten_to_width,
    text_width,
    with_paper_style,
)
from layoutcm.errors import InputError
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.objects.average_precision import HEADLINE_IOU, envelope
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.metrics.scores import SCORES
from layoutcm.tables.drawn_labels import MOST_DRAWN
from layoutcm.tables.matrix_views import SCORE_TITLES, Selection
from layoutcm.wording import MISSING, percent_brief, score_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FILLS = {"precision": "#f3d38a", "recall": "#6aaede", "f1": "#0f5f4a"}
DASHES = ("solid", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (3, 1)), (0, (8, 2, 3, 2)))
MOST_POINTS = 1500
PERCENT_TICKS = ("0", "25", "50", "75", "100")
Points = Sequence[tuple[float, float]]


class ClassRows(NamedTuple):
    """The rows of the bars: class names shortened to fit, 0 % at `left`, 100 % at `right`, a row every `pitch`."""

    names: list[str]
    font: float
    left: float
    right: float
    pitch: float
    top: float = 18.0

    @property
    def bottom(self) -> float:
        return self.top + self.pitch * len(self.names)

    @property
    def thickness(self) -> float:
        """The thickness of one of the three bars in a row."""
        return 0.27 * self.pitch

    def tops_of_bars(self, k: int) -> np.ndarray:
        """The upper edge of the k-th bar of every row."""
        return self.top + self.pitch * np.arange(len(self.names)) + 0.1 * self.pitch + k * self.thickness


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
    sheet_width = column_width(width, 0)
    rows = _plan_rows(labels, sheet_width)
    figure, axes = new_sheet(sheet_width, rows.bottom + 13, recipe if caption else "")
    _draw_share_lines(axes, rows)
    _draw_bar_legend(axes, rows.left)
    for k, score in enumerate(SCORES):
        _draw_bars(axes, rows, k, values[score], FILLS[score])
        if ends:
            _draw_whiskers(axes, rows, k, ends[score])
    _draw_names_and_f1(axes, rows, values["f1"].tolist(), sheet_width)
    return figure


def _plan_rows(labels: Sequence[str], sheet_width: float) -> ClassRows:
    pitch = min(max((PAGE_HEIGHT - 80) / max(len(labels), 1), 4.6), 17)
    font = min(7, 0.85 * pitch)
    names = shorten_labels(labels, font, 0.36 * sheet_width)
    left = max((text_width(name, font) for name in names), default=0) + 8
    return ClassRows(names, font, left, sheet_width - 24, pitch)


def _draw_share_lines(axes: Axes, rows: ClassRows) -> None:
    from matplotlib.collections import LineCollection

    places = [rows.left + (rows.right - rows.left) * k / 4 for k in range(5)]
    lines = [[(x, rows.top), (x, rows.bottom)] for x in places]
    axes.add_collection(LineCollection(lines, colors=LINE, linewidths=0.35, zorder=0), autolim=False)
    for k, x in enumerate(places):
        draw_text(axes, x, rows.bottom + 6, f"{25 * k} %", 5.5, align="center", color=SOFT)


def _draw_bar_legend(axes: Axes, left: float) -> None:
    from matplotlib.patches import Rectangle

    x = left
    for score, fill in FILLS.items():
        axes.add_patch(Rectangle((x, 4), 8, 5, facecolor=fill, edgecolor=INK, linewidth=0.25))
        draw_text(axes, x + 10, 7, SCORE_TITLES[score], 6)
        x += text_width(SCORE_TITLES[score], 6) + 20


def _draw_bars(axes: Axes, rows: ClassRows, k: int, values: np.ndarray, fill: str) -> None:
    """Draw the k-th bar of every row; `values` are shares from 0 to 1."""
    from matplotlib.collections import PolyCollection

    left, thickness = rows.left, rows.thickness
    ends = left + (rows.right - left) * values
    corners = [
        [(left, a), (end, a), (end, a + thickness), (left, a + thickness)]
        for a, end in zip(rows.tops_of_bars(k).tolist(), ends.tolist())
        if not math.isnan(end)
    ]
    line = 0.25 if thickness > 1.5 else 0
    bars = PolyCollection(corners, facecolors=fill, edgecolors=INK, linewidths=line, zorder=1)
    axes.add_collection(bars, autolim=False)


def _draw_whiskers(axes: Axes, rows: ClassRows, k: int, ends: np.ndarray) -> None:
    """Draw the intervals of the k-th bar of every row; `ends` is float64[rows, low high], nan if there is none."""
    from matplotlib.collections import LineCollection

    known = np.isfinite(ends).all(axis=1)
    span = rows.left + (rows.right - rows.left) * ends[known].clip(0, 1)
    middles = (rows.tops_of_bars(k) + rows.thickness / 2)[known]
    tick = rows.thickness / 4
    lines: list[Points] = []
    for (a, b), y in zip(span.tolist(), middles.tolist()):
        lines += [[(a, y), (b, y)], *([(x, y - tick), (x, y + tick)] for x in (a, b))]
    # Dark lines on wider white lines, so that whiskers are visible on dark bars and on white paper.
    for colour, line in (("white", 1.1), (INK, 0.45)):
        axes.add_collection(LineCollection(lines, colors=colour, linewidths=line, zorder=2), autolim=False)


def _draw_names_and_f1(axes: Axes, rows: ClassRows, f1: Sequence[float], sheet_width: float) -> None:
    """Draw the class names at the left of the bars, and the numbers of F1 at the right."""
    for row, (name, value) in enumerate(zip(rows.names, f1)):
        y = rows.top + (row + 0.5) * rows.pitch
        draw_text(axes, rows.left - 3, y, name, rows.font, align="right")
        text = MISSING if math.isnan(value) else percent_brief(value) if value else "0"
        draw_text(axes, sheet_width - 3, y, text, rows.font, align="right")
    draw_text(axes, sheet_width - 3, 7, "F1, %", 6, align="right", color=SOFT)


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
    return curves_figure({label: _steps(known[label], rule) for label in order}, ap=ap, **look)


def _steps(curve: pd.DataFrame, rule: str = "coco") -> pd.DataFrame:
    """The precision envelope as a step line from recall 0: the best precision at this recall or a higher one.

    The rule `sum` has no envelope.
    """
    import pandas as pd

    if rule == "sum":
        return curve
    recall, first = np.unique(curve["recall"].to_numpy(), return_index=True)
    best = envelope(curve["precision"].to_numpy())[first]
    found = recall > 0
    edges = np.concatenate([[0.0], np.repeat(recall[found], 2)[:-1]]) if found.any() else np.empty(0)
    return pd.DataFrame({"recall": edges, "precision": np.repeat(best[found], 2)})


@with_paper_style
def curves_figure(
    of: Mapping[str, pd.DataFrame],
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


def _points(table: pd.DataFrame) -> Points:
    known = table[["recall", "precision"]].dropna()
    # More points are not visible on paper and make the file large.
    known = known.iloc[np.unique(np.linspace(0, len(known) - 1, min(len(known), MOST_POINTS)).astype(int))]
    return [(float(r), float(p)) for r, p in known.itertuples(index=False)]


def _one_plot(points: Mapping[str, Points], notes: Mapping[str, str], sheet_width: float, recipe: str) -> Figure:
    size = min(sheet_width - 36, 220)
    left, top = 28.0, 6.0
    figure, axes = new_sheet(sheet_width, top + size + 26 + 9 * len(points), recipe)
    plot_frames(axes, [(left, top)], size, size, 0.25)
    colours = label_colours(list(points))
    for k, (label, curve) in enumerate(points.items()):
        line = to_sheet(curve, left, top, size, size)
        look: dict[str, Any] = {"color": colours[label], "linestyle": DASHES[k], "linewidth": 1.0}
        axes.plot([x for x, _ in line], [y for _, y in line], **look)
        y = top + size + 24 + 9 * k
        axes.plot([left, left + 26], [y, y], **look)
        name = shorten_to_width(label, 6.5, sheet_width - left - 70)
        draw_text(axes, left + 30, y, f"{name}, AP {notes[label]}" if notes[label] else name, 6.5)
    draw_axis_texts(axes, (left, top), (size, size), ("recall, %", "precision, %"))
    return figure


def draw_axis_texts(
    axes: Axes,
    corner: tuple[float, float],
    size: tuple[float, float],
    titles: tuple[str, str],
    x_ticks: Sequence[str] = PERCENT_TICKS,
) -> None:
    """Draw the numbers and titles of both axes of a plot, x and y; the numbers of y are percentages."""
    (left, top), (width, height) = corner, size
    for k, (x_tick, y_tick) in enumerate(zip(x_ticks, PERCENT_TICKS, strict=True)):
        draw_text(axes, left + width * k / 4, top + height + 6, x_tick, 5.5, align="center", color=SOFT)
        draw_text(axes, left - 3, top + height * (1 - k / 4), y_tick, 5.5, align="right", color=SOFT)
    draw_text(axes, left + width / 2, top + height + 14, titles[0], 6, align="center")
    draw_text(axes, 7, top + height / 2, titles[1], 6, align="center", rotation=90)


def _small_plots(points: Mapping[str, Points], notes: Mapping[str, str], sheet_width: float, recipe: str) -> Figure:
    few = len(points) <= 24
    per_row = (4 if few else 5) if sheet_width < COLUMN_WIDTHS["two"] else (6 if few else 8)
    rows = math.ceil(len(points) / per_row)
    plot_width = (sheet_width - 14) / per_row - 6
    plot_height = min(0.8 * plot_width, (PAGE_HEIGHT - 40) / rows - 10)
    bottom = 4 + rows * (plot_height + 10)
    figure, axes = new_sheet(sheet_width, bottom + 16, recipe)
    corners = [
        (14 + k % per_row * (plot_width + 6), 12 + k // per_row * (plot_height + 10)) for k in range(len(points))
    ]
    lines = [to_sheet(curve, *corner, plot_width, plot_height) for curve, corner in zip(points.values(), corners)]
    plot_frames(axes, corners, plot_width, plot_height, 0.5)
    _areas(axes, [line for line in lines if line], [y + plot_height for line, (_, y) in zip(lines, corners) if line])
    for label, (left, top) in zip(points, corners):
        draw_text(axes, left, top - 4, shorten_to_width(label, 5.2, plot_width), 5.2)
        draw_text(axes, left + 2.5, top + plot_height - 4.5, notes[label], 5.2)
    numbers = "; the number is the AP" if any(notes.values()) else ""
    draw_text(axes, sheet_width / 2, bottom + 10, f"recall, 0 to 100 %{numbers}", 6, align="center", color=SOFT)
    draw_text(axes, 6, bottom / 2, "precision, 0 to 100 %", 6, align="center", rotation=90, color=SOFT)
    return figure


def to_sheet(curve: Points, left: float, top: float, plot_width: float, plot_height: float) -> Points:
    return [(left + r * plot_width, top + (1 - p) * plot_height) for r, p in curve]


def plot_frames(axes: Axes, corners: Points, plot_width: float, plot_height: float, step: float) -> None:
    """Draw the frames and grid lines of the plots in two collections; many single artists would be slow."""
    from matplotlib.collections import LineCollection, PolyCollection

    inner = np.arange(step, 1, step).tolist()
    lines: list[Points] = []
    for x, y in corners:
        lines += [[(x + s * plot_width, y), (x + s * plot_width, y + plot_height)] for s in inner]
        lines += [[(x, y + s * plot_height), (x + plot_width, y + s * plot_height)] for s in inner]
    frames = [
        [(x, y), (x + plot_width, y), (x + plot_width, y + plot_height), (x, y + plot_height)] for x, y in corners
    ]
    axes.add_collection(LineCollection(lines, colors=LINE, linewidths=0.3, zorder=0), autolim=False)
    outlines = PolyCollection(frames, facecolors="none", edgecolors=SOFT, linewidths=0.4, zorder=1)
    axes.add_collection(outlines, autolim=False)


def _areas(axes: Axes, lines: Sequence[Points], bottoms: Sequence[float]) -> None:
    """Draw the lines and fill the areas below them."""
    from matplotlib.collections import LineCollection, PolyCollection

    areas = [[*line, (line[-1][0], bottom), (line[0][0], bottom)] for line, bottom in zip(lines, bottoms)]
    axes.add_collection(PolyCollection(areas, facecolors="#d6e6f5", linewidths=0, zorder=0.5), autolim=False)
    axes.add_collection(LineCollection(lines, colors="#0b4f8a", linewidths=0.8, zorder=2), autolim=False)
