"""XML from strangers: which root it has, and its elements one by one.

Everything dangerous in XML comes through entities, so a file that declares one is refused before it is parsed; nothing
outside the file is ever fetched. That lets the compiled parser of the standard library do the work: it is several
times as fast as the guarded one of defusedxml, which runs in Python.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from xml.etree import ElementTree

from layoutcm.errors import InputError, shown
from layoutcm.formats.content import HEAD, Content

# Above this the tree of a whole file would take memory that one page at a time does not.
STREAM_ABOVE = 50 << 20
MAX_DEPTH = 400
_ENCODING = re.compile(rb"""\A\s*<\?xml[^>]*?encoding\s*=\s*["']([^"']*)""")
# Other encodings could hide a declaration from the search for entities.
_ENCODINGS = {"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin-1", "windows-1252"}
_ROOT = re.compile(rb"<(?:[A-Za-z_][\w.\-]*:)?([A-Za-z_][\w.\-]*)")
_SKIPPED = re.compile(rb"\A(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>)", re.DOTALL)


def root_name(content: Content) -> str:
    """Local name of the first element, or "" where the content does not look like markup."""
    head = content.json_bytes[:HEAD].lstrip()
    if not head.startswith(b"<"):
        return ""
    while skipped := _SKIPPED.match(head):
        head = head[skipped.end() :]
    found = _ROOT.match(head)
    return found[1].decode("ascii") if found else ""


def local(tag: str) -> str:
    """The name without its namespace."""
    return tag.rpartition("}")[2]


def elements(content: Content, name: str) -> Iterator[ElementTree.Element]:
    """Every element of this local name (one that does not nest), whole; large files are never held as one tree."""
    check_harmless(content)
    try:
        if len(content.data) <= STREAM_ABOVE:
            tree = ElementTree.fromstring(content.json_bytes)
            check_depth(content, tree)
            yield from (element for element in tree.iter() if local(element.tag) == name)
        else:
            yield from _streamed(content, name)
    except ElementTree.ParseError as error:
        line, column = error.position
        problem = f"this is not well-formed XML: {str(error).partition(':')[0]}"
        raise InputError(content.name, f"line {line}, column {column + 1}", problem, "Export the file again.") from None
    except (ValueError, LookupError) as error:  # characters that the declared encoding has not
        raise InputError(content.name, "", f"this XML cannot be read: {error}", "Save it as UTF-8.") from None
    except RecursionError:
        raise too_deep(content) from None


def _streamed(content: Content, name: str) -> Iterator[ElementTree.Element]:
    path: list[ElementTree.Element] = []
    inside = 0
    for event, element in ElementTree.iterparse(io.BytesIO(content.json_bytes), events=("start", "end")):
        wanted = local(element.tag) == name
        if event == "start":
            path.append(element)
            inside += wanted
            if len(path) > MAX_DEPTH:
                raise too_deep(content)
            continue
        path.pop()
        inside -= wanted
        if wanted and not inside:
            yield element
        if not inside and path:
            path[-1].remove(element)  # what was handed out, or is not wanted, need not be kept


def check_harmless(content: Content) -> None:
    """Refuse what could do harm or could hide it: entities, and encodings in which they cannot be searched for."""
    declared = _ENCODING.match(content.json_bytes[:1024])
    encoding = declared[1].decode("ascii", "replace").lower() if declared else "utf-8"
    if encoding not in _ENCODINGS or b"\0" in content.data[:4]:
        raise InputError(content.name, "line 1", f"the encoding {shown(encoding)} is not read", "Save it as UTF-8.")
    if b"<!ENTITY" in content.data:
        at = content.data.count(b"\n", 0, content.data.index(b"<!ENTITY")) + 1
        raise InputError(
            content.name, f"line {at}", "the file declares entities, which can be used to attack", "Remove them."
        )


def check_depth(content: Content, root: ElementTree.Element) -> None:
    level, depth = [root], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise too_deep(content)
        level = [child for element in level for child in element]


def too_deep(content: Content) -> InputError:
    return InputError(content.name, "", "the XML is nested too deeply to be a layout", "Check what wrote this file.")
