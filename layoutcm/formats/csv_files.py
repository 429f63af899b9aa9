"""Decode the cells of a CSV file as text, and name its rows as a spreadsheet does."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from layoutcm import hints
from layoutcm.errors import InputError, short_repr
from layoutcm.formats.content import FileContent
from layoutcm.formats.table_columns import KNOWN_NAMES, MAIN_COLUMNS, column_key, find_columns
from layoutcm.layouts import limits
from layoutcm.layouts.file_bytes import not_utf8

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK_BYTES = 1 << 25  # a row of a CSV must fit into a block, and an outline can have more than Arrow's 1 MB
SEPARATORS = (",", ";", "\t")
_BLANK_LINE = re.compile(rb"\A[\r\n]|\n\r?\n|\r\r")


def is_csv(content: FileContent) -> bool:
    if content.json_root or content.head[:1] == b"<":
        return False
    cells = _header(content).decode("utf-8", "replace").split(_delimiter(content))
    names = {column_key(name) for name in cells} if len(cells) > 1 else set()
    if names & {"block_type", "region_shape_attributes"}:  # LayoutParser and VIA have their own readers
        return False
    if content.name.lower().endswith((".csv", ".tsv")):
        return True  # even if it is broken: the reader has the best error messages
    if not names:  # the usual case for the many other files of a folder
        return False
    found = find_columns(list(names))
    return {"page", "label"} <= names or (found.box is not None and bool({"page", "label"} & set(found.place)))


def _header(content: FileContent) -> bytes:
    return content.head_without_bom[:4096].lstrip(b"\r\n").split(b"\n", 1)[0].split(b"\r", 1)[0]


def _delimiter(content: FileContent) -> str:
    """Comma, or what spreadsheets write instead if the comma is the decimal sign."""
    header = _header(content)
    counts = [header.count(sign.encode()) for sign in SEPARATORS]
    if sum(map(bool, counts)) < 2:
        return SEPARATORS[counts.index(max(counts))]
    # The name of an attribute may contain any of them.
    text = header.decode("utf-8", "replace")
    known = [len({column_key(name) for name in text.split(sign)} & KNOWN_NAMES) for sign in SEPARATORS]
    return max(zip(known, counts, (0, -1, -2), SEPARATORS))[3]


def read_cells(content: FileContent) -> pa.Table:
    """All columns as text. Raises `InputError`."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    parse = arrow_csv.ParseOptions(newlines_in_values=True, delimiter=_delimiter(content))
    read = arrow_csv.ReadOptions(block_size=BLOCK_BYTES)
    data = content.data if b"\n" in content.data else content.data + b"\n"  # a header alone is a table without rows
    try:
        data.decode("utf-8")
        _check_number_of_columns(content)
        # Read everything as text: "0001" and "NA" are names, and the message about a bad number must name its row.
        header = arrow_csv.open_csv(pa.BufferReader(data), read_options=read, parse_options=parse).schema.names
        return arrow_csv.read_csv(
            pa.BufferReader(data),
            read_options=read,
            parse_options=parse,
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(header, pa.string()), strings_can_be_null=True, null_values=[""]
            ),
        )
    except UnicodeDecodeError as error:
        raise not_utf8(content.name, error) from None
    except (pa.ArrowException, ValueError) as error:
        raise _broken_csv(content, error) from None


def _check_number_of_columns(content: FileContent) -> None:
    """Arrow takes about 10 kB for each column, even if it is not used."""
    text = io.TextIOWrapper(io.BytesIO(content.data), encoding="utf-8-sig", newline="")
    try:
        header = next(filter(None, csv.reader(text, delimiter=_delimiter(content))), [])
    except csv.Error as error:  # a name of more than 128 kB
        raise InputError(content.name, "header", f"cannot be read: {error}", "Export it again.") from None
    if len(header) > limits.MAX_COLUMNS:
        problem = f"{len(header):,} columns, at most {limits.MAX_COLUMNS:,} are read"
        raise InputError(content.name, "header", problem, f"Keep {', '.join(MAIN_COLUMNS)}.")


def _records(content: FileContent) -> Iterator[tuple[int, list[str]]]:
    """Yield (row, cells); slow, only for messages. As in a spreadsheet, the header is row 1 and blank lines count."""
    text = io.TextIOWrapper(io.BytesIO(content.data), encoding="utf-8-sig", newline="")
    try:
        yield from (
            (row, cells) for row, cells in enumerate(csv.reader(text, delimiter=_delimiter(content)), 1) if cells
        )
    except csv.Error:  # a cell of more than 128 kB
        return


def spreadsheet_row(content: FileContent, row: int) -> str:
    """The place of a row of the table in a spreadsheet of the file."""
    if not _BLANK_LINE.search(content.data):
        return f"row {row + 2}"
    return f"row {next(islice((number for number, _ in _records(content)), row + 1, None), row + 2)}"


def _broken_csv(content: FileContent, error: Exception) -> InputError:
    records = _records(content)
    _, header = next(records, (1, []))
    for row, cells in records:
        if len(cells) != len(header):
            problem = f"{len(cells)} cells where the header has {len(header)}: {short_repr(','.join(cells))}"
            is_cut = len(cells) < len(header) and not content.data.endswith(b"\n") and next(records, None) is None
            hint = hints.CUT_OFF if is_cut else "Repair this row; put quotes around cells with commas."
            return InputError(content.name, f"row {row}", problem, hint)
    return InputError(content.name, "", f"this is not a readable CSV: {error}", "Export it again.")
