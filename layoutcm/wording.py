"""Short text for labels and numbers, and the only rounding for display: matrix cells, bars, tables.

Data files keep every digit. `drawing/web/text.js` repeats the rules that the browser needs; a test
compares both.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import ROUND_DOWN, Context
from itertools import count
from typing import Any

MISSING = "–"
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")  # of a cell that a spreadsheet computes
NAME_LENGTH = 40  # of a label or page in a table with many columns
SUGGESTED = "layoutcm suggest-mapping (suggest_mapping in Python) suggests one"
USE_A_MAPPING = f"use a mapping; {SUGGESTED}"
THRESHOLD_DIGITS = Context(prec=4, rounding=ROUND_DOWN)
# Control characters except the end of a line, marks that change the direction of text or cannot be seen, and characters
# that are none: a label must not send commands to a terminal, or make a message look like another one.
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")


def shorten(text: str, limit: int) -> str:
    """The text in at most `limit` characters; cut in the middle, because long labels often differ at their ends."""
    if len(text) <= limit:
        return text
    tail = (limit - 1) // 3
    return f"{text[: limit - 1 - tail]}…{text[len(text) - tail :]}"


def short_name(text: str, limit: int = NAME_LENGTH) -> str:
    """A name on one line and not too long, so it cannot look like other lines or widen a table."""
    return shorten(one_line(text), limit)


def aligned_lines(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """The rows as lines with columns of one width; `sides` has "<" or ">" for each column."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    cells = lambda row: (f"{text:{side}{width}}" for text, side, width in zip(row, sides, widths))
    return ["  ".join(cells(row)).rstrip() for row in rows]


def as_heading(text: str) -> str:
    """The text with a capital at its start."""
    return text[:1].upper() + text[1:]


def without_control_characters(text: str) -> str:
    """The text with a blank for each control character or invisible mark; its lines stay."""
    return _CONTROL.sub(" ", text)


def one_line(text: str) -> str:
    """The text on one line, without control characters and lone surrogates, which every file format accepts."""
    valid = text.encode("utf-8", "replace").decode("utf-8")
    return without_control_characters(valid).replace("\n", " ")


