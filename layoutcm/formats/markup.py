"""Parse untrusted XML, and HTML-like text that may be malformed.

The usual attacks on XML parsers use entities, default values of attributes or long namespaces, which a parser repeats.
Such a file is refused before it is parsed, and nothing outside the file is fetched. The fast parser of the standard
library can then be used. Tags of HTML are found one by one, in time linear in the length of the file.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from html import unescape
from itertools import chain
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.parsers.expat import errors

from layoutcm import hints
from layoutcm.errors import InputError, check_count, short_repr
from layoutcm.formats.content import HEAD, FileContent
from layoutcm.layouts import limits
from layoutcm.layouts.file_bytes import not_utf8

# A tree takes up to forty times the memory of its file, so larger files are streamed.
STREAM_ABOVE = 8 << 20
CHUNK = 1 << 20
# Other encodings could hide a declaration from the search for entities.
_UTF8 = {"utf-8", "utf8"}
_ENCODINGS = {*_UTF8, "us-ascii", "ascii", "iso-8859-1", "latin-1", "windows-1252"}
_ENCODING = re.compile(rb"""encoding\s*=\s*["']([^"']*)""")
_ROOT = re.compile(rb"<(?:[A-Za-z_][\w.\-]*:)?([A-Za-z_][\w.\-]*)")
_NAMESPACE = re.compile(rb"""\sxmlns:?([\w.\-]*+)\s*+=\s*+["']([^"']*)""")
_CLOSING_TAG = re.compile(rb"</([^\s<>]*+)\s*+>")
_BLANKS = re.compile(rb"\s*")
_BEFORE_ROOT = ((b"<?", b"?>"), (b"<!--", b"-->"), (b"<!DOCTYPE", b">"))
_MARKUP_STARTS = (b"<", b"\xef", b" ", b"\t", b"\r", b"\n")
# An attribute follows a blank, and its name has none, so each place is read once.
_LONG_NAMESPACE = re.compile(
    rb"""\sxmlns(?::[^\s=]*+)?\s*+=\s*+(?:"[^"]{%d}|'[^']{%d})""" % ((limits.MAX_NAMESPACE + 1,) * 2)
)
_LABELME_MARKS = (b"<pt>", b"<nrows", b"LabelMe", b"<deleted>")
_DECLARATIONS = {b"<!ENTITY": "entities", b"<!ATTLIST": "default values of attributes"}
_CUT_OFF_CODES = {errors.codes[errors.XML_ERROR_NO_ELEMENTS], errors.codes[errors.XML_ERROR_UNCLOSED_TOKEN]}


def root_name(content: FileContent) -> str:
    """Local name of the first element, or "" if the content does not look like markup."""
    if content.head[:1] not in _MARKUP_STARTS:
        return ""
    head = content.head[:HEAD].removeprefix(b"\xef\xbb\xbf")
    found = _ROOT.match(head, _end_of_prologue(head))
    return found[1].decode("ascii") if found else ""


def root_element(content: FileContent) -> tuple[str, str]:
    """Local name and namespace of the first element; "" if there is none."""
    name = root_name(content)
    if not name:
        return "", ""
    head = content.head[:HEAD].removeprefix(b"\xef\xbb\xbf")
    start = _end_of_prologue(head)
    tag = head[start : head.find(b">", start)]
    prefix = tag[1:].partition(b":")[0] if tag[1:].split(b":")[0].isalnum() else b""
    declared: dict[bytes, bytes] = dict(_NAMESPACE.findall(tag))
    return name, declared.get(prefix, declared.get(b"", b"")).decode("utf-8", "replace")


def check_ends_like_root(content: FileContent) -> None:
    """Refuse XML whose root element is never closed."""
    name = root_name(content).encode()
    closed = (b"</" + name, b":" + name + b">")
    can_be_cut = name and name != b"html" and not content.data.rstrip().endswith(b"/>")
    if can_be_cut and not any(mark in content.data for mark in closed):
        raise _cut_off_error(content, "")


def _end_of_prologue(head: bytes) -> int:
    """Where the first element starts: after blanks, declarations, comments and the document type."""
    at = 0
    while True:
        at = _BLANKS.match(head, at).end()  # type: ignore[union-attr] # it always matches
        end = next((mark for start, mark in _BEFORE_ROOT if head[at : at + len(start)].upper() == start), b"")
        after = head.find(end, at) if end else -1
        if after < 0:
            return at
        subset = head.find(b"[", at, after) if end == b">" else -1
        if subset >= 0:  # a document type with declarations ends after its bracket
            after = head.find(b">", head.find(b"]", subset))
            if after < 0:
                return at
        at = after + len(end)


def is_of_labelme(content: FileContent) -> bool:
    """Whether an `annotation`, which is the root of Pascal VOC, too, is of the LabelMe web tool."""
    return b"<bndbox" not in content.data and any(mark in content.data for mark in _LABELME_MARKS)


def local_name(tag: str) -> str:
    """The name without its namespace."""
    return tag.rpartition("}")[2]


def elements(
    content: FileContent,
    *names: str,
    skipping: Collection[str] = (),
    needed: str = "",
    hint: str = "Export the file again.",
) -> Iterator[Element]:
    """Every outermost element with one of these local names, complete, in the order of the file.

    Large files are streamed; there the elements named in `skipping`, which the reader does not use, are dropped. A file
    without an element of the name `needed` is refused at its end, with the hint.
    """
    _check_safe(content)
    is_there = not needed
    try:
        if len(content.data) > STREAM_ABOVE:
            found = _stream_elements(content, names, skipping)
        else:
            tree = ElementTree.fromstring(content.data_without_bom)
            _check_depth(content, tree)
            found = _outermost_elements(tree, _add_root_namespace(tree, names))
        for element in found:
            is_there = is_there or local_name(element.tag) == needed
            yield element
    except ElementTree.ParseError as error:
        raise _not_well_formed_error(content, error) from None
    except (ValueError, LookupError) as error:  # invalid in the declared encoding
        raise InputError(content.name, "", f"this XML cannot be read: {error}", "Save it as UTF-8.") from None
    if not is_there:
        raise InputError(content.name, "", f"there is no {needed} in it", hint)


def _add_root_namespace(root: Element, names: Collection[str]) -> set[str]:
    """The names with the namespace of the root, which is assumed for the whole file."""
    return {root.tag.removesuffix(local_name(root.tag)) + name for name in names}


def _outermost_elements(root: Element, wanted: Collection[str]) -> Iterator[Element]:
    """Elements with a wanted tag that are not inside another one, in the order of the file."""
    todo = [root]
    while todo:
        element = todo.pop()
        if element.tag in wanted:
            yield element
        else:
            todo += reversed(element)


def _stream_elements(content: FileContent, names: Sequence[str], skipping: Collection[str]) -> Iterator[Element]:
    path: list[Element] = []
    wanted: set[str] = set()
    skipped: set[str] = set()
    inside = kept = 0
    for event, element in _parse_events(content):
        tag = element.tag
        if event == "start":
            if not path:
                wanted, skipped = _add_root_namespace(element, names), _add_root_namespace(element, skipping)
            path.append(element)
            inside += tag in wanted
            if len(path) > limits.MAX_XML_DEPTH:
                raise _too_deep_error(content)
            continue
        path.pop()
        if tag in wanted:
            inside -= 1
            if not inside:
                yield element
        kept += 1
        if kept > limits.MAX_XML_ELEMENTS:
            problem = f"a page of over {limits.MAX_XML_ELEMENTS:,} elements is too much"
            raise InputError(content.name, "", problem, "Split the file.")
        if path and (not inside or tag in skipped):
            del path[-1][-1]  # free elements that were yielded or are not wanted
            kept = kept - 1 if inside else 0


def _parse_events(content: FileContent) -> Iterator[tuple[str, Element]]:
    """Starts and ends of elements. A truncated file is refused at once instead of after all its pages."""
    closed = {name.rpartition(b":")[2] for name in _CLOSING_TAG.findall(content.data[-CHUNK:])}
    if root_name(content).encode() not in closed:
        raise _cut_off_error(content, "")
    parser: Any = ElementTree.XMLPullParser(("start", "end"))
    start, step = len(content.data) - len(content.data_without_bom), CHUNK
    while start < len(content.data):
        parser.feed(content.data[start : start + step])
        start += step
        # Within one huge name or value the parser starts over with each chunk, so double the chunk until it ends.
        step *= 2
        for event in parser.read_events():
            step = CHUNK
            yield event
    parser.close()
    yield from parser.read_events()


def _check_safe(content: FileContent) -> None:
    """Refuse declarations and namespaces that grow when parsed, and encodings in which they cannot be searched for."""
    start = content.data_without_bom
    declared = _ENCODING.findall(start[: start.find(b"?>") + 1] if start.startswith(b"<?xml") else b"")
    encodings = {encoding.decode("ascii", "replace").lower() for encoding in declared} or {"utf-8"}
    if not encodings <= _ENCODINGS or b"\0" in content.head[:4]:
        problem = (
            f"the encoding {short_repr(next(iter(encodings)))} is not read" if declared else "this is not UTF-8 text"
        )
        raise InputError(content.name, "line 1", problem, "Save it as UTF-8.")
    if encodings <= _UTF8:
        _check_utf8(content)
    for declaration, what in _DECLARATIONS.items() if b"<!" in content.data else ():
        at = content.data.find(declaration)
        if at >= 0:
            problem = f"the file declares {what}, which can be used to attack"
            raise InputError(content.name, _line(content, at), problem, "Remove them.")
    long = _LONG_NAMESPACE.search(content.data) if b"xmlns" in content.data else None
    if long:
        problem = f"the namespace {short_repr(long[0].decode('utf-8', 'replace').strip())} is too long"
        raise InputError(content.name, _line(content, long.start() + 1), problem, "Check what wrote this file.")


def _line(content: FileContent, at: int) -> str:
    newlines = content.data.count(b"\n", 0, at)
    return f"line {newlines + 1}"


def _check_utf8(content: FileContent) -> None:
    """Decode in pieces: the text of the whole file could take four times its size."""
    start = 0
    while start < len(content.data):
        piece = content.data[start : start + CHUNK]
        try:
            start += codecs.utf_8_decode(piece, "strict", start + CHUNK >= len(content.data))[1]
        except UnicodeDecodeError as error:
            raise not_utf8(content.name, error, start) from None


def _check_depth(content: FileContent, root: Element) -> None:
    if _is_surely_flat(content.data):
        return
    level, depth = [root], 1  # the elements of a level that have children, because most elements have none
    while level:
        depth += 1
        if depth > limits.MAX_XML_DEPTH:
            raise _too_deep_error(content)
        level = list(filter(len, chain.from_iterable(level)))


def _is_surely_flat(data: bytes) -> bool:
    """Whether few elements are open at any place, by counting tags in steps, which is faster than visiting elements.

    An element without a closing tag, <a/>, counts as open, so the result may be False for a flat file. A comment
    or a processing instruction may hold tags, so a file with one of them is not counted.
    """
    if data.count(b"</") < limits.MAX_XML_DEPTH:  # every open element needs a closing tag
        return True
    if b"<!" in data or data.find(b"<?", data.find(b"<?xml") + 1) >= 0:
        return False
    # A tag has three bytes or more, so at most a third of a step are tags that open elements.
    is_open, step = 0, limits.MAX_XML_DEPTH
    for start in range(0, len(data), step):
        is_open += data.count(b"<", start, start + step) - 2 * data.count(b"</", start, start + step + 1)
        if is_open > limits.MAX_XML_DEPTH // 2:
            return False
    return True


def _too_deep_error(content: FileContent) -> InputError:
    return InputError(content.name, "", "the XML is nested too deeply to be a layout", "Check what wrote this file.")


def _cut_off_error(content: FileContent, place: str) -> InputError:
    return InputError(content.name, place, "the XML ends too early", hints.CUT_OFF)


def _not_well_formed_error(content: FileContent, error: ElementTree.ParseError) -> InputError:
    line, column = error.position
    place = f"line {line}, column {column + 1}"
    if error.code in _CUT_OFF_CODES:
        return _cut_off_error(content, place)
    problem = str(error).partition(":")[0]
    return InputError(content.name, place, f"this is not well-formed XML: {problem}", "Export the file again.")


VOID = {b"area", b"base", b"br", b"col", b"embed", b"hr", b"img", b"input", b"link", b"meta", b"source", b"wbr"}
# A quoted value may not contain "<", so an unclosed quote does not extend to the end of the file.
_TAG = re.compile(
    rb"""<!--(?:[^-]++|-(?!->))*+(?:-->)?|<(/?)([A-Za-z][A-Za-z0-9]*+)((?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+)>"""
)
_VALUE = r"""(?:^|\s)%s\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]++))"""
_CLASS = re.compile((_VALUE % "class").encode(), re.IGNORECASE)
_TITLE = re.compile((_VALUE % "title").encode(), re.IGNORECASE)


def check_number_of_tags(content: FileContent) -> None:
    check_count(content.data.count(b"<"), limits.MAX_TAGS, "tags", content.name)


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
