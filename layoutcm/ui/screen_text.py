"""Text on the screen: labels and file names with Markdown escaped, errors with hints for the browser, counts."""

from __future__ import annotations

from unicodedata import bidirectional

from layoutcm.errors import InputError
from layoutcm.layouts.model import Finding
from layoutcm.tables.latex_markdown import escape_markdown
from layoutcm.wording import agree, thin_spaced

SIDE_NAMES = ("ground truth", "prediction")  # in sentences
SIDE_TITLES = {"gt": "Ground truth", "pred": "Prediction"}  # on buttons


def as_typed(text: str) -> str:
    """Untrusted text inside Markdown, shown as typed; text from right to left does not turn what is around it."""
    shown = escape_markdown(text)
    return f"\u2068{shown}\u2069" if any(bidirectional(sign) in ("R", "AL") for sign in text) else shown


def error_text(error: InputError) -> str:
    return as_typed(error.on_screen)


def finding_text(finding: Finding) -> str:
    """The message, and the hint on a line of its own; a repair has a button instead of a hint."""
    hint = finding.advice.on_screen
    return as_typed(finding.message) + (f"  \n{as_typed(hint)}" if hint else "")


def plural_spaced(count: int, word: str) -> str:
    """'1 page', '1 234 pages', with a thin space."""
    return f"{thin_spaced(count)} {agree(count, word, word + 's')}"


def join_unbroken(parts: list[str]) -> str:
    """The parts of a legend in one line, which may break only between parts."""
    return " &ensp; ".join(part.replace(" ", "\u00a0") for part in parts)
