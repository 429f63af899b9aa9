"""Decode the used columns of a Parquet file that is not trusted.

A few bytes of such a file can stand for millions of equal rows, or unpack to gigabytes, and what the file says about
its size may be false. So the headers of all pages (the parts of a column) are added up before anything is decoded, rows
are counted while they are decoded, and text stays encoded as a dictionary.

Files describe themselves in Thrift's compact notation (`thrift`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, NamedTuple

from layoutcm import hints
from layoutcm.errors import InputError
from layoutcm.formats.content import FileContent
from layoutcm.formats.thrift import MAX_DEPTH, Struct, read_struct
from layoutcm.layouts import limits
from layoutcm.lazy import pa, pq

MAGIC = b"PAR1"
PARQUET_ENDS = (MAGIC, b"PARE")  # the second one if it is encrypted
BATCH_ROWS = 1 << 18
BATCH_BYTES = 256 << 20  # if each row of a batch has all the text of the largest page
LARGE_BATCH_BYTES = 64 << 20  # the same for columns of images or documents, which are used row by row
VALUE_BYTES = 8  # that a value in a list counts: one bit of a file can stand for thousands of them
MIN_PAGE_COST = 512  # bytes that a page counts at least, because each takes time
MAX_FIXED_BYTES = 64  # of a value of fixed length; decimal numbers have up to 32
# Fields of the description of a file, of a row group, of a column in it, and of a column of the whole file.
SCHEMA, ROW_GROUPS, KEY_VALUES = 2, 4, 5
KEY, VALUE = 1, 2
COLUMNS, GROUP_ROWS, COLUMN = 1, 3, 3
TOTAL_VALUES, PACKED_TOTAL, DATA_OFFSET, DICTIONARY_OFFSET = 5, 7, 9, 11
TYPE, TYPE_LENGTH, REPETITION, NAME, CHILDREN = 1, 2, 3, 4, 5
BYTE_ARRAY, FIXED_BYTES, REPEATED = 6, 7, 2
# Fields of the header of a page.
UNPACKED_SIZE, PACKED_SIZE, DATA_PAGE, DATA_PAGE_V2 = 2, 3, 5, 8
VALUES, ENCODING, ENCODING_V2 = 1, 2, 4
NO_DICTIONARY = (6, 7)  # DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY


class StoredColumn(NamedTuple):
    """A column that has values: its full name, its description, and whether it is in a list or in any other column."""

    name: str
    facts: Struct
    in_list: bool
    is_nested: bool

    @property
    def is_text(self) -> bool:
        return self.facts.get(TYPE) == BYTE_ARRAY


class Part(NamedTuple):
    """One column in one group of rows: where its pages are, and how many values they should have."""

    name: str
    start: int
    end: int
    values: int


def is_parquet(content: FileContent) -> bool:
    return content.head[:4] == MAGIC


def column_paths(content: FileContent) -> list[str]:
    """The full names of all columns that have values, such as "objects.bbox.list.element"; [] for a damaged file."""
    try:
        return [column.name for column in stored_columns(_read_description(content, last=SCHEMA))]
    except (ValueError, LookupError, TypeError, AttributeError):
        return []


def read_columns(content: FileContent, choose: Callable[[pa.Schema], Sequence[int]]) -> pa.Table:
    """The columns that `choose` picks from all columns; text as dictionaries. Raises `InputError`."""
    with unreadable_refused(content):
        columns = _open_columns(content, lambda schema: [schema.names[i] for i in choose(schema)], False)
        batches = list(columns.batches())
        table = pa.Table.from_batches(batches, columns.schema if not batches else None)
        table.validate(full=True)  # a text column of Parquet may contain any bytes
        return table.select([table.column_names.index(name) for name in columns.chosen]) if not batches else table


def iter_row_group(content: FileContent, path: str, row: int) -> Iterator[tuple[int, pa.RecordBatch]]:
    """(number of its first row, batch) of one column, in the row group of this row only. Raises `InputError`."""
    with unreadable_refused(content):
        columns = _open_columns(content, lambda _: [path], True)
        first = 0
        for i, group in enumerate(columns.description.get(ROW_GROUPS, ())):
            if first <= row < first + group[GROUP_ROWS]:
                alone = columns._replace(description=columns.description | {ROW_GROUPS: [group]})
                for batch in alone.batches(large=True, groups=[i]):
                    yield first, batch
                    first += batch.num_rows
                return
            first += group[GROUP_ROWS]


def iter_nested(
    content: FileContent, choose: Callable[[pa.Schema], Sequence[str]], large: bool = False
) -> Iterator[pa.RecordBatch]:
    """Batches of columns that may hold structs and lists; `choose` picks full names, as `column_paths` lists them.

    Batches are smaller if values are `large`, such as images or documents. Raises `InputError`.
    """
    with unreadable_refused(content):
        for batch in _open_columns(content, choose, True).batches(large):
            batch.validate(full=True)
            yield batch


@contextmanager
def unreadable_refused(content: FileContent) -> Iterator[None]:
    """Turn what Arrow and a damaged description raise into an `InputError`."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, LookupError, TypeError, AttributeError, MemoryError) as error:
        raise _unreadable(content, error) from None


