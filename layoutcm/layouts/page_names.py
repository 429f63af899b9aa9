"""Compare page names of different tools: with or without folders and suffix, in another spelling, with page numbers.

A rule of `NAME_RULES` removes from a name what differs between tools. The rules are tried in their order.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar
from urllib.parse import unquote

Key = TypeVar("Key", bound=Hashable)
IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif")
REMOVED_SUFFIXES = frozenset(suffix[1:] for suffix in (*IMAGE_SUFFIXES, ".pdf"))
# Suffixes are short and start with a letter, so "report.12" keeps its number.
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}\Z")
_BEFORE_NUMBER = re.compile(r"(?:(?<![^\W_])(?:page|pg|p))?[\s_.\-]{0,8}\Z", re.IGNORECASE)
MAX_DIGITS = 9  # longer numbers are time stamps, not page numbers
_BLANKS = re.compile(r"[\s_]+")
_DIGITS = re.compile(r"(\d+)")


def base_name(page: str) -> str:
    """The name without folders; both kinds of slash separate folders."""
    return page.replace("\\", "/").rstrip("/").rpartition("/")[2]


def stem(page: str) -> str:
    """The page's name without folders and without an image or PDF suffix."""
    return _without_suffix(base_name(page))


def path_without_suffix(page: str) -> str:
    """The page's name with its folders and without an image or PDF suffix."""
    return _without_suffix(page.replace("\\", "/").rstrip("/"))


def _without_suffix(name: str) -> str:
    head, _, suffix = name.rpartition(".")
    return head if head and suffix.lower() in REMOVED_SUFFIXES else name


def normalised_stem(page: str) -> str:
    """The stem without differences in case, blanks or underscores, percent codes and Unicode form of accents."""
    plain = stem(unquote(page) if "%" in page else page)
    return _BLANKS.sub("_", unicodedata.normalize("NFC", plain).casefold()).strip("_")


# The last one tells pages apart that have the same name in several folders.
NAME_RULES: dict[str, Callable[[str], str]] = {
    "base name": base_name,
    "stem": stem,
    "spelling": normalised_stem,
    "path": path_without_suffix,
}


def unique_keys(keyed: Iterable[tuple[Key, int]]) -> dict[Key, int]:
    """{key: page}; -1 for a key that several pages have."""
    found: dict[Key, int] = {}
    for key, page in keyed:
        found[key] = -1 if key in found else page
    return found


def split_number(page: str) -> tuple[str, int]:
    """The text before a trailing number, and the number: ("report", 12) for "report_p12.png".

    The text is "" if the name is only a number or has no number; the number is -1 if there is none or it is too long.
    """
    name = page.rpartition(".")[0] if _SUFFIX.search(page) else page
    end = len(name)
    while end and name[end - 1].isdecimal():
        end -= 1
    head, digits = name[:end], name[end:]
    if not digits:
        return "", -1
    # Search only the last characters: the pattern would be slow on a very long name.
    tail = head[-16:]
    base = (head[: len(head) - len(tail)] + _BEFORE_NUMBER.sub("", tail, count=1)).rstrip(" _.-")
    return "" if base[-1:] in ("/", "\\") else base, int(digits) if len(digits) <= MAX_DIGITS else -1


def renumber(page: str, by: int) -> str | None:
    """The name with `by` added to its page number; None if it has no page number or the new one would be negative."""
    number = split_number(page)[1]
    if number < 0 or number + by < 0:
        return None
    suffix = found[0] if (found := _SUFFIX.search(page)) else ""
    name = page.removesuffix(suffix)
    digits = name[len(name.rstrip("0123456789")) :]
    if int(digits or -1) != number:  # the name has digits of another script
        return None
    return f"{name.removesuffix(digits)}{number + by:0{len(digits) if digits.startswith('0') else 0}d}{suffix}"


def natural_sort_key(name: str) -> list[str]:
    """A sort key that puts page 2 before page 10."""
    return [part.zfill(12) if part.isdigit() else part for part in _DIGITS.split(name)]
