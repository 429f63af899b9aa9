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

from layoutcm.errors import InputError, shown
from layoutcm.wording import one_line, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")
# The columns of a two-column paper: 85 mm and 178 mm.
WIDTHS = {"one": 241.0, "two": 504.0}
HIGHEST = 660.0
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
def printing(**more: Any) -> Iterator[None]:
    """Matplotlib's own defaults and our style, whatever the process has set; back to that afterwards."""
    from matplotlib import style

    with _lock, warnings.catch_warnings(), style.context(["default", STYLE | more]):
        # A character that no font of the machine has is drawn as a box; that is no reason to complain at each.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def printed(draw: Callable[Arguments, Figure]) -> Callable[Arguments, Figure]:
    """The drawing function under our style."""

    @wraps(draw)
    def under_style(*given: Arguments.args, **named: Arguments.kwargs) -> Figure:
        with printing():
            return draw(*given, **named)

    return under_style


def file_of(figure: Figure, format: str) -> bytes:
    """The figure as PNG (300 dpi), SVG (text is text) or PDF (fonts embedded); equal figures make equal bytes."""
    if format not in FORMATS:
        raise InputError("", "format", f"{shown(format)} is not known", f"Use one of {', '.join(FORMATS)}.")
    out = io.BytesIO()
    with printing(**{"pdf.fonttype": 3 if _needs_outlines(figure) else 42}):
        figure.savefig(out, format=format, dpi=DPI, metadata=METADATA[format])
    return out.getvalue()


def sheet(width: float, height: float, *recipes: str) -> tuple[Figure, Axes]:
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
        write(axes, 4, height + 4 + line_height * k, line, CAPTION_SIZE, color=SOFT, zorder=9)
    return figure, axes


def width_of(name: str | None, wants: float) -> float:
    """The asked column's width; without a wish, one column where `wants` points fit into it, else two."""
    if name is None:
        return WIDTHS["one"] if wants <= WIDTHS["one"] else WIDTHS["two"]
    if name not in WIDTHS:
        raise InputError("", "width", f"{shown(name)} is not a width", f"Use one of {', '.join(WIDTHS)}.")
    return WIDTHS[name]


def write(axes: Axes, x: float, y: float, text: str, size: float, **look: Any) -> None:
    """Text as typed, whatever it looks like: no mathematics, no markup. `align` is left, centre or right."""
    look = {"color": INK, "ha": look.pop("align", "left"), "va": "center_baseline", "rotation_mode": "anchor"} | look
    text = one_line(text)
    axes.text(x, y, text, fontsize=size, parse_math=False, usetex=False, family=families(text), **look)


def text_width(text: str, size: float) -> float:
    return size * _width_at_one(one_line(text))


@lru_cache(8192)
def _width_at_one(text: str) -> float:
    from matplotlib.font_manager import FontProperties

    # Measured large, because small letters are set on whole pixels.
    look = FontProperties(family=families(text), size=100)
    wide, _, _ = _renderer().get_text_width_height_descent(text, look, False)
    return wide / 100


def fitting(text: str, size: float, most: float) -> str:
    """The text, cut in its middle where it is wider than `most` points."""
    text = one_line(text)
    keep = len(text)
    while keep > 1 and (wide := text_width(short(text, keep), size)) > most:
        keep = max(min(keep - 1, int(keep * most / wide)), 1)
    return short(text, keep)


def lines_of(parts: Sequence[str], joint: str, size: float, most: float) -> list[str]:
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
    return lines_of(recipe.split("|"), "|", CAPTION_SIZE, width - 8) if recipe else []


def families(text: str) -> list[str]:
    """The font, and those of the machine that have what it lacks."""
    others = dict.fromkeys(name for character in text if (name := _font_with(character)))
    return [FONT, *others, "sans-serif"]


@lru_cache(4096)
def _font_with(character: str) -> str | None:
    """A font of this machine that has the character, if DejaVu has not."""
    if character.isascii() or _has(FONT, character):
        return None
    return next((name for name in _other_fonts() if _has(name, character)), None)


@lru_cache(1)
def _other_fonts() -> list[str]:
    from matplotlib.font_manager import fontManager

    installed = {entry.name for entry in fontManager.ttflist}
    noto = sorted(name for name in installed if name.startswith(("Noto Sans", "Noto Emoji")) and "CJK" not in name)
    return [name for name in (*OTHER_FONTS, *noto) if name in installed]


def _has(font: str, character: str) -> bool:
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
    names = {name for text in texts for name in families(text.get_text()) if name not in (FONT, "sans-serif")}
    return any(not str(findfont(name)).lower().endswith(".ttf") for name in names)
