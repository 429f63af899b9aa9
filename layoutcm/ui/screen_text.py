"""Text on the screen: labels and file names with Markdown escaped, errors with hints for the browser, counts."""

from __future__ import annotations

from layoutcm.errors import InputError
from layoutcm.formats.page_sizes import MISSING_SIZE_HINT, SIZES_HINT
from layoutcm.tables.latex_markdown import escape_markdown
from layoutcm.wording import agree, thin_spaced

SIDE_NAMES = ("ground truth", "prediction")  # in sentences
SIDE_TITLES = {"gt": "Ground truth", "pred": "Prediction"}  # on buttons
_BROWSER_SIZE_HINT = (
    "Write the page size on the page Compare, or drop page images with the names of the pages together with the files."
)
# Hints about the command line and Python -> hints about this page.
BROWSER_HINTS = {
    MISSING_SIZE_HINT: _BROWSER_SIZE_HINT,
    f"Say which page is which (pages=, --pages), or give {SIZES_HINT}": _BROWSER_SIZE_HINT,
    "Say which with format= or --format.": "Drop files of one kind.",
    " Name one with format= or --format if this is one of them.": "",
}


def as_typed(text: str) -> str:
    """Untrusted text inside Markdown, shown as typed."""
    return escape_markdown(text)


def error_text(error: InputError) -> str:
    """The error, with hints about the command line replaced by hints about this page."""
    text = str(error)
    for command_line_hint, browser_hint in BROWSER_HINTS.items():
        text = text.replace(command_line_hint, browser_hint)
    return as_typed(text)


def plural_spaced(count: int, word: str) -> str:
    """'1 page', '1 234 pages', with a thin space."""
    return f"{thin_spaced(count)} {agree(count, word, word + 's')}"


def join_unbroken(parts: list[str]) -> str:
    """The parts of a legend in one line, which may break only between parts."""
    return " &ensp; ".join(part.replace(" ", "\u00a0") for part in parts)
