"""Small HTML for notebooks: tables and notes without script, readable on light and dark paper.

Text and paper have the colours of the notebook. Every text is escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape

from layoutcm.colours import ERROR, ERROR_ON_DARK, RIGHT, WARNING, WARNING_ON_DARK, WRONG
from layoutcm.wording import NAME_LENGTH, one_line, plural, shorten

Shade = Callable[[int, int], str]
STYLE = (
    ".lcm-html table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.4em 0}"
    ".lcm-html th,.lcm-html td{text-align:right;padding:.15em .6em;border-bottom:1px solid rgba(128,128,128,.35);"
    "background:transparent;color:inherit;font-weight:400}"
    ".lcm-html th{font-weight:600}"
    ".lcm-html .text{text-align:left}"
    ".lcm-html .soft{opacity:.7;font-size:.9em;overflow-wrap:anywhere}"
    f".lcm-html .warning{{font-weight:600;color:{WARNING}}}.lcm-html .error{{font-weight:600;color:{ERROR}}}"
    f"@media (prefers-color-scheme:dark){{.lcm-html .warning{{color:{WARNING_ON_DARK}}}"
    f".lcm-html .error{{color:{ERROR_ON_DARK}}}}}"
)


def text(value: object, limit: int = 10 * NAME_LENGTH) -> str:
    """A text of any kind as HTML, on one line and not too long."""
    return escape(shorten(one_line(str(value)), limit))


def block(title: str, *parts: str) -> str:
    """A title and parts that are HTML already."""
    return f'<div class="lcm-html"><style>{STYLE}</style><b>{text(title)}</b>{"".join(parts)}</div>'


def note(words: str) -> str:
    return f'<div class="soft">{text(words)}</div>' if words else ""


def more(count: int, what: str) -> str:
    """'and 3 more labels'; "" if there are no more."""
    return f"and {plural(count, f'more {what}')}" if count > 0 else ""


def paragraph(words: str) -> str:
    return f"<div>{text(words)}</div>"


def alarm(words: str) -> str:
    """A paragraph in the colour of errors; "" without words."""
    return f'<div class="error">{text(words, 4000)}</div>' if words else ""


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1, shade: Shade | None = None) -> str:
    """A table of texts; the first `texts` columns are words. `shade` gives the colour of a cell, by row and column."""
    head = "".join(f"<th{_side(k, texts)}>{text(name, NAME_LENGTH)}</th>" for k, name in enumerate(headings))
    body = "".join(f"<tr>{_cells(row, i, texts, shade)}</tr>" for i, row in enumerate(rows))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def colour(share: float, right: bool) -> str:
    """The colour of a cell of a matrix: stronger for a larger share, another one for right and wrong."""
    strength = min(max(share, 0), 1) * 0.75 if share == share else 0
    return f"{RIGHT if right else WRONG}{round(255 * strength):02x}"


def _cells(row: Sequence[str], i: int, texts: int, shade: Shade | None) -> str:
    style = lambda k: f' style="background:{shade(i, k)}"' if shade and k >= texts else ""
    return "".join(f"<td{_side(k, texts)}{style(k)}>{text(cell, NAME_LENGTH)}</td>" for k, cell in enumerate(row))


def _side(k: int, texts: int) -> str:
    return ' class="text"' if k < texts else ""
