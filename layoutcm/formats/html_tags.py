"""Tags of text that need not be well-formed, one by one, in time that grows with the length of the file only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from html import unescape

from layoutcm.errors import InputError
from layoutcm.formats.content import Content

VOID = {b"area", b"base", b"br", b"col", b"embed", b"hr", b"img", b"input", b"link", b"meta", b"source", b"wbr"}
# No tag needs more attributes, and no book more tags; what has more is made to keep the reader busy.
MAX_ATTRIBUTES = 1 << 16
MAX_TAGS = 5_000_000

# No value may hold "<": a quote that is never closed then ends with its tag, not with the file.
_TAG = re.compile(
    rb"""<!--.*?(?:-->|\Z)|<(/?)([A-Za-z][A-Za-z0-9]*)((?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+)>""", re.DOTALL
)
_VALUE = r"""(?:^|\s)%s\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]++))"""
_CLASS, _TITLE = (re.compile((_VALUE % name).encode(), re.IGNORECASE) for name in ("class", "title"))


def check_number_of_tags(content: Content) -> None:
    count = content.data.count(b"<")
    if count > MAX_TAGS:
        raise InputError(content.name, "", f"{count:,} tags, at most {MAX_TAGS:,} are read", "Split the file.")


def tags(data: bytes) -> Iterator[tuple[int, bytes, bytes, bytes]]:
    """Line (of an opening tag), "/" of a closing one, name, and the text of the attributes."""
    line, at = 1, 0
    for found in _TAG.finditer(data):
        closing, tag, attributes = found.groups()
        if closing:
            yield line, closing, tag.lower(), attributes
        elif tag is not None:  # no comment
            start = found.start()
            line += data.count(b"\n", at, start)
            at = start
            yield line, closing, tag.lower(), attributes


def classes_of(attributes: bytes) -> tuple[str, ...]:
    """The classes that hOCR gives a meaning."""
    found = _CLASS.search(attributes, 0, MAX_ATTRIBUTES)
    return _classes(found[found.lastindex or 0]) if found else ()


@lru_cache(256)  # a book has a handful of them, on each of its many tags
def _classes(value: bytes) -> tuple[str, ...]:
    return tuple([name for name in _text(value).split() if name.startswith("ocr")])


def title_of(attributes: bytes) -> str:
    found = _TITLE.search(attributes, 0, MAX_ATTRIBUTES)
    return _text(found[found.lastindex or 0]) if found else ""


def _text(value: bytes) -> str:
    text = value.decode("utf-8", "replace")
    return unescape(text) if "&" in text else text
