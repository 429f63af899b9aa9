"""The values of columns of a table: texts, numbers and flags, from any type of Arrow that can hold them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.parsing import THOUSANDS, ambiguous_comma
from layoutcm.layouts.model import Floats, PlaceNamer

if TYPE_CHECKING:
    import pyarrow as pa

MAX_NUMBER_LENGTH = 100  # characters
DECIMAL_COMMA = r"^([+-]?[0-9]*),([0-9]+)$"
FLAGS = {"": False, "0": False, "false": False, "no": False, "1": True, "true": True, "yes": True}


class Coded(NamedTuple):
    """A column of texts as integers of the smallest type, a number for each different one; 0 is an empty cell."""

    codes: NDArray[np.integer]
    words: list[str]

    def take(self, kept: np.ndarray) -> Coded:
        return Coded(self.codes[kept], self.words)


def text_column(file: str, table: pa.Table, at: int | None) -> list[str]:
    import pyarrow as pa

    if at is None:
        return [""] * table.num_rows
    try:
        known: dict[str, str] = {}
        return [text for chunk in table.column(at).chunks for text in texts_of(chunk, known)]
    except pa.ArrowException:
        name, kind = table.column_names[at], table.column(at).type
        raise InputError(file, f"column {name}", f"holds {kind}, must be text", "Convert it.") from None


def texts_of(chunk: pa.Array, known: dict[str, str]) -> list[str]:
    """The values as text, "" for blank ones. Equal words of dictionaries become the same object, also in other chunks.

    This saves memory, and comparing them does not read them.
    """
    import pyarrow as pa

    if not pa.types.is_dictionary(chunk.type):
        return [value if value and not value.isspace() else "" for value in chunk.cast(pa.string()).to_pylist()]
    words = [known.setdefault(word, word) for word in (*texts_of(chunk.dictionary, known), "")]
    return [words[i] for i in chunk.indices.fill_null(len(words) - 1).to_pylist()]


def coded_column(file: str, table: pa.Table, at: int | None) -> Coded:
    """The texts of a column, without a Python object for each row: there may be many such columns."""
    import pyarrow as pa

    if at is None or not table.num_rows:
        return Coded(np.zeros(table.num_rows, np.uint8), [""])
    column = table.column(at)
    try:
        if not pa.types.is_dictionary(column.type):
            column = column.cast(pa.string()).dictionary_encode()
        whole = column.unify_dictionaries().combine_chunks()
        words = texts_of(whole.dictionary, {})
        given = whole.indices.fill_null(len(words)).to_numpy(zero_copy_only=False)
    except pa.ArrowException:
        name = table.column_names[at]
        raise InputError(file, f"column {name}", f"holds {column.type}, must be text", "Convert it.") from None
    number: dict[str, int] = {"": 0}
    recode = [number.setdefault(word, len(number)) for word in (*words, "")]
    return Coded(np.array(recode, np.min_scalar_type(len(number)))[given], list(number))


def flag_column(file: str, table: pa.Table, at: int | None, place: PlaceNamer) -> NDArray[np.bool_]:
    """bool[rows]: 1, true or yes; an empty cell is False."""
    if at is not None and not _holds_text(table.column(at).type):
        return np.asarray(number_column(file, table, at, place) > 0)
    coded = coded_column(file, table, at)
    flags = [_flag(word) for word in coded.words]
    wrong = [i for i, flag in enumerate(flags) if flag is None]
    if wrong and at is not None:
        row = int(np.argmax(np.isin(coded.codes, wrong)))
        problem = f"{short_repr(coded.words[coded.codes[row]])} is neither 1 nor 0, true nor false"
        raise InputError(file, f"{place(row)}, column {table.column_names[at]}", problem, "Repair this cell.")
    return np.array(flags, bool)[coded.codes]


def _holds_text(kind: pa.DataType) -> bool:
    return str(kind) in ("string", "large_string", "string_view") or str(kind).startswith("dictionary")


def _flag(word: str) -> bool | None:
    text = word.strip().lower()
    if text in FLAGS:
        return FLAGS[text]
    try:
        return float(text) > 0 if len(text) <= MAX_NUMBER_LENGTH else None
    except ValueError:
        return None


def number_column(file: str, table: pa.Table, at: int | None, place: PlaceNamer) -> Floats:
    import pyarrow as pa
    import pyarrow.compute as pc

    if at is None:
        return np.full(table.num_rows, np.nan)
    name, column = table.column_names[at], table.column(at)
    try:
        texts = _number_texts(file, column, name)
        if texts is not None:
            column = pc.if_else(pc.equal(texts, ""), None, texts)
            if pc.any(pc.match_substring(texts, ",")).as_py():  # decimal commas, as in 0,358
                column = pc.replace_substring_regex(column, DECIMAL_COMMA, r"\1.\2")
        given = column.cast(pa.float64(), safe=False)
    except pa.ArrowException:
        raise _not_a_number_error(file, column, name, place) from None
    numbers = given.to_numpy().astype(float, copy=True)
    wrong = ~np.isfinite(numbers) & ~np.asarray(pc.is_null(given))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            file,
            f"{place(row)}, column {name}",
            f"the value is {numbers[row]:g}, must be a finite number",
            "Repair it, or leave the cell empty where there is none.",
        )
    return numbers


def _number_texts(file: str, column: pa.ChunkedArray, name: str) -> pa.ChunkedArray | None:
    """The values of a column of text without blanks around them; None if they are not text.

    Words of a dictionary that are too long for a number are refused: they could take much memory in each row.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        for chunk in column.chunks:
            if (pc.max(pc.binary_length(chunk.dictionary.cast(pa.string()))).as_py() or 0) > MAX_NUMBER_LENGTH:
                raise InputError(file, f"column {name}", "holds long text, must be numbers", "Convert it.")
        column = column.cast(pa.string())
    if str(column.type) not in ("string", "large_string", "string_view"):
        return None
    return pc.utf8_trim_whitespace(column.cast(pa.string()))


def check_commas(file: str, table: pa.Table, columns: Sequence[int], place: PlaceNamer) -> None:
    """Refuse numbers such as 1,000, unless another number of the file can only have a decimal comma."""
    import pyarrow as pa
    import pyarrow.compute as pc

    first: InputError | None = None
    for at in columns:
        name = table.column_names[at]
        try:
            texts = _number_texts(file, table.column(at), name)
        except pa.ArrowException:  # `number_column` says why
            continue
        if texts is None or not pc.any(pc.match_substring(texts, ",")).as_py():
            continue
        is_unclear = pc.match_substring_regex(texts, f"^{THOUSANDS}$")
        if pc.any(pc.and_not(pc.match_substring_regex(texts, DECIMAL_COMMA), is_unclear)).as_py():
            return
        if first is None and pc.any(is_unclear).as_py():
            row = pc.index(is_unclear, True).as_py()
            first = ambiguous_comma(file, f"{place(row)}, column {name}", texts[row].as_py())
    if first is not None:
        raise first


def _not_a_number_error(file: str, column: pa.ChunkedArray, name: str, place: PlaceNamer) -> InputError:
    import pyarrow as pa

    for row, cell in enumerate(column):
        try:
            cell.cast(pa.float64(), safe=False)
        except pa.ArrowException:
            problem = f"{short_repr(cell.as_py())} is not a number"
            return InputError(file, f"{place(row)}, column {name}", problem, "Repair this cell.")
    return InputError(file, f"column {name}", f"holds {column.type}, must be numbers", "Convert it.")
