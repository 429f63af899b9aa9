"""Iterate over the tags of HTML-like text that may be malformed, in time linear in the length of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from html import unescape

from layoutcm.errors import InputError
from layoutcm.formats.content import FileContent
from layoutcm.layouts import limits

VOID = {b"area", b"base", b"br", b"col", b"embed", b"hr", b"img", b"input", b"link", b"meta", b"source", b"wbr"}

# A quoted value may not contain "<", so that an unclosed quote does not extend to the end of the file.
_TAG = re.compile(
    rb"""<!--(?:[^-]++|-(?!->))*+(?:-->)?|<(/?)([A-Za-z][A-Za-z0-9]*+)((?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+)>"""
)
_VALUE = r"""(?:^|\s)%s\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]++))"""
_CLASS = re.compile((_VALUE % "class").encode(), re.IGNORECASE)
_TITLE = re.compile((_VALUE % "title").encode(), re.IGNORECASE)


def check_number_of_tags(content: FileContent) -> None:
    count = content.data.count(b"<")
    if count > limits.MAX_TAGS:
        raise InputError(content.name, "", f"{count:,} tags, at most {limits.MAX_TAGS:,} are read", "Split the file.")


def tags(data: bytes, only: bytes = b"") -> Iterator[tuple[int, bytes, bytes, bytes]]:
    """For every tag: the line of the last opening tag, "/" if it is a closing tag, its name, its attributes as text.

    `only` is the one name that is wanted, in lower case.
    """
    line, at = 1, 0
    for found in _TAG.finditer(data):
        closing, tag, attributes = found.groups()
        if only and tag != only and (tag is None or tag.lower() != only):
            continue
        if closing:
            yield line, closing, tag.lower(), attributes
        elif tag is not None:  # not a comment
            start = found.start()
            line += data.count(b"\n", at, start)
            at = start
            yield line, closing, tag.lower(), attributes


def classes_of(attributes: bytes) -> tuple[str, ...]:
    """The classes of a tag that belong to hOCR."""
    found = _CLASS.search(attributes, 0, limits.MAX_TAG_BYTES)
    return _split_classes(found[found.lastindex or 0]) if found else ()


@lru_cache(256)  # a file has many tags but few different class values
def _split_classes(value: bytes) -> tuple[str, ...]:
    return tuple([name for name in _decode_text(value).split() if name.startswith("ocr")])


def title_of(attributes: bytes) -> str:
    found = _TITLE.search(attributes, 0, limits.MAX_TAG_BYTES)
    return _decode_text(found[found.lastindex or 0]) if found else ""


def _decode_text(value: bytes) -> str:
    text = value.decode("utf-8", "replace")
    return unescape(text) if "&" in text else text
