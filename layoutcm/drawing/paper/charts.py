"""Draw charts with Matplotlib, for print: its axes, ticks, legends and error bars, with places and sizes in points.

Bars also differ in lightness or hatches and lines in dash pattern, not only in colour.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.drawing.charts import CellChart, LineChart, Mark, Part, RowChart
from layoutcm.drawing.matrix_layers import cell_colour
from layoutcm.drawing.palette import CAUSE_COLOURS, LIGHT, scale_colour
from layoutcm.drawing.paper import figure_style as style
from layoutcm.drawing.paper.matrix import BAR_HEIGHT, draw_bars, draw_cells, draw_numbers, draw_outlines, plan_grid
from layoutcm.results.verdict import BETTER, WORSE
from layoutcm.wording import percent_tick, pixels_brief, plain_number, plain_percent, score_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DASHES = ("solid", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (3, 1)), (0, (8, 2, 3, 2)))
QUARTERS = (0, 0.25, 0.5, 0.75, 1)
ROUND_STEPS = (1, 2, 2.5, 5, 10)
FILLS = {"precision": "#f3d38a", "recall": "#6aaede", "f1": "#0f5f4a"}
LINES = {"precision": "#b07d00", "recall": "#2f7fb8", "f1": FILLS["f1"]}  # darker than fills
STYLES: dict[str, Any] = dict(zip(("f1", "precision", "recall"), DASHES))
THIN: dict[str, Any] = {"color": style.SOFT, "linewidth": 0.5, "linestyle": DASHES[2]}
DOT, CURVE = "#0b4f8a", "#d6e6f5"
# Without colour, causes differ in their hatches.
HATCHES = ("", "/////", "", "\\\\\\\\\\", "", ".....", "xxxxx", "-----")
PART_LOOKS: dict[str, dict[str, Any]] = {
    **{score: {"facecolor": fill, "linewidth": 0.25} for score, fill in FILLS.items()},
    **{
        cause: {"facecolor": colour, "hatch": hatch, "linewidth": 0.2}
        for cause, colour, hatch in zip(CAUSES, CAUSE_COLOURS, HATCHES)
    },
    "identity": {"facecolor": scale_colour(LIGHT.hit, 0.7), "linewidth": 0.2},
    "in_family": {"facecolor": scale_colour(LIGHT.miss, 0.38), "hatch": "/////", "linewidth": 0.2},
    "oof": {"facecolor": scale_colour(LIGHT.miss, 0.88), "linewidth": 0.2},
}
TICK_TEXTS = {"share": plain_percent, "score": lambda value: plain_number(value, 3), "pixels": pixels_brief}
# Kind of a row chart: room at the right for its numbers, and the size of names as a share of a row.
ROW_LOOKS = {"bars": (24.0, 0.85), "dots": (32.0, 0.7), "stack": (30.0, 0.8)}
THICKNESS = 0.27  # of one of three bars, as a share of a row
LEFT, RIGHT, HEIGHT = 28.0, 10.0, 150.0  # of a plot with lines
BOX, LINE = 8.0, 20.0  # the lengths of boxes and lines in a legend


@style.with_paper_style
def draw(chart: RowChart | LineChart | CellChart, *, width: str | None = None, caption: bool = True) -> Figure:
    """The Matplotlib figure of a chart; `width` is "one" or "two" columns, the caption is the recipe."""
    if isinstance(chart, CellChart):
        return _cell_figure(chart, width, caption)
    sheet_width, recipe = style.column_width(width, 0), chart.recipe if caption else ""
    if isinstance(chart, RowChart):
        return _row_figure(chart, sheet_width, recipe)
    if len(chart.marks) <= len(DASHES):
        return _line_figure(chart, sheet_width, recipe)
    return _small_plots(chart, sheet_width if width or len(chart.marks) <= 12 else style.COLUMN_WIDTHS["two"], recipe)


# Charts with rows.


def _row_figure(chart: RowChart, sheet_width: float, recipe: str) -> Figure:
    legend, above = _row_legend(chart), 12 if chart.title else 4
    columns = style.legend_columns([name for name, _ in legend], sheet_width, BOX)
    top = above + style.LEGEND_LINE * -(-len(legend) // columns) + 4
    figure, axes, font = _row_plot(chart, sheet_width, top, recipe)
    if chart.title:
        style.draw_text(figure, 3, 6, style.shorten_to_width(chart.title, 6.5, sheet_width - 6), 6.5)
    style.draw_legend(figure, legend, (6, above), columns, BOX)
    if chart.kind == "stack":
        _draw_stacks(axes, chart, 0.8 * font)
        return figure
    axes.set_xlim(chart.low, 1)
    ticks = np.linspace(chart.low, 1, 5).tolist()
    axes.set_xticks(ticks, [TICK_TEXTS[chart.unit](tick) for tick in ticks])
    if not math.isnan(chart.whole):
        axes.axvline(chart.whole, color=style.SOFT, linewidth=0.8, linestyle=DASHES[1])
    rows = np.arange(len(chart.names))
    for k, part in enumerate(chart.parts):
        if chart.kind == "dots":
            draw_intervals(axes, rows, part, 2)
            _draw_dots(axes, chart, part)
        else:
            places = rows + (k - 1) * THICKNESS
            axes.barh(places, part.values, THICKNESS, clip_on=False, edgecolor=style.INK, **PART_LOOKS[part.role])
            draw_intervals(axes, places, part, THICKNESS * 72 * axes.bbox.height / figure.dpi / max(len(rows), 1) / 4)
    right = ROW_LOOKS[chart.kind][0]
    numbers = axes.secondary_yaxis("right")
    numbers.set_yticks(rows, chart.numbers, fontsize=font, color=style.INK, ha="right")
    numbers.tick_params(pad=right - 3)
    numbers.spines["right"].set_visible(False)
    if chart.kind == "bars":
        style.draw_text(figure, sheet_width - 3, 7, "F1, %", 6, align="right", color=style.SOFT)
    return figure


def _row_plot(chart: RowChart, sheet_width: float, top: float, recipe: str) -> tuple[Figure, Axes, float]:
    """Axes with a row for each name, the first at the top, and the size of the names; row k is at y = k."""
    count, several = max(len(chart.names), 1), len(chart.lines) > 1
    right, share = ROW_LOOKS[chart.kind]
    indent = 16 if several else 0  # for the names of lines
    pitch = min(max((style.PAGE_HEIGHT - 100) / count, 5), 16)
    size = min(7, (0.6 if several else share) * pitch)
    short = style.shorten_labels(chart.names, size, 0.4 * sheet_width)
    left = max((style.text_width(name, size) for name in short), default=0) + 8 + indent
    figure = style.new_figure(sheet_width, top + pitch * count + (22 if chart.axis_title else 13), recipe)
    axes = style.add_plot(figure, left, top, sheet_width - left - right, pitch * count)
    axes.set_frame_on(False)
    axes.set_ylim(count - 0.5, -0.5)
    axes.set_yticks(
        range(len(chart.names)), short, fontsize=size, color=style.INK, family=style.font_names("".join(short))
    )
    for k, name in enumerate(axes.get_yticklabels()):
        name.set_fontweight("bold" if k in chart.headings else "normal")
    axes.tick_params(axis="y", pad=3 + indent)
    axes.grid(False, axis="y")
    is_wide = style.text_width(chart.axis_title, 6) > sheet_width - left - right
    axes.set_xlabel(chart.axis_title, loc="right" if is_wide else "center")
    return figure, axes, size


def _row_legend(chart: RowChart) -> list[tuple[str, Any]]:
    """The texts and marks of the legend."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if chart.kind != "dots":
        return [(part.title, Patch(edgecolor=style.INK, **PART_LOOKS[part.role])) for part in chart.parts]
    filled = Line2D([], [], color=DOT, marker="o", markersize=4, linestyle="none")
    found = [("better or worse than the rest", filled)]
    if not math.isnan(chart.whole):
        line = Line2D([], [], color=style.SOFT, linewidth=0.8, linestyle=DASHES[1])
        found.append((f"all pages, {score_text(chart.whole)}", line))
    return found


