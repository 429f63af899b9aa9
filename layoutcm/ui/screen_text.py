"""Text on the screen: labels and file names as typed, errors with hints for the browser, counts."""

from __future__ import annotations

import re

from layoutcm.errors import InputError
from layoutcm.formats.page_sizes import BY_SIZES, THREE_WAYS
from layoutcm.wording import spaced

_SIZE_HERE = "Write the page size on the page Compare, or drop page images of the same names beside the files."
HINTS_HERE = {
    THREE_WAYS: _SIZE_HERE,
    f"Say which page is which (pages=, --pages), or give {BY_SIZES}": _SIZE_HERE,
    "Say which with format= or --format.": "Drop files of one kind.",
    " Name one with format= or --format if this is one of them.": "",
}


def typed(text: str) -> str:
    """Somebody's text inside Markdown, shown as typed."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~<>$:&@])", r"\\\1", text).replace("\n", " ")


def told(error: InputError) -> str:
    """The error with what can be done about it here, where its hint speaks to people at a keyboard."""
    text = str(error)
    for at_a_keyboard, here in HINTS_HERE.items():
        text = text.replace(at_a_keyboard, here)
    return typed(text)


def counted(count: int, word: str) -> str:
    """'1 page', '1 234 pages', with a thin space."""
    return f"{spaced(count)} {word}{'' if count == 1 else 's'}"


def unbroken(parts: list[str]) -> str:
    """Parts of a legend in a line that breaks between them only."""
    return " &ensp; ".join(part.replace(" ", "\u00a0") for part in parts)
