"""Lists in the cells of a Parquet file as flat columns: boxes, numbers and words of the objects of each row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from layoutcm.errors import InputError
from layoutcm.formats.table_columns import as_corners, find_columns, texts_of
from layoutcm.layouts.model import Floats, Positions
from layoutcm.lazy import pa, pc

XYWH = "size"  # the kind of a box without names for its numbers, as in COCO


class Column(NamedTuple):
    """A column of a batch: the file and its name for messages, its top column, and the field in it, if any."""

    file: str
    top: str
    field: str = ""

    @property
    def name(self) -> str:
        return f"{self.top}.{self.field}" if self.field else self.top

    def refuse(self, kind: object, wanted: str) -> InputError:
        return InputError(self.file, f"column {self.name}", f"holds {kind}, must hold {wanted}", "Convert it.")


class Cells(NamedTuple):
    """The items of lists, one after the other, and int64[rows]: how many each row has."""

    items: Any  # a pyarrow Array
    counts: Positions


def cell_values(batch: pa.RecordBatch, column: Column) -> pa.Array:
    """One value per row, from a column or from a field of a struct."""
    array = batch.column(batch.schema.get_field_index(column.top))
    if not column.field:
        return array
    if not pa.types.is_struct(array.type):
        raise column.refuse(array.type, "a struct")
    return pc.struct_field(array, column.field)


def cell_lists(batch: pa.RecordBatch, column: Column) -> Cells:
    """One list per row, from a column of lists, a struct of lists or a list of structs."""
    array = batch.column(batch.schema.get_field_index(column.top))
    is_list_of_structs = bool(column.field) and not pa.types.is_struct(array.type)
    lists = array if is_list_of_structs or not column.field else pc.struct_field(array, column.field)
    if not _is_list(lists.type):
        raise column.refuse(lists.type, "lists")
    counts = pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    items = lists.flatten()
    if is_list_of_structs:
        if not pa.types.is_struct(items.type):
            raise column.refuse(lists.type, "lists of structs")
        items = pc.struct_field(items, column.field)
    return Cells(items, counts)


def numbers_of(column: Column, array: pa.Array) -> Floats:
    """float64[values]; nan where there is none."""
    kind = array.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        if pa.types.is_null(kind):
            return np.full(len(array), np.nan)
        raise column.refuse(kind, "numbers")
    if pa.types.is_boolean(kind):
        array = array.cast(pa.int8())
    found: Floats = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return found


def words_of(column: Column, array: pa.Array) -> list[str]:
    """The texts; "" where there is none."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_null(kind):
        return [""] * len(array)
    if not (is_text(kind) or pa.types.is_integer(kind)):
        raise column.refuse(kind, "text")
    return texts_of(array, {})


def is_text(kind: pa.DataType) -> bool:
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(value) or pa.types.is_large_string(value) or pa.types.is_binary(value))


def boxes_of(column: Column, cells: Cells, first_row: int) -> tuple[Floats, Floats]:
    """float64[regions, x0 y0 x1 y1], and float64[regions, width height] as written.

    Four numbers are x, y, width and height; in a struct, the names of its fields decide.
    """
    items = cells.items
    if pa.types.is_null(items.type) or not len(items):
        return np.zeros((0, 4)), np.zeros((0, 2))
    if pa.types.is_struct(items.type):
        return _boxes_of_structs(column, items)
    if not _is_list(items.type):
        raise column.refuse(f"lists of {items.type}", "lists of boxes")
    lengths = pc.list_value_length(items).fill_null(0).to_numpy(zero_copy_only=False)
    if (lengths != 4).any():
        i = int(np.argmax(lengths != 4))
        problem = f"{lengths[i]} numbers, must be x, y, width and height"
        raise InputError(column.file, place_of_item(column, cells.counts, i, first_row), problem, "Repair the box.")
    four = numbers_of(column, items.flatten()).reshape(-1, 4)
    return as_corners(four, XYWH), four[:, 2:]


def _boxes_of_structs(column: Column, items: pa.Array) -> tuple[Floats, Floats]:
    names = [field.name for field in items.type]
    found = find_columns(names)
    if found.box is None:
        raise column.refuse(items.type, "boxes of four numbers, or with usual names such as xmin, ymin, xmax, ymax")
    four = np.stack([numbers_of(column, pc.struct_field(items, names[i])) for i in found.box], axis=1)
    boxes = as_corners(four, found.kind)
    return boxes, boxes[:, 2:] - boxes[:, :2]


def place_of_item(column: Column, counts: Positions, item: int, first_row: int) -> str:
    """Where an item of a list is, such as "row 3, objects.bbox[0]"."""
    ends = np.cumsum(counts)
    row = int(np.searchsorted(ends, item, side="right"))
    return f"row {first_row + row}, {column.name}[{item - int(ends[row] - counts[row])}]"


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))
