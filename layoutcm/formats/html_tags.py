"""The tags of HTML that need not be well-formed, one by one, in time that grows with the length of the file only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

VOID = {b"area", b"base", b"br", b"col", b"embed", b"hr", b"img", b"input", b"link", b"meta", b"source", b"wbr"}
END_PARAGRAPH = {b"p", b"div", b"table", b"ul", b"ol", b"h1", b"h2", b"h3", b"h4", b"h5", b"h6"}

# No value may hold "<": a quote that is never closed then ends with its tag, not with the file.
_TAG = re.compile(
    rb"""<!--.*?(?:-->|\Z)|<(/?)([A-Za-z][A-Za-z0-9]*)((?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+)>""", re.DOTALL
)
_ATTRIBUTE = re.compile(rb"""(?<![\w:-])([\w:-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]++))""")


def tags(data: bytes) -> Iterator[tuple[int, bytes, bytes, bytes]]:
    """Line, "/" of a closing tag, name, and the text of the attributes."""
    line, at = 1, 0
    for found in _TAG.finditer(data):
        closing, tag, told = found.groups()
        if tag is None:  # a comment
            continue
        line += data.count(b"\n", at, found.start())
        at = found.start()
        yield line, closing, tag.lower(), told


def attributes_of(told: bytes) -> dict[bytes, str]:
    return {
        name.lower(): unescape((double or single or bare).decode("utf-8", "replace"))
        for name, double, single, bare in _ATTRIBUTE.findall(told)
    }
