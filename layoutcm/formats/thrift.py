"""Parse Thrift's compact notation, in which Parquet files describe themselves.

It is parsed by hand: Arrow decompresses and decodes what a description promises without a limit, and its Python
interface ends the process where one is damaged.
"""

from __future__ import annotations

from typing import Any

Struct = dict[int, Any]
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, _MAP, STRUCT = range(1, 13)
MAX_DEPTH = 32  # structs and lists inside each other; Parquet has about six levels
DAMAGED = "its description is damaged"


def read_struct(data: bytes, at: int, depth: int = MAX_DEPTH, last: int = 0) -> tuple[Struct, int]:
    """{field: value} of a struct up to the field `last`, and where it ends. Raises ValueError or IndexError."""
    found: Struct = {}
    field = 0
    while True:
        sign = data[at]
        at += 1
        kind = sign & 15
        if not kind:
            return found, at
        if sign >> 4:
            field += sign >> 4
        else:
            field, at = _read_number(data, at)
        if kind in (TRUE, FALSE):  # the value of a field is in its type
            found[field] = kind == TRUE
        else:
            found[field], at = _read_value(data, at, kind, depth)
        if field == last:
            return found, at


def _read_value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (TRUE, FALSE, BYTE):  # items of a list
        return data[at], at + 1
    if kind in (I16, I32, I64):
        return _read_number(data, at)
    if kind == DOUBLE:
        return None, at + 8
    if kind == BINARY:
        length, at = _read_varint(data, at)
        if length > len(data) - at:
            raise ValueError(DAMAGED)
        return data[at : at + length], at + length
    if kind in (LIST, SET, STRUCT):
        if depth == 1:
            raise ValueError("its description is nested too deeply")
        return (read_struct if kind == STRUCT else _read_list)(data, at, depth - 1)
    raise ValueError(DAMAGED)  # Parquet has no maps


def _read_list(data: bytes, at: int, depth: int) -> tuple[list[Any], int]:
    sign = data[at]
    at += 1
    length, kind = sign >> 4, sign & 15
    if length == 15:
        length, at = _read_varint(data, at)
    if length > len(data) - at:  # each item has at least one byte
        raise ValueError(DAMAGED)
    found = []
    for _ in range(length):
        item, at = _read_value(data, at, kind, depth)
        found.append(item)
    return found, at


def _read_number(data: bytes, at: int) -> tuple[int, int]:
    value, at = _read_varint(data, at)
    return (value >> 1) ^ -(value & 1), at


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at
    raise ValueError(DAMAGED)
