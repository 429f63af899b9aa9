"""Colours: one for each label name, the same in all figures, and the light and dark theme.

The 24 label colours start with those of Okabe and Ito. Each further colour is the one farthest from all before it for
normal, protan and deutan vision, among colours visible on white and on dark paper. Colour scales start with the paper
colour for zero, followed by a small jump, which makes small positive values visible.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from layoutcm.colours import RIGHT, WRONG

Scale = tuple[tuple[float, str], ...]

LABEL_COLOURS = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#1c34fa", "#913f4b"),
    *("#857afa", "#85c085", "#cb059d", "#c00505", "#05627a", "#573fcb", "#fa4b6e", "#6e91d7"),
    *("#6262e3", "#ee91c0", "#346205", "#b4574b", "#a8287a", "#d78534", "#fa85fa", "#c03fc0"),
)
BACKGROUND_COLOUR = "#d9d9d9"
NOT_JUDGED_COLOUR = "#9aa0a6"
# One for each name in `page_tiles.AGREEMENT`.
AGREEMENT_COLOURS = (None, "#7fb2dd", "#9e2a2b", "#d9a3c7", "#6a4fa3", NOT_JUDGED_COLOUR)
# One for each cause of wrong pixels, in their order; grey for slack, which matters least. No label has one
# of these colours. `missed`, `invented` and `label` use the colours they have in `AGREEMENT_COLOURS`.
CAUSE_COLOURS = ("#b8bec6", "#6a4fa3", "#9cc4e4", "#3f8f6f", "#b5d9a8", "#d9a441", "#9e2a2b", "#d9a3c7")
SCORE_COLOURS = {"precision": "#bf8a30", "recall": "#6aa7c8", "f1": "#2f7d6b"}
LINE_CONTRAST = 3.0  # minimum contrast by WCAG for parts of a drawing that carry meaning
LIT = "#d62728"  # the pixels behind one cell of the matrix
# If all colours are taken, they are used again in darker and lighter shades.
SHADES = (0.0, -0.35, 0.4, -0.2, 0.22, -0.5, 0.55)

# Names with the same meaning share a colour, unless both occur.
_KNOWN_NAMES = (
    ("text paragraph plain-text", "#0072b2"),
    ("title doc-title document-title", "#c00505"),
    ("section-header paragraph-title heading", "#d55e00"),
    ("list-item list", "#56b4e9"),
    ("table", "#009e73"),
    ("picture figure image", "#cc79a7"),
    ("caption figure-title figure-caption", "#573fcb"),
    ("table-title table-caption", "#346205"),
    ("formula equation", "#cb059d"),
    ("footnote", "#913f4b"),
    ("page-header header", "#e69f00"),
    ("page-footer footer", "#b4574b"),
    ("reference references", "#05627a"),
)
KNOWN_LABELS = {name: colour for names, colour in _KNOWN_NAMES for name in names.split()}


def label_colours(labels: Sequence[str]) -> dict[str, str]:
    """'#rrggbb' for each label, chosen by its name; if two names prefer one colour, the alphabetically first gets it.

    Known names come first, so an unknown name never takes the colour of a known one. Two spellings of one name
    ("Page-header", "page_header") have the same colour.
    """
    given: dict[str, str] = {}
    for name in sorted({_colour_key(label) for label in labels}, key=lambda name: (name not in KNOWN_LABELS, name)):
        given[name] = BACKGROUND_COLOUR if name == "background" else _first_free(name, set(given.values()))
    return {label: given[_colour_key(label)] for label in labels}


def _colour_key(label: str) -> str:
    return re.sub(r"[\s_-]+", "-", label.strip().casefold())


def _first_free(name: str, taken: set[str]) -> str:
    """The preferred colour of a name; if taken, the next free one in an order that depends on the name."""
    hashed = zlib.crc32(name.encode("utf-8", "surrogatepass"))
    n = len(LABEL_COLOURS)
    start = LABEL_COLOURS.index(KNOWN_LABELS[name]) if name in KNOWN_LABELS else hashed % n
    # 5, 7, 11 ... have no common factor with 24, so each order contains every colour.
    step = (5, 7, 11, 13, 17, 19)[hashed // n % 6]
    ordered = [LABEL_COLOURS[(start + step * k) % n] for k in range(n)]
    shades = (shade(colour, by) for by in SHADES for colour in ordered)
    return next((colour for colour in shades if colour not in taken), ordered[0])


def shade(colour: str, by: float) -> str:
    """The colour mixed with white (by > 0) or black (by < 0)."""
    return mix(colour, "#ffffff" if by > 0 else "#000000", abs(by))


def mix(colour: str, other: str, share: float) -> str:
    """'#rrggbb' between `colour` (share 0) and `other` (share 1)."""
    parts = zip(rgb(colour), rgb(other))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in parts)


def blend(colours: Sequence[str]) -> str:
    """The equal mixture of the colours, used for a pixel with several labels."""
    mixture = colours[0]
    for n, colour in enumerate(colours[1:], start=2):
        mixture = mix(mixture, colour, 1 / n)
    return mixture


def rgb(colour: str) -> tuple[int, int, int]:
    """Red, green and blue, 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def scale_colour(scale: Scale, place: float) -> str:
    """The colour of a scale at a position between 0 and 1."""
    for (low, colour), (high, following) in pairwise(scale):
        if place <= high:
            return mix(colour, following, max(place - low, 0) / (high - low))
    return scale[-1][1]


