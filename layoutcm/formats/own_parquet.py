"""Decode Parquet files of the kind that this package writes (manifests, parts, results) from an open file.

They are not trusted either, so the limits are those of `parquet_files`. What differs: only the columns that are asked
for are read, and the metadata may be long, because the manifest of many parts has a line for each of them.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cached_property
from typing import Any, BinaryIO, cast

from layoutcm.errors import InputError
from layoutcm.formats.content import FileContent
from layoutcm.formats.parquet_files import (
    KEY,
    KEY_VALUES,
    MAGIC,
    ROW_GROUPS,
    VALUE,
    check_pages,
    most_decoded,
    most_footer,
    names_of,
    stored_columns,
)
from layoutcm.formats.thrift import Struct, read_struct
from layoutcm.lazy import pa, pc, pq

BLOCK = 1 << 12  # bytes that are read to look at the header of a page
# Errors of msgspec are ValueErrors.
DAMAGED = (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)


def damaged_errors() -> tuple[type[Exception], ...]:
    """What a damaged file can raise while it is decoded and used."""
    return (*DAMAGED, pa.ArrowException)


class _FileBytes:
    """The bytes of an open file, read in blocks when they are asked for."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.size = file, file.seek(0, io.SEEK_END)
        self.start, self.block = 0, b""

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            start, stop, _ = at.indices(self.size)
            return self._read(start, max(start, stop))
        if not 0 <= at - self.start < len(self.block):
            self.start, self.block = at, self._read(at, at + BLOCK)
        return self.block[at - self.start]

    def _read(self, start: int, stop: int) -> bytes:
        self.file.seek(start)
        return self.file.read(stop - start)


class _Measured(bytes):
    """The description of a file; it counts the bytes that are not in texts, each of which can take hundreds."""

    left = 0

    def __getitem__(self, at: Any) -> Any:
        if not isinstance(at, slice):
            self.left -= 1
            if self.left < 0:
                raise ValueError("its description is too long")
        return super().__getitem__(at)


class OwnParquet:
    """An open file. Its methods raise one of `damaged_errors` if it is damaged, or stands for too much."""

    def __init__(self, name: str, file: BinaryIO) -> None:
        self.content, self.file = FileContent(name, cast(bytes, _FileBytes(file))), file
        if self.content.data[:4] != MAGIC:
            raise InputError(name, "", "this is not a Parquet file", "Name files that layoutcm has written.")
        length = int.from_bytes(self.content.data[-8:-4], "little")
        if length > len(self.content.data) - 12:
            raise ValueError(f"its description has {length:,} bytes")
        text = _Measured(self.content.data[len(self.content.data) - 8 - length : len(self.content.data) - 8])
        text.left = most_footer(self.content)
        self.description: Struct = read_struct(text, 0)[0]

    @cached_property
    def names(self) -> list[str]:
        """The names of its columns; columns in lists have the name of the list."""
        return list(dict.fromkeys(path.partition(".")[0] for path in self._paths))

    @property
    def _paths(self) -> list[str]:
        paths = names_of(stored_columns(self.description))
        if len(set(paths)) < len(paths):
            raise ValueError("two of its columns have the same name")
        return paths

    def metadata(self, key: bytes) -> bytes | None:
        """The last value with this key in the metadata, as Arrow takes it."""
        found = [one[VALUE] for one in self.description.get(KEY_VALUES, ()) if one[KEY] == key]
        return found[-1] if found else None

    @property
    def group_rows(self) -> list[int]:
        return [self._stored.metadata.row_group(k).num_rows for k in range(self._stored.num_row_groups)]

    @cached_property
    def _stored(self) -> pq.ParquetFile:
        self.file.seek(0)
        text = [column.name for column in stored_columns(self.description) if column.is_text and not column.is_nested]
        return pq.ParquetFile(self.file, read_dictionary=text, page_checksum_verification=True, pre_buffer=False)

    def read(self, columns: Sequence[str], groups: Sequence[int] | None = None) -> pa.Table:
        """These columns of all row groups, or of some; texts as dictionaries."""
        every = self.description.get(ROW_GROUPS, [])
        chosen = every if groups is None else [every[k] for k in groups]
        missing = [name for name in columns if name not in self.names]
        if missing:
            raise KeyError(f"the column {missing[0]} is missing")
        if check_pages(self.content, self.description | {ROW_GROUPS: chosen}, columns, (), count_rows=True):
            raise ValueError("its texts are encoded in a way that is not read")
        names = list(columns)
        stored = self._stored
        read = stored.read if groups is None else lambda *one, **more: stored.read_row_groups(groups, *one, **more)
        table = read(names, use_threads=False)
        table.validate(full=True)  # a text column of Parquet may contain any bytes
        return table.select(names)

    def with_plain_texts(self, table: pa.Table, repeated: Sequence[str]) -> pa.Table:
        """The table with texts instead of dictionaries, except in `repeated` columns."""
        for i, name in enumerate(table.column_names):
            if pa.types.is_dictionary(table[name].type) and name not in repeated:
                size = sum(_text_bytes(chunk) for chunk in table[name].chunks)
                if size > most_decoded(self.content):
                    raise ValueError(f"its texts have more than {most_decoded(self.content):,} bytes")
                table = table.set_column(i, name, table[name].cast(pa.string()))
        return table


def _text_bytes(column: Any) -> int:
    """The bytes of all texts of an array with a dictionary; a text of few bytes may be repeated millions of times."""
    lengths = pc.binary_length(column.dictionary).cast(pa.int64())
    return pc.sum(lengths.take(column.indices)).as_py() or 0
