"""How labels and numbers are written where room is short: in the cells of a matrix, beside a bar, in a table.

Text for people; files keep every digit.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

MISSING = "–"


def shorten(text: str, most: int) -> str:
    """At most so many characters; cut in the middle, because long labels differ at their ends."""
    if len(text) <= most:
        return text
    tail = (most - 1) // 3
    return f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"


def one_line(text: str) -> str:
    """The text as it can stand in a cell of any format: on one line, without control characters or lone surrogates."""
    valid = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(" " if ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u2028\u2029\ufffe\uffff" else c for c in valid)


def thin_spaced(value: float) -> str:
    """A pixel count in full, with thin spaces between thousands."""
    return (f"{value:,.0f}" if _is_whole(value) else f"{value:,.2f}").replace(",", "\u202f")


def _is_whole(pixels: float) -> bool:
    """Up to what adding many parts of pixels leaves behind."""
    return abs(pixels - round(pixels)) <= 1e-9 * max(abs(pixels), 1)


def pixels_brief(value: float) -> str:
    """A pixel count in three or four characters: 0.33, 812, 1.2k, 34k, 1.2M."""
    if value < 9.95 and not float(value).is_integer():
        return f"{value:.2g}" if value >= 0.01 else "<0.01"
    if value < 999.5:
        return f"{value:.0f}"
    power = min(int(math.log10(value * 1.0005) // 3), 4)
    scaled = value / 1000**power
    return (f"{scaled:.1f}" if scaled < 9.95 else f"{scaled:.0f}") + " kMGT"[power]


def percent_brief(value: float) -> str:
    """A share in two or three digits, without the sign; 100 only where nothing is missing."""
    percent = 100 * value
    if percent < 0.05:
        return "<0.1"
    if 99.5 <= percent < 100:
        return f"{min(percent, 99.9):.1f}"
    return f"{percent:.1f}" if percent < 9.95 else f"{percent:.0f}"


def score_text(value: float, digits: int = 3) -> str:
    return MISSING if math.isnan(value) else f"{value:.{digits}f}"


def pixels_in_full(value: float) -> str:
    """Whole pixels as such; fractions, which several labels on a pixel make, with one digit."""
    return f"{value:,.0f}" if _is_whole(value) else f"{value:,.1f}"


def plural(count: int, one: str, many: str = "") -> str:
    """'1 page', '2 pages'; with `many`, '1 page has', '2 pages have'."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def percent(value: float) -> str:
    """'43.6 %', '5.23 %', '100 %': three significant digits, but not below a thousandth of a per cent."""
    if math.isnan(value) or value == 0:
        return MISSING if math.isnan(value) else "0 %"
    rounded = float(f"{100 * value:.3g}")
    return f"{rounded:.{max(2 - math.floor(math.log10(rounded)), 0)}f} %" if rounded >= 0.001 else "<0.001 %"


def make_unique(names: Sequence[str]) -> list[str]:
    """The same names, of which none stands twice: a second "a" becomes "a (2)"."""
    seen: Counter[str] = Counter()
    apart = []
    for name in names:
        seen[name] += 1
        apart.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return apart