def text_colour_on(colour: str) -> str:
    """Black or white, whichever has more contrast on `colour` (WCAG); at least 4.5."""
    return "#000000" if _luminance(colour) > 0.179 else "#ffffff"


def line_colour(colour: str, theme: Theme) -> str:
    """The colour of a label for a thin line, mixed with just enough text colour to be visible on the paper."""
    shares = (step / 20 for step in range(21))
    mixed = (mix(colour, theme.text, share) for share in shares)
    return next(one for one in mixed if contrast(one, theme.background) >= LINE_CONTRAST)


def contrast(colour: str, other: str) -> float:
    """The contrast ratio of WCAG, 1 to 21."""
    low, high = sorted((_luminance(colour), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    linear = [(c / 255 / 12.92) if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def rising_scale(*colours: str) -> Scale:
    """A scale that has the first colour (the paper) at 0 and starts with the second colour just above 0."""
    steps = len(colours) - 2
    return ((0.0, colours[0]), *((max(k / steps, 1e-6), colour) for k, colour in enumerate(colours[1:])))


def even_scale(*colours: str) -> Scale:
    """A scale that has the colours at equal distances, the first at 0 and the last at 1."""
    return tuple((k / (len(colours) - 1), colour) for k, colour in enumerate(colours))


class Theme(NamedTuple):
    """The colours of a figure; `hit`, `miss` and `diverging` are scales, `diverging` has 0 in the middle."""

    background: str
    text: str
    grid: str
    accent: str
    muted: str
    hit: Scale
    miss: Scale
    diverging: Scale


LIGHT_PAPER, DARK_PAPER = "#ffffff", "#0e1117"
LIGHT = Theme(
    LIGHT_PAPER, "#262730", "#e3e6ea", "#1f6fb5", "#6b7280",
    hit=rising_scale(LIGHT_PAPER, "#eaf2fa", "#bcd7ee", "#7fb2dd", RIGHT, "#0b4f8a"),
    miss=rising_scale(LIGHT_PAPER, "#fff4d9", "#fdd58c", "#f9a352", WRONG, "#a8160f"),
    diverging=even_scale("#a8160f", "#ee8a55", LIGHT_PAPER, "#7fb2dd", "#0b4f8a"),
)  # fmt: skip
DARK = Theme(
    DARK_PAPER, "#fafafa", "#2b303b", "#7cb9ec", "#9aa3b2",
    hit=rising_scale(DARK_PAPER, "#14202f", "#193a5c", "#1f5a8f", "#3b86c4", "#7cb9ec"),
    miss=rising_scale(DARK_PAPER, "#2a2114", "#5a3d12", "#9a5a14", "#dc6a2a", "#ff6b57"),
    diverging=even_scale("#ff6b57", "#8f4222", DARK_PAPER, "#1f5a8f", "#7cb9ec"),
)  # fmt: skip