class OpenColumns(NamedTuple):
    """The chosen columns of a file, which were checked."""

    content: FileContent
    description: Struct
    schema: pa.Schema
    chosen: list[str]
    stored: list[StoredColumn]

    def batches(self, large: bool = False, groups: Sequence[int] | None = None) -> Iterator[Any]:
        """Batches of rows, of some row groups or all.

        Text is read as dictionaries, except in structs, where Arrow cannot do so if there are several of them.
        """
        text = [column for column in self.stored if column.is_text]
        in_struct = [column.name for column in text if column.is_nested and not column.in_list]
        plain = check_pages(self.content, self.description, self.chosen, in_struct if not large else names_of(text))
        dictionary_columns = [column.name for column in text if column.name not in plain]
        # Without threads: Arrow does not join them when Python exits, which then often ends in an abort. `read_table`
        # would start one in any case.
        data = pa.BufferReader(self.content.data)
        file = pq.ParquetFile(data, read_dictionary=dictionary_columns, pre_buffer=False)
        rows = max(1, min(BATCH_ROWS, (LARGE_BATCH_BYTES if large else BATCH_BYTES) // max(1, sum(plain.values()))))
        together = [groups]
        if any(column.in_list and column.name in dictionary_columns for column in text):
            together = [[i] for i in range(file.num_row_groups)]  # each has its own dictionary
        parts = (file.iter_batches(rows, some, columns=self.chosen, use_threads=False) for some in together)
        return _counted(self.content, chain.from_iterable(parts))


def names_of(columns: Sequence[StoredColumn]) -> list[str]:
    return [column.name for column in columns]


def _open_columns(content: FileContent, choose: Callable[[pa.Schema], Sequence[str]], nested: bool) -> OpenColumns:
    description = _read_description(content)
    schema = pq.read_schema(pa.BufferReader(content.data))
    chosen = list(choose(schema))
    stored = [column for column in stored_columns(description) if _is_chosen(column.name, chosen)]
    _check_columns(content.name, stored, chosen, nested)
    return OpenColumns(content, description, schema, chosen, stored)


def _unreadable(content: FileContent, error: Exception) -> InputError:
    if not content.data.endswith(PARQUET_ENDS):
        problem = "this is not a readable Parquet file: it has no description at its end"
        return InputError(content.name, "", problem, hints.CUT_OFF)
    return InputError(content.name, "", f"this is not a readable Parquet file: {error}", "Export it again.")


def _read_description(content: FileContent, last: int = 0) -> Struct:
    """The description at the end of the file, up to the field `last`.

    Too long a text is refused: each of its bytes can take hundreds in memory.
    """
    length = int.from_bytes(content.data[-8:-4], "little")
    if length > most_footer(content) or length > len(content.data) - 8:
        raise ValueError(f"its description has {length:,} bytes")
    return read_struct(content.data, len(content.data) - 8 - length, last=last)[0]


def most_footer(content: FileContent) -> int:
    """The most bytes of the description of a file."""
    return max(limits.PARQUET_FOOTER_FLOOR, content.stored_size // 8)


def _check_columns(file: str, stored: Sequence[StoredColumn], chosen: Sequence[str], nested: bool) -> None:
    """Refuse columns with very long values of fixed length and, unless `nested`, with lists and structs."""
    if nested and len(set(names_of(stored))) < len(stored):
        raise ValueError("two of its columns have the same name")
    for column in stored:
        if not nested and (column.in_list or column.name not in chosen):
            top = column.name.partition(".")[0]
            raise InputError(file, f"column {top}", "holds lists, must be text or numbers", "Convert it.")
        if column.facts.get(TYPE) == FIXED_BYTES and column.facts.get(TYPE_LENGTH, 0) > MAX_FIXED_BYTES:
            raise InputError(file, f"column {column.name}", "holds bytes, must be text or numbers", "Convert it.")


def stored_columns(description: Struct) -> list[StoredColumn]:
    """Every column that has values, in the order in which row groups list them."""
    found = []
    around: list[tuple[str, int, bool]] = []  # the columns around it: name, how many more it contains, in a list
    for facts in description[SCHEMA][1:]:
        name = facts[NAME].decode()
        in_list = facts.get(REPETITION) == REPEATED or (bool(around) and around[-1][2])
        path = ".".join([*(outer for outer, _, _ in around), name])
        if around:
            around[-1] = (around[-1][0], around[-1][1] - 1, around[-1][2])
        if facts.get(CHILDREN):
            around.append((name, facts[CHILDREN], in_list))
        else:
            found.append(StoredColumn(path, facts, in_list, bool(around)))
        while around and around[-1][1] <= 0:
            around.pop()
        if len(around) > MAX_DEPTH:
            raise ValueError("its columns are nested too deeply")
    return found


def _is_chosen(path: str, chosen: Sequence[str]) -> bool:
    """Whether Arrow reads a column for one of these names; "a" also stands for all that is nested in it."""
    return any(path == name or path.startswith(f"{name}.") for name in chosen)


def _counted(content: FileContent, batches: Iterator[Any]) -> Iterator[Any]:
    """The batches, until they have more rows or bytes than a file of this size can have."""
    most_rows = _most_rows(content)
    rows = size = 0
    for batch in batches:
        rows += batch.num_rows
        size += sum(map(_plain_bytes, batch.columns))
        if rows > most_rows:
            raise _too_many_rows(content)
        if size > most_decoded(content):
            raise ValueError(f"its values have more than {most_decoded(content):,} bytes")
        yield batch


def _most_rows(content: FileContent) -> int:
    return max(limits.PARQUET_ROWS_FLOOR, content.stored_size // limits.PARQUET_BYTES_PER_ROW)


def _too_many_rows(content: FileContent) -> ValueError:
    return ValueError(f"it has more than {_most_rows(content):,} rows, the most for {content.stored_size:,} bytes")


def _plain_bytes(column: Any) -> int:
    """The bytes of an array without those of its dictionaries, which are shared by batches."""
    if pa.types.is_dictionary(column.type):
        return 0
    if pa.types.is_struct(column.type):
        return sum(map(_plain_bytes, column.flatten()))
    if pa.types.is_list(column.type) or pa.types.is_fixed_size_list(column.type):
        return 4 * len(column) + _plain_bytes(column.flatten())
    return int(column.nbytes)


def most_decoded(content: FileContent) -> int:
    return max(limits.PARQUET_DECODED_FLOOR, limits.PARQUET_DECODED_RATIO * content.stored_size)


def check_pages(
    content: FileContent,
    description: Struct,
    chosen: Sequence[str],
    plain: Sequence[str],
    count_rows: bool = False,
) -> dict[str, int]:
    """Refuse pages that unpack to too much.

    Returns {column: bytes of its largest page} for the `plain` columns and those that Arrow cannot read as
    dictionaries. Their values may repeat a word, or the start of the one before, so each may have as many bytes as its
    page. With `count_rows` the rows are counted here, not while they are decoded.
    """
    size, rows = 0, dict.fromkeys(chosen, 0)
    largest: dict[str, int] = {}
    without_dictionary = set(plain)
    for part in _parts(content, description, chosen):
        value_bytes = VALUE_BYTES if count_rows or "." in part.name else 0
        for unpacked, encoding, values in _pages(content.data, part):
            size += max(unpacked, MIN_PAGE_COST, value_bytes * values)
            if size > most_decoded(content):
                raise ValueError(f"it unpacks to more than {most_decoded(content):,} bytes")
            if count_rows and part.name in rows:
                rows[part.name] += values
                if rows[part.name] > _most_rows(content):
                    raise _too_many_rows(content)
            largest[part.name] = max(unpacked, largest.get(part.name, 1))
            if encoding in NO_DICTIONARY:
                without_dictionary.add(part.name)
    return {name: largest.get(name, 1) for name in without_dictionary}


def _parts(content: FileContent, description: Struct, chosen: Sequence[str]) -> Iterator[Part]:
    """The places of the chosen columns; if they are larger than the file together, some bytes are used twice."""
    left = len(content.data)
    names = names_of(stored_columns(description))
    for group in description.get(ROW_GROUPS, ()):
        # By position, as Arrow does: the name of a column in a row group may be false.
        for name, whole in zip(names, group[COLUMNS]):
            column = whole[COLUMN]
            if not _is_chosen(name, chosen):
                continue
            start, size = column[DATA_OFFSET], column[PACKED_TOTAL]
            if 0 < column.get(DICTIONARY_OFFSET, 0) < start:
                start = column[DICTIONARY_OFFSET]
            left -= size
            if start < 0 or size < 0 or left < 0:
                raise ValueError(f"the column {name} is not where the file says")
            yield Part(name, start, start + size, column[TOTAL_VALUES])


def _pages(data: bytes, part: Part) -> Iterator[tuple[int, int, int]]:
    """Unpacked size, encoding and values of every page that Arrow would read, from the headers of the pages."""
    at, values = part.start, 0
    while at < part.end and values < part.values:
        header, at = read_struct(data, at)
        packed, unpacked = header.get(PACKED_SIZE, -1), header.get(UNPACKED_SIZE, -1)
        if packed < 0 or unpacked < 0:
            raise ValueError("a page has no size")
        old, new = header.get(DATA_PAGE) or {}, header.get(DATA_PAGE_V2) or {}
        more = max(0, old.get(VALUES, 0), new.get(VALUES, 0))
        values += more
        yield unpacked, old.get(ENCODING, new.get(ENCODING_V2, 0)), more
        at += packed
