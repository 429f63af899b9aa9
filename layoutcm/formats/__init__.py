"""Readers: from files to layouts. One small module a format, chosen by what the content looks like.

To add a format, write a module with a function that recognises a `Content` and one that turns it into a
`Layout` through `model.make_layout`, and add a line to `FORMATS`.
"""

from __future__ import annotations

import codecs
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from layoutcm.errors import InputError, shown
from layoutcm.formats import coco, table
from layoutcm.formats.content import Content, Options
from layoutcm.formats.sizes import Sizes, resolve_sizes
from layoutcm.model import Layout

Source = str | os.PathLike[str] | tuple[str, bytes]


@dataclass(frozen=True)
class Format:
    """One kind of file: its name for `format=`, what people call it, how it is known and read."""

    name: str
    title: str
    recognises: Callable[[Content], bool]
    read: Callable[[Content, Options], Layout]


FORMATS = (
    Format("coco", "COCO ground truth", coco.is_ground_truth, coco.read_ground_truth),
    Format("coco-results", "COCO results list", coco.is_results, coco.read_results),
    Format("parquet", "table in Parquet", table.is_parquet, table.read_parquet),
    Format("csv", "table in CSV", table.is_csv, table.read_csv),
)
BY_NAME = {format.name: format for format in FORMATS}


def read(
    source: Source,
    *,
    like: Layout | None = None,
    format: str | None = None,
    sizes: Sizes = None,
    shapes: str = "box",
) -> Layout:
    """The layout in a file or in (name, bytes).

    `like` lends page ids, sizes and labels to formats that lack them; `sizes` is (width, height) or a folder of
    page images; `shapes="polygon"` keeps outlines and masks where the file has them.
    """
    if shapes not in ("box", "polygon"):
        raise InputError("", "shapes", f"{shown(shapes)} is not known", "Use 'box' or 'polygon'.")
    if like is not None and not isinstance(like, Layout):
        raise InputError("", "like", f"{shown(like)} is not a layout", "Give what read() returned for the other file.")
    options = Options(like, resolve_sizes(sizes), shapes == "polygon")
    content = load(source)
    with collector_paused():
        return find_format(content, format).read(content, options)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Decoding makes millions of small values; the collector would look at all of them again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def load(source: Source) -> Content:
    match source:
        case str() | os.PathLike():
            content = _load_file(str(source))
        case (str() as name, bytes() as data):
            content = Content(name, data)
        case _:
            raise InputError("", "source", f"{shown(source)} is no input", "Give a file's path or (name, bytes).")
    # isspace stops at the first other byte, where strip would copy a whole large file.
    if not content.json_bytes or content.json_bytes.isspace():
        raise InputError(content.name, "", "the file is empty", "Export it again.")
    if content.data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(content.name, "byte 0", "this is UTF-16 text", "Save the file as UTF-8.")
    return content


def _load_file(name: str) -> Content:
    if os.path.isdir(name):
        raise InputError(name, "", "this is a folder", "Name a file in it.")
    try:
        return Content(name, Path(name).read_bytes())
    except FileNotFoundError:
        raise InputError(name, "", "there is no such file", "Check the name and the folder.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(name, "", f"the file cannot be read: {reason}", "Check its permissions.") from None


def find_format(content: Content, name: str | None = None) -> Format:
    known = ", ".join(BY_NAME)
    if name is not None:
        if not isinstance(name, str) or name not in BY_NAME:
            raise InputError(content.name, "", f"the format {shown(name)} is not known", f"Known formats: {known}.")
        return BY_NAME[name]
    candidates = [format for format in FORMATS if format.recognises(content)]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        names = " or ".join(format.name for format in candidates)
        raise InputError(content.name, "", f"this could be {names}", "Say which with format= or --format.")
    if content.json_root:
        content.decode(msgspec.Raw)  # a file cut off before its telling keys is broken rather than unknown
    raise InputError(
        content.name,
        "",
        f"the kind of file is not recognised: {_describe(content)}",
        f"Known formats: {known}. Name one with format= or --format if this is one of them.",
    )


def _describe(content: Content) -> str:
    if content.json_root:
        keys = ", ".join(map(repr, sorted(content.json_keys)[:8]))
        return f"JSON {content.json_root} with {'keys ' + keys if keys else 'no keys'}"
    head = content.data[:40]
    try:
        return f"it starts with {head.decode('utf-8')!r}"
    except UnicodeDecodeError:
        return f"binary data that starts with {head[:8].hex(' ')}"