def _draw_dots(axes: Axes, chart: RowChart, part: Part) -> None:
    """Draw dots that are filled if the row differs from the rest by its verdict."""
    rows, differs = np.arange(len(chart.names)), np.isin(np.array(chart.verdicts, str), [BETTER, WORSE])
    for some, fill in ((differs, DOT), (~differs, "white")):
        look: dict[str, Any] = {"color": DOT, "markerfacecolor": fill, "markersize": 4, "markeredgewidth": 0.9}
        axes.plot(part.values[some], rows[some], "o", clip_on=False, zorder=3, **look)


def _draw_stacks(axes: Axes, chart: RowChart, font: float) -> None:
    """Draw stacked bars with their numbers at their ends; the lines of a row are below each other."""
    from matplotlib.ticker import MaxNLocator

    several, rows = len(chart.lines) > 1, chart.places
    ends = np.zeros(len(rows))
    for part in chart.parts:
        some = part.values > 0
        look: dict[str, Any] = {"clip_on": False, "edgecolor": style.INK, **PART_LOOKS[part.role]}
        axes.barh(rows[some], part.values[some], 0.4 if several else 0.76, left=ends[some], **look)
        ends[some] += part.values[some]
    invisible = axes.barh(rows, ends, alpha=0)
    for text in axes.bar_label(invisible, chart.numbers, padding=2, fontsize=font):
        text.set_verticalalignment("center_baseline")
    if several:
        names = list(chart.lines) * len(chart.names)
        axes.set_yticks(rows, names, minor=True, fontsize=0.875 * font, color=style.SOFT)
    axes.set_xlim(0, ends.max(initial=0) or 1)
    tick = pixels_brief if chart.unit == "pixels" else percent_tick
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=ROUND_STEPS))
    axes.xaxis.set_major_formatter(lambda value, _: tick(value) if value else "0")


