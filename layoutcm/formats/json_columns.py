"""Numbers of a large list of JSON objects as columns, scanned in ranges by several threads.

A range starts where an object seems to begin. That is only a guess: a string may look like the border of two objects.
So a range counts only if the range before it ends exactly there; otherwise it is scanned again from the right place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from threading import local
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.formats import json_scan
from layoutcm.layouts.file_bytes import StoredFile
from layoutcm.layouts.model import Floats

RANGE_BYTES = 1 << 23
LONGEST_BORDER = 1 << 16  # bytes in which a border of two objects is searched for in a file
FEWEST_BYTES_OF_ITEM = 64  # usually; more rows are needed for shorter items
_BORDER = re.compile(rb"\}\s*+,\s*+(?=\{)")
_OBJECT_START = re.compile(rb"\s*+\{")
_LIST_START = re.compile(rb"\s*+\[\s*+(?=\{)")
_MEMBER_END = re.compile(rb"\s*+(,|\})")


class Field(NamedTuple):
    """A wanted key of each object, and what its value may be besides null: a kind of `json_scan`.

    Fields that every object needs come first.
    """

    name: str
    kind: int
    is_needed: bool = False


class Columns(NamedTuple):
    """{key: float64[objects], or float64[objects, 4] of a box}, nan where there is none; and the text without the list.

    `rest` is the text with an empty list in its place.
    """

    values: dict[str, Floats]
    rest: bytes


class Buffers(local):
    """Memory of each thread for the text and the rows of a range, which the next range uses again."""

    def __init__(self) -> None:
        self.text: NDArray[np.uint8] = np.empty(0, np.uint8)
        self.rows: Floats = np.empty(0)


class Range(NamedTuple):
    """Columns of some objects, the position of the next object or after the list, and whether the list ended."""

    columns: list[Floats]
    position: int
    is_last: bool


def scan_list(text: bytes, fields: Sequence[Field], key: str = "") -> Columns | None:
    """The fields of the objects in the list under a key of the outermost object, or in the outermost list without one.

    None if the text is too unusual for the scanner, or wrong.
    """
    start = _find_list(text, key)
    if not start:
        return None
    compiled, buffers = _compiled_fields(fields), Buffers()
    ranges = _scan_ranges(
        start,
        len(text),
        partial(_find_border, text),
        lambda at, stop: _scan_range(_bytes_from(text, at), stop, compiled, buffers),
    )
    if not ranges or (key and not _is_unique(text, key, ranges[-1].position)):
        return None
    return Columns(_joined(ranges, fields), text[:start] + b"]" + text[ranges[-1].position :])


def scan_stored_list(file: StoredFile, fields: Sequence[Field], key: str = "") -> Columns | None:
    """Like `scan_list`, for a file that is read range by range and never held as a whole.

    None also if a range does not end where the next one was guessed to begin.
    """
    text = _text_up_to_list(file, key)
    start = _find_list(text, key)
    if not start:
        return None
    compiled, buffers = _compiled_fields(fields), Buffers()

    def find_border(at: int) -> int:
        found = _find_border(file.read(at, at + LONGEST_BORDER), 0)
        return at + found if found else 0

    def scan_range(at: int, stop: int) -> Range:
        buffer = buffers.text = _at_least(buffers.text, stop - at + 1)
        file.read_into(buffer[: stop - at].data, at)
        buffer[stop - at] = 0  # where the scanner stops
        place = np.uint64(buffer.ctypes.data), np.uint64(0), np.uint64(stop - at)
        columns, position, is_last = _scan_range(place, stop - at, compiled, buffers)
        return Range(columns, position and at + position, is_last)

    ranges = _scan_ranges(start, file.size, find_border, scan_range)
    after = file.read(ranges[-1].position, file.size) if ranges else b""
    if not ranges or (key and not _is_unique(after, key, 0)):
        return None
    return Columns(_joined(ranges, fields), b"".join((memoryview(text)[:start], b"]", after)))


def _text_up_to_list(file: StoredFile, key: str) -> bytes:
    """The start of a file, to where the list seems to begin or further."""
    stop = LONGEST_BORDER
    if key:
        sign, buffer = b'"%b"' % key.encode(), bytearray(RANGE_BYTES)
        for at in range(0, file.size, RANGE_BYTES - len(sign)):
            piece = memoryview(buffer)[: file.size - at]
            file.read_into(piece, at)
            if (found := buffer.find(sign, 0, len(piece))) >= 0:
                stop += at + found
                break
    return file.read(0, stop)


def _joined(ranges: Sequence[Range], fields: Sequence[Field]) -> dict[str, Floats]:
    # Parts of a column are released before the next column is joined.
    return {field.name: np.concatenate([one.columns.pop(0) for one in ranges]) for field in fields}


def _at_least(buffer: NDArray[Any], size: int) -> NDArray[Any]:
    """A buffer, or a new one if it is too small, with some space for ranges that are a little longer."""
    return buffer if buffer.size >= size else np.empty(size + size // 64, buffer.dtype)


def _compiled_fields(fields: Sequence[Field]) -> json_scan.Fields:
    names = b"".join(field.name.encode().ljust(int(json_scan.LONGEST_NAME), b"\0") for field in fields)
    widths = [json_scan.BOX_COLUMNS if field.kind == json_scan.BOX else 1 for field in fields]
    return json_scan.Fields(
        np.frombuffer(names, "<u8").reshape(len(fields), -1),
        np.array([field.kind for field in fields]),
        np.cumsum([0, *widths]),
        sum(width for field, width in zip(fields, widths) if field.is_needed),
    )


def _find_list(text: bytes, key: str) -> int:
    """The position of the first object in the list, 0 if there is none."""
    at = 0
    if key:
        opening = _OBJECT_START.match(text)
        at, is_there = _find_member(text, opening.end(), key) if opening else (0, False)
        if not is_there:
            return 0
    first = _LIST_START.match(text, at)
    return first.end() if first else 0


def _is_unique(text: bytes, key: str, position: int) -> bool:
    """Whether the members of the outermost object from a position on can be scanned, and do not have the key again."""
    following = _MEMBER_END.match(text, position)
    if following is None or following[1] == b"}":
        return following is not None
    end, is_there = _find_member(text, following.end(), key)
    return bool(end) and not is_there


def _find_member(text: bytes, position: int, key: str) -> tuple[int, bool]:
    at, is_there = json_scan.find_member(*_bytes_from(text, position), np.frombuffer(key.encode(), np.uint8))
    return int(at), bool(is_there)


def _bytes_from(text: bytes, position: int) -> tuple[np.uint64, np.uint64, np.uint64]:
    address = np.frombuffer(text, np.uint8).ctypes.data
    return np.uint64(address), np.uint64(position), np.uint64(len(text))


def _find_border(text: bytes, position: int) -> int:
    """Where an object seems to begin after another, from a position on; 0 if nowhere."""
    border = _BORDER.search(text, position)
    return border.end() if border else 0


def _scan_ranges(
    start: int, end: int, find_border: Callable[[int], int], scan_range: Callable[[int, int], Range]
) -> list[Range]:
    """The ranges of the list from its first object on; empty if it cannot be scanned."""
    borders = [start]
    while borders[-1] + RANGE_BYTES < end and (border := find_border(borders[-1] + RANGE_BYTES)):
        borders.append(border)
    stops = [*borders[1:], end]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        guesses = pool.map(scan_range, borders, stops)
        ranges: list[Range] = []
        position = start
        for guessed_start, stop, guess in zip(borders, stops, guesses):
            one = guess
            while position < stop:
                if position != guessed_start or one is not guess:
                    one = scan_range(position, stop)
                if not one.position:
                    return []
                ranges.append(one)
                position = one.position
                if one.is_last:
                    return ranges
    return []


def _scan_range(
    place: tuple[np.uint64, np.uint64, np.uint64], stop: int, fields: json_scan.Fields, buffers: Buffers
) -> Range:
    """Columns of the objects that begin in a range, or of the first of them if they are very short."""
    width, most = int(fields.columns[-1]), (stop - int(place[1])) // FEWEST_BYTES_OF_ITEM + 16
    # Row by row: what is not used is never touched, and needs no memory.
    buffers.rows = _at_least(buffers.rows, most * width)
    values = buffers.rows[: most * width].reshape(most, width)
    position, rows, is_last = json_scan.scan_objects(*place, np.uint64(stop), fields, values)
    # Columns are copied here, in the thread, while the rows are in the processor's cache.
    columns = [values[:rows, first:last].copy() for first, last in pairwise(fields.columns.tolist())]
    columns = [column if column.shape[1] > 1 else column.ravel() for column in columns]
    return Range(columns, int(position), bool(is_last))
