"""How tools name one page: with or without folders and suffix, in other spellings, by document and page number.

A rule turns a name into what two tools should agree on. The rules stand in order, the strictest first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar
from urllib.parse import unquote

Key = TypeVar("Key", bound=Hashable)
IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif")
_NO_PART_OF_THE_NAME = frozenset(suffix[1:] for suffix in (*IMAGE_SUFFIXES, ".pdf"))
# Suffixes are short and start with a letter, so that "report.12" keeps its number.
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}\Z")
_BEFORE_NUMBER = re.compile(r"(?:(?<![^\W_])(?:page|pg|p))?[\s_.\-]{0,8}\Z", re.IGNORECASE)
MAX_DIGITS = 9  # a time stamp is no page number
_BLANKS = re.compile(r"[\s_]+")
_DIGITS = re.compile(r"(\d+)")


def base_name(page: str) -> str:
    """The name without folders, of either slash."""
    return page.replace("\\", "/").rstrip("/").rpartition("/")[2]


def stem(page: str) -> str:
    """The page's name without folders and image suffix: what two tools usually agree on."""
    name = base_name(page)
    head, _, suffix = name.rpartition(".")
    return head if head and suffix.lower() in _NO_PART_OF_THE_NAME else name


def normalised_stem(page: str) -> str:
    """The stem up to case, blanks or underscores, percent codes, and the two ways to write an accent."""
    plain = stem(unquote(page) if "%" in page else page)
    return _BLANKS.sub("_", unicodedata.normalize("NFC", plain).casefold()).strip("_")


NAME_RULES: dict[str, Callable[[str], str]] = {"base name": base_name, "stem": stem, "spelling": normalised_stem}


def unique_keys(keyed: Iterable[tuple[Key, int]]) -> dict[Key, int]:
    """{key: page}; -1 for a key that several pages have: which one is meant would be a guess."""
    found: dict[Key, int] = {}
    for key, page in keyed:
        found[key] = -1 if key in found else page
    return found


def split_number(page: str) -> tuple[str, int]:
    """("report", 12) of "report_p12.png": what stands before a trailing number, and the number.

    The first is "" where nothing else is left, the second -1 where there is no number, or one too long for a page's.
    """
    name = page.rpartition(".")[0] if _SUFFIX.search(page) else page
    end = len(name)
    while end and name[end - 1].isdecimal():
        end -= 1
    head, digits = name[:end], name[end:]
    if not digits:
        return "", -1
    # Only the last few characters are looked at, so that no name, however long, takes long.
    tail = head[-16:]
    base = (head[: len(head) - len(tail)] + _BEFORE_NUMBER.sub("", tail, count=1)).rstrip(" _.-")
    return "" if base[-1:] in ("/", "\\") else base, int(digits) if len(digits) <= MAX_DIGITS else -1


def renumber(page: str, by: int) -> str | None:
    """ "report_p13.png" of "report_p12.png" and 1; None where the name ends in no page number, or in one below that."""
    number = split_number(page)[1]
    if number < 0 or number + by < 0:
        return None
    suffix = found[0] if (found := _SUFFIX.search(page)) else ""
    name = page.removesuffix(suffix)
    digits = name[len(name.rstrip("0123456789")) :]
    if int(digits or -1) != number:  # digits of another script
        return None
    return f"{name.removesuffix(digits)}{number + by:0{len(digits) if digits.startswith('0') else 0}d}{suffix}"


def natural_sort_key(name: str) -> list[str]:
    """A key to sort names by, page 2 before page 10."""
    return [part.zfill(12) if part.isdigit() else part for part in _DIGITS.split(name)]
