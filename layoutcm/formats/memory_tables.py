"""Tables in memory: a pandas DataFrame, a pyarrow Table, or a list of dicts, alone or as (name, table).

The columns are those of CSV and Parquet. None, NaN and NA are empty cells. Neither pandas nor pyarrow is imported to
find out whether something is one of theirs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.table_columns import columns_in_use, find_columns
from layoutcm.layouts.shapes import Outline, RunMask
from layoutcm.layouts.stored_facts import METADATA_KEY
from layoutcm.layouts.writing.coco import segmentation

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    Memory: TypeAlias = pd.DataFrame | pa.Table | list[dict[str, Any]]
    MemorySource: TypeAlias = Memory | tuple[str, Memory]


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
    if isinstance(table, list) and table and isinstance(table[0], Mapping):
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
    names = list(dict.fromkeys(name for item in items for name in item))
    odd = next((name for name in names if not isinstance(name, str)), None)
    if odd is not None:
        raise InputError(file, "", f"the key {short_repr(odd)} is not a text", "Name the columns with texts.")
    return file, _arrow_table(file, names, lambda at: [item.get(names[at]) for item in items])


def _from_arrow(file: str, table: pa.Table) -> tuple[str, pa.Table]:
    import pyarrow as pa
    import pyarrow.compute as pc

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
    import pyarrow as pa

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
    """The values as Arrow has them; values of several types become text, so that the message can name the wrong one."""
    import pyarrow as pa

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
