"""Names of pages and labels are not trusted: names that XML can hold, and paths that stay inside a folder."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

from layoutcm.layouts.page_names import stem

# XML 1.0 has no way to write these, not even as numbers. Lone surrogates are not text, and no layout has them.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
REPLACEMENT = "\ufffd"
NOT_IN_FILE_NAMES = frozenset('<>:"|?*/\\')  # Windows refuses them
DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|\Z)", re.IGNORECASE)  # and files of these names
PART_BYTES = 150  # of a file or folder name; file systems allow 255, and a number and a suffix may be added
PATH_BYTES = 600  # of all parts; most systems allow 4096 with the folder that holds them
# Folders of these names could be mistaken for a file or for the folder of all labels.
_LIKE_FILES = re.compile(r".*\.(txt|xml)|labels", re.IGNORECASE | re.DOTALL)


def xml_name(name: str) -> str:
    """The name as XML readers give it back: without surrounding blanks, and without characters that XML cannot hold."""
    return _NOT_XML.sub(REPLACEMENT, name).strip() or "_"


def xml_attribute(text: str) -> str:
    """The text in quotes, as an attribute of XML has it."""
    from xml.sax.saxutils import (
        quoteattr,  # not at the top: it loads urllib and ssl, which every command would wait for
    )

    return quoteattr(text)


def distinct(names: Iterable[str], key: Callable[[str], str] = str) -> list[str]:
    """The names, with a number added to each that is equal to an earlier one; `key` says what counts as equal."""
    given = list(names)
    taken = set(map(key, given))
    seen: set[str] = set()
    last: dict[str, int] = {}
    result = []
    for name in given:
        own = key(name)
        if own in seen:
            number = last.get(own, 1) + 1
            while key(f"{name}-{number}") in taken:
                number += 1
            last[own] = number
            name = f"{name}-{number}"
            taken.add(key(name))
        seen.add(own)
        result.append(name)
    return result


def safe_paths(pages: Sequence[str], reserved: Sequence[str] = ()) -> list[str]:
    """A relative path for the file of each page, without a suffix; distinct also where case does not matter.

    Folders of a page name are kept. `reserved` are file names that mean something else.
    """
    paths = (_safe_path(page, reserved) for page in pages)
    return distinct(paths, lambda path: unicodedata.normalize("NFC", path).casefold())


def _safe_path(page: str, reserved: Sequence[str]) -> str:
    folders = re.split(r"[/\\]", page.rstrip("/\\"))[:-1]
    kept = [_safe_part(part) for part in folders if part.strip(" .")]
    kept = [f"{part}_" if _LIKE_FILES.fullmatch(part) else part for part in kept]
    file = _safe_part(stem(page))
    file = f"{file}_" if file.casefold() in reserved else file
    path = "/".join([*kept, file])
    return path if len(path.encode()) <= PATH_BYTES else f"{file}-{_digest(page)}"


def _safe_part(part: str) -> str:
    """A file or folder name of every system; readers skip hidden ones, so it does not start with a dot."""
    name = "".join(c if c.isprintable() and c not in NOT_IN_FILE_NAMES else "_" for c in part).strip(" ").rstrip(" .")
    if name.startswith((".", "__MACOSX")) or DEVICES.match(name):
        name = f"_{name}"
    if len(name.encode()) > PART_BYTES:
        cut = name.encode()[: PART_BYTES - 10].decode("utf-8", "ignore").rstrip(" .")
        name = f"{cut}-{_digest(part)}"
    return name or "page"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
