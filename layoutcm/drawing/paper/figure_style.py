"""The basics of all paper figures: one Matplotlib style, text that fits, reproducible files.

Sizes are in points (1/72 inch). pyplot is not used. Matplotlib's global settings are changed only while drawing and
under one lock, so threads do not disturb each other.
"""

from __future__ import annotations

import io
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, ParamSpec

from layoutcm.errors import check_choice
from layoutcm.wording import one_line, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform

FIGURE_FORMATS = ("png", "svg", "pdf")
# The columns of a two-column paper: 85 mm and 178 mm.
COLUMN_WIDTHS = {"one": 241.0, "two": 504.0}
PAGE_HEIGHT = 660.0
DPI = 300
INK, SOFT, LINE = "#1a1a1a", "#5c5c5c", "#c9c9c9"
CAPTION_SIZE = 5.0
LEGEND_LINE = 9.0  # the height of a line of a legend
# Limits on characters: of one shortened text, and of all labels on one side of a matrix. A label may have a thousand
# characters, and each is measured and then drawn in three formats.
MOST_CHARACTERS = 60
MOST_LABEL_CHARACTERS = 1_600
OTHER_CHARACTER = 3  # text in other fonts may have a third as many: each says more and is slower to draw
# Matplotlib takes a second to embed each font, and each further 256 characters of it, as TrueType.
MOST_EMBEDDED_CHARACTERS, MOST_EMBEDDED_FONTS = 256, 3
FONT = "DejaVu Sans"  # comes with Matplotlib, so it is the same everywhere
# Tried first for characters that DejaVu lacks, before the installed Noto fonts.
OTHER_FONTS = (
    *("Noto Sans CJK SC", "Source Han Sans SC", "Microsoft YaHei", "PingFang SC", "Hiragino Sans GB"),
    *("WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Droid Sans Fallback", "Arial Unicode MS"),
)
TICKS = {"labelcolor": SOFT, "labelsize": 5.5, "major.size": 0, "minor.size": 0, "major.pad": 3}
STYLE = {
    "font.family": ["sans-serif"],
    "font.sans-serif": [FONT],
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": SOFT,
    "axes.linewidth": 0.4,
    "axes.labelcolor": INK,
    "axes.labelsize": 6,
    "axes.labelpad": 2,
    "axes.titlesize": 6.5,
    "axes.titlepad": 4,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": LINE,
    "grid.linewidth": 0.35,
    **{f"{axis}tick.{name}": value for axis in "xy" for name, value in TICKS.items()},
    "lines.linewidth": 1,
    "hatch.linewidth": 0.35,
    "legend.frameon": False,
    "legend.borderpad": 0,
    "legend.borderaxespad": 0,
    "legend.columnspacing": 1.5,
    "legend.handletextpad": 0.5,
    "path.simplify": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "layoutcm",
}
METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": "layoutcm"},
    "svg": {"Date": None, "Creator": "layoutcm"},
    "pdf": {"CreationDate": None, "Creator": "layoutcm", "Producer": "layoutcm"},
}

_lock = threading.RLock()
Arguments = ParamSpec("Arguments")


