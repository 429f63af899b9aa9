"""Decode the used columns of a Parquet file that is not trusted.

A few bytes of such a file can stand for millions of equal rows, or unpack to gigabytes, and what the file says about
its size may be false. So the headers of all pages (the parts of a column) are added up before anything is decoded, rows
are counted while they are decoded, and text stays encoded as a dictionary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from layoutcm.errors import InputError
from layoutcm.formats.compact_thrift import MAX_DEPTH, Struct, read_struct
from layoutcm.formats.content import FileContent
from layoutcm.layouts import limits

if TYPE_CHECKING:
    import pyarrow as pa

MAGIC = b"PAR1"
BATCH_ROWS = 1 << 18
BATCH_BYTES = 256 << 20  # if each row of a batch has all the text of the largest page
MIN_PAGE_COST = 512  # bytes that a page counts at least, because each takes time
MAX_FIXED_BYTES = 64  # of a value of fixed length; decimal numbers have up to 32
# Fields of the description of a file, of a row group, of a column in it, and of a column of the whole file.
SCHEMA, ROW_GROUPS = 2, 4
COLUMNS, COLUMN = 1, 3
TOTAL_VALUES, PACKED_TOTAL, DATA_OFFSET, DICTIONARY_OFFSET = 5, 7, 9, 11
TYPE, TYPE_LENGTH, REPETITION, NAME, CHILDREN = 1, 2, 3, 4, 5
BYTE_ARRAY, FIXED_BYTES, REPEATED = 6, 7, 2
# Fields of the header of a page.
UNPACKED_SIZE, PACKED_SIZE, DATA_PAGE, DATA_PAGE_V2 = 2, 3, 5, 8
VALUES, ENCODING, ENCODING_V2 = 1, 2, 4
NO_DICTIONARY = (6, 7)  # DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY


class Part(NamedTuple):
    """One column in one group of rows: where its pages are, and how many values they should have."""

    name: str
    start: int
    end: int
    values: int


def is_parquet(content: FileContent) -> bool:
    return content.data[:4] == MAGIC


def read_columns(content: FileContent, choose: Callable[[pa.Schema], Sequence[int]]) -> pa.Table:
    """The columns that `choose` picks from all columns; text as dictionaries. Raises `InputError`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        description = _read_description(content)
        data = pa.BufferReader(content.data)
        schema = pq.read_schema(data)
        chosen = [schema.names[i] for i in choose(schema)]
        text = _check_columns(content.name, description, chosen)
        without_dictionary = _check_pages(content, description, chosen)
        dictionary_columns = [name for name in text if name not in without_dictionary]
        # Without threads: Arrow does not join them when Python exits, which then often ends in an abort. `read_table`
        # would start one in any case.
        file = pq.ParquetFile(data, read_dictionary=dictionary_columns, pre_buffer=False)
        rows = max(1, min(BATCH_ROWS, BATCH_BYTES // max(without_dictionary.values(), default=1)))
        batches = list(_counted(content, file.iter_batches(rows, columns=chosen, use_threads=False)))
        table = pa.Table.from_batches(batches, file.schema_arrow if not batches else None)
        table.validate(full=True)  # a text column of Parquet may contain any bytes
        return table.select([table.column_names.index(name) for name in chosen]) if not batches else table
    except (pa.ArrowException, OSError, ValueError, LookupError, TypeError, AttributeError, MemoryError) as error:
        raise _unreadable(content, error) from None


def _unreadable(content: FileContent, error: Exception) -> InputError:
    return InputError(content.name, "", f"this is not a readable Parquet file: {error}", "Export it again.")


def _read_description(content: FileContent) -> Struct:
    """What stands at the end of the file. Too long a text is refused: each of its bytes can take hundreds in memory."""
    length = int.from_bytes(content.data[-8:-4], "little")
    if length > max(limits.PARQUET_FOOTER_FLOOR, content.stored_size // 8) or length > len(content.data) - 8:
        raise ValueError(f"its description has {length:,} bytes")
    return read_struct(content.data, len(content.data) - 8 - length)[0]


def _check_columns(file: str, description: Struct, chosen: Sequence[str]) -> list[str]:
    """The chosen columns of text; one with lists, or with very long values of fixed length, is refused."""
    text = []
    for name, column in _stored_columns(description):
        if not _is_chosen(name, chosen):
            continue
        if column.get(REPETITION) == REPEATED or name not in chosen:
            top = name.partition(".")[0]
            raise InputError(file, f"column {top}", "holds lists, must be text or numbers", "Convert it.")
        if column.get(TYPE) == FIXED_BYTES and column.get(TYPE_LENGTH, 0) > MAX_FIXED_BYTES:
            raise InputError(file, f"column {name}", "holds bytes, must be text or numbers", "Convert it.")
        if column.get(TYPE) == BYTE_ARRAY:
            text.append(name)
    return text


def _stored_columns(description: Struct) -> list[tuple[str, Struct]]:
    """Full name and description of every column that has values, in the order in which row groups list them."""
    found = []
    around: list[tuple[str, int]] = []  # names of the columns around it, and how many more columns each contains
    for column in description[SCHEMA][1:]:
        name = ".".join([*(name for name, _ in around), column[NAME].decode()])
        if around:
            around[-1] = (around[-1][0], around[-1][1] - 1)
        if column.get(CHILDREN):
            around.append((column[NAME].decode(), column[CHILDREN]))
        else:
            found.append((name, column))
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
    most_rows = max(limits.PARQUET_ROWS_FLOOR, content.stored_size // limits.PARQUET_BYTES_PER_ROW)
    rows = size = 0
    for batch in batches:
        rows += batch.num_rows
        size += sum(column.nbytes for column in batch.columns if not _is_dictionary(column))
        if rows > most_rows:
            raise ValueError(f"it has more than {most_rows:,} rows, the most for {content.stored_size:,} bytes")
        if size > _most_decoded(content):
            raise ValueError(f"its values have more than {_most_decoded(content):,} bytes")
        yield batch


def _is_dictionary(column: Any) -> bool:
    return hasattr(column, "dictionary")


def _most_decoded(content: FileContent) -> int:
    return max(limits.PARQUET_DECODED_FLOOR, limits.PARQUET_DECODED_RATIO * content.stored_size)


def _check_pages(content: FileContent, description: Struct, chosen: Sequence[str]) -> dict[str, int]:
    """Refuse pages that unpack to too much.

    Returns {column: bytes of its largest page} for columns that Arrow cannot read as dictionaries. Their values may
    repeat the start of the one before, so each may have as many bytes as its page.
    """
    size = 0
    largest: dict[str, int] = {}
    without_dictionary: set[str] = set()
    for part in _parts(content, description, chosen):
        for unpacked, encoding in _pages(content.data, part):
            size += max(unpacked, MIN_PAGE_COST)
            if size > _most_decoded(content):
                raise ValueError(f"it unpacks to more than {_most_decoded(content):,} bytes")
            largest[part.name] = max(unpacked, largest.get(part.name, 1))
            if encoding in NO_DICTIONARY:
                without_dictionary.add(part.name)
    return {name: largest[name] for name in without_dictionary}


def _parts(content: FileContent, description: Struct, chosen: Sequence[str]) -> Iterator[Part]:
    """The places of the chosen columns; if they are larger than the file together, some bytes are used twice."""
    left = len(content.data)
    names = [name for name, _ in _stored_columns(description)]
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


def _pages(data: bytes, part: Part) -> Iterator[tuple[int, int]]:
    """Unpacked size and encoding of every page that Arrow would read, from the headers of the pages."""
    at, values = part.start, 0
    while at < part.end and values < part.values:
        header, at = read_struct(data, at)
        packed, unpacked = header.get(PACKED_SIZE, -1), header.get(UNPACKED_SIZE, -1)
        if packed < 0 or unpacked < 0:
            raise ValueError("a page has no size")
        old, new = header.get(DATA_PAGE) or {}, header.get(DATA_PAGE_V2) or {}
        values += max(0, old.get(VALUES, 0), new.get(VALUES, 0))
        yield unpacked, old.get(ENCODING, new.get(ENCODING_V2, 0))
        at += packed
