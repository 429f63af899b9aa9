"""Plain tables: CSV, Parquet, or a table in memory.

Columns: page, document, number, width, height, label, x0, y0, x1, y1, score, outline, ignore, annotator, attr:NAME.
Only the label and the box are required; `table_columns` has other usual names of the columns. A row without a label is
a page without regions, and a row with only a label declares that label. Without a page column, all rows are on one page
with the name of the file.

A table in memory is a pandas DataFrame, a pyarrow Table, or a list of dicts, alone or as (name, table). None, NaN and
NA are empty cells. Neither pandas nor pyarrow is imported to find out whether something is one of theirs.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import numpy as np

from layoutcm import hints
from layoutcm.errors import InputError, check_count, short_repr
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.parquet_files import read_columns
from layoutcm.formats.table_columns import KNOWN_NAMES, MAIN_COLUMNS, column_key, columns_in_use, find_columns
from layoutcm.formats.table_rows import TableSource, read_table
from layoutcm.layouts import limits
from layoutcm.layouts.file_bytes import not_utf8
from layoutcm.layouts.model import Layout
from layoutcm.layouts.repairs import is_repair
from layoutcm.layouts.shapes import Outline, RunMask
from layoutcm.layouts.stored_facts import METADATA_KEY, VERSION, StoredFacts
from layoutcm.layouts.validation import check_lengths
from layoutcm.layouts.writing.coco import segmentation
from layoutcm.lazy import pa, pc, pd

if TYPE_CHECKING:
    Memory: TypeAlias = pd.DataFrame | pa.Table | list[dict[str, Any]]
    MemorySource: TypeAlias = Memory | tuple[str, Memory]

IN_MEMORY = "table"  # the format of a layout that was not read from a file


class _Version(msgspec.Struct):
    """Decoded first: the rest of a later version may look different."""

    version: int


def read_csv(content: FileContent, options: Options) -> Layout:
    source = TableSource(content.name, "csv", content.stem, partial(spreadsheet_row, content))
    return read_table(source, read_cells(content), options)


def read_parquet(content: FileContent, options: Options) -> Layout:
    facts: StoredFacts | None = None

    def choose(schema: pa.Schema) -> list[int]:
        nonlocal facts
        facts = _read_facts(content.name, schema)
        return columns_in_use(content.name, schema.names)

    table = read_columns(content, choose)
    return read_table(TableSource(content.name, "parquet", content.stem, "row {}".format, facts), table, options)


def read_memory(name: str, table: pa.Table, options: Options) -> Layout:
    """A table in memory; one that was read from a stored layout still has the metadata of the layout."""
    facts = _read_facts(name, table.schema)
    return read_table(TableSource(name, IN_MEMORY, name, "row {}".format, facts), table, options)


def _read_facts(file: str, schema: pa.Schema) -> StoredFacts | None:
    """What the metadata says about the layout; None for version 1, which has none."""
    data = (schema.metadata or {}).get(METADATA_KEY)
    if data is None:
        return None
    check_count(len(data), limits.MAX_METADATA, "bytes", file, "metadata", "Write it again.")
    try:
        _check_version(file, FileContent(file, data).decode(_Version).version)
        facts = FileContent(file, data).decode(StoredFacts)
    except InputError as error:
        place = ", ".join(part for part in ("metadata", error.place) if part)
        raise InputError(file, place, error.problem, error.advice) from None
    check_lengths(file, "name of the annotator", [facts.annotator, *facts.annotators], "metadata".format)
    wrong = next((name for name in facts.repairs if not is_repair(name)), None)
    if wrong is not None:
        raise InputError(file, "metadata, repairs", f"{short_repr(wrong)} is not a repair", "Write it again.")
    return facts


def _check_version(file: str, version: int) -> None:
    if version > VERSION:
        problem = f"this is version {version} of a layout table, and this program reads up to version {VERSION}"
        raise InputError(file, "version", problem, "Update layoutcm, or write the file with an earlier version.")
    if version < VERSION:
        raise InputError(file, "version", f"{version} is not a version with metadata", "Write it again.")


BLOCK_BYTES = 1 << 25  # a row of a CSV must fit into a block, and an outline can have more than Arrow's 1 MB

SMALL = 1 << 16  # bytes of a table that is split in Python: a zip may have thousands of them
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
    found = _small_table(content) if len(content.data) <= SMALL else None
    if found is not None:
        return found
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


def _small_table(content: FileContent) -> pa.Table | None:
    """What Arrow makes of a small CSV without quotes, in less time than Arrow needs to begin; None for any other."""
    if b'"' in content.data or b"\r" in content.data or _BLANK_LINE.search(content.data):
        return None
    try:
        text = content.data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError:
        return None
    sign = _delimiter(content)
    names, *rows = (line.split(sign) for line in text.removesuffix("\n").split("\n"))
    if not rows or not 1 < len(names) <= limits.MAX_COLUMNS or any(len(cells) != len(names) for cells in rows):
        return None
    return pa.table([pa.array([cell or None for cell in column], pa.string()) for column in zip(*rows)], names=names)


def _check_number_of_columns(content: FileContent) -> None:
    """Arrow takes about 10 kB for each column, even if it is not used."""
    try:
        header = next(filter(None, _csv_reader(content)), [])
    except csv.Error as error:  # a name of more than 128 kB
        raise InputError(content.name, "header", f"cannot be read: {error}", "Export it again.") from None
    hint = f"Keep {', '.join(MAIN_COLUMNS)}."
    check_count(len(header), limits.MAX_COLUMNS, "columns", content.name, "header", hint)


def _csv_reader(content: FileContent) -> Iterator[list[str]]:
    text = io.TextIOWrapper(io.BytesIO(content.data), encoding="utf-8-sig", newline="")
    return csv.reader(text, delimiter=_delimiter(content))


def _records(content: FileContent) -> Iterator[tuple[int, list[str]]]:
    """Yield (row, cells); slow, only for messages. As in a spreadsheet, the header is row 1 and blank lines count."""
    try:
        yield from ((row, cells) for row, cells in enumerate(_csv_reader(content), 1) if cells)
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


def find_table(source: object) -> tuple[str, pa.Table] | None:
    """Name and used columns of a table in memory; None if the source is something else. Raises `InputError`."""
    match source:
        case (str() as name, table) if not isinstance(table, bytes):
            pass
        case _:
            name, table = "", source
    if _is_one_of(table, "pandas", "DataFrame"):
        return _from_frame(name or "DataFrame", table)
    if _is_one_of(table, "pyarrow", "Table"):
        return _from_arrow(name or "Table", table)
    if isinstance(table, list) and (not table or isinstance(table[0], Mapping)):
        return _from_dicts(name or "list of dicts", table)
    return None


def _is_one_of(value: object, module: str, name: str) -> bool:
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(value, kind)


def _from_frame(file: str, frame: Any) -> tuple[str, pa.Table]:
    named = [name for name in frame.index.names if name is not None and name not in frame.columns]
    frame = frame.reset_index(level=named) if named else frame
    names = [str(name) for name in frame.columns]
    return file, _arrow_table(file, names, lambda at: frame.iloc[:, at])


def _from_dicts(file: str, items: Sequence[Any]) -> tuple[str, pa.Table]:
    wrong = next((i for i, item in enumerate(items) if not isinstance(item, Mapping)), None)
    if wrong is not None:
        raise InputError(file, f"row {wrong}", f"{short_repr(items[wrong])} is not a dict", "Repair or remove it.")
    # An empty list is a table without rows.
    columns = [name for item in items for name in item] or ["label", "x0", "y0", "x1", "y1"]
    names = list(dict.fromkeys(columns))
    odd = next((name for name in names if not isinstance(name, str)), None)
    if odd is not None:
        raise InputError(file, "", f"the key {short_repr(odd)} is not a text", "Name the columns with texts.")
    return file, _arrow_table(file, names, lambda at: [item.get(names[at]) for item in items])


def _from_arrow(file: str, table: pa.Table) -> tuple[str, pa.Table]:
    facts = (table.schema.metadata or {}).get(METADATA_KEY)
    metadata = None if facts is None else {METADATA_KEY: facts}
    found = table.select(columns_in_use(file, table.column_names)).replace_schema_metadata(metadata)
    outline = find_columns(found.column_names).place.get("outline")
    for at, name in enumerate(found.column_names):
        column = found.column(at)
        if at == outline and pa.types.is_nested(column.type):
            found = found.set_column(at, name, pa.array(map(_outline_text, column.to_pylist()), pa.string()))
            continue
        if pa.types.is_dictionary(column.type) and pa.types.is_floating(column.type.value_type):
            column = column.cast(column.type.value_type)
        if pa.types.is_floating(column.type):
            missing = pa.scalar(None, column.type)
            found = found.set_column(at, name, pc.if_else(pc.is_nan(column), missing, column))
    return file, found


def _arrow_table(file: str, names: Sequence[str], column: Callable[[int], Any]) -> pa.Table:
    """The used columns; `column` returns the values of the one at this position."""
    used = columns_in_use(file, names)
    outline = find_columns(names).place.get("outline")
    arrays = [
        pa.array(list(map(_outline_text, column(at))), from_pandas=True)
        if at == outline
        else _arrow_array(file, names[at], column(at))
        for at in used
    ]
    return pa.table(arrays, names=[names[at] for at in used])


def _arrow_array(file: str, name: str, values: Any) -> pa.Array:
    """The values as Arrow has them; values of several types become text, and a message can name the wrong one."""
    try:
        found = pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.array([_cell_text(file, name, row, value) for row, value in enumerate(values)], pa.string())
    if pa.types.is_nested(found.type):
        row = next((i for i in range(len(found)) if found[i].is_valid), None)
        if row is None:
            return pa.nulls(len(found))
        raise _not_a_cell(file, name, row, found[row].as_py())
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found


def _cell_text(file: str, name: str, row: int, value: Any) -> str | None:
    if _is_missing(value):
        return None
    if isinstance(value, bytes | list | tuple | dict | set):
        raise _not_a_cell(file, name, row, value)
    try:
        return str(value).encode("utf-8").decode("utf-8")
    except ValueError:  # half a surrogate pair, or a very long number
        raise _not_a_cell(file, name, row, value) from None


def _not_a_cell(file: str, name: str, row: int, value: object) -> InputError:
    problem = f"{short_repr(value)} is neither text nor a number"
    return InputError(file, f"row {row}, column {name}", problem, "Repair this value.")


def _is_missing(value: object) -> bool:
    """None, NaN and the NA of pandas: NaN differs from itself, and NA is neither equal nor different."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _outline_text(value: Any) -> str | None:
    """An outline as text: a COCO segmentation as text or as lists, or what `Layout.regions` has."""
    if isinstance(value, Outline | RunMask):
        value = segmentation(value)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple | dict):
        try:
            return json.dumps(value, default=lambda part: part.tolist())  # arrays and numbers of numpy
        except (TypeError, ValueError, AttributeError, RecursionError):
            return str(value)[:100]  # which the parser refuses, naming the row
    return None if _is_missing(value) else str(value)