@contextmanager
def paper_style(**more: Any) -> Iterator[None]:
    """Use Matplotlib's defaults and STYLE inside the block; restore the settings of the process afterwards."""
    from matplotlib import style

    with _lock, warnings.catch_warnings(), style.context(["default", STYLE | more]):
        # A character that no installed font has is drawn as a box; do not warn about each.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def with_paper_style(draw: Callable[Arguments, Figure]) -> Callable[Arguments, Figure]:
    """Decorate a drawing function to run inside `paper_style`."""

    @wraps(draw)
    def draw_with_style(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Figure:
        with paper_style():
            return draw(*args, **kwargs)

    return draw_with_style


def figure_bytes(figure: Figure, format: str) -> bytes:
    """The figure as PNG (300 dpi), SVG (text stays text) or PDF (embedded fonts); equal figures give equal bytes."""
    check_choice("format", format, FIGURE_FORMATS)
    out = io.BytesIO()
    with paper_style(**{"pdf.fonttype": 3 if _needs_outlines(figure) else 42}):
        figure.savefig(out, format=format, dpi=DPI, metadata=METADATA[format])
    return out.getvalue()


def new_figure(width: float, height: float, *recipes: str) -> Figure:
    """A white figure of this size in points; the recipes are added below, and `height` does not include them."""
    from matplotlib.figure import Figure

    captions = (break_lines(recipe.split("|"), "|", CAPTION_SIZE, width - 8) for recipe in recipes if recipe)
    lines = [line for caption in captions for line in caption]
    line_height = 1.3 * CAPTION_SIZE
    whole = height + line_height * len(lines) + 4
    figure = Figure((width / 72, whole / 72), facecolor="white")
    for k, line in enumerate(lines):
        # Drawn last, so a text search or a screen reader finds it last.
        draw_text(figure, 4, height + 4 + line_height * k, line, CAPTION_SIZE, color=SOFT, zorder=9)
    return figure


def add_plot(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Add axes at a place of the sheet, in points from its upper left corner."""
    wide, high = (72 * inches for inches in figure.get_size_inches())
    return figure.add_axes((left / wide, 1 - (top + height) / high, width / wide, height / high))


def column_width(name: str | None, needed: float) -> float:
    """The width of the named column; without a name, one column if `needed` points fit into it, else two."""
    if name is None:
        return COLUMN_WIDTHS["one"] if needed <= COLUMN_WIDTHS["one"] else COLUMN_WIDTHS["two"]
    check_choice("width", name, COLUMN_WIDTHS)
    return COLUMN_WIDTHS[name]


def draw_text(place: Axes | Figure, x: float, y: float, text: str, size: float, **look: Any) -> None:
    """Draw text literally, without math or markup. `align` is left, center or right.

    On a figure, x and y are points from its upper left corner.
    """
    from matplotlib.figure import Figure

    look = {"color": INK, "ha": look.pop("align", "left"), "va": "center_baseline", "rotation_mode": "anchor"} | look
    if isinstance(place, Figure):
        look = {"transform": sheet_points(place)} | look
    text = one_line(text)
    place.text(x, y, text, fontsize=size, parse_math=False, usetex=False, family=font_names(text), **look)


def sheet_points(figure: Figure) -> Transform:
    """The transform of points from the upper left corner of a figure."""
    from matplotlib.transforms import Affine2D

    return Affine2D().scale(1 / 72, -1 / 72).translate(0, figure.get_figheight()) + figure.dpi_scale_trans


def draw_lines(axes: Axes, lines: Sequence[Sequence[tuple[float, float]]], **look: Any) -> None:
    """Draw many lines as one collection, which is faster than one by one; by default in the style of grid lines."""
    from matplotlib.collections import LineCollection

    grid: dict[str, Any] = {"colors": LINE, "linewidths": 0.35, "zorder": 0}
    axes.add_collection(LineCollection(lines, **grid | look), autolim=False)


def draw_legend(
    figure: Figure, legend: Sequence[tuple[str, Any]], place: tuple[float, float], columns: int, long: float
) -> None:
    """Draw texts and their marks with the upper left corner at a place of the sheet; entries run along the rows.

    `long` is the length of the marks, in points.
    """
    # Matplotlib fills column after column.
    order = [legend[k] for column in range(columns) for k in range(column, len(legend), columns)]
    drawn = figure.legend(
        [mark for _, mark in order],
        ["x"] * len(order),  # a label that starts with _ would not be shown
        loc="upper left",
        bbox_to_anchor=place,
        bbox_transform=sheet_points(figure),
        ncols=columns,
        fontsize=6,
        handlelength=long / 6,
    )
    for text, (name, _) in zip(drawn.get_texts(), order):
        text.set(text=one_line(name), family=font_names(name))


def legend_columns(names: Sequence[str], width: float, long: float) -> int:
    """How many columns of marks and names fit into the width, with lines of about equal length."""
    most = max(int((width - 8) / max(text_width(name, 6) + long + 12 for name in [*names, ""])), 1)
    lines = -(-len(names) // most)
    return -(-len(names) // max(lines, 1)) or 1


def text_width(text: str, size: float) -> float:
    return size * _width_at_size_one(one_line(text))


@lru_cache(8192)
def _width_at_size_one(text: str) -> float:
    from matplotlib.font_manager import FontProperties

    # Measured at a large size, because the widths of small letters are rounded to whole pixels.
    look = FontProperties(family=font_names(text), size=100)
    width, _, _ = _renderer().get_text_width_height_descent(text, look, False)
    return width / 100


def shorten_labels(labels: Sequence[str], size: float, most: float) -> list[str]:
    """The labels of one side of a figure, each shortened to `most` points, and all of them to MOST_LABEL_CHARACTERS."""
    characters = MOST_LABEL_CHARACTERS // max(len(labels), 1)
    return [shorten_to_width(label, size, most, characters) for label in labels]


def shorten_to_width(text: str, size: float, most: float, characters: int = MOST_CHARACTERS) -> str:
    """The text, shortened in the middle if it is wider than `most` points or has more characters."""
    text = one_line(text)
    keep = min(len(text), characters, MOST_CHARACTERS)
    if not all(_is_in_main_font(character) for character in text[:keep]):
        keep = min(keep, max(min(characters, MOST_CHARACTERS) // OTHER_CHARACTER, 1))
    while keep > 1 and (width := text_width(shorten(text, keep), size)) > most:
        keep = max(min(keep - 1, int(keep * most / width)), 1)
    return shorten(text, keep)


def break_lines(parts: Sequence[str], joint: str, size: float, most: float) -> list[str]:
    """Join the parts into lines of at most `most` points; a part is split only if it is longer than a line."""
    lines = [""]
    for piece in (piece for part in parts for piece in _pieces(part, size, most)):
        longer = f"{lines[-1]}{joint}{piece}" if lines[-1] else piece
        if lines[-1] and text_width(longer, size) > most:
            lines.append(piece)
        else:
            lines[-1] = longer
    return [*(line + joint for line in lines[:-1]), lines[-1]]


def _pieces(part: str, size: float, most: float) -> Iterator[str]:
    part = one_line(part)
    while text_width(part, size) > most:
        fits = next(n for n in range(len(part) - 1, 0, -1) if n == 1 or text_width(part[:n], size) <= most)
        yield part[:fits]
        part = part[fits:]
    yield part


def font_names(text: str) -> list[str]:
    """The default font, and installed fonts that have the characters it lacks."""
    others = dict.fromkeys(name for character in text if (name := _font_with(character)))
    return [FONT, *others, "sans-serif"]


@lru_cache(4096)
def _font_with(character: str) -> str | None:
    """An installed font that has the character; None if DejaVu has it or no font has it."""
    if _is_in_main_font(character):
        return None
    return next((name for name in _other_fonts() if _font_has(name, character)), None)


@lru_cache(4096)
def _is_in_main_font(character: str) -> bool:
    return character.isascii() or _font_has(FONT, character)


@lru_cache(1)
def _other_fonts() -> list[str]:
    from matplotlib.font_manager import fontManager

    installed = {entry.name for entry in fontManager.ttflist}
    noto = sorted(name for name in installed if name.startswith(("Noto Sans", "Noto Emoji")) and "CJK" not in name)
    return [name for name in (*OTHER_FONTS, *noto) if name in installed]


def _font_has(font: str, character: str) -> bool:
    from matplotlib.font_manager import findfont, get_font

    return bool(get_font(findfont(font)).get_char_index(ord(character)))


@lru_cache(1)
def _renderer() -> Any:
    from matplotlib.backends.backend_agg import RendererAgg

    return RendererAgg(1, 1, 72)


def _needs_outlines(figure: Figure) -> bool:
    """Whether a PDF stores glyphs as outlines: only .ttf fonts can be embedded, and embedding many is slow."""
    from matplotlib.font_manager import findfont
    from matplotlib.text import Text

    characters = {character for text in figure.findobj(Text) for character in text.get_text()}
    names = {name for name in font_names("".join(sorted(characters))) if name not in (FONT, "sans-serif")}
    if len(characters) > MOST_EMBEDDED_CHARACTERS or len(names) > MOST_EMBEDDED_FONTS:
        return True
    return any(not str(findfont(name)).lower().endswith(".ttf") for name in names)