def escape_markdown(text: str) -> str:
    """The text on one line, with a backslash before every character that Markdown would interpret."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~<>$:&@=^])", r"\\\1", one_line(text))


def grouped(value: float, separator: str) -> str:
    """A pixel count in full, with a separator between thousands; fractions come from pixels with several labels.

    A count that is not whole has one decimal, or two if it is below 1.
    """
    # Apart from the rounding error of a sum of fractions.
    is_whole = abs(value - round(value)) <= 1e-9 * max(abs(value), 1)
    digits = 0 if is_whole else 1 if abs(value) >= 1 else 2
    return f"{value:,.{digits}f}".replace(",", separator)


def thin_spaced(value: float) -> str:
    """A pixel count in full, with thin spaces between thousands."""
    return grouped(value, "\u202f")


def pixels_brief(value: float) -> str:
    """A pixel count in three or four characters: 0.33, 812, 1.2k, 34k, 1.2M."""
    if value < 9.95 and not float(value).is_integer():
        return f"{value:.2g}" if value >= 0.01 else "<0.01"
    if value < 999.5:
        return f"{value:.0f}"
    power = sum(value >= 999.5 * 1000**k for k in range(4))
    scaled = value / 1000**power
    return (f"{scaled:.1f}" if scaled < 9.95 else f"{scaled:.0f}") + " kMGT"[power]


def percent_brief(value: float) -> str:
    """A share as a percentage in two or three digits, without the % sign; 100 only if it is exactly 100."""
    percent = 100 * value
    if percent < 0.05:
        return "<0.1"
    if 99.5 <= percent < 100:
        return f"{min(percent, 99.9):.1f}"
    return f"{percent:.1f}" if percent < 9.95 else f"{percent:.0f}"


def score_text(value: float | None, digits: int = 3) -> str:
    """'0.436'; '0.000' and '1.000' only if exact, else '<0.001' and '0.999'; the same below 0, with '>-0.001'."""
    if value is None or math.isnan(value):
        return MISSING
    if value < 0:
        size = score_text(-value, digits)
        return f">-{size[1:]}" if size[0] == "<" else f"-{size}"
    value, step = value + 0.0, 10.0**-digits  # adding 0 turns -0.0 into 0.0
    if 0 < value < 1 and f"{value:.{digits}f}" == f"{0:.{digits}f}":
        return f"<{step:.{digits}f}"
    return f"{min(value, 1 - step) if value < 1 else value:.{digits}f}"


def difference_text(value: float | None, digits: int = 3) -> str:
    """'+0.436'; '0.000' only if exact, else '<+0.001' or '>-0.001'; '+1.000' only if exact."""
    if value is None or math.isnan(value):
        return MISSING
    if value == 0:
        return f"{0:.{digits}f}"
    text = score_text(value, digits)
    return text if value < 0 else f"<+{text[1:]}" if text[0] == "<" else f"+{text}"


def points_text(value: float) -> str:
    """'+2.02': the difference of two shares in percentage points, without their name; '0.00' only if exact."""
    return difference_text(100 * value, 2)


def pixel_change_text(value: float) -> str:
    """'+1 234': the difference of two pixel counts, with thin spaces between thousands."""
    return f"{'+' if value > 0 else '-' if value < 0 else ''}{thin_spaced(abs(value))}"


def iou_text(value: float) -> str:
    """'0.50': an IoU that was chosen."""
    return f"{value:.2f}"


def plain_number(value: float, digits: int = 6) -> str:
    """'0.5': a number that was chosen, or that is written at a tick, with as many digits as it has, up to `digits`."""
    return f"{value:.{digits}g}"


def percent_tick(value: float, digits: int = 6) -> str:
    """'0.5': a share at a tick of an axis whose title says that it is in %."""
    return plain_number(100 * value, digits)


def plain_percent(value: float, digits: int = 6) -> str:
    """'0.5 %': a share that was chosen, such as a level or a tolerance, or that is written at a tick."""
    return f"{percent_tick(value, digits)} %"


def threshold_text(value: float | None) -> str:
    """'0.7199': a score threshold, rounded down to four digits: rounded up, it would drop the regions at it."""
    if value is None or math.isnan(value):
        return MISSING
    return f"{float(THRESHOLD_DIGITS.create_decimal(repr(float(value)))):g}"


def pixels_in_full(value: float) -> str:
    """A pixel count in full, with commas between thousands."""
    return MISSING if math.isnan(value) else grouped(value, ",")


def agree(count: int, one: str, many: str) -> str:
    """The form of a word that agrees with a count: "is" or "are"."""
    return one if count == 1 else many


def plural(count: int, one: str, many: str = "") -> str:
    """'1 page', '2 pages'; with `many`, '1 page has', '2 pages have'."""
    return f"{count:,} {agree(count, one, many or one + 's')}"


def percent(value: float | None) -> str:
    """'43.6 %', '5.23 %': three significant digits; '0 %' and '100 %' only if exact, else '<0.001 %' and '99.9 %'."""
    if value is None or math.isnan(value):
        return MISSING
    if value == 0:
        return "0 %"
    rounded = float(f"{100 * value:.3g}")
    rounded = min(rounded, 99.9) if value < 1 else rounded
    return f"{rounded:.{max(2 - math.floor(math.log10(rounded)), 0)}f} %" if rounded >= 0.001 else "<0.001 %"


def make_unique(names: Sequence[str]) -> list[str]:
    """The names with repeated ones numbered: a second "a" becomes "a (2)"."""
    taken, unique = set(names), list[str]()
    for name in names:
        free = (f"{name} ({k})" for k in count(2) if f"{name} ({k})" not in taken)
        unique.append(name if name not in unique else next(free))
        taken.add(unique[-1])
    return unique


def pixels_as_number(pixels: float) -> float | int:
    """An int if the number is whole: pixel counts are whole unless the rounding is `exact`."""
    return int(pixels) if float(pixels).is_integer() else float(pixels)


def as_text_cell(text: Any) -> Any:
    """A cell of a CSV: text that a spreadsheet would compute has an apostrophe before it; numbers stay numbers.

    Some spreadsheets ignore blanks before a formula.
    """
    return f"'{text}" if isinstance(text, str) and text.lstrip(" ").startswith(FORMULA_STARTS) else text


def without_text_mark(text: str) -> str:
    """The text without the apostrophe of `as_text_cell`."""
    return text[1:] if text.startswith("'") and as_text_cell(text[1:]) == text else text
