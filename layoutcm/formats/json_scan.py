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

from layoutcm.compiled import compiled, compiled_part, compiled_part_inlined
from layoutcm.formats.json_numbers import EIGHT, FIRST_BYTES, GIVE_UP, ONE, ZERO, byte_at, parse_number, word_at
from layoutcm.formats.json_tokens import (
    BACKSLASH,
    CLOSE_LIST,
    CLOSE_OBJECT,
    COMMA,
    FALSE,
    NULL,
    OPEN_LIST,
    OPEN_OBJECT,
    QUOTE,
    TRUE,
    plain_end,
    skip_colon,
    skip_space,
    skip_string,
    skip_value,
    skip_word,
)

NUMBER, INTEGER, TRUTH, BOX = range(4)  # kinds of fields
BOX_COLUMNS = 4
LONGEST_NAME = np.uint64(16)  # bytes, in two words, with a quote at the end
MOST_KEYS = 32  # of an object that are remembered, with the values below
FIRST, SECOND, FIRST_MASK, SECOND_MASK, SIZE, FIELD = range(6)
LARGEST_INTEGER = 2.0**53 - 1  # larger ones are not exact as doubles


class Fields(NamedTuple):
    """The wanted keys as uint64[fields, 2], their kinds, and the first column of each, then the number of columns.

    The first `needed` columns must have a number in every object.
    """

    names: Any
    kinds: Any
    columns: Any
    needed: Any


@compiled_part
def name_word(text, at, stop):
    """The first eight bytes of a name between two positions, 0 after its end."""
    word = ZERO
    for i in range(min(stop - at, EIGHT) if stop > at else ZERO):
        word = word | np.uint64(byte_at(text, at + i)) << EIGHT * i
    return word


@compiled_part
def find_field(text, start, stop, fields):
    """The number of the field whose name is at these positions, or -1."""
    first, second = name_word(text, start, stop), name_word(text, start + EIGHT, stop)
    for field in range(fields.kinds.size):
        if stop - start < LONGEST_NAME and fields.names[field, 0] == first and fields.names[field, 1] == second:
            return field
    return -1


@compiled_part
def learn_key(text, start, stop, field, keys, number):
    """Remember a key of an object, with the quote behind it, if it is short."""
    size = stop + ONE - start
    if number >= keys.shape[0] or size > LONGEST_NAME:
        return
    keys[number, SIZE], keys[number, FIELD] = stop - start, np.uint64(field + 1)
    keys[number, FIRST] = name_word(text, start, stop + ONE)
    keys[number, SECOND] = name_word(text, start + EIGHT, stop + ONE)
    keys[number, FIRST_MASK] = FIRST_BYTES[min(size, EIGHT)]
    keys[number, SECOND_MASK] = FIRST_BYTES[size - min(size, EIGHT)]


@compiled_part_inlined
def is_learnt(text, at, end, keys, number):
    """Whether the key at a position is the one that an object before had in this place."""
    if number >= keys.shape[0] or at + LONGEST_NAME > end:
        return False
    is_first = word_at(text, at) & keys[number, FIRST_MASK] == keys[number, FIRST]
    return is_first and word_at(text, at + EIGHT) & keys[number, SECOND_MASK] == keys[number, SECOND]


@compiled_part_inlined
def scan_box(text, at, end, values, column, row):
    """The position after a list of four numbers."""
    at += ONE
    for i in range(BOX_COLUMNS):
        at = skip_space(text, at)
        value, at, _ = parse_number(text, at, end)
        if at == GIVE_UP:
            return GIVE_UP
        values[row, column + i] = value
        at = skip_space(text, at)
        if byte_at(text, at) != (COMMA if i < BOX_COLUMNS - 1 else CLOSE_LIST):
            return GIVE_UP
        at += ONE
    return at


@compiled_part_inlined
def scan_value(text, at, end, kind, values, column, row, is_needed):
    """The position after the value of a field, which goes into its column (nan for null)."""
    byte = byte_at(text, at)
    if byte == NULL[0]:
        if is_needed:  # also if a number follows under the same key
            return GIVE_UP
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


@compiled_part_inlined
def scan_object(text, at, end, fields, keys, values, row):
    """The position after an object whose opening brace is before `at`; its fields go into a row of all columns."""
    for column in range(values.shape[1]):
        values[row, column] = math.nan
    at = skip_space(text, at)
    if byte_at(text, at) == CLOSE_OBJECT:
        return at + ONE
    number = np.int64(0)
    while True:
        if byte_at(text, at) != QUOTE:
            return GIVE_UP
        at += ONE
        if is_learnt(text, at, end, keys, number):
            at, field = at + keys[number, SIZE], np.int64(keys[number, FIELD]) - 1
        else:
            start = at
            at = plain_end(text, at, end)
            if byte_at(text, at) != QUOTE:
                return GIVE_UP  # a key with an escape could be a wanted one
            field = np.int64(find_field(text, start, at, fields))
            learn_key(text, start, at, field, keys, number)
        number += 1
        at = skip_colon(text, at + ONE)
        if at == GIVE_UP:
            return GIVE_UP
        if field < 0:
            at = skip_value(text, at, end)
        else:
            kind, column = fields.kinds[field], fields.columns[field]
            at = scan_value(text, at, end, kind, values, column, row, column < fields.needed)
        if at == GIVE_UP:
            return GIVE_UP
        at = skip_space(text, at)
        if byte_at(text, at) == CLOSE_OBJECT:
            return at + ONE
        if byte_at(text, at) != COMMA:
            return GIVE_UP
        at = skip_space(text, at + ONE)


@compiled
def scan_objects(text, at, end, stop, fields, values):
    """Scan the objects of a list from the one at `at` to the last one that begins before `stop` and has a row.

    Return the position of the next object, or after the list; the number of objects; and whether the list ended.
    """
    row = np.int64(0)  # a literal would be compiled as a type of its own
    keys = np.zeros((MOST_KEYS, 6), np.uint64)
    keys[:, FIRST] = ONE  # which no word equals: the masks are 0
    while True:
        if byte_at(text, at) != OPEN_OBJECT:
            return GIVE_UP, row, False
        at = scan_object(text, at + ONE, end, fields, keys, values, row)
        if at == GIVE_UP:
            return GIVE_UP, row, False
        for column in range(fields.needed):
            if math.isnan(values[row, column]):
                return GIVE_UP, row, False
        row += 1
        at = skip_space(text, at)
        if byte_at(text, at) == CLOSE_LIST:
            return at + ONE, row, True
        if byte_at(text, at) != COMMA:
            return GIVE_UP, row, False
        at = skip_space(text, at + ONE)
        if at >= stop or row == values.shape[0]:
            return at, row, False


@compiled
def find_member(text, at, end, name):
    """Walk over members of the outermost object from the key at `at` on.

    Return the position of the value under the key `name` and True, or the position after the object and False.
    """
    while True:
        at = skip_space(text, at)
        if byte_at(text, at) != QUOTE:
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
        at = skip_colon(text, at)
        if at == GIVE_UP or is_wanted:
            return at, at != GIVE_UP
        at = skip_value(text, at, end)
        if at == GIVE_UP:
            return GIVE_UP, False
        at = skip_space(text, at)
        if byte_at(text, at) == CLOSE_OBJECT:
            return at + ONE, False
        if byte_at(text, at) != COMMA:
            return GIVE_UP, False
        at += ONE
