"""The compiled scanner of JSON: numbers of the wanted keys of many objects, as columns, without Python objects.

What the scanner accepts, msgspec accepts, too, with equal values. It gives up on anything unusual (a key with an
escape, a number of more than 19 digits, deep nesting) and on anything that may be wrong. Then the caller decodes the
text with msgspec, which accepts or explains it.
"""

# See `json_numbers` for what holds for positions.
# mypy: allow-untyped-defs

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from layoutcm.compiled import compiled, compiled_part
from layoutcm.formats.json_numbers import GIVE_UP, ONE, byte_at, parse_number
from layoutcm.formats.json_skip import (
    BACKSLASH,
    CLOSE_LIST,
    CLOSE_OBJECT,
    COMMA,
    FALSE,
    IS_PLAIN,
    NULL,
    OPEN_LIST,
    OPEN_OBJECT,
    QUOTE,
    TRUE,
    skip_colon,
    skip_space,
    skip_string,
    skip_value,
    skip_word,
)

NUMBER, INTEGER, TRUTH, BOX = range(4)  # kinds of fields
BOX_COLUMNS = 4
LARGEST_INTEGER = 2.0**53 - 1  # larger ones are not exact as doubles


class Fields(NamedTuple):
    """The wanted keys: uint8[fields, bytes], their lengths and kinds, and the first column of each, then their number.

    The first `needed` columns must have a number in every object.
    """

    names: Any
    lengths: Any
    kinds: Any
    columns: Any
    needed: Any


@compiled_part
def find_field(text, start, stop, fields):
    """The number of the field whose name is at these positions, or -1."""
    for field in range(fields.lengths.size):
        if fields.lengths[field] == stop - start:
            same = True
            for i in range(stop - start):
                if byte_at(text, start + i) != fields.names[field, i]:
                    same = False
                    break
            if same:
                return field
    return -1


@compiled_part
def scan_box(text, at, end, values, column, row):
    """The position after a list of four numbers."""
    at += ONE
    for i in range(BOX_COLUMNS):
        at = skip_space(text, at, end)
        value, at, _ = parse_number(text, at, end)
        if at == GIVE_UP:
            return GIVE_UP
        values[row, column + i] = value
        at = skip_space(text, at, end)
        if at >= end or byte_at(text, at) != (COMMA if i < BOX_COLUMNS - 1 else CLOSE_LIST):
            return GIVE_UP
        at += ONE
    return at


@compiled_part
def scan_value(text, at, end, kind, values, column, row):
    """The position after the value of a field, which goes into its column (nan for null)."""
    byte = byte_at(text, at)
    if byte == NULL[0]:
        for i in range(BOX_COLUMNS if kind == BOX else 1):
            values[row, column + i] = math.nan
        return skip_word(text, at, end, NULL)
    if kind == BOX:
        return scan_box(text, at, end, values, column, row) if byte == OPEN_LIST else GIVE_UP
    if kind == TRUTH and (byte == TRUE[0] or byte == FALSE[0]):
        values[row, column] = 1.0 if byte == TRUE[0] else 0.0
        return skip_word(text, at, end, TRUE if byte == TRUE[0] else FALSE)
    value, at, is_integer = parse_number(text, at, end)
    if kind == INTEGER and (not is_integer or abs(value) > LARGEST_INTEGER):
        return GIVE_UP
    values[row, column] = value
    return at


@compiled_part
def scan_object(text, at, end, fields, values, row):
    """The position after an object whose opening brace is before `at`; its fields go into a row of all columns."""
    values[row, :] = math.nan
    at = skip_space(text, at, end)
    if at < end and byte_at(text, at) == CLOSE_OBJECT:
        return at + ONE
    while True:
        if at >= end or byte_at(text, at) != QUOTE:
            return GIVE_UP
        at += ONE
        start = at
        while at < end and IS_PLAIN[byte_at(text, at)]:
            at += ONE
        if at >= end or byte_at(text, at) != QUOTE:
            return GIVE_UP  # a key with an escape could be a wanted one
        field = find_field(text, start, at, fields)
        at = skip_colon(text, at + ONE, end)
        if at == GIVE_UP:
            return GIVE_UP
        if field < 0:
            at = skip_value(text, at, end)
        else:
            at = scan_value(text, at, end, fields.kinds[field], values, fields.columns[field], row)
        if at == GIVE_UP:
            return GIVE_UP
        at = skip_space(text, at, end)
        if at >= end:
            return GIVE_UP
        if byte_at(text, at) == CLOSE_OBJECT:
            return at + ONE
        if byte_at(text, at) != COMMA:
            return GIVE_UP
        at = skip_space(text, at + ONE, end)


@compiled
def scan_objects(text, at, end, stop, fields, values):
    """Scan the objects of a list from the one at `at` to the last one that begins before `stop` and has a row.

    Return the position of the next object, or after the list; the number of objects; and whether the list ended.
    """
    row = np.int64(0)  # a literal would be compiled as a type of its own
    while True:
        if at >= end or byte_at(text, at) != OPEN_OBJECT:
            return GIVE_UP, row, False
        at = scan_object(text, at + ONE, end, fields, values, row)
        if at == GIVE_UP:
            return GIVE_UP, row, False
        for column in range(fields.needed):
            if math.isnan(values[row, column]):
                return GIVE_UP, row, False
        row += 1
        at = skip_space(text, at, end)
        if at >= end:
            return GIVE_UP, row, False
        if byte_at(text, at) == CLOSE_LIST:
            return at + ONE, row, True
        if byte_at(text, at) != COMMA:
            return GIVE_UP, row, False
        at = skip_space(text, at + ONE, end)
        if at >= stop or row == values.shape[0]:
            return at, row, False


@compiled
def find_member(text, at, end, name):
    """Walk over members of the outermost object from the key at `at` on.

    Return the position of the value under the key `name` and True, or the position after the object and False.
    """
    while True:
        at = skip_space(text, at, end)
        if at >= end or byte_at(text, at) != QUOTE:
            return GIVE_UP, False
        at += ONE
        start = at
        at = skip_string(text, at, end)
        if at == GIVE_UP:
            return GIVE_UP, False
        size = at - ONE - start
        is_wanted = size == np.uint64(name.size)
        for i in range(size):
            if byte_at(text, start + i) == BACKSLASH:
                return GIVE_UP, False
            is_wanted = is_wanted and byte_at(text, start + i) == name[i]
        at = skip_colon(text, at, end)
        if at == GIVE_UP or is_wanted:
            return at, at != GIVE_UP
        at = skip_value(text, at, end)
        if at == GIVE_UP:
            return GIVE_UP, False
        at = skip_space(text, at, end)
        if at >= end:
            return GIVE_UP, False
        if byte_at(text, at) == CLOSE_OBJECT:
            return at + ONE, False
        if byte_at(text, at) != COMMA:
            return GIVE_UP, False
        at += ONE
