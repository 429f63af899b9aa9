"""Charts on paper: class vectors as bars, precision-recall curves.

Fills and lines differ in lightness and dash as well as in colour. Undefined values are left out, never drawn as 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

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
    shorten_to_width,
    text_width,
    with_paper_style,
)
from layoutcm.errors import InputError
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.objects.average_precision import HEADLINE_IOU, envelope
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.metrics.scores import SCORES
from layoutcm.wording import MISSING, percent_brief, score_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SCORE_NAMES = {"precision": "precision", "recall": "recall", "f1": "F1"}
FILLS = {"precision": "#f3d38a", "recall": "#6aaede", "f1": "#0f5f4a"}
DASHES = ("solid", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (3, 1)), (0, (8, 2, 3, 2)))
MOST_POINTS = 1500
Points = Sequence[tuple[float, float]]


@with_paper_style
def class_bars(
    confusion: Confusion,
    *,
    intervals: Mapping[str, ArrayLike] | None = None,
    background: bool = False,
    recipe: str = "",
    width: str | None = None,
    caption: bool = True,
) -> Figure:
    """Precision, recall and F1 of the classes in use, the largest in gt first.

    `intervals` are {score: float64[labels, low high]} in the order of the matrix's labels, and drawn as whiskers;
    `recipe` says how they were made, if it is to stand below instead of the matrix's own.
    """
    if not confusion.diagonal:
        raise InputError("", "classes", "the two sides have different labels", "A mapping makes classes comparable.")
    positions = classes_in_use(confusion, background)
    wide = column_width(width, 0)
    pitch = min(max((PAGE_HEIGHT - 80) / max(len(positions), 1), 4.6), 17)
    font = min(7, 0.85 * pitch)
    names = [shorten_to_width(confusion.labels[i], font, 0.36 * wide) for i in positions]
    left = max((text_width(name, font) for name in names), default=0) + 8
    right, top, bottom = wide - 24, 18.0, 18 + pitch * len(positions)
    figure, axes = new_sheet(wide, bottom + 13, (recipe or confusion.recipe) if caption else "")
    _share_lines(axes, left, right, top, bottom)
    _bar_legend(axes, left)
    values = confusion.class_values()
    for k, score in enumerate(SCORES):
        own = values[score][positions]
        ends = np.asarray((intervals or {}).get(score, np.full((len(confusion.labels), 2), np.nan)), float)[positions]
        thick = 0.27 * pitch
        y = top + pitch * np.arange(len(positions)) + 0.1 * pitch + k * thick
        _bars(axes, own, y, thick, left, right, FILLS[score])
        _whiskers(axes, ends, y + thick / 2, thick, left, right)
    for row, (i, name) in enumerate(zip(positions, names)):
        y_middle, f1 = top + (row + 0.5) * pitch, float(values["f1"][i])
        draw_text(axes, left - 3, y_middle, name, font, align="right")
        text = MISSING if math.isnan(f1) else percent_brief(f1) if f1 else "0"
        draw_text(axes, wide - 3, y_middle, text, font, align="right")
    draw_text(axes, wide - 3, 7, "F1, %", 6, align="right", color=SOFT)
    return figure


def _share_lines(axes: Axes, left: float, right: float, top: float, bottom: float) -> None:
    from matplotlib.collections import LineCollection

    places = [left + (right - left) * k / 4 for k in range(5)]
    lines = [[(x, top), (x, bottom)] for x in places]
    axes.add_collection(LineCollection(lines, colors=LINE, linewidths=0.35, zorder=0), autolim=False)
    for k, x in enumerate(places):
        draw_text(axes, x, bottom + 6, f"{25 * k} %", 5.5, align="center", color=SOFT)


def _bar_legend(axes: Axes, left: float) -> None:
    from matplotlib.patches import Rectangle

    x = left
    for score, fill in FILLS.items():
        axes.add_patch(Rectangle((x, 4), 8, 5, facecolor=fill, edgecolor=INK, linewidth=0.25))
        draw_text(axes, x + 10, 7, SCORE_NAMES[score], 6)
        x += text_width(SCORE_NAMES[score], 6) + 20


def _bars(axes: Axes, values: np.ndarray, y: np.ndarray, thick: float, left: float, right: float, fill: str) -> None:
    from matplotlib.collections import PolyCollection

    ends = left + (right - left) * values
    corners = [
        [(left, a), (end, a), (end, a + thick), (left, a + thick)]
        for a, end in zip(y.tolist(), ends.tolist())
        if not math.isnan(end)
    ]
    line = 0.25 if thick > 1.5 else 0
    bars = PolyCollection(corners, facecolors=fill, edgecolors=INK, linewidths=line, zorder=1)
    axes.add_collection(bars, autolim=False)


def _whiskers(axes: Axes, ends: np.ndarray, y: np.ndarray, thick: float, left: float, right: float) -> None:
    from matplotlib.collections import LineCollection

    known = np.isfinite(ends).all(axis=1)
    span = left + (right - left) * ends[known].clip(0, 1)
    lines: list[Points] = []
    for (a, b), height in zip(span.tolist(), y[known].tolist()):
        lines += [[(a, height), (b, height)], *([(x, height - thick / 4), (x, height + thick / 4)] for x in (a, b))]
    # Dark on white, so that whiskers are seen on dark bars and beside them.
    for colour, line in (("white", 1.1), (INK, 0.45)):
        axes.add_collection(LineCollection(lines, colors=colour, linewidths=line, zorder=2), autolim=False)


def object_curves_figure(objects: Objects, iou: float = HEADLINE_IOU, **look: Any) -> Figure:
    """The curves of all labels in gt, the most frequent first, with their AP at this IoU; `look` as in `curves`.

    Drawn is the line under which COCO takes the area.
    """
    ap, known = objects.ap_at(iou), objects.curves(iou)
    order = [objects.labels[i] for i in np.argsort(-objects.gt_counts, kind="stable") if objects.gt_counts[i]]
    return curves_figure({label: _steps(known[label]) for label in order}, ap=ap, **look)


def _steps(curve: pd.DataFrame) -> pd.DataFrame:
    """The envelope as a line from recall 0 on: as long as more is found, the best precision with that much or more."""
    import pandas as pd

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
    """Precision over recall, one curve a label; `of` is {label: columns score, precision, recall}, `ap` {label: AP}.

    Up to six curves share one plane; more have a small one each, because nobody tells seven lines apart in print.
    """
    wide = column_width(width, 0 if len(of) <= 12 else COLUMN_WIDTHS["two"])
    points = {label: _points(table) for label, table in of.items()}
    draw = _one_plane if len(of) <= len(DASHES) else _small_planes
    notes = {label: score_text(ap.get(label, math.nan)) if ap else "" for label in of}
    return draw(points, notes, wide, recipe if caption else "")


def _points(table: pd.DataFrame) -> Points:
    known = table[["recall", "precision"]].dropna()
    # More points than paper can show only make the file large.
    known = known.iloc[np.unique(np.linspace(0, len(known) - 1, min(len(known), MOST_POINTS)).astype(int))]
    return [(float(r), float(p)) for r, p in known.itertuples(index=False)]


def _one_plane(points: Mapping[str, Points], notes: Mapping[str, str], wide: float, recipe: str) -> Figure:
    size = min(wide - 36, 220)
    left, top = 28.0, 6.0
    figure, axes = new_sheet(wide, top + size + 26 + 9 * len(points), recipe)
    _planes(axes, [(left, top)], size, size, 0.25)
    colours = label_colours(list(points))
    for k, (label, curve) in enumerate(points.items()):
        line = _to_sheet(curve, left, top, size, size)
        look: dict[str, Any] = {"color": colours[label], "linestyle": DASHES[k], "linewidth": 1.0}
        axes.plot([x for x, _ in line], [y for _, y in line], **look)
        y = top + size + 24 + 9 * k
        axes.plot([left, left + 26], [y, y], **look)
        name = shorten_to_width(label, 6.5, wide - left - 70)
        draw_text(axes, left + 30, y, f"{name}, AP {notes[label]}" if notes[label] else name, 6.5)
    for k in range(5):
        draw_text(axes, left + size * k / 4, top + size + 6, f"{25 * k}", 5.5, align="center", color=SOFT)
        draw_text(axes, left - 3, top + size * (1 - k / 4), f"{25 * k}", 5.5, align="right", color=SOFT)
    draw_text(axes, left + size / 2, top + size + 14, "recall, %", 6, align="center")
    draw_text(axes, 7, top + size / 2, "precision, %", 6, align="center", rotation=90)
    return figure


def _small_planes(points: Mapping[str, Points], notes: Mapping[str, str], wide: float, recipe: str) -> Figure:
    few = len(points) <= 24
    across = (4 if few else 5) if wide < COLUMN_WIDTHS["two"] else (6 if few else 8)
    rows = math.ceil(len(points) / across)
    broad = (wide - 14) / across - 6
    high = min(0.8 * broad, (PAGE_HEIGHT - 40) / rows - 10)
    bottom = 4 + rows * (high + 10)
    figure, axes = new_sheet(wide, bottom + 16, recipe)
    corners = [(14 + k % across * (broad + 6), 12 + k // across * (high + 10)) for k in range(len(points))]
    lines = [_to_sheet(curve, *corner, broad, high) for curve, corner in zip(points.values(), corners)]
    _planes(axes, corners, broad, high, 0.5)
    _areas(axes, [line for line in lines if line], [y + high for line, (_, y) in zip(lines, corners) if line])
    for label, (left, top) in zip(points, corners):
        draw_text(axes, left, top - 4, shorten_to_width(label, 5.2, broad), 5.2)
        draw_text(axes, left + 2.5, top + high - 4.5, notes[label], 5.2)
    numbers = "; the number is the AP" if any(notes.values()) else ""
    draw_text(axes, wide / 2, bottom + 10, f"recall, 0 to 100 %{numbers}", 6, align="center", color=SOFT)
    draw_text(axes, 6, bottom / 2, "precision, 0 to 100 %", 6, align="center", rotation=90, color=SOFT)
    return figure


def _to_sheet(curve: Points, left: float, top: float, broad: float, high: float) -> Points:
    return [(left + r * broad, top + (1 - p) * high) for r, p in curve]


def _planes(axes: Axes, corners: Points, broad: float, high: float, step: float) -> None:
    """Frames and the lines in them, all in two strokes: many small parts take their time."""
    from matplotlib.collections import LineCollection, PolyCollection

    inner = np.arange(step, 1, step).tolist()
    lines: list[Points] = []
    for x, y in corners:
        lines += [[(x + s * broad, y), (x + s * broad, y + high)] for s in inner]
        lines += [[(x, y + s * high), (x + broad, y + s * high)] for s in inner]
    frames = [[(x, y), (x + broad, y), (x + broad, y + high), (x, y + high)] for x, y in corners]
    axes.add_collection(LineCollection(lines, colors=LINE, linewidths=0.3, zorder=0), autolim=False)
    outlines = PolyCollection(frames, facecolors="none", edgecolors=SOFT, linewidths=0.4, zorder=1)
    axes.add_collection(outlines, autolim=False)


def _areas(axes: Axes, lines: Sequence[Points], floors: Sequence[float]) -> None:
    """Lines and the areas under them."""
    from matplotlib.collections import LineCollection, PolyCollection

    areas = [[*line, (line[-1][0], floor), (line[0][0], floor)] for line, floor in zip(lines, floors)]
    axes.add_collection(PolyCollection(areas, facecolors="#d6e6f5", linewidths=0, zorder=0.5), autolim=False)
    axes.add_collection(LineCollection(lines, colors="#0b4f8a", linewidths=0.8, zorder=2), autolim=False)
