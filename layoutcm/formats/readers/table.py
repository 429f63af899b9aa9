"""Plain tables: CSV, Parquet, or a table in memory.

Columns: page, document, number, width, height, label, x0, y0, x1, y1, score, outline, ignore, annotator, attr:NAME.
Only the label and the box are required; `table_columns` has other usual names of the columns. A row without a label is
a page without regions, and a row with only a label declares that label. Without a page column, all rows are on one page
with the name of the file.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.csv_files import is_csv as is_csv
from layoutcm.formats.csv_files import read_cells, spreadsheet_row
from layoutcm.formats.parquet_files import read_columns
from layoutcm.formats.table_columns import columns_in_use
from layoutcm.formats.table_rows import TableSource, read_table
from layoutcm.layouts import limits
from layoutcm.layouts.model import Layout
from layoutcm.layouts.repairs import is_repair
from layoutcm.layouts.stored_facts import METADATA_KEY, VERSION, StoredFacts
from layoutcm.layouts.validation import check_lengths

if TYPE_CHECKING:
    import pyarrow as pa

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
    if len(data) > limits.MAX_METADATA:
        problem = f"{len(data):,} bytes, at most {limits.MAX_METADATA:,} are read"
        raise InputError(file, "metadata", problem, "Write it again.")
    try:
        _check_version(file, FileContent(file, data).decode(_Version).version)
        facts = FileContent(file, data).decode(StoredFacts)
    except InputError as error:
        place = ", ".join(part for part in ("metadata", error.place) if part)
        raise InputError(file, place, error.problem, error.advice) from None
    check_lengths(file, "name of the annotator", [facts.annotator, *facts.annotators], "metadata".format)
    wrong = next((name for name in facts.repairs if not is_repair(name)), None)
    if wrong is not None:
        problem = f"{short_repr(wrong)} is not a repair"
        raise InputError(file, "metadata, repairs", problem, "Write it again.")
    return facts


def _check_version(file: str, version: int) -> None:
    if version > VERSION:
        problem = f"this is version {version} of a layout table, and this program reads up to version {VERSION}"
        raise InputError(file, "version", problem, "Update layoutcm, or write the file with an earlier version.")
    if version < VERSION:
        raise InputError(file, "version", f"{version} is not a version with metadata", "Write it again.")
