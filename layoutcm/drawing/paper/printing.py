"""Matplotlib as a printer: one style, text that fits, files that come out the same every time.

Sizes are points (1/72 inch). No pyplot and no figure that outlives its call; what Matplotlib reads from its global
settings is set for the time of drawing under one lock, so that threads do not disturb each other.
"""

from __future__ import annotations

import io
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, ParamSpec

from layoutcm.errors import InputError, short_repr
from layoutcm.wording import one_line, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIGURE_FORMATS = ("png", "svg", "pdf")
# The columns of a two-column paper: 85 mm and 178 mm.
COLUMN_WIDTHS = {"one": 241.0, "two": 504.0}
PAGE_HEIGHT = 660.0
DPI = 300
INK, SOFT, LINE = "#1a1a1a", "#5c5c5c", "#c9c9c9"
CAPTION_SIZE = 5.0
FONT = "DejaVu Sans"  # comes with Matplotlib, so it is the same everywhere
# Asked first for what DejaVu lacks; the machine's other Noto fonts follow.
OTHER_FONTS = (
    *("Noto Sans CJK SC", "Source Han Sans SC", "Microsoft YaHei", "PingFang SC", "Hiragino Sans GB"),
    *("WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Droid Sans Fallback", "Arial Unicode MS"),
)
STYLE = {
    "font.family": ["sans-serif"],
    "font.sans-serif": [FONT],
    "axes.linewidth": 0.5,
    "hatch.linewidth": 0.35,
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
    """Matplotlib's own defaults and our style, whatever the process has set; back to that afterwards."""
    from matplotlib import style

    with _lock, warnings.catch_warnings(), style.context(["default", STYLE | more]):
        # A character that no font of the machine has is drawn as a box; that is no reason to complain at each.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def with_paper_style(draw: Callable[Arguments, Figure]) -> Callable[Arguments, Figure]:
    """The drawing function under our style."""

    @wraps(draw)
    def under_style(*given: Arguments.args, **named: Arguments.kwargs) -> Figure:
        with paper_style():
            return draw(*given, **named)

    return under_style


def figure_bytes(figure: Figure, format: str) -> bytes:
    """The figure as PNG (300 dpi), SVG (text is text) or PDF (fonts embedded); equal figures make equal bytes."""
    if format not in FIGURE_FORMATS:
        raise InputError("", "format", f"{short_repr(format)} is not known", f"Use one of {', '.join(FIGURE_FORMATS)}.")
    out = io.BytesIO()
    with paper_style(**{"pdf.fonttype": 3 if _needs_outlines(figure) else 42}):
        figure.savefig(out, format=format, dpi=DPI, metadata=METADATA[format])
    return out.getvalue()


def new_sheet(width: float, height: float, *recipes: str) -> tuple[Figure, Axes]:
    """A white figure and axes that cover it: x from 0, y down from 0, in points; recipes stand below `height`."""
    from matplotlib.figure import Figure

    lines = [line for recipe in recipes for line in caption_lines(recipe, width)]
    line_height = 1.3 * CAPTION_SIZE
    whole = height + line_height * len(lines) + 4
    figure = Figure((width / 72, whole / 72), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set(xlim=(0, width), ylim=(whole, 0))
    for k, line in enumerate(lines):
        # Drawn last, so that it comes last in what a search or a screen reader finds.
        draw_text(axes, 4, height + 4 + line_height * k, line, CAPTION_SIZE, color=SOFT, zorder=9)
    return figure, axes


def column_width(name: str | None, wants: float) -> float:
    """The asked column's width; without a wish, one column where `wants` points fit into it, else two."""
    if name is None:
        return COLUMN_WIDTHS["one"] if wants <= COLUMN_WIDTHS["one"] else COLUMN_WIDTHS["two"]
    if name not in COLUMN_WIDTHS:
        raise InputError("", "width", f"{short_repr(name)} is not a width", f"Use one of {', '.join(COLUMN_WIDTHS)}.")
    return COLUMN_WIDTHS[name]


def draw_text(axes: Axes, x: float, y: float, text: str, size: float, **look: Any) -> None:
    """Text as typed, whatever it looks like: no mathematics, no markup. `align` is left, centre or right."""
    look = {"color": INK, "ha": look.pop("align", "left"), "va": "center_baseline", "rotation_mode": "anchor"} | look
    text = one_line(text)
    axes.text(x, y, text, fontsize=size, parse_math=False, usetex=False, family=font_names(text), **look)


def text_width(text: str, size: float) -> float:
    return size * _width_at_one(one_line(text))


@lru_cache(8192)
def _width_at_one(text: str) -> float:
    from matplotlib.font_manager import FontProperties

    # Measured large, because small letters are set on whole pixels.
    look = FontProperties(family=font_names(text), size=100)
    wide, _, _ = _renderer().get_text_width_height_descent(text, look, False)
    return wide / 100


def shorten_to_width(text: str, size: float, most: float) -> str:
    """The text, cut in its middle where it is wider than `most` points."""
    text = one_line(text)
    keep = len(text)
    while keep > 1 and (wide := text_width(shorten(text, keep), size)) > most:
        keep = max(min(keep - 1, int(keep * most / wide)), 1)
    return shorten(text, keep)


def break_lines(parts: Sequence[str], joint: str, size: float, most: float) -> list[str]:
    """The parts joined to lines of at most `most` points; a part is broken only when it is longer than a line."""
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


def caption_lines(recipe: str, width: float) -> list[str]:
    return break_lines(recipe.split("|"), "|", CAPTION_SIZE, width - 8) if recipe else []


def font_names(text: str) -> list[str]:
    """The font, and those of the machine that have what it lacks."""
    others = dict.fromkeys(name for character in text if (name := _font_with(character)))
    return [FONT, *others, "sans-serif"]


@lru_cache(4096)
def _font_with(character: str) -> str | None:
    """A font of this machine that has the character, if DejaVu has not."""
    if character.isascii() or _font_has(FONT, character):
        return None
    return next((name for name in _other_fonts() if _font_has(name, character)), None)


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
    """Whether a PDF must keep glyphs as outlines: fonts that are no plain TrueType cannot be embedded as such."""
    from matplotlib.font_manager import findfont

    texts = (text for axes in figure.axes for text in axes.texts)
    names = {name for text in texts for name in font_names(text.get_text()) if name not in (FONT, "sans-serif")}
    return any(not str(findfont(name)).lower().endswith(".ttf") for name in names)
