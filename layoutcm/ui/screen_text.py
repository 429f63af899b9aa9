"""Text on the screen: labels and file names as typed, errors with hints for the browser, counts."""

from __future__ import annotations

import re

from layoutcm.errors import InputError
from layoutcm.formats.page_sizes import MISSING_SIZE_HINT, SIZES_HINT
from layoutcm.wording import thin_spaced

_BROWSER_SIZE_HINT = "Write the page size on the page Compare, or drop page images of the same names beside the files."
BROWSER_HINTS = {
    MISSING_SIZE_HINT: _BROWSER_SIZE_HINT,
    f"Say which page is which (pages=, --pages), or give {SIZES_HINT}": _BROWSER_SIZE_HINT,
    "Say which with format= or --format.": "Drop files of one kind.",
    " Name one with format= or --format if this is one of them.": "",
}


def as_typed(text: str) -> str:
    """Somebody's text inside Markdown, shown as typed."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~<>$:&@])", r"\\\1", text).replace("\n", " ")


def error_text(error: InputError) -> str:
    """The error with what can be done about it here, where its hint speaks to people at a keyboard."""
    text = str(error)
    for at_a_keyboard, here in BROWSER_HINTS.items():
        text = text.replace(at_a_keyboard, here)
    return as_typed(text)


def plural_spaced(count: int, word: str) -> str:
    """'1 page', '1 234 pages', with a thin space."""
    return f"{thin_spaced(count)} {word}{'' if count == 1 else 's'}"


def join_unbroken(parts: list[str]) -> str:
    """Parts of a legend in a line that breaks between them only."""
    return " &ensp; ".join(part.replace(" ", "\u00a0") for part in parts)