def draw_intervals(axes: Axes, rows: NDArray[Any], part: Part, cap: float) -> None:
    """Draw the known intervals of a part as horizontal error bars with caps of `cap` points."""
    if part.ends is None:
        return
    known = np.isfinite(part.ends).all(axis=1)
    low, high = part.ends[known].clip(0, 1).T
    # Dark lines on wider white lines are visible on dark bars and on white paper.
    for colour, line in (("white", 1.1), (style.INK, 0.5)):
        look: dict[str, Any] = {"ecolor": colour, "elinewidth": line, "capthick": line, "capsize": cap, "zorder": 2}
        axes.errorbar((low + high) / 2, rows[known], xerr=(high - low) / 2, fmt="none", **look)


# Charts with lines.


def _line_figure(chart: LineChart, sheet_width: float, recipe: str) -> Figure:
    has_labels = any(mark.is_label for mark in chart.marks)
    wide = min(sheet_width - LEFT - RIGHT, 220) if has_labels else sheet_width - LEFT - RIGHT
    high, top = wide if has_labels else HEIGHT, 16 if chart.title else 6
    names = _legend_names(chart, sheet_width)
    columns = style.legend_columns([name for name, _ in names], sheet_width - LEFT, LINE)
    figure = style.new_figure(sheet_width, top + high + 22 + style.LEGEND_LINE * -(-len(names) // columns), recipe)
    axes = style.add_plot(figure, LEFT, top, wide, high)
    _set_axes(axes, chart, wide)
    title = style.shorten_to_width(chart.title, 6.5, wide - style.text_width(chart.number, 6) - 10)
    axes.set_title(title, loc="left", family=style.font_names(title))
    axes.set_title(chart.number, loc="right", fontsize=6)
    drawn = [_draw_mark(axes, mark, k) for k, mark in enumerate(chart.marks)]
    style.draw_legend(figure, [(name, drawn[k]) for name, k in names], (LEFT, top + high + 22), columns, LINE)
    return figure


def _legend_names(chart: LineChart, sheet_width: float) -> list[tuple[str, int]]:
    """The texts of the legend and the places of their marks; the number of the chart is above it, not in the legend."""
    found = []
    for k, mark in enumerate(chart.marks):
        if mark.title and mark.title != chart.number:
            name = style.shorten_to_width(mark.title, 6, sheet_width - LEFT - 70)
            found.append((f"{name}, AP {mark.ap}" if mark.ap else name, k))
    return found


def _set_axes(axes: Axes, chart: LineChart, wide: float) -> None:
    """Set limits, ticks and titles; ticks are in percent, unless x is a score."""
    from matplotlib.ticker import MaxNLocator

    numbers = [percent_tick(share) for share in QUARTERS]
    axes.set(xlim=(0, 1), ylabel=f"{chart.y_title}, %" if chart.y_title else "%")
    in_percent = not chart.x_is_score and "%" not in chart.x_title
    axes.set_xlabel(f"{chart.x_title}, %" if in_percent else chart.x_title)
    axes.set_xticks(QUARTERS, [plain_number(score) for score in QUARTERS] if chart.x_is_score else numbers)
    axes.set_yticks(QUARTERS, numbers)
    if chart.x_ticks:
        most = max(*chart.x_ticks, 1e-9)
        axes.set_xlim(0, most)
        axes.set_xticks(chart.x_ticks, _texts_apart(chart.x_ticks, wide / most))
    if chart.y_low:
        axes.yaxis.set_major_locator(MaxNLocator(4, steps=ROUND_STEPS))
        axes.yaxis.set_major_formatter(lambda level, _: percent_tick(level))
    axes.set_ylim(chart.y_low, 1)


def _texts_apart(values: Sequence[float], scale: float) -> list[str]:
    """The texts of ticks; if texts would overlap, only the first of them is written."""
    texts, end = [], -math.inf
    for value in values:
        text, half = percent_tick(value), style.text_width(percent_tick(value), 5.5) / 2
        fits = scale * value - half > end
        texts.append(text if fits else "")
        end = scale * value + half + 2 if fits else end
    return texts


def _draw_mark(axes: Axes, mark: Mark, k: int) -> Any:
    """Draw the k-th mark of a chart; returns what the legend shows of it."""
    colour = mark.role if mark.is_label else LINES.get(mark.role, style.INK)
    look: dict[str, Any] = {"color": colour, "linestyle": STYLES.get(mark.role, DASHES[k % len(DASHES)])}
    known = np.isfinite(mark.y)
    x, y = mark.x[known], mark.y[known]
    if mark.kind == "rule":
        return axes.axvline(x[0], **THIN)
    if mark.kind == "dashed":
        return axes.plot(x, y, **THIN)[0]
    if mark.kind == "steps":
        return axes.step(x, y, where="pre", clip_on=False, **look)[0]
    if mark.kind == "point":
        edge: dict[str, Any] = {"markeredgecolor": style.INK, "markeredgewidth": 0.5}
        return axes.plot(x, y, "o", markersize=4, color=colour, clip_on=False, zorder=3, **edge)[0]
    if mark.kind == "levels":
        return axes.hlines(y, x - 0.05, x + 0.05, color=style.INK, linewidth=1.4, zorder=2)
    if mark.kind == "line":
        return axes.plot(x, y, clip_on=False, **look)[0]
    bars = axes.bar(x, y, 0.1, facecolor=FILLS["recall"], edgecolor=style.INK, linewidth=0.25)
    for place, text in zip(x.tolist(), mark.texts):
        style.draw_text(axes, place, 5 / HEIGHT, text, 5, align="center")
    return bars


def _small_plots(chart: LineChart, sheet_width: float, recipe: str) -> Figure:
    """A plot for each curve: more than six lines are hard to distinguish in print."""
    few = len(chart.marks) <= 24
    per_row = (4 if few else 5) if sheet_width < style.COLUMN_WIDTHS["two"] else (6 if few else 8)
    rows = math.ceil(len(chart.marks) / per_row)
    wide = (sheet_width - 14) / per_row - 6
    high = min(0.8 * wide, (style.PAGE_HEIGHT - 40) / rows - 10)
    bottom = 4 + rows * (high + 10)
    figure = style.new_figure(sheet_width, bottom + 16, recipe)
    for k, mark in enumerate(chart.marks):
        axes = style.add_plot(figure, 14 + k % per_row * (wide + 6), 12 + k // per_row * (high + 10), wide, high)
        axes.set(xlim=(0, 1), ylim=(0, 1))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_ticks([0.5], [""])
        axes.fill_between(mark.x, mark.y, color=CURVE, linewidth=0, zorder=0.4)
        axes.plot(mark.x, mark.y, color=DOT, linewidth=0.8, clip_on=False)
        name = style.shorten_to_width(mark.title, 5.2, wide)
        axes.set_title(name, loc="left", fontsize=5.2, pad=2, family=style.font_names(name))
        style.draw_text(axes, 2.5 / wide, 4.5 / high, mark.ap, 5.2)
    numbers = "; the number is the AP" if any(mark.ap for mark in chart.marks) else ""
    x_title, y_title = (f"{title}, 0 to 100 %" for title in (chart.x_title, chart.y_title))
    style.draw_text(figure, sheet_width / 2, bottom + 10, f"{x_title}{numbers}", 6, align="center", color=style.SOFT)
    style.draw_text(figure, 6, bottom / 2, y_title, 6, align="center", rotation=90, color=style.SOFT)
    return figure


# Coloured cells.


def _cell_figure(chart: CellChart, width: str | None, caption: bool) -> Figure:
    from matplotlib.patches import Patch

    sheet_width = style.column_width(width, 26 * len(chart.columns) + 60)
    grid = plan_grid(chart.rows, chart.columns, sheet_width, top=2)
    below = grid.bottom + BAR_HEIGHT
    height = below + (style.LEGEND_LINE if "noise" in chart.titles else 0)
    figure = style.new_figure(sheet_width, height, *(chart.recipes if caption else ()))
    layers, rows, columns = chart.layers(LIGHT), range(len(chart.rows)), range(len(chart.columns))
    colours = [[cell_colour(layers, i, j) for j in columns] for i in rows]
    missing = np.array([[not text for text in row] for row in chart.numbers], bool).reshape(len(rows), len(columns))
    axes = draw_cells(figure, grid, colours, missing, ("class", "prediction"))
    if chart.outlined is not None:
        outlined = np.arange(len(columns)) == chart.outlined
        draw_outlines(axes, grid, np.broadcast_to(outlined, missing.shape))
    draw_numbers(axes, grid, chart.numbers, colours)
    draw_bars(
        figure, [(layer, chart.titles[layer.name]) for layer in layers if layer.name != "noise"], grid, sheet_width
    )
    if "noise" in chart.titles:
        style.draw_legend(figure, [(chart.titles["noise"], Patch(facecolor=LIGHT.grid))], (grid.left, below), 1, BOX)
    return figure
